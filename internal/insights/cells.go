package insights

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heed/internal/insights/dotp"
)

const (
	probes     = 24 // cells searched for the neighbours of a text, its own included
	cellRounds = 5
	cellSample = 20_000
)

// cells is a division of a space by nearest centre.
type cells struct {
	members [][]int
	near    [][]int // for each cell, the cells by distance, itself first
}

func (c *cells) around(i, limit int) []int { return c.near[i][:min(limit, len(c.near[i]))] }

// cells divides the space by k-means on a sample.
func (s *space) cells(ctx context.Context) (*cells, error) {
	k := int(math.Sqrt(float64(s.n)))
	fit := s.pick(sample(s.n, cellSample))
	centres := fit.pick(sample(fit.n, k))
	for range cellRounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		centres = fit.centres(fit.assign(centres), centres)
	}
	out := &cells{members: make([][]int, k), near: make([][]int, k)}
	for i, c := range s.assign(centres) {
		out.members[c] = append(out.members[c], i)
	}
	for c := range k {
		sims := make([]candidate, k)
		for d := range k {
			sims[d] = newCandidate(dot(centres.row(c), centres.row(d)), d)
		}
		sims[c] = newCandidate(math.MaxInt32, c)
		slices.SortFunc(sims, func(a, b candidate) int { return cmp.Compare(b, a) })
		for _, x := range sims[:min(k, probes)] {
			out.near[c] = append(out.near[c], x.index())
		}
	}
	return out, ctx.Err()
}

// assign returns the nearest centre of each text.
func (s *space) assign(centres *space) []int {
	out := make([]int, s.n)
	const block = 64
	stride := dotp.Pad(centres.n, dotp.Cols)
	sims := make([]int32, block*stride)
	for i0 := 0; i0 < s.n; i0 += block {
		i1 := min(i0+block, s.n)
		dotp.Mul16(sims, stride, s.rows[i0*s.dim:], dotp.Pad(i1-i0, dotp.Rows), centres.rows, dotp.Pad(centres.n, dotp.Cols), s.dim)
		for i := i0; i < i1; i++ {
			row := sims[(i-i0)*stride:][:centres.n]
			best := 0
			for c, v := range row {
				if v > row[best] {
					best = c
				}
			}
			out[i] = best
		}
	}
	return out
}

// centres returns the mean direction of the texts of each cell; an empty cell
// keeps its centre.
func (s *space) centres(assigned []int, old *space) *space {
	sums := make([]int32, old.n*s.dim)
	for i, c := range assigned {
		sum := sums[c*s.dim : (c+1)*s.dim]
		for j, x := range s.row(i) {
			sum[j] += int32(x)
		}
	}
	out := emptySpace(old.n, s.dim)
	for c := range old.n {
		if !toSphere(out.row(c), sums[c*s.dim:(c+1)*s.dim]) {
			copy(out.row(c), old.row(c))
		}
	}
	return out
}

// toSphere scales a sum of rows to the length of one row, and reports whether
// it has a direction at all.
func toSphere(dst []int16, sum []int32) bool {
	var square float64
	for _, x := range sum {
		square += float64(float64(x) * float64(x))
	}
	if square == 0 {
		return false
	}
	scale := one / math.Sqrt(square)
	for j, x := range sum {
		dst[j] = int16(math.RoundToEven(float64(float64(x) * scale)))
	}
	return true
}
