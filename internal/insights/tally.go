package insights

import (
	"heed/internal/insights/dotp"
)

// tally keeps, for a division of a space into themes, what is needed to ask
// how alike posts and themes are on average. The average similarity of a text
// to those of a theme is its product with their mean: no pair is looked at.
type tally struct {
	space  *space
	weight []int // posts per text
	part   []int // theme of each text, or outside
	themes []sums
}

// sums is the sum of the rows of a theme.
type sums struct {
	total []int64
	texts int64
	posts int
}

func (s *space) tally(part []int, weight []int) *tally {
	t := &tally{space: s, weight: weight, part: part}
	t.count()
	return t
}

// count numbers the themes anew, 0, 1, 2, ... by first appearance, and adds
// them up.
func (t *tally) count() {
	names := make(map[int]int)
	t.themes = t.themes[:0]
	for i, p := range t.part {
		if p == outside {
			continue
		}
		name, ok := names[p]
		if !ok {
			name = len(names)
			names[p] = name
			t.themes = append(t.themes, sums{total: make([]int64, t.space.dim)})
		}
		t.part[i] = name
		th := &t.themes[name]
		th.texts++
		th.posts += t.weight[i]
		for j, x := range t.space.row(i) {
			th.total[j] += int64(x)
		}
	}
}

// alike returns the average similarity of row to the texts of a theme.
func (s *sums) alike(row []int16) int32 {
	return int32(s.with(row) / s.texts)
}

func (s *sums) with(row []int16) int64 {
	var sum int64
	for j, x := range row {
		sum += int64(x) * s.total[j]
	}
	return sum
}

// alikeOthers is alike for a row that is itself in the theme and does not
// count. A text alone is like itself.
func (s *sums) alikeOthers(row []int16) int32 {
	if s.texts < 2 {
		return one * one
	}
	var self int64
	for _, x := range row {
		self += int64(x) * int64(x)
	}
	return int32((s.with(row) - self) / (s.texts - 1))
}

// within returns the average similarity of two texts of the theme.
func (s *sums) within() int32 {
	if s.texts < 2 {
		return one * one
	}
	var square int64
	for _, x := range s.total {
		square += x * x
	}
	return int32((square/s.texts - one*one) / (s.texts - 1))
}

// dropSmall puts the posts of themes with fewer than least posts outside.
func (t *tally) dropSmall(least int) {
	dropSmall(t.part, t.weight, least)
	t.count()
}

func dropSmall(part, weight []int, least int) {
	posts := make(map[int]int)
	for i, p := range part {
		posts[p] += weight[i]
	}
	for i, p := range part {
		if posts[p] < least {
			part[i] = outside
		}
	}
}

// dropStrays puts outside the texts less alike to the others of their theme
// than stay, and the themes less alike within.
func (t *tally) dropStrays(stay int32) {
	loose := make([]bool, len(t.themes))
	for p := range t.themes {
		loose[p] = t.themes[p].within() < stay
	}
	for i, p := range t.part {
		if p != outside && (loose[p] || t.themes[p].alikeOthers(t.space.row(i)) < stay) {
			t.part[i] = outside
		}
	}
	t.count()
}

// mergeAlike joins themes that are hardly more alike within than between
// them. Communities of a neighbour graph have a largest size; a subject
// bigger than that falls apart there and is put together here.
func (t *tally) mergeAlike(chance int32) {
	for t.mergeOnce(chance) {
		t.count()
	}
}

// mergeOnce joins every two themes that are each other's best match, and
// reports whether there were any.
func (t *tally) mergeOnce(chance int32) bool {
	k := len(t.themes)
	means := emptySpace(k, t.space.dim)
	within := make([]int64, k)
	for p := range t.themes {
		th := &t.themes[p]
		within[p] = int64(th.within() - chance)
		row := means.row(p)
		for j, x := range th.total {
			row[j] = int16(x / th.texts)
		}
	}
	best := make([]int, k)
	stride := dotp.Pad(k, dotp.Cols)
	const block = 64
	sims := make([]int32, block*stride)
	for i0 := 0; i0 < k; i0 += block {
		i1 := min(i0+block, k)
		means.compare(sims, stride, i0, i1, 0, k)
		for i := i0; i < i1; i++ {
			best[i] = bestMatch(i, sims[(i-i0)*stride:][:k], within, chance)
		}
	}
	into := make([]int, k)
	merged := false
	for i, j := range best {
		into[i] = i
		if j >= 0 && j < i && best[j] == i {
			into[i], merged = j, true
		}
	}
	for i, p := range t.part {
		if p != outside {
			t.part[i] = into[p]
		}
	}
	return merged
}

// bestMatch returns the theme that theme i should be joined with, or -1. The
// measure is the tighter of the two: else a loose theme would swallow all.
func bestMatch(i int, sims []int32, within []int64, chance int32) int {
	const scale = 1 << 20
	best, top := -1, int64(mergeRatio*scale)
	for j, sim := range sims {
		own := max(within[i], within[j])
		if j == i || own <= 0 {
			continue
		}
		if ratio := int64(sim-chance) * scale / own; ratio > top {
			best, top = j, ratio
		}
	}
	return best
}
