package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/webhook"
)

// TestPurge: the log is kept for 30 days, what is still to be sent for as long as
// it takes, and an event for as long as a delivery speaks of it.
func TestPurge(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, ctx := newScene(t, engine), t.Context()
			const owner = 1
			// Three events: delivered; delivered and sent again later; waiting.
			for _, title := range []string{"delivered", "again", "waiting"} {
				s.Post(title)
			}
			all := s.Deliveries(s.endpoint.ID)
			if _, err := s.App.ClaimEndpoints(ctx, owner, time.Minute, []feedback.EndpointKey{s.endpoint.Key()}); err != nil {
				t.Fatal(err)
			}
			record := func(d feedback.Delivery) {
				err := s.App.RecordAttempts(ctx, owner, []app.Attempted{{
					Endpoint: s.endpoint.Key(), Delivery: d.ID, Number: 1,
					Attempt: webhook.Attempt{StartedAt: s.clock.Now(), Status: 200, Outcome: webhook.Succeeded},
				}}, nil)
				if err != nil {
					t.Fatal(err)
				}
			}
			record(all[0].Delivery)
			record(all[1].Delivery)

			titles := func() (left []string) {
				if err := s.App.PurgeDeliveries(ctx); err != nil {
					t.Fatal(err)
				}
				for _, d := range s.Deliveries(s.endpoint.ID) {
					for _, title := range []string{"delivered", "again", "waiting"} {
						if strings.Contains(string(d.Payload), title) {
							left = append(left, fmt.Sprint(title, " ", len(d.Log)))
						}
					}
				}
				return left
			}
			s.clock.Advance(30*24*time.Hour - time.Second)
			if got, want := titles(), []string{"delivered 1", "again 1", "waiting 0"}; !cmp.Equal(got, want) {
				t.Errorf("before 30 days: %v, want %v", got, want)
			}
			s.Do(func(tx *app.Tx) error {
				_, err := tx.Redeliver(ctx, s.endpoint.ID.String(), all[1].ID.String(), feedback.Input{})
				return err
			})
			s.clock.Advance(2 * time.Hour)
			if got, want := titles(), []string{"waiting 0", "again 0"}; !cmp.Equal(got, want) {
				t.Errorf("after 30 days: %v, want %v", got, want)
			}
		})
	}
}

// TestPurgeRemovesEvents: nothing is left of events that nobody speaks of.
func TestPurgeRemovesEvents(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			clock := feedbacktest.NewClock(epoch)
			url := "sqlite:" + t.TempDir() + "/heed.db"
			if engine == "postgres" {
				url = feedbacktest.PostgresURL(t)
			}
			a := feedbacktest.NewAppWith(t, feedbacktest.OpenURL(t, url, clock.Now), auth.NewMaster(), app.Webhooks{})
			as := feedbacktest.ByKey(t, a, feedbacktest.OpenAccount(t, a, "Northwind", feedback.Pro))
			as.Post("Dark mode")
			clock.Advance(31 * 24 * time.Hour)
			as.Post("Night mode")
			if err := a.PurgeDeliveries(t.Context()); err != nil {
				t.Fatal(err)
			}
			rows := feedbacktest.Rows(t, url, "SELECT payload FROM events")
			if len(rows) != 1 || !strings.Contains(rows[0][0], "Night mode") {
				t.Errorf("events left: %v, want the one of today", rows)
			}
		})
	}
}

// TestLongBacklogIsCancelled: disabling an endpoint with more waiting than one
// transaction takes cancels all of it, also if it is enabled again meanwhile.
func TestLongBacklogIsCancelled(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, ctx := newScene(t, engine), t.Context()
			s.Post("Dark mode")
			d := s.Deliveries(s.endpoint.ID)[0]
			for range 11 { // 1,101 in all
				s.Do(func(tx *app.Tx) error {
					for range 100 {
						if _, err := tx.Redeliver(ctx, s.endpoint.ID.String(), d.ID.String(), feedback.Input{}); err != nil {
							return err
						}
					}
					return nil
				})
			}
			for _, enabled := range []bool{false, true} {
				s.Do(func(tx *app.Tx) error {
					_, err := tx.UpdateEndpoint(ctx, s.endpoint.ID.String(), feedback.EndpointPatch{Enabled: &enabled})
					return err
				})
			}
			s.Do(func(tx *app.Tx) error {
				_, err := tx.Redeliver(ctx, s.endpoint.ID.String(), d.ID.String(), feedback.Input{})
				return err
			})
			const owner = 1
			if _, err := s.App.ClaimEndpoints(ctx, owner, time.Minute, []feedback.EndpointKey{s.endpoint.Key()}); err != nil {
				t.Fatal(err)
			}
			due, err := s.App.DueDeliveries(ctx, owner, s.endpoint.Key(), nil, 100)
			if err != nil || len(due.Due) != 1 {
				t.Errorf("%d due, %v; want only the one since it was enabled", len(due.Due), err)
			}
			if err := s.App.SweepEndpoints(ctx); err != nil {
				t.Fatal(err)
			}
			count := map[feedback.DeliveryStatus]int{}
			for _, d := range s.Deliveries(s.endpoint.ID) {
				count[d.Status]++
			}
			want := map[feedback.DeliveryStatus]int{feedback.DeliveryCancelled: 1101, feedback.DeliveryPending: 1}
			if !cmp.Equal(count, want) {
				t.Errorf("after a sweep %v, want %v", count, want)
			}
		})
	}
}

// TestTooLong: an event that is longer than receivers are asked to take is not
// sent, and its owner can see that.
func TestTooLong(t *testing.T) {
	s := newScene(t, "sqlite")
	s.Do(func(tx *app.Tx) error {
		// A control character takes six bytes in JSON.
		e, err := tx.CreateEntry(t.Context(), feedback.NewEntry{Title: "x", Body: feedback.EntryBody(strings.Repeat("\x01", 50_000))})
		if err == nil {
			_, err = tx.PublishEntry(t.Context(), e.ID.String(), feedback.Input{})
		}
		return err
	})
	d := s.Deliveries(s.endpoint.ID)[0]
	if d.Status != feedback.DeliveryFailed || d.Attempts != 0 || d.CompletedAt.IsZero() || !d.NextAttemptAt.IsZero() {
		t.Errorf("a delivery of %d bytes: %+v; want failed without an attempt", len(d.Payload), d.Delivery)
	}
}
