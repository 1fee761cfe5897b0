package store_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// Attempts are counted exactly, whoever races; they come back with time, and a
// clock that is put back locks nobody out.
func TestAttempts(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			var now atomic.Int64
			now.Store(time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC).UnixMicro())
			url := "sqlite:" + filepath.Join(t.TempDir(), "heed.db")
			if engine == "postgres" {
				url = feedbacktest.PostgresURL(t)
			}
			db := feedbacktest.OpenURL(t, url, func() time.Time { return time.UnixMicro(now.Load()).UTC() })
			pace := feedback.Pace{Every: time.Minute, Burst: 5}
			try := func(what string) (wait time.Duration) {
				t.Helper()
				err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
					wait, err = tx.Attempt(t.Context(), []byte(what), pace)
					return err
				})
				if err != nil {
					t.Errorf("Attempt: %v", err)
				}
				return wait
			}
			var allowed atomic.Int32
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					if try("race") == 0 {
						allowed.Add(1)
					}
				})
			}
			wg.Wait()
			if n := allowed.Load(); n != 5 {
				t.Errorf("%d of 20 attempts at once are allowed; want 5", n)
			}
			if wait := try("race"); wait != time.Minute {
				t.Errorf("wait %v; want a minute", wait)
			}
			if wait := try("another"); wait != 0 {
				t.Errorf("another waits %v", wait)
			}
			now.Add(time.Minute.Microseconds())
			if try("race") != 0 || try("race") == 0 {
				t.Error("after a minute there is not one more attempt")
			}
			now.Add(-time.Hour.Microseconds())
			if wait := try("race"); wait != 0 {
				t.Errorf("with the clock put back by an hour: wait %v", wait)
			}
			now.Add(3 * time.Hour.Microseconds())
			for i := range 6 {
				if wait := try("race"); (wait == 0) != (i < 5) {
					t.Errorf("after a rest, attempt %d waits %v", i+1, wait)
				}
			}
			now.Add(time.Hour.Microseconds())
			err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.PurgeAccess(t.Context()) })
			if err != nil {
				t.Errorf("PurgeAccess: %v", err)
			}
		})
	}
}

// A challenge is answered once, whoever races.
func TestSpendChallenge(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		var won atomic.Int32
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				fresh := false
				err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
					fresh, err = tx.SpendChallenge(t.Context(), []byte("one"), tx.Now.Add(time.Minute))
					return err
				})
				if err != nil {
					t.Errorf("SpendChallenge: %v", err)
				}
				if fresh {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if n := won.Load(); n != 1 {
			t.Errorf("%d of 10 answers count; want 1", n)
		}
	})
}
