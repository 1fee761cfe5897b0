package insights

import (
	"math"
	"slices"
	"testing"
)

func TestVectorSurvivesStorage(t *testing.T) {
	vectors := []Vector{{}, NewVector([]float32{0.5, -1, 0}), NewVector(make([]float32, 1536)), NewVector(slices.Repeat([]float32{0.1}, 1536)), {q: []int8{1, 2}, doubtful: true}}
	for _, v := range vectors {
		data, err := v.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		got := Vector{q: []int8{9}, doubtful: true}
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.q, v.q) || got.doubtful != v.doubtful || got.IsZero() != v.IsZero() {
			t.Errorf("Unmarshal(Marshal(%v)) = %v", v, got)
		}
	}
	for _, data := range [][]byte{nil, {}, {0}, {99, 1, 2}} {
		if err := new(Vector).UnmarshalBinary(data); err == nil {
			t.Errorf("UnmarshalBinary(%v) = nil; want an error", data)
		}
	}
}

func TestNewVectorKeepsDirections(t *testing.T) {
	a, b := []float32{0.3, -0.7, 0.2, 0.05}, []float32{0.1, -0.9, 0.4, -0.3}
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i] * b[i])
		aa += float64(a[i] * a[i])
		bb += float64(b[i] * b[i])
	}
	want := dot / math.Sqrt(aa*bb)
	if got := NewVector(a).Cosine(NewVector(b)); math.Abs(got-want) > 0.01 {
		t.Errorf("Cosine = %.4f; want %.4f", got, want)
	}
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	for _, v := range [][]float32{nil, {0, 0}, {nan, 1}, {inf, 1}} {
		if !NewVector(v).IsZero() {
			t.Errorf("NewVector(%v) is not zero", v)
		}
	}
	if c := NewVector(a).Cosine(NewVector(b[:3])); c != 0 {
		t.Errorf("Cosine of different dimensions = %g; want 0", c)
	}
}

func TestEmbedPutsLikeWithLike(t *testing.T) {
	p := postsOf(t, "Please add a dark theme", "night mode for the interface", "I was billed twice this month")
	if near, far := p[0].Vector.Cosine(p[1].Vector), p[0].Vector.Cosine(p[2].Vector); near < far+0.2 {
		t.Errorf("cosine to a paraphrase %.2f, to another subject %.2f", near, far)
	}
}

func TestContentHash(t *testing.T) {
	// Stored beside vectors, so it must never change.
	if got, want := ContentHash("Dark mode"), "9b7878aef90b527c22be169ed4ab97a5"; got != want {
		t.Errorf("ContentHash = %s; want %s", got, want)
	}
	if ContentHash("a") == ContentHash("b") {
		t.Error("ContentHash does not tell texts apart")
	}
}
