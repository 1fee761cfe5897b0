package insights

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPhrase = 3 // content words in a label
	maxSpan   = 7 // words of a text that a phrase may reach over
	maxGlyphs = 8 // characters in a label of a script without spaces
)

// A phrase is a run of words as a candidate for a label. Phrases that differ
// only in endings and case have the same key.
type phrase struct {
	key     string
	surface string
	words   int  // that mean something
	glyphs  bool // of a script without spaces
}

// token is a word of a text and where it stands.
type token struct {
	start, end int
	stem       string
	stop       bool
	vague      bool
	inner      bool
	negates    bool
	glyph      bool // a character of a script without spaces
	joined     bool // nothing but a space or hyphen since the token before
}

func tokenize(text string, stop map[string]bool) []token {
	text = clip(text)
	var out []token
	start, last := -1, 0
	add := func(from, to int, glyph bool) {
		w := strings.ToLower(text[from:to])
		gap := text[last:from]
		if len(out) > 0 && (gap == " " || gap == "-") {
			prev := &out[len(out)-1]
			if !prev.stop && (particles[w] || (w == "in" || w == "on") && verbs[strings.ToLower(text[prev.start:prev.end])]) {
				prev.stem, prev.end, prev.vague, last = prev.stem+"-"+w, to, false, to
				return
			}
		}
		t := token{start: from, end: to, stem: stem(w), stop: stop[w], vague: vague[w], inner: inner[w], glyph: glyph}
		t.negates = t.stop && (w == "not" || w == "no" || w == "cannot" || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t"))
		t.joined = len(out) > 0 && (gap == " " || gap == "-" || gap == "" && glyph)
		out, last = append(out, t), to
	}
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
		switch {
		case unspaced(r):
			if start >= 0 {
				add(start, i, false)
				start = -1
			}
			add(i, i+utf8.RuneLen(r), true)
		case inside:
			if start < 0 {
				start = i
			}
		case start >= 0 && (r == '+' || r == '#' || (r == '\'' || r == '’') && letterAt(text, i+utf8.RuneLen(r))):
		case start >= 0:
			add(start, i, false)
			start = -1
		}
	}
	if start >= 0 {
		add(start, len(text), false)
	}
	return out
}

func letterAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r)
}

// particles make one word with the one before: "top up", "sign-out". In and
// on do so only after a few verbs.
var (
	particles = set(`up out off down`)
	verbs     = set(`log logs logged logging sign signs signed signing opt check checked checking`)
)

// inner words are kept where they stand inside a phrase; others are left out.
var inner = set(`a an and at by for from in my of off on or our out the this to up with your
	de del der des die das den dem du la le les en et y e da do di il van het und mit für von zum zur l d`)

// vague words are content, but alone they name nothing: they neither begin a
// label nor make one.
var vague = set(`able add allow also app asap available back bad best better big call check come current day days different easily easy etc ever feature find fine fix
	get gets getting give given go goes going good got great happen happened happening help hope idea instead issue issues keep know
	let long look looking made make makes making many mean nice need needed needs never new old option people possible problem problems put
	question reason right said say says see seem seems set show small start started stop take taken takes taking tell thing think time times today
	told tried try trying use used useful user users using want wanted wants way week weeks well went work working works wish wondering year years`)

// phrases calls yield for each phrase of a text: up to maxPhrase content words
// in a row. Small words between them do not count, so that "transfer is
// pending" and "pending transfers" are close to "transfer pending", but a
// negation does.
func phrases(text string, stop map[string]bool, yield func(phrase)) {
	text = clip(text)
	tokens := tokenize(text, stop)
	for i, first := range tokens {
		switch {
		case first.glyph:
			glyphs(text, tokens, i, yield)
		case !first.stop:
			wordPhrases(text, tokens[i:], yield)
		}
	}
}

// wordPhrases yields the phrases that begin with the first token.
func wordPhrases(text string, tokens []token, yield func(phrase)) {
	first := tokens[0]
	var key, short strings.Builder
	content, meaning := 0, 0
	natural := true // reads well with the words in between
	for k, t := range tokens {
		if k > 0 && (!t.joined || t.glyph) || k == maxSpan {
			return
		}
		word := text[t.start:t.end]
		if t.stop && !t.negates {
			natural = natural && t.inner
			continue
		}
		if t.negates {
			t.stem, word, natural = "not", "not", false
		}
		if k > 0 {
			key.WriteByte(' ')
			short.WriteByte(' ')
		}
		key.WriteString(t.stem)
		short.WriteString(word)
		if t.negates {
			continue
		}
		if content++; content > maxPhrase {
			return
		}
		if !t.vague {
			meaning++
		}
		if !wordLike(short.String()) {
			continue
		}
		surface := text[first.start:t.end]
		if !natural {
			surface = short.String()
		}
		yield(phrase{key.String(), surface, meaning, false})
	}
}

// glyphs yields the runs of characters that begin with token i. One character
// alone is too little, and a run neither begins nor ends inside a word as far
// as the script shows its borders: hiragana is mostly grammar, and katakana
// next to katakana is one word.
func glyphs(text string, tokens []token, i int, yield func(phrase)) {
	first := tokens[i]
	if i > 0 && first.joined && oneWord(text, tokens[i-1], first) || isKana(text, first, unicode.Hiragana) {
		return
	}
	for k := i; k < min(i+maxGlyphs, len(tokens)); k++ {
		t := tokens[k]
		if k > i && (!t.joined || !t.glyph) {
			return
		}
		cut := k+1 < len(tokens) && tokens[k+1].joined && oneWord(text, t, tokens[k+1])
		if k == i || cut || isKana(text, t, unicode.Hiragana) {
			continue
		}
		s := text[first.start:t.end]
		yield(phrase{s, s, k + 1 - i, true})
	}
}

func oneWord(text string, a, b token) bool {
	return isKana(text, a, unicode.Katakana) && isKana(text, b, unicode.Katakana)
}

func isKana(text string, t token, script *unicode.RangeTable) bool {
	r, _ := utf8.DecodeRuneInString(text[t.start:])
	return unicode.Is(script, r) || r == prolonged && script == unicode.Katakana
}

// wordLike refuses numbers and single letters as labels.
func wordLike(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 2
}
