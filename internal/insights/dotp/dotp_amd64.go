package dotp

import "golang.org/x/sys/cpu"

var (
	haveAVX2 = cpu.X86.HasAVX2
	haveVNNI = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI

	// tileCols is how many columns a tile has here.
	tileCols = columns(haveVNNI)
)

func columns(vnni bool) int {
	if vnni {
		return Cols
	}
	return 2
}

//go:noescape
func vnniTile8(dst *int32, stride int, a *int16, b *int8, n int)

//go:noescape
func vnniTile16(dst *int32, stride int, a *int16, b *int16, n int)

//go:noescape
func avxTile8(dst *int32, stride int, a *int16, b *int8, n int)

//go:noescape
func avxTile16(dst *int32, stride int, a *int16, b *int16, n int)

//go:noescape
func avxVec8(dst *int32, a *int16, b *int8, n int)

func tile8(dst []int32, stride int, a []int16, b []int8, n int) {
	switch {
	case haveVNNI:
		vnniTile8(&dst[0], stride, &a[0], &b[0], n)
	case haveAVX2:
		avxTile8(&dst[0], stride, &a[0], &b[0], n)
	default:
		scalarTile8(dst, stride, a, b, n)
	}
}

func tile16(dst []int32, stride int, a, b []int16, n int) {
	switch {
	case haveVNNI:
		vnniTile16(&dst[0], stride, &a[0], &b[0], n)
	case haveAVX2:
		avxTile16(&dst[0], stride, &a[0], &b[0], n)
	default:
		scalarTile16(dst, stride, a, b, n)
	}
}

func vec8(dst []int32, a []int16, b []int8, n int) {
	if haveAVX2 {
		avxVec8(&dst[0], &a[0], &b[0], n)
		return
	}
	scalarVec8(dst, a, b, n)
}
