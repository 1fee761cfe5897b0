package insights

import (
	"context"
	"math"
	"slices"
)

const (
	// Features are counted in buckets, so that memory is bounded whatever
	// people write; two features in one bucket are a small blur.
	buckets = 1 << 18

	// maxFeatures bounds the width of a feature matrix.
	maxFeatures = 40_000
)

// sparse is a matrix with one row per text; row i has the values val at the
// columns col between start[i] and start[i+1].
type sparse struct {
	start []int32
	col   []int32
	val   []float32
	width int
}

func (s *sparse) row(i int) ([]int32, []float32) {
	a, b := s.start[i], s.start[i+1]
	return s.col[a:b], s.val[a:b]
}

func (s *sparse) rows() int { return len(s.start) - 1 }

// extractor calls yield with the hash of each feature of a text.
type extractor func(text string, yield func(uint64))

// wordFeatures are the stems of content words, and pairs of neighbours of
// which at least one is a content word.
func wordFeatures(text string, yield func(uint64)) {
	var prev string
	for _, w := range words(text) {
		if !stop[w] {
			yield(hash(stem(w)))
		}
		if prev != "" && (!stop[prev] || !stop[w]) {
			yield(hash(prev) ^ hash(w)*0x9e3779b97f4a7c15)
		}
		prev = w
	}
}

// spellingFeatures are the runs of three to five characters in each word,
// with its borders: related forms, compounds and typing errors share them.
func spellingFeatures(text string, yield func(uint64)) {
	var runes []rune
	for _, w := range words(text) {
		runes = append(runes[:0], '<')
		for _, r := range w {
			runes = append(runes, r)
		}
		runes = append(runes, '>')
		for i := range runes {
			h := uint64(offset)
			for k := i; k < min(i+5, len(runes)); k++ {
				h = (h ^ uint64(runes[k])) * prime
				if k >= i+2 {
					yield(h)
				}
			}
		}
	}
}

// FNV-1a.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func hash(s string) uint64 {
	h := uint64(offset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// bucket mixes the high bits in, which FNV leaves the better spread.
func bucket(h uint64) int32 { return int32((h ^ h>>32) % buckets) }

// tfidf builds the feature matrix of texts: each row of length one, a feature
// the heavier the rarer it is. Features of a single text are left out, since
// they cannot make it resemble another.
func tfidf(ctx context.Context, texts []string, features extractor) (*sparse, error) {
	counts := make([]int32, buckets)
	m := &sparse{start: make([]int32, 1, len(texts)+1)}
	var found []int32
	for i, t := range texts {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found = found[:0]
		features(t, func(h uint64) { found = append(found, bucket(h)) })
		slices.Sort(found)
		for i := 0; i < len(found); {
			j := i
			for j < len(found) && found[j] == found[i] {
				j++
			}
			counts[found[i]]++
			m.col = append(m.col, found[i])
			m.val = append(m.val, float32(j-i))
			i = j
		}
		m.start = append(m.start, int32(len(m.col)))
	}
	column, idf := chooseFeatures(counts, len(texts))
	m.width = len(idf)
	m.weigh(column, idf)
	return m, nil
}

// chooseFeatures numbers the buckets worth keeping, and weighs them.
func chooseFeatures(counts []int32, n int) (column []int32, idf []float32) {
	for least := int32(2); ; least++ {
		kept := 0
		for _, c := range counts {
			if c >= least {
				kept++
			}
		}
		if kept > maxFeatures {
			continue
		}
		column = make([]int32, len(counts))
		for b, c := range counts {
			column[b] = -1
			if c >= least {
				column[b] = int32(len(idf))
				idf = append(idf, float32(log(float64(n+1)/float64(c+1))+1))
			}
		}
		return column, idf
	}
}

// weigh replaces counts by weights and buckets by columns, in place.
func (s *sparse) weigh(column []int32, idf []float32) {
	to := int32(0)
	for i := range s.rows() {
		from, end := s.start[i], s.start[i+1]
		s.start[i] = to
		begin := to
		var square float64
		for k := from; k < end; k++ {
			c := column[s.col[k]]
			if c < 0 {
				continue
			}
			w := float32((1 + log(float64(s.val[k]))) * float64(idf[c]))
			square += float64(float64(w) * float64(w))
			s.col[to], s.val[to] = c, w
			to++
		}
		if square > 0 {
			inv := float32(1 / math.Sqrt(square))
			for k := begin; k < to; k++ {
				s.val[k] *= inv
			}
		}
	}
	s.start[s.rows()] = to
	s.col, s.val = s.col[:to], s.val[:to]
}

// log is the natural logarithm of x > 0: the exponent, and for the rest the
// series of the area tangent. math.Log may differ in the last bit between
// processors; this may not.
func log(x float64) float64 {
	frac, e := math.Frexp(x)
	if frac < math.Sqrt2/2 {
		frac *= 2
		e--
	}
	z := (frac - 1) / (frac + 1)
	zz := float64(z * z)
	var sum float64
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*zz) + 1/float64(k)
	}
	return float64(2*z*sum) + float64(float64(e)*math.Ln2)
}
