package worker

import (
	"context"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
)

const (
	// gather is how long the ledger waits for company before it writes, and
	// gatherMost how much it takes at once: one transaction for many attempts.
	// Nobody waits for it: the next attempt begins when the last has ended.
	gather     = 20 * time.Millisecond
	gatherMost = 128
)

// ledger writes down what came of attempts, many at a time, and gives leases
// back.
type ledger struct {
	d        *dispatcher
	in       chan entry
	released chan []*runner
	closed   chan struct{}
}

// entry is an attempt that ended, or the end of a runner: its endpoint is to be
// given back.
type entry struct {
	runner  *runner
	attempt *app.Attempted // nil: the end
}

func newLedger(d *dispatcher) *ledger {
	return &ledger{
		d: d, in: make(chan entry, gatherMost), released: make(chan []*runner), closed: make(chan struct{}),
	}
}

func (l *ledger) add(r *runner, a app.Attempted) { l.in <- entry{r, &a} }
func (l *ledger) release(r *runner)              { l.in <- entry{r, nil} }

// close writes what is left. Nothing may be added any more.
func (l *ledger) close() {
	close(l.in)
	<-l.closed
}

func (l *ledger) run() {
	defer close(l.closed)
	var batch []entry
	for e := range l.in {
		batch = l.gather(append(batch[:0], e))
		l.write(batch)
	}
}

func (l *ledger) gather(batch []entry) []entry {
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for len(batch) < gatherMost {
		select {
		case e, open := <-l.in:
			if !open {
				return batch
			}
			batch = append(batch, e)
		case <-timer.C:
			return batch
		case <-l.d.done:
			// Stopping: what is there is taken, and nothing waited for.
			select {
			case e, open := <-l.in:
				if !open {
					return batch
				}
				batch = append(batch, e)
			default:
				return batch
			}
		}
	}
	return batch
}

// write writes a batch down and tells those who wait for it. While the database
// is away it tries again, for as long as the service runs: an attempt that is not
// written down is made again.
func (l *ledger) write(batch []entry) {
	var done []app.Attempted
	var release []feedback.EndpointKey
	var ended []*runner
	byRunner := map[*runner][]feedback.DeliveryID{}
	for _, e := range batch {
		if e.attempt == nil {
			release, ended = append(release, e.runner.key), append(ended, e.runner)
			continue
		}
		done = append(done, *e.attempt)
		byRunner[e.runner] = append(byRunner[e.runner], e.attempt.Delivery)
	}
	if l.record(done, release) && l.d.Observe != nil {
		for _, a := range done {
			l.d.Observe(a)
		}
	}
	for r, ids := range byRunner {
		r.written <- ids
	}
	if len(ended) > 0 {
		select {
		case l.released <- ended:
		case <-l.d.done:
		}
	}
}

func (l *ledger) record(done []app.Attempted, release []feedback.EndpointKey) bool {
	const first, most = 50 * time.Millisecond, 5 * time.Second
	for wait := first; ; wait = min(2*wait, most) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		err := l.d.App.RecordAttempts(ctx, l.d.owner, done, release)
		cancel()
		if err == nil {
			return true
		}
		l.d.Log.Error("webhook attempts not written down", "attempts", len(done), "err", err)
		select {
		case <-time.After(wait):
		case <-l.d.done:
			return false
		}
	}
}
