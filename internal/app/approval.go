package app

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/store"
)

// HeldList is a page of the posts that wait for approval, or were rejected.
type HeldList struct {
	feedback.Page[feedback.QueuedPost]
	Visitors map[feedback.VisitorID]string // what to call the authors
}

// HeldPosts lists the posts that wait for approval, or those that were rejected,
// oldest first.
func (tx *Tx) HeldPosts(ctx context.Context, rejected bool, w feedback.Window) (*HeldList, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	all, err := tx.s.HeldPosts(ctx, tx.site.ID, rejected, feedback.PostID(at(w, 0, 0)), w.Limit+1)
	if err != nil {
		return nil, err
	}
	q := &HeldList{Page: feedback.PageOf(all, w.Limit, func(p *feedback.QueuedPost) feedback.Position {
		return feedback.Position{int64(p.ID)}
	})}
	var authors []feedback.VisitorID
	for _, p := range q.Items {
		authors = append(authors, p.AuthorID)
	}
	q.Visitors, err = tx.s.VisitorNames(ctx, tx.site.ID, authors, tx.seesAddresses())
	return q, err
}

// Waiting counts the posts of one of the actor's sites that wait for approval, up
// to [feedback.MaxWaiting].
func (a *App) Waiting(ctx context.Context, actor *Actor, site string) (n int, err error) {
	err = a.Read(ctx, actor, Target{Site: site}, func(tx *Tx) error {
		n, err = tx.s.WaitingPosts(ctx, tx.site.ID, feedback.MaxWaiting)
		return err
	})
	return n, err
}

// ReleasePost approves a held post, also one that was rejected: from now on it is
// part of the site, and listeners are told that it was created. One that is not
// held stays as it is.
func (tx *Tx) ReleasePost(ctx context.Context, post string) (*feedback.Post, error) {
	p, err := tx.lockPost(ctx, post)
	if err != nil || !p.Held {
		return p, err
	}
	if err := p.Judgeable(); err != nil {
		return nil, err
	}
	if err := tx.s.ReleasePost(ctx, tx.site.ID, p.ID, p.BoardID); err != nil {
		return nil, err
	}
	tx.newWords(p.ID)
	content, err := tx.s.PostContent(ctx, tx.site.ID, p.ID)
	if err != nil {
		return nil, err
	}
	after, err := tx.s.Post(ctx, tx.site.ID, p.ID)
	if err != nil {
		return nil, err
	}
	if err := tx.s.IndexPost(ctx, tx.site.ID, p.ID, after.Title, content.Body); err != nil {
		return nil, err
	}
	if err := tx.record(ctx, store.Change{PostID: p.ID, Kind: "approved"}); err != nil {
		return nil, err
	}
	inside := *tx
	portal := *tx.actor
	portal.Source = feedback.FromPortal // where it came from
	inside.actor = &portal
	return after, inside.emitCreated(ctx, after, content.Author)
}

// RejectPost turns a held post down, with a reason that its author may read. It
// is kept, so that this can be taken back. One that was rejected already gets the
// new reason.
func (tx *Tx) RejectPost(ctx context.Context, post string, reason feedback.Note) error {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return err
	}
	var problems feedback.Problems
	if rule, msg := reason.Rule().Broken(string(reason)); rule != "" {
		problems.Add("reason", rule, msg)
	}
	if err := problems.Err(); err != nil {
		return err
	}
	if err := p.Judgeable(); err != nil {
		return err
	}
	if err := tx.s.SetRejected(ctx, tx.site.ID, p.ID, true); err != nil {
		return err
	}
	if feedback.Blank(string(reason)) {
		reason = ""
	}
	return tx.record(ctx, store.Change{PostID: p.ID, Kind: "rejected", Note: string(reason)})
}

// RequeuePost takes a rejection back: the post waits again.
func (tx *Tx) RequeuePost(ctx context.Context, post string) error {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return err
	}
	if err := p.Judgeable(); err != nil || !p.Archived {
		return err
	}
	if err := tx.s.SetRejected(ctx, tx.site.ID, p.ID, false); err != nil {
		return err
	}
	return tx.record(ctx, store.Change{PostID: p.ID, Kind: "requeued"})
}
