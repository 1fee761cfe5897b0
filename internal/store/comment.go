package store

import (
	"context"
	"database/sql"

	"heed/internal/feedback"
)

const commentColumns = `site_id, id, post_id, parent_id, body, author_type, visitor_id, member_id, internal, created_at`

func scanComment(r *sql.Rows, c *feedback.Comment) error {
	return r.Scan(&c.SiteID, &c.ID, &c.PostID, &c.ParentID, &c.Body, &c.AuthorType, &c.VisitorID, &c.MemberID,
		&c.Internal, at(&c.CreatedAt))
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
