package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var someday = time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)

func note(to string) Message {
	return Message{
		To: mail.Address{Address: to}, Subject: "Hello", Text: "Hello.\n", MessageID: "m1@heed.example", Date: someday,
	}
}

func newTestSender(t testing.TB, url string, roots *x509.CertPool) *Sender {
	t.Helper()
	srv, err := ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSender(Config{Server: srv, From: mail.Address{Name: "Heed", Address: "heed@heed.example"}, Roots: roots})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSendWhole(t *testing.T) {
	srv := &smtpServer{}
	s := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil)
	m := Message{
		To:      mail.Address{Name: "Zoë, Q. \"Z\" <x>", Address: "zoe@reader.example"},
		ReplyTo: mail.Address{Address: "reply+1@heed.example"},
		Subject: "Fertig: Dunkelmodus für «alles» " + strings.Repeat("ü", 60),
		Text:    "Grüezi\n.\n..dots\nFrom here\n" + strings.Repeat("long ", 300) + "\n", HTML: "<p>Grüezi</p>\n",
		MessageID: "post-1.2@heed.example", InReplyTo: "post-1.1@heed.example",
		References: []string{"post-1@heed.example", "post-1.1@heed.example"}, Date: someday,
		Unsubscribe: "https://heed.example/u/" + strings.Repeat("a", 200) + "?t=%20",
		Automatic:   true, Header: map[string]string{"list-id": "<site.heed.example>"},
	}
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := srv.messages()
	if len(got) != 1 || got[0].from != "heed@heed.example" || got[0].to != "zoe@reader.example" {
		t.Fatalf("accepted %+v", got)
	}
	for line := range strings.SplitSeq(got[0].data, "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d bytes: %.60q", len(line), line)
		}
	}
	msg, err := mail.ReadMessage(strings.NewReader(got[0].data))
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	to, err := msg.Header.AddressList("To")
	if err != nil || len(to) != 1 || *to[0] != m.To || subject != m.Subject {
		t.Errorf("To = %v, %v; Subject = %q", to, err, subject)
	}
	header := map[string]string{}
	for _, k := range []string{"From", "Reply-To", "Message-Id", "In-Reply-To", "References", "Date", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted", "X-Auto-Response-Suppress", "List-Id", "User-Agent", "X-Mailer"} {
		header[k] = msg.Header.Get(k)
		if len(msg.Header[k]) > 1 {
			t.Errorf("header %s stands %d times", k, len(msg.Header[k]))
		}
	}
	want := map[string]string{
		"From": `"Heed" <heed@heed.example>`, "Reply-To": "<reply+1@heed.example>", "Message-Id": "<post-1.2@heed.example>",
		"In-Reply-To": "<post-1.1@heed.example>", "References": "<post-1@heed.example> <post-1.1@heed.example>",
		"Date": "Sun, 15 Nov 2026 08:00:00 +0000", "List-Unsubscribe": "<" + m.Unsubscribe + ">",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Auto-Submitted": "auto-generated",
		"X-Auto-Response-Suppress": "All", "List-Id": "<site.heed.example>", "User-Agent": "", "X-Mailer": "",
	}
	if d := cmp.Diff(want, header); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"text/plain " + m.Text, "text/html " + m.HTML}, parts(t, msg)); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
}

// parts returns the decoded parts of a multipart/alternative message.
func parts(t *testing.T, msg *mail.Message) (out []string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("content type %q, %v", kind, err)
	}
	for r := multipart.NewReader(msg.Body, params["boundary"]); ; {
		// Raw: the reader would decode and hide what was sent.
		p, err := r.NextRawPart()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, params, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if !strings.EqualFold(params["charset"], "utf-8") || p.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
			t.Errorf("part header %v", p.Header)
		}
		b, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, kind+" "+strings.ReplaceAll(string(b), "\r\n", "\n"))
	}
}

