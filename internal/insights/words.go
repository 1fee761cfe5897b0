package insights

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRead is how much of a text the word features and labels read. Feedback
// says what it is about early; what follows is quotes, logs and signatures.
const maxRead = 2000

// words returns the words of a text in lower case. Scripts written without
// spaces give pairs of neighbouring characters instead, which serve search
// engines well enough as words. A mark inside a word ("don't", "c++", "c#")
// stays; one around it goes.
func words(text string) []string {
	text = strings.ToLower(clip(text))
	var out []string
	start := -1
	var prev rune // the unspaced character before, if it touches this one
	flush := func(end int) {
		if start >= 0 {
			if w := strings.TrimRight(text[start:end], "'’"); w != "" {
				out = append(out, w)
			}
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unspaced(r):
			flush(i)
			if prev != 0 {
				out = append(out, string([]rune{prev, r}))
			}
			prev = r
			continue
		case isEmoji(r):
			flush(i)
			out = append(out, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r) && start >= 0:
			if start < 0 {
				start = i
			}
		case start >= 0 && (r == '\'' || r == '’' || r == '+' || r == '#'):
		default:
			flush(i)
		}
		prev = 0
	}
	flush(len(text))
	return out
}

// prolonged lengthens a vowel in either kana, and so belongs to no script.
const prolonged = 'ー'

// unspaced reports whether r belongs to a script that does not put spaces
// between words.
func unspaced(r rune) bool {
	return r == prolonged || r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isEmoji reports whether r is a picture. For some people that is all there is
// to say. The replacement character counts as a symbol too, but is none.
func isEmoji(r rune) bool {
	return r >= 0x2600 && r != utf8.RuneError && unicode.Is(unicode.So, r)
}

// clip cuts a text at a rune boundary near maxRead bytes.
func clip(s string) string {
	if len(s) <= maxRead {
		return s
	}
	n := maxRead
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// stem takes the commonest English endings off a word. It need not be right,
// only the same for words that belong together; the spelling block covers
// the languages it does not know.
func stem(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	for _, suffix := range []string{"ing", "ies", "ed", "es", "s"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok && len(rest) > 3 {
			return rest
		}
	}
	return w
}
