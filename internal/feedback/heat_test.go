package feedback_test

import (
	"testing"
	"time"

	"heed/internal/feedback"
)

func TestHeat(t *testing.T) {
	now := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	week := feedback.HeatHalfLife
	born := now.Add(-4 * week)
	votes := func(n int, at time.Time) feedback.Heat {
		h := feedback.NewHeat(born)
		for range n {
			h = h.Plus(at)
		}
		return h
	}
	// Ten votes of today beat fifteen of last week, and not twenty-five.
	if votes(10, now) <= votes(15, now.Add(-week)) || votes(10, now) >= votes(25, now.Add(-week)) {
		t.Error("a vote does not count half after a week")
	}
	// To take a vote back leaves what was there before, however often.
	h := votes(7, now.Add(-week))
	for range 1000 {
		h = h.Plus(now).Minus(now, born)
	}
	if d := h - votes(7, now.Add(-week)); d > 5000 || d < -5000 {
		t.Errorf("voting and taking it back a thousand times moved the heat by %d millionths of a half-life", d)
	}
	if got := feedback.NewHeat(born).Minus(now, born); got != feedback.NewHeat(born) {
		t.Errorf("Minus below nothing = %d; want that of a new post", got)
	}
	a, b := votes(3, now), votes(5, now.Add(-week))
	if a.PlusAll(b) != b.PlusAll(a) || a.PlusAll(b) <= a {
		t.Error("PlusAll depends on the order, or adds nothing")
	}
}