func TestSendOverTLSWithPassword(t *testing.T) {
	cert, roots := certificate(t)
	const who = "us%40er:p%40ss%2Fw%23rd%20%C3%BC"
	for name, tt := range map[string]struct {
		srv   *smtpServer
		url   func(int) string
		roots *x509.CertPool
		kind  string // of the error; "" is success
		tls   bool
	}{
		"starttls, plain":      {&smtpServer{startTLS: true, auth: "PLAIN LOGIN"}, func(p int) string { return smtpURL("smtp", who, p, "?tls=required") }, roots, "", true},
		"starttls, login":      {&smtpServer{startTLS: true, auth: "LOGIN"}, func(p int) string { return smtpURL("smtp", who, p, "") }, roots, "", true},
		"implicit, plain":      {&smtpServer{implicit: true, auth: "PLAIN"}, func(p int) string { return smtpURL("smtps", who, p, "") }, roots, "", true},
		"no TLS, this machine": {&smtpServer{auth: "PLAIN"}, func(p int) string { return smtpURL("smtp", who, p, "?tls=none") }, nil, "", false},
		"offered and taken":    {&smtpServer{startTLS: true}, func(p int) string { return smtpURL("smtp", "", p, "") }, roots, "", true},
		"not offered":          {&smtpServer{}, func(p int) string { return smtpURL("smtp", "", p, "") }, roots, "", false},
		"not wanted":           {&smtpServer{startTLS: true}, func(p int) string { return smtpURL("smtp", "", p, "?tls=none") }, roots, "", false},
		"required, not there":  {&smtpServer{}, func(p int) string { return smtpURL("smtp", "", p, "?tls=required") }, roots, "misconfigured", false},
		"unknown authority":    {&smtpServer{startTLS: true}, func(p int) string { return smtpURL("smtp", "", p, "") }, x509.NewCertPool(), "misconfigured", false},
		"plain server, smtps":  {&smtpServer{}, func(p int) string { return smtpURL("smtps", "", p, "") }, roots, "misconfigured", false},
		"wrong password":       {&smtpServer{startTLS: true, auth: "PLAIN"}, func(p int) string { return smtpURL("smtp", "us%40er:wrong", p, "") }, roots, "misconfigured", false},
		"no password":          {&smtpServer{startTLS: true, auth: "PLAIN"}, func(p int) string { return smtpURL("smtp", "", p, "") }, roots, "misconfigured", false},
		"no authentication":    {&smtpServer{startTLS: true}, func(p int) string { return smtpURL("smtp", who, p, "") }, roots, "misconfigured", false},
	} {
		t.Run(name, func(t *testing.T) {
			srv := tt.srv
			srv.cert, srv.user, srv.pass = cert, "us@er", "p@ss/w#rd ü"
			err := newTestSender(t, tt.url(srv.start(t)), tt.roots).Send(t.Context(), note("a@b.example"))
			var e *Error
			if tt.kind != "" {
				if !errors.As(err, &e) || e.Kind.String() != tt.kind || len(srv.messages()) != 0 {
					t.Errorf("Send = %v (%v), %d accepted; want %s", err, errors.Unwrap(err), len(srv.messages()), tt.kind)
				}
				return
			}
			if err != nil {
				t.Fatalf("Send = %v: %v", err, errors.Unwrap(err))
			}
			if got := srv.messages(); len(got) != 1 || got[0].tls != tt.tls || (srv.auth != "" && got[0].user != "us@er") {
				t.Errorf("accepted %+v; want one, TLS %v", got, tt.tls)
			}
		})
	}
}

