package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// The tables are read from the live database, so that what works on all of them
// (backup, check) covers a new migration without a change.

// derived are the tables that hold nothing of their own, with what they come
// from. They are not part of a backup.
var derived = map[string]string{
	"post_search":      "rebuilt from posts",
	"visitor_words":    "rebuilt from visitors",
	"goose_db_version": "kept by migrations; a backup carries its number",
}

// columnKind is what both databases make of a column.
type columnKind string

const (
	intColumn   columnKind = "int"
	boolColumn  columnKind = "bool"
	textColumn  columnKind = "text"
	bytesColumn columnKind = "bytes"
	floatColumn columnKind = "float"
)

// kindOf maps the name of a type to its kind, or "" if no kind has it.
func kindOf(sqlType string) columnKind {
	switch strings.ToUpper(sqlType) {
	case "BIGINT", "INTEGER", "SMALLINT", "INT":
		return intColumn
	case "BOOLEAN":
		return boolColumn
	case "TEXT":
		return textColumn
	case "BYTEA", "BLOB":
		return bytesColumn
	case "DOUBLE PRECISION", "REAL", "FLOAT":
		return floatColumn
	}
	return ""
}

// table is a table of the live database.
type table struct {
	Name    string
	Columns []column
	key     []string // the columns of the primary key, in order
}

type column struct {
	Name       string
	Kind       columnKind
	sqlType    string
	notNull    bool
	hasDefault bool
}

func (t *table) names() []string {
	all := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		all[i] = c.Name
	}
	return all
}

func (t *table) column(name string) *column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// tables returns the tables that hold something of their own, by name.
func (tx *Tx) tables(ctx context.Context) ([]table, error) {
	all, err := tx.allTables(ctx)
	if err != nil {
		return nil, err
	}
	own := all[:0]
	for _, t := range all {
		if _, ok := derived[t.Name]; ok {
			continue
		}
		for _, c := range t.Columns {
			if c.Kind == "" {
				return nil, fmt.Errorf("table %s: column %s has the type %q, which the two databases do not share", t.Name, c.Name, c.sqlType)
			}
		}
		own = append(own, t)
	}
	return own, nil
}

// allTables returns every table there is, by name, but for those the database
// keeps for its own use.
func (tx *Tx) allTables(ctx context.Context) ([]table, error) {
	rows, err := tx.q.query(ctx, tx.d.columns())
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	defer rows.Close()
	var all []table
	keys := map[string]map[int]string{}
	for rows.Next() {
		var name string
		var c column
		var inKey int
		if err := rows.Scan(&name, &c.Name, &c.sqlType, &c.notNull, &c.hasDefault, &inKey); err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		c.Kind = kindOf(c.sqlType)
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, table{Name: name})
			keys[name] = map[int]string{}
		}
		t := &all[len(all)-1]
		if inKey > 0 {
			keys[name][inKey] = c.Name
			c.notNull = true // SQLite does not say so of an integer key
		}
		t.Columns = append(t.Columns, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	for i := range all {
		for k := 1; k <= len(keys[all[i].Name]); k++ {
			all[i].key = append(all[i].key, keys[all[i].Name][k])
		}
	}
	return all, nil
}

// columns: a shadow table is part of a virtual one, which is listed.
func (sqliteDialect) columns() string {
	return `
		SELECT t.name, c.name, c.type, c."notnull", c.dflt_value IS NOT NULL, c.pk
		FROM   pragma_table_list t
		JOIN   pragma_table_info(t.name) c
		WHERE  t.schema = 'main' AND t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite%'
		ORDER  BY t.name, c.cid`
}

func (postgresDialect) columns() string {
	return `
		SELECT t.relname, c.attname, format_type(c.atttypid, NULL), c.attnotnull,
		       c.atthasdef OR c.attidentity <> '', COALESCE(array_position(k.indkey::int2[], c.attnum) + 1, 0)
		FROM   pg_class t
		JOIN   pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
		LEFT JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary
		WHERE  t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')
		ORDER  BY t.relname COLLATE "C", c.attnum`
}

// snapshot runs fn on a view of the database that does not change while it
// runs, whoever writes meanwhile.
func (db *DB) snapshot(ctx context.Context, fn func(*Tx) error) error {
	if db.Embedded() {
		return db.readers.snapshot(ctx, func(c *conn) error { return fn(db.tx(c)) })
	}
	sqlTx, err := db.pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer sqlTx.Rollback()
	return fn(db.tx(overSQL{sqlTx}))
}
