package ratelimit

import (
	"hash/maphash"
	"maps"
	"sync"
	"time"
)

// Result is the answer to one request.
type Result struct {
	Allowed    bool
	Limit      int           // the burst: what Remaining is at rest
	Remaining  int           // how many more would be allowed right now
	Reset      time.Duration // until Remaining is Limit again
	RetryAfter time.Duration // until the next request is allowed; zero when Allowed
}

const (
	shardCount = 64 // enough that two cores or sixty-four rarely meet

	// maxKeys is how many keys a limiter remembers while they are not at rest.
	// Beyond it one is forgotten for every new one: to allow somebody a second
	// burst is better than to run out of memory.
	maxKeys = 1 << 20

	// A shard looks for keys at rest after as many new keys as it then had, which
	// costs a constant per new key, or after this long, so that memory comes back
	// after a flood.
	sweepEvery = time.Minute
	sweepFloor = 128
)

// Limiter counts the requests of each key. It is safe for concurrent use.
type Limiter[K comparable] struct {
	now    func() time.Time
	base   time.Time
	seed   maphash.Seed
	shards [shardCount]shard[K]
}

type shard[K comparable] struct {
	mu sync.Mutex
	// fullAt holds, for every key not at rest, when its bucket will be full
	// again. A key that is absent and one whose moment has passed are the same.
	fullAt     map[K]time.Duration
	clock      clock
	untilSweep int           // how many new keys make the next sweep due
	swept      time.Duration // when the last one was
	_          [64]byte      // keeps neighbours' locks off one cache line
}

// New returns a limiter that reads the time from now, time.Now in production.
func New[K comparable](now func() time.Time) *Limiter[K] {
	l := &Limiter[K]{now: now, base: now(), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].fullAt = map[K]time.Duration{}
		l.shards[i].untilSweep = sweepFloor
	}
	return l
}

// Allow counts one request of key at rate r and reports whether it may pass. A
// refused request costs nothing, so a caller that keeps asking is let in as
// soon as one that waited. With an unlimited rate it allows and remembers nothing.
func (l *Limiter[K]) Allow(key K, r Rate) Result {
	if r.Unlimited() {
		return Result{Allowed: true}
	}
	interval, refill := r.interval(), r.Refill()
	s := &l.shards[maphash.Comparable(l.seed, key)%shardCount]

	s.mu.Lock()
	defer s.mu.Unlock()
	// The clock is read under the lock: two readings that overtook each other
	// would look like a clock that went back.
	now := s.clock.at(l.now().Sub(l.base))

	full, known := s.fullAt[key]
	// The upper bound matters when the rate has just become smaller: a key may
	// owe one bucket of its present rate, not of a former one.
	full = min(max(full, now), now+refill)
	next := full + interval
	if wait := next - refill - now; wait > 0 {
		return Result{Limit: r.burst(), Reset: full - now, RetryAfter: wait}
	}
	if !known {
		s.makeRoom(now)
	}
	s.fullAt[key] = next
	return Result{
		Allowed:   true,
		Limit:     r.burst(),
		Remaining: int((refill - (next - now)) / interval),
		Reset:     next - now,
	}
}

// Len returns how many keys are remembered, at rest or not.
func (l *Limiter[K]) Len() int {
	n := 0
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		n += len(s.fullAt)
		s.mu.Unlock()
	}
	return n
}

// makeRoom forgets the keys at rest when that is due, and any one key when the
// shard is full of keys that are not.
func (s *shard[K]) makeRoom(now time.Duration) {
	s.untilSweep--
	if s.untilSweep <= 0 || len(s.fullAt) > sweepFloor && now-s.swept >= sweepEvery {
		s.sweep(now)
	}
	if len(s.fullAt) < maxKeys/shardCount {
		return
	}
	for key := range s.fullAt {
		delete(s.fullAt, key)
		return
	}
}

func (s *shard[K]) sweep(now time.Duration) {
	before := len(s.fullAt)
	for key, full := range s.fullAt {
		if full <= now {
			delete(s.fullAt, key)
		}
	}
	if len(s.fullAt) < before/4 {
		// A map keeps the memory of its largest size: only a new one is small.
		smaller := make(map[K]time.Duration, len(s.fullAt))
		maps.Copy(smaller, s.fullAt)
		s.fullAt = smaller
	}
	s.swept = now
	s.untilSweep = max(sweepFloor, len(s.fullAt))
}

// clock turns readings that may jump back into ones that do not: after a jump
// it goes on from the latest moment it has shown. time.Now does not jump, since
// it carries a monotonic reading, but a clock passed in may.
type clock struct{ last, ahead time.Duration }

func (c *clock) at(reading time.Duration) time.Duration {
	if reading < c.last {
		c.ahead += c.last - reading
	}
	c.last = reading
	return reading + c.ahead
}