func TestSendClassifies(t *testing.T) {
	on := func(verb, reply string) func(string, string) string {
		return func(v, _ string) string {
			if v == verb {
				return reply
			}
			return ""
		}
	}
	for name, tt := range map[string]struct {
		srv  *smtpServer
		want Error
		held int // messages the server has all the same
	}{
		"greeting 421":       {&smtpServer{greeting: "421 busy"}, Error{Kind: Temporary, Stage: StageConnect, Code: 421, Reply: "421 busy"}, 0},
		"greeting 554":       {&smtpServer{greeting: "554 no"}, Error{Kind: Misconfigured, Stage: StageConnect, Code: 554, Reply: "554 no"}, 0},
		"dropped at hello":   {&smtpServer{answer: on("EHLO", "drop")}, Error{Kind: Temporary, Stage: StageConnect}, 0},
		"sender refused":     {&smtpServer{answer: on("MAIL", "553 5.7.1 not yours")}, Error{Kind: Misconfigured, Stage: StageSender, Code: 553, Reply: "553 5.7.1 not yours"}, 0},
		"sender later":       {&smtpServer{answer: on("MAIL", "451 4.3.2 later")}, Error{Kind: Temporary, Stage: StageSender, Code: 451, Reply: "451 4.3.2 later"}, 0},
		"no such user":       {&smtpServer{answer: on("RCPT", "550 5.1.1 <a@b.example>: no such user")}, Error{Kind: Permanent, Stage: StageRecipient, Code: 550, Reply: "550 5.1.1 <a@b.example>: no such user"}, 0},
		"several lines":      {&smtpServer{answer: on("RCPT", "550-5.1.1 no\r\n550 5.1.1 such user")}, Error{Kind: Permanent, Stage: StageRecipient, Code: 550, Reply: "550 5.1.1 no\n5.1.1 such user"}, 0},
		"greylisted":         {&smtpServer{answer: on("RCPT", "450 4.2.0 greylisted")}, Error{Kind: Temporary, Stage: StageRecipient, Code: 450, Reply: "450 4.2.0 greylisted"}, 0},
		"log in first":       {&smtpServer{answer: on("RCPT", "530 5.7.0 log in")}, Error{Kind: Misconfigured, Stage: StageRecipient, Code: 530, Reply: "530 5.7.0 log in"}, 0},
		"closing":            {&smtpServer{answer: on("RCPT", "421 4.3.2 closing")}, Error{Kind: Temporary, Stage: StageRecipient, Code: 421, Reply: "421 4.3.2 closing"}, 0},
		"dropped at RCPT":    {&smtpServer{answer: on("RCPT", "drop")}, Error{Kind: Temporary, Stage: StageRecipient}, 0},
		"DATA refused":       {&smtpServer{answer: on("DATA", "554 5.5.1 no")}, Error{Kind: Permanent, Stage: StageData, Code: 554, Reply: "554 5.5.1 no"}, 0},
		"spam":               {&smtpServer{answer: on(".", "550 5.7.1 spam")}, Error{Kind: Permanent, Stage: StageData, Code: 550, Reply: "550 5.7.1 spam"}, 0},
		"disk full":          {&smtpServer{answer: on(".", "452 4.3.1 full")}, Error{Kind: Temporary, Stage: StageData, Code: 452, Reply: "452 4.3.1 full"}, 0},
		"dropped after DATA": {&smtpServer{answer: on(".", "drop")}, Error{Kind: Temporary, Stage: StageData, MaybeSent: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			srv := tt.srv
			err := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil).Send(t.Context(), note("a@b.example"))
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("Send = %v; want an *Error", err)
			}
			tt.want.Err = got.Err
			if *got != tt.want {
				t.Errorf("Send = %+v;\nwant   %+v", *got, tt.want)
			}
			if strings.Contains(err.Error(), "b.example") {
				t.Errorf("the error names a person: %v", err)
			}
			if n := len(srv.messages()); n != tt.held {
				t.Errorf("the server has %d messages; want %d", n, tt.held)
			}
		})
	}
}

// What the server says after it has accepted the message changes nothing.
func TestSendForgivesQuit(t *testing.T) {
	for _, reply := range []string{"drop", "500 what?", "421 bye"} {
		srv := &smtpServer{answer: func(v, _ string) string {
			if v == "QUIT" || v == "RSET" {
				return reply
			}
			return ""
		}}
		if err := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil).Send(t.Context(), note("a@b.example")); err != nil {
			t.Errorf("QUIT answered with %s: Send = %v; want nil", reply, err)
		}
	}
}

