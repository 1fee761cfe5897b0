package wire

import (
	"encoding/json"
	"time"

	"heed/internal/feedback"
)

// WebhookEndpoint is a place outside that is told what happens on a site.
type WebhookEndpoint struct {
	ID                      feedback.EndpointID      `json:"id"`
	SiteID                  feedback.SiteID          `json:"siteId"`
	URL                     string                   `json:"url" example:"https://hooks.example.com/heed"`
	Description             *string                  `json:"description" example:"Posts to our chat"`
	EventTypes              []feedback.EventType     `json:"eventTypes" doc:"The events that are sent; empty for all."`
	Enabled                 bool                     `json:"enabled"`
	DisabledReason          *feedback.DisabledReason `json:"disabledReason" doc:"Why the endpoint is disabled; null while it is enabled."`
	DisabledAt              *Time                    `json:"disabledAt"`
	ConsecutiveFailures     int                      `json:"consecutiveFailures" doc:"How many deliveries in a row have used up all their attempts."`
	PreviousSecretExpiresAt *Time                    `json:"previousSecretExpiresAt" doc:"Until when the secret before the last rotation signs too; null when it does not."`
	CreatedAt               Time                     `json:"createdAt"`
	UpdatedAt               Time                     `json:"updatedAt"`
}

// WebhookEndpointOf makes a WebhookEndpoint.
func WebhookEndpointOf(e *feedback.Endpoint) WebhookEndpoint {
	types := e.EventTypes
	if types == nil {
		types = []feedback.EventType{}
	}
	return WebhookEndpoint{
		ID: e.ID, SiteID: e.SiteID, URL: e.URL, Description: e.Description, EventTypes: types, Enabled: e.Enabled,
		DisabledReason: maybe(e.Reason), DisabledAt: MaybeAt(e.DisabledAt), ConsecutiveFailures: e.Failures,
		PreviousSecretExpiresAt: MaybeAt(e.PreviousExpiresAt), CreatedAt: At(e.CreatedAt), UpdatedAt: At(e.UpdatedAt),
	}
}

// WebhookEndpointWithSecret is an endpoint with its signing secret, which is
// shown once.
type WebhookEndpointWithSecret struct {
	WebhookEndpoint
	Secret string `json:"secret" doc:"Signs the messages to this endpoint. It is shown this once." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwJ2fVn0Zc9Qk="`
}

// WebhookDelivery is one message on its way to one endpoint.
type WebhookDelivery struct {
	ID            feedback.DeliveryID     `json:"id"`
	EndpointID    feedback.EndpointID     `json:"endpointId"`
	MessageID     feedback.MessageID      `json:"messageId" doc:"The webhook-id header: the same on every attempt and redelivery of an event."`
	Type          feedback.EventType      `json:"type"`
	Status        feedback.DeliveryStatus `json:"status"`
	Trigger       feedback.Trigger        `json:"trigger" doc:"What caused the delivery."`
	AttemptCount  int                     `json:"attemptCount"`
	NextAttemptAt *Time                   `json:"nextAttemptAt" doc:"When the next attempt is due; null when there is none to come."`
	CreatedAt     Time                    `json:"createdAt"`
	CompletedAt   *Time                   `json:"completedAt" doc:"Null while the delivery is pending."`
}

// WebhookDeliveryOf makes a WebhookDelivery.
func WebhookDeliveryOf(d *feedback.Delivery) WebhookDelivery {
	return WebhookDelivery{
		ID: d.ID, EndpointID: d.EndpointID, MessageID: d.MessageID, Type: d.Type, Status: d.Status, Trigger: d.Trigger,
		AttemptCount: d.Attempts, NextAttemptAt: MaybeAt(d.NextAttemptAt), CreatedAt: At(d.CreatedAt),
		CompletedAt: MaybeAt(d.CompletedAt),
	}
}

// WebhookDeliveryDetail is a delivery with what was sent and what came of it.
type WebhookDeliveryDetail struct {
	WebhookDelivery
	Payload  json.RawMessage   `json:"payload" doc:"The body that is sent."`
	Attempts []DeliveryAttempt `json:"attempts"`
}

// DeliveryAttempt is one try at handing a message over.
type DeliveryAttempt struct {
	Number            int     `json:"number" doc:"Counts the attempts of a delivery from 1."`
	StartedAt         Time    `json:"startedAt"`
	DurationMs        int64   `json:"durationMs" example:"84"`
	ResponseStatus    *int    `json:"responseStatus" doc:"Null when no response arrived." example:"200"`
	ResponseBody      *string `json:"responseBody" doc:"The first 4,096 bytes of the response; null when no response arrived." example:"ok"`
	ResponseTruncated bool    `json:"responseTruncated" doc:"True when the response went on after responseBody."`
	Error             *string `json:"error" doc:"The class of the failure, such as timeout, certificate or status; null for a success." example:"timeout"`
}

// WebhookDeliveryDetailOf makes a WebhookDeliveryDetail.
func WebhookDeliveryDetailOf(d *feedback.DeliveryDetail) WebhookDeliveryDetail {
	detail := WebhookDeliveryDetail{
		WebhookDelivery: WebhookDeliveryOf(&d.Delivery), Payload: d.Payload, Attempts: make([]DeliveryAttempt, len(d.Log)),
	}
	for i, a := range d.Log {
		w := DeliveryAttempt{
			Number: a.Number, StartedAt: At(a.StartedAt), DurationMs: int64(a.Duration / time.Millisecond),
			ResponseStatus: maybe(a.Status), ResponseTruncated: a.Truncated, Error: maybe(a.Error),
		}
		if a.Status != 0 {
			w.ResponseBody = &a.Body
		}
		detail.Attempts[i] = w
	}
	return detail
}
