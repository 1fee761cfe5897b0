package worker

import (
	"sync/atomic"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/webhook"
)

const (
	fetchBatch = 32
	// maxUnwritten is how many attempts at one endpoint may have ended without
	// having been written down, before no more are begun.
	maxUnwritten = 512
	// freshFor is how long what was read of an endpoint is acted upon. In this
	// process a change is known at once, from another one so late at the most.
	freshFor = time.Second
	// rewindEvery is how often a runner that has caught up looks at everything
	// again, and not only behind the last it has seen: transactions of other
	// processes may become visible in another order than that of their clocks.
	rewindEvery = 200 * time.Millisecond
	// linger is how long an endpoint is held when nothing is due for it: the
	// next event of a lively site then costs no new lease.
	linger = 50 * time.Millisecond
)

// runner serves one endpoint as long as something is due for it. All its state
// but the atomic values belongs to the goroutine of run.
type runner struct {
	d         *dispatcher
	key       feedback.EndpointKey
	heldUntil atomic.Int64 // by our own clock
	changed   atomic.Bool  // the endpoint is not what it was when last read
	wake      chan struct{}
	finished  chan finish
	written   chan []feedback.DeliveryID

	at       app.Dispatch // as last read
	readAt   time.Time
	queue    []app.Due // read and not begun
	last     *app.Due  // the last that was read; nil: look from the beginning
	rewound  time.Time
	taken    map[feedback.DeliveryID]bool // begun and not written down
	inFlight int
	slow     bool // the last attempt failed or took long
	look     bool // there may be more than was read
	lost     bool // the lease is another's
}

// finish is the end of an attempt.
type finish struct {
	id      feedback.DeliveryID
	counted bool
	slow    bool
}

func newRunner(d *dispatcher, k feedback.EndpointKey, heldUntil time.Time) *runner {
	r := &runner{
		d: d, key: k, wake: make(chan struct{}, 1), finished: make(chan finish, perEndpoint),
		written: make(chan []feedback.DeliveryID, 1), taken: map[feedback.DeliveryID]bool{}, look: true,
	}
	r.heldUntil.Store(heldUntil.UnixNano())
	return r
}

// poke has the runner look for more. It never waits.
func (r *runner) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// run serves the endpoint until nothing is due, the lease is lost or the
// dispatcher stops; then it gives the lease back.
func (r *runner) run() {
	idle := time.NewTimer(linger)
	defer idle.Stop()
	done := r.d.done
	for {
		stopped := done == nil || r.lost
		if stopped {
			r.queue = nil
		} else {
			r.refresh()
		}
		quiet := len(r.queue) == 0 && len(r.taken) == 0
		if quiet && stopped {
			r.d.ledger.release(r.key)
			return
		}
		var rest <-chan time.Time
		if quiet && !r.look {
			idle.Reset(linger)
			rest = idle.C
		}
		select {
		case r.lane() <- struct{}{}:
			r.begin()
		case f := <-r.finished:
			r.end(f)
		case ids := <-r.written:
			for _, id := range ids {
				delete(r.taken, id)
			}
		case <-r.wake:
			r.look = true
		case <-done:
			done = nil
		case <-rest:
			r.last = nil
			if r.read(fetchBatch); len(r.queue) == 0 && !r.look {
				r.d.ledger.release(r.key)
				return
			}
		}
	}
}

// lane is where the next attempt takes its place, or nil if none may begin now.
func (r *runner) lane() chan struct{} {
	left := time.Until(time.Unix(0, r.heldUntil.Load()))
	if len(r.queue) == 0 || r.inFlight == perEndpoint || left < r.d.minLeft() {
		return nil
	}
	return r.d.lanes.of(r.slow)
}

// refresh reads what is due, where there may be something new and room for it.
func (r *runner) refresh() {
	if len(r.queue) > 0 && (r.changed.Load() || time.Since(r.readAt) > freshFor) {
		r.queue, r.last, r.look = nil, nil, true
	}
	if !r.look || len(r.queue) > 0 || r.inFlight == perEndpoint || len(r.taken) >= maxUnwritten {
		return
	}
	limit := fetchBatch
	if time.Since(r.rewound) > rewindEvery {
		r.last = nil
	}
	if r.last == nil {
		limit += len(r.taken) // they are read again
	}
	r.read(limit)
}

// read fills the queue with what is due behind the last that was read.
func (r *runner) read(limit int) {
	r.changed.Store(false)
	if r.last == nil {
		r.rewound = time.Now()
	}
	r.look = false
	at, err := r.d.App.DueDeliveries(r.d.sending, r.d.owner, r.key, r.last, limit)
	if err != nil {
		// The next poll pokes us.
		r.d.Log.Error("due webhooks not read", "endpoint", r.key.Endpoint, "err", err)
		r.queue = nil
		return
	}
	r.at, r.readAt, r.lost = at, time.Now(), !at.Held
	for i := range at.Due {
		if !r.taken[at.Due[i].ID] {
			r.queue = append(r.queue, at.Due[i])
		}
	}
	if n := len(at.Due); n > 0 {
		r.last = &at.Due[n-1]
		r.look = n == limit
	}
}

// begin makes an attempt at the first of the queue. It has a place in its lane.
func (r *runner) begin() {
	due, url, secrets, lane := r.queue[0], r.at.URL, r.at.Secrets, r.d.lanes.of(r.slow)
	r.queue = r.queue[1:]
	r.taken[due.ID] = true
	r.inFlight++
	go func() {
		var a webhook.Attempt
		long := r.d.lanes.drive(lane, func() {
			a = r.d.Sender.Send(r.d.sending, webhook.Request{
				URL: url, ID: due.Message.String(), Body: due.Payload, Secrets: secrets,
			})
		})
		counted := a.Outcome != webhook.Interrupted
		if counted {
			r.d.ledger.add(r, app.Attempted{Endpoint: r.key, Delivery: due.ID, Number: due.Attempts + 1, Attempt: a})
		}
		r.finished <- finish{due.ID, counted, long || a.Outcome != webhook.Succeeded}
	}()
}

func (r *runner) end(f finish) {
	r.inFlight--
	r.slow = f.slow
	if !f.counted {
		delete(r.taken, f.id)
	}
}
