package store

import (
	"context"

	"heed/internal/feedback"
)

// Visitor finds the visitor a site's caller knows by ref, or makes one.
func (tx *Tx) Visitor(ctx context.Context, site feedback.SiteID, ref feedback.VisitorRef) (feedback.VisitorID, error) {
	find := func() (id feedback.VisitorID, err error) {
		_, err = tx.row(ctx, `SELECT id FROM visitors WHERE site_id = $1 AND ref = $2`, []any{site, ref}, &id)
		return id, wrap("visitor", err)
	}
	if id, err := find(); id != 0 || err != nil {
		return id, err
	}
	id := feedback.VisitorID(tx.NextID())
	n, err := tx.exec(ctx, `
		INSERT INTO visitors (site_id, id, ref, created_at)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (site_id, ref) DO NOTHING`,
		site, id, ref, micros(tx.Now))
	if err != nil {
		return 0, wrap("insert visitor", err)
	}
	if n == 0 {
		return find() // another node was faster
	}
	return id, nil
}
