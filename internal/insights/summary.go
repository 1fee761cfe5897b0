package insights

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Two quotes that agree to this degree say the same twice.
	sameSimilarity = one * one * 85 / 100

	maxQuote = 160
)

// summary quotes the most typical post of a theme and one more that says it
// differently. members are by typicality; a quote is neither a word nor an
// essay if that can be helped.
func (r *run) summary(members []int) string {
	var quotes []string
	first := -1
	for _, i := range members {
		if n := utf8.RuneCountInString(r.titles[i]); n < 12 || n > 2*maxQuote {
			continue
		}
		if first >= 0 && dot(r.space.row(first), r.space.row(i)) >= sameSimilarity {
			continue
		}
		if first < 0 {
			first = i
		}
		if quotes = append(quotes, quote(r.titles[i])); len(quotes) == 2 {
			break
		}
	}
	if len(quotes) == 0 {
		quotes = []string{quote(r.titles[members[0]])}
	}
	return strings.Join(quotes, " ")
}

func quote(text string) string { return "“" + excerpt(text, maxQuote) + "”" }

// excerpt puts a text on one line, free of characters that steer the display
// or that a database refuses, and cuts it, at a word if there is one, to about
// limit characters.
func excerpt(text string, limit int) string {
	text = strings.Map(printable, strings.ToValidUTF8(clip(text), ""))
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut := 0
	for range limit - 1 {
		_, n := utf8.DecodeRuneInString(text[cut:])
		cut += n
	}
	if space := strings.LastIndexByte(text[:cut], ' '); space > cut/2 {
		cut = space
	}
	return strings.TrimRight(text[:cut], " .,;:-") + "…"
}

func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r):
		return -1
	}
	return r
}
