package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"heed/internal/feedback"
)

// Text is folded into words in Go, not by the databases, so that a search finds
// the same on both: lower case, without accents, apostrophes dropped, scripts
// without spaces cut into overlapping pairs.

// maxWord bounds a word: nobody searches for more, and PostgreSQL refuses
// lexemes above 2 KB.
const maxWord = 64

// fold maps a text to the form in which words are compared.
func fold(s string) string {
	if plain, ok := foldASCII(s); ok {
		return plain
	}
	s = feedback.PlainLetters.Replace(norm.NFKD.String(strings.ToLower(s)))
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r) && !indic(r), unicode.Is(unicode.Cf, r):
			return -1
		case r == '\'' || r == '’' || r == 'ʼ':
			return -1
		}
		return r
	}, s)
}

// foldASCII is fold for the texts that most are, several times as fast: a search
// folds hundreds of titles to rank them.
func foldASCII(s string) (string, bool) {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return "", false
		case c == '\'':
		case 'A' <= c && c <= 'Z':
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return string(b), true
}

// indic reports whether a mark is a vowel sign, not an accent: in the scripts
// of India and South-East Asia, which NFKD leaves composed of base and mark.
func indic(r rune) bool { return r >= 0x0900 && r <= 0x1CFF }

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r)
}

