package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

func (db *DB) openPostgres(ctx context.Context) error {
	cfg, err := pgx.ParseConfig(db.url)
	if err != nil {
		// The error of the parser may quote the URL, and so a password.
		return errors.New("database: the postgres URL cannot be read")
	}
	if db.volatile {
		cfg.RuntimeParams["synchronous_commit"] = "off"
	}
	pool := stdlib.OpenDB(*cfg)
	conns := max(16, 8*runtime.GOMAXPROCS(0))
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	if err := pool.PingContext(ctx); err != nil {
		pool.Close()
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	db.d, db.pool, db.reader = postgresDialect{}, pool, overSQL{pool}
	return nil
}

func (db *DB) writePostgres(ctx context.Context, fn func(*Tx) error) error {
	sqlTx, err := db.pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer sqlTx.Rollback() // does nothing once committed
	tx := db.tx(overSQL{sqlTx})
	if err := fn(tx); err != nil {
		return err
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, f := range tx.afterCommit {
		f()
	}
	return nil
}

// overSQL is a querier by way of package sql.
type overSQL struct {
	db interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
}

func (q overSQL) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := q.db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (q overSQL) query(ctx context.Context, query string, args ...any) (rows, error) {
	all, err := q.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

type postgresDialect struct{}

func (postgresDialect) name() string { return "postgres" }

func (postgresDialect) forUpdate() string { return " FOR UPDATE" }

func (postgresDialect) claim(table string) string { return " FOR UPDATE OF " + table + " SKIP LOCKED" }

// PostgreSQL knows how many rows each index holds.
func (postgresDialect) by(string) string { return "" }

func (postgresDialect) byID() string { return "" }

// PostgreSQL would choose one plan for all after a few executions of a prepared
// statement; this has it plan for the values at hand.
func (postgresDialect) freshPlan(args []any) []any {
	return append([]any{pgx.QueryExecModeExec}, args...)
}

func (postgresDialect) retryable(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch e.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return true
	case "23505": // two nodes made the same id in the same millisecond
		return strings.HasSuffix(e.ConstraintName, "_pkey")
	}
	return false
}

func (d postgresDialect) away(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false // whoever asked has gone
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case strings.HasPrefix(e.Code, "08"), strings.HasPrefix(e.Code, "53"): // the connection, no room
			return true
		case strings.HasPrefix(e.Code, "57P"), e.Code == "25006": // it stops or starts, it only reads
			return true
		}
		return d.retryable(err) // and was tried again
	}
	_, dialled := errors.AsType[*pgconn.ConnectError](err)
	_, broken := errors.AsType[*net.OpError](err)
	return dialled || broken || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn)
}

func (postgresDialect) tryLock(ctx context.Context, tx *Tx, key int64) (bool, error) {
	var ok bool
	_, err := tx.row(ctx, `SELECT pg_try_advisory_xact_lock($1)`, []any{key}, &ok)
	return ok, err
}

func (postgresDialect) facts() string {
	return `
		SELECT current_setting('server_version'), pg_database_size(current_database()), (SELECT MAX(version_id) FROM goose_db_version)`
}
