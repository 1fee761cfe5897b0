// Package store is the only package that speaks SQL. One set of queries serves
// SQLite and PostgreSQL; what the two cannot agree on is a method of [dialect].
// Every query is a method of [Tx], and every one that touches a tenant's rows
// takes the site as its first argument and its first condition. The package
// knows no rule: it finds, changes and counts rows, and leaves judging to its
// callers.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
)

// Options are what it takes to open a database.
type Options struct {
	// URL is "sqlite:PATH" or "postgres://...".
	URL string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Volatile lets an acknowledged write be lost with the machine, for the
	// making of a database that can be made again.
	Volatile bool
	Log      *slog.Logger
	// Trace, if set, is told every statement that is run.
	Trace func(query string)
}

// DB is one database, safe for concurrent use.
type DB struct {
	url  string
	path string // SQLite only

	volatile bool

	d      dialect
	now    func() time.Time
	log    *slog.Logger
	source ids.Source
	trace  func(query string)

	reader  querier  // for reads outside a transaction
	pool    *sql.DB  // PostgreSQL only
	readers *readers // SQLite only
	writer  *writer  // SQLite only
}

// querier runs statements: a connection, a pool or a transaction.
type querier interface {
	// exec returns how many rows were changed.
	exec(ctx context.Context, query string, args ...any) (int64, error)
	query(ctx context.Context, query string, args ...any) (rows, error)
}

// rows are what a query found. They are to be closed.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Open connects to a database. It does not migrate it: see [DB.Migrate].
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db := &DB{url: o.URL, volatile: o.Volatile, now: o.Now, log: o.Log, trace: o.Trace}
	switch scheme, rest, _ := strings.Cut(o.URL, ":"); scheme {
	case "sqlite":
		return db, db.openSQLite(ctx, rest)
	case "postgres", "postgresql":
		return db, db.openPostgres(ctx)
	}
	return nil, fmt.Errorf("database %q: want sqlite:PATH or postgres://", redactURL(o.URL))
}

// redactURL leaves out all of a database URL that could hold a password.
func redactURL(u string) string {
	scheme, _, _ := strings.Cut(u, ":")
	return scheme + ":..."
}

// Embedded reports whether the database lives in this process, so that no other
// node shares it.
func (db *DB) Embedded() bool { return db.writer != nil }

// Close finishes the writes that were asked for and closes all connections.
func (db *DB) Close() error {
	if db.writer != nil {
		return errors.Join(db.writer.close(), db.readers.close())
	}
	return db.pool.Close()
}

// Now is the time by the clock that transactions go by.
func (db *DB) Now() time.Time { return db.now().UTC().Truncate(time.Microsecond) }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int64
	_, err := db.tx(db.reader).row(ctx, `SELECT 1`, nil, &one)
	return err
}

// Tx is a unit of work. Reads outside a transaction use one too, so that a
// query is written once and no caller can forget to be inside.
type Tx struct {
	q  querier
	d  dialect
	db *DB

	// Now is fixed when the transaction begins: all its rows share one
	// timestamp, to the microsecond that both databases keep.
	Now time.Time

	afterCommit []func()
}

// traced is a querier that tells what it is asked.
type traced struct {
	querier
	tell func(query string)
}

func (t traced) exec(ctx context.Context, query string, args ...any) (int64, error) {
	t.tell(query)
	return t.querier.exec(ctx, query, args...)
}

func (t traced) query(ctx context.Context, query string, args ...any) (rows, error) {
	t.tell(query)
	return t.querier.query(ctx, query, args...)
}

func (db *DB) tx(q querier) *Tx {
	if db.trace != nil {
		q = traced{q, db.trace}
	}
	return &Tx{q: q, d: db.d, db: db, Now: db.Now()}
}

// NextID returns an integer for a new identifier.
func (tx *Tx) NextID() int64 { return tx.db.source.Next(tx.Now) }

// AfterCommit has fn called when the transaction has been committed, and never
// if it is not. It is for hints that work is waiting: fn must not block.
func (tx *Tx) AfterCommit(fn func()) { tx.afterCommit = append(tx.afterCommit, fn) }

// Read runs fn outside a transaction: each query sees what is committed when it
// runs. What must agree belongs into one query.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.judge(fn(db.tx(db.reader)))
}

