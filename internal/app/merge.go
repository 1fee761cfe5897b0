package app

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/store"
	"heed/internal/wire"
)

// MergePosts folds a post into another. A merge that makes no sense is answered
// with a reason and changes nothing.
func (tx *Tx) MergePosts(ctx context.Context, loser string, in feedback.NewMerge) (*feedback.MergeResult, error) {
	l, err := tx.Post(ctx, loser)
	if err != nil {
		return nil, err
	}
	w, err := findRef(in.Input, "winnerId", "post", &in.Winner, func(id feedback.PostID) (*feedback.Post, error) {
		return tx.seen(tx.s.Post(ctx, tx.site.ID, id))
	})
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	if l, w, err = tx.lockBoth(ctx, l.ID, w.ID); err != nil {
		return nil, err
	}
	if err := feedback.Mergeable(l, w); err != nil {
		return nil, err
	}
	result := &feedback.MergeResult{Loser: l.ID, Winner: w.ID, Reason: feedback.RefuseMerge(l, w)}
	if result.Reason != "" {
		return result, nil
	}
	action := &feedback.Action{
		ID: feedback.ActionID(tx.s.NextID()), SiteID: tx.site.ID, Loser: l.ID, Winner: w.ID, CreatedAt: tx.s.Now,
		LoserArchived: l.Archived, LoserLocked: l.Locked,
	}
	result.Action = action.ID
	if err := tx.s.Merge(ctx, action, l); err != nil {
		return nil, err
	}
	if err := tx.record(ctx, store.Change{PostID: l.ID, Kind: "merged", To: int64(w.ID)}); err != nil {
		return nil, err
	}
	after, err := tx.s.Post(ctx, tx.site.ID, w.ID)
	if err != nil {
		return nil, err
	}
	return result, emit(ctx, tx, feedback.PostMerged, wire.PostMerged{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), LoserID: l.ID, WinnerID: w.ID, ActionID: action.ID,
		Post: wire.PostOf(after),
	})
}

// UndoAction takes a merge back: votes, comments and tags return to where they
// were.
func (tx *Tx) UndoAction(ctx context.Context, action string, in feedback.Input) (*feedback.Action, error) {
	get := func(id feedback.ActionID) (*feedback.Action, error) { return tx.s.Action(ctx, tx.site.ID, id) }
	a, err := find("", "action", action, get)
	if err != nil {
		return nil, err
	}
	if err := in.Malformed.Err(); err != nil {
		return nil, err
	}
	l, w, err := tx.lockBoth(ctx, a.Loser, a.Winner)
	if err != nil {
		return nil, err
	}
	if a, err = get(a.ID); err != nil { // as it is now that nothing moves
		return nil, err
	}
	if err := a.Undoable(l, w); err != nil {
		return nil, err
	}
	if err := tx.s.Unmerge(ctx, a, l); err != nil {
		return nil, err
	}
	a.UndoneAt = tx.s.Now
	return a, tx.record(ctx, store.Change{PostID: l.ID, Kind: "unmerged", From: int64(w.ID)})
}

// lockBoth locks two posts, the lower id first, so that two operations on the
// same pair cannot wait for each other. It fails if one of them is gone by now.
func (tx *Tx) lockBoth(ctx context.Context, a, b feedback.PostID) (pa, pb *feedback.Post, err error) {
	lock := func(id feedback.PostID, into **feedback.Post) {
		if err != nil {
			return
		}
		if *into, err = tx.s.LockPost(ctx, tx.site.ID, id); err == nil && *into == nil {
			err = feedback.Missing("post", id.String())
		}
	}
	if a < b {
		lock(a, &pa)
		lock(b, &pb)
	} else {
		lock(b, &pb)
		lock(a, &pa)
	}
	return pa, pb, err
}
