package ratelimit_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heed/internal/ratelimit"
)

// fakeClock has no monotonic reading, so it may be set back.
type fakeClock struct{ nanos atomic.Int64 }

func newClock() *fakeClock {
	c := &fakeClock{}
	c.nanos.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}

func (c *fakeClock) now() time.Time          { return time.Unix(0, c.nanos.Load()).UTC() }
func (c *fakeClock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

var pro = ratelimit.Rate{Requests: 3000, Window: time.Minute, Burst: 500}

func TestBurstThenPace(t *testing.T) {
	c := newClock()
	l := ratelimit.New[string](c.now)
	for i := range 500 {
		got := l.Allow("k", pro)
		want := ratelimit.Result{Allowed: true, Limit: 500, Remaining: 499 - i, Reset: time.Duration(i+1) * 20 * time.Millisecond}
		if got != want {
			t.Fatalf("request %d = %+v; want %+v", i+1, got, want)
		}
	}
	want := ratelimit.Result{Limit: 500, Reset: 10 * time.Second, RetryAfter: 20 * time.Millisecond}
	for range 3 { // asking again costs nothing
		if got := l.Allow("k", pro); got != want {
			t.Fatalf("request 501 = %+v; want %+v", got, want)
		}
	}
	if got := l.Allow("other", pro); !got.Allowed {
		t.Error("another key is refused")
	}
	c.advance(20*time.Millisecond - 1)
	if got := l.Allow("k", pro); got.Allowed || got.RetryAfter != 1 {
		t.Errorf("one nanosecond early = %+v; want refused", got)
	}
	c.advance(1)
	if got := l.Allow("k", pro); !got.Allowed || got.Remaining != 0 {
		t.Errorf("at RetryAfter = %+v; want allowed", got)
	}
	c.advance(time.Hour)
	if got := l.Allow("k", pro); got.Remaining != 499 {
		t.Errorf("after an hour Remaining = %d; want 499", got.Remaining)
	}
}

// Against random arrivals at random rates: no window ever holds more than the
// burst and the rate allow, and no request is refused that an exact token
// bucket would let in.
func TestNeverMoreThanBurstPlusRate(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := ratelimit.Rate{
			Requests: 1 + rnd.IntN(1000),
			Window:   time.Duration(1+rnd.Int64N(100)) * time.Second,
			Burst:    1 + rnd.IntN(50),
		}
		c := newClock()
		l := ratelimit.New[int](c.now)
		interval := (int64(r.Window) + int64(r.Requests) - 1) / int64(r.Requests)
		tokens := int64(r.Burst) * interval // in nanoseconds' worth
		last := c.now().UnixNano()
		var allowed []int64
		for range 2000 {
			if rnd.IntN(3) > 0 {
				c.advance(time.Duration(rnd.Int64N(2 * interval)))
			}
			now := c.now().UnixNano()
			tokens = min(tokens+now-last, int64(r.Burst)*interval)
			last = now
			want := tokens >= interval
			got := l.Allow(7, r)
			if got.Allowed != want {
				t.Fatalf("seed %d: Allow at %+v = %+v; an exact bucket says %v", seed, r, got, want)
			}
			if want {
				tokens -= interval
				allowed = append(allowed, now)
			} else if got.RetryAfter != time.Duration(interval-tokens) {
				t.Fatalf("seed %d: RetryAfter = %v; want %v", seed, got.RetryAfter, time.Duration(interval-tokens))
			}
			if got.Remaining != int(tokens/interval) {
				t.Fatalf("seed %d: Remaining = %d; want %d", seed, got.Remaining, tokens/interval)
			}
		}
		for i := range allowed {
			// Longer windows than twice the burst are sums of shorter ones.
			for j := i; j < min(i+2*r.Burst+2, len(allowed)); j++ {
				span := float64(allowed[j] - allowed[i])
				most := float64(r.Burst) + span*float64(r.Requests)/float64(r.Window)
				if n := j - i + 1; float64(n) > most+1e-6 {
					t.Fatalf("seed %d: %d requests in %v at %+v", seed, n, time.Duration(span), r)
				}
			}
		}
	}
}

