package store

import "context"

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

// MaxRanked is how many matches a search ranks.
const MaxRanked = maxRanked
