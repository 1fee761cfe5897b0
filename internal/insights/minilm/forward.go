package minilm

import (
	"math"

	"heed/internal/insights/dotp"
)

const (
	// Activations are rounded to 14 bits before a product. With 8-bit weights
	// the longest sum, 1536 terms, stays below 2^31; at this width the
	// rounding of the activations is far below that of the weights.
	actMax = 8191

	geluRange = 8
	geluSteps = 256
)

// scratch holds the activations of one batch and is reused for the next.
type scratch struct {
	x, y, qkv, wide []float32
	act             []int16
	actScale        []float32
	sums            []int32
	attn            attention
}

// grow returns s with length n, keeping its memory where that suffices. The
// contents are unspecified.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// forward runs the texts of a batch through the model together. Nothing is
// shared between them but the walk over the weights.
func (m *model) forward(batch [][]int32, s *scratch) [][]float32 {
	n := 0
	for _, ids := range batch {
		n += len(ids)
	}
	rows := dotp.Pad(n, dotp.Rows)
	s.x, s.y = grow(s.x, rows*Dim), grow(s.y, rows*Dim)
	s.qkv, s.wide = grow(s.qkv, rows*3*Dim), grow(s.wide, rows*inner)
	m.lookUp(batch, s.x)
	clear(s.x[n*Dim:])
	for i := range m.layers {
		l := &m.layers[i]
		l.qkv.apply(s.qkv, s.x, rows, s)
		first := 0
		for _, ids := range batch {
			s.attn.mix(s.y[first*Dim:], s.qkv[first*3*Dim:], len(ids))
			first += len(ids)
		}
		clear(s.y[n*Dim:])
		l.attn.apply(s.qkv, s.y, rows, s)
		l.attnNorm.add(s.x, s.qkv, n)
		l.up.apply(s.wide, s.x, rows, s)
		m.activate(s.wide[:n*inner])
		l.down.apply(s.y, s.wide, rows, s)
		l.ffNorm.add(s.x, s.y, n)
	}
	return pool(batch, s.x)
}

// lookUp writes the embedding of each token at its position.
func (m *model) lookUp(batch [][]int32, x []float32) {
	for _, ids := range batch {
		for pos, id := range ids {
			row, scale := m.wordRows[int(id)*Dim:][:Dim], m.wordScale[id]
			at := m.position[pos*Dim:][:Dim]
			for j, v := range row {
				x[j] = float32(float32(v)*scale) + at[j]
			}
			m.embNorm.apply(x[:Dim])
			x = x[Dim:]
		}
	}
}

// apply writes l(x) to y, for rows rows.
func (l *linear) apply(y, x []float32, rows int, s *scratch) {
	s.act, s.actScale = grow(s.act, rows*l.in), grow(s.actScale, rows)
	for i := range rows {
		s.actScale[i] = round(s.act[i*l.in:][:l.in], x[i*l.in:][:l.in], actMax)
	}
	s.sums = grow(s.sums, rows*l.out)
	dotp.Mul8(s.sums, l.out, s.act, rows, l.rows, l.out, l.in)
	for i := range rows {
		a := s.actScale[i]
		sums, out := s.sums[i*l.out:][:l.out], y[i*l.out:][:l.out]
		for j, v := range sums {
			out[j] = float32(float32(float32(v)*a)*l.scale[j]) + l.bias[j]
		}
	}
}

// round writes x to q in steps of the returned scale, chosen so that the
// largest magnitude becomes limit.
func round(q []int16, x []float32, limit float32) (scale float32) {
	peak := peakOf(0, x)
	if peak == 0 {
		clear(q)
		return 0
	}
	inv := limit / peak
	for i, v := range x {
		q[i] = nearest(float32(v * inv))
	}
	return peak / limit
}

// peakOf returns the largest magnitude among x and peak. Without its sign
// bit a float orders like an integer, and integers compare without a branch.
func peakOf(peak float32, x []float32) float32 {
	top := math.Float32bits(peak)
	for _, v := range x {
		top = max(top, math.Float32bits(v)&^(1<<31))
	}
	return math.Float32frombits(top)
}

// nearest rounds to the nearest integer, half to even, for magnitudes below
// 2^15: so far up the number line floats are whole, and the adder rounds.
func nearest(v float32) int16 {
	const far = 3 << 22
	return int16(math.Float32bits(v+far) - 0x4b400000)
}

// add replaces each of the n rows of x by the normalised sum of x and y.
func (l *layerNorm) add(x, y []float32, n int) {
	for i := range n {
		row, other := x[i*Dim:][:Dim], y[i*Dim:][:Dim]
		for j, v := range other {
			row[j] += v
		}
		l.apply(row)
	}
}

// apply normalises one row in place.
func (l *layerNorm) apply(row []float32) {
	var sum, square float32
	for _, v := range row {
		sum += v
	}
	mean := sum / Dim
	for _, v := range row {
		d := v - mean
		square += float32(d * d)
	}
	inv := 1 / float32(math.Sqrt(float64(square/Dim+1e-12)))
	for j, v := range row {
		row[j] = float32(float32((v-mean)*inv)*l.weight[j]) + l.bias[j]
	}
}

// activate applies GELU by its table, with a straight line between entries:
// one answer on every machine, where an erf would have several.
func (m *model) activate(x []float32) {
	for i, v := range x {
		switch {
		case v <= -geluRange:
			x[i] = 0
		case v < geluRange:
			at := float32((v + geluRange) * geluSteps)
			k := int(at)
			lo, hi := m.gelu[k], m.gelu[k+1]
			x[i] = lo + float32((hi-lo)*(at-float32(k)))
		}
	}
}

// pool averages the tokens of each text and scales the mean to length one.
func pool(batch [][]int32, x []float32) [][]float32 {
	out := make([][]float32, len(batch))
	for t, ids := range batch {
		v := make([]float32, Dim)
		out[t] = v
		if known(ids) {
			for i := range ids {
				for j, a := range x[i*Dim:][:Dim] {
					v[j] += a
				}
			}
			unit(v)
		}
		x = x[len(ids)*Dim:]
	}
	return out
}

// known reports whether the model can say anything about a text.
func known(ids []int32) bool {
	for _, id := range ids {
		if id != begin && id != end && id != unknown {
			return true
		}
	}
	return false
}

func unit(v []float32) {
	var square float64
	for _, a := range v {
		square += float64(float64(a) * float64(a))
	}
	if square == 0 {
		return
	}
	inv := float32(1 / math.Sqrt(square))
	for j, a := range v {
		v[j] = a * inv
	}
}
