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

	// skipLocked ends a SELECT of work to be taken: rows that somebody else is
	// taking are passed over.
	skipLocked() string

	// retryable reports whether a transaction that failed with err may
	// succeed if run again unchanged.
	retryable(err error) bool

	// tryLock takes a lock until the transaction is over, or reports that
	// another transaction holds it.
	tryLock(ctx context.Context, tx *Tx, key int64) (bool, error)

	// index has searches find the post by these words, and unindex has them
	// find it no more.
	index(ctx context.Context, tx *Tx, site feedback.SiteID, post feedback.PostID, title, body []string) error
	unindex(ctx context.Context, tx *Tx, site feedback.SiteID, post feedback.PostID) error

	// matches selects the ids of the newest posts with an id below that
	// given whose words match a query, newest first.
	matches(site feedback.SiteID, q searchQuery, below feedback.PostID, limit int) (query string, args []any)
}

// TryLock takes a lock named by key until the transaction is over. False means
// that another transaction of this database holds it. On SQLite, whose writers
// take turns, it is always free.
func (tx *Tx) TryLock(ctx context.Context, key int64) (bool, error) {
	return tx.d.tryLock(ctx, tx, key)
}
