package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"heed/internal/feedback"
)

const deliveryColumns = `site_id, id, endpoint_id, message_id, type, status, cause, attempt_count, next_attempt_at, created_at, completed_at`

func scanDelivery(r rows, d *feedback.Delivery) error {
	return r.Scan(&d.SiteID, &d.ID, &d.EndpointID, &d.MessageID, &d.Type, &d.Status, &d.Trigger, &d.Attempts,
		at(&d.NextAttemptAt), at(&d.CreatedAt), at(&d.CompletedAt))
}

// InsertDeliveries stores new deliveries of one message, which differ in their
// endpoint and id alone. It is one statement, and what they share is bound once:
// this is a cost of every event.
func (tx *Tx) InsertDeliveries(ctx context.Context, all []feedback.Delivery) error {
	d := &all[0]
	args := []any{d.SiteID, d.EndpointID, d.ID, d.MessageID, d.Type, d.Trigger, d.Status,
		micros(d.NextAttemptAt), micros(d.CreatedAt), micros(d.CompletedAt)}
	for i := range all[1:] {
		args = append(args, all[1+i].EndpointID, all[1+i].ID)
	}
	_, err := tx.exec(ctx, insertDeliveries(len(all)), args...)
	return wrap("insert deliveries", err)
}

// insertDeliveries is the statement for n rows: there are as many texts as a site
// may have endpoints.
func insertDeliveries(n int) string {
	var b strings.Builder
	b.WriteString(`
		INSERT INTO deliveries (site_id, endpoint_id, id, message_id, type, cause, status, attempt_count,
		                        next_attempt_at, created_at, completed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10)`)
	for i := 11; i < 11+2*(n-1); i += 2 {
		fmt.Fprintf(&b, `,
		       ($1, $%d, $%d, $4, $5, $6, $7, 0, $8, $9, $10)`, i, i+1)
	}
	return b.String()
}

// Delivery returns a delivery of an endpoint, or nil.
func (tx *Tx) Delivery(ctx context.Context, site feedback.SiteID, endpoint feedback.EndpointID, id feedback.DeliveryID) (*feedback.Delivery, error) {
	d, err := first(collect(ctx, tx, `
		SELECT `+deliveryColumns+`
		FROM   deliveries
		WHERE  site_id = $1 AND endpoint_id = $2 AND id = $3`, []any{site, endpoint, id}, scanDelivery))
	return d, wrap("delivery", err)
}

// Deliveries lists the deliveries of an endpoint, newest first, below the id
// given, only those of a status and a type if these are not nil.
func (tx *Tx) Deliveries(ctx context.Context, site feedback.SiteID, endpoint feedback.EndpointID, status *feedback.DeliveryStatus,
	typ *feedback.EventType, below feedback.DeliveryID, limit int) ([]feedback.Delivery, error) {
	args := []any{site, endpoint, below}
	if typ != nil {
		args = append(args, *typ)
	}
	out, err := collect(ctx, tx, deliveriesQuery(status, typ != nil), append(args, limit), scanDelivery)
	return out, wrap("deliveries", err)
}

func deliveriesQuery(status *feedback.DeliveryStatus, ofType bool) string {
	query := `
		SELECT ` + deliveryColumns + `
		FROM   deliveries
		WHERE  site_id = $1 AND endpoint_id = $2 AND id < $3`
	if status != nil {
		// The status stands in the text: an index of some of the rows serves
		// only a query that is seen to ask for no others.
		switch *status {
		case feedback.DeliveryPending:
			query = `
		SELECT ` + deliveryColumns + `
		FROM   deliveries
		WHERE  site_id + 0 = $1 AND endpoint_id = $2 AND id < $3 AND status = 'pending'`
		case feedback.DeliveryFailed:
			query += ` AND status = 'failed'`
		case feedback.DeliveryCancelled:
			query += ` AND status = 'cancelled'`
		default:
			query += ` AND status = 'succeeded'`
		}
	}
	if ofType {
		return query + ` AND type = $4
		ORDER  BY id DESC
		LIMIT  $5 + 0`
	}
	return query + `
		ORDER  BY id DESC
		LIMIT  $4 + 0`
}

// Event returns something that happened on a site, or nil.
func (tx *Tx) Event(ctx context.Context, site feedback.SiteID, id feedback.MessageID) (*feedback.Event, error) {
	e, err := first(collect(ctx, tx, `
		SELECT site_id, id, type, created_at, payload
		FROM   events
		WHERE  site_id = $1 AND id = $2`, []any{site, id}, func(r rows, e *feedback.Event) error {
		return r.Scan(&e.SiteID, &e.ID, &e.Type, at(&e.CreatedAt), &e.Payload)
	}))
	return e, wrap("event", err)
}

