package webhook

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func fixed(f float64) func() float64 { return func() float64 { return f } }

func mustSchedule(t *testing.T, s string) Schedule {
	t.Helper()
	sch, err := ParseSchedule(s)
	if err != nil {
		t.Fatal(err)
	}
	return sch
}

func TestParseSchedule(t *testing.T) {
	got := mustSchedule(t, DefaultSchedule)
	want := []time.Duration{0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
	if d := cmp.Diff(want, got.Delays()); d != "" {
		t.Errorf("delays (-want +got):\n%s", d)
	}
	if again := mustSchedule(t, got.String()); !cmp.Equal(again.Delays(), want) {
		t.Errorf("ParseSchedule(String()) = %v", again)
	}
	if got := mustSchedule(t, " 0s , 1m ").Attempts(); got != 2 {
		t.Errorf("with spaces: %d attempts; want 2", got)
	}
	for _, bad := range []string{"", " ", ",", "0s,", "5", "-1s", "1s,x,2s", "169h", "1s;2s"} {
		if s, err := ParseSchedule(bad); err == nil {
			t.Errorf("ParseSchedule(%q) = %v; want an error", bad, s)
		}
	}
}

func TestNext(t *testing.T) {
	sch := mustSchedule(t, DefaultSchedule)
	start, took := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 3*time.Second
	end := start.Add(took)
	status := func(code int) Attempt { return Attempt{Status: code, Class: ClassStatus} }
	after := func(code int, d time.Duration) Attempt {
		return Attempt{Status: code, Class: ClassStatus, RetryAfter: d}
	}
	tests := []struct {
		name   string
		made   int
		a      Attempt
		random float64
		want   time.Duration // after the end of the attempt
	}{
		{"middle of the jitter", 1, status(500), 0.5, 5 * time.Second},
		{"least jitter", 1, status(500), 0, 4 * time.Second},
		{"most jitter", 2, status(500), 1, 6 * time.Minute},
		{"last delay", 9, status(500), 0.5, 24 * time.Hour},
		{"429 waits a minute", 1, status(429), 0, time.Minute},
		{"502 waits a minute", 1, status(502), 0, time.Minute},
		{"504 waits a minute", 1, status(504), 1, 72 * time.Second},
		{"503 does not", 1, status(503), 0, 4 * time.Second},
		{"timeout waits a minute", 1, Attempt{Class: ClassTimeout}, 0, time.Minute},
		{"timeout with a long delay", 2, Attempt{Class: ClassTimeout}, 0.5, 5 * time.Minute},
		{"reset does not", 1, Attempt{Class: ClassReset}, 0.5, 5 * time.Second},
		{"Retry-After below", 2, after(503, time.Second), 0, 5 * time.Minute},
		{"Retry-After within", 2, after(503, 7*time.Minute), 0, 7 * time.Minute},
		{"Retry-After above", 2, after(503, 7*time.Hour), 1, 10 * time.Minute},
		{"Retry-After with 429", 1, after(429, 8*time.Second), 0, time.Minute},
		{"Retry-After with 429, long", 3, after(429, 45*time.Minute), 0, 45 * time.Minute},
		{"Retry-After on 500", 3, after(500, 35*time.Minute), 0, 35 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.a.StartedAt, tt.a.Duration, tt.a.Outcome = start, took, Retry
			got, ok := sch.Next(tt.made, tt.a, fixed(tt.random))
			if !ok || got.Sub(end).Round(time.Millisecond) != tt.want {
				t.Errorf("Next(%d) = %v after the end, %v; want %v, true", tt.made, got.Sub(end), ok, tt.want)
			}
		})
	}
}

func TestNextEnds(t *testing.T) {
	sch := mustSchedule(t, "0s,1s,1s")
	failed := Attempt{Outcome: Retry, Class: ClassReset}
	for _, tt := range []struct {
		made int
		a    Attempt
		want bool
	}{
		{1, failed, true}, {2, failed, true}, {3, failed, false}, {4, failed, false}, {0, failed, false},
		{1, Attempt{Outcome: Succeeded}, false}, {1, Attempt{Outcome: Gone}, false},
		{3, Attempt{Outcome: Interrupted}, true},
	} {
		if _, ok := sch.Next(tt.made, tt.a, fixed(0)); ok != tt.want {
			t.Errorf("Next(%d, %s) ok = %v; want %v", tt.made, tt.a.Outcome, ok, tt.want)
		}
	}
	if _, ok := (Schedule{}).Next(1, failed, fixed(0)); ok {
		t.Error("the zero schedule has a next attempt")
	}
}

