package app

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/store"
	"heed/internal/wire"
)

// Comments lists the comments on a post, oldest first.
func (tx *Tx) Comments(ctx context.Context, post string, w feedback.Window) (feedback.Page[feedback.Comment], error) {
	var page feedback.Page[feedback.Comment]
	p, err := tx.Post(ctx, post)
	if err != nil {
		return page, err
	}
	if err := w.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Comments(ctx, tx.site.ID, p.ID, feedback.CommentID(at(w, 0, 0)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(all, w.Limit, func(c *feedback.Comment) feedback.Position {
		return feedback.Position{int64(c.ID)}
	}), nil
}

// CreateComment adds a comment of the team to a post.
func (tx *Tx) CreateComment(ctx context.Context, post string, in feedback.NewComment) (*feedback.Comment, error) {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return nil, err
	}
	parent, err := findRef(in.Input, "parentId", "comment", in.Parent, func(id feedback.CommentID) (*feedback.Comment, error) {
		return tx.s.Comment(ctx, tx.site.ID, p.ID, id)
	})
	if err != nil {
		return nil, err
	}
	if err := in.Check(parent); err != nil {
		return nil, err
	}
	if err := p.TakesReactions(); err != nil {
		return nil, err
	}
	c := &feedback.Comment{
		ID: feedback.CommentID(tx.s.NextID()), SiteID: tx.site.ID, PostID: p.ID, Body: string(in.Body),
		AuthorType: feedback.ByMember, MemberID: tx.actor.Member, Internal: in.Internal, CreatedAt: tx.s.Now,
	}
	if parent != nil {
		c.ParentID = parent.ID
	}
	if err := tx.s.InsertComment(ctx, c); err != nil || c.Internal {
		return c, err
	}
	if err := tx.notify(ctx, feedback.Notice{Kind: feedback.NoticeComment, PostID: p.ID, CommentID: c.ID}); err != nil {
		return nil, err
	}
	return c, emit(ctx, tx, feedback.CommentCreated, wire.CommentCreated{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), Comment: wire.CommentOf(c), PostID: p.ID, PostTitle: p.Title,
	})
}

// Comment returns a comment on a post of the site, and the post.
func (tx *Tx) Comment(ctx context.Context, post, comment string) (*feedback.Post, *feedback.Comment, error) {
	p, err := tx.Post(ctx, post)
	if err != nil {
		return nil, nil, err
	}
	c, err := find("", "comment", comment, func(id feedback.CommentID) (*feedback.Comment, error) {
		return tx.s.Comment(ctx, tx.site.ID, p.ID, id)
	})
	return p, c, err
}

// moderated finds a comment on a post and locks the post. Comments on posts that
// take no more of them can be moderated like all others.
func (tx *Tx) moderated(ctx context.Context, post, comment string) (*feedback.Comment, error) {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return nil, err
	}
	return find("", "comment", comment, func(id feedback.CommentID) (*feedback.Comment, error) {
		return tx.s.Comment(ctx, tx.site.ID, p.ID, id)
	})
}

// EditComment rewords a comment, whoever wrote it. Readers see that it was
// edited; nobody is told.
func (tx *Tx) EditComment(ctx context.Context, post, comment string, in feedback.CommentEdit) error {
	c, err := tx.moderated(ctx, post, comment)
	if err != nil {
		return err
	}
	if err := in.Check(); err != nil {
		return err
	}
	if err := c.Moderable(); err != nil || c.Body == string(in.Body) {
		return err
	}
	if err := tx.s.EditComment(ctx, c, string(in.Body)); err != nil {
		return err
	}
	return tx.record(ctx, store.Change{PostID: c.PostID, Kind: "comment_edited", To: int64(c.ID)})
}

// HideComment hides a comment, and what answers it, from the public, or shows it
// again. What it is already changes nothing.
func (tx *Tx) HideComment(ctx context.Context, post, comment string, hide bool) error {
	c, err := tx.moderated(ctx, post, comment)
	if err != nil {
		return err
	}
	change := store.Change{PostID: c.PostID, Kind: "comment_hidden", To: int64(c.ID)}
	if hide {
		if err := c.CanHide(); err != nil || c.Internal {
			return err
		}
		if err := tx.s.HideComment(ctx, c); err != nil {
			return err
		}
		return tx.record(ctx, change)
	}
	var parent *feedback.Comment
	if c.ParentID != 0 {
		if parent, err = tx.s.Comment(ctx, tx.site.ID, c.PostID, c.ParentID); err != nil {
			return err
		}
	}
	if err := c.CanShow(parent); err != nil || !c.Internal {
		return err
	}
	if err := tx.s.ShowComment(ctx, c); err != nil {
		return err
	}
	change.Kind = "comment_shown"
	return tx.record(ctx, change)
}

// DeleteComment takes away what a comment says, for good. If it was answered, its
// place stays.
func (tx *Tx) DeleteComment(ctx context.Context, post, comment string) error {
	c, err := tx.moderated(ctx, post, comment)
	if err != nil {
		return err
	}
	if err := c.Moderable(); err != nil {
		return err
	}
	if err := tx.s.DeleteComment(ctx, c); err != nil {
		return err
	}
	return tx.record(ctx, store.Change{PostID: c.PostID, Kind: "comment_deleted"})
}
