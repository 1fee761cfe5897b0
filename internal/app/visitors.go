package app

import (
	"context"

	"heed/internal/feedback"
)

// seesAddresses reports whether the actor may see addresses of visitors: a viewer
// of the team may not.
func (tx *Tx) seesAddresses() bool { return tx.actor.Role.AtLeast(feedback.Editor) }

// visitor finds a visitor of the site who was not deleted.
func (tx *Tx) visitor(ctx context.Context, visitor string) (*feedback.Visitor, error) {
	return find("", "visitor", visitor, func(id feedback.VisitorID) (*feedback.Visitor, error) {
		v, err := tx.s.VisitorByID(ctx, tx.site.ID, id)
		if v != nil && v.Deleted() {
			v = nil
		}
		return v, err
	})
}

// SeenVisitor is a visitor as the team sees them. What the actor may not see of
// them is not there.
type SeenVisitor struct {
	feedback.Visitor
	feedback.VisitorCounts
	CallName string
	Blocked  bool
}

// Visitors lists the visitors of the site that a filter asks for, newest first.
func (tx *Tx) Visitors(ctx context.Context, f feedback.VisitorFilter, w feedback.Window) (feedback.Page[SeenVisitor], error) {
	var page feedback.Page[SeenVisitor]
	if err := w.Check(); err != nil {
		return page, err
	}
	var p feedback.Problems
	if rule, msg := f.Query.Rule().Broken(string(f.Query)); rule != "" {
		p.Add("q", rule, msg)
	}
	if err := p.Err(); err != nil {
		return page, err
	}
	below := feedback.VisitorID(at(w, 0, newest))
	var all []feedback.Visitor
	var err error
	if f.Query != "" {
		found, err := tx.s.FindVisitors(ctx, tx.site.ID, string(f.Query), tx.seesAddresses())
		if err != nil {
			return page, err
		}
		for _, v := range found {
			if v.ID < below && len(all) <= w.Limit && (v.Known() || !f.Known) && !v.Deleted() {
				all = append(all, v)
			}
		}
	} else if all, err = tx.s.Visitors(ctx, tx.site.ID, f.Known, below, w.Limit+1); err != nil {
		return page, err
	}
	cut := feedback.PageOf(all, w.Limit, func(v *feedback.Visitor) feedback.Position { return feedback.Position{int64(v.ID)} })
	page.Next = cut.Next
	page.Items, err = tx.see(ctx, cut.Items)
	return page, err
}

