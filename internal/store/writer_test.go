package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"heed/internal/feedback"
)

// openFile opens a SQLite file that is closed when the test ends, with a table
// to write into.
func openFile(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{URL: "sqlite:" + path})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	err = db.Write(t.Context(), func(tx *Tx) error {
		return tx.Exec(t.Context(), `CREATE TABLE IF NOT EXISTS notes (n BIGINT NOT NULL)`)
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func openWriter(t *testing.T) *DB { return openFile(t, filepath.Join(t.TempDir(), "heed.db")) }

func note(n int) func(*Tx) error {
	return func(tx *Tx) error { return tx.Exec(context.Background(), `INSERT INTO notes (n) VALUES ($1)`, n) }
}

func notes(t *testing.T, db *DB) (n int64) {
	t.Helper()
	n, err := db.Number(context.Background(), `SELECT COUNT(*) FROM notes`)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// hold keeps the writer busy until the function it returns is called.
func hold(t *testing.T, db *DB) (release func()) {
	t.Helper()
	begun, end := make(chan struct{}), make(chan struct{})
	held := make(chan error, 1)
	go func() {
		held <- db.Write(context.Background(), func(*Tx) error {
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun
	return func() {
		close(end)
		if err := <-held; err != nil {
			t.Errorf("the write that held the writer: %v", err)
		}
	}
}

// queued waits until so many writes wait.
func queued(db *DB, n int) {
	for db.Stats().WriteQueue < n {
		runtime.Gosched()
	}
}

// together queues writes while the writer is held, so that they share
// commits, and returns what became of each.
func together(t *testing.T, db *DB, fns ...func(*Tx) error) []error {
	t.Helper()
	release := hold(t, db)
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	for i, fn := range fns {
		wg.Go(func() { errs[i] = db.Write(context.Background(), fn) })
		queued(db, i+1) // in this order
	}
	release()
	wg.Wait()
	return errs
}

func TestFailedWriteUndoesOnlyItself(t *testing.T) {
	db := openWriter(t)
	wrong := errors.New("wrong")
	errs := together(t, db,
		note(1),
		func(tx *Tx) error { return errors.Join(note(2)(tx), wrong) },
		note(3),
		func(tx *Tx) error {
			return errors.Join(note(4)(tx), tx.Exec(context.Background(), `INSERT INTO notes (n) VALUES (NULL)`))
		},
		note(5),
	)
	for i, want := range []bool{true, false, true, false, true} {
		if (errs[i] == nil) != want {
			t.Errorf("write %d = %v; want success %v", i+1, errs[i], want)
		}
	}
	if !errors.Is(errs[1], wrong) {
		t.Errorf("write 2 = %v; want the error of its function", errs[1])
	}
	if sum, err := db.Number(t.Context(), `SELECT SUM(n) FROM notes`); sum != 1+3+5 || err != nil {
		t.Errorf("the rows add up to %d, %v; want those of writes 1, 3 and 5", sum, err)
	}
}

func TestPanicInWrite(t *testing.T) {
	db := openWriter(t)
	errs := together(t, db,
		note(1),
		func(tx *Tx) error {
			_ = note(2)(tx)
			panic("a bad write")
		},
		note(3),
	)
	if errs[0] != nil || errs[2] != nil {
		t.Errorf("the others = %v, %v; want nil", errs[0], errs[2])
	}
	if errs[1] == nil || !strings.Contains(errs[1].Error(), "a bad write") || !strings.Contains(errs[1].Error(), "writer_test.go") {
		t.Errorf("the panic = %v; want an error that says what and where", errs[1])
	}
	if n := notes(t, db); n != 2 {
		t.Errorf("%d rows; want 2", n)
	}
	if err := db.Write(t.Context(), note(4)); err != nil {
		t.Errorf("a write after a panic = %v; want nil", err)
	}
}

func TestAfterCommit(t *testing.T) {
	db := openWriter(t)
	var called []int
	write := func(n int, err error) error {
		return db.Write(t.Context(), func(tx *Tx) error {
			tx.AfterCommit(func() { called = append(called, n) })
			return errors.Join(note(n)(tx), err)
		})
	}
	if err := write(1, nil); err != nil {
		t.Error(err)
	}
	if err := write(2, errors.New("no")); err == nil {
		t.Error("Write = nil; want an error")
	}
	if fmt.Sprint(called) != "[1]" {
		t.Errorf("called after the commits of %v; want only of 1", called)
	}
}

func TestWriteCancelled(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		db := openWriter(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 50 { // the queue has room, too: either way out must do
			if err := db.Write(ctx, note(1)); !errors.Is(err, context.Canceled) {
				t.Fatalf("Write = %v; want context.Canceled", err)
			}
		}
		if n := notes(t, db); n != 0 {
			t.Errorf("%d rows were written by nobody", n)
		}
	})
	t.Run("while it waits", func(t *testing.T) {
		db := openWriter(t)
		release := hold(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- db.Write(ctx, note(1)) }()
		queued(db, 1)
		cancel()
		release()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Write = %v; want context.Canceled", err)
		}
		if n := notes(t, db); n != 0 {
			t.Errorf("%d rows were written for somebody who has gone", n)
		}
	})
	// What has begun is finished, and whoever asked learns that it is.
	t.Run("while it runs", func(t *testing.T) {
		db := openWriter(t)
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Write(ctx, func(tx *Tx) error {
			cancel()
			return tx.Exec(ctx, `INSERT INTO notes (n) VALUES (1)`)
		})
		if err != nil || notes(t, db) != 1 {
			t.Errorf("Write = %v with %d rows; want nil with 1", err, notes(t, db))
		}
	})
}

func TestCloseFinishesWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	db := openFile(t, path)
	release := hold(t, db)
	const writes = 20
	errs := make(chan error, writes)
	for i := range writes {
		go func() { errs <- db.Write(context.Background(), note(i)) }()
	}
	queued(db, writes)
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	release()
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
	for range writes {
		if err := <-errs; err != nil {
			t.Errorf("a write that waited when Close was called = %v; want nil", err)
		}
	}
	if err := db.Write(t.Context(), note(0)); !errors.Is(err, errClosed) {
		t.Errorf("Write after Close = %v; want %v", err, errClosed)
	}
	if err := db.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
	if n := notes(t, openFile(t, path)); n != writes {
		t.Errorf("%d rows are in the file; want %d", n, writes)
	}
}

func TestWritersAndClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	db := openFile(t, path)
	const writers = 16
	written := make([]int64, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for db.Write(context.Background(), note(i)) == nil {
				written[i]++
			}
		})
	}
	for db.Stats().WriteCalls < 200 {
		runtime.Gosched()
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	wg.Wait()
	var acknowledged int64
	for _, n := range written {
		acknowledged += n
	}
	if n := notes(t, openFile(t, path)); n != acknowledged {
		t.Errorf("%d writes were acknowledged, and %d are in the file", acknowledged, n)
	}
}

func TestWritersShareCommits(t *testing.T) {
	db := openWriter(t)
	const writes = 100
	fns := make([]func(*Tx) error, writes)
	for i := range fns {
		fns[i] = note(i)
	}
	before := db.Stats()
	for i, err := range together(t, db, fns...) {
		if err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	after := db.Stats()
	if calls := after.WriteCalls - before.WriteCalls; calls != writes+1 {
		t.Errorf("%d writes are counted; want %d", calls, writes+1)
	}
	if commits := after.WriteBatches - before.WriteBatches; commits > writes/2 {
		t.Errorf("%d writes that waited together took %d commits", writes, commits)
	}
	if n := notes(t, db); n != writes {
		t.Errorf("%d rows; want %d", n, writes)
	}
}

// An acknowledged write is on disk: that rests on these.
func TestDurabilityIsOn(t *testing.T) {
	db := openWriter(t)
	pragma := func(tx *Tx, name string) (value string) {
		t.Helper()
		if _, err := tx.row(t.Context(), `PRAGMA `+name, nil, &value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return value
	}
	want := map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "10000"}
	err := db.Write(t.Context(), func(tx *Tx) error {
		for name, value := range want {
			if got := pragma(tx, name); got != value {
				t.Errorf("%s of the writer is %s; want %s", name, got, value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Read(t.Context(), func(tx *Tx) error {
		if got := pragma(tx, "query_only"); got != "1" {
			t.Errorf("query_only of a reader is %s; want 1", got)
		}
		return note(1)(tx)
	})
	if err == nil {
		t.Error("a reader may write; want an error")
	}
}

// A write that finds the disk full may take the whole batch with it. Those who
// share it are told the same: to come again, not that something is wrong.
func TestFullDiskTakesBatch(t *testing.T) {
	db := openWriter(t)
	c, err := openConn(db.path, "max_page_count(1)") // no fewer than there are
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	w := &writer{db: db, conn: c}
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	small, large := &job{ctx: t.Context(), fn: note(1)}, &job{ctx: t.Context(), fn: func(tx *Tx) error {
		for n := range 100_000 {
			if err := note(n)(tx); err != nil {
				return err
			}
		}
		return nil
	}}
	w.apply(small)
	w.apply(large)
	if small.err != nil || feedback.CodeOf(db.judge(large.err)) != feedback.Unavailable {
		t.Errorf("the writes = %v, %v; want nil and that there is no room", small.err, large.err)
	}
	if err := db.judge(w.broken); feedback.CodeOf(err) != feedback.Unavailable {
		t.Errorf("the batch = %v; want %s", err, feedback.Unavailable)
	}
	if n := notes(t, db); n != 0 {
		t.Errorf("%d notes are there; want none", n)
	}
}
