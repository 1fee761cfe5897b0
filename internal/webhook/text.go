package webhook

import (
	"strings"
	"unicode/utf8"
)

// cleanText turns bytes from outside into text that every database stores and
// every JSON encoder writes: valid UTF-8 without NUL. What cannot be kept
// becomes U+FFFD, and because that may be longer than what it replaces, the
// result is held to limit; cut tells whether that cost anything.
func cleanText(b []byte, limit int) (text string, cut bool) {
	if len(b) == limit {
		b = trimPartialRune(b)
	}
	text = strings.ToValidUTF8(string(b), "\uFFFD")
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	if len(text) <= limit {
		return text, false
	}
	end := limit
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], true
}

// trimPartialRune drops the beginning of a character that the limit cut in
// two, so that a well-formed text does not end in a replacement mark.
func trimPartialRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}
