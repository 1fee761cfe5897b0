package store

import (
	"context"
	"strings"
	"time"

	"heed/internal/feedback"
)

const endpointColumns = `site_id, id, url, description, event_types, enabled, disabled_reason, disabled_at,
		       consecutive_failures, secret, previous_secret, previous_expires_at, cancel_below, created_at, updated_at`

func scanEndpoint(r rows, e *feedback.Endpoint) error {
	var types string
	err := r.Scan(&e.SiteID, &e.ID, &e.URL, &e.Description, &types, &e.Enabled, &e.Reason, at(&e.DisabledAt),
		&e.Failures, &e.Secret, &e.Previous, at(&e.PreviousExpiresAt), &e.CancelBelow, at(&e.CreatedAt), at(&e.UpdatedAt))
	e.EventTypes = splitEventTypes(types)
	return err
}

func joinEventTypes(types []feedback.EventType) string {
	s := make([]string, len(types))
	for i, t := range types {
		s[i] = string(t)
	}
	return strings.Join(s, " ")
}

func splitEventTypes(s string) []feedback.EventType {
	fields := strings.Fields(s)
	types := make([]feedback.EventType, len(fields))
	for i, f := range fields {
		types[i] = feedback.EventType(f)
	}
	return types
}

// EndpointCount counts the endpoints of a site.
func (tx *Tx) EndpointCount(ctx context.Context, site feedback.SiteID) (n int, err error) {
	_, err = tx.row(ctx, `
		SELECT COUNT(*) FROM webhook_endpoints
		WHERE  site_id = $1 AND deleted_at IS NULL`, []any{site}, &n)
	return n, wrap("count endpoints", err)
}

// InsertEndpoint stores a new endpoint.
func (tx *Tx) InsertEndpoint(ctx context.Context, e *feedback.Endpoint) error {
	_, err := tx.exec(ctx, `
		INSERT INTO webhook_endpoints (site_id, id, url, description, event_types, enabled, disabled_reason,
		                               consecutive_failures, secret, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10)`,
		e.SiteID, e.ID, e.URL, e.Description, joinEventTypes(e.EventTypes), e.Enabled, e.Reason,
		e.Secret, micros(e.CreatedAt), micros(e.UpdatedAt))
	return wrap("insert endpoint", err)
}

// Endpoint returns an endpoint, or nil.
func (tx *Tx) Endpoint(ctx context.Context, site feedback.SiteID, id feedback.EndpointID) (*feedback.Endpoint, error) {
	return tx.endpoint(ctx, site, id, "")
}

// LockEndpoint is Endpoint for one that must not change until the transaction is
// over.
func (tx *Tx) LockEndpoint(ctx context.Context, site feedback.SiteID, id feedback.EndpointID) (*feedback.Endpoint, error) {
	return tx.endpoint(ctx, site, id, tx.d.forUpdate())
}

func (tx *Tx) endpoint(ctx context.Context, site feedback.SiteID, id feedback.EndpointID, lock string) (*feedback.Endpoint, error) {
	e, err := first(collect(ctx, tx, `
		SELECT `+endpointColumns+`
		FROM   webhook_endpoints
		WHERE  site_id = $1 AND id = $2 AND deleted_at IS NULL`+lock, []any{site, id}, scanEndpoint))
	return e, wrap("endpoint", err)
}

