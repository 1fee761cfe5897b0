package app

import (
	"context"
	"slices"

	"heed/internal/feedback"
)

func (tx *Tx) board(ctx context.Context, board string) (*feedback.Board, error) {
	return find("", "board", board, func(id feedback.BoardID) (*feedback.Board, error) {
		return tx.s.Board(ctx, tx.site.ID, id)
	})
}

// UpdateBoard changes what a board says of itself. Its slug stays: links lead
// there.
func (tx *Tx) UpdateBoard(ctx context.Context, board string, in feedback.BoardEdit) (*feedback.Board, error) {
	b, err := tx.board(ctx, board)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	b.Name, b.Description, b.Private = string(in.Name), (*string)(in.Description), in.Private
	return b, tx.s.UpdateBoard(ctx, b)
}

// RemoveBoard removes a board and moves its posts to another.
func (tx *Tx) RemoveBoard(ctx context.Context, board string, in feedback.Removal) error {
	if err := tx.s.LockSite(ctx, tx.site.ID); err != nil {
		return err
	}
	b, err := tx.board(ctx, board)
	if err != nil {
		return err
	}
	to, err := tx.findBoard(ctx, in.Input, "moveTo", in.MoveTo)
	if err != nil {
		return err
	}
	all, err := tx.AllBoards(ctx)
	if err != nil {
		return err
	}
	if len(all) < 2 {
		return feedback.ErrLast("board")
	}
	posts, err := tx.s.PostsOnBoard(ctx, tx.site.ID, b.ID, feedback.MaxMoved+1)
	if err != nil {
		return err
	}
	if err := checkRemoval(in, len(posts), to != nil && to.ID != b.ID, "board"); err != nil {
		return err
	}
	for _, id := range posts {
		p, err := tx.s.LockPost(ctx, tx.site.ID, id)
		if err != nil {
			return err
		}
		if err := tx.movePost(ctx, p, to); err != nil {
			return err
		}
	}
	var instead feedback.BoardID
	if to != nil {
		instead = to.ID
	}
	tx.keepName(b.Name)
	return tx.s.DeleteBoard(ctx, tx.site.ID, b.ID, instead)
}

// checkRemoval sees that there is somewhere to move posts to, and not too many.
func checkRemoval(in feedback.Removal, posts int, other bool, what string) error {
	if posts > feedback.MaxMoved {
		return feedback.ErrTooMany(what)
	}
	if posts > 0 && !other {
		in.Malformed.Add("moveTo", feedback.RuleRequired, "must name another "+what+" for the posts")
	}
	return in.Malformed.Err()
}

func (tx *Tx) status(ctx context.Context, status string) (*feedback.Status, error) {
	return find("", "status", status, func(id feedback.StatusID) (*feedback.Status, error) {
		return tx.s.Status(ctx, tx.site.ID, id)
	})
}

// Status returns a status of the site.
func (tx *Tx) Status(ctx context.Context, status string) (*feedback.Status, error) {
	return tx.status(ctx, status)
}

// UpdateStatus changes a status, but for its place.
func (tx *Tx) UpdateStatus(ctx context.Context, status string, in feedback.NewStatus) (*feedback.Status, error) {
	s, err := tx.status(ctx, status)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	s.Name, s.Color = string(in.Name), string(or(in.Color, feedback.DefaultColor))
	s.DoneFlag, s.ShowOnRoadmap, s.Notify = in.DoneFlag, in.ShowOnRoadmap, or(in.Notify, feedback.Notify)
	free, err := tx.s.UpdateStatus(ctx, s)
	if err == nil && !free {
		err = feedback.ErrNameTaken("status", s.Name)
	}
	return s, err
}

// SetDefaultStatus makes a status the one of new posts.
func (tx *Tx) SetDefaultStatus(ctx context.Context, status string) error {
	s, err := tx.status(ctx, status)
	if err != nil {
		return err
	}
	return tx.s.SetDefaultStatus(ctx, tx.site.ID, s.ID)
}

// PlaceStatus moves a status to a place in the order, from 0; beyond the last is
// the last.
func (tx *Tx) PlaceStatus(ctx context.Context, status string, place int) error {
	if err := tx.s.LockSite(ctx, tx.site.ID); err != nil {
		return err
	}
	s, err := tx.status(ctx, status)
	if err != nil {
		return err
	}
	all, err := tx.AllStatuses(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o feedback.Status) bool { return o.ID == s.ID })
	all = slices.Insert(all, min(max(place, 0), len(all)), *s)
	for i, o := range all {
		if o.Order == i {
			continue
		}
		if err := tx.s.SetStatusPlace(ctx, tx.site.ID, o.ID, i); err != nil {
			return err
		}
	}
	return nil
}

// RemoveStatus removes a status and moves its posts to another, which is an
// event for each. Nobody is mailed: the team tidies up.
func (tx *Tx) RemoveStatus(ctx context.Context, status string, in feedback.Removal) error {
	if err := tx.s.LockSite(ctx, tx.site.ID); err != nil {
		return err
	}
	s, err := tx.status(ctx, status)
	if err != nil {
		return err
	}
	to, err := tx.findStatus(ctx, in.Input, "moveTo", in.MoveTo)
	if err != nil {
		return err
	}
	if s.IsDefault {
		return &feedback.Error{
			Code: feedback.InvalidTransition, Msg: "New posts get this status.", Hint: "Make another status the default first.",
		}
	}
	posts, err := tx.s.PostsAtStatus(ctx, tx.site.ID, s.ID, feedback.MaxMoved+1)
	if err != nil {
		return err
	}
	if err := checkRemoval(in, len(posts), to != nil && to.ID != s.ID, "status"); err != nil {
		return err
	}
	for _, id := range posts {
		p, err := tx.s.LockPost(ctx, tx.site.ID, id)
		if err != nil {
			return err
		}
		if p.MergedInto != 0 || p.Held {
			// Nobody sees it: it keeps up without an event.
			if err := tx.s.SetPostStatus(ctx, tx.site.ID, p.ID, to.ID); err != nil {
				return err
			}
			continue
		}
		if _, err := tx.moveToStatus(ctx, p, to, ""); err != nil {
			return err
		}
	}
	var instead feedback.StatusID
	if to != nil {
		instead = to.ID
	}
	tx.keepName(s.Name)
	return tx.s.DeleteStatus(ctx, tx.site.ID, s.ID, instead)
}

// CreateSite opens a site for the account, with its first boards and statuses,
// if the plan allows one more.
func (tx *Tx) CreateSite(ctx context.Context, in feedback.NewSite) (*feedback.Site, error) {
	return tx.createSite(ctx, in)
}

// SiteEdit is what it takes to change a site.
type SiteEdit struct {
	feedback.Input
	Name feedback.SiteName
	Slug feedback.Slug
}

// UpdateSite changes the name and the slug of the site.
func (tx *Tx) UpdateSite(ctx context.Context, in SiteEdit) (*feedback.Site, error) {
	p := slices.Clone(in.Malformed)
	for _, f := range []struct {
		path string
		rule feedback.Text
		text string
	}{{"name", in.Name.Rule(), string(in.Name)}, {"slug", in.Slug.Rule(), string(in.Slug)}} {
		if rule, message := f.rule.Broken(f.text); rule != "" {
			p.Add(f.path, rule, message)
		}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	s := *tx.site
	s.Name, s.Slug = string(in.Name), string(in.Slug)
	free, err := tx.s.UpdateSite(ctx, &s)
	if err == nil && !free {
		err = feedback.ErrSlugTaken(in.Slug)
	}
	return &s, err
}
