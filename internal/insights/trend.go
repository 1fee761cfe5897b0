package insights

import "time"

// Trend says how the number of new posts of a theme develops.
type Trend string

const (
	TrendUp   Trend = "up"
	TrendDown Trend = "down"
	TrendFlat Trend = "flat"
	TrendNew  Trend = "new" // the theme itself is new
)

// TrendWindow is the stretch of time that a trend compares with the one before.
const TrendWindow = 30 * 24 * time.Hour

// TrendAt compares the posts created in the last 30 days with those of the 30
// days before, and returns the difference. It looks at when posts were
// written, not at what earlier runs counted: posts change themes between
// runs. Posts from the future do not count.
func TrendAt(now time.Time, created []time.Time, minted bool) (Trend, int) {
	delta := 0
	for _, t := range created {
		switch age := now.Sub(t); {
		case age < 0, age >= 2*TrendWindow:
		case age < TrendWindow:
			delta++
		default:
			delta--
		}
	}
	switch {
	case minted:
		return TrendNew, delta
	case delta > 0:
		return TrendUp, delta
	case delta < 0:
		return TrendDown, delta
	}
	return TrendFlat, delta
}
