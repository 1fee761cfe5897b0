package store

import (
	"context"
	"fmt"
	"strings"

	"heed/internal/feedback"
)

// PostFilter asks for some of a site's posts; see [feedback.PostFilter].
type PostFilter struct {
	Board    feedback.BoardID
	Status   feedback.StatusID
	Tag      feedback.TagID
	Archived bool
	ByVotes  bool  // for current posts without a tag
	FromID   int64 // the least id, which says how old a post may be
	// After is where the page begins: the votes (by votes only) and the id
	// of the last post before it.
	AfterVotes int64
	AfterID    int64
}

// ListDepth is how many posts are looked at for one page. Only filters that no
// index answers can come that far.
const ListDepth = 2000

// listColumns are what postColumns are made of and what a filter may still ask of
// a row.
const listColumns = `p.id, p.board_id, p.title, p.status_id, p.vote_count, p.created_at, p.pinned, p.archived, p.locked, p.held, p.merged_into`

// postScan is how a filter is answered: rows that an index gives in their order,
// and what is left to ask of each.
type postScan struct {
	where, order string
	args         []any
	left         []condition
}

// condition is asked of a row; a value, where there is one, takes the place of
// the question mark.
type condition struct {
	text  string
	value any
}

func (s *postScan) arg(v any) string {
	s.args = append(s.args, v)
	return fmt.Sprintf("$%d", len(s.args))
}

// by narrows the rows that the index gives.
func (s *postScan) by(text string, values ...any) {
	for _, v := range values {
		text = strings.Replace(text, "?", s.arg(v), 1)
	}
	s.where += " AND " + text
}

// ask leaves a condition to be asked of each row.
func (s *postScan) ask(text string, value any) { s.left = append(s.left, condition{text, value}) }

// The posts that a filter without archived and held ones speaks of.
const currentPosts = "NOT p.held AND NOT p.archived AND p.merged_into IS NULL"

// scan chooses an index. With several filters the rows of one are read and the
// others asked of each: an index for every combination would have to be written
// with every vote.
func (f PostFilter) scan(site feedback.SiteID) *postScan {
	s := &postScan{where: "p.site_id = $1", order: "p.id DESC", args: []any{site}}
	board, status := f.Board != 0, f.Status != 0
	last, of := "p.site_id", any(site) // the column of the index before the id
	switch {
	case f.Archived:
		s.by("p.archived")
		s.ask("NOT p.held AND p.merged_into IS NULL", nil)
	case board && status:
		s.by("p.board_id = ? AND p.status_id = ? AND "+currentPosts, f.Board, f.Status)
		board, status = false, false
		last, of = "p.status_id", f.Status
	case board && !f.ByVotes:
		s.by("p.board_id = ? AND "+currentPosts, f.Board)
		board = false
		last, of = "p.board_id", f.Board
	case status:
		s.by("p.status_id = ?", f.Status)
		s.ask(currentPosts, nil)
		status = false
		last, of = "p.status_id", f.Status
	default:
		s.by(currentPosts)
	}
	if board {
		s.ask("p.board_id = ?", f.Board)
	}
	if status {
		s.ask("p.status_id = ?", f.Status)
	}
	// With the column before it, though that is known: without, SQLite goes by
	// the id alone, through the posts of all sites, and PostgreSQL takes a page
	// far down to be nearly empty and goes by another index.
	switch {
	case f.ByVotes:
		s.order = "p.vote_count DESC, p.id DESC"
		s.by("("+last+", p.vote_count, p.id) < (?, ?, ?)", of, f.AfterVotes, f.AfterID)
		if f.FromID > 0 {
			s.ask("p.id >= ?", f.FromID)
		}
	default:
		s.by("("+last+", p.id) < (?, ?)", of, f.AfterID)
		if f.FromID > 0 {
			s.by("("+last+", p.id) >= (?, ?)", of, f.FromID)
		}
	}
	return s
}

// kind is what a filter says of a post besides its board, status and tag.
func (f PostFilter) kind() string {
	if f.Archived {
		return "p.archived AND NOT p.held AND p.merged_into IS NULL"
	}
	return currentPosts
}

