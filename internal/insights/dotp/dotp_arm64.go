package dotp

// Every arm64 processor has these instructions.

// tileCols is how many columns a tile has here.
const tileCols = 2

//go:noescape
func neonTile8(dst *int32, stride int, a *int16, b *int8, n int)

//go:noescape
func neonTile16(dst *int32, stride int, a *int16, b *int16, n int)

//go:noescape
func neonVec8(dst *int32, a *int16, b *int8, n int)

func tile8(dst []int32, stride int, a []int16, b []int8, n int) {
	neonTile8(&dst[0], stride, &a[0], &b[0], n)
}

func tile16(dst []int32, stride int, a, b []int16, n int) {
	neonTile16(&dst[0], stride, &a[0], &b[0], n)
}

func vec8(dst []int32, a []int16, b []int8, n int) {
	neonVec8(&dst[0], &a[0], &b[0], n)
}
