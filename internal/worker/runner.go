package worker

import (
	"sync/atomic"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/webhook"
)

const (
	fetchBatch = 64
	// maxUnwritten is how many attempts at one endpoint may have ended without
	// having been written down, before no more are begun.
	maxUnwritten = 512
	// freshFor is how long what was read of an endpoint is acted upon. In this
	// process a change is known at once, from another one so late at the most.
	freshFor = time.Second
	// readEvery is how often a runner with attempts under way looks for new
	// ones at the most: so a look finds several.
	readEvery = 5 * time.Millisecond
	// rewindEvery is how often it looks at everything, and not only behind the
	// last it has seen: transactions of other processes may become visible in
	// another order than that of their clocks.
	rewindEvery = 200 * time.Millisecond
	// linger is how long an endpoint is held when nothing is due for it: the
	// next event of a lively site then costs no new lease.
	linger = 50 * time.Millisecond
)

// runner serves one endpoint as long as something is due for it. All its state
// but the atomic values and channels belongs to the goroutine of run.
type runner struct {
	d         *dispatcher
	key       feedback.EndpointKey
	heldUntil atomic.Int64 // by our own clock
	changed   atomic.Bool  // the endpoint is not what it was when last read
	look      atomic.Bool  // there may be more than was read
	wake      chan struct{}
	finished  chan finish
	written   chan []feedback.DeliveryID

	at       app.Dispatch // as last read
	readAt   time.Time
	rewound  time.Time                    // when it was last read from the beginning
	queue    []app.Due                    // read and not begun
	last     *app.Due                     // the last that was read; nil: look from the beginning
	taken    map[feedback.DeliveryID]bool // begun and not written down
	inFlight int
	proven   bool // an attempt has succeeded, and none failed since
	failing  bool // the last attempt failed
	slow     bool // the last attempt failed or took long
	lost     bool // the lease is another's
}

// finish is the end of an attempt.
type finish struct {
	id      feedback.DeliveryID
	counted bool
	failed  bool
	long    bool
}

func newRunner(d *dispatcher, k feedback.EndpointKey, heldUntil time.Time) *runner {
	r := &runner{
		d: d, key: k, wake: make(chan struct{}, 1), finished: make(chan finish, perEndpoint),
		written: make(chan []feedback.DeliveryID, 1), taken: map[feedback.DeliveryID]bool{},
	}
	r.look.Store(true)
	r.heldUntil.Store(heldUntil.UnixNano())
	return r
}

// poke has the runner look for more as soon as it can. It never waits, and costs
// next to nothing while the runner has yet to look.
func (r *runner) poke() {
	if r.look.Swap(true) {
		return
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// run serves the endpoint until nothing is due, the lease is lost or the
// dispatcher stops; then it gives the lease back.
func (r *runner) run() {
	timer := time.NewTimer(linger)
	defer timer.Stop()
	done := r.d.done
	for {
		stopped := done == nil || r.lost
		wait := linger
		if stopped {
			r.queue = nil
		} else if soon := r.refresh(); soon > 0 {
			wait = soon
		}
		idle := len(r.queue) == 0 && len(r.taken) == 0 && !r.look.Load()
		if stopped && len(r.taken) == 0 {
			r.d.ledger.release(r)
			return
		}
		lane, soon := r.lane()
		if soon > 0 {
			wait = soon
		}
		timer.Reset(wait)
		select {
		case lane <- struct{}{}:
			r.begin(lane)
		case f := <-r.finished:
			r.end(f)
		case ids := <-r.written:
			// Only now, between two reads: one that began before the rows were
			// written would take them for new.
			for _, id := range ids {
				delete(r.taken, id)
			}
		case <-r.wake:
		case <-done:
			done = nil
		case <-timer.C:
			if !idle {
				continue
			}
			r.last = nil
			if r.read(); len(r.queue) == 0 && !r.look.Load() {
				r.d.ledger.release(r)
				return
			}
		}
	}
}

// lane is where the next attempt takes its place, or nil if none may begin now;
// soon is when to ask again, if that is known.
func (r *runner) lane() (lane chan struct{}, soon time.Duration) {
	left := time.Until(time.Unix(0, r.heldUntil.Load()))
	if len(r.queue) == 0 || r.full() || left < r.d.minLeft() {
		return nil, 0
	}
	if pause := r.d.pace.pause(r.d.App.Now().Sub(r.queue[0].DueAt)); pause > 0 {
		return nil, pause
	}
	return r.d.lanes.of(r.slow), 0
}

// refresh reads what is due, where there may be something new and room for it. It
// returns when to ask again, if that is known.
func (r *runner) refresh() (soon time.Duration) {
	age := time.Since(r.readAt)
	if len(r.queue) > 0 && (r.changed.Load() || age > freshFor) {
		r.queue, r.last = nil, nil // they are read again
		r.look.Store(true)
	}
	if !r.look.Load() || len(r.queue) > 0 || r.full() || len(r.taken) >= maxUnwritten {
		return 0
	}
	if r.inFlight > 0 && age < readEvery {
		return readEvery - age
	}
	if time.Since(r.rewound) > rewindEvery {
		r.last = nil
	}
	r.read()
	return 0
}

// read queues what is due behind the last that was read.
func (r *runner) read() {
	limit := fetchBatch
	if r.last == nil {
		limit += len(r.taken) // they are read again
		r.rewound = time.Now()
	}
	r.changed.Store(false)
	r.look.Store(false) // what is committed from here on pokes again
	at, err := r.d.App.DueDeliveries(r.d.sending, r.d.owner, r.key, r.last, limit)
	r.readAt = time.Now()
	if err != nil {
		// The next poll pokes us.
		r.d.Log.Error("due webhooks not read", "endpoint", r.key.Endpoint, "err", err)
		return
	}
	r.at, r.lost = at, !at.Held
	for i := range at.Due {
		if !r.taken[at.Due[i].ID] {
			r.queue = append(r.queue, at.Due[i])
		}
	}
	if n := len(at.Due); n > 0 {
		r.last = &at.Due[n-1]
		if n == limit {
			r.look.Store(true)
		}
	}
}

// begin makes an attempt at the first of the queue. It has a place in a lane.
func (r *runner) begin(lane chan struct{}) {
	due, url, secrets := r.queue[0], r.at.URL, r.at.Secrets
	r.queue = r.queue[1:]
	r.taken[due.ID] = true
	r.inFlight++
	r.d.pace.begun()
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
		r.finished <- finish{due.ID, counted, a.Outcome != webhook.Succeeded, long}
	}()
}

func (r *runner) end(f finish) {
	r.inFlight--
	if !f.counted {
		delete(r.taken, f.id)
		return
	}
	r.failing, r.proven, r.slow = f.failed, !f.failed, f.failed || f.long
}

// full reports whether as many attempts are under way as the endpoint may have.
func (r *runner) full() bool {
	return r.inFlight == perEndpoint || !r.proven && r.inFlight > 0
}
