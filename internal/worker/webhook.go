package worker

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/webhook"
)

// perEndpoint is how many attempts at one endpoint may be under way at once, in
// all processes together. One that has not answered well yet gets one at a time:
// more would tell no more.
const perEndpoint = 4

// DeliveryConfig is what it takes to send webhooks.
type DeliveryConfig struct {
	App    *app.App
	Sender *webhook.Sender
	Log    *slog.Logger

	// Fast and Slow bound how many attempts this process makes at once; zero:
	// 256 at endpoints that answer and 1,024 at those that do not, which cost
	// memory and nothing else. See lanes.
	Fast, Slow int
	// Lease is for how long an endpoint is held without a sign of life; zero:
	// 45 s. It must be three times the time limit of one attempt.
	Lease time.Duration
	// Observe, if set, is told of every attempt that has been written down. It
	// must not block.
	Observe func(app.Attempted)
	// Drain is how long a stop waits for attempts under way; zero: 5 s.
	Drain time.Duration
}

const (
	pollEvery = time.Second // how late a retry may be found at the most
	pollBatch = 1024
)

// Deliveries returns the task that sends webhooks. It takes up endpoints, not
// deliveries: whoever holds an endpoint's lease sends to it alone, so that the
// number in flight there is counted in one place and a delivery costs no write
// before it is made. Each endpoint has a goroutine of its own while something is
// due for it, and a backlog holds up nobody but itself.
func Deliveries(cfg DeliveryConfig) Task {
	if cfg.Fast == 0 {
		cfg.Fast = 256
	}
	if cfg.Slow == 0 {
		cfg.Slow = 1024
	}
	if cfg.Lease == 0 {
		cfg.Lease = 45 * time.Second
	}
	if cfg.Drain == 0 {
		cfg.Drain = 5 * time.Second
	}
	return Task{Name: "webhooks", Every: pollEvery, Run: func(ctx context.Context) error {
		return newDispatcher(cfg).run(ctx)
	}}
}

// minLeft is what must be left of a lease for an attempt to begin, so that it ends
// before anybody else may hold the endpoint. A lease is renewed when a third of
// it has passed.
func (d *dispatcher) minLeft() time.Duration { return d.Lease * 4 / 9 }

// dispatcher finds endpoints for which something is due and has each of them
// served by a runner.
type dispatcher struct {
	DeliveryConfig
	owner   int64 // names this dispatcher in leases
	lanes   *lanes
	pace    *pace
	ledger  *ledger
	running map[feedback.EndpointKey]*runner
	failing map[feedback.EndpointKey]bool // their last attempt failed
	wg      sync.WaitGroup                // of runners
	done    chan struct{}                 // closed when nothing new is begun
	// sending is the context of attempts under way. It outlives that of run.
	sending context.Context
}

func newDispatcher(cfg DeliveryConfig) *dispatcher {
	d := &dispatcher{
		DeliveryConfig: cfg, owner: rand.Int64(), lanes: newLanes(cfg.Fast, cfg.Slow), pace: &pace{crowded: cfg.App.Crowded},
		running: map[feedback.EndpointKey]*runner{}, failing: map[feedback.EndpointKey]bool{}, done: make(chan struct{}),
	}
	d.ledger = newLedger(d)
	return d
}

// run sends what is due until ctx ends. Then it begins nothing new, waits a
// little for what is under way, writes down what came of it and gives all leases
// back. What was cut off has not been counted.
func (d *dispatcher) run(ctx context.Context) error {
	if err := d.App.TakeOver(ctx); err != nil {
		return err
	}
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	d.sending = sending
	go d.ledger.run()

	err := d.dispatch(ctx)

	close(d.done)
	timer := time.AfterFunc(d.Drain, cut)
	defer timer.Stop()
	d.wg.Wait()
	d.ledger.close()
	return err
}

// dispatch has runners at work until ctx ends.
func (d *dispatcher) dispatch(ctx context.Context) error {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	renew := time.NewTicker(d.Lease / 3)
	defer renew.Stop()
	err := d.poll(ctx)
	for {
		if err != nil && ctx.Err() == nil {
			// The database is away: go on with what is held, and look again
			// at the next tick.
			d.Log.Error("webhooks not looked up", "err", err)
		}
		err = nil
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
			err = d.poll(ctx)
		case <-d.App.Hinted():
			err = d.follow(ctx, d.App.TakeHints())
		case released := <-d.ledger.released:
			// What was committed between the last look of a runner and the
			// end of its lease is seen by nobody but us, here.
			keys := make([]feedback.EndpointKey, len(released))
			for i, r := range released {
				keys[i] = r.key
				delete(d.running, r.key)
				if delete(d.failing, r.key); r.failing {
					d.failing[r.key] = true
				}
			}
			err = d.takeUp(ctx, keys)
		case <-renew.C:
			err = d.renewLeases(ctx)
		}
	}
}

// poll looks at all endpoints. It is the guarantee that nothing is left lying.
func (d *dispatcher) poll(ctx context.Context) error {
	keys, err := d.App.WaitingEndpoints(ctx, pollBatch)
	if err != nil {
		return err
	}
	for _, r := range d.running {
		r.poke() // a retry may have become due
	}
	return d.takeUp(ctx, keys)
}

// follow looks where something was committed in this process.
func (d *dispatcher) follow(ctx context.Context, hints []app.Hint) error {
	keys := make([]feedback.EndpointKey, len(hints))
	for i, h := range hints {
		keys[i] = h.Endpoint
		if r := d.running[h.Endpoint]; r != nil && h.Changed {
			r.changed.Store(true)
		}
	}
	return d.takeUp(ctx, keys)
}

// takeUp has those of the endpoints served for which something is due and which
// nobody else holds.
func (d *dispatcher) takeUp(ctx context.Context, keys []feedback.EndpointKey) error {
	var free []feedback.EndpointKey
	for _, k := range keys {
		if r := d.running[k]; r != nil {
			r.poke()
		} else {
			free = append(free, k)
		}
	}
	if len(free) == 0 {
		return nil
	}
	before := time.Now()
	claimed, err := d.App.ClaimEndpoints(ctx, d.owner, d.Lease, free)
	for _, k := range claimed {
		r := newRunner(d, k, before.Add(d.Lease))
		r.failing, r.slow = d.failing[k], d.failing[k]
		d.running[k] = r
		d.wg.Go(r.run)
	}
	return err
}

func (d *dispatcher) renewLeases(ctx context.Context) error {
	keys := make([]feedback.EndpointKey, 0, len(d.running))
	for k := range d.running {
		keys = append(keys, k)
	}
	before := time.Now()
	if err := d.App.RenewLeases(ctx, d.owner, d.Lease, keys); err != nil {
		return err
	}
	for _, r := range d.running {
		r.heldUntil.Store(before.Add(d.Lease).UnixNano())
	}
	return nil
}
