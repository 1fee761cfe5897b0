package store

import (
	"context"

	"heed/internal/feedback"
)

// heldState says which held posts p a list is of. What its author deleted is
// locked, and in neither.
func heldState(rejected bool) string {
	if rejected {
		return `p.held AND p.archived AND NOT p.locked`
	}
	return `p.held AND NOT p.archived`
}

// HeldPosts lists the posts of a site that wait for approval, or those that were
// rejected, with their texts, oldest first, after the one given.
func (tx *Tx) HeldPosts(ctx context.Context, site feedback.SiteID, rejected bool, after feedback.PostID, limit int) ([]feedback.QueuedPost, error) {
	out, err := collect(ctx, tx, heldPosts(rejected), []any{site, int64(after), limit}, func(r rows, q *feedback.QueuedPost) error {
		return r.Scan(&q.ID, &q.BoardID, &q.BoardName, &q.Title, &q.Body, &q.AuthorID, at(&q.CreatedAt), &q.Note)
	})
	return out, wrap("held posts", err)
}

func heldPosts(rejected bool) string {
	return `
		SELECT p.id, p.board_id, b.name, p.title, p.body, p.author_id, p.created_at, ` + rejectionNote + `
		FROM   posts p
		JOIN   boards b ON b.site_id = p.site_id AND b.id = p.board_id
		WHERE  p.site_id = $1 AND p.id > $2 AND ` + heldState(rejected) + `
		ORDER  BY p.id
		LIMIT  $3 + 0`
}

// rejectionNote is why post p was last rejected.
const rejectionNote = `COALESCE((
		           SELECT c.note FROM post_changes c
		           WHERE  c.site_id = p.site_id AND c.post_id = p.id AND c.kind = 'rejected'
		           ORDER  BY c.id DESC LIMIT 1), '')`

// WaitingPosts counts the posts of a site that wait for approval, up to most.
func (tx *Tx) WaitingPosts(ctx context.Context, site feedback.SiteID, most int) (n int, err error) {
	_, err = tx.row(ctx, waitingPosts, []any{site, most}, &n)
	return n, wrap("count waiting posts", err)
}

var waitingPosts = `
		SELECT COUNT(*) FROM (
			SELECT 1 FROM posts p
			WHERE  p.site_id = $1 AND ` + heldState(false) + `
			LIMIT  $2 + 0) AS counted`

// SetRejected rejects a held post, or has it wait again.
func (tx *Tx) SetRejected(ctx context.Context, site feedback.SiteID, post feedback.PostID, rejected bool) error {
	_, err := tx.exec(ctx, `UPDATE posts SET archived = $1 WHERE site_id = $2 AND id = $3 AND held`, rejected, site, post)
	return wrap("reject post", err)
}