// Attempts lists the attempts of a delivery in order.
func (tx *Tx) Attempts(ctx context.Context, k feedback.EndpointKey, id feedback.DeliveryID) ([]feedback.Attempt, error) {
	out, err := collect(ctx, tx, `
		SELECT number, started_at, duration, response_status, response_truncated, error, response_body
		FROM   delivery_attempts
		WHERE  site_id = $1 AND endpoint_id = $2 AND delivery_id = $3
		ORDER  BY number`, []any{k.Site, k.Endpoint, id}, func(r rows, a *feedback.Attempt) error {
		var micro int64
		err := r.Scan(&a.Number, at(&a.StartedAt), &micro, &a.Status, &a.Truncated, &a.Error, &a.Body)
		a.Duration = time.Duration(micro) * time.Microsecond
		return err
	})
	return out, wrap("attempts", err)
}

// CancelDeliveries ends up to limit deliveries of an endpoint that wait below an
// id, and returns how many there were.
func (tx *Tx) CancelDeliveries(ctx context.Context, k feedback.EndpointKey, below feedback.DeliveryID, limit int) (int64, error) {
	n, err := tx.exec(ctx, cancelDeliveries, micros(tx.Now), k.Site, k.Endpoint, below, limit)
	return n, wrap("cancel deliveries", err)
}

// HalfCancelled lists endpoints for which deliveries wait that are to be
// cancelled, with the id below which they are.
func (tx *Tx) HalfCancelled(ctx context.Context, limit int) ([]feedback.Endpoint, error) {
	out, err := collect(ctx, tx, `
		SELECT e.site_id, e.id, e.cancel_below
		FROM   webhook_endpoints e
		WHERE  e.cancel_below IS NOT NULL AND e.deleted_at IS NULL
		AND    EXISTS (SELECT 1 FROM deliveries d
		               WHERE  d.endpoint_id = e.id AND d.status = 'pending' AND d.id < e.cancel_below)
		ORDER  BY e.id
		LIMIT  $1 + 0`, []any{limit}, func(r rows, e *feedback.Endpoint) error {
		return r.Scan(&e.SiteID, &e.ID, &e.CancelBelow)
	})
	return out, wrap("half cancelled endpoints", err)
}

// Due is a delivery whose next attempt is due, with what is to be sent.
type Due struct {
	ID       feedback.DeliveryID
	Message  feedback.MessageID
	Attempts int // made so far
	DueAt    time.Time
	Payload  []byte
}

// DueDeliveries lists the deliveries of an endpoint that are due, those waiting
// longest first, after the one given (nil: from the beginning).
func (tx *Tx) DueDeliveries(ctx context.Context, k feedback.EndpointKey, from feedback.DeliveryID, after *Due, limit int) ([]Due, error) {
	last, lastID := int64(-1), int64(0)
	if after != nil {
		last, lastID = after.DueAt.UnixMicro(), int64(after.ID)
	}
	out, err := collect(ctx, tx, dueDeliveries, []any{k.Site, k.Endpoint, last, lastID, micros(tx.Now), int64(from), limit},
		func(r rows, d *Due) error {
			return r.Scan(&d.ID, &d.Message, &d.Attempts, at(&d.DueAt), &d.Payload)
		})
	return out, wrap("due deliveries", err)
}

// "site_id + 0" keeps PostgreSQL from looking for the few that are waiting in the
// primary key, which is to say in the whole log of the endpoint.
const (
	dueDeliveries = `
		SELECT d.id, d.message_id, d.attempt_count, d.next_attempt_at, e.payload
		FROM   deliveries d
		JOIN   events e ON e.site_id = d.site_id AND e.id = d.message_id
		WHERE  d.site_id + 0 = $1 AND d.endpoint_id = $2 AND d.status = 'pending'
		AND    (d.next_attempt_at, d.id) > ($3, $4) AND d.next_attempt_at <= $5 AND d.id >= $6
		ORDER  BY d.next_attempt_at, d.id
		LIMIT  $7 + 0`
	cancelDeliveries = `
		UPDATE deliveries
		SET    status = 'cancelled', next_attempt_at = NULL, completed_at = $1
		WHERE  site_id = $2 AND endpoint_id = $3 AND id IN (
			SELECT id FROM deliveries
			WHERE  site_id + 0 = $2 AND endpoint_id = $3 AND status = 'pending' AND id < $4
			ORDER  BY next_attempt_at
			LIMIT  $5 + 0)`
)

