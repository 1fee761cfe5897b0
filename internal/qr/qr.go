// Package qr draws QR codes (ISO/IEC 18004) of short texts: bytes, the lowest
// level of correction, up to 520 of them. That is enough for what a phone reads
// from a screen, where nothing is smudged. It knows no picture format: whoever
// calls it asks module by module what is dark.
package qr

import "errors"

// Code is a QR code. Its modules are dark or light.
type Code struct {
	// Size is how many modules are in a row, without the quiet zone of four
	// modules that must surround them.
	Size int

	dark  []bool
	fixed []bool // no data goes there: patterns, and what describes the code
}

// Dark reports whether the module in column x and row y is dark.
func (c *Code) Dark(x, y int) bool { return c.dark[y*c.Size+x] }

// The numbers of the standard for the lowest level of correction, by version from
// 1: how many bytes of correction a block has, and how many blocks there are.
var (
	correction = [...]int{7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22}
	blockCount = [...]int{1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6}
)

// ErrTooLong is returned for a text that no code of ours holds.
var ErrTooLong = errors.New("qr: the text is too long")

// Encode returns the smallest code that holds the text.
func Encode(text string) (*Code, error) {
	for version := 1; version <= len(correction); version++ {
		if data := payload(text, version); data != nil {
			return draw(version, spread(data, version)), nil
		}
	}
	return nil, ErrTooLong
}

// modules is how many modules of a version hold data and correction.
func modules(version int) int {
	n := (16*version+128)*version + 64
	if version >= 2 {
		k := version/7 + 2
		n -= (25*k-10)*k - 55
		if version >= 7 {
			n -= 36
		}
	}
	return n
}

// capacity is how many bytes of data a version holds.
func capacity(version int) int {
	return modules(version)/8 - correction[version-1]*blockCount[version-1]
}

// payload is the text as the data of a version, or nil if it does not fit.
func payload(text string, version int) []byte {
	lengthBits := 8
	if version >= 10 {
		lengthBits = 16
	}
	if 4+lengthBits+8*len(text) > 8*capacity(version) || len(text) >= 1<<lengthBits {
		return nil
	}
	data := make([]byte, 0, capacity(version))
	var held, n uint
	put := func(value uint, bits int) {
		held, n = held<<bits|value, n+uint(bits)
		for ; n >= 8; n -= 8 {
			data = append(data, byte(held>>(n-8)))
		}
	}
	put(0b0100, 4) // bytes follow
	put(uint(len(text)), lengthBits)
	for i := range len(text) {
		put(uint(text[i]), 8)
	}
	put(0, min(4, 8*capacity(version)-8*len(data)-int(n))) // the end
	if n > 0 {
		put(0, 8-int(n))
	}
	for filler := byte(0xec); len(data) < capacity(version); filler ^= 0xec ^ 0x11 {
		data = append(data, filler)
	}
	return data
}

// spread cuts the data into blocks, gives each its correction, and interleaves
// them, so that a scratch harms a little of each.
func spread(data []byte, version int) []byte {
	count, extra := blockCount[version-1], correction[version-1]
	short, longer := len(data)/count, len(data)%count
	var blocks, corrections [][]byte
	g := generator(extra)
	for i := range count {
		n := short
		if i >= count-longer {
			n++
		}
		blocks, corrections = append(blocks, data[:n]), append(corrections, remainder(data[:n], g))
		data = data[n:]
	}
	var out []byte
	for i := range short + 1 {
		for _, b := range blocks {
			if i < len(b) {
				out = append(out, b[i])
			}
		}
	}
	for i := range extra {
		for _, c := range corrections {
			out = append(out, c[i])
		}
	}
	return out
}

// multiply is the product of two elements of the field of 256 that the standard
// counts in.
func multiply(a, b byte) byte {
	var z int
	for i := 7; i >= 0; i-- {
		z = z<<1 ^ (z>>7)*0x11d
		z ^= int(b>>i&1) * int(a)
	}
	return byte(z)
}

// generator is the polynomial of n bytes of correction, without its first term.
func generator(n int) []byte {
	g := make([]byte, n)
	g[n-1] = 1
	root := byte(1)
	for range n {
		for j := range g {
			g[j] = multiply(g[j], root)
			if j+1 < n {
				g[j] ^= g[j+1]
			}
		}
		root = multiply(root, 2)
	}
	return g
}

// remainder is the correction of a block.
func remainder(block, g []byte) []byte {
	rest := make([]byte, len(g))
	for _, b := range block {
		factor := b ^ rest[0]
		copy(rest, rest[1:])
		rest[len(rest)-1] = 0
		for i := range rest {
			rest[i] ^= multiply(g[i], factor)
		}
	}
	return rest
}
