package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

const entryColumns = `site_id, id, title, slug, body, label, status, published_at, publish_at, created_at`

func scanEntry(r rows, e *feedback.Entry) error {
	return r.Scan(&e.SiteID, &e.ID, &e.Title, &e.Slug, &e.Body, &e.Label, &e.Status, at(&e.PublishedAt), at(&e.PublishAt), at(&e.CreatedAt))
}

// InsertEntry stores a new changelog entry and reports whether its slug was
// free.
func (tx *Tx) InsertEntry(ctx context.Context, e *feedback.Entry) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO entries (site_id, id, title, slug, label, status, published_at, created_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (site_id, slug) DO NOTHING`,
		e.SiteID, e.ID, e.Title, e.Slug, e.Label, e.Status, micros(e.PublishedAt), micros(e.CreatedAt), e.Body)
	return n > 0, wrap("insert entry", err)
}

// Entry returns a changelog entry, or nil. In a write it does not change until
// the transaction is over.
func (tx *Tx) Entry(ctx context.Context, site feedback.SiteID, id feedback.EntryID) (*feedback.Entry, error) {
	e, err := first(collect(ctx, tx, `
		SELECT `+entryColumns+`
		FROM   entries
		WHERE  site_id = $1 AND id = $2`+tx.d.forUpdate(), []any{site, id}, scanEntry))
	return e, wrap("entry", err)
}

// Entries lists changelog entries, newest first, below the id given.
func (tx *Tx) Entries(ctx context.Context, site feedback.SiteID, below feedback.EntryID, limit int) ([]feedback.Entry, error) {
	out, err := collect(ctx, tx, `
		SELECT `+entryColumns+`
		FROM   entries
		WHERE  site_id = $1 AND id < $2
		ORDER  BY id DESC
		LIMIT  $3 + 0`, []any{site, below, limit}, scanEntry)
	return out, wrap("entries", err)
}

// PublishEntry makes an entry public.
func (tx *Tx) PublishEntry(ctx context.Context, site feedback.SiteID, id feedback.EntryID) error {
	_, err := tx.exec(ctx, `
		UPDATE entries SET status = $1, published_at = $2, publish_at = NULL
		WHERE  site_id = $3 AND id = $4`, feedback.Published, micros(tx.Now), site, id)
	return wrap("publish entry", err)
}

// LinkEntry notes that an entry answers a post. It may be repeated.
func (tx *Tx) LinkEntry(ctx context.Context, site feedback.SiteID, id feedback.EntryID, post feedback.PostID) error {
	_, err := tx.exec(ctx, `
		INSERT INTO entry_posts (site_id, entry_id, post_id)
		VALUES ($1, $2, $3)
		ON CONFLICT (site_id, entry_id, post_id) DO NOTHING`, site, id, post)
	return wrap("link entry", err)
}

// ScheduleEntry says when a draft is to be published by itself; zero is never.
func (tx *Tx) ScheduleEntry(ctx context.Context, site feedback.SiteID, id feedback.EntryID, when time.Time) error {
	_, err := tx.exec(ctx, `
		UPDATE entries SET publish_at = $1
		WHERE  site_id = $2 AND id = $3`, micros(when), site, id)
	return wrap("schedule entry", err)
}

// DueEntry returns the draft of any site whose time has come the longest ago, or
// nil. Nobody else gets it until the transaction is over.
func (tx *Tx) DueEntry(ctx context.Context) (*feedback.Entry, error) {
	e, err := first(collect(ctx, tx, `
		SELECT `+entryColumns+`
		FROM   entries
		WHERE  publish_at IS NOT NULL AND publish_at <= $1
		ORDER  BY publish_at, id
		LIMIT  1`+tx.d.claim("entries"), []any{micros(tx.Now)}, scanEntry))
	return e, wrap("due entry", err)
}
