package store

import (
	"context"
	"time"

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
	t, err := tx.tally(ctx, site, post)
	if err != nil || n == 0 {
		return false, t.votes, err
	}
	t.votes++
	t.heat = t.heat.Plus(tx.Now)
	return true, t.votes, tx.setTally(ctx, site, post, t)
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
	t, err := tx.tally(ctx, site, post)
	if err != nil || !was {
		return false, t.votes, err
	}
	t.votes--
	t.heat = t.heat.Minus(fromMicros(cast), t.born)
	return true, t.votes, tx.setTally(ctx, site, post, t)
}

// tally is what votes make of a post.
type tally struct {
	votes int
	heat  feedback.Heat
	born  time.Time
}

// tally returns the tally of a post, which nobody else changes until the
// transaction is over.
func (tx *Tx) tally(ctx context.Context, site feedback.SiteID, post feedback.PostID) (t tally, err error) {
	var heat, born int64
	_, err = tx.row(ctx, `
		SELECT vote_count, trend, created_at
		FROM   posts
		WHERE  site_id = $1 AND id = $2`+tx.d.forUpdate(), []any{site, post}, &t.votes, &heat, &born)
	t.heat, t.born = feedback.Heat(heat), fromMicros(born)
	return t, wrap("tally", err)
}

// setTally writes both numbers at once, since each statement finds the row anew.
func (tx *Tx) setTally(ctx context.Context, site feedback.SiteID, post feedback.PostID, t tally) error {
	_, err := tx.exec(ctx, `
		UPDATE posts SET vote_count = $1, trend = $2
		WHERE  site_id = $3 AND id = $4`, t.votes, int64(t.heat), site, post)
	return wrap("count vote", err)
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
