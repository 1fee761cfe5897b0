package feedback

import (
	"fmt"
	"net/url"
	"slices"
	"time"
)

// MaxEndpoints is how many webhook endpoints a site may have.
const MaxEndpoints = 10

// GraceSeconds is for how long both secrets of an endpoint sign after a rotation.
type GraceSeconds int64

// Bounds are the least, the greatest and the one that holds when none is given: a
// day of at most seven.
func (GraceSeconds) Bounds() (low, high, absent int) { return 0, 7 * 86400, 86400 }

// EndpointHost is the host of an endpoint's URL: what may be kept of it where the
// rest, which often holds a token, may not.
func EndpointHost(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}

// Endpoint is a place outside that is told what happens on a site.
type Endpoint struct {
	ID          EndpointID
	SiteID      SiteID
	URL         string
	Description *string
	EventTypes  []EventType // in documented order; empty: all
	Enabled     bool
	Reason      DisabledReason // empty: enabled
	DisabledAt  time.Time      // zero: enabled
	// Failures is how many deliveries in a row have used up all attempts.
	Failures  int
	CreatedAt time.Time
	UpdatedAt time.Time

	// The secrets are encrypted; only what signs opens them. Previous signs
	// too until PreviousExpiresAt.
	Secret            []byte
	Previous          []byte
	PreviousExpiresAt time.Time // zero: there is no previous secret

	// CancelBelow: what was waiting with a lower id when the endpoint was
	// disabled is not to be sent, not even if the endpoint is enabled again
	// before the last of it has been marked.
	CancelBelow DeliveryID
}

// EndpointKey is where an endpoint is found.
type EndpointKey struct {
	Site     SiteID
	Endpoint EndpointID
}

// Key is where the endpoint is found.
func (e *Endpoint) Key() EndpointKey { return EndpointKey{e.SiteID, e.ID} }

// DisabledReason says why an endpoint is disabled.
type DisabledReason string

// The reasons.
const (
	DisabledManually   DisabledReason = "manual"   // somebody switched it off
	DisabledByFailures DisabledReason = "failures" // too many deliveries in a row failed for good
	DisabledAsGone     DisabledReason = "gone"     // it answered 410
)

// Values lists the reasons.
func (DisabledReason) Values() []string { return []string{"manual", "failures", "gone"} }

// Takes reports whether the endpoint wants events of a type.
func (e *Endpoint) Takes(t EventType) bool {
	return len(e.EventTypes) == 0 || slices.Contains(e.EventTypes, t)
}

// Live returns nil if messages may be sent to the endpoint, and else an
// ENDPOINT_DISABLED error.
func (e *Endpoint) Live() error {
	if e.Enabled {
		return nil
	}
	return &Error{
		Code:    EndpointDisabled,
		Msg:     "The webhook endpoint is disabled.",
		Hint:    "Enable it first: set enabled to true.",
		Details: map[string]any{"endpointId": e.ID.String(), "disabledReason": string(e.Reason)},
	}
}

// Enable has the endpoint receive again, with a clean record.
func (e *Endpoint) Enable() {
	e.Enabled, e.Reason, e.DisabledAt, e.Failures = true, "", time.Time{}, 0
}

// Disable keeps everything from the endpoint. One that is disabled keeps its
// first reason.
func (e *Endpoint) Disable(why DisabledReason, now time.Time) {
	if e.Enabled {
		e.Enabled, e.Reason, e.DisabledAt = false, why, now
	}
}

// Succeeded notes that a message arrived: one success clears the record.
func (e *Endpoint) Succeeded() { e.Failures = 0 }

// Exhausted notes that a delivery has used up all its attempts. With the last of
// limit in a row the endpoint is disabled.
func (e *Endpoint) Exhausted(limit int, now time.Time) {
	e.Failures++
	if e.Failures >= limit {
		e.Disable(DisabledByFailures, now)
	}
}

// Expire forgets a previous secret whose grace is over.
func (e *Endpoint) Expire(now time.Time) {
	if !e.PreviousExpiresAt.After(now) {
		e.Previous, e.PreviousExpiresAt = nil, time.Time{}
	}
}

// ErrEndpointLimit is the error for one endpoint more than a site may have.
func ErrEndpointLimit() error {
	return &Error{
		Code:    LimitReached,
		Msg:     fmt.Sprintf("A site has at most %d webhook endpoints.", MaxEndpoints),
		Hint:    "Delete an endpoint that is no longer needed.",
		Details: map[string]any{"resource": "webhookEndpoint", "limit": MaxEndpoints},
	}
}

// URLCheck says what is wrong with the URL of an endpoint: a rule and the rule in
// words, or two empty strings. Which addresses may be sent to is a setting of the
// installation and a matter of networks, so the check is handed in: this package
// knows neither.
type URLCheck func(url string) (rule, message string)

// NewEndpoint is what it takes to add an endpoint.
type NewEndpoint struct {
	Input
	URL         EndpointURL
	Description *EndpointDescription
	EventTypes  []EventType
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewEndpoint) Check(usable URLCheck) error {
	p := in.problems()
	checkURL(&p, "url", in.URL, usable)
	checkOptional(&p, "description", in.Description)
	checkEventTypes(&p, "eventTypes", in.EventTypes)
	return p.Err()
}

