package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// empty opens a database of an engine that was never migrated.
func empty(t *testing.T, engine string) *store.DB {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "empty.db")
	if engine == "postgres" {
		url = feedbacktest.PostgresURL(t)
	}
	db, err := store.Open(t.Context(), store.Options{URL: url})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func backup(t *testing.T, db *store.DB) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := db.Backup(t.Context(), &file, nil); err != nil {
		t.Fatalf("Backup: %v", err)
	}
	return file.Bytes()
}

func rows(t *testing.T, db *store.DB) map[string][]string {
	t.Helper()
	all, err := db.Dump(t.Context())
	if err != nil {
		t.Fatalf("Dump: %v", err)
	}
	return all
}

// From either database into either, nothing is lost, and a search finds what it
// found.
func TestBackupRoundTrip(t *testing.T) {
	first := feedbacktest.OpenDB(t, "sqlite")
	_, o := lively(t, first)
	if err := first.InsertAny(t.Context()); err != nil {
		t.Fatalf("InsertAny: %v", err)
	}
	want := rows(t, first)
	for name, rows := range want {
		if len(rows) == 0 {
			t.Errorf("table %s has no rows, so this test says nothing of it", name)
		}
	}
	db := first
	for _, engine := range []string{"postgres", "sqlite", "sqlite", "postgres", "postgres"} {
		file := backup(t, db)
		next := empty(t, engine)
		var last string
		err := next.Restore(t.Context(), bytes.NewReader(file), func(what string, done, total int64) {
			if last = what; done > total {
				t.Errorf("progress of %s: %d of %d", what, done, total)
			}
		})
		if err != nil {
			t.Fatalf("Restore into %s: %v", engine, err)
		}
		if last != "done" {
			t.Errorf("the last progress is %q; want done", last)
		}
		if diff := cmp.Diff(want, rows(t, next)); diff != "" {
			t.Fatalf("restored into %s (-before +after):\n%s", engine, diff)
		}
		db = next
	}
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		found, _, err := tx.Search(t.Context(), o.Site.ID, "second", store.SearchPosition{}, 10)
		if len(found) == 0 || found[0].Title != "Second" {
			t.Errorf("a search for second finds %v; want the post of this title first", found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A backup is of one moment, although others write while it is made.
func TestBackupWhileWriting(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a, o := lively(t, db)
		want := rows(t, db)
		actor := &app.Actor{Source: feedback.FromAPI, Account: &o.Account, Key: &o.Key}
		writes := 0
		write := func(tx *app.Tx) (app.Response, error) {
			ctx := t.Context()
			boards, err := tx.Boards(ctx, feedback.Window{Limit: 1})
			if err != nil {
				return app.Response{}, err
			}
			p, err := tx.CreatePost(ctx, feedback.NewPost{
				Board: feedback.Ref(boards.Items[0].ID.String()), Title: "Meanwhile", Visitor: feedback.VisitorRef(fmt.Sprint("v", writes)),
			})
			if err != nil {
				return app.Response{}, err
			}
			_, err = tx.Vote(ctx, p.ID.String(), feedback.NewVote{Visitor: "ada"})
			return app.Response{}, err
		}
		var file bytes.Buffer
		err := db.Backup(t.Context(), &file, func(string, int64, int64) {
			writes++
			if _, err := a.Write(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, app.Once{}, write); err != nil {
				t.Errorf("write during a backup: %v", err)
			}
		})
		if err != nil {
			t.Fatalf("Backup: %v", err)
		}
		if n := number(t, db, `SELECT COUNT(*) FROM posts WHERE title = 'Meanwhile'`); n < 20 || n != int64(writes) {
			t.Fatalf("%d of %d posts were written during the backup; want all, at least 20", n, writes)
		}
		other := empty(t, db.Engine())
		if err := other.Restore(t.Context(), &file, nil); err != nil {
			t.Fatalf("Restore: %v", err)
		}
		if diff := cmp.Diff(want, rows(t, other)); diff != "" {
			t.Errorf("the backup holds what came after it began:\n%s", diff)
		}
		for _, line := range discrepancies(t, feedbacktest.NewApp(t, other)) {
			t.Error(line)
		}
	})
}

// A file that was cut short or changed anywhere changes nothing.
func TestRestoreRefusesDamage(t *testing.T) {
	source := feedbacktest.OpenDB(t, "sqlite")
	lively(t, source)
	file := backup(t, source)
	head := len("heed backup\n")
	damaged := map[string][]byte{
		"nothing":            {},
		"another file":       []byte("SQLite format 3\x00 and so on"),
		"more than a backup": append(bytes.Clone(file), 0),
		"two backups":        append(bytes.Clone(file), file...),
		"a changed row":      rezip(t, bytes.Replace(unzip(t, file[head:]), []byte("Second"), []byte("Sedond"), 1)),
		"a row too few":      rezip(t, withoutRow(t, unzip(t, file[head:]))),
	}
	for i := 1; i < 20; i++ {
		n := len(file) * i / 20
		damaged[fmt.Sprintf("cut at %d", n)] = file[:n]
		changed := bytes.Clone(file)
		changed[max(n, head+10)] ^= 1 << (i % 8) // beyond the header of gzip
		damaged[fmt.Sprintf("changed at %d", n)] = changed
	}
	damaged["the last byte is gone"] = file[:len(file)-1]
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		for name, b := range damaged {
			err := db.Restore(t.Context(), bytes.NewReader(b), nil)
			if err == nil {
				t.Fatalf("%s: Restore = nil; want an error", name)
			}
			if name != "nothing" && name != "another file" && !errors.Is(err, store.ErrBackup) {
				t.Errorf("%s: Restore = %v; want ErrBackup", name, err)
			}
			for table, rows := range rows(t, db) {
				if len(rows) > 0 {
					t.Fatalf("%s: %s has %d rows after a refused Restore", name, table, len(rows))
				}
			}
		}
		// The link to set up the installation is all that a server leaves in an
		// empty database.
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.InsertLink(t.Context(), "setup", 0, []byte("hash"), tx.Now.Add(time.Hour))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Restore(t.Context(), bytes.NewReader(file), nil); err != nil {
			t.Errorf("Restore of the whole file: %v", err)
		}
		err = db.Restore(t.Context(), bytes.NewReader(file), nil)
		if !errors.Is(err, store.ErrNotEmpty) || !strings.Contains(err.Error(), "new, empty database") {
			t.Errorf("Restore into a full database = %v; want ErrNotEmpty and what to do", err)
		}
	})
}