func TestBackwardJumpLocksNobodyOut(t *testing.T) {
	c := newClock()
	l := ratelimit.New[string](c.now)
	for range 100 {
		l.Allow("k", pro)
	}
	for range 3 {
		c.advance(-24 * time.Hour)
		before := l.Allow("k", pro)
		if !before.Allowed || before.Reset > 3*time.Second {
			t.Fatalf("after a jump back = %+v; want as before the jump", before)
		}
		c.advance(time.Second) // time goes on from there
		if after := l.Allow("k", pro); after.Remaining != min(499, before.Remaining+50-1) {
			t.Fatalf("one second after the jump Remaining = %d, was %d", after.Remaining, before.Remaining)
		}
	}
}

func TestRateMayChange(t *testing.T) {
	c := newClock()
	l := ratelimit.New[string](c.now)
	for range 500 {
		l.Allow("k", pro)
	}
	slow := ratelimit.Rate{Requests: 60, Window: time.Minute, Burst: 5}
	if got := l.Allow("k", slow); got.Allowed || got.RetryAfter != time.Second {
		t.Errorf("after a downgrade = %+v; want to wait one second", got)
	}
	if got := l.Allow("k", ratelimit.Rate{Requests: 6000, Window: time.Minute, Burst: 2000}); !got.Allowed {
		t.Errorf("after an upgrade = %+v; want allowed", got)
	}
}

func TestUnlimitedRemembersNothing(t *testing.T) {
	l := ratelimit.New[int](newClock().now)
	for i := range 1000 {
		if got := l.Allow(i, ratelimit.Rate{}); !got.Allowed || got.Limit != 0 {
			t.Fatalf("Allow without a rate = %+v", got)
		}
	}
	if n := l.Len(); n != 0 {
		t.Errorf("%d keys remembered", n)
	}
}

func TestHugeRatesDoNotOverflow(t *testing.T) {
	l := ratelimit.New[string](newClock().now)
	r := ratelimit.Rate{Requests: 1, Window: 1 << 62, Burst: 1 << 30}
	if got := l.Allow("k", r); !got.Allowed || got.Reset <= 0 {
		t.Errorf("Allow at %+v = %+v", r, got)
	}
}

// A million keys, a millisecond apart: each is at rest 20 ms later, so few
// need to be remembered at any time.
func TestKeysAtRestAreForgotten(t *testing.T) {
	c := newClock()
	l := ratelimit.New[uint64](c.now)
	most := 0
	for i := range uint64(1_000_000) {
		c.advance(time.Millisecond)
		l.Allow(i, pro)
		if i%100_000 == 0 {
			most = max(most, l.Len())
		}
	}
	if most > 2*64*128 {
		t.Errorf("%d keys remembered; want at most %d", most, 2*64*128)
	}
}

// With the clock standing still no key comes to rest: only the cap helps.
func TestKeysAreCapped(t *testing.T) {
	l := ratelimit.New[uint64](newClock().now)
	for i := range uint64(1_500_000) {
		if !l.Allow(i, pro).Allowed {
			t.Fatal("a first request is refused")
		}
	}
	if n := l.Len(); n > 1<<20 {
		t.Errorf("%d keys remembered; want at most %d", n, 1<<20)
	}
}

func TestConcurrentKeysGetExactlyTheirBurst(t *testing.T) {
	c := newClock() // stands still, so the count is exact
	l := ratelimit.New[string](c.now)
	var allowed [4]atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range 1000 {
				k := i % len(allowed)
				if l.Allow(fmt.Sprint("key", k), pro).Allowed {
					allowed[k].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for k := range allowed {
		if n := allowed[k].Load(); n != 500 {
			t.Errorf("key %d: %d requests allowed; want 500", k, n)
		}
	}
}

func TestAllowDoesNotAllocate(t *testing.T) {
	l := ratelimit.New[[32]byte](time.Now)
	s := ratelimit.New[string](time.Now)
	key, text := [32]byte{1}, string([]byte("192.0.2.1"))
	n := testing.AllocsPerRun(1000, func() {
		l.Allow(key, pro)
		s.Allow(text, pro)
	})
	if n != 0 {
		t.Errorf("Allow allocates %v times", n)
	}
}

func BenchmarkAllowOneKey(b *testing.B) {
	l := ratelimit.New[int64](time.Now)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l.Allow(1, pro)
		}
	})
}

func BenchmarkAllowManyKeys(b *testing.B) {
	l := ratelimit.New[uint64](time.Now)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		rnd := rand.New(rand.NewPCG(rand.Uint64(), 0))
		for pb.Next() {
			l.Allow(rnd.Uint64N(1_000_000), pro)
		}
	})
}
