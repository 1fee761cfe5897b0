package main

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"heed/internal/insights"
)

// score is how well a division agrees with the classes a person gave.
type score struct {
	themes, classes int
	nmi, ari        float64 // over all texts, each text outside a theme on its own
	nmiIn, ariIn    float64 // over the texts inside themes
	precision       float64 // of pairs in one theme, how many are of one class
	noise           float64 // share of texts outside all themes
}

// evaluate compares themes (negative: outside) with classes.
func evaluate(themes, classes []int) score {
	var s score
	var inThemes, inClasses []int
	alone := make([]int, len(themes))
	next := 0
	for _, t := range themes {
		next = max(next, t+1)
	}
	for i, t := range themes {
		alone[i] = t
		if t < 0 {
			alone[i] = next
			next++
			s.noise++
			continue
		}
		inThemes, inClasses = append(inThemes, t), append(inClasses, classes[i])
	}
	s.noise /= float64(max(1, len(themes)))
	s.themes, s.classes = distinct(inThemes), distinct(classes)
	s.nmi, s.ari, _ = agreement(alone, classes)
	s.nmiIn, s.ariIn, s.precision = agreement(inThemes, inClasses)
	return s
}

func distinct(a []int) int {
	seen := make(map[int]bool)
	for _, x := range a {
		seen[x] = true
	}
	return len(seen)
}

// agreement returns normalised mutual information, adjusted Rand index and
// pair precision of two labelings of the same things.
func agreement(a, b []int) (nmi, ari, precision float64) {
	n := float64(len(a))
	if n < 2 {
		return 0, 0, 0
	}
	type cell struct{ a, b int }
	both, as, bs := map[cell]int{}, map[int]int{}, map[int]int{}
	for i := range a {
		both[cell{a[i], b[i]}]++
		as[a[i]]++
		bs[b[i]]++
	}
	pairs := func(k int) float64 { return float64(k) * float64(k-1) / 2 }
	var mutual, pairsBoth float64
	for c, k := range both {
		p := float64(k) / n
		mutual += p * math.Log(p*n*n/(float64(as[c.a])*float64(bs[c.b])))
		pairsBoth += pairs(k)
	}
	sums := func(m map[int]int) (entropy, together float64) {
		for _, k := range m {
			p := float64(k) / n
			entropy -= p * math.Log(p)
			together += pairs(k)
		}
		return entropy, together
	}
	ea, pa := sums(as)
	eb, pb := sums(bs)
	nmi = 1
	if ea+eb > 0 {
		nmi = 2 * mutual / (ea + eb)
	}
	expected := pa * pb / pairs(len(a))
	ari = 1
	if d := (pa+pb)/2 - expected; d != 0 {
		ari = (pairsBoth - expected) / d
	}
	if pa > 0 {
		precision = pairsBoth / pa
	}
	return nmi, ari, precision
}

// labelled returns which share of the words of its class the label of a theme
// has on average, and of how many themes: those of which most texts are of one
// class.
func labelled(themes []insights.Theme, classes []int, names []string) (share float64, judged int) {
	for _, t := range themes {
		count := make(map[int]int)
		for _, i := range t.Members {
			if count[classes[i]]++; 2*count[classes[i]] > len(t.Members) {
				share += named(t.Label, names[classes[i]])
				judged++
				break
			}
		}
	}
	return share / float64(max(judged, 1)), judged
}

// named returns the share of the words of a name that a label has, whatever their
// endings.
func named(label, name string) float64 {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	begins := func(long, short string) bool { return strings.HasPrefix(long, short[:min(len(short), 4)]) }
	have := split(label)
	words := split(name)
	found := 0
	for _, w := range words {
		if slices.ContainsFunc(have, func(h string) bool { return begins(h, w) && begins(w, h) }) {
			found++
		}
	}
	return float64(found) / float64(max(len(words), 1))
}