// The documented bounds hold for every attempt and every roll of the dice.
func TestNextStaysInBounds(t *testing.T) {
	sch := mustSchedule(t, DefaultSchedule)
	rnd := rand.New(rand.NewPCG(1, 2))
	spreadSeen := map[time.Duration]bool{}
	for range 20_000 {
		made := 1 + rnd.IntN(9)
		delay := sch.Delays()[made]
		a := Attempt{Outcome: Retry, Class: ClassStatus, Status: []int{500, 429, 502, 503}[rnd.IntN(4)]}
		if rnd.IntN(2) == 0 {
			a.RetryAfter = time.Duration(rnd.Int64N(int64(maxRetryAfter)))
		}
		at, ok := sch.Next(made, a, rnd.Float64)
		wait := at.Sub(a.StartedAt)
		low, high := time.Duration(float64(delay)*0.8), time.Duration(float64(delay)*1.2)
		if a.RetryAfter > 0 {
			low, high = delay, 2*delay
		}
		if a.slowDown() {
			low, high = max(low, time.Minute), max(high, 72*time.Second)
		}
		if !ok || wait < low || wait > high {
			t.Fatalf("attempt %d, %+v: wait %v, %v; want %v to %v", made, a, wait, ok, low, high)
		}
		spreadSeen[wait] = true
	}
	if len(spreadSeen) < 1000 {
		t.Errorf("only %d different waits in 20,000: no jitter", len(spreadSeen))
	}
}

func TestFirst(t *testing.T) {
	at := time.Unix(1e9, 0)
	if got := mustSchedule(t, DefaultSchedule).First(at, fixed(0.9)); !got.Equal(at) {
		t.Errorf("First = %v; want at once", got)
	}
	if got := mustSchedule(t, "10s").First(at, fixed(1)); got.Sub(at) != 12*time.Second {
		t.Errorf("First = %v later; want 12s", got.Sub(at))
	}
}

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	tests := []struct {
		in   string
		want time.Duration
		ok   bool
	}{
		{"0", 0, true}, {"120", 2 * time.Minute, true}, {" 7\t", 7 * time.Second, true}, {"007", 7 * time.Second, true},
		{"99999999999999999999999999", maxRetryAfter, true},
		{"Sun, 15 Nov 2026 08:01:30 GMT", 90 * time.Second, true},
		{"Sunday, 15-Nov-26 08:01:30 GMT", 90 * time.Second, true},
		{"Sun Nov 15 08:01:30 2026", 90 * time.Second, true},
		{"Sun, 15 Nov 2020 08:01:30 GMT", 0, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", maxRetryAfter, true},
		{"", 0, false}, {"-1", 0, false}, {"+5", 0, false}, {"1.5", 0, false}, {"1e3", 0, false}, {"0x10", 0, false},
		{"5s", 0, false}, {"soon", 0, false}, {"٣", 0, false}, {"2026-11-15T08:01:30Z", 0, false}, {"1 2", 0, false},
	}
	for _, tt := range tests {
		if got, ok := ParseRetryAfter(tt.in, now); got != tt.want || ok != tt.ok {
			t.Errorf("ParseRetryAfter(%q) = %v, %v; want %v, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "-1", "99999999999999999999", "Sun, 15 Nov 2026 08:01:30 GMT", "\x00", "1 "} {
		f.Add(s, int64(1_800_000_000))
	}
	sch, err := ParseSchedule(DefaultSchedule)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, v string, unix int64) {
		now := time.Unix(unix%253402300800, 0)
		d, ok := ParseRetryAfter(v, now)
		if d < 0 || d > maxRetryAfter || (!ok && d != 0) {
			t.Fatalf("ParseRetryAfter(%q) = %v, %v", v, d, ok)
		}
		a := Attempt{StartedAt: now, Outcome: Retry, RetryAfter: d}
		if at, ok := sch.Next(1, a, fixed(0)); !ok || at.Before(now) || at.After(now.Add(10*time.Second)) {
			t.Fatalf("with %q the next attempt is %v after now", v, at.Sub(now))
		}
	})
}
