package main

import (
	"math"
	"testing"
)

func TestEvaluate(t *testing.T) {
	for _, c := range []struct {
		name            string
		themes, classes []int
		nmi, ari        float64
		precision       float64
		noise           float64
	}{
		{"perfect", []int{5, 5, 7, 7}, []int{0, 0, 1, 1}, 1, 1, 1, 0},
		{"all together", []int{0, 0, 0, 0}, []int{0, 0, 1, 1}, 0, 0, 1.0 / 3, 0},
		{"crossed", []int{0, 1, 0, 1}, []int{0, 0, 1, 1}, 0, -0.5, 0, 0},
		// These two were worked out apart from this code.
		{"one astray", []int{0, 0, 0, 1, 1, 1}, []int{0, 0, 1, 1, 1, 1}, 0.4787, 0.3243, 4.0 / 6, 0},
		{"one outside", []int{0, 0, 1, -1}, []int{0, 0, 1, 1}, 0.8, 0.5714, 1, 0.25},
	} {
		s := evaluate(c.themes, c.classes)
		for _, v := range []struct {
			name      string
			got, want float64
		}{{"NMI", s.nmi, c.nmi}, {"ARI", s.ari, c.ari}, {"precision", s.precision, c.precision}, {"noise", s.noise, c.noise}} {
			if math.Abs(v.got-v.want) > 1e-3 {
				t.Errorf("%s: %s = %.4f; want %.4f", c.name, v.name, v.got, v.want)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		label, name string
		want        float64
	}{
		{"Top-up failed", "top_up_failed", 1},
		{"Cards arriving", "card_arrival", 1},
		{"Pin", "change_pin", 0.5},
		{"Pint of milk", "pin", 0},
		{"Refund", "exchange_rate", 0},
	} {
		if got := named(c.label, c.name); got != c.want {
			t.Errorf("named(%q, %q) = %v; want %v", c.label, c.name, got, c.want)
		}
	}
}
