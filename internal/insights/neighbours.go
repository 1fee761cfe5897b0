package insights

import (
	"context"
	"slices"

	"heed/internal/insights/dotp"
)

const (
	// neighbours is how many nearest texts each text is joined to.
	neighbours = 12

	// exactLimit is the number of texts up to which all pairs are compared.
	exactLimit = 20_000
)

// A candidate is a neighbour and its similarity in one number that orders by
// similarity first and then by index, so that a list of the best candidates
// does not depend on the order in which they were met.
type candidate int64

func newCandidate(sim int32, index int) candidate {
	return candidate(sim)<<32 | candidate(^uint32(index))
}

func (c candidate) index() int { return int(^uint32(c)) }

func (c candidate) sim() int32 { return int32(c >> 32) }

// nearest keeps the best candidates of each text.
type nearest struct {
	best  []candidate // neighbours slots per text, the worst first
	count []int
}

func newNearest(n int) *nearest {
	return &nearest{best: make([]candidate, n*neighbours), count: make([]int, n)}
}

// of returns the neighbours of text i, the worst first.
func (l *nearest) of(i int) []candidate {
	return l.best[i*neighbours : i*neighbours+l.count[i]]
}

// offer considers c for text i. Most candidates fail the first comparison.
func (l *nearest) offer(i int, c candidate) {
	slots := l.best[i*neighbours : (i+1)*neighbours]
	n := l.count[i]
	if n == neighbours {
		if c <= slots[0] {
			return
		}
		k := 1
		for k < n && slots[k] < c {
			slots[k-1] = slots[k]
			k++
		}
		slots[k-1] = c
		return
	}
	k := n
	for k > 0 && slots[k-1] > c {
		slots[k] = slots[k-1]
		k--
	}
	slots[k] = c
	l.count[i]++
}

// offerBoth considers text j for text i and the reverse.
func (l *nearest) offerBoth(i, j int, sim int32) {
	l.offer(i, newCandidate(sim, j))
	l.offer(j, newCandidate(sim, i))
}

// nearest finds the nearest texts of each text: all pairs when there are
// few, otherwise those in the cells around it.
func (s *space) nearest(ctx context.Context) (*nearest, error) {
	if s.n > exactLimit {
		return s.nearestByCells(ctx)
	}
	l := newNearest(s.n)
	const block = 256
	sims := make([]int32, block*block)
	for i0 := 0; i0 < s.n; i0 += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j0 := i0; j0 < s.n; j0 += block {
			s.compare(sims, block, i0, min(i0+block, s.n), j0, min(j0+block, s.n))
			for i := i0; i < min(i0+block, s.n); i++ {
				row := sims[(i-i0)*block:]
				for j := max(j0, i+1); j < min(j0+block, s.n); j++ {
					l.offerBoth(i, j, row[j-j0])
				}
			}
		}
	}
	return l, nil
}

// compare writes the similarities of texts i0..i1 with texts j0..j1.
func (s *space) compare(dst []int32, stride, i0, i1, j0, j1 int) {
	dotp.Mul16(dst, stride, s.rows[i0*s.dim:], dotp.Pad(i1-i0, dotp.Rows), s.rows[j0*s.dim:], dotp.Pad(j1-j0, dotp.Cols), s.dim)
}

// nearestByCells divides the sphere into cells, about as many as there are
// texts in each, and compares a text with those of its own cell and of the
// cells whose centres lie nearest to that cell's.
func (s *space) nearestByCells(ctx context.Context) (*nearest, error) {
	cells, err := s.cells(ctx)
	if err != nil {
		return nil, err
	}
	// Sorted by cell, the texts of a cell lie side by side.
	order := make([]int, 0, s.n)
	first := make([]int, len(cells.members)+1)
	for c, m := range cells.members {
		order = append(order, m...)
		first[c+1] = len(order)
	}
	sorted := s.pick(order)
	l := newNearest(s.n)
	var sims []int32
	for c := range cells.members {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i0, i1 := first[c], first[c+1]
		for _, d := range cells.around(c, probes) {
			if d < c && slices.Contains(cells.around(d, probes), c) {
				continue // met from the other side
			}
			j0, j1 := first[d], first[d+1]
			stride := dotp.Pad(j1-j0, dotp.Cols)
			sims = slices.Grow(sims[:0], dotp.Pad(i1-i0, dotp.Rows)*stride)[:dotp.Pad(i1-i0, dotp.Rows)*stride]
			sorted.compare(sims, stride, i0, i1, j0, j1)
			for i := i0; i < i1; i++ {
				for j := j0; j < j1; j++ {
					if c != d || i < j {
						l.offerBoth(order[i], order[j], sims[(i-i0)*stride+j-j0])
					}
				}
			}
		}
	}
	return l, nil
}

// pick returns the space of the given texts, in that order.
func (s *space) pick(order []int) *space {
	out := emptySpace(len(order), s.dim)
	for i, j := range order {
		copy(out.row(i), s.row(j))
	}
	return out
}