// Endpoints lists the endpoints of a site by creation, after the one given.
func (tx *Tx) Endpoints(ctx context.Context, site feedback.SiteID, after feedback.EndpointID, limit int) ([]feedback.Endpoint, error) {
	out, err := collect(ctx, tx, `
		SELECT `+endpointColumns+`
		FROM   webhook_endpoints
		WHERE  site_id = $1 AND id > $2 AND deleted_at IS NULL
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, int64(after), limit}, scanEndpoint)
	return out, wrap("endpoints", err)
}

// Listeners returns the enabled endpoints of a site, with no more than what it
// takes to choose among them. A site that has none pays for one look into an
// index.
func (tx *Tx) Listeners(ctx context.Context, site feedback.SiteID) ([]feedback.Endpoint, error) {
	out, err := collect(ctx, tx, `
		SELECT id, event_types
		FROM   webhook_endpoints
		WHERE  site_id = $1 AND enabled AND deleted_at IS NULL
		ORDER  BY id`, []any{site}, func(r rows, e *feedback.Endpoint) error {
		var types string
		err := r.Scan(&e.ID, &types)
		e.SiteID, e.EventTypes = site, splitEventTypes(types)
		return err
	})
	return out, wrap("listeners", err)
}

// UpdateEndpoint stores what can change in an endpoint.
func (tx *Tx) UpdateEndpoint(ctx context.Context, e *feedback.Endpoint) error {
	_, err := tx.exec(ctx, `
		UPDATE webhook_endpoints
		SET    url = $1, description = $2, event_types = $3, enabled = $4, disabled_reason = $5, disabled_at = $6,
		       consecutive_failures = $7, secret = $8, previous_secret = $9, previous_expires_at = $10,
		       cancel_below = $11, updated_at = $12
		WHERE  site_id = $13 AND id = $14`,
		e.URL, e.Description, joinEventTypes(e.EventTypes), e.Enabled, e.Reason, micros(e.DisabledAt),
		e.Failures, e.Secret, e.Previous, micros(e.PreviousExpiresAt), e.CancelBelow, micros(e.UpdatedAt),
		e.SiteID, e.ID)
	return wrap("update endpoint", err)
}

// DeleteEndpoint hides an endpoint for good. A sweep removes what is left of it:
// its log can be long.
func (tx *Tx) DeleteEndpoint(ctx context.Context, site feedback.SiteID, id feedback.EndpointID) error {
	_, err := tx.exec(ctx, `
		UPDATE webhook_endpoints
		SET    enabled = FALSE, deleted_at = $1
		WHERE  site_id = $2 AND id = $3`, micros(tx.Now), site, id)
	return wrap("delete endpoint", err)
}

// DeletedEndpoints lists endpoints that are hidden but not yet removed.
func (tx *Tx) DeletedEndpoints(ctx context.Context, limit int) ([]feedback.EndpointKey, error) {
	out, err := collect(ctx, tx, `
		SELECT site_id, id
		FROM   webhook_endpoints
		WHERE  deleted_at IS NOT NULL
		ORDER  BY id
		LIMIT  $1 + 0`, []any{limit}, scanEndpointKey)
	return out, wrap("deleted endpoints", err)
}

// EndpointKeys lists the endpoints of all sites, after the one given.
func (tx *Tx) EndpointKeys(ctx context.Context, after feedback.EndpointID, limit int) ([]feedback.EndpointKey, error) {
	out, err := collect(ctx, tx, `
		SELECT site_id, id
		FROM   webhook_endpoints
		WHERE  id > $1
		ORDER  BY id
		LIMIT  $2 + 0`, []any{int64(after), limit}, scanEndpointKey)
	return out, wrap("endpoint keys", err)
}

// RemoveEndpoint removes an endpoint that is hidden, for which there are no
// deliveries left.
func (tx *Tx) RemoveEndpoint(ctx context.Context, k feedback.EndpointKey) error {
	_, err := tx.exec(ctx, `
		DELETE FROM webhook_endpoints
		WHERE  site_id = $1 AND id = $2 AND deleted_at IS NOT NULL`, k.Site, k.Endpoint)
	return wrap("remove endpoint", err)
}

// DisabledEndpoints lists the endpoints of a site that the service has disabled
// by itself.
func (tx *Tx) DisabledEndpoints(ctx context.Context, site feedback.SiteID) ([]feedback.Endpoint, error) {
	out, err := collect(ctx, tx, `
		SELECT `+endpointColumns+`
		FROM   webhook_endpoints
		WHERE  site_id = $1 AND disabled_reason IN ('failures', 'gone') AND deleted_at IS NULL
		ORDER  BY id`, []any{site}, scanEndpoint)
	return out, wrap("disabled endpoints", err)
}

func scanEndpointKey(r rows, k *feedback.EndpointKey) error { return r.Scan(&k.Site, &k.Endpoint) }

// WaitingEndpoints lists enabled endpoints that nobody holds and for which an
// attempt is due. It steps through the index from one endpoint to the next, so
// that its cost is that of the endpoints, whatever waits for each of them.
func (tx *Tx) WaitingEndpoints(ctx context.Context, limit int) ([]feedback.EndpointKey, error) {
	out, err := collect(ctx, tx, waitingEndpoints, []any{micros(tx.Now), limit}, scanEndpointKey)
	return out, wrap("waiting endpoints", err)
}

const waitingEndpoints = `
		WITH RECURSIVE waiting (endpoint_id) AS (
			SELECT MIN(endpoint_id) FROM deliveries WHERE status = 'pending'
			UNION ALL
			SELECT (SELECT MIN(d.endpoint_id) FROM deliveries d
			        WHERE  d.status = 'pending' AND d.endpoint_id > w.endpoint_id)
			FROM   waiting w
			WHERE  w.endpoint_id IS NOT NULL
		)
		SELECT e.site_id, e.id
		FROM   waiting w
		JOIN   webhook_endpoints e ON e.id = w.endpoint_id
		WHERE  ` + claimable + `
		ORDER  BY COALESCE(e.leased_until, 0), e.id
		LIMIT  $2 + 0`

// claimable is the condition of an endpoint whose deliveries may be taken up now,
// which is $1. With EXISTS instead of MIN, PostgreSQL may decide to read through
// all that is waiting.
const claimable = `e.enabled AND e.deleted_at IS NULL AND (e.leased_until IS NULL OR e.leased_until <= $1)
		AND    (SELECT MIN(d.next_attempt_at) FROM deliveries d
		        WHERE  d.endpoint_id = e.id AND d.status = 'pending') <= $1`

// Claimable returns which of the endpoints may be taken up now. It is a cheap
// look before LeaseEndpoints, which has the last word.
func (tx *Tx) Claimable(ctx context.Context, keys []feedback.EndpointKey) ([]feedback.EndpointKey, error) {
	in, args := idList([]any{micros(tx.Now)}, endpointIDs(keys))
	out, err := collect(ctx, tx, `
		SELECT e.site_id, e.id
		FROM   webhook_endpoints e
		WHERE  `+claimable+` AND e.id IN (`+in+`)
		ORDER  BY e.id`, args, scanEndpointKey)
	return out, wrap("claimable endpoints", err)
}

// LeaseEndpoints gives owner those of the endpoints that may be taken up now,
// until a time, and returns them. What another transaction is busy with is left
// alone.
func (tx *Tx) LeaseEndpoints(ctx context.Context, owner int64, until time.Time, keys []feedback.EndpointKey) ([]feedback.EndpointKey, error) {
	in, args := idList([]any{micros(tx.Now)}, endpointIDs(keys))
	free, err := collect(ctx, tx, `
		SELECT e.site_id, e.id
		FROM   webhook_endpoints e
		WHERE  `+claimable+` AND e.id IN (`+in+`)
		ORDER  BY e.id`+tx.d.claim("e"), args, scanEndpointKey)
	if err != nil || len(free) == 0 {
		return nil, wrap("lease endpoints", err)
	}
	in, args = idList([]any{owner, micros(until)}, endpointIDs(free))
	_, err = tx.exec(ctx, `
		UPDATE webhook_endpoints
		SET    lease_owner = $1, leased_until = $2
		WHERE  id IN (`+in+`)`, args...)
	return free, wrap("lease endpoints", err)
}

// RenewLeases prolongs the leases that owner holds on the endpoints.
func (tx *Tx) RenewLeases(ctx context.Context, owner int64, until time.Time, keys []feedback.EndpointKey) error {
	in, args := idList([]any{micros(until), owner}, endpointIDs(keys))
	_, err := tx.exec(ctx, `
		UPDATE webhook_endpoints
		SET    leased_until = $1
		WHERE  lease_owner = $2 AND id IN (`+in+`)`, args...)
	return wrap("renew leases", err)
}

// ReleaseLeases gives back the leases that owner holds on the endpoints.
func (tx *Tx) ReleaseLeases(ctx context.Context, owner int64, keys []feedback.EndpointKey) error {
	in, args := idList([]any{owner}, endpointIDs(keys))
	_, err := tx.exec(ctx, `
		UPDATE webhook_endpoints
		SET    lease_owner = NULL, leased_until = NULL
		WHERE  lease_owner = $1 AND id IN (`+in+`)`, args...)
	return wrap("release leases", err)
}

// DropLeases ends all leases, whoever holds them.
func (tx *Tx) DropLeases(ctx context.Context) error {
	_, err := tx.exec(ctx, `
		UPDATE webhook_endpoints
		SET    lease_owner = NULL, leased_until = NULL
		WHERE  lease_owner IS NOT NULL`)
	return wrap("drop leases", err)
}

// HeldEndpoint returns an endpoint if owner holds its lease, or nil, and keeps it
// from changing until the transaction is over.
func (tx *Tx) HeldEndpoint(ctx context.Context, owner int64, k feedback.EndpointKey) (*feedback.Endpoint, error) {
	return tx.heldEndpoint(ctx, owner, k, tx.d.forUpdate())
}

// SeeHeldEndpoint is HeldEndpoint for a reader.
func (tx *Tx) SeeHeldEndpoint(ctx context.Context, owner int64, k feedback.EndpointKey) (*feedback.Endpoint, error) {
	return tx.heldEndpoint(ctx, owner, k, "")
}

func (tx *Tx) heldEndpoint(ctx context.Context, owner int64, k feedback.EndpointKey, lock string) (*feedback.Endpoint, error) {
	e, err := first(collect(ctx, tx, `
		SELECT `+endpointColumns+`
		FROM   webhook_endpoints
		WHERE  site_id = $1 AND id = $2 AND lease_owner = $3 AND deleted_at IS NULL`+lock,
		[]any{k.Site, k.Endpoint, owner}, scanEndpoint))
	return e, wrap("held endpoint", err)
}

func endpointIDs(keys []feedback.EndpointKey) []feedback.EndpointID {
	all := make([]feedback.EndpointID, len(keys))
	for i, k := range keys {
		all[i] = k.Endpoint
	}
	return all
}
