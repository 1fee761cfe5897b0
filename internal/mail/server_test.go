package mail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/mail"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseURL(t *testing.T) {
	pw := NewPassword
	for in, want := range map[string]Server{
		"smtp://mail.example.com":                     {Host: "mail.example.com", Port: 25, Security: IfOffered},
		" smtp://mail.example.com:2525/\n":            {Host: "mail.example.com", Port: 2525, Security: IfOffered},
		"smtp://u:p@mail.example.com":                 {Host: "mail.example.com", Port: 587, User: "u", Password: pw("p"), Security: Required},
		"smtp://u%40x:p%40%2F%23@mail.example.com:25": {Host: "mail.example.com", Port: 25, User: "u@x", Password: pw("p@/#"), Security: Required},
		"smtps://u:p@mail.example.com":                {Host: "mail.example.com", Port: 465, User: "u", Password: pw("p"), Security: Implicit},
		"smtps://mail.example.com?tls=required":       {Host: "mail.example.com", Port: 465, Security: Implicit},
		"smtp://localhost:1025":                       {Host: "localhost", Port: 1025, Security: IfOffered},
		"smtp://u:p@localhost:1025":                   {Host: "localhost", Port: 1025, User: "u", Password: pw("p"), Security: IfOffered},
		"smtp://u:p@[::1]:1025?tls=none":              {Host: "::1", Port: 1025, User: "u", Password: pw("p"), Security: Plain},
		"smtp://h.example?tls=none&helo=me.example":   {Host: "h.example", Port: 25, Security: Plain, Helo: "me.example"},
		"smtp://u:p@h.example?tls=starttls":           {Host: "h.example", Port: 587, User: "u", Password: pw("p"), Security: IfOffered},
	} {
		got, err := ParseURL(in)
		if d := cmp.Diff(want, got, cmpopts.EquateComparable(Password{})); err != nil || d != "" {
			t.Errorf("ParseURL(%q) = %v (-want +got):\n%s", in, err, d)
		}
	}
	const secret = "hunter2"
	for _, in := range []string{
		"", "mail.example.com", "http://u:hunter2@h.example", "smtp://", "smtp://:25", "smtp://u:hunter2@", "smtp://u@h.example", "smtp://:hunter2@h.example", "smtp://u:@h.example",
		"smtp://u:hunter2#x@h.example", "smtp://u:hunter2/x@h.example:25", "smtp://u:hunter2?x@h.example", "smtp://u:hunter2%zz@h.example", "smtp://u:hunter2 x@h.example:25:25",
		"smtp://u:hunter2@h.example:0", "smtp://u:hunter2@h.example:65536", "smtp://u:hunter2@h.example:x", "smtp://u:hunter2@h.example/path",
		"smtp://u:hunter2@h.example?tls=none", "smtp://u:hunter2@h.example?tls=maybe", "smtps://u:hunter2@h.example?tls=none", "smtp://h.example?tls=none&tls=required",
		"smtp://h.example?skip_verify=1", "smtp://h.example?helo=a%0d%0ab", "smtp://u:hunter2%0d%0a@h.example",
	} {
		got, err := ParseURL(in)
		if err == nil {
			t.Errorf("ParseURL(%q) = %v; want an error", in, got)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("ParseURL(%q): the error shows the password: %v", in, err)
		}
	}
}

func TestServerHidesThePassword(t *testing.T) {
	s, err := ParseURL("smtp://someone%40b.example:hunter2@mail.example.com")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	l := slog.New(slog.NewJSONHandler(&log, nil))
	l.Info("x", "server", s, "password", s.Password, "config", Config{Server: s})
	js, _ := json.Marshal(s)
	shown := fmt.Sprintf("%v %+v %#v %s %q %x", s, s, s, s.Password, s.Password, s.Password) + log.String() + string(js)
	for _, leak := range []string{"hunter2", fmt.Sprintf("%x", "hunter2")} {
		if strings.Contains(shown, leak) {
			t.Errorf("the password shows in %s", shown)
		}
	}
	if got := s.String(); got != "smtp://[redacted]@mail.example.com:587?tls=required" {
		t.Errorf("String = %q", got)
	}
}

func TestNewSender(t *testing.T) {
	srv, _ := ParseURL("smtp://h.example")
	if _, err := NewSender(Config{Server: srv}); err == nil {
		t.Error("NewSender without a sender's address = nil; want an error")
	}
	s, err := NewSender(Config{Server: srv, From: mail.Address{Address: "a@from.example"}})
	if err != nil || s.cfg.Server.Helo == "" {
		t.Errorf("NewSender = %+v, %v; want an introduction", s, err)
	}
}
