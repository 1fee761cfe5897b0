package app

import (
	"context"
	"math"

	"heed/internal/feedback"
)

// Site returns the site the operation is about.
func (tx *Tx) Site() *feedback.Site { return tx.site }

// Sites lists the account's sites by creation; for a key that is restricted to
// one, that one.
func (tx *Tx) Sites(ctx context.Context, w feedback.Window) (feedback.Page[feedback.Site], error) {
	var page feedback.Page[feedback.Site]
	if err := w.Check(); err != nil {
		return page, err
	}
	var only feedback.SiteID
	if tx.actor.Key != nil {
		only = tx.actor.Key.SiteID
	}
	sites, err := tx.s.Sites(ctx, tx.actor.Account.ID, only, feedback.SiteID(at(w, 0, 0)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(sites, w.Limit, func(s *feedback.Site) feedback.Position {
		return feedback.Position{int64(s.ID)}
	}), nil
}

// at returns number i of a position, or what the beginning of the list stands
// for.
func at(w feedback.Window, i int, beginning int64) int64 {
	if i < len(w.After) {
		return w.After[i]
	}
	return beginning
}

// newest is the beginning of a list whose newest item comes first.
const newest = math.MaxInt64

// Boards lists the site's boards by creation.
func (tx *Tx) Boards(ctx context.Context, w feedback.Window) (feedback.Page[feedback.Board], error) {
	var page feedback.Page[feedback.Board]
	if err := w.Check(); err != nil {
		return page, err
	}
	boards, err := tx.s.Boards(ctx, tx.site.ID, feedback.BoardID(at(w, 0, 0)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(boards, w.Limit, func(b *feedback.Board) feedback.Position {
		return feedback.Position{int64(b.ID)}
	}), nil
}

// CreateBoard adds a board to the site.
func (tx *Tx) CreateBoard(ctx context.Context, in feedback.NewBoard) (*feedback.Board, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	b := &feedback.Board{
		ID: feedback.BoardID(tx.s.NextID()), SiteID: tx.site.ID, Name: string(in.Name),
		Description: (*string)(in.Description), Private: in.Private,
	}
	if in.Slug != nil {
		b.Slug = string(*in.Slug)
		free, err := tx.s.InsertBoard(ctx, b)
		if err == nil && !free {
			err = feedback.ErrSlugTaken(*in.Slug)
		}
		return b, err
	}
	return b, numbered(feedback.Slugify(b.Name, "board"), func(slug feedback.Slug) (bool, error) {
		b.Slug = string(slug)
		return tx.s.InsertBoard(ctx, b)
	})
}

// findBoard finds the board that a member of an input names.
func (tx *Tx) findBoard(ctx context.Context, in feedback.Input, field string, ref *feedback.Ref) (*feedback.Board, error) {
	return findRef(in, field, "board", ref, func(id feedback.BoardID) (*feedback.Board, error) {
		return tx.s.Board(ctx, tx.site.ID, id)
	})
}

// maxOfSite bounds what a page shows of the boards, statuses and tags of a site.
const maxOfSite = 1000

// AllBoards lists the site's boards by creation.
func (tx *Tx) AllBoards(ctx context.Context) ([]feedback.Board, error) {
	return tx.s.Boards(ctx, tx.site.ID, 0, maxOfSite)
}

// AllStatuses lists the site's statuses by their order.
func (tx *Tx) AllStatuses(ctx context.Context) ([]feedback.Status, error) {
	return tx.s.Statuses(ctx, tx.site.ID, -1, 0, maxOfSite)
}

// Tags lists the site's tags by name.
func (tx *Tx) Tags(ctx context.Context) ([]feedback.Tag, error) {
	return tx.s.Tags(ctx, tx.site.ID, maxOfSite)
}