// RecordAttempt stores an attempt and what became of its delivery by it: next is
// when to try again, zero for never. It reports whether the delivery is still
// there. One that was cancelled in the meantime stays so, unless it arrived.
func (tx *Tx) RecordAttempt(ctx context.Context, k feedback.EndpointKey, id feedback.DeliveryID, a *feedback.Attempt, status feedback.DeliveryStatus, next time.Time) (bool, error) {
	var completed any
	if status != feedback.DeliveryPending {
		completed = micros(tx.Now)
	}
	change := `
		UPDATE deliveries
		SET    attempt_count = $1, status = $2, next_attempt_at = $3, completed_at = $4
		WHERE  site_id = $5 AND endpoint_id = $6 AND id = $7 AND status = 'pending'`
	if status == feedback.DeliverySucceeded {
		change = `
		UPDATE deliveries
		SET    attempt_count = $1, status = $2, next_attempt_at = $3, completed_at = $4
		WHERE  site_id = $5 AND endpoint_id = $6 AND id = $7 AND status IN ('pending', 'cancelled')`
	}
	n, err := tx.exec(ctx, change, a.Number, status, micros(next), completed, k.Site, k.Endpoint, id)
	if err == nil && n == 0 {
		n, err = tx.exec(ctx, `
		UPDATE deliveries SET attempt_count = $1
		WHERE  site_id = $2 AND endpoint_id = $3 AND id = $4`, a.Number, k.Site, k.Endpoint, id)
	}
	if err != nil || n == 0 {
		return false, wrap("record attempt", err)
	}
	_, err = tx.exec(ctx, `
		INSERT INTO delivery_attempts (site_id, endpoint_id, delivery_id, number, started_at, duration, response_status,
		                               response_truncated, error, response_body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		k.Site, k.Endpoint, id, a.Number, micros(a.StartedAt), a.Duration.Microseconds(), a.Status, a.Truncated, a.Error, a.Body)
	return true, wrap("record attempt", err)
}

// PurgeDeliveries removes up to limit deliveries of an endpoint that have an id
// below the one given and, unless all is true, have ended, with their attempts.
// It returns how many there were.
func (tx *Tx) PurgeDeliveries(ctx context.Context, k feedback.EndpointKey, below feedback.DeliveryID, all bool, limit int) (int, error) {
	query := `
		SELECT id FROM deliveries
		WHERE  site_id = $1 AND endpoint_id = $2 AND id < $3 AND status <> 'pending'
		ORDER  BY id
		LIMIT  $4 + 0`
	if all {
		query = `
		SELECT id FROM deliveries
		WHERE  site_id = $1 AND endpoint_id = $2 AND id < $3
		ORDER  BY id
		LIMIT  $4 + 0`
	}
	old, err := collect(ctx, tx, query, []any{k.Site, k.Endpoint, below, limit},
		func(r rows, id *feedback.DeliveryID) error { return r.Scan(id) })
	if err != nil || len(old) == 0 {
		return 0, wrap("purge deliveries", err)
	}
	in, args := idList([]any{k.Site, k.Endpoint}, old)
	_, err = tx.exec(ctx, `
		DELETE FROM delivery_attempts
		WHERE  site_id = $1 AND endpoint_id = $2 AND delivery_id IN (`+in+`)`, args...)
	if err != nil {
		return 0, wrap("purge attempts", err)
	}
	_, err = tx.exec(ctx, `
		DELETE FROM deliveries
		WHERE  site_id = $1 AND endpoint_id = $2 AND id IN (`+in+`)`, args...)
	return len(old), wrap("purge deliveries", err)
}

// OldestWaiting returns the oldest event that is still to be delivered among the
// deliveries with an id below the one given, or zero.
func (tx *Tx) OldestWaiting(ctx context.Context, below feedback.DeliveryID) (id feedback.MessageID, err error) {
	_, err = tx.row(ctx, `
		SELECT MIN(message_id) FROM deliveries
		WHERE  status = 'pending' AND id < $1`, []any{below}, &id)
	return id, wrap("oldest waiting delivery", err)
}

// PurgeEvents removes up to limit events with an id below the one given, but for
// those that were sent again, and returns how many there were.
func (tx *Tx) PurgeEvents(ctx context.Context, below feedback.MessageID, limit int) (int64, error) {
	n, err := tx.exec(ctx, `
		DELETE FROM events
		WHERE  (site_id, id) IN (
			SELECT e.site_id, e.id FROM events e
			WHERE  e.id < $1
			AND    NOT EXISTS (SELECT 1 FROM deliveries d
			                   WHERE  d.site_id = e.site_id AND d.message_id = e.id AND d.cause = 'redelivery')
			ORDER  BY e.id
			LIMIT  $2 + 0)`, below, limit)
	return n, wrap("purge events", err)
}
