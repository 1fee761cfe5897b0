// Package letter says what mails say: for each kind of message one function that
// makes its subject, its text and its HTML in the reader's language. It knows no
// recipient, no queue and no database; addresses of pages are given to it. What
// people wrote stands in a letter as plain text.
package letter

import (
	"embed"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
	"unicode"

	"heed/internal/i18n"
)

//go:embed messages letter.html
var files embed.FS

// Catalog holds the texts of letters in every language.
var Catalog = i18n.MustLoad(func() fs.FS {
	f, err := fs.Sub(files, "messages")
	if err != nil {
		panic(err)
	}
	return f
}())

var page = template.Must(template.ParseFS(files, "letter.html"))

// The kinds of letters.
const (
	KindSignIn    = "sign_in"
	KindSubscribe = "subscribe"
	KindStatus    = "status"
	KindReply     = "reply"
	KindChangelog = "changelog"
	KindInvite    = "invitation"
	KindWebhook   = "webhook_disabled"
	KindReset     = "reset"
	KindSecurity  = "security"
)

// Letter is a message without sender and recipient.
type Letter struct {
	Kind    string
	Subject string
	Text    string
	HTML    string
}

// Frame is what surrounds every letter.
type Frame struct {
	Locale  *i18n.Locale
	Site    string // whose name it is written in
	SiteURL string
	Accent  string // #rrggbb of a button with white text on it
	// Why the reader gets this and how to end it; empty for letters that
	// somebody asked for a moment ago.
	Preferences string
	Unsubscribe string
}

// body is what the template shows.
type body struct {
	Frame
	Lang, Dir   string
	Subject     string
	Lead        string
	Quote       string
	Code        string
	Button, URL string
	After       string
	Why         string
	WhyURL      string
	Preferences string
	Stop        string
}

func (f Frame) write(kind, subject string, b body) Letter {
	l := f.Locale
	if why := "mail.why." + kind; !l.Has(why) {
		f.Unsubscribe = "" // somebody asked for this one
	}
	b.Frame, b.Lang, b.Dir, b.Subject = f, l.Tag, l.Dir, oneLine(subject)
	if b.Accent == "" {
		b.Accent = "#4f46e5"
	}
	var text strings.Builder
	part := func(s string) {
		if s != "" {
			text.WriteString(s + "\n\n")
		}
	}
	part(b.Lead)
	if b.Quote != "" {
		part("> " + strings.ReplaceAll(b.Quote, "\n", "\n> "))
	}
	part(b.Code)
	if b.URL != "" {
		part(b.Button + ":\n" + b.URL)
	}
	part(b.After)
	part("-- \n" + f.Site + "\n" + f.SiteURL)
	if f.Unsubscribe != "" {
		b.Why, b.Stop, b.Preferences = l.T("mail.why."+kind, "site", f.Site), l.T("mail.stop"), l.T("mail.preferences")
		part(b.Why)
		part(b.Stop + ": " + f.Unsubscribe)
		if f.Preferences != "" {
			part(b.Preferences + ": " + f.Preferences)
		}
	}
	var out strings.Builder
	if err := page.Execute(&out, b); err != nil {
		panic(err) // the template is part of the program
	}
	return Letter{Kind: kind, Subject: b.Subject, Text: strings.TrimRight(text.String(), "\n") + "\n", HTML: out.String()}
}

// SignIn carries the code and the link of a sign-in.
func SignIn(f Frame, code, link string) Letter {
	return f.write(KindSignIn, f.Locale.T("mail.signin.subject", "site", f.Site, "code", code), body{
		Lead: f.Locale.T("mail.signin.lead", "site", f.Site), Code: code,
		Button: f.Locale.T("mail.signin.button"), URL: link, After: f.Locale.T("mail.signin.after"),
	})
}

// Subscribe asks whether somebody really wants every changelog entry.
func Subscribe(f Frame, link string) Letter {
	return f.write(KindSubscribe, f.Locale.T("mail.subscribe.subject", "site", f.Site), body{
		Lead:   f.Locale.T("mail.subscribe.lead", "site", f.Site),
		Button: f.Locale.T("mail.subscribe.button"), URL: link, After: f.Locale.T("mail.subscribe.after"),
	})
}

// Status tells that a post moved to a status; the note may be empty.
func Status(f Frame, title, status, note, url string) Letter {
	return f.write(KindStatus, f.Locale.T("mail.status.subject", "title", title, "status", status), body{
		Lead: f.Locale.T("mail.status.lead", "title", title, "status", status), Quote: note,
		Button: f.Locale.T("mail.status.button"), URL: url,
	})
}

// Shipped tells that what was asked for is there. entry is the title of the
// changelog entry about it, empty for none.
func Shipped(f Frame, title, entry, url string) Letter {
	return f.write(KindStatus, f.Locale.T("mail.shipped.subject", "title", title), body{
		Lead: f.Locale.T("mail.shipped.lead", "title", title), Quote: entry,
		Button: f.Locale.T("mail.shipped.button"), URL: url,
	})
}

