package app

import (
	"context"
	"errors"
	"math/rand/v2"

	"heed/internal/feedback"
	"heed/internal/webhook"
)

// Webhooks are the settings of webhooks. The zero Webhooks are those of an
// installation that sets none.
type Webhooks struct {
	Guard    *webhook.Guard   // nil: public addresses only
	Schedule webhook.Schedule // zero: webhook.DefaultSchedule
	// DisableAfter is how many deliveries in a row may use up all attempts
	// before their endpoint is disabled; zero: 5.
	DisableAfter int
	// Random spreads retries; nil: at random.
	Random func() float64
}

func (w *Webhooks) fill() {
	if w.Guard == nil {
		w.Guard = webhook.NewGuard(nil)
	}
	if w.Schedule.Attempts() == 0 {
		w.Schedule, _ = webhook.ParseSchedule(webhook.DefaultSchedule) // a constant
	}
	if w.DisableAfter == 0 {
		w.DisableAfter = 5
	}
	if w.Random == nil {
		w.Random = rand.Float64
	}
}

// cancelAtOnce is how many waiting deliveries an operation cancels itself; of a
// longer backlog a sweep cancels the rest.
const cancelAtOnce = 1000

// usableURL is the check of an endpoint's URL that the rules are given.
func (tx *Tx) usableURL(url string) (rule, message string) {
	err := tx.app.cfg.Webhooks.Guard.CheckURL(url)
	if err == nil {
		return "", ""
	}
	rule = feedback.RuleFormat
	if e, ok := errors.AsType[*webhook.URLError](err); ok && e.Rule == webhook.RuleLength {
		rule = feedback.RuleMaxLength
	} else if ok {
		rule = e.Rule
	}
	return rule, "cannot be used: " + err.Error()
}

// CreateEndpoint adds a webhook endpoint to the site and returns it with its
// signing secret, which is not shown again.
func (tx *Tx) CreateEndpoint(ctx context.Context, in feedback.NewEndpoint) (*feedback.Endpoint, string, error) {
	if err := in.Check(tx.usableURL); err != nil {
		return nil, "", err
	}
	if err := tx.s.LockSite(ctx, tx.site.ID); err != nil {
		return nil, "", err
	}
	n, err := tx.s.EndpointCount(ctx, tx.site.ID)
	if err != nil {
		return nil, "", err
	}
	if n >= feedback.MaxEndpoints {
		return nil, "", feedback.ErrEndpointLimit()
	}
	secret := webhook.NewSecret()
	e := &feedback.Endpoint{
		ID: feedback.EndpointID(tx.s.NextID()), SiteID: tx.site.ID, URL: string(in.URL), Description: (*string)(in.Description),
		EventTypes: feedback.SortEventTypes(in.EventTypes), Enabled: true, CreatedAt: tx.s.Now, UpdatedAt: tx.s.Now,
	}
	e.Secret = tx.app.sealSecret(e.ID, secret)
	return e, secret.Reveal(), tx.s.InsertEndpoint(ctx, e)
}

// Endpoint returns a webhook endpoint of the site.
func (tx *Tx) Endpoint(ctx context.Context, endpoint string) (*feedback.Endpoint, error) {
	return tx.findEndpoint(ctx, endpoint, tx.s.Endpoint)
}

func (tx *Tx) lockEndpoint(ctx context.Context, endpoint string) (*feedback.Endpoint, error) {
	return tx.findEndpoint(ctx, endpoint, tx.s.LockEndpoint)
}

func (tx *Tx) findEndpoint(ctx context.Context, endpoint string,
	get func(context.Context, feedback.SiteID, feedback.EndpointID) (*feedback.Endpoint, error)) (*feedback.Endpoint, error) {
	e, err := find("", "webhookEndpoint", endpoint, func(id feedback.EndpointID) (*feedback.Endpoint, error) {
		return get(ctx, tx.site.ID, id)
	})
	if err != nil {
		return nil, err
	}
	e.Expire(tx.s.Now)
	return e, nil
}

