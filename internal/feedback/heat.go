package feedback

import (
	"math"
	"time"
)

// Heat is how much a post is wanted lately: the sum of its votes, each worth
// half as much for every [HeatHalfLife] of its age. It is kept as a logarithm
// counted from 1970, in millionths. All votes fade alike, so a heat need not be
// touched until there is another vote, and posts can be ordered by an index.
type Heat int64

// HeatHalfLife is how long it takes a vote to count half.
const HeatHalfLife = 7 * 24 * time.Hour

// millionths of a half-life since 1970.
func heatTime(t time.Time) float64 { return float64(t.UnixMicro()) / HeatHalfLife.Seconds() }

// NewHeat is the heat of a post made at t that nobody has voted for: to be new
// counts as one vote.
func NewHeat(t time.Time) Heat { return Heat(heatTime(t)) }

// Plus adds a vote cast at t.
func (a Heat) Plus(t time.Time) Heat { return a.PlusAll(Heat(heatTime(t))) }

// PlusAll adds all votes of another heat.
func (a Heat) PlusAll(b Heat) Heat {
	hi, lo := max(a, b), min(a, b)
	return hi + Heat(math.Round(1e6*math.Log2(1+math.Exp2(float64(lo-hi)/1e6))))
}

// Minus takes away a vote cast at t. What is left is never less than the heat
// of a new post made at born.
func (a Heat) Minus(t, born time.Time) Heat { return a.MinusAll(Heat(heatTime(t)), born) }

// MinusAll takes away all votes of another heat.
func (a Heat) MinusAll(b Heat, born time.Time) Heat {
	least := NewHeat(born)
	if b >= a {
		return least
	}
	return max(least, a+Heat(math.Round(1e6*math.Log2(1-math.Exp2(float64(b-a)/1e6)))))
}
