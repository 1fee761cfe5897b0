package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/feedback"
)

func openTestConn(t *testing.T) *conn {
	t.Helper()
	c, err := openConn(filepath.Join(t.TempDir(), "heed.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.close() })
	return c
}

// scanOne asks for one row.
func scanOne(t *testing.T, q querier, query string, args []any, dest ...any) error {
	t.Helper()
	r, err := q.query(t.Context(), query, args...)
	if err != nil {
		return err
	}
	defer r.Close()
	if !r.Next() {
		t.Fatalf("%s: no row: %v", query, r.Err())
	}
	return r.Scan(dest...)
}

// What is bound comes back as it was.
func TestSQLiteValues(t *testing.T) {
	type name string
	type mode int8
	c := openTestConn(t)
	hello := "naïve 文字 🐝\x00'\""
	when := time.UnixMicro(1_760_000_000_000_001).UTC()
	for _, test := range []struct {
		in       any
		dest     any
		want     any
		whatElse string
	}{
		{int64(1) << 62, new(int64), int64(1) << 62, ""},
		{-7, new(int), -7, ""},
		{3, new(mode), mode(3), ""},
		{true, new(bool), true, ""},
		{false, new(bool), false, ""},
		{0.1, new(float64), 0.1, ""},
		{2, new(float32), float32(2), ""},
		{hello, new(string), hello, ""},
		{"", new(string), "", ""},
		{name("n"), new(name), name("n"), "a named type"},
		{5, new(string), "5", "a number as text, as package sql has it"},
		{[]byte{0, 255, 1}, new([]byte), []byte{0, 255, 1}, ""},
		{[]byte{}, new([]byte), []byte{}, "empty is not NULL"},
		{[]byte(nil), new([]byte), []byte(nil), ""},
		{"text", new([]byte), []byte("text"), ""},
		{nil, new(any), any(nil), ""},
		{hello, new(any), any(hello), ""},
		{[]byte{7}, new(any), any([]byte{7}), ""},
		{nil, new(*string), (*string)(nil), ""},
		{hello, new(*string), &hello, ""},
		{feedback.PostID(12), new(feedback.PostID), feedback.PostID(12), ""},
		{feedback.PostID(0), new(feedback.PostID), feedback.PostID(0), ""},
		{feedback.PostID(0), new(any), any(nil), "no id is NULL"},
	} {
		dest := test.dest
		if err := scanOne(t, c, `SELECT $1`, []any{test.in}, dest); err != nil {
			t.Errorf("%T(%v) as %T: %v", test.in, test.in, dest, err)
			continue
		}
		got := reflect.ValueOf(dest).Elem().Interface()
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%T(%v) as %T %s (-want +got):\n%s", test.in, test.in, dest, test.whatElse, diff)
		}
	}

	var a, b, again int
	if err := scanOne(t, c, `SELECT $2, $1, $2`, []any{1, 2}, &b, &a, &again); err != nil || a != 1 || b != 2 || again != 2 {
		t.Errorf("$1 = %d, $2 = %d and again %d, %v; want 1, 2, 2", a, b, again, err)
	}
	var got, none time.Time
	if err := scanOne(t, c, `SELECT $1, $2`, []any{micros(when), micros(none)}, at(&got), at(&none)); err != nil || got != when || !none.IsZero() {
		t.Errorf("times are %v, %v, %v", got, none, err)
	}
}

// A value that does not fit is an error, never another value.
func TestSQLiteRefuses(t *testing.T) {
	c := openTestConn(t)
	for name, err := range map[string]error{
		"NULL as text":       scanOne(t, c, `SELECT $1`, []any{nil}, new(string)),
		"NULL as a number":   scanOne(t, c, `SELECT $1`, []any{nil}, new(int64)),
		"NULL as a switch":   scanOne(t, c, `SELECT $1`, []any{nil}, new(bool)),
		"text as a number":   scanOne(t, c, `SELECT $1`, []any{"12"}, new(int64)),
		"text as an id":      scanOne(t, c, `SELECT $1`, []any{"12"}, new(feedback.PostID)),
		"a number too large": scanOne(t, c, `SELECT $1`, []any{300}, new(int8)),
		"a fraction":         scanOne(t, c, `SELECT $1`, []any{0.5}, new(int)),
		"a number as bytes":  scanOne(t, c, `SELECT $1`, []any{5}, new([]byte)),
		"too few arguments":  scanOne(t, c, `SELECT $1, $2`, []any{1}, new(int), new(int)),
		"too many arguments": scanOne(t, c, `SELECT $1`, []any{1, 2}, new(int)),
		"too few variables":  scanOne(t, c, `SELECT $1, $2`, []any{1, 2}, new(int)),
		"another name":       scanOne(t, c, `SELECT $one`, []any{1}, new(int)),
		"a number left out":  scanOne(t, c, `SELECT $1, $3`, []any{1, 2}, new(int), new(int)),
		"no such column":     scanOne(t, c, `SELECT $1`, []any{time.Now()}, new(int)),
		"two statements":     scanOne(t, c, `SELECT 1; SELECT 2`, nil, new(int)),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	var n int
	if err := scanOne(t, c, `SELECT $1`, []any{1}, &n); n != 1 || err != nil {
		t.Errorf("afterwards SELECT 1 = %d, %v", n, err)
	}
}

// One statement serves all who ask with its text, so asking within the rows of
// the same query would end them early.
func TestSQLiteQueryWithinItself(t *testing.T) {
	const query = `SELECT 1 UNION ALL SELECT 2`
	c := openTestConn(t)
	outer, err := c.query(t.Context(), query)
	if err != nil || !outer.Next() {
		t.Fatal(err)
	}
	if _, err := c.query(t.Context(), query); err == nil {
		t.Error("the same query within its rows is taken")
	}
	if err := scanOne(t, c, `SELECT 3`, nil, new(int)); err != nil {
		t.Errorf("another query within its rows: %v", err)
	}
	if !outer.Next() || outer.Next() || outer.Err() != nil {
		t.Errorf("the rows ended early, or did not end: %v", outer.Err())
	}
	if err := scanOne(t, c, query, nil, new(int)); err != nil {
		t.Errorf("the same query after its rows: %v", err)
	}
}

// Texts with lists of values are without number, as those of the pages of the
// audit log: a connection does not keep them all.
func TestSQLiteKeepsFewStatements(t *testing.T) {
	c := openTestConn(t)
	outer, err := c.query(t.Context(), `SELECT 1 UNION ALL SELECT 2`)
	if err != nil || !outer.Next() {
		t.Fatal(err)
	}
	for i := range 3 * maxKept {
		var n int
		if err := scanOne(t, c, fmt.Sprintf(`SELECT %d`, i), nil, &n); n != i || err != nil {
			t.Fatalf("SELECT %d = %d, %v", i, n, err)
		}
		if len(c.kept) > maxKept {
			t.Fatalf("%d statements are kept; want at most %d", len(c.kept), maxKept)
		}
	}
	if !outer.Next() || outer.Next() || outer.Err() != nil {
		t.Errorf("the rows that were being read ended early, or did not end: %v", outer.Err())
	}
	if err := scanOne(t, c, `SELECT 0`, nil, new(int)); err != nil {
		t.Errorf("a text whose statement was forgotten: %v", err)
	}
}

func TestReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db")
	if _, err := openConn(path); err != nil {
		t.Fatal(err)
	}
	r := newReaders(path, 2)
	all := make([]rows, 2)
	for i := range all {
		var err error
		if all[i], err = r.query(t.Context(), `SELECT 1`); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := r.stats(), (PoolStats{Open: 2, InUse: 2}); got != want {
		t.Errorf("stats with two queries = %+v; want %+v", got, want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { _, err := r.query(ctx, `SELECT 1`); waited <- err }()
	for r.stats().Waits == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that goes while it waits gets %v", err)
	}

	go func() {
		n := 0
		waited <- scanOne(t, r, `SELECT 2`, nil, &n)
	}()
	for r.stats().Waits == 1 {
		runtime.Gosched()
	}
	all[0].Close()
	if err := <-waited; err != nil {
		t.Errorf("a caller that waited gets %v", err)
	}

	// Those who read when it is closed read on; nobody else begins.
	if err := r.close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if !all[1].Next() || all[1].Next() {
		t.Errorf("rows that were being read end with %v", all[1].Err())
	}
	if _, err := r.query(t.Context(), `SELECT 1`); !errors.Is(err, errClosed) {
		t.Errorf("a query after close = %v", err)
	}
	if got := r.stats(); got.Open != 0 || got.InUse != 0 {
		t.Errorf("stats after close = %+v", got)
	}
}

// A file whose name means something in a URL is that file.
func TestSQLiteFileNames(t *testing.T) {
	for _, name := range []string{"a b.db", "100%.db", "q?mode=memory.db", "#.db", "naïve.db"} {
		path := filepath.Join(t.TempDir(), name)
		db := openFile(t, path)
		if n := notes(t, db); n != 0 {
			t.Errorf("%s has %d notes", name, n)
		}
		if err := db.Migrate(t.Context()); err != nil && !strings.Contains(err.Error(), "already exists") {
			t.Errorf("%s: %v", name, err)
		}
		if n, err := db.Number(t.Context(), `SELECT COUNT(*) FROM posts`); n != 0 || err != nil {
			t.Errorf("%s: %d posts, %v", name, n, err)
		}
	}
}