// Endpoints lists the site's webhook endpoints by creation.
func (tx *Tx) Endpoints(ctx context.Context, w feedback.Window) (feedback.Page[feedback.Endpoint], error) {
	var page feedback.Page[feedback.Endpoint]
	if err := w.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Endpoints(ctx, tx.site.ID, feedback.EndpointID(at(w, 0, 0)), w.Limit+1)
	if err != nil {
		return page, err
	}
	for i := range all {
		all[i].Expire(tx.s.Now)
	}
	return feedback.PageOf(all, w.Limit, func(e *feedback.Endpoint) feedback.Position {
		return feedback.Position{int64(e.ID)}
	}), nil
}

// DisabledEndpoints lists the site's endpoints that the service has disabled by
// itself, for telling those who can do something about it.
func (tx *Tx) DisabledEndpoints(ctx context.Context) ([]feedback.Endpoint, error) {
	return tx.s.DisabledEndpoints(ctx, tx.site.ID)
}

// UpdateEndpoint changes an endpoint. Disabling it cancels what is waiting for
// it; enabling it begins a clean record.
func (tx *Tx) UpdateEndpoint(ctx context.Context, endpoint string, in feedback.EndpointPatch) (*feedback.Endpoint, error) {
	e, err := tx.lockEndpoint(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	if err := in.Check(tx.usableURL); err != nil {
		return nil, err
	}
	if in.URL != nil {
		e.URL = string(*in.URL)
	}
	if in.Description != nil {
		e.Description = (*string)(*in.Description)
	}
	if in.EventTypes != nil {
		e.EventTypes = feedback.SortEventTypes(in.EventTypes)
	}
	if in.Enabled != nil && *in.Enabled != e.Enabled {
		if *in.Enabled {
			e.Enable()
		} else {
			e.Disable(feedback.DisabledManually, tx.s.Now)
			if err := tx.cancelWaiting(ctx, e); err != nil {
				return nil, err
			}
		}
	}
	e.UpdatedAt = tx.s.Now
	tx.hintChanged(e)
	return e, tx.s.UpdateEndpoint(ctx, e)
}

// cancelWaiting cancels what is waiting for an endpoint that has been disabled.
// The caller stores the endpoint.
func (tx *Tx) cancelWaiting(ctx context.Context, e *feedback.Endpoint) error {
	e.CancelBelow = feedback.DeliveryID(tx.s.NextID())
	_, err := tx.s.CancelDeliveries(ctx, e.Key(), e.CancelBelow, cancelAtOnce)
	return err
}

// DeleteEndpoint removes an endpoint, with all that is waiting for it and its
// log.
func (tx *Tx) DeleteEndpoint(ctx context.Context, endpoint string, in feedback.Input) error {
	e, err := tx.lockEndpoint(ctx, endpoint)
	if err != nil {
		return err
	}
	if err := in.Malformed.Err(); err != nil {
		return err
	}
	tx.hintChanged(e)
	tx.keepName(feedback.EndpointHost(e.URL))
	return tx.s.DeleteEndpoint(ctx, tx.site.ID, e.ID)
}

// RotateSecret gives an endpoint a new signing secret and returns it with it; it
// is not shown again. The one before signs too until the grace is over, and one
// that was still signing from an earlier rotation ends now.
func (tx *Tx) RotateSecret(ctx context.Context, endpoint string, in feedback.Rotation) (*feedback.Endpoint, string, error) {
	e, err := tx.lockEndpoint(ctx, endpoint)
	if err != nil {
		return nil, "", err
	}
	if err := in.Check(); err != nil {
		return nil, "", err
	}
	e.Previous, e.PreviousExpiresAt = e.Secret, tx.s.Now.Add(in.For())
	e.Expire(tx.s.Now)
	secret := webhook.NewSecret()
	e.Secret, e.UpdatedAt = tx.app.sealSecret(e.ID, secret), tx.s.Now
	tx.hintChanged(e)
	return e, secret.Reveal(), tx.s.UpdateEndpoint(ctx, e)
}

// sealSecret encrypts a signing secret for keeping. It opens for this endpoint
// alone.
func (a *App) sealSecret(id feedback.EndpointID, s webhook.Secret) []byte {
	return a.secrets.Seal([]byte(s.Reveal()), []byte(id.String()))
}

func (a *App) openSecret(id feedback.EndpointID, sealed []byte) (webhook.Secret, error) {
	text, err := a.secrets.Open(sealed, []byte(id.String()))
	if err != nil {
		return webhook.Secret{}, err
	}
	return webhook.ParseSecret(string(text))
}