func unzip(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rezip makes a file of frames, whose checksum of gzip is right.
func rezip(t *testing.T, frames []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("heed backup\n")
	w := gzip.NewWriter(&b)
	w.Write(frames)
	w.Close()
	return b.Bytes()
}

// withoutRow takes the row out that a comment is.
func withoutRow(t *testing.T, frames []byte) []byte {
	t.Helper()
	text := bytes.Index(frames, []byte("We look into it."))
	start := bytes.LastIndexByte(frames[:text], 'R')
	end := text + len("We look into it.")
	if text < 0 || start < 0 {
		t.Fatal("the backup has no such row")
	}
	return append(bytes.Clone(frames[:start]), frames[end:]...)
}

func TestRestoreStopsWhenAsked(t *testing.T) {
	source := feedbacktest.OpenDB(t, "sqlite")
	lively(t, source)
	file := backup(t, source)
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Restore(ctx, bytes.NewReader(file), func(what string, done, total int64) {
			if what == "posts" {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Restore = %v; want a cancellation", err)
		}
		for table, rows := range rows(t, db) {
			if len(rows) > 0 {
				t.Errorf("%s has %d rows after a cancelled Restore", table, len(rows))
			}
		}
	})
}

// A backup of the first schema can be read by this version, whatever has come
// since.
func TestRestoreEarlierSchema(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, fresh *store.DB) {
		old := empty(t, "sqlite")
		if err := old.MigrateTo(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		for _, q := range []string{
			`INSERT INTO accounts (id, name, plan, created_at) VALUES (1, 'Old', 'PRO', 1)`,
			`INSERT INTO sites (id, account_id, name, slug, run_count, created_at) VALUES (2, 1, 'Old', 'old', 0, 1)`,
			`INSERT INTO boards (site_id, id, name, slug, private, post_count, created_at) VALUES (2, 3, 'Ideas', 'ideas', FALSE, 1, 1)`,
			`INSERT INTO visitors (site_id, id, ref, created_at) VALUES (2, 4, 'ada', 1)`,
			`INSERT INTO posts (site_id, id, board_id, author_id, vote_count, comment_count, pinned, archived, locked, held, created_at, title, body)
			VALUES (2, 5, 3, 4, 0, 0, FALSE, FALSE, FALSE, FALSE, 1, 'From long ago', '')`,
			`INSERT INTO tags (site_id, id, name, color, created_at) VALUES (2, 6, 'old', '#000000', 1)`,
			`INSERT INTO post_tags (site_id, post_id, tag_id) VALUES (2, 5, 6)`,
		} {
			exec(t, old, q)
		}
		file := backup(t, old)
		for name, into := range map[string]*store.DB{"untouched": empty(t, fresh.Engine()), "migrated": fresh} {
			if err := into.Restore(t.Context(), bytes.NewReader(file), nil); err != nil {
				t.Errorf("Restore into an %s database: %v", name, err)
				continue
			}
			pending, err := into.Migrations(t.Context())
			for _, m := range pending {
				if !m.Applied {
					t.Errorf("%s: migration %d is not applied after Restore", name, m.Version)
				}
			}
			if err != nil {
				t.Error(err)
			}
			for _, line := range discrepancies(t, feedbacktest.NewApp(t, into)) {
				t.Error(line)
			}
			if n := number(t, into, `SELECT COUNT(*) FROM posts WHERE title = 'From long ago'`); n != 1 {
				t.Errorf("%s: the post is there %d times", name, n)
			}
		}
	})
}

