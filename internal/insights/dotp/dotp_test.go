package dotp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// operands fills matrices with the whole range of values callers use, the
// extremes included: sign extension is where a kernel would go wrong.
func operands(rows, cols, n int) (a, b16 []int16, b8 []int8) {
	rng := rand.New(rand.NewPCG(1, uint64(rows*cols*n)))
	a, b16, b8 = make([]int16, rows*n), make([]int16, cols*n), make([]int8, cols*n)
	for i := range a {
		a[i] = int16(rng.IntN(16383) - 8191)
	}
	for i := range b8 {
		b16[i] = int16(rng.IntN(8191) - 4095)
		b8[i] = int8(rng.IntN(256) - 128)
	}
	return a, b16, b8
}

func TestKernelsAgreeWithPlainSums(t *testing.T) {
	for _, c := range []struct{ rows, cols, n int }{{4, 4, 32}, {4, 36, 96}, {8, 8, 384}, {12, 72, 64}, {4, 4, 1536}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			a, b16, b8 := operands(c.rows, c.cols, c.n)
			stride := c.cols + 3
			got8, got16 := make([]int32, c.rows*stride), make([]int32, c.rows*stride)
			Mul8(got8, stride, a, c.rows, b8, c.cols, c.n)
			Mul16(got16, stride, a, c.rows, b16, c.cols, c.n)
			for i := range c.rows {
				for j := range c.cols {
					var want8, want16 int32
					for k := range c.n {
						want8 += int32(a[i*c.n+k]) * int32(b8[j*c.n+k])
						want16 += int32(a[i*c.n+k]) * int32(b16[j*c.n+k])
					}
					if got := got8[i*stride+j]; got != want8 {
						t.Fatalf("Mul8 [%d,%d] = %d; want %d", i, j, got, want8)
					}
					if got := got16[i*stride+j]; got != want16 {
						t.Fatalf("Mul16 [%d,%d] = %d; want %d", i, j, got, want16)
					}
				}
			}
		})
	}
}

// tiles covers four columns with whatever tiles f makes.
func tiles[T any](f func(dst []int32, stride int, a []int16, b []T, n int), a []int16, b []T, n, cols int) func([]int32) {
	return func(dst []int32) {
		for j := 0; j < Cols; j += cols {
			f(dst[j:], Cols, a, b[j*n:], n)
		}
	}
}

func TestScalarLoopsAgreeWithKernels(t *testing.T) {
	const n = 96
	a, b16, b8 := operands(Rows, Cols, n)
	for _, c := range []struct {
		name           string
		kernel, scalar func(dst []int32)
	}{
		{"tile8", tiles(tile8, a, b8, n, tileCols), tiles(scalarTile8, a, b8, n, 2)},
		{"tile16", tiles(tile16, a, b16, n, tileCols), tiles(scalarTile16, a, b16, n, 2)},
		{"vec8", func(d []int32) { vec8(d, a, b8, n) }, func(d []int32) { scalarVec8(d, a, b8, n) }},
	} {
		got, want := make([]int32, Rows*Cols), make([]int32, Rows*Cols)
		c.kernel(got)
		c.scalar(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s = %v; want %v", c.name, got, want)
		}
	}
}

func TestShapesThatDoNotFitPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Mul8 read past its operands")
		}
	}()
	Mul8(make([]int32, 16), 4, make([]int16, 32), 4, make([]int8, 128), 4, 32)
}

func BenchmarkMul8(b *testing.B) {
	const rows, cols, n = 128, 1536, 384
	x, _, w := operands(rows, cols, n)
	dst := make([]int32, rows*cols)
	for b.Loop() {
		Mul8(dst, cols, x, rows, w, cols, n)
	}
	b.ReportMetric(float64(rows*cols*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
}
