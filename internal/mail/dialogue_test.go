package mail

import (
	"bytes"
	"net/mail"
	"strings"
	"testing"
)

func TestDialogue(t *testing.T) {
	cert, roots := certificate(t)
	for name, tt := range map[string]struct {
		change func(*smtpServer)
		who    string
		scheme string
		wants  []string
		fails  bool
	}{
		"works": {nil, "us%40er:s3cret%2F%C3%BCx", "smtp", []string{
			"* connected to 127.0.0.1:", "S: 220 mail.test ESMTP ready\n", "C: EHLO ", "S: 250-mail.test greets you\n", "S: 250 AUTH PLAIN\n",
			"C: STARTTLS\n", "* TLS 1.3, certificate verified\n", "C: ********\n", "S: 235 2.7.0 welcome\n", "C: MAIL FROM:<heed@heed.example>",
			"C: RCPT TO:<op@b.example>\n", "C: DATA\n", "* message of ", "S: 250 2.0.0 queued as 4711\n", "C: QUIT\n", "S: 221 bye\n", "* the server has accepted the message\n",
		}, false},
		"implicit": {func(s *smtpServer) { s.implicit = true }, "us%40er:s3cret%2F%C3%BCx", "smtps", []string{"* TLS 1.3", "S: 235", "* the server has accepted the message\n"}, false},
		"wrong password": {nil, "us%40er:wr0ng%21pass", "smtp", []string{
			"C: ********\n", "S: 535 5.7.8 credentials refused: ******** ********\n", "* failed: connect, misconfigured: 535",
		}, true},
		"refused": {func(s *smtpServer) {
			s.answer = func(v, _ string) string {
				if v == "RCPT" {
					return "550-5.1.1 no such\x1b[2Juser\r\n550 5.1.1 here"
				}
				return ""
			}
		}, "us%40er:s3cret%2F%C3%BCx", "smtp", []string{"S: 550-5.1.1 no such\uFFFD[2Juser\nS: 550 5.1.1 here\n", "* failed: recipient, permanent: 550"}, true},
		"spam": {func(s *smtpServer) {
			s.answer = func(v, _ string) string {
				if v == "." {
					return "554 5.7.1 spam"
				}
				return ""
			}
		}, "us%40er:s3cret%2F%C3%BCx", "smtp", []string{"S: 554 5.7.1 spam\n", "* failed: data, permanent: 554 5.7.1 spam"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			srv := &smtpServer{startTLS: true, auth: "PLAIN", cert: cert, user: "us@er", pass: "s3cret/üx"}
			if tt.change != nil {
				tt.change(srv)
			}
			var out bytes.Buffer
			s := newTestSender(t, smtpURL(tt.scheme, tt.who, srv.start(t), ""), roots)
			err := s.Dialogue(t.Context(), &out, mail.Address{Address: "op@b.example"})
			if (err != nil) != tt.fails {
				t.Errorf("Dialogue = %v; want an error: %v", err, tt.fails)
			}
			rest := out.String()
			for _, want := range tt.wants {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("no %q, in its place, in:\n%s", want, out.String())
				}
				rest = after
			}
			for _, secret := range secretsOf(s.cfg.Server) {
				if strings.Contains(out.String(), secret) {
					t.Errorf("the dialogue shows %q:\n%s", secret, out.String())
				}
			}
			if testing.Verbose() {
				t.Log("\n" + out.String())
			}
		})
	}
}
