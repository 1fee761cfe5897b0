package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"
)

// conn is a connection to a SQLite file, for one goroutine at a time. It speaks
// to SQLite without package sql, whose driver boxes every value and locks the
// connection several times for each: that was half of what a list cost.
//
// Statements run without the caller's cancellation: an interrupted write would
// roll back the whole batch it is in, and reads are bounded.
type conn struct {
	c    *sqlite.Conn
	open []*sqliteRows // that are being read
	kept map[*sqlite.Stmt]bool
}

// maxKept bounds the statements that a connection keeps prepared. The service has
// fewer texts than that, but for those with a list of values, which has as many
// places as there are values.
const maxKept = 512

// sqlitePragmas set what every connection needs. busy_timeout comes first: the
// others may have to wait for a lock. synchronous=FULL has a commit reach the
// disk before it is acknowledged, also in WAL mode. As much of the file is mapped
// into memory as SQLite can: reading the rest takes a call of the system for each
// page.
var sqlitePragmas = []string{
	"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-32768)",
	"mmap_size(2147418112)", "temp_store(MEMORY)", "journal_size_limit(67108864)",
}

// sqliteURI names a file in a way that no letter of its path is taken for more.
func sqliteURI(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

func openConn(path string, pragmas ...string) (*conn, error) {
	c, err := sqlite.OpenConn(sqliteURI(path), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	out := &conn{c: c, kept: map[*sqlite.Stmt]bool{}}
	for _, p := range append(sqlitePragmas[:len(sqlitePragmas):len(sqlitePragmas)], pragmas...) {
		if _, err := out.exec(context.Background(), "PRAGMA "+p); err != nil {
			c.Close()
			return nil, fmt.Errorf("open %s: %s: %w", path, p, err)
		}
	}
	return out, nil
}

func (c *conn) close() error { return c.c.Close() }

func (c *conn) exec(_ context.Context, query string, args ...any) (int64, error) {
	s, err := c.prepare(query, args)
	if err != nil {
		return 0, err
	}
	for more := true; more; {
		if more, err = s.Step(); err != nil {
			return 0, err
		}
	}
	n := c.c.Changes()
	return int64(n), s.Reset()
}

func (c *conn) query(_ context.Context, query string, args ...any) (rows, error) {
	all, err := c.start(query, args)
	if err != nil {
		return nil, err // not a nil *sqliteRows, which is no nil rows
	}
	return all, nil
}

func (c *conn) start(query string, args []any) (*sqliteRows, error) {
	s, err := c.prepare(query, args)
	if err != nil {
		return nil, err
	}
	r := &sqliteRows{conn: c, s: s, query: query}
	c.open = append(c.open, r)
	return r, nil
}

// prepare returns a statement that is ready to run.
func (c *conn) prepare(query string, args []any) (*sqlite.Stmt, error) {
	// A text has one statement: to run it again would end the rows of the first.
	if slices.ContainsFunc(c.open, func(r *sqliteRows) bool { return r.query == query }) {
		return nil, errors.New("a query was asked again while its rows were being read")
	}
	s, err := c.c.Prepare(query) // once for each text, and kept
	if err != nil {
		return nil, err
	}
	if !c.kept[s] {
		c.keep(s)
	}
	if n := s.BindParamCount(); n != len(args) {
		return nil, fmt.Errorf("%d arguments for a query that takes %d", len(args), n)
	}
	// To SQLite $4 is a name, and the parameter that is named first is the
	// first: an argument goes by the number in the name.
	for i := 1; i <= len(args); i++ {
		n, err := strconv.Atoi(strings.TrimPrefix(s.BindParamName(i), "$"))
		if err != nil || n < 1 || n > len(args) {
			return nil, fmt.Errorf("parameter %q is none of $1 to $%d", s.BindParamName(i), len(args))
		}
		if err := bind(s, i, args[n-1]); err != nil {
			return nil, fmt.Errorf("argument %d: %w", n, err)
		}
	}
	return s, nil
}

// keep notes a statement that was prepared. Beyond the bound all others are
// forgotten, but for those whose rows are being read: what is in use is soon
// prepared again.
func (c *conn) keep(s *sqlite.Stmt) {
	if len(c.kept) >= maxKept {
		for old := range c.kept {
			if !slices.ContainsFunc(c.open, func(r *sqliteRows) bool { return r.s == old }) {
				_ = old.Finalize() // tells how it ended last, which is known
				delete(c.kept, old)
			}
		}
	}
	c.kept[s] = true
}

// bind gives a statement its argument, by the same rules as package sql.
func bind(s *sqlite.Stmt, at int, arg any) error {
	switch v := arg.(type) {
	case nil:
		s.BindNull(at)
	case int64:
		s.BindInt64(at, v)
	case int:
		s.BindInt64(at, int64(v))
	case string:
		s.BindText(at, v)
	case bool:
		s.BindBool(at, v)
	case float64:
		s.BindFloat(at, v)
	case []byte:
		if v == nil {
			s.BindNull(at)
		} else {
			s.BindBytes(at, v)
		}
	case identifier:
		if n := v.Int64(); n == 0 {
			s.BindNull(at)
		} else {
			s.BindInt64(at, n)
		}
	default:
		plain, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		switch plain.(type) {
		case nil, int64, string, bool, float64, []byte:
			return bind(s, at, plain)
		}
		return fmt.Errorf("there are no columns for a %T", arg)
	}
	return nil
}

// identifier is an id of any kind. Zero is none.
type identifier interface{ Int64() int64 }

// integer is a scanner that can be given an integer unboxed.
type integer interface {
	sql.Scanner
	SetInt64(int64)
}

// sqliteRows are the rows of a query.
type sqliteRows struct {
	conn   *conn
	pool   *readers // that the connection is to be given back to, or nil
	s      *sqlite.Stmt
	query  string
	err    error
	closed bool
}

func (r *sqliteRows) Next() bool {
	if r.closed || r.err != nil {
		return false
	}
	var more bool
	if more, r.err = r.s.Step(); more {
		return true
	}
	r.err = errors.Join(r.err, r.Close())
	return false
}

func (r *sqliteRows) Err() error { return r.err }

func (r *sqliteRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.conn.open = slices.DeleteFunc(r.conn.open, func(o *sqliteRows) bool { return o == r })
	err := r.s.Reset()
	if r.pool != nil {
		r.pool.put(r.conn)
	}
	return err
}

func (r *sqliteRows) Scan(dest ...any) error {
	if n := r.s.ColumnCount(); n != len(dest) {
		return fmt.Errorf("scan: %d variables for %d columns", len(dest), n)
	}
	for i, d := range dest {
		if err := r.scan(i, d); err != nil {
			return fmt.Errorf("scan column %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *sqliteRows) scan(i int, dest any) error {
	kind := r.s.ColumnType(i)
	switch d := dest.(type) {
	case *string:
		if kind != sqlite.TypeNull {
			*d = r.s.ColumnText(i)
			return nil
		}
	case *int64:
		if kind == sqlite.TypeInteger {
			*d = r.s.ColumnInt64(i)
			return nil
		}
	case integer:
		if kind == sqlite.TypeInteger {
			d.SetInt64(r.s.ColumnInt64(i))
			return nil
		}
		return d.Scan(r.value(i, kind))
	case *any:
		*d = r.value(i, kind)
		return nil
	case sql.Scanner:
		return d.Scan(r.value(i, kind))
	default:
		return r.assign(i, kind, reflect.ValueOf(dest).Elem())
	}
	return fmt.Errorf("a %v is no %T", kind, dest)
}

// value returns a column as package sql would.
func (r *sqliteRows) value(i int, kind sqlite.ColumnType) any {
	switch kind {
	case sqlite.TypeInteger:
		return r.s.ColumnInt64(i)
	case sqlite.TypeFloat:
		return r.s.ColumnFloat(i)
	case sqlite.TypeText:
		return r.s.ColumnText(i)
	case sqlite.TypeBlob:
		b := make([]byte, r.s.ColumnLen(i))
		r.s.ColumnBytes(i, b)
		return b
	}
	return nil
}

// assign sets a variable by the kind of its type. A pointer is nil for NULL.
func (r *sqliteRows) assign(i int, kind sqlite.ColumnType, v reflect.Value) error {
	isNull, isInteger := kind == sqlite.TypeNull, kind == sqlite.TypeInteger
	switch k := v.Kind(); {
	case k == reflect.Pointer && isNull:
		v.SetZero()
	case k == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return r.scan(i, v.Interface())
	case k == reflect.String && !isNull:
		v.SetString(r.s.ColumnText(i))
	case k == reflect.Bool && isInteger:
		v.SetBool(r.s.ColumnInt64(i) != 0)
	case v.CanInt() && isInteger && !v.OverflowInt(r.s.ColumnInt64(i)):
		v.SetInt(r.s.ColumnInt64(i))
	case v.CanFloat() && (isInteger || kind == sqlite.TypeFloat):
		v.SetFloat(r.s.ColumnFloat(i))
	case k == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && (isNull || !isInteger && kind != sqlite.TypeFloat):
		if isNull {
			v.SetZero()
			break
		}
		b := make([]byte, r.s.ColumnLen(i))
		r.s.ColumnBytes(i, b)
		v.SetBytes(b)
	default:
		return fmt.Errorf("a %v is no %v", kind, v.Type())
	}
	return nil
}
