package idempotency

import (
	"hash/maphash"
	"sync"
)

const shardCount = 32

// Locks says which keys are in use in this process. Its zero value is ready.
// It only ever tries: a second request with a key is told to come back, since
// waiting would tie up a connection for every retry of an impatient client.
type Locks struct {
	once   sync.Once
	seed   maphash.Seed
	shards [shardCount]struct {
		mu   sync.Mutex
		held map[string]struct{}
		_    [48]byte // keeps neighbours' locks off one cache line
	}
}

// TryLock takes key if nobody holds it, and then returns the function that
// gives it back, which may be called more than once. Otherwise it returns nil
// and false at once. Only keys in use take memory.
func (l *Locks) TryLock(key string) (unlock func(), ok bool) {
	l.once.Do(func() { l.seed = maphash.MakeSeed() })
	s := &l.shards[maphash.String(l.seed, key)%shardCount]

	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.held[key]; taken {
		return nil, false
	}
	if s.held == nil {
		s.held = map[string]struct{}{}
	}
	s.held[key] = struct{}{}
	// Giving back twice must not free the key for somebody who holds it by then.
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.held, key)
	}), true
}

// Len returns how many keys are held.
func (l *Locks) Len() int {
	n := 0
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		n += len(s.held)
		s.mu.Unlock()
	}
	return n
}
