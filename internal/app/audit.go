package app

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/store"
)

// Change runs fn on the site of the target, in a transaction, and records in the
// same transaction who did it: action names what was done (post.archived), and
// subject what it was done to. It is how members change things; fn may run more
// than once before it is committed.
func (a *App) Change(ctx context.Context, actor *Actor, t Target, action, subject string, fn func(*Tx) error) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		tx := &Tx{s: s, app: a, actor: actor}
		if err := tx.enter(ctx, t); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.audit(ctx, action, subject)
	})
}

// keepName has the record keep what its subject is called, which nobody can look
// up later. Never of a visitor: who is deleted is forgotten here too.
func (tx *Tx) keepName(name string) { tx.called = name }

// audit adds to the record of who did what.
func (tx *Tx) audit(ctx context.Context, action, subject string) error {
	e := &feedback.AuditEntry{
		ID: feedback.AuditID(tx.s.NextID()), AccountID: tx.actor.Account.ID, Action: action, Subject: subject,
		Name: tx.called, ActorName: tx.actor.Name, Address: tx.actor.Address, CreatedAt: tx.s.Now,
	}
	e.ActorKind, e.ActorID = tx.actor.name()
	if tx.site != nil {
		e.SiteID = tx.site.ID
	}
	return tx.s.InsertAudit(ctx, e)
}

// Audit lists the record of what was done in the actor's account, newest first,
// with the names that its subjects have now.
func (tx *Tx) Audit(ctx context.Context, f feedback.AuditFilter, w feedback.Window) (feedback.Page[feedback.AuditEntry], error) {
	var page feedback.Page[feedback.AuditEntry]
	if err := w.Check(); err != nil {
		return page, err
	}
	from, until, err := f.Span()
	if err != nil {
		return page, err
	}
	// An id begins with its time, so a span of days is a span of ids.
	below, least := at(w, 0, newest), int64(0)
	if !until.IsZero() {
		below = min(below, ids.Floor(until))
	}
	if !from.IsZero() {
		least = ids.Floor(from)
	}
	var actor feedback.MemberID
	if f.Actor != "" && actor.UnmarshalText([]byte(f.Actor)) != nil {
		return page, nil // nobody of that name did anything
	}
	all, err := tx.s.Audit(ctx, tx.actor.Account.ID, f.Action, actor, feedback.AuditID(below), feedback.AuditID(least), w.Limit+1)
	if err != nil {
		return page, err
	}
	page = feedback.PageOf(all, w.Limit, func(e *feedback.AuditEntry) feedback.Position {
		return feedback.Position{int64(e.ID)}
	})
	for i := range page.Items {
		page.Items[i].Read()
	}
	return page, tx.s.NameAudit(ctx, tx.actor.Account.ID, page.Items)
}
