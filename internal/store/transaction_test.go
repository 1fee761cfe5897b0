package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/ids"
	"heed/internal/store"
)

// What people wrote is for the one who runs the service, not for everybody on the
// machine.
func TestSQLiteFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	path := filepath.Join(t.TempDir(), "heed.db")
	db := feedbacktest.OpenURL(t, "sqlite:"+path, time.Now)
	if err := db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.TagNamed(t.Context(), 1, "x"); return err }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", filepath.Base(name), mode)
		}
	}
}

// The two folders of migrations must give the same tables: one query set reads
// both.
func TestMigrationsAgree(t *testing.T) {
	schema := func(engine string) map[string][]string {
		s, err := feedbacktest.OpenDB(t, engine).Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	lite, pg := schema("sqlite"), schema("postgres")
	for name, columns := range pg {
		if diff := cmp.Diff(columns, lite[name]); diff != "" {
			t.Errorf("table %s (-postgres +sqlite):\n%s", name, diff)
		}
	}
	for name := range lite {
		if pg[name] == nil {
			t.Errorf("table %s is in SQLite only", name)
		}
	}
	if len(pg) < 24 {
		t.Errorf("there are %d tables; want at least the 24 of the first migration", len(pg))
	}
}

// So that PostgreSQL can be spread by site, a tenant's row is found by its site
// first.
func TestTenantKeysStartWithTheSite(t *testing.T) {
	db := feedbacktest.OpenDB(t, "postgres")
	keys, err := db.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tables, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What is looked up before the site is known is not spread.
	notSpread := map[string]bool{"run_sites": true, "site_hosts": true}
	for name, columns := range tables {
		if !slices.Contains(columns, "site_id int NOT NULL") || notSpread[name] {
			continue
		}
		if len(keys[name]) == 0 || keys[name][0] != "site_id" {
			t.Errorf("table %s has the primary key %v; want site_id first", name, keys[name])
		}
	}
}

func TestMigrationNumbersAgree(t *testing.T) {
	var names [2][]string
	for i, engine := range []string{"sqlite", "postgres"} {
		all, err := feedbacktest.OpenDB(t, engine).Migrations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			names[i] = append(names[i], filepath.Base(m.Name))
			if !m.Applied {
				t.Errorf("%s: %s is not applied after Migrate", engine, m.Name)
			}
		}
	}
	if diff := cmp.Diff(names[0], names[1]); diff != "" {
		t.Errorf("migrations (-sqlite +postgres):\n%s", diff)
	}
}

// Two processes may make the same id in the same millisecond. The second finds
// another by running again.
func TestWriteRetriesOnIDClash(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a := feedbacktest.NewApp(t, db)
		o := feedbacktest.OpenAccount(t, a, "Clash", feedback.Studio)
		insert := func(id int64, name string) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				return tx.Exec(t.Context(), `
					INSERT INTO tags (site_id, id, name, color, created_at)
					VALUES ($1, $2, $3, '#000000', 0)`, o.Site.ID, id, name)
			}
		}
		taken := ids.At(time.Now())
		if err := db.Write(t.Context(), insert(taken, "first")); err != nil {
			t.Fatal(err)
		}
		attempts := 0
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			attempts++
			if attempts == 1 {
				return insert(taken, "second")(tx)
			}
			return insert(tx.NextID(), "second")(tx)
		})
		if err != nil || attempts != 2 {
			t.Errorf("Write = %v after %d attempts; want nil after 2", err, attempts)
		}
		attempts = 0
		err = db.Write(t.Context(), func(tx *store.Tx) error {
			attempts++
			return insert(taken, "third")(tx)
		})
		if err == nil || attempts != 5 {
			t.Errorf("Write = %v after %d attempts; want an error after 5", err, attempts)
		}
		// A name that is taken stays so, however often one tries.
		attempts = 0
		err = db.Write(t.Context(), func(tx *store.Tx) error {
			attempts++
			return insert(tx.NextID(), "first")(tx)
		})
		if err == nil || attempts != 1 {
			t.Errorf("Write = %v after %d attempts; want an error after 1", err, attempts)
		}
		if n := number(t, db, `SELECT COUNT(*) FROM tags`); n != 2 {
			t.Errorf("%d tags; want 2", n)
		}
	})
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		wrong := errors.New("wrong")
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.Exec(t.Context(), `
				INSERT INTO accounts (id, name, plan, created_at)
				VALUES (1, 'Gone', 'FREE', 0)`), wrong)
		})
		if !errors.Is(err, wrong) {
			t.Errorf("Write = %v; want the error of its function", err)
		}
		if n := number(t, db, `SELECT COUNT(*) FROM accounts`); n != 0 {
			t.Errorf("%d accounts; want none", n)
		}
	})
}

// On PostgreSQL, whose writers do not take turns, a locked post makes the next
// wait, and then see what became of it.
func TestLockPostBlocks(t *testing.T) {
	db := feedbacktest.OpenDB(t, "postgres")
	_, o := lively(t, db)
	post := feedback.PostID(number(t, db, `SELECT MIN(id) FROM posts`))
	votes := number(t, db, `SELECT vote_count FROM posts WHERE id = $1`, post)

	locked, release := make(chan struct{}), make(chan struct{})
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		first <- db.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.LockPost(t.Context(), o.Site.ID, post); err != nil {
				return err
			}
			close(locked)
			<-release
			return tx.Exec(t.Context(), `UPDATE posts SET vote_count = vote_count + 1 WHERE id = $1`, post)
		})
	}()
	<-locked
	var seen int
	go func() {
		second <- db.Write(t.Context(), func(tx *store.Tx) error {
			p, err := tx.LockPost(t.Context(), o.Site.ID, post)
			if err == nil {
				seen = p.VoteCount
			}
			return err
		})
	}()
	// The server itself says that the second waits.
	for number(t, db, `
		SELECT COUNT(*) FROM pg_stat_activity
		WHERE  datname = current_database() AND wait_event_type = 'Lock'`) == 0 {
		select {
		case err := <-second:
			t.Fatalf("the second LockPost did not wait: %v", err)
		default:
			runtime.Gosched()
		}
	}
	close(release)
	if err := errors.Join(<-first, <-second); err != nil {
		t.Fatal(err)
	}
	if int64(seen) != votes+1 {
		t.Errorf("the second sees %d votes; want the %d that the first left", seen, votes+1)
	}
}
