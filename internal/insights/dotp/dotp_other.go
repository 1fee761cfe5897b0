//go:build !amd64 && !arm64

package dotp

// tileCols is how many columns a tile has here.
const tileCols = 2

func tile8(dst []int32, stride int, a []int16, b []int8, n int) {
	scalarTile8(dst, stride, a, b, n)
}

func tile16(dst []int32, stride int, a, b []int16, n int) {
	scalarTile16(dst, stride, a, b, n)
}

func vec8(dst []int32, a []int16, b []int8, n int) { scalarVec8(dst, a, b, n) }
