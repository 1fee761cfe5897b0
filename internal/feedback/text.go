package feedback

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is the rule for a kind of text. Lengths are counted in Unicode code
// points. U+0000 is refused everywhere: PostgreSQL cannot store it.
type Text struct {
	Min, Max int            // Max 0: as long as a request may be
	Pattern  *regexp.Regexp // nil: any
	Form     string         // the pattern in words, for a message
	NotBlank bool           // white space alone is refused
}

// Ruled is a text that carries its own rule. Forms and the API document read
// limits from here, so that they are written once.
type Ruled interface {
	~string
	Rule() Text
}

// The kinds of text a person or a program can send.
type (
	AccountName      string
	SiteName         string
	MemberName       string
	KeyName          string
	BoardName        string
	BoardDescription string
	Slug             string
	Color            string
	PostTitle        string
	PostBody         string
	TagName          string
	CommentBody      string
	StatusName       string
	Note             string
	EntryTitle       string
	EntryBody        string
	EntryLabel       string
	ViewName         string
	RunTitle         string
	StepLabel        string
	Repo             string
	URI              string
	SearchQuery      string
	// EndpointURL is where webhooks are sent to. What it may name is for a
	// [URLCheck] to say.
	EndpointURL         string
	EndpointDescription string
	// VisitorRef is the caller's own id for a person.
	VisitorRef string
	// Ref is the spelling of an id that stands in a body.
	Ref string
	// FreeText has no rule but that of all texts.
	FreeText string
)

var (
	slugForm  = regexp.MustCompile(`^[a-z0-9-]+$`)
	colorForm = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	// A URI has a scheme and none of the characters RFC 3986 leaves out.
	uriForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:([!#$&-;=?-\[\]_a-z~]|%[0-9A-Fa-f]{2})+$`)
)

func (AccountName) Rule() Text      { return Text{Min: 1, Max: 80, NotBlank: true} }
func (SiteName) Rule() Text         { return Text{Min: 1, Max: 80, NotBlank: true} }
func (MemberName) Rule() Text       { return Text{Min: 1, Max: 80, NotBlank: true} }
func (KeyName) Rule() Text          { return Text{Min: 1, Max: 80, NotBlank: true} }
func (BoardName) Rule() Text        { return Text{Min: 1, Max: 80, NotBlank: true} }
func (BoardDescription) Rule() Text { return Text{Max: 2000} }
func (Slug) Rule() Text {
	return Text{Min: 1, Max: 60, Pattern: slugForm, Form: "lower-case letters, digits and hyphens"}
}
func (Color) Rule() Text {
	return Text{Pattern: colorForm, Form: "a colour such as #6b7280"}
}
func (PostTitle) Rule() Text   { return Text{Min: 1, Max: 200, NotBlank: true} }
func (PostBody) Rule() Text    { return Text{Max: 20000} }
func (TagName) Rule() Text     { return Text{Min: 1, Max: 40, NotBlank: true} }
func (CommentBody) Rule() Text { return Text{Min: 1, Max: 10000} }
func (StatusName) Rule() Text  { return Text{Min: 1, Max: 40, NotBlank: true} }
func (Note) Rule() Text        { return Text{Max: 2000} }
func (EntryTitle) Rule() Text  { return Text{Min: 1, Max: 200, NotBlank: true} }
func (EntryBody) Rule() Text   { return Text{Max: 50000} }
func (EntryLabel) Rule() Text  { return Text{Min: 1, Max: 40, NotBlank: true} }
func (ViewName) Rule() Text    { return Text{Min: 1, Max: 40, NotBlank: true} }
func (RunTitle) Rule() Text    { return Text{Min: 1, Max: 300, NotBlank: true} }
func (StepLabel) Rule() Text   { return Text{Min: 1, Max: 300, NotBlank: true} }
func (Repo) Rule() Text        { return Text{Min: 1} }
func (URI) Rule() Text {
	return Text{Pattern: uriForm, Form: "an absolute URI such as https://example.com/pull/1"}
}
func (SearchQuery) Rule() Text         { return Text{Min: 1} }
func (EndpointURL) Rule() Text         { return Text{Min: 1, Max: 2048} }
func (EndpointDescription) Rule() Text { return Text{Max: 500} }
func (VisitorRef) Rule() Text          { return Text{Min: 1, Max: 200} }
func (Ref) Rule() Text                 { return Text{Min: 1} }
func (FreeText) Rule() Text            { return Text{} }

// PlainLetters spells the lower-case letters that Unicode does not take apart as
// people type them plain.
var PlainLetters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ħ", "h", "ı", "i", "ŋ", "n")

// Broken returns the rule that s breaks and the rule in words, or two empty
// strings.
func (t Text) Broken(s string) (rule, message string) {
	n := utf8.RuneCountInString(s)
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return RuleNUL, "must not contain the character U+0000"
	case n < t.Min && n == 0:
		return RuleMinLength, "must not be empty"
	case n < t.Min:
		return RuleMinLength, fmt.Sprintf("must have at least %d characters", t.Min)
	case t.Max > 0 && n > t.Max:
		return RuleMaxLength, fmt.Sprintf("must have at most %d characters, and has %d", t.Max, n)
	case t.NotBlank && Blank(s):
		return RuleBlank, "must not be only white space"
	case t.Pattern != nil && !t.Pattern.MatchString(s):
		return RulePattern, "must be " + t.Form
	}
	return "", ""
}

// Blank reports whether s is empty or holds nothing a person can see.
func Blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r)
	}) < 0
}

// checkText adds to p what is wrong with s.
func checkText[T Ruled](p *Problems, path string, s T) {
	if rule, message := s.Rule().Broken(string(s)); rule != "" {
		p.Add(path, rule, message)
	}
}

// checkOptional is checkText for a text that may be absent.
func checkOptional[T Ruled](p *Problems, path string, s *T) {
	if s != nil {
		checkText(p, path, *s)
	}
}

// Enum is a text of a closed set.
type Enum interface {
	~string
	// Values lists the set in its documented order, whatever the receiver.
	Values() []string
}

func checkEnum[T Enum](p *Problems, path string, v T) {
	for _, ok := range v.Values() {
		if string(v) == ok {
			return
		}
	}
	p.Add(path, RuleEnum, "must be one of "+strings.Join(v.Values(), ", "))
}

func checkOptionalEnum[T Enum](p *Problems, path string, v *T) {
	if v != nil {
		checkEnum(p, path, *v)
	}
}
