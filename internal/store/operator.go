package store

import (
	"context"

	"heed/internal/feedback"
)

// AccountUsage is an account with what it has.
type AccountUsage struct {
	Account feedback.Account
	Sites   int
	Seats   int
	Posts   int
}

// AccountUsages lists accounts by creation with what they have, after the one
// given.
func (tx *Tx) AccountUsages(ctx context.Context, after feedback.AccountID, limit int) ([]AccountUsage, error) {
	out, err := collect(ctx, tx, `
		SELECT a.id, a.name, a.plan, a.created_at,
		       (SELECT COUNT(*) FROM sites s WHERE s.account_id = a.id),
		       (SELECT COUNT(*) FROM members m WHERE m.account_id = a.id AND m.left_at IS NULL),
		       (SELECT COALESCE(SUM(b.post_count), 0) FROM sites s JOIN boards b ON b.site_id = s.id WHERE s.account_id = a.id)
		FROM   accounts a
		WHERE  a.id > $1
		ORDER  BY a.id
		LIMIT  $2 + 0`, []any{int64(after), limit}, func(r rows, u *AccountUsage) error {
		a := &u.Account
		return r.Scan(&a.ID, &a.Name, &a.Plan, at(&a.CreatedAt), &u.Sites, &u.Seats, &u.Posts)
	})
	return out, wrap("account usages", err)
}
