package qr

// draw draws the code of a version that holds data and their correction.
func draw(version int, data []byte) *Code {
	size := 17 + 4*version
	c := &Code{Size: size, dark: make([]bool, size*size), fixed: make([]bool, size*size)}
	c.patterns(version)
	c.fill(data)
	// Eight masks: the one that looks least like a pattern is read best.
	best, least := 0, -1
	for mask := range 8 {
		c.mask(mask)
		c.format(mask)
		if p := c.penalty(); least < 0 || p < least {
			best, least = mask, p
		}
		c.mask(mask) // and off again
	}
	c.mask(best)
	c.format(best)
	return c
}

func (c *Code) set(x, y int, dark bool) {
	if x >= 0 && y >= 0 && x < c.Size && y < c.Size {
		c.dark[y*c.Size+x], c.fixed[y*c.Size+x] = dark, true
	}
}

// patterns draws what every code of the version has.
func (c *Code) patterns(version int) {
	for i := range c.Size {
		c.set(6, i, i%2 == 0)
		c.set(i, 6, i%2 == 0)
	}
	last := c.Size - 4
	for _, at := range [][2]int{{3, 3}, {last, 3}, {3, last}} {
		c.rings(at[0], at[1], 4)
	}
	places := alignment(version)
	for i, x := range places {
		for j, y := range places {
			corner := i == 0 && j == 0 || i == 0 && j == len(places)-1 || i == len(places)-1 && j == 0
			if !corner {
				c.rings(x, y, 2)
			}
		}
	}
	c.format(0) // keeps its place free
	if version >= 7 {
		rest := version
		for range 12 {
			rest = rest<<1 ^ (rest>>11)*0x1f25
		}
		bits := version<<12 | rest
		for i := range 18 {
			dark := bits>>i&1 != 0
			c.set(c.Size-11+i%3, i/3, dark)
			c.set(i/3, c.Size-11+i%3, dark)
		}
	}
}

// rings draws the squares by which a reader finds the code and its grid.
func (c *Code) rings(x, y, radius int) {
	for dy := -radius; dy <= radius; dy++ {
		for dx := -radius; dx <= radius; dx++ {
			d := max(dx, -dx, dy, -dy)
			dark := d != 2 && d != 4
			if radius == 2 {
				dark = d != 1
			}
			c.set(x+dx, y+dy, dark)
		}
	}
}

// alignment are the rows and columns of the small squares.
func alignment(version int) []int {
	if version == 1 {
		return nil
	}
	n := version/7 + 2
	step := (version*8 + n*3 + 5) / (n*4 - 4) * 2
	all := make([]int, n)
	all[0] = 6
	for i, at := n-1, 4*version+10; i > 0; i, at = i-1, at-step {
		all[i] = at
	}
	return all
}

// format writes which mask the code has, and the level of correction, twice.
func (c *Code) format(mask int) {
	const low = 1 // the lowest level, as the standard numbers them
	data := low<<3 | mask
	rest := data
	for range 10 {
		rest = rest<<1 ^ (rest>>9)*0x537
	}
	bits := (data<<10 | rest) ^ 0x5412
	dark := func(i int) bool { return bits>>i&1 != 0 }
	for i := range 6 {
		c.set(8, i, dark(i))
	}
	c.set(8, 7, dark(6))
	c.set(8, 8, dark(7))
	c.set(7, 8, dark(8))
	for i := 9; i < 15; i++ {
		c.set(14-i, 8, dark(i))
	}
	for i := range 8 {
		c.set(c.Size-1-i, 8, dark(i))
	}
	for i := 8; i < 15; i++ {
		c.set(8, c.Size-15+i, dark(i))
	}
	c.set(8, c.Size-8, true)
}

// fill writes the data where no pattern is: in columns of two from the right, up
// and down in turn.
func (c *Code) fill(data []byte) {
	i := 0
	for right := c.Size - 1; right >= 1; right -= 2 {
		if right == 6 {
			right = 5 // the column of the pattern is none
		}
		up := (right+1)&2 == 0
		for step := range c.Size {
			y := step
			if up {
				y = c.Size - 1 - step
			}
			for x := right; x > right-2; x-- {
				if !c.fixed[y*c.Size+x] && i < 8*len(data) {
					c.dark[y*c.Size+x] = data[i/8]>>(7-i%8)&1 != 0
					i++
				}
			}
		}
	}
}

// mask inverts the modules that a mask names; doing it twice undoes it.
func (c *Code) mask(mask int) {
	for y := range c.Size {
		for x := range c.Size {
			var invert bool
			switch mask {
			case 0:
				invert = (x+y)%2 == 0
			case 1:
				invert = y%2 == 0
			case 2:
				invert = x%3 == 0
			case 3:
				invert = (x+y)%3 == 0
			case 4:
				invert = (x/3+y/2)%2 == 0
			case 5:
				invert = x*y%2+x*y%3 == 0
			case 6:
				invert = (x*y%2+x*y%3)%2 == 0
			case 7:
				invert = ((x+y)%2+x*y%3)%2 == 0
			}
			if i := y*c.Size + x; invert && !c.fixed[i] {
				c.dark[i] = !c.dark[i]
			}
		}
	}
}

// penalty counts what makes a code hard to read: long runs, squares, what looks
// like the corner pattern, and too much of one colour.
func (c *Code) penalty() (p int) {
	dark := 0
	for y := range c.Size {
		p += c.linePenalty(func(i int) bool { return c.Dark(i, y) })
		p += c.linePenalty(func(i int) bool { return c.Dark(y, i) })
		for x := range c.Size {
			if c.Dark(x, y) {
				dark++
			}
			if x+1 < c.Size && y+1 < c.Size {
				if a := c.Dark(x, y); a == c.Dark(x+1, y) && a == c.Dark(x, y+1) && a == c.Dark(x+1, y+1) {
					p += 3
				}
			}
		}
	}
	total := c.Size * c.Size
	off := 20*dark - 10*total
	return p + max(off, -off)/total*10
}

// linePenalty is the penalty of a row or column.
func (c *Code) linePenalty(at func(int) bool) (p int) {
	run := 0
	for i := range c.Size {
		if i > 0 && at(i) == at(i-1) {
			run++
		} else {
			run = 1
		}
		switch {
		case run == 5:
			p += 3
		case run > 5:
			p++
		}
	}
	// 1011101 with four light modules before or after it, which the quiet zone
	// has.
	light := func(i int) bool { return i < 0 || i >= c.Size || !at(i) }
	for i := 0; i+7 <= c.Size; i++ {
		corner := at(i) && !at(i+1) && at(i+2) && at(i+3) && at(i+4) && !at(i+5) && at(i+6)
		if !corner {
			continue
		}
		if light(i-1) && light(i-2) && light(i-3) && light(i-4) {
			p += 40
		}
		if light(i+7) && light(i+8) && light(i+9) && light(i+10) {
			p += 40
		}
	}
	return p
}
