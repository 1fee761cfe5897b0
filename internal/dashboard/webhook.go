package dashboard

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"heed/internal/app"
	"heed/internal/feedback"
)

// webhooksView is the page of webhook endpoints.
type webhooksView struct {
	Endpoints []feedback.Endpoint
	NoAccess  error // the plan does not include webhooks
	// What was typed, to be shown again.
	URL, Description string
	Types            []feedback.EventType
}

// webhookTarget is the site of the request, whose account must have webhooks.
func (c *call) webhookTarget() app.Target {
	return app.Target{Site: c.r.PathValue("site"), Entitlement: feedback.Webhooks}
}

// changeHook is change for webhooks.
func (c *call) changeHook(action, subject string, fn func(*app.Tx) error) error {
	return c.cfg.App.Change(c.ctx, c.who.Actor, c.webhookTarget(), action, subject, fn)
}

func (c *call) webhooks() error { return c.showWebhooks(http.StatusOK, webhooksView{}) }

func (c *call) showWebhooks(status int, v webhooksView) error {
	v.NoAccess = c.who.Account.Plan.Require(feedback.Webhooks)
	err := c.read(func(tx *app.Tx) error {
		page, err := tx.Endpoints(c.ctx, feedback.Window{Limit: feedback.MaxLimit})
		v.Endpoints = page.Items
		return err
	})
	if err != nil {
		return err
	}
	return c.render(status, webhooksPage(c.chrome("Webhooks", "webhooks"), v))
}

// eventTypes are those ticked in a form; none is all.
func (c *call) eventTypes() []feedback.EventType {
	types := []feedback.EventType{}
	for _, t := range c.r.PostForm["eventTypes"] {
		types = append(types, feedback.EventType(t))
	}
	return types
}

