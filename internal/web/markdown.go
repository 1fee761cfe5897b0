package web

import (
	"bytes"
	"context"
	"html"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// Markdown shows what a person wrote. The text becomes HTML by goldmark, which
// passes no HTML through, and then only what the policy names is kept: so
// neither a mistake in the one nor in the other is enough to run a script.
// Pictures are left out: one of another host would tell it who reads the page,
// and the policy of the page forbids it anyway.
func Markdown(text string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return templ.Raw(sanitized(text)).Render(ctx, w)
	})
}

// MarkdownHTML is Markdown as a string, for mail and feeds.
func MarkdownHTML(text string) string { return sanitized(text) }

func sanitized(text string) string {
	var b bytes.Buffer
	if err := markdown().Convert([]byte(text), &b); err != nil {
		return "<p>" + html.EscapeString(text) + "</p>"
	}
	// A box that scrolls must be reachable with the keyboard.
	return strings.ReplaceAll(policy().SanitizeReader(&b).String(), "<pre>", `<pre tabindex="0">`)
}

var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Table, extension.Linkify, extension.TaskList))
})

var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("https", "http", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(false)
	return p
})

var (
	linkText  = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`)
	lineStart = regexp.MustCompile(`(?m)^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+|` + "```.*|~~~.*|(?:[-*_]\\s*){3,}$)")
	marks     = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "")
)

// Excerpt is the beginning of a text in plain words, at most n characters, for
// lists, feeds and descriptions. It does not parse: a list of fifty would.
func Excerpt(text string, n int) string {
	if i := 4 * n; len(text) > i {
		for !utf8.RuneStart(text[i]) {
			i--
		}
		text = text[:i]
	}
	if strings.ContainsAny(text, "\n#>*+-~`_[") || text != "" && text[0] <= '9' {
		text = lineStart.ReplaceAllString(text, "")
		text = linkText.ReplaceAllString(text, "$1")
	}
	text = strings.Join(strings.Fields(marks.Replace(text)), " ")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	r := []rune(text)[:n]
	cut := string(r)
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.;:–-") + "…"
}