// page is the query for a page of posts.
func (s postScan) page(limit int) (query string, args []any) {
	if len(s.left) == 0 {
		return `
		SELECT ` + postColumns + `
		FROM   posts p
		WHERE  ` + s.where + `
		ORDER  BY ` + s.order + `
		LIMIT  ` + s.arg(limit) + ` + 0`, s.args
	}
	query = `
		SELECT ` + postColumns + `
		FROM   (
			SELECT ` + listColumns + `
			FROM   posts p
			WHERE  ` + s.where + `
			ORDER  BY ` + s.order + `
			LIMIT  ` + s.arg(ListDepth) + ` + 0) AS p
		WHERE  `
	for i, c := range s.left {
		if i > 0 {
			query += " AND "
		}
		if c.value != nil {
			c.text = strings.Replace(c.text, "?", s.arg(c.value), 1)
		}
		query += c.text
	}
	return query + `
		ORDER  BY ` + s.order + `
		LIMIT  ` + s.arg(limit) + ` + 0`, s.args
}

// reached is the query for the last row that a page has looked at, if it looked
// at as many as it may.
func (s postScan) reached() (query string, args []any) {
	return `
		SELECT p.vote_count, p.id
		FROM   posts p
		WHERE  ` + s.where + `
		ORDER  BY ` + s.order + `
		LIMIT  1 OFFSET ` + s.arg(ListDepth-1) + ` + 0`, s.args
}

// FilteredPosts lists the posts of a site that a filter asks for. A page costs
// the same wherever it is and however many posts there are: it looks at no more
// than [ListDepth] of them. Where that did not yield as many as were asked for,
// and there are more to look at, next is the last that was looked at.
func (tx *Tx) FilteredPosts(ctx context.Context, site feedback.SiteID, f PostFilter, limit int) (posts []feedback.Post, next feedback.Position, err error) {
	if f.Tag != 0 {
		return tx.taggedPosts(ctx, site, f, limit)
	}
	s := f.scan(site)
	query, args := s.page(limit)
	if posts, err = tx.listPosts(ctx, site, query, args, limit, false); err != nil || len(s.left) == 0 || len(posts) == limit {
		return posts, nil, err
	}
	var votes, id int64
	query, args = s.reached()
	found, err := tx.row(ctx, query, args, &votes, &id)
	if err != nil || !found {
		return posts, nil, wrap("posts", err)
	}
	return posts, feedback.Position{votes, id}, nil
}

// tagBatch is how many posts with a tag are looked at together. They are looked
// up by their ids: left to join two large tables, PostgreSQL reads all of one.
const tagBatch = 256

const taggedIDs = `
		SELECT post_id
		FROM   post_tags
		WHERE  site_id = $1 AND tag_id = $2 AND post_id >= $3 AND post_id < $4
		ORDER  BY post_id DESC
		LIMIT  $5 + 0`

// taggedPosts is FilteredPosts for a filter that asks for a tag.
func (tx *Tx) taggedPosts(ctx context.Context, site feedback.SiteID, f PostFilter, limit int) (posts []feedback.Post, next feedback.Position, err error) {
	for looked := 0; len(posts) < limit; looked += tagBatch {
		if looked >= ListDepth {
			next = feedback.Position{0, f.AfterID}
			break
		}
		ids, err := tx.idColumn(ctx, taggedIDs, []any{site, f.Tag, f.FromID, f.AfterID, tagBatch})
		if err != nil {
			return nil, nil, wrap("tagged posts", err)
		}
		if len(ids) == 0 {
			break
		}
		query, args := f.among(tx.d, site, postIDs(ids))
		some, err := collect(ctx, tx, query, args, func(r rows, p *feedback.Post) error {
			p.SiteID = site
			return r.Scan(postFields(p)...)
		})
		if err != nil {
			return nil, nil, wrap("tagged posts", err)
		}
		posts = append(posts, some...)
		f.AfterID = ids[len(ids)-1]
		if len(ids) < tagBatch {
			break
		}
	}
	posts = posts[:min(limit, len(posts))]
	return posts, next, tx.label(ctx, site, posts, false)
}

// among is the query for the posts among some that a filter asks for.
func (f PostFilter) among(d dialect, site feedback.SiteID, posts []feedback.PostID) (query string, args []any) {
	in, args := idList([]any{site}, posts)
	query = `
		SELECT ` + postColumns + `
		FROM   posts p` + d.byID() + `
		WHERE  p.site_id = $1 AND p.id IN (` + in + `) AND ` + f.kind()
	if f.Board != 0 {
		args = append(args, f.Board)
		query += fmt.Sprintf(" AND p.board_id = $%d", len(args))
	}
	if f.Status != 0 {
		args = append(args, f.Status)
		query += fmt.Sprintf(" AND p.status_id = $%d", len(args))
	}
	return query + `
		ORDER  BY p.id DESC`, args
}
