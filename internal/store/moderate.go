package store

import (
	"context"
	"fmt"

	"heed/internal/feedback"
)

// PostsByID returns posts in the order of their ids given.
func (tx *Tx) PostsByID(ctx context.Context, site feedback.SiteID, all []feedback.PostID) ([]feedback.Post, error) {
	if len(all) == 0 {
		return nil, nil
	}
	in, args := idList([]any{site}, all)
	found, err := tx.listPosts(ctx, site, `
		SELECT `+postColumns+`
		FROM   posts p`+tx.d.byID()+`
		WHERE  p.site_id = $1 AND p.id IN (`+in+`)`, args, len(all), false)
	if err != nil {
		return nil, err
	}
	byID := make(map[feedback.PostID]feedback.Post, len(found))
	for _, p := range found {
		byID[p.ID] = p
	}
	out := make([]feedback.Post, 0, len(found))
	for _, id := range all {
		if p, ok := byID[id]; ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// NewPosts counts the posts of a site with an id above the one given, up to
// most.
func (tx *Tx) NewPosts(ctx context.Context, site feedback.SiteID, above int64, most int) (n int, err error) {
	_, err = tx.row(ctx, `
		SELECT COUNT(*) FROM (
			SELECT 1 FROM posts
			WHERE  site_id = $1 AND id > $2 AND merged_into IS NULL AND NOT held
			LIMIT  $3 + 0) AS counted`, []any{site, above, most}, &n)
	return n, wrap("count new posts", err)
}

// SetPostFlag sets one of the flags of a post. The column is a constant of the
// flag, never a caller's text.
func (tx *Tx) SetPostFlag(ctx context.Context, site feedback.SiteID, id feedback.PostID, flag feedback.PostFlag, on bool) error {
	query, ok := map[feedback.PostFlag]string{
		feedback.Pinned:   `UPDATE posts SET pinned = $1 WHERE site_id = $2 AND id = $3`,
		feedback.Archived: `UPDATE posts SET archived = $1 WHERE site_id = $2 AND id = $3`,
		feedback.Locked:   `UPDATE posts SET locked = $1 WHERE site_id = $2 AND id = $3`,
		feedback.Withheld: `UPDATE posts SET withheld = $1 WHERE site_id = $2 AND id = $3`,
	}[flag]
	if !ok {
		return fmt.Errorf("set flag: no flag %q", flag)
	}
	if flag != feedback.Archived {
		_, err := tx.exec(ctx, query, on, site, id)
		return wrap("set flag", err)
	}
	if err := tx.showing(ctx, site, id, query, on, site, id); err != nil {
		return wrap("set flag", err)
	}
	return tx.reindexPost(ctx, site, id)
}

// reindexPost has searches find a post by its words as they are now, if they may
// find it at all.
func (tx *Tx) reindexPost(ctx context.Context, site feedback.SiteID, id feedback.PostID) error {
	var p reindexed
	_, err := tx.row(ctx, `
		SELECT p.title, p.body, `+searchable+`
		FROM   posts p
		WHERE  p.site_id = $1 AND p.id = $2`, []any{site, id}, &p.title, &p.body, &p.searchable)
	if err != nil {
		return wrap("post", err)
	}
	if err := tx.UnindexPost(ctx, site, id); err != nil || !p.searchable {
		return err
	}
	return tx.IndexPost(ctx, site, id, p.title, p.body)
}

// SetPostText rewords a post, and has searches find the new words if it is
// searchable.
func (tx *Tx) SetPostText(ctx context.Context, p *feedback.Post, title, body string) error {
	_, err := tx.exec(ctx, `
		UPDATE posts SET title = $1, body = $2
		WHERE  site_id = $3 AND id = $4`, title, body, p.SiteID, p.ID)
	if err != nil || !p.Searchable() {
		return wrap("set text", err)
	}
	return tx.reindexPost(ctx, p.SiteID, p.ID)
}

// MovePost moves a post to another board of its site, with what the boards
// count.
func (tx *Tx) MovePost(ctx context.Context, p *feedback.Post, to feedback.BoardID) error {
	_, err := tx.exec(ctx, `
		UPDATE posts SET board_id = $1
		WHERE  site_id = $2 AND id = $3`, to, p.SiteID, p.ID)
	if err != nil {
		return wrap("move post", err)
	}
	if err := tx.shelve(ctx, p.SiteID, p.ID); err != nil || !p.Listed() {
		return err
	}
	if err := tx.addPosts(ctx, p.SiteID, p.BoardID, -1, -one(p.Searchable())); err != nil {
		return err
	}
	return tx.addPosts(ctx, p.SiteID, to, 1, one(p.Searchable()))
}

// AddTag puts a tag on a post and reports whether it was not there.
func (tx *Tx) AddTag(ctx context.Context, site feedback.SiteID, post feedback.PostID, tag feedback.TagID) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO post_tags (site_id, post_id, tag_id)
		VALUES ($1, $2, $3)
		ON CONFLICT (site_id, post_id, tag_id) DO NOTHING`, site, post, tag)
	if err != nil || n == 0 {
		return false, wrap("add tag", err)
	}
	return true, tx.shelve(ctx, site, post)
}

// DropTag takes a tag from a post and reports whether it was there.
func (tx *Tx) DropTag(ctx context.Context, site feedback.SiteID, post feedback.PostID, tag feedback.TagID) (bool, error) {
	n, err := tx.exec(ctx, `
		DELETE FROM post_tags
		WHERE  site_id = $1 AND post_id = $2 AND tag_id = $3`, site, post, tag)
	return n > 0, wrap("drop tag", err)
}

// Voters lists who voted for a post, by visitor, after the one given.
func (tx *Tx) Voters(ctx context.Context, site feedback.SiteID, post feedback.PostID, after feedback.VisitorID, limit int) ([]feedback.Voter, error) {
	out, err := collect(ctx, tx, `
		SELECT v.visitor_id, w.ref, w.name, w.email, v.created_at
		FROM   votes v
		JOIN   visitors w ON w.site_id = v.site_id AND w.id = v.visitor_id
		WHERE  v.site_id = $1 AND v.post_id = $2 AND v.visitor_id > $3
		ORDER  BY v.visitor_id
		LIMIT  $4 + 0`, []any{site, post, int64(after), limit}, func(r rows, v *feedback.Voter) error {
		return r.Scan(&v.ID, &v.Ref, &v.Name, &v.Email, at(&v.VotedAt))
	})
	return out, wrap("voters", err)
}

// VisitorNames returns what to call the visitors with the ids given; by their
// addresses only if asked for.
func (tx *Tx) VisitorNames(ctx context.Context, site feedback.SiteID, all []feedback.VisitorID, addresses bool) (map[feedback.VisitorID]string, error) {
	found, err := tx.visitorsByID(ctx, site, all)
	names := make(map[feedback.VisitorID]string, len(found))
	for i := range found {
		names[found[i].ID] = found[i].CallName(addresses)
	}
	return names, err
}

// Changes lists the history of a post, newest first, with the names of what
// changed and of who changed it as they are now.
func (tx *Tx) Changes(ctx context.Context, site feedback.SiteID, post feedback.PostID, limit int) ([]feedback.PostChange, error) {
	out, err := collect(ctx, tx, `
		SELECT c.id, c.kind, c.note, c.actor_kind, c.created_at,
		       COALESCE(s1.name, b1.name, t1.name, p1.title, ''),
		       COALESCE(s2.name, b2.name, t2.name, p2.title, ''),
		       COALESCE(m.name, k.name, v.name, '')
		FROM   post_changes c
		LEFT JOIN statuses s1 ON s1.site_id = c.site_id AND s1.id = c.from_id AND c.kind = 'status'
		LEFT JOIN statuses s2 ON s2.site_id = c.site_id AND s2.id = c.to_id   AND c.kind = 'status'
		LEFT JOIN boards b1   ON b1.site_id = c.site_id AND b1.id = c.from_id AND c.kind = 'moved'
		LEFT JOIN boards b2   ON b2.site_id = c.site_id AND b2.id = c.to_id   AND c.kind = 'moved'
		LEFT JOIN tags t1     ON t1.site_id = c.site_id AND t1.id = c.from_id AND c.kind = 'untagged'
		LEFT JOIN tags t2     ON t2.site_id = c.site_id AND t2.id = c.to_id   AND c.kind = 'tagged'
		LEFT JOIN posts p1    ON p1.site_id = c.site_id AND p1.id = c.from_id AND c.kind = 'unmerged'
		LEFT JOIN posts p2    ON p2.site_id = c.site_id AND p2.id = c.to_id   AND c.kind = 'merged'
		LEFT JOIN members m   ON m.id = c.actor_id AND c.actor_kind = 'member'
		LEFT JOIN api_keys k  ON k.id = c.actor_id AND c.actor_kind = 'key'
		LEFT JOIN visitors v  ON v.site_id = c.site_id AND v.id = c.actor_id AND c.actor_kind = 'visitor'
		WHERE  c.site_id = $1 AND c.post_id = $2
		ORDER  BY c.id DESC
		LIMIT  $3 + 0`, []any{site, post, limit}, func(r rows, c *feedback.PostChange) error {
		return r.Scan(&c.ID, &c.Kind, &c.Note, &c.ActorKind, at(&c.At), &c.From, &c.To, &c.ActorName)
	})
	return out, wrap("changes", err)
}

// Merged lists the merges into a post that stand, newest first, with the titles
// of what was folded in.
func (tx *Tx) Merged(ctx context.Context, site feedback.SiteID, winner feedback.PostID, limit int) ([]feedback.MergedPost, error) {
	out, err := collect(ctx, tx, `
		SELECT a.id, a.loser_id, p.title, a.created_at
		FROM   actions a
		JOIN   posts p ON p.site_id = a.site_id AND p.id = a.loser_id
		WHERE  a.site_id = $1 AND a.winner_id = $2 AND a.undone_at IS NULL
		ORDER  BY a.id DESC
		LIMIT  $3 + 0`, []any{site, winner, limit}, func(r rows, m *feedback.MergedPost) error {
		return r.Scan(&m.Action, &m.Loser, &m.Title, at(&m.At))
	})
	return out, wrap("merged posts", err)
}

// MergeCounts counts what a merge would move: the loser's votes, those of them
// that the winner lacks, and the loser's comments.
func (tx *Tx) MergeCounts(ctx context.Context, site feedback.SiteID, loser, winner feedback.PostID) (votes, fresh, comments int, err error) {
	_, err = tx.row(ctx, `
		SELECT (SELECT COUNT(*) FROM votes WHERE site_id = $1 AND post_id = $2),
		       (SELECT COUNT(*) FROM votes v WHERE v.site_id = $1 AND v.post_id = $2 AND NOT EXISTS (
		            SELECT 1 FROM votes w WHERE w.site_id = $1 AND w.post_id = $3 AND w.visitor_id = v.visitor_id)),
		       (SELECT COUNT(*) FROM comments WHERE site_id = $1 AND post_id = $2)`,
		[]any{site, loser, winner}, &votes, &fresh, &comments)
	return votes, fresh, comments, wrap("count merge", err)
}

// WithheldPosts lists the posts that are not offered to agents, newest first.
func (tx *Tx) WithheldPosts(ctx context.Context, site feedback.SiteID, limit int) ([]QueuePost, error) {
	out, err := collect(ctx, tx, withheldPosts(tx.d), []any{site, limit}, scanQueuePost)
	return out, wrap("withheld posts", err)
}

func withheldPosts(d dialect) string {
	return `
		SELECT id, title, vote_count
		FROM   posts` + d.by("posts_withheld") + `
		WHERE  site_id = $1 AND withheld AND NOT archived AND merged_into IS NULL AND NOT held
		ORDER  BY id DESC
		LIMIT  $2 + 0`
}