// Reply tells that somebody answered. who may be empty.
func Reply(f Frame, who, title, text, url string) Letter {
	if who == "" {
		who = f.Locale.T("mail.someone")
	}
	return f.write(KindReply, f.Locale.T("mail.reply.subject", "title", title), body{
		Lead: f.Locale.T("mail.reply.lead", "who", who, "title", title), Quote: text,
		Button: f.Locale.T("mail.reply.button"), URL: url,
	})
}

// Changelog tells that an entry was published.
func Changelog(f Frame, title, text, url string) Letter {
	return f.write(KindChangelog, f.Locale.T("mail.changelog.subject", "site", f.Site, "title", title), body{
		Lead: title, Quote: Plain(text, 600), Button: f.Locale.T("mail.changelog.button"), URL: url,
	})
}

// Invitation asks somebody to join the team of an account.
func Invitation(f Frame, account, by, link string) Letter {
	return f.write(KindInvite, f.Locale.T("mail.invite.subject", "account", account), body{
		Lead:   f.Locale.T("mail.invite.lead", "by", by, "account", account),
		Button: f.Locale.T("mail.invite.button"), URL: link, After: f.Locale.T("mail.invite.after"),
	})
}

// Reset carries the link for a new password of a member of an account.
func Reset(f Frame, account, link string) Letter {
	return f.write(KindReset, f.Locale.T("mail.reset.subject", "account", account), body{
		Lead:   f.Locale.T("mail.reset.lead", "account", account),
		Button: f.Locale.T("mail.reset.button"), URL: link, After: f.Locale.T("mail.reset.after"),
	})
}

// Act is something that changed by what a member signs in.
type Act string

// The acts that members are told of.
const (
	PasswordChanged Act = "password"
	FactorTurnedOn  Act = "factor_on"
	FactorTurnedOff Act = "factor_off"
	CodesMade       Act = "codes"
	CodeUsed        Act = "code_used"
	PasskeyAdded    Act = "passkey_added"
	PasskeyRemoved  Act = "passkey_removed"
)

// SecurityNotice is what a member is told of such an act.
type SecurityNotice struct {
	Act           Act
	Account       string
	When, Address string
	Name          string // of the passkey
	Left          string // how many recovery codes; "" where they are not the matter
	Profile       string // where to look after it
	Reset         string // where to choose a new password
}

// Security tells a member that it changed by what they sign in, in case it was
// somebody else. It holds nothing that signs anybody in.
func Security(f Frame, n SecurityNotice) Letter {
	act := f.Locale.T("mail.security." + string(n.Act))
	facts := []string{f.Locale.T("mail.security.where", "when", n.When, "address", n.Address)}
	if n.Name != "" {
		facts = append(facts, f.Locale.T("mail.security.name", "name", oneLine(n.Name)))
	}
	if n.Left != "" {
		facts = append(facts, f.Locale.T("mail.security.left", "left", n.Left))
	}
	return f.write(KindSecurity, f.Locale.T("mail.security.subject", "act", act, "account", n.Account), body{
		Lead: f.Locale.T("mail.security.lead", "act", act, "account", n.Account), Quote: strings.Join(facts, "\n"),
		Button: f.Locale.T("mail.security.button"), URL: n.Profile, After: f.Locale.T("mail.security.after", "reset", n.Reset),
	})
}

// WebhookDisabled tells an owner that an endpoint gets no more deliveries.
func WebhookDisabled(f Frame, endpoint, link string) Letter {
	return f.write(KindWebhook, f.Locale.T("mail.webhook.subject", "site", f.Site), body{
		Lead: f.Locale.T("mail.webhook.lead", "endpoint", endpoint), Button: f.Locale.T("mail.webhook.button"), URL: link,
	})
}

// oneLine keeps what people wrote from becoming a header of its own.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:199]) + "…"
	}
	return s
}

// What of markdown is not for reading.
var (
	links     = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\s]*(?:[ \t]+[^()\n]*)?\)`)
	bullets   = regexp.MustCompile(`^([ \t]*)[-*+] +`)
	fences    = regexp.MustCompile("^[ \\t]*(?:```|~~~)")
	rules     = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*$`)
	cells     = regexp.MustCompile(`[ \t]*\|[ \t]*`)
	emphasis  = strings.NewReplacer("**", "", "__", "", "`", "")
	manyLines = regexp.MustCompile(`\n{3,}`)
)

// Plain is the beginning of a markdown text without its marks, at most n
// characters.
func Plain(text string, n int) string {
	var lines []string
	code := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", ""), "\n") {
		if fences.MatchString(line) {
			code = !code
			continue
		}
		if code {
			lines = append(lines, line)
			continue
		}
		if rules.MatchString(line) {
			continue
		}
		line = emphasis.Replace(links.ReplaceAllString(line, "$1"))
		line = bullets.ReplaceAllString(strings.TrimLeft(strings.TrimRight(line, " \t"), "#> "), "$1• ")
		if row, ok := strings.CutPrefix(line, "|"); ok {
			line = cells.ReplaceAllString(strings.Trim(row, "| \t"), " · ")
		}
		lines = append(lines, line)
	}
	text = strings.TrimSpace(manyLines.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
	if r := []rune(text); len(r) > n {
		text = strings.TrimSpace(string(r[:n])) + "…"
	}
	return text
}