// judge gives the error of a database that cannot be used at the moment the code
// that says so.
func (db *DB) judge(err error) error {
	if err == nil || !db.d.away(err) {
		return err
	}
	return &feedback.Error{Code: feedback.Unavailable, Msg: "The service cannot answer at the moment.", Err: err}
}

// Moment names the state of the database: between two calls that return the same
// name nothing was committed, by anybody. Ask for it before reading what is to be
// kept under it. On SQLite it does not see what other processes write.
func (db *DB) Moment(ctx context.Context) (string, error) {
	if db.writer != nil {
		return strconv.FormatInt(db.writer.batches.Load(), 36), nil
	}
	// The transactions that are over, and those that are under way.
	var snapshot string
	_, err := db.tx(db.reader).row(ctx, `SELECT CAST(pg_current_snapshot() AS TEXT)`, nil, &snapshot)
	return snapshot, db.judge(wrap("moment", err))
}

// Write runs fn in a transaction and commits if fn returns nil; when Write has
// returned nil the change is on disk. If the database asks for it (a
// serialization failure, two ids that clash) fn runs again from the start, so
// it must touch nothing but tx and results that it overwrites.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	const attempts = 5
	for i := 1; ; i++ {
		var err error
		if db.writer != nil {
			err = db.writer.do(ctx, fn)
		} else {
			err = db.writePostgres(ctx, fn)
		}
		if err == nil || i == attempts || !db.d.retryable(err) {
			return db.judge(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(i*i) * 2 * time.Millisecond):
		}
	}
}

// Queries write LIMIT $3 + 0, never LIMIT $3: SQLite looks at a bare parameter
// there to choose a plan, and so prepares the statement anew each time it is
// bound, which costs as much as a page of rows.

// exec runs a statement and returns how many rows it changed.
func (tx *Tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	return tx.q.exec(ctx, query, args...)
}

// row runs a query for at most one row and reports whether there is one.
func (tx *Tx) row(ctx context.Context, query string, args []any, dest ...any) (found bool, err error) {
	rows, err := tx.q.query(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := rows.Scan(dest...); err != nil {
		return false, err
	}
	return true, rows.Close()
}

// collect runs a query and gathers one T for each row.
func collect[T any](ctx context.Context, tx *Tx, query string, args []any, scan func(rows, *T) error) ([]T, error) {
	return collectInto(ctx, tx, nil, query, args, scan)
}

// collectInto is collect into the capacity of a slice.
func collectInto[T any](ctx context.Context, tx *Tx, all []T, query string, args []any, scan func(rows, *T) error) ([]T, error) {
	rows, err := tx.q.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var zero T
		all = append(all, zero)
		if err := scan(rows, &all[len(all)-1]); err != nil {
			return nil, err
		}
	}
	return all, rows.Err()
}

// idColumn gathers a column of integers.
func (tx *Tx) idColumn(ctx context.Context, query string, args []any) ([]int64, error) {
	return collect(ctx, tx, query, args, func(r rows, n *int64) error { return r.Scan(n) })
}

// idList appends ids to the arguments of a query and returns their places, as in
// "$2, $3, $4, $5". There are a few sizes of list, so that there are few texts to
// prepare; the places beyond the last id name nothing.
func idList[K ids.Kind](args []any, all []ids.ID[K]) (places string, _ []any) {
	size := 1
	for size < len(all) {
		size *= 2
	}
	taken := len(args)
	for i := range size {
		if i < len(all) {
			args = append(args, all[i])
		} else {
			args = append(args, int64(0))
		}
	}
	return placeLists(taken, size), args
}

// placeLists joins n placeholders that follow the first taken ones.
func placeLists(taken, n int) string {
	key := [2]int{taken, n}
	if s, ok := placeListCache.Load(key); ok {
		return s.(string)
	}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%d", taken+i+1)
	}
	placeListCache.Store(key, b.String())
	return b.String()
}

var placeListCache sync.Map

// Times are stored as microseconds since 1970, and absence as NULL.

func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// fromMicros is the time that micros stored.
func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

// maybe stores zero, which stands for none, as NULL.
func maybe(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// moment scans what micros stored.
type moment struct{ t *time.Time }

func at(t *time.Time) moment { return moment{t} }

func (m moment) SetInt64(n int64) { *m.t = fromMicros(n) }

func (m moment) Scan(src any) error {
	switch v := src.(type) {
	case int64:
		m.SetInt64(v)
	case nil:
		*m.t = time.Time{}
	default:
		return fmt.Errorf("time column holds a %T", src)
	}
	return nil
}
