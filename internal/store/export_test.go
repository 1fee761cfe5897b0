package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Exec runs a statement, so that tests can damage what they want found.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) error {
	_, err := tx.exec(ctx, query, args...)
	return err
}

// Engine names the kind of database.
func (db *DB) Engine() string { return db.d.name() }

// References and what is named like one.
var (
	References     = references
	PointsAnywhere = pointsAnywhere
)

// Number runs a query for one integer.
func (db *DB) Number(ctx context.Context, query string, args ...any) (n int64, err error) {
	_, err = db.tx(db.reader).row(ctx, query, args, &n)
	return n, err
}

// Tables returns the columns of the tables that hold something of their own.
func (db *DB) Tables(ctx context.Context) (map[string][]string, error) {
	tables, err := db.tx(db.reader).tables(ctx)
	all := map[string][]string{}
	for _, t := range tables {
		all[t.Name] = t.names()
	}
	return all, err
}

// Findable reports whether there is a word in a text, so that a search for it
// can find something.
func Findable(text string) bool { return len(parseQuery(text)) > 0 }

// Dump returns all rows of all tables that hold something of their own, each
// spelled out, in an order that does not depend on the database.
func (db *DB) Dump(ctx context.Context) (map[string][]string, error) {
	all := map[string][]string{}
	err := db.snapshot(ctx, func(tx *Tx) error {
		tables, err := tx.tables(ctx)
		if err != nil {
			return err
		}
		for i := range tables {
			t := &tables[i]
			slices.SortFunc(t.Columns, func(a, b column) int { return strings.Compare(a.Name, b.Name) })
			f := &dumped{t: t}
			if _, err := tx.backupTable(ctx, &frameWriter{w: f, hash: sha256.New()}, t, func(int64) {}); err != nil {
				return err
			}
			slices.Sort(f.rows)
			all[t.Name] = f.rows
		}
		return nil
	})
	return all, err
}

// dumped collects the rows among the frames of a table.
type dumped struct {
	t    *table
	n    int
	rows []string
}

func (d *dumped) Write(b []byte) (int, error) {
	// Heads and contents come in turn; the first frame is the table's.
	if d.n++; d.n > 2 && d.n%2 == 0 {
		row := ""
		for rest, i := b, 0; len(rest) > 0; i++ {
			v, more, err := value(rest)
			if err != nil {
				return 0, err
			}
			row += fmt.Sprintf("%s=%#v ", d.t.Columns[i].Name, v)
			rest = more
		}
		d.rows = append(d.rows, row)
	}
	return len(b), nil
}

// InsertAny puts a row of values of the right kinds into every table that has
// none, so that a test of all tables sees each at work.
func (db *DB) InsertAny(ctx context.Context) error {
	return db.Write(ctx, func(tx *Tx) error {
		tables, err := tx.tables(ctx)
		if err != nil {
			return err
		}
		for i := range tables {
			t := &tables[i]
			var one int
			if found, err := tx.row(ctx, `SELECT 1 FROM `+t.Name+` LIMIT 1`, nil, &one); found || err != nil {
				continue
			}
			rows := tx.bulk(t.Name, t.names()...)
			values := make([]any, len(t.Columns))
			for k, c := range t.Columns {
				values[k] = map[columnKind]any{
					intColumn: int64(1)<<62 + int64(k), boolColumn: true, textColumn: "naïve 文字 🐝\n'\"\\",
					bytesColumn: []byte{0, 255, 1, 0}, floatColumn: 0.1,
				}[c.Kind]
			}
			if err := rows.add(ctx, values...); err != nil {
				return err
			}
			if err := rows.flush(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// MigrateTo brings the schema to a version and no further.
func (db *DB) MigrateTo(ctx context.Context, version int64) error { return db.migrateTo(ctx, version) }

// AllTables names every table, those that hold nothing of their own included.
func (db *DB) AllTables(ctx context.Context) (names []string, err error) {
	all, err := db.tx(db.reader).allTables(ctx)
	for _, t := range all {
		names = append(names, t.Name)
	}
	return names, err
}

// Derived are the tables that are no part of a backup.
var Derived = derived

// Schema spells each column of each table: name, nullability and kind of type.
func (db *DB) Schema(ctx context.Context) (map[string][]string, error) {
	all, err := db.tx(db.reader).allTables(ctx)
	spelled := map[string][]string{}
	for _, t := range all {
		if _, ok := derived[t.Name]; ok {
			continue
		}
		for _, c := range t.Columns {
			null := "NULL"
			if c.notNull {
				null = "NOT NULL"
			}
			spelled[t.Name] = append(spelled[t.Name], fmt.Sprintf("%s %s %s", c.Name, c.Kind, null))
		}
	}
	return spelled, err
}

// Keys returns the primary key of each table.
func (db *DB) Keys(ctx context.Context) (map[string][]string, error) {
	all, err := db.tx(db.reader).allTables(ctx)
	keys := map[string][]string{}
	for _, t := range all {
		keys[t.Name] = t.key
	}
	return keys, err
}

// MaxRanked is how many matches are ranked.
const MaxRanked = maxRanked

// Judge is what Read and Write make of an error.
func (db *DB) Judge(err error) error { return db.judge(err) }
