package ratelimit_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/ratelimit"
)

func TestParseRates(t *testing.T) {
	for text, want := range map[string]map[string]ratelimit.Rate{
		"off":   {},
		" off ": {},
		"PRO=3000/min:500,STUDIO=6000/min:1000": {
			"PRO": {3000, time.Minute, 500}, "STUDIO": {6000, time.Minute, 1000},
		},
		"PRO=10/s, STUDIO=7/h:1": {"PRO": {10, time.Second, 10}, "STUDIO": {7, time.Hour, 1}},
	} {
		got, err := ratelimit.ParseRates(text)
		if err != nil {
			t.Errorf("ParseRates(%q) = %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseRates(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseRatesRefuses(t *testing.T) {
	for _, text := range []string{
		"", ",", "PRO", "=3/min:1", "PRO=", "PRO=3", "PRO=3/day:1", "PRO=3/min:", "PRO=0/min:1",
		"PRO=3/min:0", "PRO=-3/min:1", "PRO=3/min:1:1", "PRO=1e3/min:1", "PRO=1000001/s:1",
		"PRO=3/min:1,PRO=4/min:1", "PRO=3/min:1,", "off,PRO=3/min:1", "OFF",
	} {
		if got, err := ratelimit.ParseRates(text); err == nil {
			t.Errorf("ParseRates(%q) = %v; want an error", text, got)
		}
	}
}

func TestParseRatesReportsEveryMistake(t *testing.T) {
	_, err := ratelimit.ParseRates("A=x/min:1,B=3/day:1,C=3/min:y")
	for _, want := range []string{"rate of A", "rate of B", "rate of C"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not mention %q", err, want)
		}
	}
}

func FuzzParseRates(f *testing.F) {
	f.Add("PRO=3000/min:500,STUDIO=6000/min:1000")
	f.Fuzz(func(t *testing.T, text string) {
		rates, _ := ratelimit.ParseRates(text)
		for name, r := range rates {
			if r.Unlimited() || r.Refill() <= 0 || r.Burst < 1 {
				t.Errorf("ParseRates(%q)[%q] = %+v, not a usable rate", text, name, r)
			}
		}
	})
}

func TestHeaders(t *testing.T) {
	const policy = `"default";q=500;w=10`
	for name, tc := range map[string]struct {
		rate ratelimit.Rate
		res  ratelimit.Result
		want http.Header
	}{
		"allowed": {pro, ratelimit.Result{Allowed: true, Limit: 500, Remaining: 398, Reset: 2040 * time.Millisecond}, http.Header{
			"Ratelimit-Policy":      {policy},
			"Ratelimit":             {`"default";r=398;t=3`},
			"X-Ratelimit-Limit":     {"500"},
			"X-Ratelimit-Remaining": {"398"},
			"X-Ratelimit-Reset":     {"3"},
		}},
		"refused": {pro, ratelimit.Result{Limit: 500, Reset: 10 * time.Second, RetryAfter: 1}, http.Header{
			"Ratelimit-Policy":      {policy},
			"Ratelimit":             {`"default";r=0;t=1`},
			"X-Ratelimit-Limit":     {"500"},
			"X-Ratelimit-Remaining": {"0"},
			"X-Ratelimit-Reset":     {"10"},
			"Retry-After":           {"1"},
		}},
		"unlimited": {ratelimit.Rate{}, ratelimit.Result{Allowed: true}, http.Header{}},
	} {
		got := http.Header{}
		ratelimit.Headers(got, tc.rate, tc.res)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
