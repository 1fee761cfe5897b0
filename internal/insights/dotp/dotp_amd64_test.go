package dotp

import (
	"slices"
	"testing"
)

// The tests above run the kernel that this machine prefers; an older one must
// give the same sums.
func TestAVX2AgreesWithScalarLoops(t *testing.T) {
	if !haveAVX2 {
		t.Skip("no AVX2")
	}
	const n = 160
	a, b16, b8 := operands(Rows, Cols, n)
	avx8 := func(dst []int32, stride int, a []int16, b []int8, n int) {
		avxTile8(&dst[0], stride, &a[0], &b[0], n)
	}
	avx16 := func(dst []int32, stride int, a, b []int16, n int) {
		avxTile16(&dst[0], stride, &a[0], &b[0], n)
	}
	got, want := make([]int32, Rows*Cols), make([]int32, Rows*Cols)
	tiles(avx8, a, b8, n, 2)(got)
	tiles(scalarTile8, a, b8, n, 2)(want)
	if !slices.Equal(got, want) {
		t.Errorf("avxTile8 = %v; want %v", got, want)
	}
	tiles(avx16, a, b16, n, 2)(got)
	tiles(scalarTile16, a, b16, n, 2)(want)
	if !slices.Equal(got, want) {
		t.Errorf("avxTile16 = %v; want %v", got, want)
	}
}
