package store

import (
	"context"
	"database/sql"

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
		LIMIT  $3 + 0`, []any{site, int64(after), limit}, func(r *sql.Rows, e *feedback.Event) error {
		return r.Scan(&e.SiteID, &e.ID, &e.Type, at(&e.CreatedAt), &e.Payload)
	})
	return out, wrap("events", err)
}

// InsertNotice stores something the people behind a post are to be told.
func (tx *Tx) InsertNotice(ctx context.Context, n *feedback.Notice) error {
	_, err := tx.exec(ctx, `
		INSERT INTO notices (site_id, id, kind, post_id, status_id, entry_id, comment_id, note, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		n.SiteID, n.ID, n.Kind, n.PostID, n.StatusID, n.EntryID, n.CommentID, n.Note, micros(n.CreatedAt))
	return wrap("insert notice", err)
}
