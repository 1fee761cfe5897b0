package store_test

import (
	"testing"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// The words of visitors are made by the program, after the step of the schema
// that has room for them. A process that is killed in between leaves that to the
// next.
func TestMigrateAfterKill(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, fresh *store.DB) {
		for _, last := range []int64{5, 6} {
			db := empty(t, fresh.Engine())
			if err := db.MigrateTo(t.Context(), last); err != nil {
				t.Fatal(err)
			}
			exec(t, db, `INSERT INTO accounts (id, name, plan, created_at) VALUES (1, 'Old', 'PRO', 1)`)
			exec(t, db, `INSERT INTO sites (id, account_id, name, slug, run_count, created_at) VALUES (2, 1, 'Old', 'old', 0, 1)`)
			exec(t, db, `INSERT INTO visitors (site_id, id, ref, name, created_at) VALUES (2, 4, 'x', 'Ada Lovelace', 1)`)
			for range 2 {
				if err := db.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			err := db.Read(t.Context(), func(tx *store.Tx) error {
				found, err := tx.FindVisitors(t.Context(), feedback.SiteID(2), "love", false)
				if len(found) != 1 {
					t.Errorf("from step %d on, %d visitors are found by name; want 1", last, len(found))
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}
