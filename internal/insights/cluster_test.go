package insights

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heed/internal/insights/dotp"
)

// planted returns a space with n texts around k random centres.
func planted(n, k, dim int, spread float64) *space {
	rng := rand.New(rand.NewPCG(5, 6))
	centres := make([][]float32, k)
	for c := range centres {
		centres[c] = make([]float32, dim)
		for j := range centres[c] {
			centres[c][j] = float32(rng.NormFloat64())
		}
		unit(centres[c])
	}
	s := emptySpace(n, dotp.Pad(dim, dotp.Lane))
	v := make([]float32, dim)
	for i := range n {
		for j := range v {
			v[j] = centres[i%k][j] + float32(spread*rng.NormFloat64()/math.Sqrt(float64(dim)))
		}
		unit(v)
		for j, x := range v {
			s.row(i)[j] = int16(math.RoundToEven(float64(x) * one))
		}
	}
	return s
}

func TestPlantedThemesAreFound(t *testing.T) {
	const n, k = 900, 30
	s := planted(n, k, 64, 0.7)
	weight := slices.Repeat([]int{1}, n)
	part, err := s.cluster(context.Background(), s.levels(), weight, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range n {
		if part[i] != part[i%k] {
			wrong++
		}
	}
	if themes := slices.Max(part) + 1; themes != k || wrong > n/100 {
		t.Errorf("%d themes, %d posts astray; want %d and next to none", themes, wrong, k)
	}
}

func TestNoiseStaysOutside(t *testing.T) {
	const n = 400
	s := planted(n, n, 256, 0) // every text has a centre to itself
	part, err := s.cluster(context.Background(), s.levels(), slices.Repeat([]int{1}, n), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := 0
	for _, p := range part {
		if p != outside {
			in++
		}
	}
	if in > n/5 {
		t.Errorf("%d of %d unrelated texts are in themes", in, n)
	}
}

// A subject with more posts than a community can hold must not fall to pieces.
func TestALargeThemeIsOne(t *testing.T) {
	s := planted(3000, 2, 64, 1.2)
	part, err := s.cluster(context.Background(), s.levels(), slices.Repeat([]int{1}, 3000), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	size := make(map[int]int)
	for _, p := range part {
		size[p]++
	}
	largest := 0
	for p, n := range size {
		if p != outside {
			largest = max(largest, n)
		}
	}
	if largest < 750 {
		t.Errorf("the largest theme of two subjects with 1500 posts each has %d", largest)
	}
}

func TestCellsFindMostNeighbours(t *testing.T) {
	s := planted(4000, 50, 64, 1)
	exact, err := s.nearest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	fast, err := s.nearestByCells(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found, total := 0, 0
	for i := range s.n {
		for _, c := range exact.of(i) {
			total++
			if slices.Contains(fast.of(i), c) {
				found++
			}
		}
	}
	if recall := float64(found) / float64(total); recall < 0.95 {
		t.Errorf("the cells find %.3f of the nearest neighbours; want 0.95", recall)
	}
}

func TestNearestKeepsTheBestInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	sims := make([]int32, 100)
	for i := range sims {
		sims[i] = int32(rng.IntN(20)) - 10 // many ties, some negative
	}
	var want []candidate
	for i, s := range sims {
		want = append(want, newCandidate(s, i))
	}
	slices.Sort(want)
	want = want[len(want)-neighbours:]
	for range 5 {
		l := newNearest(1)
		for _, i := range rng.Perm(len(sims)) {
			l.offer(0, newCandidate(sims[i], i))
		}
		if got := l.of(0); !slices.Equal(got, want) {
			t.Fatalf("nearest = %v; want %v", got, want)
		}
	}
	c := newCandidate(-7, 12)
	if c.sim() != -7 || c.index() != 12 {
		t.Errorf("candidate holds %d, %d; want -7, 12", c.sim(), c.index())
	}
}

func TestLSAKeepsAngles(t *testing.T) {
	// With fewer texts than directions nothing is lost: the product of two
	// rows is the same before and after.
	texts := []string{"dark mode on the phone", "dark mode on the web", "export as csv on the web", "csv export fails", "the phone is dark"}
	m, err := tfidf(context.Background(), texts, wordFeatures)
	if err != nil {
		t.Fatal(err)
	}
	d, err := lsa(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		for j := range texts {
			var want, got float64
			ci, vi := m.row(i)
			cj, vj := m.row(j)
			for a, c := range ci {
				if b := slices.Index(cj, c); b >= 0 {
					want += float64(vi[a] * vj[b])
				}
			}
			for k, x := range d.row(i) {
				got += float64(x * d.row(j)[k])
			}
			if math.Abs(got-want) > 0.01 {
				t.Errorf("similarity of %d and %d = %.3f after; %.3f before", i, j, got, want)
			}
		}
	}
}

func TestLog(t *testing.T) {
	for _, x := range []float64{1e-3, 0.5, 0.70710678, 1, 1.5, 2, 10, 12345.678} {
		if got, want := log(x), math.Log(x); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("log(%g) = %.16g; want %.16g", x, got, want)
		}
	}
}
