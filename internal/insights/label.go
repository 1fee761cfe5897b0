package insights

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// A phrase must be in this share of a theme's posts to name it.
	minShare = 0.12

	// maxNamed is how many posts of a theme its name is looked for in.
	maxNamed = 1000

	// minLift is how many times as common as elsewhere a word must be to name
	// a theme alone. On a bank's site "transfer" names nothing.
	minLift = 25

	// leastNear is how near the meaning of a phrase is taken to be at least.
	leastNear = 0.05

	// maxWeighed is how many phrases of a theme are weighed by their meaning.
	maxWeighed = 24

	// maxLabel is the length of a label in characters.
	maxLabel = 60
)

// stats counts in how many posts of a theme a phrase is found.
type stats struct {
	phrase
	posts    int
	titled   int // of these, where it is found in the title
	place    int // sum of the positions where it is found
	surfaces map[string]int
}

// term is a phrase and how well it names a theme.
type term struct {
	*stats
	score float64 // by where it is found
	fit   float64 // by what it means, too
	lift  float64 // how many times as common as elsewhere
}

// label names each theme by the phrases that set its posts apart from all
// others and mean what they mean. members are the texts of each theme; where two
// themes would have the same name the larger gets it. The only error is that of
// the context.
func label(ctx context.Context, texts, titles []string, weight []int, members [][]int, meaning []Vector) ([]string, error) {
	stop := stopWordsOf(texts)
	found := make([]lexicon, len(members))
	everywhere := make(map[string]int)
	for p, list := range members {
		found[p] = newLexicon(texts, titles, weight, list, stop)
		for key := range found[p].common {
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
	ranked := make([][]term, len(members))
	for p := range members {
		ranked[p] = found[p].rank(everywhere, total)
	}
	if err := byMeaning(ctx, ranked, meaning); err != nil {
		return nil, err
	}
	out := make([]string, len(members))
	used := make(map[string]bool)
	for _, p := range order {
		text := found[p].name(ranked[p], used)
		if text == "" {
			text = sentence(typical(titles, members[p]))
		}
		out[p] = excerpt(text, maxLabel)
		used[stems(out[p])] = true
	}
	return out, nil
}

// byMeaning orders the best phrases of each theme anew: of two that set its posts
// apart, that names it which means what they mean. Where the meaning of the posts
// is not known, or was told by another model, all phrases are as near as any.
func byMeaning(ctx context.Context, ranked [][]term, meaning []Vector) error {
	var surfaces []string
	at := make(map[string]int)
	for p := range ranked {
		ranked[p] = ranked[p][:min(len(ranked[p]), maxWeighed)]
		for _, t := range ranked[p] {
			text := surface(t.stats)
			if _, ok := at[text]; !ok {
				at[text] = len(surfaces)
				surfaces = append(surfaces, text)
			}
		}
	}
	vectors, err := Embed(ctx, surfaces)
	if err != nil {
		return err
	}
	for p, terms := range ranked {
		for i := range terms {
			near := max(vectors[at[surface(terms[i].stats)]].Cosine(meaning[p]), leastNear)
			cube := near * near * near
			terms[i].fit = terms[i].score * cube * cube
		}
		slices.SortFunc(terms, byScore)
	}
	return nil
}

func byScore(a, b term) int {
	return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key))
}

// typical returns the shortest of the most typical posts of a theme, as what
// is left when no phrase will do.
func typical(texts []string, members []int) string {
	best := texts[members[0]]
	for _, i := range members[:min(len(members), 10)] {
		if n := len(texts[i]); n < len(best) && strings.Contains(texts[i], " ") {
			best = texts[i]
		}
	}
	return strings.TrimRight(strings.TrimSpace(best), ".!?")
}

// stems is what a label is told apart from another by.
func stems(label string) string {
	list := words(label)
	for i, w := range list {
		list[i] = stem(w)
	}
	return strings.Join(list, " ")
}

// lexicon is the phrases of a theme.
type lexicon struct {
	size   int               // posts they were counted in
	common map[string]*stats // those that enough posts share
	pairs  map[string]*stats // of two words and more, in any number of posts
}

