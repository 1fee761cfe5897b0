package store

import (
	"context"

	"heed/internal/feedback"
)

const boardColumns = `site_id, id, name, slug, description, private, post_count, shown_count`

func scanBoard(r rows, b *feedback.Board) error {
	return r.Scan(&b.SiteID, &b.ID, &b.Name, &b.Slug, &b.Description, &b.Private, &b.PostCount, &b.Shown)
}

// InsertBoard stores a new board and reports whether its slug was free.
func (tx *Tx) InsertBoard(ctx context.Context, b *feedback.Board) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO boards (site_id, id, name, slug, description, private, post_count, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
		ON CONFLICT (site_id, slug) DO NOTHING`,
		b.SiteID, b.ID, b.Name, b.Slug, b.Description, b.Private, micros(tx.Now))
	return n > 0, wrap("insert board", err)
}

// Board returns a board, or nil.
func (tx *Tx) Board(ctx context.Context, site feedback.SiteID, id feedback.BoardID) (*feedback.Board, error) {
	b, err := first(collect(ctx, tx, `
		SELECT `+boardColumns+`
		FROM   boards
		WHERE  site_id = $1 AND id = $2`, []any{site, id}, scanBoard))
	return b, wrap("board", err)
}

// Boards lists the boards of a site by creation, after the one given.
func (tx *Tx) Boards(ctx context.Context, site feedback.SiteID, after feedback.BoardID, limit int) ([]feedback.Board, error) {
	out, err := collect(ctx, tx, `
		SELECT `+boardColumns+`
		FROM   boards
		WHERE  site_id = $1 AND id > $2
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, int64(after), limit}, scanBoard)
	return out, wrap("boards", err)
}

// addPosts changes the number of posts that listings of a board hold, and of
// those that the public sees.
func (tx *Tx) addPosts(ctx context.Context, site feedback.SiteID, board feedback.BoardID, listed, shown int) error {
	_, err := tx.exec(ctx, `
		UPDATE boards SET post_count = post_count + $1, shown_count = shown_count + $2
		WHERE  site_id = $3 AND id = $4`, listed, shown, site, board)
	return wrap("count posts", err)
}

// one is 1 for what is counted and 0 for what is not.
func one(counts bool) int {
	if counts {
		return 1
	}
	return 0
}