// see returns visitors as the actor may see them.
func (tx *Tx) see(ctx context.Context, all []feedback.Visitor) ([]SeenVisitor, error) {
	ids := make([]feedback.VisitorID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	counts, err := tx.s.VisitorCounts(ctx, tx.site.ID, ids)
	if err != nil {
		return nil, err
	}
	blocked, err := tx.s.BlockedVisitors(ctx, tx.site.ID, all)
	if err != nil {
		return nil, err
	}
	out := make([]SeenVisitor, len(all))
	for i, v := range all {
		out[i] = SeenVisitor{VisitorCounts: counts[v.ID], CallName: v.CallName(tx.seesAddresses()), Blocked: blocked[v.ID]}
		if !tx.seesAddresses() {
			v.Email, v.Ref = "", ""
		} else if v.Ref.Ours() {
			v.Ref = ""
		}
		out[i].Visitor = v
	}
	return out, nil
}

// Deed is a kind of thing that visitors do.
type Deed string

// What visitors do.
const (
	DeedPosts    Deed = "posts"
	DeedVotes    Deed = "votes"
	DeedComments Deed = "comments"
)

// VisitorPage is everything the team sees of a visitor.
type VisitorPage struct {
	SeenVisitor
	Blocks   []feedback.Block // those that are about them
	Posts    []feedback.Post  // that they wrote, or voted for
	Held     map[feedback.PostID]feedback.HeldPost
	Comments []feedback.Comment                // that they wrote
	On       map[feedback.PostID]feedback.Post // what the comments are on
	Next     feedback.Position
}

// VisitorPage returns a visitor and a page of what they did of one kind, newest
// first.
func (tx *Tx) VisitorPage(ctx context.Context, visitor string, deed Deed, w feedback.Window) (*VisitorPage, error) {
	v, err := tx.visitor(ctx, visitor)
	if err != nil {
		return nil, err
	}
	if err := w.Check(); err != nil {
		return nil, err
	}
	seen, err := tx.see(ctx, []feedback.Visitor{*v})
	if err != nil {
		return nil, err
	}
	out := &VisitorPage{SeenVisitor: seen[0]}
	if out.Blocked {
		if out.Blocks, err = tx.s.BlocksOf(ctx, tx.site.ID, v); err != nil {
			return nil, err
		}
	}
	if deed == DeedComments {
		return out, tx.visitorComments(ctx, out, w)
	}
	held, err := tx.s.VisitorHeld(ctx, tx.site.ID, v.ID, maxListed)
	if err != nil {
		return nil, err
	}
	out.Held = make(map[feedback.PostID]feedback.HeldPost, len(held))
	for _, h := range held {
		out.Held[h.ID] = h
	}
	list := tx.s.VisitorPosts
	if deed == DeedVotes {
		list = tx.s.VisitorVotes
	}
	ids, err := list(ctx, tx.site.ID, v.ID, feedback.PostID(at(w, 0, newest)), w.Limit+1)
	if err != nil {
		return nil, err
	}
	page := feedback.PageOf(ids, w.Limit, func(id *feedback.PostID) feedback.Position { return feedback.Position{int64(*id)} })
	out.Next = page.Next
	out.Posts, err = tx.s.PostsByID(ctx, tx.site.ID, page.Items)
	return out, err
}

func (tx *Tx) visitorComments(ctx context.Context, out *VisitorPage, w feedback.Window) error {
	all, err := tx.s.VisitorComments(ctx, tx.site.ID, out.ID, feedback.CommentID(at(w, 0, newest)), w.Limit+1)
	if err != nil {
		return err
	}
	page := feedback.PageOf(all, w.Limit, func(c *feedback.Comment) feedback.Position { return feedback.Position{int64(c.ID)} })
	out.Comments, out.Next, out.On = page.Items, page.Next, map[feedback.PostID]feedback.Post{}
	var on []feedback.PostID
	for _, c := range out.Comments {
		on = append(on, c.PostID)
	}
	posts, err := tx.s.PostsByID(ctx, tx.site.ID, on)
	for _, p := range posts {
		out.On[p.ID] = p
	}
	return err
}

// BlockVisitor keeps a visitor from writing; with their address also whoever
// signs in with it, should they come back as somebody new.
func (tx *Tx) BlockVisitor(ctx context.Context, visitor string, address bool) error {
	v, err := tx.visitor(ctx, visitor)
	if err != nil {
		return err
	}
	if address && v.Email != "" {
		if err := tx.s.AddBlock(ctx, tx.site.ID, feedback.BlockEmail, v.Email); err != nil {
			return err
		}
	}
	return tx.s.AddBlock(ctx, tx.site.ID, feedback.BlockVisitor, v.ID.String())
}

// UnblockVisitor lets a visitor write again: it takes away the blocks of
// themselves and of their address. A block of a whole domain is not about them
// alone and stays; it is reported.
func (tx *Tx) UnblockVisitor(ctx context.Context, visitor string) (domain bool, err error) {
	v, err := tx.visitor(ctx, visitor)
	if err != nil {
		return false, err
	}
	if _, err := tx.s.RemoveBlock(ctx, tx.site.ID, feedback.BlockVisitor, v.ID.String()); err != nil {
		return false, err
	}
	if v.Email != "" {
		if _, err := tx.s.RemoveBlock(ctx, tx.site.ID, feedback.BlockEmail, v.Email); err != nil {
			return false, err
		}
	}
	return tx.s.Blocked(ctx, tx.site.ID, v.ID, v.Email)
}
