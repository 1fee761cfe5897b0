package mail

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Password is a text that prints as a placeholder. The one way to it is
// Reveal.
type Password struct{ text string }

// NewPassword wraps a text.
func NewPassword(text string) Password { return Password{text} }

// Reveal returns the text.
func (p Password) Reveal() string { return p.text }

// String hides the text.
func (p Password) String() string {
	if p.text == "" {
		return ""
	}
	return "[redacted]"
}

// GoString hides the text from %#v.
func (p Password) GoString() string { return p.String() }

// LogValue hides the text from structured logs.
func (p Password) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText hides the text from encoders.
func (p Password) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Security is how the connection to the server is protected.
type Security string

const (
	// Implicit TLS from the first byte: smtps://.
	Implicit Security = "implicit"
	// Required: STARTTLS, and no message without it.
	Required Security = "required"
	// IfOffered: STARTTLS where the server offers it. What is offered must
	// still verify: a bad certificate is never better than none.
	IfOffered Security = "starttls"
	// Plain: no TLS.
	Plain Security = "none"
)

// Server is where messages are handed over.
type Server struct {
	Host     string
	Port     int
	User     string
	Password Password
	Security Security
	Helo     string // how we introduce ourselves; empty: chosen by NewSender
}

// ParseURL reads smtp://user:password@host:port?tls=required&helo=name, or the
// same with smtps://. What is left out is chosen so that the short form works:
//
//   - the port is 465 for smtps, 587 with a user, else 25;
//   - tls is "required" with a user, except on this machine; else "starttls".
//
// The error never repeats the text, which holds a password.
func ParseURL(s string) (Server, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return Server{}, errors.New("not a readable URL; characters such as # / ? @ % in a password must be percent-encoded")
	}
	srv := Server{Host: u.Hostname(), User: u.User.Username()}
	pass, hasPass := u.User.Password()
	srv.Password = NewPassword(pass)
	switch {
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return Server{}, errors.New("the URL must start with smtp:// or smtps://")
	case srv.Host == "":
		return Server{}, errors.New("the URL names no host; it should look like smtp://user:password@mail.example.com:587")
	case u.Path != "" && u.Path != "/", u.Fragment != "":
		return Server{}, errors.New("nothing may follow the port but ?tls= and ?helo=; characters such as # / ? in a password must be percent-encoded")
	case hasPass && (srv.User == "" || pass == ""):
		return Server{}, errors.New("a user needs a password, and a password a user")
	case !hasPass && srv.User != "":
		return Server{}, errors.New("the user has no password; write smtp://user:password@host")
	case hasControl(srv.Host + srv.User + pass):
		return Server{}, errors.New("host, user and password may not contain control characters")
	}
	if srv.Port, err = port(u, srv); err != nil {
		return Server{}, err
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Server{}, errors.New("what follows the question mark is not readable")
	}
	for name, values := range q {
		if (name != "tls" && name != "helo") || len(values) != 1 {
			return Server{}, errors.New("only ?tls= and ?helo= may follow the question mark, once each")
		}
	}
	if srv.Helo = q.Get("helo"); srv.Helo != "" && !isHostName(srv.Helo) {
		return Server{}, errors.New("helo must be a host name")
	}
	srv.Security, err = security(u.Scheme, q.Get("tls"), srv)
	return srv, err
}

func port(u *url.URL, srv Server) (int, error) {
	text := u.Port()
	switch {
	case text != "":
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return 0, errors.New("the port must be a number from 1 to 65535")
		}
		return int(n), nil
	case u.Scheme == "smtps":
		return 465, nil
	case srv.User != "":
		return 587, nil
	}
	return 25, nil
}

func security(scheme, word string, srv Server) (Security, error) {
	if scheme == "smtps" {
		if word != "" && word != string(Required) {
			return "", errors.New("smtps:// is TLS from the start; leave ?tls= out, or use smtp://")
		}
		return Implicit, nil
	}
	switch s := Security(word); s {
	case "":
		if srv.User != "" && !srv.isThisMachine() {
			return Required, nil
		}
		return IfOffered, nil
	case Required, IfOffered:
		return s, nil
	case Plain:
		if srv.User != "" && !srv.isThisMachine() {
			return "", errors.New("with tls=none the password would be readable on the way; use tls=required")
		}
		return s, nil
	}
	return "", errors.New("tls must be required, starttls or none")
}

// isThisMachine is deliberately narrower than "resolves to loopback": a name
// is no proof of where it leads.
func (s Server) isThisMachine() bool {
	return s.Host == "localhost" || s.Host == "127.0.0.1" || s.Host == "::1"
}

// Addr is host and port, as a dialer wants them.
func (s Server) Addr() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// String is the URL without user and password.
func (s Server) String() string {
	scheme := "smtp"
	if s.Security == Implicit {
		scheme = "smtps"
	}
	who := ""
	if s.User != "" {
		who = "[redacted]@"
	}
	return fmt.Sprintf("%s://%s%s?tls=%s", scheme, who, s.Addr(), s.Security)
}

// LogValue keeps user and password out of logs: a user is often an address.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.String()) }

func isHostName(s string) bool {
	return len(s) <= 253 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.[]:") == ""
}
