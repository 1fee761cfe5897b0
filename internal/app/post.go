package app

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/store"
	"heed/internal/wire"
)

// Post returns a post of the site.
func (tx *Tx) Post(ctx context.Context, post string) (*feedback.Post, error) {
	return find("", "post", post, func(id feedback.PostID) (*feedback.Post, error) {
		return tx.seen(tx.s.Post(ctx, tx.site.ID, id))
	})
}

// seen is a post that was looked for, or nil if the actor may not see it: one
// that waits for approval, or was rejected, is there for the team alone and not
// for its programs.
func (tx *Tx) seen(p *feedback.Post, err error) (*feedback.Post, error) {
	if p != nil && p.Held && tx.actor.Key != nil {
		return nil, err
	}
	return p, err
}

// PostContent returns what a post says.
func (tx *Tx) PostContent(ctx context.Context, post string) (*feedback.PostContent, error) {
	return find("", "post", post, func(id feedback.PostID) (*feedback.PostContent, error) {
		if p, err := tx.seen(tx.s.PlainPost(ctx, tx.site.ID, id)); err != nil || p == nil {
			return nil, err
		}
		return tx.s.PostContent(ctx, tx.site.ID, id)
	})
}

// lockPost finds a post and keeps it from changing until the operation is over.
func (tx *Tx) lockPost(ctx context.Context, post string) (*feedback.Post, error) {
	return find("", "post", post, func(id feedback.PostID) (*feedback.Post, error) {
		return tx.seen(tx.s.LockPost(ctx, tx.site.ID, id))
	})
}

// findPost finds the post that a member of an input names, and locks it.
func (tx *Tx) findPost(ctx context.Context, in feedback.Input, field string, ref *feedback.Ref) (*feedback.Post, error) {
	return findRef(in, field, "post", ref, func(id feedback.PostID) (*feedback.Post, error) {
		return tx.seen(tx.s.LockPost(ctx, tx.site.ID, id))
	})
}

// Posts lists the site's posts, or those of one board, newest first. Archived
// posts are among them; merged ones are not.
func (tx *Tx) Posts(ctx context.Context, board *feedback.Ref, w feedback.Window) (feedback.Page[feedback.Post], error) {
	var page feedback.Page[feedback.Post]
	var only feedback.BoardID
	if board != nil {
		b, err := find("boardId", "board", string(*board), func(id feedback.BoardID) (*feedback.Board, error) {
			return tx.s.Board(ctx, tx.site.ID, id)
		})
		if err != nil {
			return page, err
		}
		only = b.ID
	}
	if err := w.Check(); err != nil {
		return page, err
	}
	posts, err := tx.s.Posts(ctx, tx.site.ID, only, feedback.PostID(at(w, 0, newest)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(posts, w.Limit, func(p *feedback.Post) feedback.Position {
		return feedback.Position{int64(p.ID)}
	}), nil
}

// CreatePost logs feedback for a visitor, who is found by the caller's own id or
// made.
func (tx *Tx) CreatePost(ctx context.Context, in feedback.NewPost) (*feedback.Post, error) {
	board, err := tx.findBoard(ctx, in.Input, "boardId", &in.Board)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	author, err := tx.s.Visitor(ctx, tx.site.ID, in.Visitor)
	if err != nil {
		return nil, err
	}
	status, err := tx.s.DefaultStatus(ctx, tx.site.ID)
	if err != nil {
		return nil, err
	}
	p := &feedback.Post{
		ID: feedback.PostID(tx.s.NextID()), SiteID: tx.site.ID, BoardID: board.ID, BoardName: board.Name,
		Title: string(in.Title), AuthorID: author, CreatedAt: tx.s.Now,
	}
	if status != nil {
		p.StatusID, p.StatusName = status.ID, &status.Name
	}
	if err := tx.s.InsertPost(ctx, p, string(in.Body)); err != nil {
		return nil, err
	}
	tx.newWords(p.ID)
	return p, emit(ctx, tx, feedback.PostCreated, wire.PostCreated{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), Post: wire.PostOf(p),
		VisitorID: string(in.Visitor), Source: tx.actor.Source,
	})
}

// Vote casts a visitor's vote. It counts once: a repeat changes nothing and says
// so.
func (tx *Tx) Vote(ctx context.Context, post string, in feedback.NewVote) (*feedback.VoteResult, error) {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	if err := p.TakesReactions(); err != nil {
		return nil, err
	}
	visitor, err := tx.s.Visitor(ctx, tx.site.ID, in.Visitor)
	if err != nil {
		return nil, err
	}
	isNew, count, err := tx.s.AddVote(ctx, tx.site.ID, p.ID, visitor)
	if err != nil {
		return nil, err
	}
	return &feedback.VoteResult{PostID: p.ID, Visitor: in.Visitor, Created: isNew, VoteCount: count}, nil
}

// Search lists the site's posts that hold all words of a query, most relevant
// first.
func (tx *Tx) Search(ctx context.Context, in feedback.Search) (feedback.Page[feedback.SearchResult], error) {
	var page feedback.Page[feedback.SearchResult]
	if err := in.Check(); err != nil {
		return page, err
	}
	from := store.SearchPosition{
		Mode: at(in.Window, 0, 0), Snap: feedback.PostID(at(in.Window, 1, 0)), Score: at(in.Window, 2, 0),
		Last: feedback.PostID(at(in.Window, 3, 0)),
	}
	found, next, err := tx.s.Search(ctx, tx.site.ID, string(in.Query), from, in.Limit)
	if err != nil {
		return page, err
	}
	page.Items = found
	if next != nil {
		page.Next = feedback.Position{next.Mode, int64(next.Snap), next.Score, int64(next.Last)}
	}
	return page, nil
}

// record adds to the history of a post.
func (tx *Tx) record(ctx context.Context, c store.Change) error {
	c.ActorKind, c.ActorID = tx.actor.name()
	return tx.s.InsertChange(ctx, tx.site.ID, c)
}
