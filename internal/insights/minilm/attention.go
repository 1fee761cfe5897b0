package minilm

import (
	"math"

	"heed/internal/insights/dotp"
)

const (
	// Queries, keys and values are rounded to 13 bits: 32 products of two of
	// them fit an int32, as does a row of weights times the values.
	qkMax = 4095

	// Attention weights are fractions of 2^14.
	weightOne = 1 << 14
)

// attention is the scratch space of mix.
type attention struct {
	q, k, v, w     []int16
	qScale, kScale []float32
	sums           []int32
	scores         []float32
}

// mix writes to y what each of the n tokens of one text gathers from the
// others. qkv holds query, key and value of all heads, side by side per token.
func (a *attention) mix(y, qkv []float32, n int) {
	rows, wide := dotp.Pad(n, dotp.Rows), dotp.Pad(n, dotp.Lane)
	a.q, a.k = grow(a.q, rows*headDim), grow(a.k, rows*headDim)
	a.v, a.w = grow(a.v, headDim*wide), grow(a.w, rows*wide)
	a.qScale, a.kScale = grow(a.qScale, n), grow(a.kScale, n)
	a.sums, a.scores = grow(a.sums, rows*max(rows, headDim)), grow(a.scores, n)
	// The padding of a buffer that held a longer text is that text.
	clear(a.q[n*headDim:])
	clear(a.k[n*headDim:])
	clear(a.v)
	clear(a.w)
	for h := range heads {
		for i := range n {
			token := qkv[i*3*Dim+h*headDim:]
			a.qScale[i] = round(a.q[i*headDim:][:headDim], token[:headDim], qkMax)
			a.kScale[i] = round(a.k[i*headDim:][:headDim], token[Dim:][:headDim], qkMax)
		}
		dotp.Mul16(a.sums, rows, a.q, rows, a.k, rows, headDim)
		for i := range n {
			a.weigh(a.w[i*wide:][:n], a.sums[i*rows:][:n], a.qScale[i])
		}
		scale := a.values(qkv[2*Dim+h*headDim:], n, wide) / weightOne
		dotp.Mul16(a.sums, headDim, a.w, rows, a.v, headDim, wide)
		for i := range n {
			out := y[i*Dim+h*headDim:][:headDim]
			for j, v := range a.sums[i*headDim:][:headDim] {
				out[j] = float32(v) * scale
			}
		}
	}
}

// weigh turns the scores of one token into weights that add up to weightOne.
func (a *attention) weigh(w []int16, sums []int32, scale float32) {
	scores := a.scores[:len(sums)]
	var top float32
	for j, v := range sums {
		scores[j] = float32(float32(v)*scale) * a.kScale[j]
		if j == 0 || scores[j] > top {
			top = scores[j]
		}
	}
	var total float32
	for j, v := range scores {
		scores[j] = exp(v - top)
		total += scores[j]
	}
	inv := weightOne / total
	for j, v := range scores {
		w[j] = nearest(float32(v * inv))
	}
}

// values transposes one head's values, so that the tokens lie side by side,
// and returns their common scale.
func (a *attention) values(v []float32, n, wide int) (scale float32) {
	var peak float32
	for i := range n {
		peak = peakOf(peak, v[i*3*Dim:][:headDim])
	}
	if peak == 0 {
		clear(a.v)
		return 0
	}
	inv := qkMax / peak
	for i := range n {
		for j, x := range v[i*3*Dim:][:headDim] {
			a.v[j*wide+i] = nearest(float32(x * inv))
		}
	}
	return peak / qkMax
}

// exp is e to the x for x <= 0, by splitting off a power of two and a short
// series for the rest. It is within 3e-7 of the truth, and the same
// everywhere, which math.Exp does not promise.
func exp(x float32) float32 {
	if x < -80 {
		return 0
	}
	// ln 2 in two parts, the first short enough that k times it is exact.
	const log2e, ln2hi, ln2lo = 1.4426950408889634, 0.693359375, -2.12194440e-4
	k := int32(float32(x*log2e) - 0.5)
	r := x - float32(float32(k)*ln2hi) - float32(float32(k)*ln2lo)
	p := float32(r*(1.0/720)) + 1.0/120
	p = float32(p*r) + 1.0/24
	p = float32(p*r) + 1.0/6
	p = float32(p*r) + 0.5
	p = float32(p*r) + 1
	p = float32(p*r) + 1
	return p * math.Float32frombits(uint32(127+k)<<23)
}
