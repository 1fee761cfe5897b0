package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"heed/internal/feedback"
	"heed/internal/store"
	"heed/internal/webhook"
)

// What follows is for the worker that sends. Its law: whoever holds the lease of
// an endpoint, and nobody else, sends to it and writes down what came of it. A
// lease that is lost takes with it whatever was under way: that was not counted,
// and the next holder begins it anew.

// WaitingEndpoints lists endpoints that nobody holds and for which an attempt is
// due, of all sites.
func (a *App) WaitingEndpoints(ctx context.Context, limit int) (keys []feedback.EndpointKey, err error) {
	err = a.db.Read(ctx, func(s *store.Tx) error {
		keys, err = s.WaitingEndpoints(ctx, limit)
		return err
	})
	return keys, err
}

// ClaimEndpoints leases to owner, for a time, those of the endpoints that nobody
// holds and for which an attempt is due, and returns them.
func (a *App) ClaimEndpoints(ctx context.Context, owner int64, lease time.Duration, keys []feedback.EndpointKey) (claimed []feedback.EndpointKey, err error) {
	for part := range slices.Chunk(keys, leaseBatch) {
		// Most hints are about endpoints that are held already: a look costs
		// less than a write.
		err = a.db.Read(ctx, func(s *store.Tx) error {
			part, err = s.Claimable(ctx, part)
			return err
		})
		if err != nil || len(part) == 0 {
			return claimed, err
		}
		err = a.db.Write(ctx, func(s *store.Tx) error {
			part, err = s.LeaseEndpoints(ctx, owner, s.Now.Add(lease), part)
			return err
		})
		if err != nil {
			return claimed, err
		}
		claimed = append(claimed, part...)
	}
	return claimed, nil
}

// leaseBatch bounds how many endpoints one statement speaks of.
const leaseBatch = 256

// RenewLeases prolongs the leases that owner still holds.
func (a *App) RenewLeases(ctx context.Context, owner int64, lease time.Duration, keys []feedback.EndpointKey) error {
	for part := range slices.Chunk(keys, leaseBatch) {
		err := a.db.Write(ctx, func(s *store.Tx) error {
			return s.RenewLeases(ctx, owner, s.Now.Add(lease), part)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TakeOver ends the leases that a process left behind which crashed, if this
// process alone uses the database. Where others may, leases run out by
// themselves.
func (a *App) TakeOver(ctx context.Context) error {
	if !a.db.Embedded() {
		return nil
	}
	return a.db.Write(ctx, func(s *store.Tx) error { return s.DropLeases(ctx) })
}

// Due is a delivery whose next attempt is due, with what is to be sent.
type Due = store.Due

// Dispatch is what there is to send to an endpoint.
type Dispatch struct {
	Held    bool // the lease is the owner's; else there is nothing to send
	URL     string
	Secrets []webhook.Secret // newest first
	Due     []Due
}

// DueDeliveries returns what is due for an endpoint that owner holds, those
// waiting longest first, after the one given (nil: from the beginning).
func (a *App) DueDeliveries(ctx context.Context, owner int64, k feedback.EndpointKey, after *Due, limit int) (d Dispatch, err error) {
	err = a.db.Read(ctx, func(s *store.Tx) error {
		d = Dispatch{}
		e, err := s.SeeHeldEndpoint(ctx, owner, k)
		if err != nil || e == nil {
			return err
		}
		d.Held, d.URL = true, e.URL
		if !e.Enabled {
			return nil
		}
		e.Expire(s.Now)
		for _, sealed := range [][]byte{e.Secret, e.Previous} {
			if sealed == nil {
				continue
			}
			secret, err := a.openSecret(e.ID, sealed)
			if err != nil {
				return fmt.Errorf("secret of endpoint %s: %w", e.ID, err)
			}
			d.Secrets = append(d.Secrets, secret)
		}
		d.Due, err = s.DueDeliveries(ctx, k, e.CancelBelow, after, limit)
		return err
	})
	return d, err
}

// Attempted is an attempt that was made and counts.
type Attempted struct {
	Endpoint feedback.EndpointKey
	Delivery feedback.DeliveryID
	Number   int // of the attempt, from 1
	webhook.Attempt
}

// RecordAttempts writes down attempts, in the order in which they ended, and
// what follows from them: when to try again, and whether an endpoint is to be
// disabled. Then it gives back the leases of the endpoints in release. What
// belongs to endpoints that owner holds no longer is left out.
func (a *App) RecordAttempts(ctx context.Context, owner int64, done []Attempted, release []feedback.EndpointKey) error {
	// Endpoints are locked in one order, so that nobody waits for each other.
	byEndpoint := slices.Clone(done)
	slices.SortStableFunc(byEndpoint, func(x, y Attempted) int { return cmp.Compare(x.Endpoint.Endpoint, y.Endpoint.Endpoint) })
	return a.db.Write(ctx, func(s *store.Tx) error {
		for rest := byEndpoint; len(rest) > 0; {
			k := rest[0].Endpoint
			n := slices.IndexFunc(rest, func(x Attempted) bool { return x.Endpoint != k })
			if n < 0 {
				n = len(rest)
			}
			tx := &Tx{s: s, app: a, actor: &Actor{}, site: &feedback.Site{ID: k.Site}}
			if err := tx.recordAttempts(ctx, owner, k, rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		if len(release) == 0 {
			return nil
		}
		return s.ReleaseLeases(ctx, owner, release)
	})
}

// recordAttempts writes down the attempts at one endpoint.
func (tx *Tx) recordAttempts(ctx context.Context, owner int64, k feedback.EndpointKey, done []Attempted) error {
	e, err := tx.s.HeldEndpoint(ctx, owner, k)
	if err != nil || e == nil {
		return err
	}
	before := *e
	for i := range done {
		if err := tx.recordAttempt(ctx, e, &done[i]); err != nil {
			return err
		}
	}
	if e.Enabled == before.Enabled && e.Failures == before.Failures {
		return nil
	}
	if before.Enabled && !e.Enabled {
		e.UpdatedAt = tx.s.Now
		if err := tx.cancelWaiting(ctx, e); err != nil {
			return err
		}
		err := tx.notify(ctx, feedback.Notice{
			Kind: feedback.NoticeWebhookDisabled, EndpointID: e.ID, Note: string(e.Reason),
		})
		if err != nil {
			return err
		}
	}
	return tx.s.UpdateEndpoint(ctx, e)
}

// recordAttempt writes down one attempt and notes in e what it says of the
// endpoint.
func (tx *Tx) recordAttempt(ctx context.Context, e *feedback.Endpoint, d *Attempted) error {
	cfg := &tx.app.cfg.Webhooks
	next, again := cfg.Schedule.Next(d.Number, d.Attempt, cfg.Random)
	status := feedback.DeliveryPending
	switch {
	case d.Outcome == webhook.Succeeded:
		status = feedback.DeliverySucceeded
		e.Succeeded()
	case d.Outcome == webhook.Gone:
		status = feedback.DeliveryFailed
		e.Disable(feedback.DisabledAsGone, tx.s.Now)
	case !again:
		status = feedback.DeliveryFailed
		e.Exhausted(cfg.DisableAfter, tx.s.Now)
	}
	_, err := tx.s.RecordAttempt(ctx, e.Key(), d.Delivery, &feedback.Attempt{
		Number: d.Number, StartedAt: d.StartedAt, Duration: d.Duration, Status: d.Status,
		Body: d.Body, Truncated: d.Truncated, Error: string(d.Class),
	}, status, next)
	return err
}
