package worker_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/worker"
)

// TestTwoWorkers: two processes on one database never have more than four
// attempts at an endpoint under way between them, and deliver each message once.
func TestTwoWorkers(t *testing.T) {
	url, master := feedbacktest.PostgresURL(t), auth.NewMaster()
	clock := feedbacktest.NewClock(epoch)
	a := newHooks(t, hooksConfig{url: url, master: master, clock: clock})
	b := newHooks(t, hooksConfig{url: url, master: master, clock: clock, opened: a.opened})
	b.sender.Roots = a.sender.Roots

	const endpoints, posts = 3, 60
	count := newCounter()
	for i := range endpoints {
		target := a.receive(func(w http.ResponseWriter, r *http.Request) {
			defer count.enter(i, r)()
		})
		a.Endpoint(target)
	}
	a.start(nil)
	b.start(nil)
	var wg sync.WaitGroup
	for _, h := range []*hooks{a, b} {
		for range 2 {
			wg.Go(func() {
				for range posts / 4 {
					h.Post("Dark mode")
				}
			})
		}
	}
	wg.Wait()
	for range endpoints * posts {
		select {
		case <-a.attempts:
		case <-b.attempts:
		}
	}
	count.mu.Lock()
	defer count.mu.Unlock()
	if len(count.seen) != endpoints*posts {
		t.Errorf("%d messages arrived, want %d", len(count.seen), endpoints*posts)
	}
	for k, n := range count.seen {
		if n != 1 {
			t.Errorf("%s arrived %d times", k, n)
		}
	}
	for i, most := range count.most {
		if most > 4 {
			t.Errorf("endpoint %d had %d attempts in flight, want at most 4", i, most)
		}
	}
}

// counter counts what arrives, and how much at once.
type counter struct {
	mu   sync.Mutex
	now  map[int]int
	most map[int]int
	seen map[string]int
}

func newCounter() *counter {
	return &counter{now: map[int]int{}, most: map[int]int{}, seen: map[string]int{}}
}

func (c *counter) enter(endpoint int, r *http.Request) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[fmt.Sprint(endpoint, " ", r.Header.Get("webhook-id"))]++
	c.now[endpoint]++
	c.most[endpoint] = max(c.most[endpoint], c.now[endpoint])
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now[endpoint]--
	}
}

// TestFourInFlight: a receiver that has answered once gets four messages at once
// and no fifth, and the fifth when one of them is answered.
func TestFourInFlight(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		h := newHooks(t, hooksConfig{engine: engine})
		arrived, answer := make(chan struct{}, 100), make(chan struct{})
		h.Endpoint(h.receive(func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			select {
			case <-answer:
			case <-t.Context().Done(): // an attempt that nobody waits for any more
			}
		}))
		for range 10 {
			h.Post("Dark mode")
		}
		h.start(nil)
		<-arrived
		select {
		case <-arrived:
			t.Fatal("a second message arrived before the first was answered")
		default:
		}
		answer <- struct{}{}
		for range 4 {
			<-arrived
		}
		for range 5 {
			select {
			case <-arrived:
				t.Fatal("a fifth message arrived while four were unanswered")
			default:
			}
			answer <- struct{}{}
			<-arrived
		}
		for range 4 {
			answer <- struct{}{}
		}
		h.await(10)
	})
}

// TestLeaseOfACrashedProcess: what a process held that is gone is left alone
// until its lease has run out, and then delivered.
func TestLeaseOfACrashedProcess(t *testing.T) {
	h := newHooks(t, hooksConfig{engine: "postgres"})
	in := newInbox()
	e, _ := h.Endpoint(h.receive(in.ServeHTTP))
	h.Post("Dark mode")
	const dead = 4711
	held, err := h.App.ClaimEndpoints(t.Context(), dead, time.Minute, []feedback.EndpointKey{e.Key()})
	if err != nil || len(held) != 1 {
		t.Fatalf("ClaimEndpoints = %v, %v; want the endpoint", held, err)
	}
	if again, err := h.App.ClaimEndpoints(t.Context(), 4712, time.Minute, []feedback.EndpointKey{e.Key()}); err != nil || len(again) != 0 {
		t.Fatalf("ClaimEndpoints of a held endpoint = %v, %v; want none", again, err)
	}
	h.start(nil)
	h.nudge(e)
	h.clock.Advance(time.Minute - time.Second)
	h.nudge(e)
	if d := h.Deliveries(e.ID)[0]; d.Attempts != 0 {
		t.Fatalf("%d attempts while another holds the endpoint", d.Attempts)
	}
	h.clock.Advance(time.Second)
	h.nudge(e)
	<-in
	h.await(1)
	if d := h.Deliveries(e.ID)[0]; d.Status != feedback.DeliverySucceeded || d.Attempts != 1 {
		t.Errorf("%s after %d attempts; want succeeded after 1: what was interrupted is not counted", d.Status, d.Attempts)
	}

	// A process that comes back to life writes nothing down.
	late := app.Attempted{Endpoint: e.Key(), Delivery: h.Deliveries(e.ID)[0].ID, Number: 1}
	if err := h.App.RecordAttempts(t.Context(), dead, []app.Attempted{late}, held); err != nil {
		t.Errorf("RecordAttempts of a lost lease: %v", err)
	}
	if d := h.Deliveries(e.ID)[0]; len(d.Log) != 1 {
		t.Errorf("%d attempts in the log after a late one of a lost lease, want 1", len(d.Log))
	}
}

