package store

import (
	"context"

	"heed/internal/feedback"
)

// InsertEvent stores something that happened.
func (tx *Tx) InsertEvent(ctx context.Context, e *feedback.Event) error {
	_, err := tx.exec(ctx, `
		INSERT INTO events (site_id, id, type, created_at, payload)
		VALUES ($1, $2, $3, $4, $5)`,
		e.SiteID, e.ID, e.Type, micros(e.CreatedAt), string(e.Payload))
	return wrap("insert event", err)
}

// Events lists what happened on a site, oldest first, after the one given.
func (tx *Tx) Events(ctx context.Context, site feedback.SiteID, after feedback.MessageID, limit int) ([]feedback.Event, error) {
	out, err := collect(ctx, tx, `
		SELECT site_id, id, type, created_at, payload
		FROM   events
		WHERE  site_id = $1 AND id > $2
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, int64(after), limit}, scanEvent)
	return out, wrap("events", err)
}

func scanEvent(r rows, e *feedback.Event) error {
	return r.Scan(&e.SiteID, &e.ID, &e.Type, at(&e.CreatedAt), &e.Payload)
}

// InsertNotice stores something the people behind a post are to be told.
func (tx *Tx) InsertNotice(ctx context.Context, n *feedback.Notice) error {
	_, err := tx.exec(ctx, `
		INSERT INTO notices (site_id, id, kind, post_id, status_id, entry_id, comment_id, endpoint_id, note, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		n.SiteID, n.ID, n.Kind, n.PostID, n.StatusID, n.EntryID, n.CommentID, n.EndpointID, n.Note, micros(n.CreatedAt))
	return wrap("insert notice", err)
}

// SettleNotices marks all notices of a site as worked off: nobody is to be told
// of what is made up.
func (tx *Tx) SettleNotices(ctx context.Context, site feedback.SiteID) error {
	_, err := tx.exec(ctx, `
		UPDATE notices SET done_at = created_at
		WHERE  site_id = $1 AND done_at IS NULL`, site)
	return wrap("settle notices", err)
}

// DueNotices counts the notices of a site that are not worked off.
func (tx *Tx) DueNotices(ctx context.Context, site feedback.SiteID) (n int, err error) {
	_, err = tx.row(ctx, `
		SELECT COUNT(*) FROM notices
		WHERE  site_id = $1 AND done_at IS NULL`, []any{site}, &n)
	return n, wrap("count notices", err)
}
