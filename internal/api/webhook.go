package api

import (
	"context"
	"net/http"
	"reflect"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

// webhooksOfSite is the target of operations on webhooks: a site, for an account
// whose plan has them.
func webhooksOfSite(c *call) app.Target {
	return app.Target{Site: c.path("siteId"), Entitlement: feedback.Webhooks}
}

const (
	endpointsPath  = "/v1/sites/{siteId}/webhook-endpoints"
	endpointPath   = endpointsPath + "/{endpointId}"
	deliveriesPath = endpointPath + "/deliveries"
	deliveryPath   = deliveriesPath + "/{deliveryId}"
)

// ofWebhooks fills in what the operations on webhooks have in common.
func ofWebhooks(op operation) operation {
	op.scope, op.target = feedback.WebhooksWrite, webhooksOfSite
	return extension(op)
}

func webhookOperations() []operation {
	return append(endpointOperations(), deliveryOperations()...)
}

func endpointOperations() []operation {
	return []operation{
		writes(ofWebhooks(operation{
			id: "createWebhookEndpoint", method: http.MethodPost, path: endpointsPath, status: http.StatusCreated, secret: true,
			summary:     "Add a webhook endpoint",
			description: "From now on the endpoint is sent what happens on the site. The answer holds its signing secret, which is shown this once.",
		}), func(ctx context.Context, tx *app.Tx, _ *call, b CreateWebhookEndpointRequest, in feedback.Input) (wire.WebhookEndpointWithSecret, error) {
			e, secret, err := tx.CreateEndpoint(ctx, feedback.NewEndpoint{
				Input: in, URL: b.URL, Description: b.Description, EventTypes: b.EventTypes,
			})
			return withSecret(e, secret, err)
		}),
		lists(ofWebhooks(operation{
			id: "listWebhookEndpoints", path: endpointsPath,
			summary:     "List webhook endpoints",
			description: "The webhook endpoints of the site by creation, without their secrets.",
		}), wire.WebhookEndpointOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Endpoint], error) {
			return tx.Endpoints(ctx, c.window())
		}),
		reads(ofWebhooks(operation{
			id: "getWebhookEndpoint", path: endpointPath, summary: "Get a webhook endpoint",
		}), func(ctx context.Context, tx *app.Tx, c *call) (wire.WebhookEndpoint, error) {
			e, err := tx.Endpoint(ctx, c.path("endpointId"))
			return object(wire.WebhookEndpointOf, e, err)
		}),
		writes(ofWebhooks(operation{
			id: "updateWebhookEndpoint", method: http.MethodPatch, path: endpointPath, status: http.StatusOK,
			summary: "Change a webhook endpoint",
			description: "Changes the members that are sent and no others. Disabling an endpoint cancels what is waiting for it; " +
				"enabling it again begins a clean record.",
		}), func(ctx context.Context, tx *app.Tx, c *call, b UpdateWebhookEndpointRequest, in feedback.Input) (wire.WebhookEndpoint, error) {
			e, err := tx.UpdateEndpoint(ctx, c.path("endpointId"), feedback.EndpointPatch{
				Input: in, URL: b.URL, Description: b.Description, EventTypes: b.EventTypes, Enabled: b.Enabled,
			})
			return object(wire.WebhookEndpointOf, e, err)
		}),
		deletes(ofWebhooks(operation{
			id: "deleteWebhookEndpoint", path: endpointPath,
			summary:     "Delete a webhook endpoint",
			description: "Removes the endpoint, what is waiting for it and its log.",
		}), func(ctx context.Context, tx *app.Tx, c *call, in feedback.Input) error {
			return tx.DeleteEndpoint(ctx, c.path("endpointId"), in)
		}),
		writes(ofWebhooks(operation{
			id: "rotateWebhookSecret", method: http.MethodPost, path: endpointPath + "/rotate-secret", status: http.StatusOK, secret: true,
			summary: "Rotate the signing secret",
			description: "Makes a new secret, which is shown this once. Until the grace is over messages carry two signatures, " +
				"the new one first, so that the receiver can change over at any moment.",
		}), func(ctx context.Context, tx *app.Tx, c *call, b RotateWebhookSecretRequest, in feedback.Input) (wire.WebhookEndpointWithSecret, error) {
			e, secret, err := tx.RotateSecret(ctx, c.path("endpointId"), feedback.Rotation{Input: in, Grace: b.GraceSeconds})
			return withSecret(e, secret, err)
		}),
		writes(ofWebhooks(operation{
			id: "testWebhookEndpoint", method: http.MethodPost, path: endpointPath + "/test", status: http.StatusAccepted,
			summary:     "Send a sample event",
			description: "Sends an event with made-up data, signed, retried and logged like any other. Read the delivery to see what came of it.",
		}), func(ctx context.Context, tx *app.Tx, c *call, b TestWebhookEndpointRequest, in feedback.Input) (wire.WebhookDelivery, error) {
			d, err := tx.TestEndpoint(ctx, c.path("endpointId"), feedback.EndpointTest{Input: in, Type: b.Type})
			return object(wire.WebhookDeliveryOf, d, err)
		}),
	}
}

