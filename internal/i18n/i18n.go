// Package i18n speaks the languages of the pages and mails. A [Catalog] is read
// from message files, one for each language; a [Locale] is one language of a
// catalog together with its plurals, dates and numbers. The package knows no
// page and no noun: whoever has texts brings files, and every language must
// have every key, which [Catalog.Problems] checks for tests.
//
// A message file is one JSON object of keys and texts. A text may hold
// placeholders in braces; a plural is an object of the forms the language has:
//
//	{
//	  "post.by":   "by {name}",
//	  "post.votes": {"one": "{n} vote", "other": "{n} votes"}
//	}
package i18n

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"
)

// Languages are the languages a catalog must have, the fallback first.
func Languages() []string { return []string{"en", "de", "ar"} }

//go:embed locales
var localeFiles embed.FS

// Catalog holds the texts of every language. It does not change once loaded.
type Catalog struct {
	locales []*Locale
	matcher language.Matcher
}

// Locale is one language: its texts and how it writes dates and numbers.
type Locale struct {
	Tag  string // BCP 47
	Dir  string // ltr or rtl
	Name string // what the language calls itself

	texts   map[string]message
	plural  func(int) string
	formats formats
}

// message is a text, or its plural forms.
type message struct {
	text  string
	forms map[string]string
}

func (m *message) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		return json.Unmarshal(b, &m.forms)
	}
	return json.Unmarshal(b, &m.text)
}

// Load reads the files en.json, de.json and ar.json of each folder into one
// catalog. A key that two folders share is an error: one of them would be lost.
func Load(folders ...fs.FS) (*Catalog, error) {
	c := &Catalog{}
	var tags []language.Tag
	for _, lang := range Languages() {
		l, err := newLocale(lang)
		if err != nil {
			return nil, err
		}
		for _, folder := range folders {
			if err := l.read(folder, lang+".json"); err != nil {
				return nil, err
			}
		}
		c.locales = append(c.locales, l)
		tags = append(tags, language.MustParse(lang))
	}
	c.matcher = language.NewMatcher(tags)
	return c, nil
}

// MustLoad is Load for files that are part of the program.
func MustLoad(folders ...fs.FS) *Catalog {
	c, err := Load(folders...)
	if err != nil {
		panic(err)
	}
	return c
}

func newLocale(lang string) (*Locale, error) {
	l := &Locale{Tag: lang, texts: map[string]message{}, plural: plurals[lang]}
	b, err := localeFiles.ReadFile(path.Join("locales", lang+".json"))
	if err != nil {
		return nil, fmt.Errorf("language %s: %w", lang, err)
	}
	if err := strict(b, &l.formats); err != nil {
		return nil, fmt.Errorf("language %s: %w", lang, err)
	}
	l.Dir, l.Name = l.formats.Dir, l.formats.Name
	return l, nil
}

func (l *Locale) read(folder fs.FS, name string) error {
	b, err := fs.ReadFile(folder, name)
	if err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	var texts map[string]message
	if err := strict(b, &texts); err != nil {
		return fmt.Errorf("messages %s: %w", name, err)
	}
	for key, m := range texts {
		if _, taken := l.texts[key]; taken {
			return fmt.Errorf("messages %s: the key %q is in two files", name, key)
		}
		l.texts[key] = m
	}
	return nil
}

