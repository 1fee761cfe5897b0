package feedback

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Sort is an order in which the portal lists posts.
type Sort string

// The orders.
const (
	Trending Sort = "trending" // most wanted lately
	Top      Sort = "top"      // most votes
	Newest   Sort = "new"
)

// Values lists the orders.
func (Sort) Values() []string { return []string{"trending", "top", "new"} }

// PublicFilter asks for one page of the posts that the public sees.
type PublicFilter struct {
	Window
	Board  BoardID  // zero: every public board
	Status StatusID // zero: any
	Tag    TagID    // zero: any
	Sort   Sort
}

// PublicPost is a post as the portal shows it. Nothing in it is private.
type PublicPost struct {
	Post
	Excerpt  string // how the body begins, as it was written
	Comments int    // that the public may see
	Author   string // the name the author chose; empty: none
	Voted    bool   // by whoever looks
}

// PublicComment is a comment as the portal shows it: never an internal one.
type PublicComment struct {
	Comment
	Author string // the name of the visitor or member; empty: none
}

// FoldedPost is a post that was folded into another.
type FoldedPost struct {
	ID    PostID
	Board BoardID
	Title string
}

// HeldPost is a post that waits for approval, or did not get it, as its author
// sees it.
type HeldPost struct {
	ID       PostID
	Title    string
	Rejected bool
	Note     string // why it was rejected; may be empty
}

// StatusMove is a move of a post from one status to another; zero is none.
type StatusMove struct {
	From, To StatusID
	Note     string
	At       time.Time
}

// Settings are what a site's portal looks like and whom it lets in.
type Settings struct {
	SiteID     SiteID
	Accent     string // #rrggbb; empty: the default
	Scheme     Scheme
	Locale     string // the language where a reader asks for none we have
	Intro      string // stands under the title; empty: the default
	Host       string // the site's own host name; empty: none
	LogoHash   string // empty: none
	Anonymous  bool   // visitors may write without signing in
	Moderation bool   // posts of visitors wait for approval
	// WidgetOrigins are the origins that may show the portal in a frame.
	WidgetOrigins []string
	SSO           bool // a secret for single sign-on is set
}

// Scheme is a site's choice of colours.
type Scheme string

// The schemes.
const (
	SchemeSystem Scheme = "system"
	SchemeLight  Scheme = "light"
	SchemeDark   Scheme = "dark"
)

// Values lists the schemes.
func (Scheme) Values() []string { return []string{"system", "light", "dark"} }

// DefaultSettings are those of a site that has set none.
func DefaultSettings(site SiteID) Settings {
	return Settings{SiteID: site, Scheme: SchemeSystem, Locale: "en", Anonymous: true}
}

// The texts of settings.
type (
	// Intro stands under the title of a portal.
	Intro string
	// VisitorName is what a visitor wants to be called.
	VisitorName string
)

func (Intro) Rule() Text       { return Text{Max: 300} }
func (VisitorName) Rule() Text { return Text{Max: 80} }

// NewSettings is what it takes to change a portal's settings.
type NewSettings struct {
	Input
	Accent        string
	Scheme        Scheme
	Locale        string
	Intro         Intro
	Host          string
	Anonymous     bool
	Moderation    bool
	WidgetOrigins []string
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
// locales are the languages there are.
func (in NewSettings) Check(locales []string) error {
	p := in.problems()
	if rule, _ := Color("").Rule().Broken(in.Accent); rule != "" && in.Accent != "" {
		p.Add("accent", RuleFormat, "must be a colour such as #0f766e")
	}
	checkEnum(&p, "scheme", in.Scheme)
	checkText(&p, "intro", in.Intro)
	if !contains(locales, in.Locale) {
		p.Add("locale", RuleEnum, "must be one of "+strings.Join(locales, ", "))
	}
	if in.Host != "" && !hostName(in.Host) {
		p.Add("host", RuleFormat, "must be a host name such as feedback.example.com")
	}
	for i, o := range in.WidgetOrigins {
		if !Origin(o) || len(o) > 300 {
			p.Add(fmt.Sprintf("widgetOrigins.%d", i), RuleFormat, "must be an origin such as https://app.example.com")
		}
	}
	if len(in.WidgetOrigins) > 20 {
		p.Add("widgetOrigins", RuleMaxItems, "must have at most 20 items")
	}
	return p.Err()
}

// SettingsPatch changes some of a portal's settings. What is nil stays as it is.
type SettingsPatch struct {
	Input
	Accent        *string
	Scheme        *Scheme
	Locale        *string
	Intro         *Intro
	Host          *string
	Anonymous     *bool
	Moderation    *bool
	WidgetOrigins *[]string
}

// On returns what settings are with the patch on them.
func (p SettingsPatch) On(s *Settings) NewSettings {
	out := NewSettings{
		Input: p.Input, Accent: s.Accent, Scheme: s.Scheme, Locale: s.Locale, Intro: Intro(s.Intro), Host: s.Host,
		Anonymous: s.Anonymous, Moderation: s.Moderation, WidgetOrigins: s.WidgetOrigins,
	}
	patch(&out.Accent, p.Accent)
	patch(&out.Scheme, p.Scheme)
	patch(&out.Locale, p.Locale)
	patch(&out.Intro, p.Intro)
	patch(&out.Host, p.Host)
	patch(&out.Anonymous, p.Anonymous)
	patch(&out.Moderation, p.Moderation)
	patch(&out.WidgetOrigins, p.WidgetOrigins)
	return out
}

func patch[T any](into *T, value *T) {
	if value != nil {
		*into = *value
	}
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// Origin reports whether s is the origin of a web page, spelled as browsers do.
func Origin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil &&
		s == u.Scheme+"://"+strings.ToLower(u.Host) && !strings.ContainsAny(s, "*;, '\"")
}

// MaxHostName is the greatest length of a host name.
const MaxHostName = 253

func hostName(s string) bool {
	if len(s) > MaxHostName || !strings.Contains(s, ".") || strings.ToLower(s) != s {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(s, ".") {
		last = label
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return strings.Trim(last, "0123456789") != "" // else it is an address
}

// Logo is the picture of a site.
type Logo struct {
	Hash string
	Type string
	Data []byte
}

// MaxLogo is the size of a logo in bytes.
const MaxLogo = 128 << 10

// ErrSignInRequired is the error for a write without signing in, on a site that
// wants it.
func ErrSignInRequired() error {
	return &Error{Code: SignInRequired, Msg: "Please sign in first.", Hint: "Sign in with your e-mail address."}
}

// ErrBlocked is the error for a write of somebody the team has blocked.
func ErrBlocked() error {
	return &Error{Code: Forbidden, Msg: "You cannot write here.", Details: map[string]any{"reason": "blocked"}}
}

// CheckEmail adds to p what is wrong with an e-mail address.
func CheckEmail(p *Problems, path, s string) { checkEmail(p, path, s) }

// NormalEmail is the form in which addresses are compared and kept.
func NormalEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
