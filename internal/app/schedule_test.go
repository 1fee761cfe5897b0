package app_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// office is a site in two processes, with a member of its team.
type office struct {
	*feedbacktest.As
	url   string
	clock *feedbacktest.Clock
	both  []*app.App
}

func newOffice(t *testing.T, engine string) *office {
	t.Helper()
	o := &office{clock: feedbacktest.NewClock(epoch), url: "sqlite:" + t.TempDir() + "/heed.db"}
	if engine == "postgres" {
		o.url = feedbacktest.PostgresURL(t)
	}
	master := auth.NewMaster()
	for range 2 {
		o.both = append(o.both, feedbacktest.NewAppWith(t, feedbacktest.OpenURL(t, o.url, o.clock.Now), master, app.Webhooks{}))
	}
	opened := feedbacktest.OpenAccount(t, o.both[0], "Northwind", feedback.Pro)
	o.As = feedbacktest.ByKey(t, o.both[0], opened)
	o.Actor = &app.Actor{Source: feedback.FromDashboard, Account: &opened.Account, Member: opened.Member.ID, Name: "Hana"}
	return o
}

// sound fails the test if counters or references do not hold.
func (o *office) sound() {
	o.T.Helper()
	if found, err := o.App.Check(o.T.Context(), nil); err != nil || len(found) > 0 {
		o.T.Errorf("check: %v %v", found, err)
	}
}

func eachOffice(t *testing.T, test func(*testing.T, *office)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, newOffice(t, engine)) })
	}
}

// refused fails the test if err is not a refusal with a code that names a part
// of its message.
func refused(t *testing.T, what string, err error, code feedback.Code, says string) {
	t.Helper()
	e, ok := errors.AsType[*feedback.Error](err)
	if !ok || e.Code != code || !strings.Contains(e.Msg, says) {
		t.Errorf("%s: %v; want %s that says %q", what, err, code, says)
	}
}

// A scheduled entry is published once, by whichever of several processes comes
// first, with one event, one line in the record and one mail to whom it concerns.
func TestSchedule(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		ctx := t.Context()
		post := o.Post("Exports time out")
		var due, off, later string
		draft := func(title string) (id string) {
			o.Do(func(tx *app.Tx) error {
				e, err := tx.CreateEntry(ctx, feedback.NewEntry{
					Title: feedback.EntryTitle(title), Body: "Quick.", Posts: []feedback.Ref{feedback.Ref(post)},
				})
				if err == nil {
					id = e.ID.String()
				}
				return err
			})
			return id
		}
		due, off, later = draft("Faster exports"), draft("Called off"), draft("Next month")
		at := epoch.Add(2 * time.Hour)
		o.Do(func(tx *app.Tx) error {
			for entry, when := range map[string]time.Time{due: at, off: at, later: at.AddDate(0, 1, 0)} {
				if _, err := tx.ScheduleEntry(ctx, entry, feedback.Schedule{At: when}); err != nil {
					return err
				}
			}
			e, err := tx.UnscheduleEntry(ctx, off)
			if err == nil && (!e.PublishAt.IsZero() || e.Status != feedback.Draft) {
				t.Errorf("an unscheduled entry is %+v", e)
			}
			return err
		})
		for name, when := range map[string]time.Time{"past": epoch.Add(-time.Minute), "now": epoch, "far": epoch.AddDate(2, 0, 0), "never": {}} {
			err := o.Try(func(tx *app.Tx) error {
				_, err := tx.ScheduleEntry(ctx, due, feedback.Schedule{At: when})
				return err
			})
			refused(t, name, err, feedback.ValidationFailed, "publishAt")
		}
		feedbacktest.Rows(t, o.url, `UPDATE visitors SET email = 'ada@example.com', verified_at = 1`)
		count := func(query string) string { t.Helper(); return feedbacktest.Rows(t, o.url, query)[0][0] }
		const events = `SELECT COUNT(*) FROM events WHERE type = 'changelog.published'`
		publish := func() {
			t.Helper()
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					for more := true; more; {
						var err error
						if more, err = o.both[i%2].PublishNext(ctx); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
		}
		o.clock.Set(at.Add(-time.Second))
		publish()
		if n := count(events); n != "0" {
			t.Errorf("%s entries are published before their time", n)
		}
		o.clock.Set(at)
		publish()
		for _, a := range o.both {
			for more := true; more; {
				var err error
				if more, err = a.TellNext(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		for what, query := range map[string]string{
			"events": events,
			"mails":  `SELECT COUNT(*) FROM mails WHERE to_email = 'ada@example.com'`,
			"lines":  `SELECT COUNT(*) FROM audit WHERE action = 'changelog.published' AND actor_kind = 'system'`,
			"public": `SELECT COUNT(*) FROM entries WHERE status = 'published' AND publish_at IS NULL`,
			"waits":  `SELECT COUNT(*) FROM entries WHERE publish_at IS NOT NULL`,
		} {
			if n := count(query); n != "1" {
				t.Errorf("%s %s; want 1", n, what)
			}
		}
		err := o.Try(func(tx *app.Tx) error {
			_, err := tx.ScheduleEntry(ctx, due, feedback.Schedule{At: at.Add(time.Hour)})
			return err
		})
		refused(t, "published", err, feedback.InvalidTransition, "published already")
		// Whoever publishes by hand is not followed by the clock.
		o.Do(func(tx *app.Tx) error {
			_, err := tx.PublishEntry(ctx, later, feedback.Input{})
			return err
		})
		o.clock.Set(at.AddDate(0, 2, 0))
		publish()
		if n := count(events); n != "2" {
			t.Errorf("%s events; want 2", n)
		}
		o.sound()
	})
}
