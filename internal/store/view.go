package store

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/ids"
)

// shownArchived says that a view shows the archive instead of current posts.
const shownArchived = "archived"

// ViewFilter is the filter of a view by the ids it names.
type ViewFilter struct {
	Board  feedback.BoardID
	Status feedback.StatusID
	Tag    feedback.TagID
}

const viewColumns = `site_id, id, member_id, name, board_id, status_id, tag_id, shown, days, by_votes, query`

func scanView(r rows, v *feedback.View) error {
	var f ViewFilter
	var shown string
	err := r.Scan(&v.SiteID, &v.ID, &v.Member, &v.Name, &f.Board, &f.Status, &f.Tag, &shown, &v.Filter.Days, &v.Filter.ByVotes, &v.Filter.Query)
	v.Filter.Board, v.Filter.Status, v.Filter.Tag = spelled(f.Board), spelled(f.Status), spelled(f.Tag)
	v.Filter.Archived = shown == shownArchived
	return err
}

// spelled is the spelling of an id, nil for none.
func spelled[K ids.Kind](id ids.ID[K]) *feedback.Ref {
	if id == 0 {
		return nil
	}
	r := feedback.Ref(id.String())
	return &r
}

// Views lists the views of a site that a member sees: their own and the team's,
// the oldest first.
func (tx *Tx) Views(ctx context.Context, site feedback.SiteID, member feedback.MemberID, limit int) ([]feedback.View, error) {
	out, err := collect(ctx, tx, `
		SELECT `+viewColumns+`
		FROM   saved_views
		WHERE  site_id = $1 AND (member_id IS NULL OR member_id = $2)
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, member, limit}, scanView)
	return out, wrap("views", err)
}

// View returns a view that a member sees, or nil.
func (tx *Tx) View(ctx context.Context, site feedback.SiteID, member feedback.MemberID, id feedback.ViewID) (*feedback.View, error) {
	v, err := first(collect(ctx, tx, `
		SELECT `+viewColumns+`
		FROM   saved_views
		WHERE  site_id = $1 AND id = $2 AND (member_id IS NULL OR member_id = $3)`, []any{site, id, member}, scanView))
	return v, wrap("view", err)
}

func shownIn(v *feedback.View) string {
	if v.Filter.Archived {
		return shownArchived
	}
	return ""
}

// InsertView stores a new view and reports whether its name was free.
func (tx *Tx) InsertView(ctx context.Context, v *feedback.View, f ViewFilter) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO saved_views (`+viewColumns+`, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT DO NOTHING`,
		v.SiteID, v.ID, v.Member, v.Name, f.Board, f.Status, f.Tag, shownIn(v), v.Filter.Days, v.Filter.ByVotes, string(v.Filter.Query), micros(tx.Now))
	return n > 0, wrap("insert view", err)
}

// RenameView gives a view another name and reports whether that was free.
func (tx *Tx) RenameView(ctx context.Context, v *feedback.View, name string) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE saved_views SET name = $1
		WHERE  site_id = $2 AND id = $3 AND NOT EXISTS (
			SELECT 1 FROM saved_views o
			WHERE  o.site_id = $2 AND o.name = $1 AND o.id <> $3 AND COALESCE(o.member_id, 0) = $4)`,
		name, v.SiteID, v.ID, int64(v.Member))
	return n > 0, wrap("rename view", err)
}

// SetViewFilter stores the filter of a view.
func (tx *Tx) SetViewFilter(ctx context.Context, v *feedback.View, f ViewFilter) error {
	_, err := tx.exec(ctx, `
		UPDATE saved_views SET board_id = $1, status_id = $2, tag_id = $3, shown = $4, days = $5, by_votes = $6, query = $7
		WHERE  site_id = $8 AND id = $9`,
		f.Board, f.Status, f.Tag, shownIn(v), v.Filter.Days, v.Filter.ByVotes, string(v.Filter.Query), v.SiteID, v.ID)
	return wrap("change view", err)
}

// DeleteView removes a view.
func (tx *Tx) DeleteView(ctx context.Context, site feedback.SiteID, id feedback.ViewID) error {
	_, err := tx.exec(ctx, `DELETE FROM saved_views WHERE site_id = $1 AND id = $2`, site, id)
	return wrap("delete view", err)
}

// The views of what is removed show what takes its place; zero is nothing, and
// the view asks for one thing less.

func (tx *Tx) moveViewsOfBoard(ctx context.Context, site feedback.SiteID, from, to feedback.BoardID) error {
	_, err := tx.exec(ctx, `UPDATE saved_views SET board_id = $1 WHERE site_id = $2 AND board_id = $3`, to, site, from)
	return wrap("move views", err)
}

func (tx *Tx) moveViewsOfStatus(ctx context.Context, site feedback.SiteID, from, to feedback.StatusID) error {
	_, err := tx.exec(ctx, `UPDATE saved_views SET status_id = $1 WHERE site_id = $2 AND status_id = $3`, to, site, from)
	return wrap("move views", err)
}
