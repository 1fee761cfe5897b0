package app

import (
	"context"

	"heed/internal/feedback"
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