func strict(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Locale returns the language with the tag, or nil.
func (c *Catalog) Locale(tag string) *Locale {
	for _, l := range c.locales {
		if l.Tag == tag {
			return l
		}
	}
	return nil
}

// Match returns the language that suits a reader best: what an Accept-Language
// header asks for, else the one with the tag fallback, else English.
func (c *Catalog) Match(acceptLanguage, fallback string) *Locale {
	if wanted, _, err := language.ParseAcceptLanguage(acceptLanguage); err == nil && len(wanted) > 0 {
		if _, i, confidence := c.matcher.Match(wanted...); confidence > language.No {
			return c.locales[i]
		}
	}
	return cmp.Or(c.Locale(fallback), c.locales[0])
}

// Locales lists the languages, the fallback first.
func (c *Catalog) Locales() []*Locale { return slices.Clone(c.locales) }

// T returns the text of a key. args are names and values of placeholders, as in
// T("post.by", "name", "Ada"). A key that is not there is returned itself: a
// reader sees that something is missing, and a test has seen it before.
func (l *Locale) T(key string, args ...any) string {
	m, ok := l.texts[key]
	if !ok || m.forms != nil {
		return key
	}
	return l.fill(m.text, args)
}

// N returns the text of a key in the plural form for n, with {n} in place.
func (l *Locale) N(key string, n int, args ...any) string {
	m, ok := l.texts[key]
	if !ok || m.forms == nil {
		return key
	}
	form, ok := m.forms[l.plural(n)]
	if !ok {
		form = m.forms["other"]
	}
	return l.fill(form, append([]any{"n", l.Number(n)}, args...))
}

// Has reports whether there is a text for key.
func (l *Locale) Has(key string) bool { _, ok := l.texts[key]; return ok }

// fill puts values in the place of their names. What a value contains is not
// looked at again.
func (l *Locale) fill(text string, args []any) string {
	if len(args) == 0 || !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString("{" + rest)
			return b.String()
		}
		b.WriteString(l.isolate(value(name, args)))
		text = after
	}
}

func value(name string, args []any) string {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == name {
			return fmt.Sprint(args[i+1])
		}
	}
	return "{" + name + "}"
}

// isolate keeps a value of the other direction together: without that, the marks
// around it are taken for part of it and stand on its wrong side.
func (l *Locale) isolate(s string) string {
	for _, r := range s {
		if unicode.IsLetter(r) && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko) != (l.Dir == "rtl") {
			return "\u2068" + s + "\u2069"
		}
	}
	return s
}

// Problems lists where the languages of the catalog disagree: a key that one
// lacks, a plural without a form its language has, a placeholder that is not in
// the English text. An empty list means complete.
func (c *Catalog) Problems() []string {
	var wrong []string
	base := c.locales[0]
	all := map[string]bool{}
	for _, l := range c.locales {
		for key := range l.texts {
			all[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		for _, l := range c.locales {
			m, ok := l.texts[key]
			switch {
			case !ok:
				wrong = append(wrong, l.Tag+": no text for "+key)
			case (m.forms == nil) != (base.texts[key].forms == nil):
				wrong = append(wrong, l.Tag+": "+key+" is a plural in one language and not in another")
			default:
				wrong = append(wrong, l.check(key, m, base.texts[key])...)
			}
		}
	}
	return wrong
}

func (l *Locale) check(key string, m, base message) []string {
	var wrong []string
	for _, form := range pluralForms[l.Tag] {
		if m.forms != nil && m.forms[form] == "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s has no form %q", l.Tag, key, form))
		}
	}
	if m.forms == nil && strings.TrimSpace(m.text) == "" {
		wrong = append(wrong, l.Tag+": the text of "+key+" is empty")
	}
	allowed := placeholders(base)
	for name := range placeholders(m) {
		if !allowed[name] {
			wrong = append(wrong, fmt.Sprintf("%s: %s has the placeholder {%s}, which English has not", l.Tag, key, name))
		}
	}
	if m.forms == nil {
		for name := range allowed {
			if !placeholders(m)[name] {
				wrong = append(wrong, fmt.Sprintf("%s: %s lacks the placeholder {%s}", l.Tag, key, name))
			}
		}
	}
	return wrong
}

func placeholders(m message) map[string]bool {
	found := map[string]bool{}
	for _, text := range append(slices.Collect(maps.Values(m.forms)), m.text) {
		for {
			_, rest, ok := strings.Cut(text, "{")
			if !ok {
				break
			}
			name, after, _ := strings.Cut(rest, "}")
			found[name] = true
			text = after
		}
	}
	if m.forms != nil {
		found["n"] = true // every plural may use its number, and need not
	}
	return found
}
