package insights

import (
	"context"
	"math"
)

// The parameters of the clustering: one set, for every site. Similarities
// are measured against chance, that of unrelated posts of the same site, so
// nothing here is a cosine that would have to fit all languages and subjects.
const (
	// Two posts are joined when they are this many standard deviations more
	// alike than chance.
	joinDeviations = 4.0

	// A post leaves a theme, and a theme is given up, when it is on average
	// less than this much more alike to the others than chance.
	stayDeviations = 2.5

	// What a theme must be held together by, per pair of posts, in units of
	// similarity above the floor. Smaller gives fewer and broader themes.
	baseTightness = weightOne / 50

	// With more posts than this the number of themes grows with their square
	// root only: nobody reads three thousand themes.
	manyTexts = 5000

	// Two themes are one when posts of either resemble those of the other
	// this well compared with their own.
	mergeRatio = 0.75
)

// outside marks a post that belongs to no theme.
const outside = -1

// levels are the thresholds of a run: similarities, and the tightness of
// themes. They are those of all posts even where only some are clustered.
type levels struct {
	chance, join, stay int32
	tightness          int64
}

func (s *space) levels() levels {
	mean, sd := s.chance()
	at := func(deviations float64) int32 {
		return int32((mean + float64(deviations*sd)) * (one * one))
	}
	return levels{chance: at(0), join: at(joinDeviations), stay: at(stayDeviations), tightness: tightness(s.n)}
}

// cluster returns the theme of each text of the space, or outside. weight is
// the number of posts that a text stands for; themes have at least least
// posts. start, if not nil, is a division to start from, and themes that need
// not change will not.
func (s *space) cluster(ctx context.Context, at levels, weight []int, least int, start []int) ([]int, error) {
	near, err := s.nearest(ctx)
	if err != nil {
		return nil, err
	}
	part, err := communities(ctx, near.graph(at.join), at.tightness, start)
	if err != nil {
		return nil, err
	}
	dropSmall(part, weight, least) // before adding up a row for every stray
	t := s.tally(part, weight)
	t.mergeAlike(at.chance)
	t.dropStrays(at.stay)
	t.dropSmall(least)
	return t.part, ctx.Err()
}

func tightness(n int) int64 {
	if n <= manyTexts {
		return baseTightness
	}
	return int64(baseTightness * math.Sqrt(manyTexts/float64(n)))
}

// leastPosts is the smallest number of posts that make a theme. Where there
// are few posts, two that say the same are worth pointing out.
func leastPosts(posts int) int {
	if posts < 40 {
		return 2
	}
	return 3
}
