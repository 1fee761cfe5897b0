package app_test

import (
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// TestLastUse: when a key was used is written down at most once a minute, behind
// the requests, and all of it by the time the App is closed.
func TestLastUse(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			url := "sqlite:" + t.TempDir() + "/heed.db"
			if engine == "postgres" {
				url = feedbacktest.PostgresURL(t)
			}
			clock := feedbacktest.NewClock(epoch)
			db := feedbacktest.OpenURL(t, url, clock.Now)
			o := feedbacktest.OpenAccount(t, feedbacktest.NewApp(t, db), "Northwind", feedback.Pro)
			for _, c := range []struct {
				after time.Duration // since the last case
				want  time.Duration // the last use on record, since the beginning
			}{
				{0, 0},
				{59 * time.Second, 0},
				{time.Second, 60 * time.Second},
				{30 * time.Second, 60 * time.Second},
				{time.Hour, time.Hour + 90*time.Second},
			} {
				clock.Advance(c.after)
				a := app.New(db, app.Config{Master: auth.NewMaster()})
				for range 3 {
					if _, err := a.Authenticate(t.Context(), o.Secret, ""); err != nil {
						t.Fatal(err)
					}
				}
				a.Close()
				var key feedback.Key
				as := feedbacktest.ByKey(t, feedbacktest.NewApp(t, db), o)
				as.Do(func(tx *app.Tx) error {
					keys, err := tx.Keys(t.Context())
					if err == nil {
						key = keys[0]
					}
					return err
				})
				if want := epoch.Add(c.want); !key.LastUsed.Equal(want) {
					t.Errorf("used %v after the beginning: on record is %v; want %v", clock.Now().Sub(epoch), key.LastUsed, want)
				}
			}
		})
	}
}
