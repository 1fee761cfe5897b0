package insights

import (
	"context"
	"math"
	"slices"

	"heed/internal/insights/dotp"
)

// How much each block says in the sum. Meaning leads; words and spelling
// correct it where the model is blind: product names, jargon, languages it
// was not taught.
const (
	meaningWeight  = 0.85
	wordWeight     = 0.35
	spellingWeight = 0.35

	// doubtfulWeight takes the place of meaningWeight for texts that the
	// model could not read.
	doubtfulWeight = 0.2
)

// one is the length of every row of a space, and so a similarity of 1 is
// one*one. Squared it uses 26 bits, which leaves room to add.
const one = 1 << 13

// space holds texts as integer points on a sphere.
type space struct {
	rows []int16
	n    int
	dim  int // a multiple of dotp.Lane
}

// emptySpace has room for n texts, and rows behind them so that any text may
// begin a kernel's tile.
func emptySpace(n, dim int) *space {
	return &space{rows: make([]int16, (n+dotp.Rows)*dim), n: n, dim: dim}
}

func (s *space) row(i int) []int16 { return s.rows[i*s.dim : (i+1)*s.dim] }

// newSpace fuses the three views of each text.
func newSpace(ctx context.Context, texts []string, vectors []Vector) (*space, error) {
	spelling, err := view(ctx, texts, spellingFeatures)
	if err != nil {
		return nil, err
	}
	word, err := view(ctx, texts, wordFeatures)
	if err != nil {
		return nil, err
	}
	width := 0
	for _, v := range vectors {
		width = max(width, len(v.q))
	}
	mean := meanVector(vectors, width)
	s := emptySpace(len(texts), dotp.Pad(width+2*lsaDim, dotp.Lane))
	buf := make([]float32, s.dim)
	for i, v := range vectors {
		clear(buf)
		meaning(buf[:width], v, mean)
		addScaled(buf[width:width+lsaDim], word.row(i), wordWeight)
		addScaled(buf[width+lsaDim:width+2*lsaDim], spelling.row(i), spellingWeight)
		unit(buf)
		row := s.row(i)
		for j, x := range buf {
			row[j] = int16(math.RoundToEven(float64(x) * one))
		}
	}
	return s, nil
}

// view returns the texts as points by one kind of feature.
func view(ctx context.Context, texts []string, features extractor) (dense, error) {
	m, err := tfidf(ctx, texts, features)
	if err != nil {
		return dense{}, err
	}
	return lsa(ctx, m)
}

// meaning writes v, seen from the mean and scaled to its weight.
func meaning(dst []float32, v Vector, mean []float32) {
	if len(v.q) != len(dst) {
		return
	}
	for j, q := range v.q {
		dst[j] = float32(q)
	}
	unit(dst)
	for j, m := range mean {
		dst[j] -= m
	}
	unit(dst)
	weight := float32(meaningWeight)
	if v.doubtful {
		weight = doubtfulWeight
	}
	for j := range dst {
		dst[j] *= weight
	}
}

// fewTexts is where the posts' own statistics begin to outweigh what is
// usual: a dozen posts say little about how alike two posts are by chance.
const fewTexts = 50

// meanVector is what all texts have in common, to be left out of their
// comparison: on a bank's site everything is about money. With few texts it
// is drawn towards nothing, or three posts on one subject would look unlike.
func meanVector(vectors []Vector, width int) []float32 {
	sum := make([]float64, width)
	known := 0
	buf := make([]float32, width)
	for _, v := range vectors {
		if len(v.q) != width || width == 0 {
			continue
		}
		known++
		for j, q := range v.q {
			buf[j] = float32(q)
		}
		unit(buf)
		for j, x := range buf {
			sum[j] += float64(x)
		}
	}
	mean := make([]float32, width)
	for j, x := range sum {
		mean[j] = float32(x / float64(known+fewTexts))
	}
	return mean
}

// dot is the similarity of two rows, in units of one*one.
func dot(a, b []int16) int32 {
	var s int32
	b = b[:len(a)]
	for i, x := range a {
		s += int32(x) * int32(b[i])
	}
	return s
}

// chance estimates the similarity of two texts that have nothing to do with
// each other: mean and standard deviation. It takes random pairs, of which
// some do have to do with each other, a lot of them where a site has few
// subjects. These are in the upper part; so the estimate is drawn from two
// low quantiles, as if the rest of the bell had not been seen.
func (s *space) chance() (mean, sd float64) {
	// What is usual between unrelated posts, worth as much as fewTexts posts.
	const usualMean, usualSD = 0, 0.06
	if s.n < 2 {
		return usualMean, usualSD
	}
	rng := splitmix(7)
	pairs := min(20_000, s.n*s.n)
	sims := make([]int32, pairs)
	for k := range sims {
		i := rng.below(s.n)
		j := rng.below(s.n - 1)
		if j >= i {
			j++
		}
		sims[k] = dot(s.row(i), s.row(j))
	}
	slices.Sort(sims)
	// The 5 % and 25 % points of a bell are 1.6449 and 0.6745 deviations
	// below its middle.
	low := float64(float64(sims[pairs/20]) / (one * one))
	high := float64(float64(sims[pairs/4]) / (one * one))
	sd = (high - low) / (1.6449 - 0.6745)
	mean = high + float64(0.6745*sd)
	own := float64(s.n) / float64(s.n+fewTexts)
	mean = float64(own*mean) + float64((1-own)*usualMean)
	sd = float64(own*sd) + float64((1-own)*usualSD)
	return mean, sd
}
