package insights

import (
	"context"
	"slices"
)

const (
	// A run clusters all posts anew when more than this share of them is new
	// to it and has no place in the themes there are...
	maxUnplaced = 0.20

	// ...or there are this many times as many posts as at the last time.
	maxGrowth = 1.25

	// A post joins a theme when it is at least this share as alike to its
	// posts as they are to each other. Less would let an old theme swallow a
	// new subject next to it.
	joinRatio = 0.6
)

// divide decides which texts belong together and which themes are old ones.
func (r *run) divide(ctx context.Context, last State) error {
	old := r.recall(last)
	r.tally = r.space.tally(slices.Clone(old), r.weight)
	r.tally.dropSmall(2) // what is left of themes whose posts were deleted
	done, err := r.extend(ctx, last)
	if err != nil {
		return err
	}
	if !done {
		r.full = true
		part, err := r.space.cluster(ctx, r.at, r.weight, r.least, old)
		if err != nil {
			return err
		}
		r.tally = r.space.tally(part, r.weight)
		// The next run would place them; so they may as well be placed now.
		r.place()
		r.tally.count()
	}
	r.match(old, last)
	return nil
}

// extend places new texts in the themes there are and clusters those that
// found no place by themselves. It reports whether that is good enough; if
// not, everything is to be clustered anew.
func (r *run) extend(ctx context.Context, last State) (bool, error) {
	if len(r.tally.themes) == 0 || float64(len(r.posts)) > maxGrowth*float64(last.Posts) {
		return false, nil
	}
	unplaced, seen := r.place(), r.seen(last)
	weight := make([]int, len(unplaced))
	lost := 0
	for k, i := range unplaced {
		weight[k] = r.weight[i]
		if !seen[i] {
			lost++
		}
	}
	if float64(lost) > maxUnplaced*float64(len(r.texts)) {
		return false, nil
	}
	part, err := r.space.pick(unplaced).cluster(ctx, r.at, weight, r.least, nil)
	if err != nil {
		return false, err
	}
	first := len(r.tally.themes)
	fresh := r.fresh(unplaced, part, seen)
	for k, i := range unplaced {
		if part[k] != outside && fresh[part[k]] {
			r.tally.part[i] = first + part[k]
		}
	}
	r.tally.count()
	return true, nil
}

// recall returns for each text the index of the theme it was in, or outside.
// Copies of a text that were in different themes go with the first.
func (r *run) recall(last State) []int {
	theme := make(map[int64]int)
	for t, known := range last.Themes {
		for _, key := range known.Members {
			theme[key] = t
		}
	}
	part := make([]int, len(r.texts))
	for text, posts := range r.keys {
		part[text] = outside
		for _, i := range posts {
			if t, ok := theme[r.posts[i].Key]; ok {
				part[text] = t
				break
			}
		}
	}
	return part
}

// place lets texts outside join the theme they resemble most, if they do, and
// returns the others. All are judged by the themes as they were.
func (r *run) place() (unplaced []int) {
	t := r.tally
	need := make([]int32, len(t.themes))
	for p := range t.themes {
		own := t.themes[p].within() - r.at.chance
		need[p] = max(r.at.stay, r.at.chance+int32(joinRatio*float64(own)))
	}
	joined := slices.Clone(t.part)
	for i, p := range t.part {
		if p != outside {
			continue
		}
		best, top := outside, int32(0)
		for p := range t.themes {
			if alike := t.themes[p].alike(r.space.row(i)); alike >= need[p] && (best == outside || alike > top) {
				best, top = p, alike
			}
		}
		joined[i] = best
		if best == outside {
			unplaced = append(unplaced, i)
		}
	}
	t.part = joined
	return unplaced
}

// seen reports for each text whether the last run saw all its posts and left
// them outside.
func (r *run) seen(last State) []bool {
	was := make(map[int64]bool, len(last.Outside))
	for _, key := range last.Outside {
		was[key] = true
	}
	out := make([]bool, len(r.texts))
	for text, posts := range r.keys {
		out[text] = !slices.ContainsFunc(posts, func(i int) bool { return !was[r.posts[i].Key] })
	}
	return out
}

// fresh reports which themes of unplaced texts consist at least by half of
// texts that the last run has not seen. Strays that it saw and left outside
// do not become a theme by being looked at again.
func (r *run) fresh(unplaced, part []int, seen []bool) map[int]bool {
	balance := make(map[int]int)
	for k, i := range unplaced {
		if seen[i] {
			balance[part[k]] -= r.weight[i]
		} else {
			balance[part[k]] += r.weight[i]
		}
	}
	out := make(map[int]bool)
	for theme, n := range balance {
		out[theme] = n >= 0
	}
	return out
}

// match gives a theme the id of the old theme that most of its old posts come
// from, provided most of that theme's posts went there: of the parts of a
// split theme the largest keeps the id, of merged themes the largest gives
// it, and no theme changes its meaning under an id.
func (r *run) match(old []int, last State) {
	shared := make(map[[2]int]int)
	for i, p := range r.tally.part {
		if p != outside && old[i] != outside {
			shared[[2]int{p, old[i]}] += r.weight[i]
		}
	}
	source, heir := largest(shared, 0), largest(shared, 1)
	r.id = make([]int64, len(r.tally.themes))
	r.known = make([]bool, len(r.tally.themes))
	for p := range r.id {
		if o, ok := source[p]; ok && heir[o] == p {
			r.id[p], r.known[p] = last.Themes[o].ID, true
		}
	}
}

// largest returns, for each number on the given side of the pairs, the one
// on the other side that it has the highest count with.
func largest(count map[[2]int]int, side int) map[int]int {
	best := make(map[int]int)
	for pair, n := range count {
		a, b := pair[side], pair[1-side]
		was, ok := best[a]
		if ok {
			prev := pair
			prev[1-side] = was
			if m := count[prev]; m > n || m == n && was < b {
				continue
			}
		}
		best[a] = b
	}
	return best
}
