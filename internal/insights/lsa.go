package insights

import (
	"context"
	"math"
)

const (
	// lsaDim is the number of directions kept of a feature matrix.
	lsaDim = 112

	// fitRows is how many texts the directions are fitted to; the others are
	// projected on them. More does not change the themes, only the cost.
	fitRows = 4000

	// lsaRounds of power iteration separate the leading directions from the
	// rest well enough: what matters is the space they span.
	lsaRounds = 3
)

// dense is a matrix of float32 by rows.
type dense struct {
	data []float32
	cols int
}

func newDense(rows, cols int) dense { return dense{make([]float32, rows*cols), cols} }

func (d dense) row(i int) []float32 { return d.data[i*d.cols : (i+1)*d.cols] }

func (d dense) rows() int { return len(d.data) / d.cols }

// lsa projects the rows of a on its leading lsaDim directions and scales them
// to length one. The directions are found by subspace iteration. They are not
// rotated to the principal axes, for no angle between rows depends on it.
func lsa(ctx context.Context, a *sparse) (dense, error) {
	n := a.rows()
	fit := sample(n, fitRows)
	// y spans the directions on the side of the texts, z on that of features.
	y := newDense(len(fit), lsaDim)
	rng := splitmix(1)
	for i := range y.data {
		y.data[i] = float32(int64(rng.next()>>40) - 1<<23)
	}
	z := newDense(max(a.width, 1), lsaDim)
	for range lsaRounds {
		if err := ctx.Err(); err != nil {
			return dense{}, err
		}
		orthonormal(y)
		clear(z.data)
		for i, row := range fit {
			cols, vals := a.row(row)
			for k, c := range cols {
				addScaled(z.row(int(c)), y.row(i), vals[k])
			}
		}
		for i, row := range fit {
			a.times(y.row(i), row, z)
		}
	}
	orthonormal(z)
	out := newDense(n, lsaDim)
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return dense{}, ctx.Err()
		}
		a.times(out.row(i), i, z)
		unit(out.row(i))
	}
	return out, nil
}

// times writes row i of s times z to dst.
func (s *sparse) times(dst []float32, i int, z dense) {
	clear(dst)
	cols, vals := s.row(i)
	for k, c := range cols {
		addScaled(dst, z.row(int(c)), vals[k])
	}
}

// addScaled adds w*x to dst. The product is rounded before the sum, here and
// in all loops below: fused, it would differ between processors.
func addScaled(dst, x []float32, w float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += float32(w * x[i])
	}
}

// orthonormal makes the columns of d orthogonal and of length one, by the
// Cholesky factor of their Gram matrix. Columns that depend on others become
// zero: a handful of texts does not span lsaDim directions.
func orthonormal(d dense) {
	n := d.cols
	gram := make([]float64, n*n)
	for i := range d.rows() {
		row := d.row(i)
		for a, x := range row {
			if x == 0 {
				continue
			}
			g, w := gram[a*n:], float64(x)
			for b := 0; b <= a; b++ {
				g[b] += float64(w * float64(row[b]))
			}
		}
	}
	for a := range n {
		for b := 0; b <= a; b++ {
			s, top := gram[a*n+b], gram[a*n+a]
			for k := range b {
				s -= float64(gram[a*n+k] * gram[b*n+k])
			}
			switch {
			case a != b:
				if diag := gram[b*n+b]; diag != 0 {
					s /= diag
				} else {
					s = 0
				}
			case s > 1e-9*top:
				s = math.Sqrt(s)
			default:
				s = 0
			}
			gram[a*n+b] = s
		}
	}
	for i := range d.rows() {
		row := d.row(i)
		for a := range n {
			diag := gram[a*n+a]
			if diag == 0 {
				row[a] = 0
				continue
			}
			s := float64(row[a])
			for k := range a {
				s -= float64(gram[a*n+k] * float64(row[k]))
			}
			row[a] = float32(s / diag)
		}
	}
}

// unit scales v to length one; zero stays zero.
func unit(v []float32) {
	var square float64
	for _, x := range v {
		square += float64(float64(x) * float64(x))
	}
	if square == 0 {
		return
	}
	inv := float32(1 / math.Sqrt(square))
	for i := range v {
		v[i] *= inv
	}
}

// sample returns at most limit of the numbers below n, evenly spread.
func sample(n, limit int) []int {
	m := min(n, limit)
	out := make([]int, m)
	for i := range out {
		out[i] = i * n / m
	}
	return out
}

// splitmix is a small generator of our own: the standard library's sequences
// may change with its version, and themes must not.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *splitmix) below(n int) int { return int(s.next() % uint64(n)) }
