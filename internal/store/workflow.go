package store

import (
	"context"

	"heed/internal/feedback"
)

// UpdateBoard changes what a board says of itself.
func (tx *Tx) UpdateBoard(ctx context.Context, b *feedback.Board) error {
	_, err := tx.exec(ctx, `
		UPDATE boards SET name = $1, description = $2, private = $3
		WHERE  site_id = $4 AND id = $5`, b.Name, b.Description, b.Private, b.SiteID, b.ID)
	return wrap("update board", err)
}

// DeleteBoard removes a board that no post is on. Views of it become those of the
// one instead; zero is none.
func (tx *Tx) DeleteBoard(ctx context.Context, site feedback.SiteID, id, instead feedback.BoardID) error {
	if err := tx.moveViewsOfBoard(ctx, site, id, instead); err != nil {
		return err
	}
	_, err := tx.exec(ctx, `DELETE FROM boards WHERE site_id = $1 AND id = $2`, site, id)
	return wrap("delete board", err)
}

// PostsOnBoard returns the ids of the posts on a board, merged and held ones
// too, lowest first.
func (tx *Tx) PostsOnBoard(ctx context.Context, site feedback.SiteID, board feedback.BoardID, limit int) ([]feedback.PostID, error) {
	out, err := collect(ctx, tx, `
		SELECT id FROM posts
		WHERE  site_id = $1 AND board_id = $2
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, board, limit}, scanPostID)
	return out, wrap("posts on board", err)
}

// PostsAtStatus returns the ids of the posts at a status, lowest first.
func (tx *Tx) PostsAtStatus(ctx context.Context, site feedback.SiteID, status feedback.StatusID, limit int) ([]feedback.PostID, error) {
	out, err := collect(ctx, tx, `
		SELECT id FROM posts
		WHERE  site_id = $1 AND status_id = $2
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, status, limit}, scanPostID)
	return out, wrap("posts at status", err)
}

func scanPostID(r rows, id *feedback.PostID) error { return r.Scan(id) }

// UpdateStatus changes a status, but for its place, and reports whether the name
// was free.
func (tx *Tx) UpdateStatus(ctx context.Context, s *feedback.Status) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE statuses SET name = $1, color = $2, done_flag = $3, show_on_roadmap = $4, notify_mode = $5
		WHERE  site_id = $6 AND id = $7 AND NOT EXISTS (
			SELECT 1 FROM statuses o WHERE o.site_id = $6 AND o.name = $1 AND o.id <> $7)`,
		s.Name, s.Color, s.DoneFlag, s.ShowOnRoadmap, s.Notify, s.SiteID, s.ID)
	return n > 0, wrap("update status", err)
}

// SetStatusPlace changes the place of a status.
func (tx *Tx) SetStatusPlace(ctx context.Context, site feedback.SiteID, id feedback.StatusID, place int) error {
	_, err := tx.exec(ctx, `UPDATE statuses SET position = $1 WHERE site_id = $2 AND id = $3`, place, site, id)
	return wrap("place status", err)
}

// SetDefaultStatus makes a status the one of new posts.
func (tx *Tx) SetDefaultStatus(ctx context.Context, site feedback.SiteID, id feedback.StatusID) error {
	_, err := tx.exec(ctx, `UPDATE statuses SET is_default = (id = $1) WHERE site_id = $2`, id, site)
	return wrap("set default status", err)
}

// DeleteStatus removes a status that no post stands at. What is still to be told
// about it is told of the one instead, and views of it become those of that one;
// zero is none.
func (tx *Tx) DeleteStatus(ctx context.Context, site feedback.SiteID, id, instead feedback.StatusID) error {
	_, err := tx.exec(ctx, `
		UPDATE notices SET status_id = $1
		WHERE  site_id = $2 AND status_id = $3`, instead, site, id)
	if err != nil {
		return wrap("delete status", err)
	}
	if err := tx.moveViewsOfStatus(ctx, site, id, instead); err != nil {
		return err
	}
	_, err = tx.exec(ctx, `DELETE FROM statuses WHERE site_id = $1 AND id = $2`, site, id)
	return wrap("delete status", err)
}

// UpdateSite changes the name and the slug of a site and reports whether the
// slug was free.
func (tx *Tx) UpdateSite(ctx context.Context, s *feedback.Site) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE sites SET name = $1, slug = $2
		WHERE  id = $3 AND NOT EXISTS (SELECT 1 FROM sites o WHERE o.slug = $2 AND o.id <> $3)`, s.Name, s.Slug, s.ID)
	return n > 0, wrap("update site", err)
}

// UpdateEntry rewords a changelog entry.
func (tx *Tx) UpdateEntry(ctx context.Context, e *feedback.Entry) error {
	_, err := tx.exec(ctx, `
		UPDATE entries SET title = $1, body = $2, label = $3
		WHERE  site_id = $4 AND id = $5`, e.Title, e.Body, e.Label, e.SiteID, e.ID)
	return wrap("update entry", err)
}

// UnpublishEntry makes an entry a draft again.
func (tx *Tx) UnpublishEntry(ctx context.Context, site feedback.SiteID, id feedback.EntryID) error {
	_, err := tx.exec(ctx, `
		UPDATE entries SET status = $1, published_at = NULL
		WHERE  site_id = $2 AND id = $3`, feedback.Draft, site, id)
	return wrap("unpublish entry", err)
}

// EntryPosts returns the ids of the posts an entry answers.
func (tx *Tx) EntryPosts(ctx context.Context, site feedback.SiteID, id feedback.EntryID) ([]feedback.PostID, error) {
	out, err := collect(ctx, tx, `
		SELECT post_id FROM entry_posts
		WHERE  site_id = $1 AND entry_id = $2
		ORDER  BY post_id
		LIMIT  1000`, []any{site, id}, scanPostID)
	return out, wrap("posts of entry", err)
}

// UnlinkEntry notes that an entry does not answer a post.
func (tx *Tx) UnlinkEntry(ctx context.Context, site feedback.SiteID, id feedback.EntryID, post feedback.PostID) error {
	_, err := tx.exec(ctx, `
		DELETE FROM entry_posts
		WHERE  site_id = $1 AND entry_id = $2 AND post_id = $3`, site, id, post)
	return wrap("unlink entry", err)
}
