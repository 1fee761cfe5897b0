package feedbacktest

import (
	"sync"
	"time"
)

// Clock is a clock that moves when it is told to.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows t.
func NewClock(t time.Time) *Clock { return &Clock{now: t} }

// Now is the time the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set has the clock show t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }
