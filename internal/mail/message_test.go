package mail

import (
	"net/mail"
	"strings"
	"testing"
	"time"
)

func TestCheckRefuses(t *testing.T) {
	if err := note("a@b.example").Check(); err != nil {
		t.Fatalf("Check = %v; want nil", err)
	}
	for name, change := range map[string]func(*Message){
		"CRLF in the subject":   func(m *Message) { m.Subject = "a\r\nBcc: x@y.example" },
		"LF in the subject":     func(m *Message) { m.Subject = "a\nb" },
		"CR in the subject":     func(m *Message) { m.Subject = "a\rb" },
		"NUL in the subject":    func(m *Message) { m.Subject = "a\x00b" },
		"U+2028 in the subject": func(m *Message) { m.Subject = "a\u2028b" },
		"U+0085 in the subject": func(m *Message) { m.Subject = "a\u0085b" },
		"broken UTF-8":          func(m *Message) { m.Subject = "a\xff" },
		"endless subject":       func(m *Message) { m.Subject = strings.Repeat("a", 901) },
		"no subject":            func(m *Message) { m.Subject = "" },
		"no text":               func(m *Message) { m.Text = "" },
		"NUL in the text":       func(m *Message) { m.Text = "a\x00" },
		"broken HTML":           func(m *Message) { m.HTML = "\xff" },
		"no date":               func(m *Message) { m.Date = time.Time{} },
		"no recipient":          func(m *Message) { m.To = mail.Address{} },
		"CRLF in the address":   func(m *Message) { m.To.Address = "a@b.example>\r\nRCPT TO:<x@y.example" },
		"LF in the local part":  func(m *Message) { m.To.Address = "\"a\nb\"@b.example" },
		"two addresses":         func(m *Message) { m.To.Address = "a@b.example, c@d.example" },
		"address with a name":   func(m *Message) { m.To.Address = "A <a@b.example>" },
		"no at":                 func(m *Message) { m.To.Address = "root" },
		"no domain":             func(m *Message) { m.To.Address = "a@" },
		"no local part":         func(m *Message) { m.To.Address = "@b.example" },
		"space in the domain":   func(m *Message) { m.To.Address = "a@b.example SIZE=1" },
		"address literal":       func(m *Message) { m.To.Address = "a@[127.0.0.1]" },
		"long local part":       func(m *Message) { m.To.Address = strings.Repeat("a", 65) + "@b.example" },
		"CRLF in the name":      func(m *Message) { m.To.Name = "A\r\nBcc: x@y.example" },
		"CRLF in From":          func(m *Message) { m.From = mail.Address{Name: "a\nb", Address: "a@b.example"} },
		"CRLF in Reply-To":      func(m *Message) { m.ReplyTo = mail.Address{Name: "a\nb", Address: "a@b.example"} },
		"no id":                 func(m *Message) { m.MessageID = "" },
		"id in brackets":        func(m *Message) { m.MessageID = "<a@b.example>" },
		"CRLF in the id":        func(m *Message) { m.MessageID = "a@b\r\nX: y" },
		"id without host":       func(m *Message) { m.MessageID = "a" },
		"CRLF in a reference":   func(m *Message) { m.References = []string{"a@b", "c@d\n"} },
		"odd In-Reply-To":       func(m *Message) { m.InReplyTo = "a b@c" },
		"odd Unsubscribe":       func(m *Message) { m.Unsubscribe = "javascript:alert(1)" },
		"CRLF in Unsubscribe":   func(m *Message) { m.Unsubscribe = "https://a.example/\r\nX: y" },
		"bracket in Unsubscribe": func(m *Message) {
			m.Unsubscribe = "https://a.example/>,<mailto:x@y.example"
		},
		"Bcc as a header":          func(m *Message) { m.Header = map[string]string{"bcc": "x@y.example"} },
		"Content-Type":             func(m *Message) { m.Header = map[string]string{"Content-Type": "text/plain"} },
		"second Subject":           func(m *Message) { m.Header = map[string]string{"SUBJECT": "x"} },
		"CRLF in a header value":   func(m *Message) { m.Header = map[string]string{"X-A": "a\r\nBcc: x@y.example"} },
		"CRLF in a header name":    func(m *Message) { m.Header = map[string]string{"X-A: b\r\nBcc": "x@y.example"} },
		"colon in a header name":   func(m *Message) { m.Header = map[string]string{"X-A:": "b"} },
		"header without a name":    func(m *Message) { m.Header = map[string]string{"": "b"} },
		"space in a header name":   func(m *Message) { m.Header = map[string]string{"X A": "b"} },
		"header name beyond ASCII": func(m *Message) { m.Header = map[string]string{"X-Ä": "b"} },
	} {
		m := note("a@b.example")
		change(&m)
		if m.Check() == nil {
			t.Errorf("%s: Check = nil; want an error", name)
		}
		if _, err := m.compose(); err == nil {
			t.Errorf("%s: compose = nil; want an error", name)
		}
	}
}

func TestCheckReportsEverything(t *testing.T) {
	err := Message{}.Check()
	for _, want := range []string{"To", "Subject", "text", "Date", "message id"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check of nothing says %v; want it to name %s", err, want)
		}
	}
}

func TestUnsubscribeOverHTTPIsNoOneClick(t *testing.T) {
	srv := &smtpServer{}
	m := note("a@b.example")
	m.Unsubscribe = "http://localhost:8080/u/1"
	if err := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	data := srv.messages()[0].data
	if !strings.Contains(data, "List-Unsubscribe: <http://localhost:8080/u/1>\r\n") || strings.Contains(data, "One-Click") {
		t.Errorf("message:\n%s", data)
	}
}

// A retry is the same message: nothing but the MIME boundary may differ.
func TestRepeatCarriesTheSameID(t *testing.T) {
	srv := &smtpServer{}
	s := newTestSender(t, smtpURL("smtp", "", srv.start(t), ""), nil)
	for range 2 {
		if err := s.Send(t.Context(), note("a@b.example")); err != nil {
			t.Fatal(err)
		}
	}
	if got := srv.messages(); len(got) != 2 || got[0].data != got[1].data {
		t.Errorf("two sends of one message differ:\n%+v", got)
	}
}

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]mail.Address{
		"a@b.example":                 {Address: "a@b.example"},
		"Heed <heed@b.example>":       {Name: "Heed", Address: "heed@b.example"},
		"\"H, d\" <h+1@b.c.example>":  {Name: "H, d", Address: "h+1@b.c.example"},
		"=?utf-8?q?Z=C3=BC?= <z@b.c>": {Name: "Zü", Address: "z@b.c"},
	} {
		if got, err := ParseAddress(in); err != nil || got != want {
			t.Errorf("ParseAddress(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "a", "a@b, c@d", "A\r\nB <a@b.c>", "=?utf-8?q?a=0D=0Ab?= <a@b.c>", "a@b..c", "<>"} {
		if got, err := ParseAddress(in); err == nil {
			t.Errorf("ParseAddress(%q) = %v; want an error", in, got)
		}
	}
}
