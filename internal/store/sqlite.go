package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openSQLite opens the file twice: a pool that only reads, and one connection
// that alone writes. Readers never wait for the writer, nor it for them.
func (db *DB) openSQLite(ctx context.Context, path string) error {
	path = strings.TrimPrefix(path, "//")
	if path == "" || path == ":memory:" {
		return errors.New("database: sqlite needs the path of a file")
	}
	db.path = path
	// SQLite would let everybody on the machine read a file it makes.
	if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	} else if err := f.Close(); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	lock := "_txlock=immediate"
	if db.volatile {
		lock += "&_pragma=synchronous(OFF)"
	}
	write, err := sql.Open("sqlite", sqliteDSN(path, lock))
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	write.SetMaxOpenConns(1)
	// The first connection makes the file and switches it to WAL; readers
	// that came earlier would find neither.
	if err := write.PingContext(ctx); err != nil {
		write.Close()
		return fmt.Errorf("open %s: %w", path, err)
	}
	read, err := sql.Open("sqlite", sqliteDSN(path, "_pragma=query_only(1)"))
	if err != nil {
		write.Close()
		return fmt.Errorf("open %s: %w", path, err)
	}
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	db.d, db.pool, db.reader = sqliteDialect{}, read, &prepared{prepare: read.PrepareContext}
	db.writer, err = newWriter(ctx, db, write)
	if err != nil {
		return errors.Join(err, write.Close(), read.Close())
	}
	return nil
}

// sqliteDSN sets what every connection needs. busy_timeout comes first: the
// others may have to wait for a lock. synchronous=FULL has a commit reach the
// disk before it is acknowledged, also in WAL mode.
func sqliteDSN(path string, more string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=cache_size(-32768)&_pragma=mmap_size(268435456)&_pragma=temp_store(MEMORY)" +
		"&_pragma=journal_size_limit(67108864)&" + more
}

// prepared is a querier that prepares each text once. The texts are constants
// of this package, so there is a bounded number of them. It runs statements
// without the caller's cancellation: watching it costs the driver a goroutine for
// each, more than most of them take, and an interrupted write would roll back the
// whole batch it is in.
type prepared struct {
	prepare func(context.Context, string) (*sql.Stmt, error)
	stmts   sync.Map // query text -> *sql.Stmt
}

func (p *prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := p.stmts.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	s, err := p.prepare(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if old, raced := p.stmts.LoadOrStore(query, s); raced {
		s.Close()
		return old.(*sql.Stmt), nil
	}
	return s, nil
}

func (p *prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.WithoutCancel(ctx), args...)
}

func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(context.WithoutCancel(ctx), args...)
}

type sqliteDialect struct{}

func (sqliteDialect) name() string { return "sqlite" }

// A writer in SQLite is alone: there is nothing to lock.
func (sqliteDialect) forUpdate() string { return "" }

func (sqliteDialect) claim(string) string { return "" }

// Of two indexes that begin alike SQLite may take the one that holds every row,
// and then pass over those it does not want one by one.
func (sqliteDialect) by(index string) string { return " INDEXED BY " + index }

// Posts are stored by id. Without this, SQLite takes an index of the whole site
// that holds all the columns wanted for cheaper than some hundred ids.
func (sqliteDialect) byID() string { return " NOT INDEXED" }

// SQLite has one plan for a statement, and the order of its joins is written into
// those that need it.
func (sqliteDialect) freshPlan(args []any) []any { return args }

func (sqliteDialect) retryable(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	// Two processes made the same id in the same millisecond.
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || e.Code() == sqlite3.SQLITE_CONSTRAINT_ROWID
}

// Writers take turns, so whoever asks holds every lock.
func (sqliteDialect) tryLock(context.Context, *Tx, int64) (bool, error) { return true, nil }

func (sqliteDialect) facts() string {
	return `
		SELECT sqlite_version(), c.page_count * s.page_size, (SELECT MAX(version_id) FROM goose_db_version)
		FROM   pragma_page_count() AS c, pragma_page_size() AS s`
}
