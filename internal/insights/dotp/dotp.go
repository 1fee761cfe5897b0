// Package dotp multiplies small-integer matrices: the inner loop of the
// sentence encoder, of the neighbour search and of the similarity index.
//
// It works in integers only, because integers add up to the same sum in every
// order. A vector kernel, a scalar loop and another processor therefore give
// the same bits, and so the same themes. Callers keep their values small
// enough that no sum leaves int32; nothing here checks for it.
package dotp

// Lane is the number of elements a kernel consumes at a time: the inner
// length of every product is a multiple of it.
const Lane = 32

// Cols is the number of right-hand rows a kernel may work on at a time.
// Right-hand matrices are padded to a multiple of it.
const Cols = 4

// Rows is the number of left-hand rows a kernel works on at a time. Left-hand
// matrices are padded to a multiple of it.
const Rows = 4

// panel is how many right-hand rows stay in the first-level cache while all
// left-hand rows pass over them.
const panel = 32

// Pad returns n rounded up to a multiple of to.
func Pad(n, to int) int { return (n + to - 1) / to * to }

// Mul8 writes the product of a and the transpose of b to dst: dst[i*stride+j]
// is the sum over k of a[i*n+k]*b[j*n+k], for rows rows of a and cols rows of
// b. rows is a multiple of Rows, cols of Cols, n of Lane.
func Mul8(dst []int32, stride int, a []int16, rows int, b []int8, cols, n int) {
	check(len(dst), stride, len(a), rows, len(b), cols, n)
	for j0 := 0; j0 < cols; j0 += panel {
		j1 := min(j0+panel, cols)
		for i := 0; i < rows; i += Rows {
			for j := j0; j < j1; j += tileCols {
				tile8(dst[i*stride+j:], stride, a[i*n:], b[j*n:], n)
			}
		}
	}
}

// Mul16 is Mul8 with int16 on both sides.
func Mul16(dst []int32, stride int, a []int16, rows int, b []int16, cols, n int) {
	check(len(dst), stride, len(a), rows, len(b), cols, n)
	for j0 := 0; j0 < cols; j0 += panel {
		j1 := min(j0+panel, cols)
		for i := 0; i < rows; i += Rows {
			for j := j0; j < j1; j += tileCols {
				tile16(dst[i*stride+j:], stride, a[i*n:], b[j*n:], n)
			}
		}
	}
}

// Vec8 writes the products of one row a with each row of b: dst[j] is the sum
// over k of a[k]*b[j*n+k], for len(dst) rows. len(dst) is a multiple of Rows
// and n of Lane.
func Vec8(dst []int32, a []int16, b []int8, n int) {
	if n == 0 || n%Lane != 0 || len(dst)%Rows != 0 || len(a) < n || len(b) < len(dst)*n {
		panic("dotp: operands do not fit")
	}
	for j := 0; j < len(dst); j += Rows {
		vec8(dst[j:], a, b[j*n:], n)
	}
}

// check guards the kernels, which trust their lengths.
func check(dst, stride, a, rows, b, cols, n int) {
	if n == 0 || n%Lane != 0 || rows%Rows != 0 || cols%Cols != 0 || stride < cols ||
		a < rows*n || b < cols*n || (rows > 0 && dst < (rows-1)*stride+cols) {
		panic("dotp: operands do not fit")
	}
}

// The scalar loops are what the kernels are measured against, and what runs
// where there is no kernel. Four sums at a time hide the multiplier's latency.

func scalarTile8(dst []int32, stride int, a []int16, b []int8, n int) {
	for i := range Rows {
		x := a[i*n : i*n+n]
		y0, y1 := b[:n], b[n:2*n]
		var s0, s1 int32
		for k, v := range x {
			s0 += int32(v) * int32(y0[k])
			s1 += int32(v) * int32(y1[k])
		}
		dst[i*stride], dst[i*stride+1] = s0, s1
	}
}

func scalarTile16(dst []int32, stride int, a, b []int16, n int) {
	for i := range Rows {
		x := a[i*n : i*n+n]
		y0, y1 := b[:n], b[n:2*n]
		var s0, s1 int32
		for k, v := range x {
			s0 += int32(v) * int32(y0[k])
			s1 += int32(v) * int32(y1[k])
		}
		dst[i*stride], dst[i*stride+1] = s0, s1
	}
}

func scalarVec8(dst []int32, a []int16, b []int8, n int) {
	y0, y1, y2, y3 := b[:n], b[n:2*n], b[2*n:3*n], b[3*n:4*n]
	var s0, s1, s2, s3 int32
	for k, v := range a[:n] {
		w := int32(v)
		s0 += w * int32(y0[k])
		s1 += w * int32(y1[k])
		s2 += w * int32(y2[k])
		s3 += w * int32(y3[k])
	}
	dst[0], dst[1], dst[2], dst[3] = s0, s1, s2, s3
}
