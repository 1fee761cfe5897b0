package mail

import (
	"errors"
	"fmt"
	"net/mail"
	"net/textproto"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// Message is one mail to one person.
type Message struct {
	From    mail.Address // the zero address takes the Sender's
	To      mail.Address
	ReplyTo mail.Address // may be zero

	Subject string
	Text    string // always needed: not everybody reads HTML
	HTML    string // may be empty

	// MessageID, without angle brackets, is needed: the same message tried
	// again must carry the same id, and only the caller knows it is the same.
	MessageID  string
	InReplyTo  string   // the id this answers, if any
	References []string // ids of the thread, oldest first
	Date       time.Time

	// Unsubscribe is a URL that ends such mail by a plain POST. With https it
	// is announced as one-click (RFC 8058); with http, which the RFC does not
	// allow, as an ordinary link.
	Unsubscribe string

	// Automatic marks mail no person wrote, so that out-of-office replies and
	// other automata leave it alone.
	Automatic bool

	// Header holds further header fields. Those that this type or the
	// composing of the message already decides are refused.
	Header map[string]string
}

// Check reports everything about the message that can never be sent, such as
// a line break in a header. A message that passes may still be refused by the
// server.
func (m Message) Check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if m.From != (mail.Address{}) {
		errs = append(errs, checkAddress("From", m.From))
	}
	if m.ReplyTo != (mail.Address{}) {
		errs = append(errs, checkAddress("Reply-To", m.ReplyTo))
	}
	errs = append(errs, checkAddress("To", m.To))
	errs = append(errs, checkLine("Subject", m.Subject))
	if m.Subject == "" {
		bad("Subject is empty")
	}
	if m.Text == "" {
		bad("the text part is empty")
	}
	if !utf8.ValidString(m.Text) || !utf8.ValidString(m.HTML) || strings.Contains(m.Text+m.HTML, "\x00") {
		bad("the body is not UTF-8 text")
	}
	if m.Date.IsZero() {
		bad("Date is missing")
	}
	for _, id := range append([]string{m.MessageID}, m.References...) {
		if !isMessageID(id) {
			bad("a message id must look like local@host, without angle brackets")
		}
	}
	if m.InReplyTo != "" && !isMessageID(m.InReplyTo) {
		bad("In-Reply-To must look like local@host, without angle brackets")
	}
	if m.Unsubscribe != "" {
		u, err := url.Parse(m.Unsubscribe)
		if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || !isPrintable(m.Unsubscribe) || strings.ContainsAny(m.Unsubscribe, "<> ,") || len(m.Unsubscribe) > 900 {
			bad("Unsubscribe must be an http or https URL of at most 900 characters")
		}
	}
	for name, value := range m.Header {
		if !isFieldName(name) || decided(name) {
			bad("the header field %q cannot be set", name)
		}
		errs = append(errs, checkLine(name, value))
	}
	return errors.Join(errs...)
}

// compose turns the message into what the library sends.
func (m Message) compose() (*gomail.Msg, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	g := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	g.FromMailAddress(&m.From)
	g.ToMailAddress(&m.To)
	if m.ReplyTo != (mail.Address{}) {
		g.ReplyToMailAddress(&m.ReplyTo)
	}
	g.Subject(m.Subject)
	g.SetDateWithValue(m.Date)
	g.SetMessageIDWithValue(m.MessageID)
	if m.InReplyTo != "" {
		g.SetGenHeader(gomail.HeaderInReplyTo, "<"+m.InReplyTo+">")
	}
	if len(m.References) > 0 {
		g.SetGenHeader(gomail.HeaderReferences, "<"+strings.Join(m.References, "> <")+">")
	}
	if m.Unsubscribe != "" {
		// Preformatted: a URL that is folded or encoded is no URL any more.
		g.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribe, "<"+m.Unsubscribe+">")
		if strings.HasPrefix(m.Unsubscribe, "https:") {
			g.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
		}
	}
	if m.Automatic {
		g.SetGenHeader("Auto-Submitted", "auto-generated")
		// What Exchange reads instead of Auto-Submitted.
		g.SetGenHeader("X-Auto-Response-Suppress", "All")
	}
	for name, value := range m.Header {
		g.SetGenHeader(gomail.Header(textproto.CanonicalMIMEHeaderKey(name)), value)
	}
	g.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		g.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return g, nil
}

// ParseAddress reads an address with or without a name: a@b.example or
// Name <a@b.example>. The error does not repeat it.
func ParseAddress(s string) (mail.Address, error) {
	a, err := mail.ParseAddress(s)
	if err != nil {
		return mail.Address{}, errors.New("not a mail address; it should look like a@b.example or Name <a@b.example>")
	}
	return *a, checkAddress("the address", *a)
}

func checkAddress(field string, a mail.Address) error {
	if err := checkLine(field, a.Name); err != nil {
		return err
	}
	local, domain, ok := cutLast(a.Address, "@")
	// What would need quotes is refused: nobody has such an address, and
	// "a@b.example, c"@d.example is more likely two addresses than one.
	if !ok || local == "" || len(local) > 64 || !isDomain(domain) || len(a.Address) > 254 ||
		hasControl(a.Address) || path(a) != "<"+a.Address+">" {
		return fmt.Errorf("%s is not a mail address", field)
	}
	return nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func isDomain(s string) bool {
	return s != "" && !strings.ContainsAny(s, " []<>()\",;:\\@") && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
}

// checkLine holds a header value to one line of text.
func checkLine(field, value string) error {
	if !utf8.ValidString(value) || hasControl(value) {
		return fmt.Errorf("%s contains a line break or another control character", field)
	}
	if len(value) > 900 {
		return fmt.Errorf("%s is longer than 900 bytes", field)
	}
	return nil
}

// hasControl also catches U+2028 and U+2029, which some readers take for line
// breaks.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isMessageID(s string) bool {
	local, host, ok := strings.Cut(s, "@")
	return ok && local != "" && host != "" && len(s) <= 200 && isPrintable(s) && !strings.ContainsAny(s, "<>()\\\",;: ") && !strings.Contains(host, "@")
}

func isFieldName(s string) bool {
	return s != "" && len(s) <= 70 && isPrintable(s) && !strings.Contains(s, ":")
}

// decided reports header fields that are set from elsewhere: twice would be
// invalid, and some decide who receives the message.
func decided(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "from", "to", "cc", "bcc", "sender", "reply-to", "return-path", "subject", "date", "message-id", "in-reply-to",
		"references", "mime-version", "received", "list-unsubscribe", "list-unsubscribe-post", "auto-submitted", "x-auto-response-suppress":
		return true
	}
	return strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "resent-")
}