// unspaced reports whether r belongs to a script that is written without spaces
// between words, so that a search must find it by any part.
func unspaced(r rune) bool {
	// The mark of a long vowel belongs to no script, but stands in Katakana only.
	return r == 'ー' || r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// run is a stretch of word characters, all of unspaced scripts or none.
type run struct {
	text     string
	unspaced bool
}

// runs cuts a folded text at everything that is not a word character and where
// a script without spaces begins or ends.
func runs(folded string) []run {
	var out []run
	start, in := -1, false
	flush := func(end int) {
		if start >= 0 {
			out = append(out, run{folded[start:end], in})
			start = -1
		}
	}
	for i, r := range folded {
		if !wordRune(r) {
			flush(i)
			continue
		}
		// Marks belong to what they follow.
		if u := unspaced(r); start < 0 || u != in && !unicode.Is(unicode.M, r) {
			flush(i)
			start, in = i, u
		}
	}
	flush(len(folded))
	return out
}

// pairs cuts a run into overlapping pairs of characters. A final single one
// lets a search for one character find the last, as the beginning of a word.
func pairs(s string, final bool) []string {
	rs := []rune(s)
	var out []string
	for i := 0; i+1 < len(rs); i++ {
		out = append(out, string(rs[i:i+2]))
	}
	if final || len(rs) == 1 {
		out = append(out, string(rs[len(rs)-1:]))
	}
	return out
}

func clip(w string) string {
	if len(w) <= maxWord {
		return w
	}
	n := maxWord
	for !utf8.RuneStart(w[n]) {
		n--
	}
	return w[:n]
}

// wordsOf returns the words of a text in order, as they are indexed. Words that
// hyphens join stand there apart and also as one: e-mail is e, mail and email.
func wordsOf(text string) []string {
	if plain, ok := foldASCII(text); ok {
		return asciiWords(plain)
	}
	return foldedWords(fold(text))
}

// asciiWords is foldedWords for the texts that most are.
func asciiWords(folded string) []string {
	out := make([]string, 0, len(folded)/5+1)
	for i := 0; i < len(folded); i++ {
		if !wordRune(rune(folded[i])) {
			continue
		}
		// A word, and those that hyphens join to it.
		part, first := i, len(out)
		for i < len(folded) && (wordRune(rune(folded[i])) || folded[i] == '-') {
			start := i
			for i < len(folded) && wordRune(rune(folded[i])) {
				i++
			}
			if i > start {
				out = append(out, clip(folded[start:i]))
			}
			for i < len(folded) && folded[i] == '-' {
				i++
			}
		}
		if len(out) > first+1 {
			out = append(out, clip(strings.ReplaceAll(folded[part:i], "-", "")))
		}
	}
	return out
}

func foldedWords(folded string) []string {
	var out []string
	for chunk := range strings.FieldsSeq(folded) {
		for part := range strings.FieldsFuncSeq(chunk, func(r rune) bool { return !wordRune(r) && !hyphen(r) }) {
			rs := runs(part)
			for _, r := range rs {
				if r.unspaced {
					out = append(out, pairs(r.text, true)...)
				} else {
					out = append(out, clip(r.text))
				}
			}
			if j := joined(rs); j != "" {
				out = append(out, j)
			}
		}
	}
	return out
}

func hyphen(r rune) bool { return r == '-' || r >= 0x2010 && r <= 0x2015 }

// joined returns the runs as one word, or "" where that is no other word.
func joined(rs []run) string {
	if len(rs) < 2 {
		return ""
	}
	var b strings.Builder
	for _, r := range rs {
		if r.unspaced {
			return ""
		}
		b.WriteString(r.text)
	}
	return clip(b.String())
}

// searchQuery is what a person typed: terms that must all be found.
type searchQuery []searchTerm

// searchTerm is one word of a query, or several that must stand side by side.
type searchTerm struct {
	words  []string
	joined string // the same without hyphens, "" for none
	prefix bool   // the last word may go on
	single bool   // one character of a script without spaces, which always may
}

// whole is the query without the licence that the last word may go on.
func (q searchQuery) whole() searchQuery {
	w := slices.Clone(q)
	for i := range w {
		w[i].prefix = w[i].single
	}
	return w
}

// maxTerms and maxPhrase bound the cost of a query. Of a longer phrase its
// beginning is looked for: PostgreSQL runs out of stack on some thousand words.
const (
	maxTerms  = 16
	maxPhrase = 64
)

// parseQuery reads what a person typed. Nothing in it is an operator. It is
// empty if there is no word in it.
func parseQuery(text string) searchQuery {
	var q searchQuery
	for chunk := range strings.FieldsSeq(fold(text)) {
		for part := range strings.FieldsFuncSeq(chunk, func(r rune) bool { return !wordRune(r) && !hyphen(r) }) {
			rs := runs(part)
			if len(rs) == 0 {
				continue
			}
			t := searchTerm{joined: joined(rs)}
			for i, r := range rs {
				if !r.unspaced {
					t.words = append(t.words, clip(r.text))
					continue
				}
				// At the end, the final single character is not wanted: it
				// would ask for the run to end here. Before another run it
				// does, and the character stands between the two.
				last := i == len(rs)-1
				t.words = append(t.words, pairs(r.text, !last)...)
				if utf8.RuneCountInString(r.text) == 1 && last {
					t.prefix, t.single = true, true
				}
			}
			t.words = t.words[:min(len(t.words), maxPhrase)]
			if q = append(q, t); len(q) == maxTerms {
				break
			}
		}
	}
	if len(q) > maxTerms {
		q = q[:maxTerms]
	}
	if len(q) > 0 {
		q[len(q)-1].prefix = true
	}
	return q
}

// relevance says how well a title answers a query, from the two alone: a
// measure that looked at other posts or at votes would reorder the list between
// two of its pages.
func relevance(q searchQuery, title string) int64 {
	ws := wordsOf(title)
	var score int64
	all := true
	for _, t := range q {
		n := t.in(ws)
		score += n
		all = all && n > 0
	}
	if all {
		score += 2
	}
	// Among equals, the title that says little else is the closer one.
	return score*32 - int64(min(len(ws), 31))
}

// in returns 4 if the words hold the term, 3 if they hold it as a beginning, and
// else 0.
func (t searchTerm) in(ws []string) int64 {
	best := int64(0)
	for i := range ws {
		if t.joined != "" && ws[i] == t.joined {
			return 4
		}
		if i+len(t.words) > len(ws) {
			continue
		}
		last := len(t.words) - 1
		same := true
		for k := range last {
			same = same && ws[i+k] == t.words[k]
		}
		switch {
		case !same:
		case ws[i+last] == t.words[last]:
			return 4
		case t.prefix && strings.HasPrefix(ws[i+last], t.words[last]):
			best = 3
		}
	}
	return best
}
