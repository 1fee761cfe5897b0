package app

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/store"
	"heed/internal/wire"
)

// Statuses lists the site's statuses by their order.
func (tx *Tx) Statuses(ctx context.Context, w feedback.Window) (feedback.Page[feedback.Status], error) {
	var page feedback.Page[feedback.Status]
	if err := w.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Statuses(ctx, tx.site.ID, int(at(w, 0, -1)), feedback.StatusID(at(w, 1, 0)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(all, w.Limit, func(s *feedback.Status) feedback.Position {
		return feedback.Position{int64(s.Order), int64(s.ID)}
	}), nil
}

// CreateStatus adds a status after the last.
func (tx *Tx) CreateStatus(ctx context.Context, in feedback.NewStatus) (*feedback.Status, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	s := &feedback.Status{
		ID: feedback.StatusID(tx.s.NextID()), SiteID: tx.site.ID, Name: string(in.Name),
		Color: string(or(in.Color, feedback.DefaultColor)), DoneFlag: in.DoneFlag, ShowOnRoadmap: in.ShowOnRoadmap,
		Notify: or(in.Notify, feedback.Notify),
	}
	// Two statuses at once would both come after the same last one.
	if err := tx.s.LockSite(ctx, tx.site.ID); err != nil {
		return nil, err
	}
	free, err := tx.s.InsertStatus(ctx, s)
	if err == nil && !free {
		err = feedback.ErrNameTaken("status", s.Name)
	}
	return s, err
}

// or returns what p points to, or what stands for nil.
func or[T any](p *T, absent T) T {
	if p == nil {
		return absent
	}
	return *p
}

// findStatus finds the status that a member of an input names.
func (tx *Tx) findStatus(ctx context.Context, in feedback.Input, field string, ref *feedback.Ref) (*feedback.Status, error) {
	return findRef(in, field, "status", ref, func(id feedback.StatusID) (*feedback.Status, error) {
		return tx.s.Status(ctx, tx.site.ID, id)
	})
}

// ChangePostStatus moves a post to a status, or to none, and has its voters told
// as the status wants it. The status it has already changes and tells nothing.
func (tx *Tx) ChangePostStatus(ctx context.Context, post string, in feedback.StatusChange) (*feedback.StatusChanged, error) {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return nil, err
	}
	target, err := tx.findStatus(ctx, in.Input, "statusId", in.Status)
	if err != nil {
		return nil, err
	}
	if err := in.Check(target); err != nil {
		return nil, err
	}
	if err := p.Workable(); err != nil {
		return nil, err
	}
	changed, err := tx.moveToStatus(ctx, p, target, string(or(in.Note, "")))
	if err != nil || changed.From == changed.To || target == nil || target.Notify == feedback.Silent {
		return changed, err
	}
	return changed, tx.notify(ctx, feedback.Notice{
		Kind: feedback.NoticeStatus, PostID: p.ID, StatusID: target.ID, Note: string(or(in.Note, "")),
	})
}

// moveToStatus moves a locked post and records it. Whoever calls decides who is
// told.
func (tx *Tx) moveToStatus(ctx context.Context, p *feedback.Post, target *feedback.Status, note string) (*feedback.StatusChanged, error) {
	changed := &feedback.StatusChanged{PostID: p.ID, From: p.StatusID}
	if target != nil {
		changed.To = target.ID
	}
	if changed.From == changed.To {
		return changed, nil
	}
	var from *feedback.Status
	var err error
	if p.StatusID != 0 {
		if from, err = tx.s.Status(ctx, tx.site.ID, p.StatusID); err != nil {
			return nil, err
		}
	}
	changed.EnteredDone = feedback.EntersDone(from, target)
	if err := tx.s.SetPostStatus(ctx, tx.site.ID, p.ID, changed.To); err != nil {
		return nil, err
	}
	err = tx.record(ctx, store.Change{
		PostID: p.ID, Kind: "status", From: int64(changed.From), To: int64(changed.To), Note: note,
	})
	if err != nil {
		return nil, err
	}
	after, err := tx.s.Post(ctx, tx.site.ID, p.ID)
	if err != nil {
		return nil, err
	}
	event := wire.PostStatusChanged{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), Post: wire.PostOf(after),
		EnteredDoneState: changed.EnteredDone,
	}
	result := wire.ChangePostStatusResultOf(changed)
	event.FromStatusID, event.ToStatusID = result.FromStatusID, result.ToStatusID
	if note != "" {
		event.Note = &note
	}
	return changed, emit(ctx, tx, feedback.PostStatusChanged, event)
}