func (c *call) createEndpoint() error {
	v := webhooksView{URL: c.form("url"), Description: c.form("description"), Types: c.eventTypes()}
	var e *feedback.Endpoint
	var secret string
	err := c.changeHook("webhook.created", feedback.EndpointHost(v.URL), func(tx *app.Tx) (err error) {
		e, secret, err = tx.CreateEndpoint(c.ctx, feedback.NewEndpoint{
			URL: feedback.EndpointURL(v.URL), Description: optional[feedback.EndpointDescription](v.Description), EventTypes: v.Types,
		})
		return err
	})
	if c.again(err) {
		return c.showWebhooks(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return c.refused(c.here("webhooks"), err)
	}
	c.secret()
	return c.showEndpoint(http.StatusOK, e.ID.String(), endpointView{Secret: secret})
}

// endpointView is the page of an endpoint: how it stands and what was sent.
type endpointView struct {
	Endpoint   *feedback.Endpoint
	Deliveries []feedback.Delivery
	Next       string
	Status     string
	Type       string
	Secret     string // shown once
	NoAccess   error
}

func (c *call) endpoint() error {
	return c.showEndpoint(http.StatusOK, c.r.PathValue("endpoint"), endpointView{})
}

func (c *call) showEndpoint(status int, endpoint string, v endpointView) error {
	q := c.r.URL.Query()
	v.Status, v.Type, v.NoAccess = q.Get("status"), q.Get("type"), c.who.Account.Plan.Require(feedback.Webhooks)
	f := feedback.DeliveryFilter{
		Window: feedback.Window{After: position(q.Get("after")), Limit: feedback.DefaultLimit},
		Status: optional[feedback.DeliveryStatus](v.Status), Type: optional[feedback.EventType](v.Type),
	}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Endpoint, err = tx.Endpoint(c.ctx, endpoint); err != nil {
			return err
		}
		page, err := tx.Deliveries(c.ctx, endpoint, f)
		v.Deliveries, v.Next = page.Items, nextPage(c.r, page.Next)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(status, endpointPage(c.chrome("Webhook", "webhooks"), v))
}

// thisEndpoint is the address of the endpoint of the request.
func (c *call) thisEndpoint(parts ...string) string {
	return c.here(append([]string{"webhooks", c.r.PathValue("endpoint")}, parts...)...)
}

func (c *call) saveEndpoint() error {
	endpoint := c.r.PathValue("endpoint")
	url := feedback.EndpointURL(c.form("url"))
	description := optional[feedback.EndpointDescription](c.form("description"))
	err := c.changeHook("webhook.changed", endpoint, func(tx *app.Tx) error {
		_, err := tx.UpdateEndpoint(c.ctx, endpoint, feedback.EndpointPatch{URL: &url, Description: &description, EventTypes: c.eventTypes()})
		return err
	})
	if e, ok := asError(err); ok && e.Code == feedback.ValidationFailed && c.again(err) {
		return c.showEndpoint(http.StatusUnprocessableEntity, endpoint, endpointView{})
	}
	if err != nil {
		return c.refused(c.thisEndpoint(), err)
	}
	return c.done(c.thisEndpoint(), "The endpoint is changed.")
}

func (c *call) switchEndpoint() error {
	endpoint, on := c.r.PathValue("endpoint"), c.form("on") == "true"
	action, text := "webhook.disabled", "The endpoint is off. What was waiting for it is cancelled."
	if on {
		action, text = "webhook.enabled", "The endpoint is on again, with a clean record."
	}
	err := c.changeHook(action, endpoint, func(tx *app.Tx) error {
		_, err := tx.UpdateEndpoint(c.ctx, endpoint, feedback.EndpointPatch{Enabled: &on})
		return err
	})
	if err != nil {
		return c.refused(c.thisEndpoint(), err)
	}
	return c.done(c.thisEndpoint(), text)
}

func (c *call) rotateSecret() error {
	endpoint := c.r.PathValue("endpoint")
	var in feedback.Rotation
	if text := c.form("graceHours"); text != "" {
		hours, err := strconv.Atoi(text)
		if err != nil || hours > 1000 || hours < -1000 {
			in.Malformed.Add("graceHours", feedback.RuleFormat, "must be a number of hours")
		}
		grace := feedback.GraceSeconds(hours) * 3600
		in.Grace = &grace
	}
	var secret string
	err := c.changeHook("webhook.secret_rotated", endpoint, func(tx *app.Tx) (err error) {
		_, secret, err = tx.RotateSecret(c.ctx, endpoint, in)
		return err
	})
	if err != nil {
		return c.refused(c.thisEndpoint(), err)
	}
	c.secret()
	return c.showEndpoint(http.StatusOK, endpoint, endpointView{Secret: secret})
}

func (c *call) testEndpoint() error {
	endpoint := c.r.PathValue("endpoint")
	var d *feedback.Delivery
	err := c.changeHook("webhook.tested", endpoint, func(tx *app.Tx) (err error) {
		d, err = tx.TestEndpoint(c.ctx, endpoint, feedback.EndpointTest{Type: optional[feedback.EventType](c.form("type"))})
		return err
	})
	if err != nil {
		return c.refused(c.thisEndpoint(), err)
	}
	return c.done(c.thisEndpoint(d.ID.String()), "A sample is on its way.")
}

func (c *call) deleteEndpoint() error {
	endpoint := c.r.PathValue("endpoint")
	err := c.changeHook("webhook.removed", endpoint, func(tx *app.Tx) error {
		return tx.DeleteEndpoint(c.ctx, endpoint, feedback.Input{})
	})
	if err != nil {
		return err
	}
	return c.done(c.here("webhooks"), "The endpoint is removed.")
}

// deliveryView is the page of a delivery: what was sent and what came back.
type deliveryView struct {
	Endpoint *feedback.Endpoint
	Delivery *feedback.DeliveryDetail
	Payload  string // for people
}

func (c *call) delivery() error {
	var v deliveryView
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Endpoint, err = tx.Endpoint(c.ctx, c.r.PathValue("endpoint")); err != nil {
			return err
		}
		v.Delivery, err = tx.Delivery(c.ctx, c.r.PathValue("endpoint"), c.r.PathValue("delivery"))
		return err
	})
	if err != nil {
		return err
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, v.Delivery.Payload, "", "  ") != nil {
		pretty.Write(v.Delivery.Payload)
	}
	v.Payload = pretty.String()
	return c.render(http.StatusOK, deliveryPage(c.chrome("Delivery", "webhooks"), v))
}

func (c *call) redeliver() error {
	var d *feedback.Delivery
	err := c.changeHook("webhook.redelivered", c.r.PathValue("delivery")+" to "+c.r.PathValue("endpoint"), func(tx *app.Tx) (err error) {
		d, err = tx.Redeliver(c.ctx, c.r.PathValue("endpoint"), c.r.PathValue("delivery"), feedback.Input{})
		return err
	})
	if err != nil {
		return c.refused(c.thisEndpoint(c.r.PathValue("delivery")), err)
	}
	return c.done(c.thisEndpoint(d.ID.String()), "It is on its way again.")
}

// takes reports whether a type is ticked in the form of an endpoint.
func takes(types []feedback.EventType, t string) bool {
	return slices.Contains(types, feedback.EventType(t))
}

// disabledText says why an endpoint is off.
func disabledText(e feedback.Endpoint) string {
	switch e.Reason {
	case feedback.DisabledByFailures:
		return "was turned off: too many deliveries in a row failed for good"
	case feedback.DisabledAsGone:
		return "was turned off: it answered that it is gone (410)"
	}
	return "is turned off"
}
