package store

import (
	"context"
	"strings"

	"heed/internal/feedback"
)

// What the team sees of visitors.

// Visitors lists the visitors of a site, newest first, below the one given; only
// those who proved who they are if known. Who was deleted is left out.
func (tx *Tx) Visitors(ctx context.Context, site feedback.SiteID, known bool, below feedback.VisitorID, limit int) ([]feedback.Visitor, error) {
	out, err := collect(ctx, tx, visitorsQuery(tx.d, known), []any{site, int64(below), limit}, scanVisitor)
	return out, wrap("visitors", err)
}

func visitorsQuery(d dialect, known bool) string {
	index, only := ``, ``
	if known {
		index, only = d.by("visitors_known"), ` AND verified_at IS NOT NULL`
	}
	return `
		SELECT ` + visitorColumns + `
		FROM   visitors` + index + `
		WHERE  site_id = $1 AND id < $2 AND ref NOT LIKE 'deleted:%'` + only + `
		ORDER  BY id DESC
		LIMIT  $3 + 0`
}

// VisitorCounts counts what visitors did, each up to [feedback.MaxCounted], and
// says when they last did something that left a trace.
func (tx *Tx) VisitorCounts(ctx context.Context, site feedback.SiteID, all []feedback.VisitorID) (map[feedback.VisitorID]feedback.VisitorCounts, error) {
	counts := make(map[feedback.VisitorID]feedback.VisitorCounts, len(all))
	if len(all) == 0 {
		return counts, nil
	}
	query, args := visitorCounts(tx.d, site, all)
	found, err := collect(ctx, tx, query, args, scanCount)
	for _, c := range found {
		counts[c.Visitor] = c
	}
	return counts, wrap("count what visitors did", err)
}

func visitorCounts(d dialect, site feedback.SiteID, all []feedback.VisitorID) (query string, args []any) {
	in, args := idList([]any{feedback.MaxCounted, site}, all)
	// Indexes are named where SQLite would read the whole site, since the rows are
	// not in the index alone.
	return `
		SELECT v.id,
		       (SELECT COUNT(*) FROM (SELECT 1 FROM posts p    WHERE p.site_id = v.site_id AND p.author_id = v.id  LIMIT $1 + 0) AS a),
		       (SELECT COUNT(*) FROM (SELECT 1 FROM votes w    WHERE w.site_id = v.site_id AND w.visitor_id = v.id LIMIT $1 + 0) AS b),
		       (SELECT COUNT(*) FROM (SELECT 1 FROM comments c WHERE c.site_id = v.site_id AND c.visitor_id = v.id LIMIT $1 + 0) AS d),
		       (SELECT MAX(e.created_at) FROM (
		            SELECT w.created_at FROM votes w` + d.by("votes_visitor") + ` WHERE w.site_id = v.site_id AND w.visitor_id = v.id LIMIT $1 + 0) AS e),
		       (SELECT p.created_at FROM posts p WHERE p.site_id = v.site_id AND p.author_id = v.id ORDER BY p.id DESC LIMIT 1),
		       (SELECT c.created_at FROM comments c WHERE c.site_id = v.site_id AND c.visitor_id = v.id ORDER BY c.id DESC LIMIT 1),
		       (SELECT MAX(s.created_at) FROM visitor_sessions s` + d.by("visitor_sessions_visitor") + ` WHERE s.site_id = v.site_id AND s.visitor_id = v.id)
		FROM   visitors v
		WHERE  v.site_id = $2 AND v.id IN (` + in + `)`, args
}

// BlockedVisitors returns those of the visitors who may not write: themselves,
// by their address or by its domain.
func (tx *Tx) BlockedVisitors(ctx context.Context, site feedback.SiteID, all []feedback.Visitor) (map[feedback.VisitorID]bool, error) {
	blocked := map[feedback.VisitorID]bool{}
	if len(all) == 0 {
		return blocked, nil
	}
	args := []any{site}
	for _, v := range all {
		_, domain, _ := strings.Cut(v.Email, "@")
		args = append(args, v.ID.String(), v.Email, domain)
	}
	rows, err := collect(ctx, tx, `
		SELECT kind, value, created_at FROM blocks
		WHERE  site_id = $1 AND value IN (`+placeLists(1, len(args)-1)+`)`, args, scanBlock)
	for _, v := range all {
		for i := range rows {
			blocked[v.ID] = blocked[v.ID] || rows[i].Fits(&v)
		}
	}
	return blocked, wrap("blocked visitors", err)
}

// BlocksOf lists the blocks that keep a visitor from writing.
func (tx *Tx) BlocksOf(ctx context.Context, site feedback.SiteID, v *feedback.Visitor) ([]feedback.Block, error) {
	_, domain, _ := strings.Cut(v.Email, "@")
	out, err := collect(ctx, tx, `
		SELECT kind, value, created_at FROM blocks
		WHERE  site_id = $1 AND (kind = 'visitor' AND value = $2 OR kind = 'email' AND value = $3 OR kind = 'domain' AND value = $4)
		ORDER  BY kind, value
		LIMIT  10`, []any{site, v.ID.String(), v.Email, domain}, scanBlock)
	return out, wrap("blocks of a visitor", err)
}

// VisitorWriting lists what a visitor posted, with the texts, newest first.
func (tx *Tx) VisitorWriting(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID, limit int) ([]feedback.WrittenPost, error) {
	out, err := collect(ctx, tx, `
		SELECT id, title, body, created_at
		FROM   posts
		WHERE  site_id = $1 AND author_id = $2
		ORDER  BY id DESC
		LIMIT  $3 + 0`, []any{site, visitor, limit}, func(r rows, p *feedback.WrittenPost) error {
		return r.Scan(&p.ID, &p.Title, &p.Body, at(&p.CreatedAt))
	})
	return out, wrap("visitor's writing", err)
}
