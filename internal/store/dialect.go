package store

import (
	"context"

	"heed/internal/feedback"
)

// dialect holds what the two databases cannot agree on. A method is added only
// when a shared query has been tried and fails on one of them.
type dialect interface {
	name() string

	// forUpdate ends a SELECT whose rows must not change until the
	// transaction is over.
	forUpdate() string

	// claim ends a SELECT of rows of a table that are to be taken by one of
	// several processes: those that another is taking are passed over.
	claim(table string) string

	// retryable reports whether a transaction that failed with err may
	// succeed if run again unchanged.
	retryable(err error) bool

	// away reports whether err says that the database cannot be used at the
	// moment, rather than that it was asked something wrong.
	away(err error) bool

	// tryLock takes a lock until the transaction is over, or reports that
	// another transaction holds it.
	tryLock(ctx context.Context, tx *Tx, key int64) (bool, error)

	// by names the index that a table must be read from, where a database
	// would rather read more rows from another.
	by(index string) string

	// freshPlan marks the arguments of a query whose best plan depends on
	// them: how common a word is, say.
	freshPlan(args []any) []any

	// byID follows the table posts in a query for posts by their ids.
	byID() string

	// bulkArgs is how many arguments a statement that inserts many rows may
	// have.
	bulkArgs() int

	// index has searches find the post by these words, and unindex has them
	// find it no more. indexAll is index for posts that are not yet indexed.
	index(ctx context.Context, tx *Tx, site feedback.SiteID, post indexed) error
	indexAll(ctx context.Context, tx *Tx, site feedback.SiteID, posts []indexed) error
	unindex(ctx context.Context, tx *Tx, site feedback.SiteID, post feedback.PostID) error

	// indexRows names a table with a row for each indexed post, called d in
	// queries, and says when it is the row of posts p.
	indexRows() (table, samePost string)

	// columns selects the columns of all tables: table, name, type, whether it
	// is NOT NULL, whether it has a default, and its place in the primary key,
	// from 1, or 0.
	columns() string

	// facts selects the version of the engine, the size of the database in
	// bytes and the number of its last migration.
	facts() string

	// matches selects the ids of the newest posts with an id below that
	// given whose words match a query, newest first.
	matches(site feedback.SiteID, q searchQuery, below feedback.PostID, limit int) (query string, args []any)

	// finds selects one row if the words of the post match a query, else none.
	finds(site feedback.SiteID, q searchQuery, post feedback.PostID) (query string, args []any)
}

// TryLock takes a lock named by key until the transaction is over. False means
// that another transaction of this database holds it. On SQLite, whose writers
// take turns, it is always free.
func (tx *Tx) TryLock(ctx context.Context, key int64) (bool, error) {
	return tx.d.tryLock(ctx, tx, key)
}
