package ratelimit

import (
	"net/http"
	"strconv"
	"time"
)

// Headers tells the client where it stands, by the IETF draft on RateLimit
// header fields and, for clients that know only those, by the older X- names.
// With an unlimited rate it sets nothing.
//
// The advertised policy is the burst within the time it takes to refill, since
// the draft knows no burst apart from the quota: a burst of 500 at 3000 a minute
// reads 500 in 10 seconds, which is the same rate.
func Headers(h http.Header, r Rate, res Result) {
	if r.Unlimited() {
		return
	}
	burst, remaining := strconv.Itoa(r.burst()), strconv.Itoa(res.Remaining)
	// In the draft t points at the same moment as Retry-After where both stand.
	t := res.Reset
	if !res.Allowed {
		t = res.RetryAfter
		h.Set("Retry-After", seconds(res.RetryAfter))
	}
	h.Set("RateLimit-Policy", `"default";q=`+burst+`;w=`+seconds(r.Refill()))
	h.Set("RateLimit", `"default";r=`+remaining+`;t=`+seconds(t))
	h.Set("X-RateLimit-Limit", burst)
	h.Set("X-RateLimit-Remaining", remaining)
	h.Set("X-RateLimit-Reset", seconds(res.Reset))
}

// seconds rounds up: a client that waits that long must not come too early.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
