package worker_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/webhook"
)

// TestRetries follows one delivery through all its attempts on a clock that
// moves from one to the next.
func TestRetries(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		h := newHooks(t, hooksConfig{engine: engine})
		in := newInbox()
		url := h.receive(func(w http.ResponseWriter, r *http.Request) {
			in.take(r)
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "oh dear")
		})
		e, text := h.Endpoint(url)
		secret, err := webhook.ParseSecret(text)
		if err != nil {
			t.Fatal(err)
		}
		h.start(nil)
		h.Post("Dark mode")

		delays := []string{"5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"}
		var first received
		for i := range 10 {
			m := <-in
			if i == 0 {
				first = m
			}
			if got, want := m.header.Get("webhook-id"), first.header.Get("webhook-id"); got != want || m.body != first.body {
				t.Errorf("attempt %d: id %s body %s; want those of the first, %s %s", i+1, got, m.body, want, first.body)
			}
			if got, want := m.header.Get("webhook-timestamp"), strconv.FormatInt(h.clock.Now().Unix(), 10); got != want {
				t.Errorf("attempt %d: timestamp %s, want that of this attempt, %s", i+1, got, want)
			}
			if err := webhook.Verify(m.header, []byte(m.body), h.clock.Now(), secret); err != nil {
				t.Errorf("attempt %d: %v", i+1, err)
			}
			h.await(1)
			d := h.Deliveries(e.ID)[0]
			if len(d.Log) != i+1 || d.Attempts != i+1 {
				t.Fatalf("after attempt %d: %d in the log, attemptCount %d", i+1, len(d.Log), d.Attempts)
			}
			a := d.Log[i]
			if want := (feedback.Attempt{Number: i + 1, StartedAt: h.clock.Now(), Duration: a.Duration, Status: 500, Body: "oh dear", Error: "status"}); a != want {
				t.Errorf("attempt %d: %s", i+1, cmp.Diff(want, a))
			}
			if i == 9 {
				if d.Status != feedback.DeliveryFailed || !d.NextAttemptAt.IsZero() || !d.CompletedAt.Equal(h.clock.Now()) {
					t.Errorf("after the last attempt: %+v; want failed", d.Delivery)
				}
				break
			}
			delay, _ := time.ParseDuration(delays[i])
			wait := d.NextAttemptAt.Sub(a.StartedAt.Add(a.Duration))
			if d.Status != feedback.DeliveryPending || wait < delay-time.Microsecond || wait > delay+time.Microsecond {
				t.Fatalf("after attempt %d: %s, next in %v; want pending, %v", i+1, d.Status, wait, delay)
			}
			// A moment too early nothing is sent: the next arrival would
			// carry a timestamp that the check above refuses.
			h.clock.Set(d.NextAttemptAt.Add(-time.Second))
			h.nudge(e)
			h.clock.Set(d.NextAttemptAt)
			h.nudge(e)
		}
		if got := h.endpointNow(e.ID); got.Failures != 1 || !got.Enabled {
			t.Errorf("endpoint after one exhausted delivery: %d failures, enabled %v; want 1, true", got.Failures, got.Enabled)
		}
	})
}