func TestSendAll(t *testing.T) {
	var drops atomic.Int32
	srv := &smtpServer{answer: func(v, line string) string {
		switch {
		case v == "RCPT" && strings.Contains(line, "nobody@"):
			return "550 5.1.1 no"
		case v == "RCPT" && strings.Contains(line, "drop@"):
			drops.Add(1)
			return "drop"
		}
		return ""
	}}
	s := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil)
	var list []Message
	for i, who := range []string{"a", "nobody", "b", "drop", "c", "d"} {
		m := note(who + "@b.example")
		m.MessageID = fmt.Sprintf("m%d@heed.example", i)
		list = append(list, m)
	}
	bad := note("e@b.example")
	bad.Subject = "a\r\nBcc: everybody@b.example"
	list = append(list, bad, note("f@b.example"))

	var got []string
	s.SendAll(t.Context(), list, func(i int, err error) {
		if i != len(got) {
			t.Errorf("result %d came as number %d", i, len(got))
		}
		got = append(got, fmt.Sprint(err))
	})
	want := []string{"<nil>", "mail: recipient: permanent (550)", "<nil>", "mail: recipient: temporary", "<nil>", "<nil>", "mail: compose: permanent", "<nil>"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	var to []string
	for _, m := range srv.messages() {
		to = append(to, strings.TrimSuffix(m.to, "@b.example"))
	}
	_, conns := srv.said()
	if d := cmp.Diff([]string{"a", "b", "c", "d", "f"}, to); d != "" || conns != 2 || drops.Load() != 1 {
		t.Errorf("%d connections, %d drops, accepted (-want +got):\n%s", conns, drops.Load(), d)
	}
}

func TestSendAllWithoutServer(t *testing.T) {
	s := newTestSender(t, "smtp://127.0.0.1:1", nil)
	n := 0
	s.SendAll(t.Context(), []Message{note("a@b.example"), note("b@b.example")}, func(_ int, err error) {
		var e *Error
		if !errors.As(err, &e) || e.Kind != Temporary || e.Stage != StageConnect || e.MaybeSent {
			t.Errorf("result = %v; want temporary, connect", err)
		}
		n++
	})
	if n != 2 {
		t.Errorf("%d results; want 2", n)
	}
}

func TestSendEndsWithContext(t *testing.T) {
	for _, verb := range []string{"EHLO", "RCPT", "."} {
		ctx, cancel := context.WithCancel(t.Context())
		// The server answers only after the client has given up.
		givenUp := make(chan struct{})
		srv := &smtpServer{answer: func(v, _ string) string {
			if v == verb {
				cancel()
				<-givenUp
			}
			return ""
		}}
		s := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil)
		results := 0
		s.SendAll(ctx, []Message{note("a@b.example"), note("b@b.example")}, func(i int, err error) {
			results++
			var e *Error
			if !errors.As(err, &e) || e.Kind != Temporary || e.MaybeSent != (verb == "." && i == 0) {
				t.Errorf("cancelled at %s, message %d: %+v", verb, i, e)
			}
		})
		close(givenUp)
		if results != 2 {
			t.Errorf("cancelled at %s: %d results; want 2", verb, results)
		}
	}
}

func TestSendUTF8OnlyWhereNeeded(t *testing.T) {
	for _, tt := range []struct {
		offered bool
		to      string
		asked   bool
		fails   bool
	}{
		{true, "a@b.example", false, false}, {false, "a@b.example", false, false},
		{true, "zoë@b.example", true, false}, {false, "zoë@b.example", false, true},
	} {
		srv := &smtpServer{utf8: tt.offered}
		err := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil).Send(t.Context(), note(tt.to))
		said, _ := srv.said()
		if (err != nil) != tt.fails || strings.Contains(said, "SMTPUTF8") != tt.asked {
			t.Errorf("offered %v, to %s: Send = %v, said:\n%s", tt.offered, tt.to, err, said)
		}
		var e *Error
		if tt.fails && (!errors.As(err, &e) || e.Kind != Permanent) {
			t.Errorf("to %s without SMTPUTF8: %v; want permanent", tt.to, err)
		}
	}
}
