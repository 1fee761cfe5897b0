package insights

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPhrase = 4 // words in a label
	maxGlyphs = 8 // characters in a label of a script without spaces

	// A phrase must be in this share of a theme's posts to name it.
	minShare = 0.08

	// A label found in less than this share of the posts gets a second term.
	weakShare = 0.4
)

// A phrase is a run of words as a candidate for a label. Phrases that differ
// only in endings and case have the same key.
type phrase struct {
	key     string
	surface string
	words   int // that mean something
	glyphs  bool
}

// token is a word of a text and where it stands.
type token struct {
	start, end int
	stem       string
	stop       bool
	glyph      bool // a character of a script without spaces
	joined     bool // nothing but a space or hyphen since the token before
}

func tokenize(text string) []token {
	text = clip(text)
	var out []token
	start, last := -1, 0
	add := func(from, to int, glyph bool) {
		w := strings.ToLower(text[from:to])
		gap := text[last:from]
		t := token{start: from, end: to, stem: stem(w), stop: stop[w], glyph: glyph}
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

// phrases calls yield for each phrase of a text that does not begin or end on
// a stop word.
func phrases(text string, yield func(phrase)) {
	text = clip(text)
	tokens := tokenize(text)
	var key strings.Builder
	for i, first := range tokens {
		if first.stop {
			continue
		}
		key.Reset()
		meaning, limit := 0, maxPhrase
		if first.glyph {
			limit = maxGlyphs
		}
		for k := i; k < len(tokens) && k < i+limit; k++ {
			t := tokens[k]
			if k > i && (!t.joined || t.glyph != first.glyph) {
				break
			}
			if k > i && !t.glyph {
				key.WriteByte(' ')
			}
			key.WriteString(t.stem)
			if !t.stop {
				meaning++
			}
			if t.stop || first.glyph && k == i || !wordLike(text[first.start:t.end]) {
				continue
			}
			yield(phrase{key: key.String(), surface: text[first.start:t.end], words: meaning, glyphs: first.glyph})
		}
	}
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

// stats counts in how many posts of a theme a phrase is found.
type stats struct {
	posts    int
	words    int
	glyphs   bool
	surfaces map[string]int
}

// label names each theme by the phrases that set its posts apart from all
// others.
func label(texts []string, weight, part []int, themes int) []string {
	everywhere := make(map[string]int)
	total := 0
	for i, t := range texts {
		total += weight[i]
		seen := make(map[string]bool)
		phrases(t, func(p phrase) {
			if !seen[p.key] {
				seen[p.key] = true
				everywhere[p.key] += weight[i]
			}
		})
	}
	members := make([][]int, themes)
	for i, p := range part {
		if p != outside {
			members[p] = append(members[p], i)
		}
	}
	out := make([]string, themes)
	for p, list := range members {
		out[p] = name(texts, weight, list, everywhere, total)
	}
	return out
}

// name labels one theme.
func name(texts []string, weight, members []int, everywhere map[string]int, total int) string {
	found := make(map[string]*stats)
	size := 0
	for _, i := range members {
		size += weight[i]
		seen := make(map[string]bool)
		phrases(texts[i], func(p phrase) {
			s := found[p.key]
			if s == nil {
				s = &stats{words: p.words, glyphs: p.glyphs, surfaces: make(map[string]int)}
				found[p.key] = s
			}
			s.surfaces[p.surface] += weight[i]
			if !seen[p.key] {
				seen[p.key] = true
				s.posts += weight[i]
			}
		})
	}
	terms := rank(found, everywhere, size, total)
	if len(terms) == 0 {
		return sentence(excerpt(texts[members[0]], 60))
	}
	best := terms[0]
	text := surface(found[best.key])
	if best.share < weakShare && found[best.key].words == 1 {
		for _, t := range terms[1:] {
			if !related(best.key, t.key) && t.score > 0.5*best.score {
				return sentence(text) + ", " + surface(found[t.key])
			}
		}
	}
	return sentence(text)
}

// term is a phrase and how well it names a theme.
type term struct {
	key          string
	share, score float64
}

// rank orders the phrases of a theme of size posts by how common they are in
// it and how rare elsewhere, with a bonus for each further word: people name
// things by phrases.
func rank(found map[string]*stats, everywhere map[string]int, size, total int) []term {
	var out []term
	for key, s := range found {
		in := float64(s.posts) / float64(size)
		if in < minShare || s.posts < min(2, size) {
			continue
		}
		elsewhere := (float64(everywhere[key]-s.posts) + 0.5) / float64(total-size+1)
		bonus := 1 + 0.4*float64(s.words-1)
		if s.glyphs {
			bonus = 1 + 0.1*float64(s.words-2)
		}
		out = append(out, term{key, in, in * log(1+in/elsewhere) * bonus})
	}
	slices.SortFunc(out, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key))
	})
	return out
}

// related reports whether two phrases share a word.
func related(a, b string) bool {
	for _, x := range strings.Fields(a) {
		for _, y := range strings.Fields(b) {
			if x == y || strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
				return true
			}
		}
	}
	return false
}

// surface is the most common way a phrase is written.
func surface(s *stats) string {
	best := ""
	for text, n := range s.surfaces {
		if best == "" || n > s.surfaces[best] || n == s.surfaces[best] && text > best {
			best = text
		}
	}
	return best
}

// sentence begins a label with a capital, unless its first word has capitals
// of its own ("iPhone").
func sentence(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if first != strings.ToLower(first) {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
