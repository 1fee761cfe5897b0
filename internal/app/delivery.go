package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heed/internal/feedback"
	"heed/internal/wire"
)

// maxPayload is the longest body that is sent to a receiver.
const maxPayload = 256 << 10

// announce records a delivery of an event for each endpoint that wants it. For a
// site without endpoints this is one look into an index, for an account without
// webhooks none.
func (tx *Tx) announce(ctx context.Context, e *feedback.Event) error {
	if acct := tx.actor.Account; acct != nil && !acct.Plan.Has(feedback.Webhooks) {
		return nil
	}
	listeners, err := tx.s.Listeners(ctx, tx.site.ID)
	if err != nil {
		return err
	}
	listeners = slices.DeleteFunc(listeners, func(l feedback.Endpoint) bool { return !l.Takes(e.Type) })
	if len(listeners) == 0 {
		return nil
	}
	_, err = tx.deliver(ctx, listeners, e, feedback.ByEvent)
	return err
}

// deliver records that an event is to be sent to endpoints. One that is longer
// than receivers are asked to take fails at once, where its owner can see it.
func (tx *Tx) deliver(ctx context.Context, to []feedback.Endpoint, e *feedback.Event, by feedback.Trigger) (*feedback.Delivery, error) {
	cfg := &tx.app.cfg.Webhooks
	d := feedback.Delivery{
		SiteID: tx.site.ID, MessageID: e.ID, Type: e.Type, Status: feedback.DeliveryPending, Trigger: by, CreatedAt: tx.s.Now,
		NextAttemptAt: cfg.Schedule.First(tx.s.Now, cfg.Random).Truncate(time.Microsecond),
	}
	if len(e.Payload) > maxPayload {
		d.Status, d.NextAttemptAt, d.CompletedAt = feedback.DeliveryFailed, time.Time{}, tx.s.Now
	}
	all := make([]feedback.Delivery, len(to))
	for i := range to {
		d.ID, d.EndpointID = feedback.DeliveryID(tx.s.NextID()), to[i].ID
		all[i] = d
	}
	tx.hintDue(to)
	return &all[0], tx.s.InsertDeliveries(ctx, all)
}

// Deliveries lists the deliveries to an endpoint, newest first.
func (tx *Tx) Deliveries(ctx context.Context, endpoint string, f feedback.DeliveryFilter) (feedback.Page[feedback.Delivery], error) {
	var page feedback.Page[feedback.Delivery]
	e, err := tx.Endpoint(ctx, endpoint)
	if err != nil {
		return page, err
	}
	if err := f.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Deliveries(ctx, tx.site.ID, e.ID, f.Status, f.Type, feedback.DeliveryID(at(f.Window, 0, newest)), f.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(all, f.Limit, func(d *feedback.Delivery) feedback.Position {
		return feedback.Position{int64(d.ID)}
	}), nil
}

// Delivery returns a delivery with what was sent and what came of it.
func (tx *Tx) Delivery(ctx context.Context, endpoint, delivery string) (*feedback.DeliveryDetail, error) {
	e, err := tx.Endpoint(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	d, event, err := tx.findDelivery(ctx, e, delivery)
	if err != nil {
		return nil, err
	}
	log, err := tx.s.Attempts(ctx, e.Key(), d.ID)
	return &feedback.DeliveryDetail{Delivery: *d, Payload: event.Payload, Log: log}, err
}

func (tx *Tx) findDelivery(ctx context.Context, e *feedback.Endpoint, delivery string) (*feedback.Delivery, *feedback.Event, error) {
	d, err := find("", "webhookDelivery", delivery, func(id feedback.DeliveryID) (*feedback.Delivery, error) {
		return tx.s.Delivery(ctx, tx.site.ID, e.ID, id)
	})
	if err != nil {
		return nil, nil, err
	}
	event, err := tx.s.Event(ctx, tx.site.ID, d.MessageID)
	if err == nil && event == nil {
		err = fmt.Errorf("delivery %s: its event is missing", d.ID)
	}
	return d, event, err
}

// Redeliver sends the message of a delivery once more, as a delivery of its own.
// Receivers know it by its id.
func (tx *Tx) Redeliver(ctx context.Context, endpoint, delivery string, in feedback.Input) (*feedback.Delivery, error) {
	e, err := tx.Endpoint(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	_, event, err := tx.findDelivery(ctx, e, delivery)
	if err != nil {
		return nil, err
	}
	if err := in.Malformed.Err(); err != nil {
		return nil, err
	}
	if err := e.Live(); err != nil {
		return nil, err
	}
	return tx.deliver(ctx, []feedback.Endpoint{*e}, event, feedback.ByRedelivery)
}

// TestEndpoint sends a sample of an event to an endpoint.
func (tx *Tx) TestEndpoint(ctx context.Context, endpoint string, in feedback.EndpointTest) (*feedback.Delivery, error) {
	e, err := tx.Endpoint(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	if err := e.Live(); err != nil {
		return nil, err
	}
	samples := wire.Samples(tx.site.ID, tx.s.Now)
	chosen := slices.IndexFunc(samples, func(s wire.Sample) bool {
		if in.Type != nil {
			return s.Type == *in.Type
		}
		return e.Takes(s.Type)
	})
	payload, err := json.Marshal(samples[chosen].Event)
	if err != nil {
		return nil, fmt.Errorf("encode sample: %w", err)
	}
	event := &feedback.Event{
		ID: feedback.MessageID(tx.s.NextID()), SiteID: tx.site.ID, Type: samples[chosen].Type, Payload: payload, CreatedAt: tx.s.Now,
	}
	if err := tx.s.InsertEvent(ctx, event); err != nil {
		return nil, err
	}
	return tx.deliver(ctx, []feedback.Endpoint{*e}, event, feedback.ByTest)
}
