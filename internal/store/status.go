package store

import (
	"context"

	"heed/internal/feedback"
)

const statusColumns = `site_id, id, name, color, position, done_flag, show_on_roadmap, is_default, notify_mode`

func scanStatus(r rows, s *feedback.Status) error {
	return r.Scan(&s.SiteID, &s.ID, &s.Name, &s.Color, &s.Order, &s.DoneFlag, &s.ShowOnRoadmap, &s.IsDefault, &s.Notify)
}

// InsertStatus stores a new status after the last and sets its order. It
// reports whether the name was free.
func (tx *Tx) InsertStatus(ctx context.Context, s *feedback.Status) (bool, error) {
	found, err := tx.row(ctx, `
		INSERT INTO statuses (site_id, id, name, color, position, done_flag, show_on_roadmap, is_default, notify_mode, created_at)
		SELECT $1, $2, $3, $4, COALESCE(MAX(position) + 1, 0), $5, $6, $7, $8, $9
		FROM   statuses
		WHERE  site_id = $1
		ON CONFLICT (site_id, name) DO NOTHING
		RETURNING position`,
		[]any{s.SiteID, s.ID, s.Name, s.Color, s.DoneFlag, s.ShowOnRoadmap, s.IsDefault, s.Notify, micros(tx.Now)}, &s.Order)
	return found, wrap("insert status", err)
}

// Status returns a status, or nil.
func (tx *Tx) Status(ctx context.Context, site feedback.SiteID, id feedback.StatusID) (*feedback.Status, error) {
	s, err := first(collect(ctx, tx, `
		SELECT `+statusColumns+`
		FROM   statuses
		WHERE  site_id = $1 AND id = $2`, []any{site, id}, scanStatus))
	return s, wrap("status", err)
}

// DefaultStatus returns the status of a new post, or nil.
func (tx *Tx) DefaultStatus(ctx context.Context, site feedback.SiteID) (*feedback.Status, error) {
	s, err := first(collect(ctx, tx, `
		SELECT `+statusColumns+`
		FROM   statuses
		WHERE  site_id = $1 AND is_default
		ORDER  BY position, id
		LIMIT  1`, []any{site}, scanStatus))
	return s, wrap("default status", err)
}

// Statuses lists the statuses of a site by their order, after the position and
// id given.
func (tx *Tx) Statuses(ctx context.Context, site feedback.SiteID, order int, after feedback.StatusID, limit int) ([]feedback.Status, error) {
	out, err := collect(ctx, tx, `
		SELECT `+statusColumns+`
		FROM   statuses
		WHERE  site_id = $1 AND (position, id) > ($2, $3)
		ORDER  BY position, id
		LIMIT  $4 + 0`, []any{site, order, int64(after), limit}, scanStatus)
	return out, wrap("statuses", err)
}
