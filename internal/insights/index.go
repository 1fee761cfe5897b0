package insights

import (
	"errors"
	"math"
	"sync"

	"heed/internal/insights/dotp"
)

// Index finds the posts nearest in meaning to another, among up to some
// hundred thousand. It compares with all of them: at one byte per coordinate
// that takes milliseconds, and misses nothing. It may be used by several
// goroutines at once.
type Index struct {
	mu   sync.RWMutex
	dim  int // of the vectors; 0 until the first is added
	wide int // dim, padded
	rows []int8
	inv  []float32 // 1/length of each row
	keys []int64
	slot map[int64]int
}

// Match is a post found by an Index.
type Match struct {
	Key    int64
	Cosine float64
}

// ErrDimension means that a vector has another length than those of the
// index, and so comes from another model.
var ErrDimension = errors.New("insights: vector of another dimension")

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{slot: make(map[int64]int)} }

// Len returns the number of posts in the index.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.keys)
}

// Add puts a post into the index, in place of what was there under its key.
// A post whose vector is zero resembles nothing and is only removed.
func (x *Index) Add(key int64, v Vector) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if v.IsZero() {
		x.remove(key)
		return nil
	}
	if x.dim == 0 {
		x.dim, x.wide = len(v.q), dotp.Pad(len(v.q), dotp.Lane)
	}
	if len(v.q) != x.dim {
		return ErrDimension
	}
	at, ok := x.slot[key]
	if !ok {
		at = len(x.keys)
		x.slot[key] = at
		x.keys = append(x.keys, key)
		x.inv = append(x.inv, 0)
		for len(x.rows) < dotp.Pad(len(x.keys), dotp.Rows)*x.wide {
			x.rows = append(x.rows, make([]int8, x.wide)...)
		}
	}
	copy(x.rows[at*x.wide:], v.q)
	x.inv[at] = 1 / length(v.q)
	return nil
}

// Remove takes a post out of the index, if it is there.
func (x *Index) Remove(key int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(key)
}

// remove fills the hole with the last row.
func (x *Index) remove(key int64) {
	at, ok := x.slot[key]
	if !ok {
		return
	}
	last := len(x.keys) - 1
	copy(x.rows[at*x.wide:(at+1)*x.wide], x.rows[last*x.wide:(last+1)*x.wide])
	x.keys[at], x.inv[at] = x.keys[last], x.inv[last]
	x.slot[x.keys[at]] = at
	delete(x.slot, key)
	x.keys, x.inv = x.keys[:last], x.inv[:last]
}

// Search returns up to k posts with at least the given cosine to v, the
// nearest first and equals by key.
func (x *Index) Search(v Vector, k int, least float64) []Match {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if k <= 0 || v.IsZero() || len(v.q) != x.dim {
		return nil
	}
	query := make([]int16, x.wide)
	for i, q := range v.q {
		query[i] = int16(q)
	}
	scale := 1 / length(v.q)
	best := make([]Match, 0, k+1)
	const block = 512
	var dots [block]int32
	for i0 := 0; i0 < len(x.keys); i0 += block {
		n := min(block, len(x.keys)-i0)
		dotp.Vec8(dots[:dotp.Pad(n, dotp.Rows)], query, x.rows[i0*x.wide:], x.wide)
		for i := range n {
			m := Match{x.keys[i0+i], float64(float32(dots[i]) * x.inv[i0+i] * scale)}
			if m.Cosine >= least && (len(best) < k || m.before(best[k-1])) {
				best = insert(best, m, k)
			}
		}
	}
	return best
}

func (m Match) before(o Match) bool {
	return m.Cosine > o.Cosine || m.Cosine == o.Cosine && m.Key < o.Key
}

// insert puts m in its place among the at most k best.
func insert(best []Match, m Match, k int) []Match {
	best = append(best, m)
	for i := len(best) - 1; i > 0 && m.before(best[i-1]); i-- {
		best[i], best[i-1] = best[i-1], best[i]
	}
	return best[:min(k, len(best))]
}

func length(q []int8) float32 {
	var square int64
	for _, x := range q {
		square += int64(x) * int64(x)
	}
	return float32(math.Sqrt(float64(square)))
}
