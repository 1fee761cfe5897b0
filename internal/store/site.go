package store

import (
	"context"

	"heed/internal/feedback"
)

const siteColumns = `id, account_id, name, slug, created_at`

func scanSite(r rows, s *feedback.Site) error {
	return r.Scan(&s.ID, &s.AccountID, &s.Name, &s.Slug, at(&s.CreatedAt))
}

// InsertSite stores a new site and reports whether its slug was free.
func (tx *Tx) InsertSite(ctx context.Context, s *feedback.Site) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO sites (id, account_id, name, slug, run_count, created_at)
		VALUES ($1, $2, $3, $4, 0, $5)
		ON CONFLICT (slug) DO NOTHING`,
		s.ID, s.AccountID, s.Name, s.Slug, micros(s.CreatedAt))
	return n > 0, wrap("insert site", err)
}

// Site returns a site of an account, or nil.
func (tx *Tx) Site(ctx context.Context, account feedback.AccountID, id feedback.SiteID) (*feedback.Site, error) {
	return first(collect(ctx, tx, `
		SELECT `+siteColumns+`
		FROM   sites
		WHERE  id = $1 AND account_id = $2`, []any{id, account}, scanSite))
}

// AnySite returns a site whoever owns it, or nil. It is for the operator.
func (tx *Tx) AnySite(ctx context.Context, id feedback.SiteID) (*feedback.Site, error) {
	s, err := first(collect(ctx, tx, `
		SELECT `+siteColumns+`
		FROM   sites
		WHERE  id = $1`, []any{id}, scanSite))
	return s, wrap("site", err)
}

// AllSites lists the sites of all accounts by creation, after the one given. It
// is for the operator.
func (tx *Tx) AllSites(ctx context.Context, after feedback.SiteID, limit int) ([]feedback.Site, error) {
	out, err := collect(ctx, tx, `
		SELECT `+siteColumns+`
		FROM   sites
		WHERE  id > $1
		ORDER  BY id
		LIMIT  $2 + 0`, []any{int64(after), limit}, scanSite)
	return out, wrap("sites", err)
}

// Sites lists the sites of an account by creation, after the one given; only
// the site only, if that is not zero.
func (tx *Tx) Sites(ctx context.Context, account feedback.AccountID, only, after feedback.SiteID, limit int) ([]feedback.Site, error) {
	query, args := `
		SELECT `+siteColumns+`
		FROM   sites
		WHERE  account_id = $1 AND id > $2
		ORDER  BY id
		LIMIT  $3 + 0`, []any{account, int64(after), limit}
	if only != 0 {
		query, args = `
		SELECT `+siteColumns+`
		FROM   sites
		WHERE  account_id = $1 AND id > $2 AND id = $3`, []any{account, int64(after), only}
	}
	out, err := collect(ctx, tx, query, args, scanSite)
	return out, wrap("sites", err)
}

// LockSite keeps other transactions that lock the site waiting until this one
// is over.
func (tx *Tx) LockSite(ctx context.Context, id feedback.SiteID) error {
	var one int
	_, err := tx.row(ctx, `SELECT 1 FROM sites WHERE id = $1`+tx.d.forUpdate(), []any{id}, &one)
	return wrap("lock site", err)
}

// SiteCount counts the sites of an account.
func (tx *Tx) SiteCount(ctx context.Context, account feedback.AccountID) (n int, err error) {
	_, err = tx.row(ctx, `SELECT COUNT(*) FROM sites WHERE account_id = $1`, []any{account}, &n)
	return n, wrap("count sites", err)
}

// first returns the only element of a query for at most one row, or nil.
func first[T any](all []T, err error) (*T, error) {
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}