func newLexicon(texts, titles []string, weight, members []int, stop map[string]bool) lexicon {
	found := make(map[string]*stats)
	size := 0
	for _, i := range members[:min(len(members), maxNamed)] {
		size += weight[i]
		seen := make(map[string]bool)
		place := 0
		inTitle := make(map[string]bool)
		phrases(titles[i], stop, func(p phrase) { inTitle[p.key] = true })
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
				if inTitle[p.key] {
					s.titled += weight[i]
				}
				s.place += weight[i] * place
			}
		})
	}
	pairs := make(map[string]*stats)
	for key, s := range found {
		if s.words >= 2 {
			pairs[key] = s
		}
		if float64(s.posts) < minShare*float64(size) || s.posts < min(2, size) {
			delete(found, key)
		}
	}
	return lexicon{size: size, common: found, pairs: pairs}
}

// rank orders the phrases of a theme by how common they are in it and how rare
// elsewhere, with a bonus for each further word: people name things by
// phrases. A word that says little by itself counts a third, and one that stands
// in no title not much more: a title says what a post is about.
func (l lexicon) rank(everywhere map[string]int, total int) []term {
	var out []term
	for key, s := range l.common {
		in := float64(s.posts) / float64(l.size)
		elsewhere := float64(everywhere[key]-s.posts+1) / float64(total-l.size+1)
		bonus := 1 + float64(0.5*float64(min(s.words, 3)-1))
		if s.glyphs {
			bonus = 1 + float64(0.1*float64(s.words-2))
		}
		if s.words == 0 {
			bonus = 0.33
		}
		bonus *= 0.4 + float64(s.titled)/float64(s.posts)
		lift := in / elsewhere
		out = append(out, term{s, float64(coverage(in) * log(1+lift) * bonus), 0, lift})
	}
	slices.SortFunc(out, byScore)
	return out
}

// coverage is the share to the power of 3/4: a name need not be in every post.
func coverage(share float64) float64 {
	root := math.Sqrt(share)
	return root * math.Sqrt(root)
}

// name makes a label of the best terms that is not in use, or none. A single word is
// only good enough if no phrase comes near it; else it is joined by another,
// the way some post joins them if there is one.
func (l lexicon) name(terms []term, used map[string]bool) string {
	if len(terms) == 0 {
		return ""
	}
	best := terms[0]
	spread := best.posts
	if i := slices.IndexFunc(terms, func(t term) bool { return t.words == 1 }); i >= 0 {
		spread = max(spread, terms[i].posts)
	}
	for _, t := range terms {
		if t.fit < 0.6*best.fit {
			break
		}
		// A phrase of a few posts is a detail, however telling.
		if text := sentence(surface(t.stats)); t.words > 1 && 3*t.posts >= spread && !used[stems(text)] {
			return text
		}
	}
	if i := slices.IndexFunc(terms, func(t term) bool { return t.words == 1 || t.glyphs }); i >= 0 {
		best = terms[i]
	}
	text := sentence(surface(best.stats))
	if best.glyphs && !used[stems(text)] {
		return text
	}
	for _, t := range terms[1:] {
		if t.words == 0 || related(best.key, t.key) || t.score < 0.35*best.score {
			continue
		}
		if pair := sentence(l.join(best, t)); !used[stems(pair)] {
			return pair
		}
	}
	if used[stems(text)] || best.lift < minLift && !best.glyphs {
		return ""
	}
	return text
}

// join puts two terms into words.
func (l lexicon) join(a, b term) string {
	phrase := l.pairs[a.key+" "+b.key]
	if other := l.pairs[b.key+" "+a.key]; phrase == nil || other != nil && other.posts > phrase.posts {
		phrase = other
	}
	if phrase != nil {
		return surface(phrase)
	}
	if b.place*a.posts < a.place*b.posts {
		a, b = b, a
	}
	return surface(a.stats) + ", " + surface(b.stats)
}

// related reports whether two phrases share a word.
func related(a, b string) bool {
	parts := func(key string) []string {
		return strings.FieldsFunc(key, func(r rune) bool { return r == ' ' || r == '-' })
	}
	for _, x := range parts(a) {
		for _, y := range parts(b) {
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
