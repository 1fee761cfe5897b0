package feedback

import (
	"errors"
	"fmt"
)

// Code says what went wrong, for a program to branch on. Transports map a Code
// to their own vocabulary; nothing below a transport knows an HTTP status.
type Code string

// The zero Code is an internal error, so an error that nobody classified is
// never shown.
const (
	Internal          Code = "INTERNAL"
	Unavailable       Code = "UNAVAILABLE"
	InvalidJSON       Code = "INVALID_JSON"
	InvalidRequest    Code = "INVALID_REQUEST"
	InvalidCursor     Code = "INVALID_CURSOR"
	IdempotencyBadKey Code = "IDEMPOTENCY_KEY_INVALID"
	Unauthenticated   Code = "UNAUTHENTICATED"
	UpgradeRequired   Code = "UPGRADE_REQUIRED"
	ScopeRequired     Code = "SCOPE_REQUIRED"
	SiteForbidden     Code = "SITE_FORBIDDEN"
	NotFound          Code = "NOT_FOUND"
	RouteNotFound     Code = "ROUTE_NOT_FOUND"
	MethodNotAllowed  Code = "METHOD_NOT_ALLOWED"
	IdempotencyBusy   Code = "IDEMPOTENCY_IN_PROGRESS"
	IdempotencyReused Code = "IDEMPOTENCY_KEY_REUSED"
	ValidationFailed  Code = "VALIDATION_FAILED"
	NoteRequired      Code = "NOTE_REQUIRED"
	SlugTaken         Code = "SLUG_TAKEN"
	NameTaken         Code = "NAME_TAKEN"
	PostLocked        Code = "POST_LOCKED"
	InvalidTransition Code = "INVALID_TRANSITION"
	RunActive         Code = "RUN_ACTIVE"
	EndpointDisabled  Code = "ENDPOINT_DISABLED"
	LimitReached      Code = "LIMIT_REACHED"
	RateLimited       Code = "RATE_LIMITED"
	// Of the faces for people; the API never answers with these.
	SignInRequired Code = "SIGN_IN_REQUIRED"
	Forbidden      Code = "FORBIDDEN"
)

// Error is an error that may be shown to whoever caused it: Msg, Hint and
// Details are safe to show. Err is the cause; it reaches the log and never a
// response.
type Error struct {
	Code    Code
	Msg     string
	Hint    string         // the one step that fixes it, where there is one
	Details map[string]any // what it is about
	Err     error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Msg, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Msg)
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the Code of err, or Internal if err carries none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok && e.Code != "" {
		return e.Code
	}
	return Internal
}

// IsNotFound reports whether err says that something does not exist, or is not
// for this caller to see: the two are never told apart.
func IsNotFound(err error) bool { return CodeOf(err) == NotFound }

// Missing is the error for a thing that does not exist or is not for this
// caller to see. id is what the caller sent.
func Missing(resource, id string) *Error {
	return &Error{
		Code:    NotFound,
		Msg:     fmt.Sprintf("There is no %s %q here.", resource, id),
		Hint:    "Check the id and the site it belongs to; a key reaches only what its account owns.",
		Details: map[string]any{"resource": resource, "id": id},
	}
}

// MissingIn is [Missing] for an id that stood in a member of the input.
func MissingIn(field, resource, id string) *Error {
	e := Missing(resource, id)
	e.Details["field"] = field
	return e
}
