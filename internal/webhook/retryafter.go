package webhook

import (
	"net/http"
	"strings"
	"time"
)

// maxRetryAfter bounds what a receiver can ask for, so that no sum of times
// overflows whatever it sent.
const maxRetryAfter = 366 * 24 * time.Hour

// ParseRetryAfter reads the value of a Retry-After header: whole seconds or an
// HTTP date. A date that has passed is a wait of 0. Anything else, such as a
// fraction or a sign, is no wish at all: false.
func ParseRetryAfter(v string, now time.Time) (time.Duration, bool) {
	v = strings.Trim(v, " \t")
	if v == "" {
		return 0, false
	}
	if d, ok := wholeSeconds(v); ok {
		return d, true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	// Sub saturates instead of overflowing, which is what a date in the year
	// 9999 needs.
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}

func wholeSeconds(v string) (time.Duration, bool) {
	var n time.Duration
	for _, c := range []byte(v) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+time.Duration(c-'0'), maxRetryAfter/time.Second)
	}
	return n * time.Second, true
}