// Columns are matched by name: those that have come since must be able to do
// without, and none may have gone.
func TestRestoreIntoOtherColumns(t *testing.T) {
	source := feedbacktest.OpenDB(t, "sqlite")
	lively(t, source)
	file := backup(t, source)
	for name, tc := range map[string]struct{ change, want string }{
		"a column that may be empty": {`ALTER TABLE posts ADD COLUMN extra TEXT`, ""},
		"a column with a default":    {`ALTER TABLE posts ADD COLUMN extra BIGINT NOT NULL DEFAULT 7`, ""},
		"a new table":                {`CREATE TABLE extra (id BIGINT PRIMARY KEY, name TEXT NOT NULL)`, ""},
		"a column gone":              {`ALTER TABLE posts DROP COLUMN locked`, "posts.locked"},
		"a table gone":               {`DROP TABLE notices`, "table notices"},
	} {
		t.Run(name, func(t *testing.T) {
			feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
				exec(t, db, tc.change)
				err := db.Restore(t.Context(), bytes.NewReader(file), nil)
				switch {
				case tc.want == "" && err != nil:
					t.Errorf("Restore = %v; want nil", err)
				case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
					t.Errorf("Restore = %v; want an error that names %s", err, tc.want)
				}
			})
		})
	}
}

func TestRestoreRefusesNewer(t *testing.T) {
	source := feedbacktest.OpenDB(t, "sqlite")
	frames := unzip(t, backup(t, source)[len("heed backup\n"):])
	for _, change := range [][2]string{{`"Format":1`, `"Format":2`}, {`"Schema":`, `"Schema":9`}} {
		err := empty(t, "sqlite").Restore(t.Context(), bytes.NewReader(rezip(t, withHeader(t, frames, change[0], change[1]))), nil)
		if err == nil || !strings.Contains(err.Error(), "newer version") {
			t.Errorf("Restore with %s = %v; want that the backup is newer", change[1], err)
		}
	}
}

// withHeader replaces a part of the header, with the length and the sum that
// belong to it.
func withHeader(t *testing.T, frames []byte, old, new string) []byte {
	t.Helper()
	n, size := binary.Uvarint(frames[1:])
	header := bytes.Replace(frames[1+size:1+size+int(n)], []byte(old), []byte(new), 1)
	out := append(binary.AppendUvarint([]byte{'H'}, uint64(len(header))), header...)
	sum := sha256.Sum256(out)
	out = append(append(out, 'S', 32), sum[:]...)
	return append(out, frames[1+size+int(n)+2+32:]...)
}

// Whoever adds a table has it in backups without doing anything; whoever adds a
// derived one says so.
func TestEveryTableIsInBackups(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		all, err := db.AllTables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		dumped, err := db.Tables(t.Context())
		if err != nil {
			t.Fatalf("%v; use BIGINT, BOOLEAN, TEXT, BYTEA/BLOB or DOUBLE PRECISION", err)
		}
		for _, name := range all {
			_, isDerived := store.Derived[name]
			if (dumped[name] == nil) != isDerived {
				t.Errorf("table %s is neither in backups nor in the list of derived tables (schema.go)", name)
			}
		}
		for name := range store.Derived {
			if !strings.Contains(strings.Join(all, " "), name) {
				t.Errorf("derived names the table %s, and there is none", name)
			}
		}
		if len(dumped) < 24 {
			t.Errorf("%d tables are in backups; want at least the 24 of the first migration", len(dumped))
		}
	})
}

func TestReindex(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a, _ := lively(t, db)
		exec(t, db, `DELETE FROM post_search`)
		exec(t, db, `UPDATE posts SET title = 'Renamed behind its back' WHERE id = (SELECT MIN(id) FROM posts)`)
		if len(discrepancies(t, a)) == 0 {
			t.Fatal("Check finds nothing in an empty index")
		}
		for range 2 {
			if err := db.Reindex(t.Context(), nil); err != nil {
				t.Fatalf("Reindex: %v", err)
			}
			for _, line := range discrepancies(t, a) {
				t.Error(line)
			}
		}
	})
}