// TestRetryAfter: what a receiver asks for is granted within bounds, and one that
// looks overloaded is left alone for a minute.
func TestRetryAfter(t *testing.T) {
	tests := []struct {
		status int
		after  string
		want   time.Duration
	}{
		{500, "", 10 * time.Minute},
		{503, "900", 15 * time.Minute},
		{503, "60", 10 * time.Minute},
		{503, "86400", 20 * time.Minute},
		{429, "soon", 10 * time.Minute},
		{429, "-5", 10 * time.Minute},
		{302, "", 10 * time.Minute},
	}
	h := newHooks(t, hooksConfig{schedule: "0s,10m,10m"})
	var at atomic.Int64
	url := h.receive(func(w http.ResponseWriter, r *http.Request) {
		tt := tests[at.Load()]
		if tt.after != "" {
			w.Header().Set("Retry-After", tt.after)
		}
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
		w.WriteHeader(tt.status)
	})
	e, _ := h.Endpoint(url)
	h.start(nil)
	for i, tt := range tests {
		at.Store(int64(i))
		h.Post("Dark mode")
		h.await(1)
		all := h.Deliveries(e.ID)
		d := all[len(all)-1]
		got := d.NextAttemptAt.Sub(d.Log[0].StartedAt.Add(d.Log[0].Duration))
		if got.Round(time.Millisecond) != tt.want {
			t.Errorf("%d, Retry-After %q: next in %v, want %v", tt.status, tt.after, got, tt.want)
		}
	}

	h = newHooks(t, hooksConfig{schedule: "0s,5s"})
	url = h.receive(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	e, _ = h.Endpoint(url)
	h.start(nil)
	h.Post("Dark mode")
	h.await(1)
	d := h.Deliveries(e.ID)[0]
	if got := d.NextAttemptAt.Sub(d.Log[0].StartedAt.Add(d.Log[0].Duration)); got < time.Minute || got > 72*time.Second {
		t.Errorf("502 on a schedule of 5 s: next in %v, want 60 to 72 s", got)
	}
}

// TestAutoDisable: five deliveries in a row that use up all attempts disable an
// endpoint, one success in between begins anew, and its owners are told.
func TestAutoDisable(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		h := newHooks(t, hooksConfig{engine: engine, schedule: "0s"})
		var status atomic.Int64
		url := h.receive(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(int(status.Load())) })
		e, _ := h.Endpoint(url)
		h.start(nil)
		send := func(code int, want int, enabled bool) {
			t.Helper()
			status.Store(int64(code))
			h.Post("Dark mode")
			h.await(1)
			if got := h.endpointNow(e.ID); got.Failures != want || got.Enabled != enabled {
				t.Fatalf("after %d: %d failures, enabled %v; want %d, %v", code, got.Failures, got.Enabled, want, enabled)
			}
		}
		for i := range 4 {
			send(500, i+1, true)
		}
		send(200, 0, true)
		for i := range 4 {
			send(500, i+1, true)
		}
		send(500, 5, false)

		got := h.endpointNow(e.ID)
		if got.Reason != feedback.DisabledByFailures || !got.DisabledAt.Equal(h.clock.Now()) {
			t.Errorf("disabled for %q at %v; want failures, now", got.Reason, got.DisabledAt)
		}
		h.Post("Nobody is told")
		if n := len(h.Deliveries(e.ID)); n != 10 {
			t.Errorf("%d deliveries, want 10: none while disabled", n)
		}
		h.wantDisabledNotice(e, feedback.DisabledByFailures)

		h.Do(func(tx *app.Tx) error {
			yes := true
			e, err := tx.UpdateEndpoint(t.Context(), e.ID.String(), feedback.EndpointPatch{Enabled: &yes})
			if err == nil && (e.Failures != 0 || e.Reason != "" || !e.DisabledAt.IsZero()) {
				t.Errorf("enabled again: %+v; want a clean record", e)
			}
			return err
		})
		send(200, 0, true)
	})
}

// TestGone: 410 disables at once and cancels what is waiting.
func TestGone(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		h := newHooks(t, hooksConfig{engine: engine})
		var status atomic.Int64
		status.Store(500)
		url := h.receive(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(int(status.Load())) })
		e, _ := h.Endpoint(url)
		h.start(nil)
		h.Post("First, which waits for its second attempt")
		h.await(1)
		status.Store(410)
		h.Post("Second")
		h.await(1)
		var got []feedback.DeliveryStatus
		for _, d := range h.Deliveries(e.ID) {
			got = append(got, d.Status)
			if d.CompletedAt.IsZero() || !d.NextAttemptAt.IsZero() {
				t.Errorf("%s: completed %v, next %v", d.Status, d.CompletedAt, d.NextAttemptAt)
			}
		}
		if want := []feedback.DeliveryStatus{feedback.DeliveryCancelled, feedback.DeliveryFailed}; !cmp.Equal(got, want) {
			t.Errorf("deliveries %v, want %v", got, want)
		}
		if e := h.endpointNow(e.ID); e.Enabled || e.Reason != feedback.DisabledAsGone {
			t.Errorf("enabled %v, reason %q; want disabled as gone", e.Enabled, e.Reason)
		}
		h.wantDisabledNotice(e, feedback.DisabledAsGone)
	})
}

// wantDisabledNotice checks that the owners are told, by mail and in the
// dashboard.
func (h *hooks) wantDisabledNotice(e *feedback.Endpoint, why feedback.DisabledReason) {
	h.t.Helper()
	var banner []feedback.Endpoint
	h.Do(func(tx *app.Tx) (err error) {
		banner, err = tx.DisabledEndpoints(h.t.Context())
		return err
	})
	if len(banner) != 1 || banner[0].ID != e.ID || banner[0].Reason != why {
		h.t.Errorf("DisabledEndpoints = %+v, want %s for %s", banner, e.ID, why)
	}
	rows := feedbacktest.Rows(h.t, h.url, `SELECT kind, endpoint_id, note FROM notices WHERE kind = 'webhook_disabled'`)
	if want := [][]string{{"webhook_disabled", strconv.FormatInt(int64(e.ID), 10), string(why)}}; !cmp.Equal(rows, want) {
		h.t.Errorf("notices %v, want %v", rows, want)
	}
	for more := true; more; {
		var err error
		if more, err = h.App.TellNext(h.t.Context()); err != nil {
			h.t.Fatal(err)
		}
	}
	mails := feedbacktest.Rows(h.t, h.url, `SELECT to_email, text_part FROM mails WHERE kind = 'webhook_disabled'`)
	link := "/dash/sites/" + e.SiteID.String() + "/webhooks/" + e.ID.String()
	if len(mails) != 1 || mails[0][0] != h.opened.Member.Email || !strings.Contains(mails[0][1], link) {
		h.t.Errorf("mails %v, want one to the owner with a link to %s", mails, link)
	}
}
