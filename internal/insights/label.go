package insights

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPhrase = 3 // content words in a label
	maxSpan   = 7 // words of a text that a phrase may reach over
	maxGlyphs = 8 // characters in a label of a script without spaces

	// A phrase must be in this share of a theme's posts to name it.
	minShare = 0.12

	// maxNamed is how many posts of a theme its name is looked for in.
	maxNamed = 1000
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
var vague = set(`able add allow also app asap available bad best better big call check come current day days different easily easy etc ever feature find fine fix
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
			glyphs(text, tokens[i:], yield)
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

// glyphs yields the runs of characters that begin with the first token. One
// character alone is too little.
func glyphs(text string, tokens []token, yield func(phrase)) {
	first := tokens[0]
	for k, t := range tokens {
		if k == maxGlyphs || k > 0 && (!t.joined || !t.glyph) {
			return
		}
		if s := text[first.start:t.end]; k > 0 {
			yield(phrase{s, s, k + 1, true})
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
	phrase
	posts    int
	place    int // sum of the positions where it is found
	surfaces map[string]int
}

// term is a phrase and how well it names a theme.
type term struct {
	*stats
	score float64
}

// label names each theme by the phrases that set its posts apart from all
// others. members are the texts of each theme; where two themes would have
// the same name the larger gets it.
func label(texts []string, weight []int, members [][]int) []string {
	stop := stopWordsOf(texts)
	found := make([]map[string]*stats, len(members))
	everywhere := make(map[string]int)
	for p, list := range members {
		found[p] = common(texts, weight, list, stop)
		for key := range found[p] {
			everywhere[key] = 0
		}
	}
	total := 0
	for i, t := range texts {
		total += weight[i]
		seen := make(map[string]bool)
		phrases(t, stop, func(p phrase) {
			if n, ok := everywhere[p.key]; ok && !seen[p.key] {
				seen[p.key] = true
				everywhere[p.key] = n + weight[i]
			}
		})
	}
	order := make([]int, len(members))
	size := make([]int, len(members))
	for p, list := range members {
		order[p] = p
		for _, i := range list {
			size[p] += weight[i]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	out := make([]string, len(members))
	used := make(map[string]bool)
	for _, p := range order {
		out[p] = name(rank(found[p], everywhere, size[p], total), used)
		if out[p] == "" {
			out[p] = sentence(excerpt(texts[members[p][0]], 60))
		}
		used[strings.ToLower(out[p])] = true
	}
	return out
}

// common returns the phrases that enough posts of a theme share.
func common(texts []string, weight, members []int, stop map[string]bool) map[string]*stats {
	found := make(map[string]*stats)
	size := 0
	for _, i := range members[:min(len(members), maxNamed)] {
		size += weight[i]
		seen := make(map[string]bool)
		place := 0
		phrases(texts[i], stop, func(p phrase) {
			place++
			s := found[p.key]
			if s == nil {
				s = &stats{phrase: p, surfaces: make(map[string]int)}
				found[p.key] = s
			}
			s.surfaces[p.surface] += weight[i]
			if !seen[p.key] {
				seen[p.key] = true
				s.posts += weight[i]
				s.place += weight[i] * place
			}
		})
	}
	for key, s := range found {
		if float64(s.posts) < minShare*float64(size) || s.posts < min(2, size) {
			delete(found, key)
		}
	}
	return found
}

// rank orders the phrases of a theme of size posts by how common they are in
// it and how rare elsewhere, with a bonus for each further word: people name
// things by phrases. A word that says little by itself counts a third.
func rank(found map[string]*stats, everywhere map[string]int, size, total int) []term {
	size = min(size, maxNamed)
	var out []term
	for key, s := range found {
		in := float64(s.posts) / float64(size)
		elsewhere := (float64(max(0, everywhere[key]-s.posts)) + 1) / float64(max(1, total-size)+1)
		bonus := 1 + float64(0.5*float64(min(s.words, 3)-1))
		if s.glyphs {
			bonus = 1 + float64(0.1*float64(s.words-2))
		}
		if s.words == 0 {
			bonus = 0.33
		}
		out = append(out, term{s, float64(coverage(in) * log(1+in/elsewhere) * bonus)})
	}
	slices.SortFunc(out, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key))
	})
	return out
}

// coverage is the share to the power of 3/4: a name need not be in every post.
func coverage(share float64) float64 {
	root := math.Sqrt(share)
	return root * math.Sqrt(root)
}

// name makes a label of the best terms that is not in use. A single word is
// only good enough if no phrase comes near it; two are put side by side.
func name(terms []term, used map[string]bool) string {
	if len(terms) == 0 {
		return ""
	}
	best := terms[0]
	spread := best.posts
	if i := slices.IndexFunc(terms, func(t term) bool { return t.words == 1 }); i >= 0 {
		spread = max(spread, terms[i].posts)
	}
	for _, t := range terms {
		if t.score < 0.6*best.score {
			break
		}
		// A phrase of a few posts is a detail, however telling.
		if text := sentence(surface(t.stats)); t.words > 1 && 3*t.posts >= spread && !used[strings.ToLower(text)] {
			return text
		}
	}
	if i := slices.IndexFunc(terms, func(t term) bool { return t.words == 1 || t.glyphs }); i >= 0 {
		best = terms[i]
	}
	text := sentence(surface(best.stats))
	if best.glyphs && !used[text] {
		return text
	}
	for _, t := range terms[1:] {
		if t.words == 0 || related(best.key, t.key) || t.score < 0.35*best.score {
			continue
		}
		first, second := best, t
		if second.place*first.posts < first.place*second.posts {
			first, second = second, first
		}
		if pair := sentence(surface(first.stats)) + ", " + surface(second.stats); !used[strings.ToLower(pair)] {
			return pair
		}
	}
	return text
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
