package insights

import (
	"cmp"
	"slices"
)

// unit of edge weights: a similarity of one.
const weightOne = 1 << 16

// graph is a weighted undirected graph; the edges of node i are those between
// start[i] and start[i+1], and each appears at both its ends. A node stands
// for size[i] texts.
type graph struct {
	start  []int32
	to     []int32
	weight []int64
	size   []int64
}

func (g *graph) nodes() int { return len(g.size) }

func (g *graph) edges(i int) ([]int32, []int64) {
	a, b := g.start[i], g.start[i+1]
	return g.to[a:b], g.weight[a:b]
}

// arc is one end of an edge.
type arc struct {
	from, to int32
	weight   int64
}

// newGraph builds a graph from arcs, adding up those between the same nodes
// and leaving out loops.
func newGraph(size []int64, arcs []arc) *graph {
	slices.SortFunc(arcs, func(a, b arc) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	g := &graph{size: size, start: make([]int32, len(size)+1)}
	for i := 0; i < len(arcs); {
		j, sum := i, int64(0)
		for j < len(arcs) && arcs[j].from == arcs[i].from && arcs[j].to == arcs[i].to {
			sum += arcs[j].weight
			j++
		}
		if arcs[i].from != arcs[i].to {
			g.to = append(g.to, arcs[i].to)
			g.weight = append(g.weight, sum)
			g.start[arcs[i].from+1]++
		}
		i = j
	}
	for i := range size {
		g.start[i+1] += g.start[i]
	}
	return g
}

// graph joins each text to its neighbours, by how much their similarity
// exceeds the floor. Neighbours of each other are joined twice as tightly.
func (l *nearest) graph(floor int32) *graph {
	n := len(l.count)
	arcs := make([]arc, 0, 2*n*neighbours)
	for i := range n {
		for _, c := range l.of(i) {
			if w := int64(c.sim()-floor) * weightOne / (one * one); w > 0 {
				j := int32(c.index())
				arcs = append(arcs, arc{int32(i), j, w}, arc{j, int32(i), w})
			}
		}
	}
	size := make([]int64, n)
	for i := range size {
		size[i] = 1
	}
	return newGraph(size, arcs)
}

// aggregate returns the graph whose nodes are the communities of g.
func (g *graph) aggregate(community []int32, count int) *graph {
	size := make([]int64, count)
	arcs := make([]arc, 0, len(g.to))
	for i := range g.nodes() {
		c := community[i]
		size[c] += g.size[i]
		to, weight := g.edges(i)
		for k, j := range to {
			if d := community[j]; d != c {
				arcs = append(arcs, arc{c, d, weight[k]})
			}
		}
	}
	return newGraph(size, arcs)
}
