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
	var heat int64
	_, err = tx.row(ctx, `
		UPDATE posts SET vote_count = vote_count + $1
		WHERE  site_id = $2 AND id = $3
		RETURNING vote_count, trend`, []any{n, site, post}, &count, &heat)
	if err != nil || n == 0 {
		return false, count, wrap("count vote", err)
	}
	if err := tx.setHeat(ctx, site, post, feedback.Heat(heat).Plus(tx.Now)); err != nil {
		return false, 0, err
	}
	return true, count, tx.shelve(ctx, site, post)
}

// TakeVote withdraws a vote and takes it off the post's tally. It reports
// whether there was one, and the tally.
func (tx *Tx) TakeVote(ctx context.Context, site feedback.SiteID, post feedback.PostID, visitor feedback.VisitorID) (was bool, count int, err error) {
	var cast int64
	was, err = tx.row(ctx, `
		DELETE FROM votes
		WHERE  site_id = $1 AND post_id = $2 AND visitor_id = $3
		RETURNING created_at`, []any{site, post, visitor}, &cast)
	if err != nil {
		return false, 0, wrap("withdraw vote", err)
	}
	var heat, born int64
	_, err = tx.row(ctx, `
		UPDATE posts SET vote_count = vote_count - $1
		WHERE  site_id = $2 AND id = $3
		RETURNING vote_count, trend, created_at`, []any{one(was), site, post}, &count, &heat, &born)
	if err != nil || !was {
		return false, count, wrap("count vote", err)
	}
	if err := tx.setHeat(ctx, site, post, feedback.Heat(heat).Minus(fromMicros(cast), fromMicros(born))); err != nil {
		return false, 0, err
	}
	return true, count, tx.shelve(ctx, site, post)
}

func (tx *Tx) setHeat(ctx context.Context, site feedback.SiteID, post feedback.PostID, h feedback.Heat) error {
	_, err := tx.exec(ctx, `
		UPDATE posts SET trend = $1
		WHERE  site_id = $2 AND id = $3`, int64(h), site, post)
	return wrap("set trend", err)
}

// Voted returns which of the posts a visitor has voted for.
func (tx *Tx) Voted(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID, posts []feedback.PostID) (map[feedback.PostID]bool, error) {
	voted := map[feedback.PostID]bool{}
	if visitor == 0 || len(posts) == 0 {
		return voted, nil
	}
	in, args := idList([]any{site, visitor}, posts)
	ids, err := tx.idColumn(ctx, `
		SELECT post_id FROM votes
		WHERE  site_id = $1 AND visitor_id = $2 AND post_id IN (`+in+`)`, args)
	for _, id := range ids {
		voted[feedback.PostID(id)] = true
	}
	return voted, wrap("voted", err)
}
