package insights

import "context"

// communities divides a graph so that each part is held together by more than
// tightness per pair of texts, and no text would rather be elsewhere: the
// constant Potts model, optimised by the Leiden method. Unlike modularity its
// scale does not depend on the size of the graph, so a theme of a small site
// is still a theme when the site has grown.
//
// start, if not nil, is the division to improve on; texts outside it, and all
// texts without it, start alone.
func communities(ctx context.Context, g *graph, tightness int64, start []int) ([]int, error) {
	// of[i] is the node of g, in its present aggregation, that text i is in.
	of := identity(g.nodes())
	part := startFrom(start, g.nodes())
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		moved := g.move(part, tightness)
		count := number(part)
		if !moved || count == g.nodes() {
			out := make([]int, len(of))
			for i, v := range of {
				out[i] = int(part[v])
			}
			return out, nil
		}
		// The next level's nodes are not the communities themselves but the
		// well-knit pieces they consist of, which may still part ways.
		fine := g.refine(part, tightness)
		pieces := number(fine)
		if pieces == g.nodes() {
			fine, pieces = part, count
		}
		next := make([]int32, pieces)
		for i, f := range fine {
			next[f] = part[i]
		}
		for i, v := range of {
			of[i] = fine[v]
		}
		g, part = g.aggregate(fine, pieces), next
	}
}

// startFrom makes a division complete, with names below n: each theme takes
// that of its first text.
func startFrom(start []int, n int) []int32 {
	part := identity(n)
	first := make(map[int]int32)
	for i, p := range start {
		if p == outside {
			continue
		}
		if _, ok := first[p]; !ok {
			first[p] = int32(i)
		}
		part[i] = first[p]
	}
	return part
}

func identity(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// number renames the values of part to 0, 1, 2, ... by first appearance and
// returns how many there are.
func number(part []int32) int {
	names := make(map[int32]int32)
	for i, p := range part {
		name, ok := names[p]
		if !ok {
			name = int32(len(names))
			names[p] = name
		}
		part[i] = name
	}
	return len(names)
}

// links adds up the weights from a node to the communities around it.
type links struct {
	weight []int64
	met    []int32
}

func newLinks(n int) *links { return &links{weight: make([]int64, n)} }

func (l *links) gather(g *graph, node int32, part []int32) {
	for _, c := range l.met {
		l.weight[c] = 0
	}
	l.met = l.met[:0]
	to, weight := g.edges(int(node))
	for k, j := range to {
		c := part[j]
		if l.weight[c] == 0 {
			l.met = append(l.met, c)
		}
		l.weight[c] += weight[k]
	}
}

// move lets nodes change to the community they gain most by, until none wants
// to. Nodes are asked in a shuffled order, and again when a neighbour moved.
// It reports whether anything changed.
func (g *graph) move(part []int32, tightness int64) bool {
	n := g.nodes()
	size := make([]int64, n)
	for i, p := range part {
		size[p] += g.size[i]
	}
	var empty []int32
	for c, s := range size {
		if s == 0 {
			empty = append(empty, int32(c))
		}
	}
	queue := shuffled(n)
	queued := make([]bool, n)
	for i := range queued {
		queued[i] = true
	}
	l := newLinks(n)
	moved := false
	for head := 0; head < len(queue); head++ {
		v := queue[head]
		queued[v] = false
		l.gather(g, v, part)
		from := part[v]
		size[from] -= g.size[v]
		best, gain := from, l.weight[from]-tightness*g.size[v]*size[from]
		for _, c := range l.met {
			if x := l.weight[c] - tightness*g.size[v]*size[c]; x > gain || x == gain && c < best && best != from {
				best, gain = c, x
			}
		}
		if gain < 0 && len(empty) > 0 { // better off alone
			best = empty[len(empty)-1]
			empty = empty[:len(empty)-1]
		}
		size[best] += g.size[v]
		if best == from {
			continue
		}
		if size[from] == 0 {
			empty = append(empty, from)
		}
		part[v], moved = best, true
		to, _ := g.edges(int(v))
		for _, j := range to {
			if part[j] != best && !queued[j] {
				queued[j] = true
				queue = append(queue, j)
			}
		}
	}
	return moved
}

// refine divides each community into pieces that a node joined because it
// gained by it, starting from single nodes.
func (g *graph) refine(part []int32, tightness int64) []int32 {
	n := g.nodes()
	fine := identity(n)
	size := make([]int64, n)
	copy(size, g.size)
	alone := make([]bool, n)
	for i := range alone {
		alone[i] = true
	}
	l := newLinks(n)
	for _, v := range shuffled(n) {
		if !alone[v] {
			continue
		}
		l.gather(g, v, fine)
		best, gain := int32(-1), int64(0)
		for _, c := range l.met {
			if part[c] != part[v] || c == v {
				continue
			}
			if x := l.weight[c] - tightness*g.size[v]*size[c]; x > gain || x == gain && best >= 0 && c < best {
				best, gain = c, x
			}
		}
		if best >= 0 {
			size[best] += size[v]
			size[v] = 0
			fine[v] = best
			alone[best] = false
		}
	}
	return fine
}

// shuffled returns 0..n-1 in an order that is random and always the same.
func shuffled(n int) []int32 {
	out := identity(n)
	rng := splitmix(3)
	for i := n - 1; i > 0; i-- {
		j := rng.below(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}