// EndpointPatch is what can be changed in an endpoint. What is nil stays.
type EndpointPatch struct {
	Input
	URL         *EndpointURL
	Description **EndpointDescription // pointing to nil: to none
	EventTypes  []EventType           // empty but not nil: to all
	Enabled     *bool
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in EndpointPatch) Check(usable URLCheck) error {
	p := in.problems()
	if in.URL != nil {
		checkURL(&p, "url", *in.URL, usable)
	}
	if in.Description != nil {
		checkOptional(&p, "description", *in.Description)
	}
	checkEventTypes(&p, "eventTypes", in.EventTypes)
	return p.Err()
}

func checkURL(p *Problems, path string, url EndpointURL, usable URLCheck) {
	checkText(p, path, url)
	if !p.Has(path) {
		if rule, message := usable(string(url)); rule != "" {
			p.Add(path, rule, message)
		}
	}
}

func checkEventTypes(p *Problems, path string, types []EventType) {
	if limit := len(EventType("").Values()); len(types) > limit {
		p.Add(path, RuleMaxItems, fmt.Sprintf("must have at most %d items, and has %d", limit, len(types)))
		return
	}
	for i, t := range types {
		checkEnum(p, fmt.Sprintf("%s.%d", path, i), t)
	}
}

// SortEventTypes returns the types in documented order and once each.
func SortEventTypes(types []EventType) []EventType {
	sorted := []EventType{}
	for _, name := range EventType("").Values() {
		if slices.Contains(types, EventType(name)) {
			sorted = append(sorted, EventType(name))
		}
	}
	return sorted
}

// Rotation is what it takes to give an endpoint a new secret.
type Rotation struct {
	Input
	Grace *GraceSeconds
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in Rotation) Check() error {
	p := in.problems()
	if in.Grace != nil {
		low, high, _ := in.Grace.Bounds()
		switch {
		case int64(*in.Grace) < int64(low):
			p.Add("graceSeconds", RuleMinimum, fmt.Sprintf("must be at least %d", low))
		case int64(*in.Grace) > int64(high):
			p.Add("graceSeconds", RuleMaximum, fmt.Sprintf("must be at most %d, which is 7 days", high))
		}
	}
	return p.Err()
}

// For is how long the old secret signs beside the new one.
func (in Rotation) For() time.Duration {
	_, _, seconds := GraceSeconds(0).Bounds()
	if in.Grace != nil {
		seconds = int(*in.Grace)
	}
	return time.Duration(seconds) * time.Second
}

// EndpointTest is what it takes to send a sample to an endpoint.
type EndpointTest struct {
	Input
	Type *EventType // nil: the first the endpoint wants
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in EndpointTest) Check() error {
	p := in.problems()
	checkOptionalEnum(&p, "type", in.Type)
	return p.Err()
}

// DeliveryStatus says how a delivery stands.
type DeliveryStatus string

// The states of a delivery. All but the first are final, except that a cancelled
// delivery whose last attempt was under way may still turn out to have succeeded.
const (
	DeliveryPending   DeliveryStatus = "pending"   // there is an attempt to come
	DeliverySucceeded DeliveryStatus = "succeeded" // the receiver answered 2xx
	DeliveryFailed    DeliveryStatus = "failed"    // all attempts are used up, or the receiver is gone
	DeliveryCancelled DeliveryStatus = "cancelled" // the endpoint was disabled before it arrived
)

// Values lists the states.
func (DeliveryStatus) Values() []string {
	return []string{"pending", "succeeded", "failed", "cancelled"}
}

// Trigger says what caused a delivery.
type Trigger string

// The causes.
const (
	ByEvent      Trigger = "event"
	ByTest       Trigger = "test"
	ByRedelivery Trigger = "redelivery"
)

// Values lists the causes.
func (Trigger) Values() []string { return []string{"event", "test", "redelivery"} }

// Delivery is one message on its way to one endpoint.
type Delivery struct {
	ID            DeliveryID
	SiteID        SiteID
	EndpointID    EndpointID
	MessageID     MessageID // the event; the same in every delivery and attempt of it
	Type          EventType
	Status        DeliveryStatus
	Trigger       Trigger
	Attempts      int
	NextAttemptAt time.Time // zero: none to come
	CreatedAt     time.Time
	CompletedAt   time.Time // zero: pending
}

// Attempt is one try at handing a message over.
type Attempt struct {
	Number    int // from 1
	StartedAt time.Time
	Duration  time.Duration
	Status    int    // of the response; zero: there was none
	Body      string // how the response begins
	Truncated bool   // the response goes on after Body
	Error     string // the class of the failure; empty: success
}

// DeliveryDetail is a delivery with what was sent and what came of it.
type DeliveryDetail struct {
	Delivery
	Payload []byte
	Log     []Attempt
}

// DeliveryFilter asks for one page of an endpoint's deliveries.
type DeliveryFilter struct {
	Window
	Status *DeliveryStatus
	Type   *EventType
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (f DeliveryFilter) Check() error {
	p := f.problems()
	checkOptionalEnum(&p, "status", f.Status)
	checkOptionalEnum(&p, "type", f.Type)
	f.check(&p)
	return p.Err()
}
