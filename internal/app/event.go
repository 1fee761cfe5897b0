package app

import (
	"context"
	"encoding/json"
	"fmt"

	"heed/internal/feedback"
	"heed/internal/wire"
)

// emit records that something happened, in the transaction in which it did, and
// a delivery for every endpoint that is to be told. The payload is encoded here
// once: every receiver and every retry gets these bytes.
func emit[D any](ctx context.Context, tx *Tx, typ feedback.EventType, data D) error {
	payload, err := json.Marshal(wire.Event[D]{Type: typ, Data: data})
	if err != nil {
		return fmt.Errorf("encode %s: %w", typ, err)
	}
	event := &feedback.Event{
		ID: feedback.MessageID(tx.s.NextID()), SiteID: tx.site.ID, Type: typ, Payload: payload, CreatedAt: tx.s.Now,
	}
	if err := tx.s.InsertEvent(ctx, event); err != nil {
		return err
	}
	return tx.announce(ctx, event)
}

// notify records that people are to be told something.
func (tx *Tx) notify(ctx context.Context, n feedback.Notice) error {
	n.ID, n.SiteID, n.CreatedAt = feedback.NoticeID(tx.s.NextID()), tx.site.ID, tx.s.Now
	tx.s.AfterCommit(tx.app.mailWaits)
	return tx.s.InsertNotice(ctx, &n)
}
