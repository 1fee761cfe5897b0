package insights

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomVectors(n, dim int) []Vector {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]Vector, n)
	for i := range out {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32(rng.NormFloat64())
		}
		out[i] = NewVector(v)
	}
	return out
}

func TestIndexFindsTheNearest(t *testing.T) {
	vs := randomVectors(1500, 100) // neither a multiple of a block nor of a lane
	x := NewIndex()
	for i, v := range vs {
		if err := x.Add(int64(i), v); err != nil {
			t.Fatal(err)
		}
	}
	gone := map[int64]bool{0: true, 700: true, 1499: true}
	for key := range gone {
		x.Remove(key)
		x.Remove(key)
	}
	if err := x.Add(3, vs[4]); err != nil {
		t.Fatal(err)
	}
	vs[3] = vs[4]
	if x.Len() != 1497 {
		t.Errorf("Len = %d; want 1497", x.Len())
	}
	for q := range 20 {
		query := vs[q*70]
		var want []Match
		for i, v := range vs {
			if !gone[int64(i)] {
				want = append(want, Match{int64(i), query.Cosine(v)})
			}
		}
		slices.SortFunc(want, func(a, b Match) int {
			return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Key, b.Key))
		})
		got := x.Search(query, 5, 0.1)
		if len(got) != 5 {
			t.Fatalf("Search found %d; want 5", len(got))
		}
		for k, m := range got {
			if m.Key != want[k].Key && m.Cosine < want[k].Cosine-1e-6 {
				t.Errorf("match %d of query %d = %v; want %v", k, q, m, want[k])
			}
		}
	}
	if got := x.Search(vs[1], 5, 0.999); len(got) != 1 || got[0].Key != 1 {
		t.Errorf("Search above 0.999 = %v; want the post itself", got)
	}
}

func TestIndexEdges(t *testing.T) {
	x := NewIndex()
	v := NewVector([]float32{1, 2, 3})
	if got := x.Search(v, 3, -1); len(got) != 0 {
		t.Errorf("Search of an empty index = %v", got)
	}
	x.Remove(1)
	if err := x.Add(1, v); err != nil {
		t.Fatal(err)
	}
	if err := x.Add(2, NewVector([]float32{1, 2})); !errors.Is(err, ErrDimension) {
		t.Errorf("Add of another dimension = %v; want %v", err, ErrDimension)
	}
	if got := x.Search(NewVector([]float32{1, 2}), 3, -1); got != nil {
		t.Errorf("Search with another dimension = %v; want none", got)
	}
	if err := x.Add(1, Vector{}); err != nil || x.Len() != 0 {
		t.Errorf("Add of the zero vector: %v, %d left; want the post removed", err, x.Len())
	}
}
