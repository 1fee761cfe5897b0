package store

import (
	"context"

	"heed/internal/feedback"
)

// AddVote records a vote and adds it to the post's tally. It reports whether the
// vote is new, a second vote of a visitor changes nothing, and the tally.
func (tx *Tx) AddVote(ctx context.Context, site feedback.SiteID, post feedback.PostID, visitor feedback.VisitorID) (isNew bool, count int, err error) {
	n, err := tx.exec(ctx, `
		INSERT INTO votes (site_id, post_id, visitor_id, created_at)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (site_id, post_id, visitor_id) DO NOTHING`,
		site, post, visitor, micros(tx.Now))
	if err != nil {
		return false, 0, wrap("insert vote", err)
	}
	_, err = tx.row(ctx, `
		UPDATE posts SET vote_count = vote_count + $1
		WHERE  site_id = $2 AND id = $3
		RETURNING vote_count`, []any{n, site, post}, &count)
	return n > 0, count, wrap("count vote", err)
}
