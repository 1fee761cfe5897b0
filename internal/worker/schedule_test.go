package worker_test

import (
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/worker"
)

// One run publishes everything whose time has come, and nothing else.
func TestScheduled(t *testing.T) {
	clock := feedbacktest.NewClock(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	url := "sqlite:" + t.TempDir() + "/heed.db"
	a := feedbacktest.NewAppWith(t, feedbacktest.OpenURL(t, url, clock.Now), auth.NewMaster(), app.Webhooks{})
	as := feedbacktest.ByKey(t, a, feedbacktest.OpenAccount(t, a, "Northwind", feedback.Pro))
	as.Do(func(tx *app.Tx) error {
		for hours := range 4 {
			e, err := tx.CreateEntry(t.Context(), feedback.NewEntry{Title: "News"})
			if err != nil {
				return err
			}
			at := tx.Now().Add(time.Duration(hours+1) * time.Hour)
			if _, err := tx.ScheduleEntry(t.Context(), e.ID.String(), feedback.Schedule{At: at}); err != nil {
				return err
			}
		}
		return nil
	})
	for passed, want := range []string{"0", "1", "2", "4"} {
		if passed == 3 {
			clock.Advance(time.Hour) // a server that was away
		}
		if err := worker.Scheduled(a).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := feedbacktest.Rows(t, url, `SELECT COUNT(*) FROM events WHERE type = 'changelog.published'`)[0][0]
		if got != want {
			t.Errorf("after %d hours %s entries are published; want %s", passed, got, want)
		}
		clock.Advance(time.Hour)
	}
}
