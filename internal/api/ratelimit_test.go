package api_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"heed/internal/api"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/ratelimit"
)

var rateHeaders = []string{"RateLimit-Policy", "RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

// handClock is a clock that a test moves, also backward.
type handClock struct{ at atomic.Int64 }

func (c *handClock) now() time.Time       { return time.Unix(1_800_000_000, c.at.Load()) }
func (c *handClock) move(d time.Duration) { c.at.Add(int64(d)) }

// testRateLimits holds the limit of a key, what is said of it, and that a clock
// that jumps locks nobody out.
func testRateLimits(t *testing.T, w *world) {
	var clock handClock
	var refused atomic.Int64
	rates, err := ratelimit.ParseRates("PRO=60/min:2,STUDIO=60/min:3")
	if err != nil {
		t.Fatal(err)
	}
	srv := w.serve(t, api.Config{Rates: rates, Now: clock.now, OnRateLimited: func() { refused.Add(1) }})
	newKey := func(scopes ...feedback.Scope) string { return w.newKey(t, "", feedback.NewKey{Scopes: scopes}) }
	send := func(key, path string) *response {
		t.Helper()
		return w.do(t, request{method: "GET", path: path, key: key, srv: srv})
	}
	limited := func(t *testing.T, res *response, limit, window, wait int) {
		t.Helper()
		res.wantError(t, 429, "RATE_LIMITED")
		if d := differences("details", any(res.details()), object{"limit": limit, "windowSeconds": window, "retryAfterSeconds": wait}); d != nil {
			t.Error(d)
		}
		if got := res.header.Get("Retry-After"); got != strconv.Itoa(wait) {
			t.Errorf("Retry-After: %q; want %d", got, wait)
		}
	}

	t.Run("headers", func(t *testing.T) {
		// Whatever is answered to a key that is one.
		for _, c := range []struct {
			key, path string
			status    int
		}{
			{newKey(feedback.SitesRead), "/v1/sites", 200}, {newKey(feedback.SitesRead), "/v1/sites?limit=0", 422}, {newKey(feedback.SitesRead), "/v1/sites/x", 404},
			{newKey(feedback.BoardsRead), "/v1/sites", 403}, {newKey(feedback.SitesRead), "/v1/sites?cursor=x", 400}, {w.freeKey, "/v1/sites", 402},
		} {
			res := send(c.key, c.path)
			if res.status != c.status {
				t.Errorf("%s = %d; want %d", c.path, res.status, c.status)
			}
			for _, h := range rateHeaders {
				if res.header.Get(h) == "" {
					t.Errorf("%d without %s", res.status, h)
				}
			}
		}
		for _, key := range []string{"-", w.revoked} {
			if res := send(key, "/v1/sites"); res.status != 401 || res.header.Get("RateLimit") != "" {
				t.Errorf("%d with RateLimit %q; want 401 without", res.status, res.header.Get("RateLimit"))
			}
		}
	})

	t.Run("burst and refill", func(t *testing.T) {
		key := newKey(feedback.SitesRead)
		for i, want := range []string{"2", "1", "0"} {
			res := send(key, "/v1/sites")
			if res.status != 200 || res.header.Get("X-RateLimit-Remaining") != want || res.header.Get("X-RateLimit-Limit") != "3" {
				t.Errorf("%d: %d with %v", i, res.status, res.header)
			}
		}
		before := refused.Load()
		limited(t, send(key, "/v1/sites"), 60, 60, 1)
		if refused.Load() != before+1 {
			t.Errorf("OnRateLimited was told %d times; want once", refused.Load()-before)
		}
		// Others are not concerned.
		if res := send(newKey(feedback.SitesRead), "/v1/sites"); res.status != 200 {
			t.Errorf("another key = %d", res.status)
		}
		clock.move(time.Second)
		if res := send(key, "/v1/sites"); res.status != 200 {
			t.Errorf("a second later = %d; want 200", res.status)
		}
		limited(t, send(key, "/v1/sites"), 60, 60, 1)
	})

	t.Run("by plan", func(t *testing.T) {
		for i := range 3 {
			res := w.do(t, request{method: "GET", path: "/v1/sites", key: w.southKey, srv: srv})
			if want := i < 2; (res.status == 200) != want {
				t.Errorf("request %d of a PRO key = %d", i+1, res.status)
			}
		}
	})

	t.Run("backward clock", func(t *testing.T) {
		key := newKey(feedback.SitesRead)
		for range 3 {
			send(key, "/v1/sites")
		}
		clock.move(-24 * time.Hour)
		limited(t, send(key, "/v1/sites"), 60, 60, 1)
		clock.move(time.Second)
		if res := send(key, "/v1/sites"); res.status != 200 {
			t.Errorf("a second after a jump back = %d; want 200", res.status)
		}
		clock.move(24 * time.Hour)
		if res := send(key, "/v1/sites"); res.status != 200 || res.header.Get("X-RateLimit-Remaining") != "2" {
			t.Errorf("at rest = %d, remaining %s; want 200, 2", res.status, res.header.Get("X-RateLimit-Remaining"))
		}
	})

	t.Run("off", func(t *testing.T) {
		off, err := ratelimit.ParseRates("off")
		if err != nil {
			t.Fatal(err)
		}
		srv := w.serve(t, api.Config{Rates: off})
		key := newKey(feedback.SitesRead)
		for range 20 {
			res := w.do(t, request{method: "GET", path: "/v1/sites", key: key, srv: srv})
			if res.status != 200 || res.header.Get("RateLimit") != "" {
				t.Fatalf("%d with RateLimit %q; want 200 without", res.status, res.header.Get("RateLimit"))
			}
		}
		for range 40 {
			w.do(t, request{method: "GET", path: "/v1/sites", key: "junk", srv: srv}).wantError(t, 401, "UNAUTHENTICATED")
		}
	})
}

// testFailedAuthentication holds that one address may try thirty bad keys a
// minute, and that this is nobody else's trouble.
func testFailedAuthentication(t *testing.T, w *world) {
	var clock handClock
	rates, _ := ratelimit.ParseRates("PRO=3000/min:500,STUDIO=6000/min:1000")
	face := w.serve(t, api.Config{Rates: rates, Now: clock.now}).Config.Handler
	send := func(addr, authorization string) *response {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/sites", nil)
		r.RemoteAddr = addr
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		rec := httptest.NewRecorder()
		face.ServeHTTP(rec, r)
		res := &response{rec.Code, rec.Header(), rec.Body.Bytes()}
		if err := w.doc.check(t, "GET", "/v1/sites", res); err != nil {
			t.Error(err)
		}
		return res
	}
	bad := []string{"Bearer junk", "Bearer", "Basic x", "Bearer " + auth.NewKey(), "Bearer " + w.revoked, "Bearer " + w.expired}
	for i := range 30 {
		send("192.0.2.1:1000", bad[i%len(bad)]).wantError(t, 401, "UNAUTHENTICATED")
	}
	for _, b := range bad {
		res := send("192.0.2.1:2000", b).wantError(t, 429, "RATE_LIMITED")
		if d := differences("details", any(res.details()), object{"limit": 30, "windowSeconds": 60, "retryAfterSeconds": 2}); d != nil {
			t.Error(d)
		}
		if res.header.Get("Retry-After") != "2" {
			t.Errorf("Retry-After: %q; want 2", res.header.Get("Retry-After"))
		}
	}
	for name, c := range map[string]struct {
		addr, authorization string
		status              int
	}{
		"a good key from there":       {"192.0.2.1:1000", "Bearer " + w.all, http.StatusOK},
		"no key tries nothing":        {"192.0.2.1:1000", "", http.StatusUnauthorized},
		"another address":             {"192.0.2.2:1000", "Bearer junk", http.StatusUnauthorized},
		"the same, mapped to IPv6":    {"[::ffff:192.0.2.1]:1000", "Bearer junk", http.StatusTooManyRequests},
		"an address that is not told": {"@", "Bearer junk", http.StatusUnauthorized},
	} {
		if res := send(c.addr, c.authorization); res.status != c.status {
			t.Errorf("%s = %d; want %d", name, res.status, c.status)
		}
	}
	// A subscriber of IPv6 has a network, not an address.
	for i := range 31 {
		res := send("[2001:db8:1:2::"+strconv.Itoa(i+1)+"]:1000", "Bearer junk")
		if want := http.StatusUnauthorized; i < 30 && res.status != want || i == 30 && res.status != 429 {
			t.Errorf("address %d of one network = %d", i+1, res.status)
		}
	}
	send("[2001:db8:1:3::1]:1000", "Bearer junk").wantError(t, 401, "UNAUTHENTICATED")
	clock.move(2 * time.Second)
	send("192.0.2.1:1000", "Bearer junk").wantError(t, 401, "UNAUTHENTICATED")
	send("192.0.2.1:1000", "Bearer junk").wantError(t, 429, "RATE_LIMITED")
}