// TestStop: a stop waits for what is under way, cuts off what takes too long
// without counting it, and gives the endpoint back at once.
func TestStop(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		h := newHooks(t, hooksConfig{engine: engine})
		arrived := make(chan chan struct{}, 10)
		e, _ := h.Endpoint(h.receive(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // else nobody notices that the sender has gone
			answer := make(chan struct{})
			arrived <- answer
			select {
			case <-answer:
			case <-r.Context().Done():
			}
		}))
		stop := h.start(func(c *worker.DeliveryConfig) { c.Drain = time.Hour })
		h.Post("First")
		answer := <-arrived
		stopped := make(chan struct{})
		go func() {
			stop()
			close(stopped)
		}()
		close(answer)
		<-stopped
		if d := h.Deliveries(e.ID)[0]; d.Status != feedback.DeliverySucceeded {
			t.Errorf("after a stop that waited: %s, want succeeded", d.Status)
		}

		stop = h.start(func(c *worker.DeliveryConfig) { c.Drain = time.Nanosecond })
		h.Post("Second")
		<-arrived
		stop()
		if d := h.Deliveries(e.ID)[1]; d.Status != feedback.DeliveryPending || d.Attempts != 0 || len(d.Log) != 0 {
			t.Errorf("after a stop that cut off: %s, %d attempts; want pending, 0", d.Status, d.Attempts)
		}
		if rows := feedbacktest.Rows(t, h.url, `SELECT lease_owner FROM webhook_endpoints`); rows[0][0] != "NULL" {
			t.Errorf("the lease is held by %s after a stop", rows[0][0])
		}

		h.start(nil)
		close(<-arrived)
		h.await(2) // the first and this one
		if d := h.Deliveries(e.ID)[1]; d.Status != feedback.DeliverySucceeded || d.Attempts != 1 {
			t.Errorf("after the next start: %s, %d attempts; want succeeded, 1", d.Status, d.Attempts)
		}
	})
}

// TestDisablingHoldsBack: what is queued when an endpoint is disabled is not
// sent, and stays cancelled when it is enabled again.
func TestDisablingHoldsBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		h := newHooks(t, hooksConfig{engine: engine})
		arrived, answer := make(chan struct{}, 100), make(chan struct{})
		e, _ := h.Endpoint(h.receive(func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			select {
			case <-answer:
			case <-t.Context().Done(): // an attempt that nobody waits for any more
			}
		}))
		for range 10 {
			h.Post("Dark mode")
		}
		h.start(nil)
		<-arrived
		answer <- struct{}{}
		for range 4 {
			<-arrived
		}
		set := func(enabled bool) {
			h.Do(func(tx *app.Tx) error {
				_, err := tx.UpdateEndpoint(t.Context(), e.ID.String(), feedback.EndpointPatch{Enabled: &enabled})
				return err
			})
		}
		set(false)
		for range 4 {
			answer <- struct{}{}
		}
		h.await(5)
		set(true)
		h.Post("After")
		<-arrived
		answer <- struct{}{}
		h.await(1)
		got := map[feedback.DeliveryStatus]int{}
		for _, d := range h.Deliveries(e.ID) {
			got[d.Status]++
		}
		if got[feedback.DeliverySucceeded] != 6 || got[feedback.DeliveryCancelled] != 5 {
			t.Errorf("%v; want 6 succeeded, those in flight among them, and 5 cancelled", got)
		}
		select {
		case <-arrived:
			t.Error("a cancelled message arrived")
		default:
		}
	})
}
