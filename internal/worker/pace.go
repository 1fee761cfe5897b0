package worker

import (
	"runtime"
	"sync"
	"time"
)

// pace has deliveries stand back while people crowd at the service: they wait for
// an answer, and nobody waits for a webhook. Then no more than a number of
// attempts begin in a second, in all lanes together. That is for the length of a
// rush: what has been due for longer than maxHold is not held back, so that a
// service that is always busy sends as much as it is asked to, only later.
type pace struct {
	crowded func() bool

	mu   sync.Mutex
	next time.Time // when the next may begin during a rush
}

const (
	// rushRate is how many attempts begin in a second, for each core, during a
	// rush.
	rushRate = 250
	maxHold  = 15 * time.Second
)

func rushGap() time.Duration {
	return time.Second / time.Duration(rushRate*runtime.GOMAXPROCS(0))
}

// pause says how long to wait before an attempt may begin that has been due for a
// time; 0: not at all.
func (p *pace) pause(late time.Duration) time.Duration {
	if late > maxHold || !p.crowded() {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, time.Until(p.next))
}

// begun notes that an attempt begins.
func (p *pace) begun() {
	now, gap := time.Now(), rushGap()
	p.mu.Lock()
	defer p.mu.Unlock()
	// Timers can be late by more than the gaps they are for: what was not used
	// is made up for, but not what lies long back. What was begun while there
	// was no crowd is not held against anybody.
	if early := now.Add(-10 * gap); p.next.Before(early) {
		p.next = early
	} else if p.next.After(now) {
		p.next = now
	}
	p.next = p.next.Add(gap)
}
