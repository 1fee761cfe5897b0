package insights

import (
	"testing"
	"time"
)

func TestTrendAt(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	days := func(ages ...int) []time.Time {
		var out []time.Time
		for _, d := range ages {
			out = append(out, now.Add(-time.Duration(d)*24*time.Hour))
		}
		return out
	}
	for _, c := range []struct {
		name    string
		created []time.Time
		minted  bool
		want    Trend
		delta   int
	}{
		{"no posts", nil, false, TrendFlat, 0},
		{"growing", days(1, 2, 29, 45), false, TrendUp, 2},
		{"shrinking", days(1, 31, 59), false, TrendDown, -1},
		{"even", days(1, 31), false, TrendFlat, 0},
		{"old posts do not count", days(60, 61, 400), false, TrendFlat, 0},
		{"nor do those of tomorrow", days(-1), false, TrendFlat, 0},
		{"thirty days ago is the window before", days(30), false, TrendDown, -1},
		{"a new theme is new", days(1, 2), true, TrendNew, 2},
	} {
		if got, delta := TrendAt(now, c.created, c.minted); got != c.want || delta != c.delta {
			t.Errorf("%s: TrendAt = %s, %d; want %s, %d", c.name, got, delta, c.want, c.delta)
		}
	}
}
