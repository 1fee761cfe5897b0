package tone

import "testing"

func TestOrder(t *testing.T) {
	// Each text sounds better than the next.
	texts := []string{
		"Absolutely amazing, I LOVE it!!!",
		"I really love it",
		"I love it",
		"It is good",
		"It is slightly good",
		"Where is the settings page?",
		"It is not good",
		"It is bad",
		"It is very bad",
		"It is very bad and it crashes 😡",
		"This is a terrible, horrible, VERY bad and broken app!!!",
	}
	last := 2.0
	for _, text := range texts {
		score, _ := Of(text)
		if score >= last {
			t.Errorf("Of(%q) = %.3f; want less than %.3f", text, score, last)
		}
		last = score
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		text string
		sign float64
		ok   bool
	}{
		{"", 0, false},
		{"the settings page", 0, false},
		{"I don't like it", -1, true},
		{"The design is nice but it crashes and loses my data", -1, true},
		{"👎", -1, true},
		{"GREAT APP", 1, true},
	} {
		score, ok := Of(c.text)
		if ok != c.ok || sign(score) != c.sign || score < -1 || score > 1 {
			t.Errorf("Of(%q) = %.3f, %v; want the sign %g, %v", c.text, score, ok, c.sign, c.ok)
		}
	}
}
