package worker_test

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/webhook"
	"heed/internal/worker"
)

// loopback is where receivers of tests are.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// epoch is when the clock of a test starts.
var epoch = time.Date(2026, 11, 15, 1, 34, 10, 0, time.UTC)

// hooks is a service with one account, and what it takes to send its webhooks.
type hooks struct {
	*feedbacktest.As
	t        testing.TB
	url      string // of the database
	clock    *feedbacktest.Clock
	opened   *app.Opened
	sender   webhook.Config
	attempts chan app.Attempted // written down
}

type hooksConfig struct {
	url      string // of the database; empty: a fresh one of the engine
	engine   string
	master   auth.Master
	schedule string
	clock    *feedbacktest.Clock // nil: a new one
	opened   *app.Opened         // nil: a new one
}

func newHooks(t testing.TB, c hooksConfig) *hooks {
	t.Helper()
	h := &hooks{t: t, clock: c.clock, attempts: make(chan app.Attempted, 10000)}
	if h.clock == nil {
		h.clock = feedbacktest.NewClock(epoch)
	}
	if c.url == "" {
		c.url = "sqlite:" + t.TempDir() + "/heed.db"
		if c.engine == "postgres" {
			c.url = feedbacktest.PostgresURL(t)
		}
	}
	if c.master.IsZero() {
		c.master = auth.NewMaster()
	}
	h.url = c.url
	db := feedbacktest.OpenURL(t, c.url, h.clock.Now)
	guard := webhook.NewGuard(loopback)
	set := app.Webhooks{Guard: guard, Random: func() float64 { return 0.5 }}
	if c.schedule != "" {
		var err error
		if set.Schedule, err = webhook.ParseSchedule(c.schedule); err != nil {
			t.Fatal(err)
		}
	}
	a := feedbacktest.NewAppWith(t, db, c.master, set)
	if h.opened = c.opened; h.opened == nil {
		h.opened = feedbacktest.OpenAccount(t, a, "Northwind", feedback.Studio)
	}
	h.As = feedbacktest.ByKey(t, a, h.opened)
	h.sender = webhook.Config{Guard: guard, Roots: x509.NewCertPool(), Now: h.clock.Now}
	return h
}

// receive starts a receiver that the sender trusts and returns its URL.
func (h *hooks) receive(fn http.HandlerFunc) string {
	h.t.Helper()
	srv := httptest.NewTLSServer(fn)
	h.t.Cleanup(srv.Close)
	h.sender.Roots.AddCert(srv.Certificate())
	return srv.URL
}

// start runs the worker until the function it returns is called, or the test
// ends.
func (h *hooks) start(change func(*worker.DeliveryConfig)) (stop func()) {
	h.t.Helper()
	cfg := worker.DeliveryConfig{
		App: h.App, Sender: webhook.NewSender(h.sender), Log: slog.New(slog.NewTextHandler(h.t.Output(), nil)),
		Observe: func(a app.Attempted) { h.attempts <- a },
	}
	if change != nil {
		change(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		worker.Run(ctx, cfg.Log, worker.Deliveries(cfg))
		cfg.Sender.Close()
		close(done)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	h.t.Cleanup(stop)
	return stop
}

// await returns the next n attempts that are written down.
func (h *hooks) await(n int) []app.Attempted {
	h.t.Helper()
	all := make([]app.Attempted, n)
	for i := range all {
		all[i] = <-h.attempts
	}
	return all
}

// nudge has the worker look at an endpoint at once instead of at its next poll.
func (h *hooks) nudge(e *feedback.Endpoint) {
	h.t.Helper()
	h.Do(func(tx *app.Tx) error {
		_, err := tx.UpdateEndpoint(h.t.Context(), e.ID.String(), feedback.EndpointPatch{})
		return err
	})
}

// endpointNow reads an endpoint.
func (h *hooks) endpointNow(id feedback.EndpointID) (e *feedback.Endpoint) {
	h.t.Helper()
	h.Do(func(tx *app.Tx) (err error) {
		e, err = tx.Endpoint(h.t.Context(), id.String())
		return err
	})
	return e
}

// received is a message as it arrived.
type received struct {
	header http.Header
	body   string
}

// inbox gathers what a receiver gets.
type inbox chan received

func newInbox() inbox { return make(inbox, 10000) }

func (in inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in.take(r)
	w.WriteHeader(http.StatusNoContent)
}

func (in inbox) take(r *http.Request) received {
	b, _ := io.ReadAll(r.Body)
	m := received{r.Header.Clone(), string(b)}
	in <- m
	return m
}

func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}
