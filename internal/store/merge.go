package store

import (
	"context"

	"heed/internal/feedback"
)

// Merge folds the loser of an action into its winner: votes (once a visitor),
// comments and tags move, and what moved is recorded, so that [Tx.Unmerge] can
// put it back exactly. The loser becomes archived and locked and leaves its
// board's count and the search. Both posts must be locked.
func (tx *Tx) Merge(ctx context.Context, a *feedback.Action, loser *feedback.Post) error {
	_, err := tx.exec(ctx, `
		INSERT INTO actions (site_id, id, loser_id, winner_id, loser_archived, loser_locked, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		a.SiteID, a.ID, a.Loser, a.Winner, a.LoserArchived, a.LoserLocked, micros(a.CreatedAt))
	if err != nil {
		return wrap("record merge", err)
	}
	for _, step := range []struct {
		doing, query string
		args         []any
	}{
		{"record votes", `
			INSERT INTO action_votes (site_id, action_id, visitor_id, created_at, moved)
			SELECT v.site_id, $1, v.visitor_id, v.created_at, w.visitor_id IS NULL
			FROM   votes v
			LEFT JOIN votes w ON w.site_id = v.site_id AND w.post_id = $2 AND w.visitor_id = v.visitor_id
			WHERE  v.site_id = $3 AND v.post_id = $4`, []any{a.ID, a.Winner, a.SiteID, a.Loser}},
		{"move votes", `
			INSERT INTO votes (site_id, post_id, visitor_id, created_at)
			SELECT site_id, $1, visitor_id, created_at
			FROM   action_votes
			WHERE  site_id = $2 AND action_id = $3 AND moved`, []any{a.Winner, a.SiteID, a.ID}},
		{"clear votes", `
			DELETE FROM votes
			WHERE  site_id = $1 AND post_id = $2`, []any{a.SiteID, a.Loser}},
		{"record comments", `
			INSERT INTO action_comments (site_id, action_id, comment_id)
			SELECT site_id, $1, id
			FROM   comments
			WHERE  site_id = $2 AND post_id = $3`, []any{a.ID, a.SiteID, a.Loser}},
		{"move comments", `
			UPDATE comments SET post_id = $1
			WHERE  site_id = $2 AND post_id = $3`, []any{a.Winner, a.SiteID, a.Loser}},
		{"record tags", `
			INSERT INTO action_tags (site_id, action_id, tag_id, moved)
			SELECT t.site_id, $1, t.tag_id, w.tag_id IS NULL
			FROM   post_tags t
			LEFT JOIN post_tags w ON w.site_id = t.site_id AND w.post_id = $2 AND w.tag_id = t.tag_id
			WHERE  t.site_id = $3 AND t.post_id = $4`, []any{a.ID, a.Winner, a.SiteID, a.Loser}},
		{"move tags", `
			INSERT INTO post_tags (site_id, post_id, tag_id)
			SELECT site_id, $1, tag_id
			FROM   action_tags
			WHERE  site_id = $2 AND action_id = $3 AND moved`, []any{a.Winner, a.SiteID, a.ID}},
		{"clear tags", `
			DELETE FROM post_tags
			WHERE  site_id = $1 AND post_id = $2`, []any{a.SiteID, a.Loser}},
		{"close loser", `
			UPDATE posts SET archived = TRUE, locked = TRUE, merged_into = $1
			WHERE  site_id = $2 AND id = $3`, []any{a.Winner, a.SiteID, a.Loser}},
	} {
		if _, err := tx.exec(ctx, step.query, step.args...); err != nil {
			return wrap(step.doing, err)
		}
	}
	if err := tx.recount(ctx, a); err != nil {
		return err
	}
	if err := tx.shareHeat(ctx, a, feedback.Heat.PlusAll); err != nil {
		return err
	}
	if err := tx.shelveBoth(ctx, a); err != nil {
		return err
	}
	if err := tx.addPosts(ctx, a.SiteID, loser.BoardID, -one(loser.Listed()), -one(loser.Searchable())); err != nil {
		return err
	}
	return tx.UnindexPost(ctx, a.SiteID, a.Loser)
}

// otherMerges are the merges into the winner $2 that stand beside the action $3.
const otherMerges = `
				SELECT id FROM actions
				WHERE  site_id = $1 AND winner_id = $2 AND id <> $3 AND undone_at IS NULL`

// Unmerge puts back what the action moved. Votes that were withdrawn from the
// winner since stay withdrawn; comments and votes that came to the winner since
// stay there, but a reply goes with the comment it answers. A vote or a tag that
// another merge would have moved too stays with the winner until that is undone.
// Both posts must be locked.
func (tx *Tx) Unmerge(ctx context.Context, a *feedback.Action, loser *feedback.Post) error {
	for _, step := range []struct {
		doing, query string
		args         []any
	}{
		{"put votes back", `
			INSERT INTO votes (site_id, post_id, visitor_id, created_at)
			SELECT v.site_id, $1, v.visitor_id, v.created_at
			FROM   action_votes v
			WHERE  v.site_id = $2 AND v.action_id = $3
			AND    EXISTS (
				SELECT 1 FROM votes w
				WHERE  w.site_id = v.site_id AND w.post_id = $4 AND w.visitor_id = v.visitor_id)`,
			[]any{a.Loser, a.SiteID, a.ID, a.Winner}},
		{"leave shared votes", `
			UPDATE action_votes SET moved = TRUE
			WHERE  site_id = $1 AND action_id IN (` + otherMerges + `)
			AND    visitor_id IN (
				SELECT visitor_id FROM action_votes
				WHERE  site_id = $1 AND action_id = $3 AND moved)`, []any{a.SiteID, a.Winner, a.ID}},
		{"take moved votes", `
			DELETE FROM votes
			WHERE  site_id = $1 AND post_id = $2 AND visitor_id IN (
				SELECT visitor_id FROM action_votes
				WHERE  site_id = $1 AND action_id = $3 AND moved)
			AND    visitor_id NOT IN (
				SELECT visitor_id FROM action_votes
				WHERE  site_id = $1 AND action_id IN (` + otherMerges + `))`, []any{a.SiteID, a.Winner, a.ID}},
		{"date shared votes", `
			UPDATE votes
			SET    created_at = (
				SELECT v.created_at FROM action_votes v
				WHERE  v.site_id = $1 AND v.action_id IN (` + otherMerges + `) AND v.visitor_id = votes.visitor_id
				ORDER BY v.action_id
				LIMIT  1)
			WHERE  site_id = $1 AND post_id = $2 AND visitor_id IN (
				SELECT visitor_id FROM action_votes
				WHERE  site_id = $1 AND action_id = $3 AND moved)`, []any{a.SiteID, a.Winner, a.ID}},
		{"put comments back", `
			UPDATE comments SET post_id = $1
			WHERE  site_id = $2 AND post_id = $3 AND id IN (
				WITH RECURSIVE back (id) AS (
					SELECT comment_id FROM action_comments
					WHERE  site_id = $2 AND action_id = $4
					UNION
					SELECT c.id
					FROM   back b
					JOIN   comments c ON c.parent_id = b.id
					WHERE  c.site_id = $2 AND c.post_id = $3)
				SELECT id FROM back)`, []any{a.Loser, a.SiteID, a.Winner, a.ID}},
		{"put tags back", `
			INSERT INTO post_tags (site_id, post_id, tag_id)
			SELECT site_id, $1, tag_id
			FROM   action_tags
			WHERE  site_id = $2 AND action_id = $3
			ON CONFLICT (site_id, post_id, tag_id) DO NOTHING`, []any{a.Loser, a.SiteID, a.ID}},
		{"leave shared tags", `
			UPDATE action_tags SET moved = TRUE
			WHERE  site_id = $1 AND action_id IN (` + otherMerges + `)
			AND    tag_id IN (
				SELECT tag_id FROM action_tags
				WHERE  site_id = $1 AND action_id = $3 AND moved)`, []any{a.SiteID, a.Winner, a.ID}},
		{"take moved tags", `
			DELETE FROM post_tags
			WHERE  site_id = $1 AND post_id = $2 AND tag_id IN (
				SELECT tag_id FROM action_tags
				WHERE  site_id = $1 AND action_id = $3 AND moved)
			AND    tag_id NOT IN (
				SELECT tag_id FROM action_tags
				WHERE  site_id = $1 AND action_id IN (` + otherMerges + `))`, []any{a.SiteID, a.Winner, a.ID}},
		{"reopen loser", `
			UPDATE posts SET archived = $1, locked = $2, merged_into = NULL
			WHERE  site_id = $3 AND id = $4`, []any{a.LoserArchived, a.LoserLocked, a.SiteID, a.Loser}},
		{"mark undone", `
			UPDATE actions SET undone_at = $1
			WHERE  site_id = $2 AND id = $3`, []any{micros(tx.Now), a.SiteID, a.ID}},
	} {
		if _, err := tx.exec(ctx, step.query, step.args...); err != nil {
			return wrap(step.doing, err)
		}
	}
	if err := tx.recount(ctx, a); err != nil {
		return err
	}
	err := tx.shareHeat(ctx, a, func(winner, loser feedback.Heat) feedback.Heat {
		return winner.MinusAll(loser, a.Winner.Time())
	})
	if err != nil {
		return err
	}
	if err := tx.shelveBoth(ctx, a); err != nil {
		return err
	}
	shown := !loser.Held && !a.LoserArchived
	if err := tx.addPosts(ctx, a.SiteID, loser.BoardID, one(!loser.Held), one(shown)); err != nil || !shown {
		return err
	}
	var title, body string
	_, err = tx.row(ctx, `
		SELECT title, body FROM posts
		WHERE  site_id = $1 AND id = $2`, []any{a.SiteID, a.Loser}, &title, &body)
	if err != nil {
		return wrap("post", err)
	}
	return tx.IndexPost(ctx, a.SiteID, a.Loser, title, body)
}

// shareHeat gives the winner of a merge what a rule makes of both heats. The
// loser keeps its own, to be taken away again when the merge is undone.
func (tx *Tx) shareHeat(ctx context.Context, a *feedback.Action, rule func(winner, loser feedback.Heat) feedback.Heat) error {
	heat := map[feedback.PostID]int64{}
	for _, post := range []feedback.PostID{a.Loser, a.Winner} {
		var h int64
		_, err := tx.row(ctx, `SELECT trend FROM posts WHERE site_id = $1 AND id = $2`, []any{a.SiteID, post}, &h)
		if err != nil {
			return wrap("heat", err)
		}
		heat[post] = h
	}
	return tx.setHeat(ctx, a.SiteID, a.Winner, rule(feedback.Heat(heat[a.Winner]), feedback.Heat(heat[a.Loser])))
}

// recount sets the counters of both posts of an action from their rows.
func (tx *Tx) recount(ctx context.Context, a *feedback.Action) error {
	for _, post := range []feedback.PostID{a.Loser, a.Winner} {
		_, err := tx.exec(ctx, `
			UPDATE posts
			SET    vote_count    = (SELECT COUNT(*) FROM votes WHERE site_id = $1 AND post_id = $2),
			       comment_count = (SELECT COUNT(*) FROM comments WHERE site_id = $1 AND post_id = $2 AND NOT internal)
			WHERE  site_id = $1 AND id = $2`, a.SiteID, post)
		if err != nil {
			return wrap("recount", err)
		}
	}
	return nil
}

// Action returns a recorded action, or nil.
func (tx *Tx) Action(ctx context.Context, site feedback.SiteID, id feedback.ActionID) (*feedback.Action, error) {
	a, err := first(collect(ctx, tx, `
		SELECT site_id, id, loser_id, winner_id, loser_archived, loser_locked, created_at, undone_at
		FROM   actions
		WHERE  site_id = $1 AND id = $2`, []any{site, id}, func(r rows, a *feedback.Action) error {
		return r.Scan(&a.SiteID, &a.ID, &a.Loser, &a.Winner, &a.LoserArchived, &a.LoserLocked,
			at(&a.CreatedAt), at(&a.UndoneAt))
	}))
	return a, wrap("action", err)
}
