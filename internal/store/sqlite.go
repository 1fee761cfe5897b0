package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"zombiezen.com/go/sqlite"
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
	var pragmas []string
	if db.volatile {
		pragmas = append(pragmas, "synchronous(OFF)")
	}
	// The first connection makes the file and switches it to WAL; readers
	// that came earlier would find neither.
	c, err := openConn(path, pragmas...)
	if err != nil {
		return err
	}
	db.readers = newReaders(path, max(4, 2*runtime.GOMAXPROCS(0)))
	db.d, db.reader, db.writer = sqliteDialect{}, db.readers, newWriter(db, c)
	return nil
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
	switch sqlite.ErrCode(err) {
	case sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintRowID:
		return true // two processes made the same id in the same millisecond
	}
	return false
}

func (sqliteDialect) away(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultReadOnly, sqlite.ResultCantOpen:
		return true // another process writes, the disk is full or fails
	}
	return false
}

// Writers take turns, so whoever asks holds every lock.
func (sqliteDialect) tryLock(context.Context, *Tx, int64) (bool, error) { return true, nil }

func (sqliteDialect) facts() string {
	return `
		SELECT sqlite_version(), c.page_count * s.page_size, (SELECT MAX(version_id) FROM goose_db_version)
		FROM   pragma_page_count() AS c, pragma_page_size() AS s`
}
