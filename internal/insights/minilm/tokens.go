package minilm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	unknown = 100 // [UNK]
	begin   = 101 // [CLS]
	end     = 102 // [SEP]

	// A longer run of letters is not a word; the vocabulary's makers drew the
	// line here and the model has never seen what lies beyond.
	maxWordRunes = 100

	// No text of 128 tokens needs more than this, and normalising a megabyte
	// to throw it away would be a way to keep the service busy.
	maxTextBytes = 16 << 10
)

// tokens splits a text the way the model was taught to: lower case, accents
// off, words and single punctuation marks, each word cut greedily into the
// longest pieces the vocabulary has. The result is framed by [CLS] and [SEP].
func (m *model) tokens(text string) []int32 {
	ids := make([]int32, 1, 32)
	ids[0] = begin
	for _, word := range split(clip(text)) {
		ids = m.pieces(ids, word)
		if len(ids) >= maxTokens-1 {
			ids = ids[:maxTokens-1]
			break
		}
	}
	return append(ids, end)
}

// clip cuts a text at a rune boundary near maxTextBytes.
func clip(s string) string {
	if len(s) <= maxTextBytes {
		return s
	}
	n := maxTextBytes
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// split returns the words and punctuation marks of a text.
func split(text string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case r == 0, r == utf8.RuneError, unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			flush()
		case unicode.Is(unicode.C, r):
		case isPunct(r), isIdeograph(r):
			flush()
			words = append(words, string(r))
		default:
			word.WriteRune(r)
		}
	}
	flush()
	return words
}

// isPunct counts every ASCII symbol as punctuation, as the model's tokeniser did.
func isPunct(r rune) bool {
	if r < 128 {
		return r > ' ' && r < 127 && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	return unicode.Is(unicode.P, r)
}

// isIdeograph reports whether r stands for a word by itself. Kana and Hangul
// are written as words and are not in it.
func isIdeograph(r rune) bool {
	return 0x4e00 <= r && r <= 0x9fff || 0x3400 <= r && r <= 0x4dbf ||
		0x20000 <= r && r <= 0x2ceaf || 0xf900 <= r && r <= 0xfaff || 0x2f800 <= r && r <= 0x2fa1f
}

// pieces appends the vocabulary entries that make up word, or [UNK].
func (m *model) pieces(ids []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > maxWordRunes {
		return append(ids, unknown)
	}
	mark := len(ids)
	for start := 0; start < len(word); {
		id, n := m.longest(word[start:], start > 0)
		if n == 0 {
			return append(ids[:mark], unknown)
		}
		ids = append(ids, id)
		start += n
	}
	return ids
}

// longest finds the longest entry that s begins with, and its length. Entries
// that continue a word are spelled with a leading "##".
func (m *model) longest(s string, inside bool) (id int32, n int) {
	buf := make([]byte, 0, 64)
	if inside {
		buf = append(buf, "##"...)
	}
	mark := len(buf)
	buf = append(buf, s...)
	for n := len(s); n > 0; n-- {
		if n < len(s) && !utf8.RuneStart(s[n]) {
			continue
		}
		if id, ok := m.vocab[string(buf[:mark+n])]; ok {
			return id, n
		}
	}
	return 0, 0
}
