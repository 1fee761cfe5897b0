package store

import (
	"context"

	"heed/internal/feedback"
)

const commentColumns = `site_id, id, post_id, parent_id, body, author_type, visitor_id, member_id, internal, created_at, edited_at, hidden_at`

func scanComment(r rows, c *feedback.Comment) error {
	return r.Scan(&c.SiteID, &c.ID, &c.PostID, &c.ParentID, &c.Body, &c.AuthorType, &c.VisitorID, &c.MemberID,
		&c.Internal, at(&c.CreatedAt), at(&c.EditedAt), at(&c.HiddenAt))
}

// InsertComment stores a new comment and counts it if the public may see it.
func (tx *Tx) InsertComment(ctx context.Context, c *feedback.Comment) error {
	_, err := tx.exec(ctx, `
		INSERT INTO comments (site_id, id, post_id, parent_id, author_type, visitor_id, member_id, internal, created_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		c.SiteID, c.ID, c.PostID, c.ParentID, c.AuthorType, c.VisitorID, c.MemberID, c.Internal, micros(c.CreatedAt), c.Body)
	if err != nil || c.Internal {
		return wrap("insert comment", err)
	}
	_, err = tx.exec(ctx, `
		UPDATE posts SET comment_count = comment_count + 1
		WHERE  site_id = $1 AND id = $2`, c.SiteID, c.PostID)
	return wrap("count comment", err)
}

// Comment returns a comment on a post, or nil.
func (tx *Tx) Comment(ctx context.Context, site feedback.SiteID, post feedback.PostID, id feedback.CommentID) (*feedback.Comment, error) {
	c, err := first(collect(ctx, tx, `
		SELECT `+commentColumns+`
		FROM   comments
		WHERE  site_id = $1 AND id = $2 AND post_id = $3`, []any{site, id, post}, scanComment))
	return c, wrap("comment", err)
}

// Comments lists the comments on a post, oldest first, after the one given.
func (tx *Tx) Comments(ctx context.Context, site feedback.SiteID, post feedback.PostID, after feedback.CommentID, limit int) ([]feedback.Comment, error) {
	out, err := collect(ctx, tx, `
		SELECT `+commentColumns+`
		FROM   comments
		WHERE  site_id = $1 AND post_id = $2 AND id > $3
		ORDER  BY id
		LIMIT  $4 + 0`, []any{site, post, int64(after), limit}, scanComment)
	return out, wrap("comments", err)
}

// EditComment rewords a comment.
func (tx *Tx) EditComment(ctx context.Context, c *feedback.Comment, body string) error {
	_, err := tx.exec(ctx, `
		UPDATE comments SET body = $1, edited_at = $2
		WHERE  site_id = $3 AND id = $4`, body, micros(tx.Now), c.SiteID, c.ID)
	return wrap("edit comment", err)
}

// HideComment makes a public comment and all that answers it internal. What was
// internal before stays apart from it.
func (tx *Tx) HideComment(ctx context.Context, c *feedback.Comment) error {
	_, err := tx.exec(ctx, `
		UPDATE comments SET internal = TRUE, hidden_at = $1
		WHERE  site_id = $2 AND post_id = $3 AND NOT internal AND id IN (
			WITH RECURSIVE thread (id) AS (
				SELECT id FROM comments
				WHERE  site_id = $2 AND id = $4
				UNION
				SELECT c.id
				FROM   thread t
				JOIN   comments c ON c.parent_id = t.id
				WHERE  c.site_id = $2 AND c.post_id = $3)
			SELECT id FROM thread)`, micros(tx.Now), c.SiteID, c.PostID, c.ID)
	if err != nil {
		return wrap("hide comment", err)
	}
	return tx.countComments(ctx, c.SiteID, c.PostID)
}

// ShowComment makes a hidden comment public again, with what was hidden along
// with it.
func (tx *Tx) ShowComment(ctx context.Context, c *feedback.Comment) error {
	_, err := tx.exec(ctx, `
		UPDATE comments SET internal = FALSE, hidden_at = NULL
		WHERE  site_id = $1 AND post_id = $2 AND hidden_at = $3`, c.SiteID, c.PostID, micros(c.HiddenAt))
	if err != nil {
		return wrap("show comment", err)
	}
	return tx.countComments(ctx, c.SiteID, c.PostID)
}

// countComments sets the counter of a post from its rows.
func (tx *Tx) countComments(ctx context.Context, site feedback.SiteID, post feedback.PostID) error {
	_, err := tx.exec(ctx, `
		UPDATE posts
		SET    comment_count = (SELECT COUNT(*) FROM comments WHERE site_id = $1 AND post_id = $2 AND NOT internal)
		WHERE  site_id = $1 AND id = $2`, site, post)
	return wrap("count comments", err)
}

// DeleteComment takes away what a comment says. One that was answered leaves its
// place, because the answers stand there.
func (tx *Tx) DeleteComment(ctx context.Context, c *feedback.Comment) error {
	var one int
	answered, err := tx.row(ctx, `
		SELECT 1 FROM comments
		WHERE  site_id = $1 AND post_id = $2 AND parent_id = $3
		LIMIT  1`, []any{c.SiteID, c.PostID, c.ID}, &one)
	if err != nil {
		return wrap("answers", err)
	}
	if answered {
		_, err := tx.exec(ctx, `UPDATE comments SET body = '' WHERE site_id = $1 AND id = $2`, c.SiteID, c.ID)
		return wrap("empty comment", err)
	}
	for _, query := range []string{
		`UPDATE notices SET comment_id = NULL WHERE site_id = $1 AND comment_id = $2`,
		`DELETE FROM action_comments WHERE site_id = $1 AND comment_id = $2`,
		`DELETE FROM comments WHERE site_id = $1 AND id = $2`,
	} {
		if _, err := tx.exec(ctx, query, c.SiteID, c.ID); err != nil {
			return wrap("delete comment", err)
		}
	}
	return tx.countComments(ctx, c.SiteID, c.PostID)
}