func deliveryOperations() []operation {
	return []operation{
		lists(ofWebhooks(operation{
			id: "listWebhookDeliveries", path: deliveriesPath,
			summary:     "List deliveries",
			description: "The messages to the endpoint, newest first, of the last 30 days.",
			query: []param{
				{name: "status", typ: reflect.TypeFor[feedback.DeliveryStatus](), doc: "Only deliveries that stand so."},
				{name: "type", typ: reflect.TypeFor[feedback.EventType](), doc: "Only deliveries of this event."},
			},
		}), wire.WebhookDeliveryOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Delivery], error) {
			return tx.Deliveries(ctx, c.path("endpointId"), feedback.DeliveryFilter{
				Window: c.window(), Status: queried[feedback.DeliveryStatus](c, "status"), Type: queried[feedback.EventType](c, "type"),
			})
		}),
		reads(ofWebhooks(operation{
			id: "getWebhookDelivery", path: deliveryPath,
			summary:     "Get a delivery",
			description: "What was sent, and every attempt with what the receiver answered.",
		}), func(ctx context.Context, tx *app.Tx, c *call) (wire.WebhookDeliveryDetail, error) {
			d, err := tx.Delivery(ctx, c.path("endpointId"), c.path("deliveryId"))
			return object(wire.WebhookDeliveryDetailOf, d, err)
		}),
		writes(ofWebhooks(operation{
			id: "redeliverWebhook", method: http.MethodPost, path: deliveryPath + "/redeliver", status: http.StatusAccepted,
			summary: "Send a message again",
			description: "Sends the same message as a delivery of its own, with the same webhook-id. " +
				"The answer is the new delivery.",
		}), func(ctx context.Context, tx *app.Tx, c *call, _ none, in feedback.Input) (wire.WebhookDelivery, error) {
			d, err := tx.Redeliver(ctx, c.path("endpointId"), c.path("deliveryId"), in)
			return object(wire.WebhookDeliveryOf, d, err)
		}),
	}
}

func withSecret(e *feedback.Endpoint, secret string, err error) (wire.WebhookEndpointWithSecret, error) {
	o, err := object(wire.WebhookEndpointOf, e, err)
	return wire.WebhookEndpointWithSecret{WebhookEndpoint: o, Secret: secret}, err
}

// queried returns a parameter of the query, nil where it is absent. One that is
// given twice is reported by window.
func queried[T ~string](c *call, name string) *T {
	if vs := c.query[name]; len(vs) == 1 {
		v := T(vs[0])
		return &v
	}
	return nil
}

// CreateWebhookEndpointRequest is the body of createWebhookEndpoint.
type CreateWebhookEndpointRequest struct {
	URL         feedback.EndpointURL          `json:"url" doc:"Where to send to: HTTPS, on port 443 or 8443, at a public address." example:"https://hooks.example.com/heed"`
	Description *feedback.EndpointDescription `json:"description" example:"Posts to our chat"`
	EventTypes  []feedback.EventType          `json:"eventTypes" doc:"The events to send; all when empty or left out." example:"post.created"`
}

// UpdateWebhookEndpointRequest is the body of updateWebhookEndpoint.
type UpdateWebhookEndpointRequest struct {
	URL         *feedback.EndpointURL          `json:"url" doc:"Where to send to: HTTPS, on port 443 or 8443, at a public address." example:"https://hooks.example.com/heed"`
	Description **feedback.EndpointDescription `json:"description" doc:"Null for none." example:"Posts to our chat"`
	EventTypes  []feedback.EventType           `json:"eventTypes" doc:"The events to send; all when empty." example:"post.created"`
	Enabled     *bool                          `json:"enabled"`
}

// RotateWebhookSecretRequest is the body of rotateWebhookSecret.
type RotateWebhookSecretRequest struct {
	GraceSeconds *feedback.GraceSeconds `json:"graceSeconds" doc:"For how long the old secret signs too."`
}

// TestWebhookEndpointRequest is the body of testWebhookEndpoint.
type TestWebhookEndpointRequest struct {
	Type *feedback.EventType `json:"type" doc:"The event to send; the first the endpoint wants when left out."`
}
