package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"heed/internal/feedback"
)

// codeMeaning says of a code which status it is sent with and what it means.
type codeMeaning struct {
	Code   feedback.Code
	Status int
	Means  string
}

// codes are all codes, by status. The page that the docs member of an error
// points to is made of them.
var codes = []codeMeaning{
	{feedback.InvalidJSON, 400, "The body is not a JSON text: it is cut off, has a member twice, is not UTF-8 or is nested too deeply. details.offset says where reading stopped."},
	{feedback.InvalidRequest, 400, "The request cannot be read: details.reason says which part of it."},
	{feedback.InvalidCursor, 400, "The cursor was not issued for this list with these filters. Begin again without one."},
	{feedback.IdempotencyBadKey, 400, "The Idempotency-Key header is not 1 to 255 visible ASCII characters."},
	{feedback.Unauthenticated, 401, "There is no API key in the request, or it is not valid."},
	{feedback.UpgradeRequired, 402, "The plan of the account does not include the feature in details.entitlement, or the count in details.dimension is at its limit."},
	{feedback.ScopeRequired, 403, "The key does not hold the scope in details.requiredScope."},
	{feedback.SiteForbidden, 403, "The key is restricted to the site in details.keySiteId."},
	{feedback.NotFound, 404, "The thing in details.resource with the id in details.id does not exist, or belongs to somebody else."},
	{feedback.RouteNotFound, 404, "There is nothing at this path."},
	{feedback.MethodNotAllowed, 405, "The path is served with other methods: those in details.allowed."},
	{feedback.IdempotencyBusy, 409, "A request with the same idempotency key is still being processed."},
	{feedback.IdempotencyReused, 422, "The idempotency key was used before with another body or operation: details.differs says which."},
	{feedback.ValidationFailed, 422, "The request can be read but breaks rules: details.fields names every member at fault, the rule and what it asks for."},
	{feedback.NoteRequired, 422, "The status tells voters a note with every move to it, and there is none."},
	{feedback.SlugTaken, 422, "The slug is in use on the site."},
	{feedback.NameTaken, 422, "The name is in use on the site."},
	{feedback.PostLocked, 422, "The post is locked, archived or merged and takes no more votes or comments; one that was merged takes no status and no run either. details.reason says which."},
	{feedback.InvalidTransition, 422, "What is asked for does not follow from the present state."},
	{feedback.RunActive, 422, "Another run is at work on the post: details.runId."},
	{feedback.EndpointDisabled, 422, "The webhook endpoint is disabled."},
	{feedback.LimitReached, 422, "There are as many of these as there may be."},
	{feedback.RateLimited, 429, "The key has sent more requests than its plan allows. Retry-After says when to go on."},
	{feedback.Internal, 500, "Something went wrong on our side. details.requestId finds it in the log."},
	{feedback.Unavailable, 503, "The service cannot answer at the moment. Send the request again."},
}

var statusOf = func() map[feedback.Code]int {
	m := map[feedback.Code]int{}
	for _, c := range codes {
		m[c.Code] = c.Status
	}
	return m
}()

// Error is the body of every error.
type Error struct {
	Error ErrorBody `json:"error"`
}

// ErrorBody says what went wrong.
type ErrorBody struct {
	Code    feedback.Code  `json:"code" doc:"What to branch on."`
	Message string         `json:"message" doc:"Text for people."`
	Details map[string]any `json:"details,omitempty" doc:"What the error is about."`
	Docs    string         `json:"docs,omitempty" doc:"The section that explains the error."`
	Hint    string         `json:"hint,omitempty" doc:"The one step that fixes it, where there is one."`
}

// writeError is the one place where an error becomes a response, and the one
// where it is logged.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, err error) {
	// Who waits to be told to go on has not sent the body, and need not.
	if r.Body != nil && r.Header.Get("Expect") == "" {
		drain(r)
	}
	e, ok := errors.AsType[*feedback.Error](err)
	if !ok || statusOf[e.Code] == 0 || e.Code == feedback.Unavailable {
		e = a.unexpected(w, r, err)
	}
	status := statusOf[e.Code]
	h := w.Header()
	switch e.Code {
	case feedback.Unauthenticated:
		h.Set("WWW-Authenticate", "Bearer")
	case feedback.IdempotencyBusy, feedback.RateLimited:
		if s, ok := e.Details["retryAfterSeconds"].(int); ok {
			h.Set("Retry-After", strconv.Itoa(s))
		}
	case feedback.Unavailable:
		h.Set("Retry-After", "1")
	}
	body, encodeErr := json.Marshal(bodyOf(e, a.cfg.BaseURL))
	if encodeErr != nil {
		a.cfg.Log.ErrorContext(r.Context(), "error not encoded", "err", encodeErr)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(body)
}

// bodyOf is what is shown of an error.
func bodyOf(e *feedback.Error, baseURL string) Error {
	return Error{ErrorBody{
		Code: e.Code, Message: e.Msg, Details: e.Details, Hint: e.Hint,
		Docs: baseURL + "/docs/errors#" + string(e.Code),
	}}
}

// unexpected logs an error that is not the caller's and says nothing of it.
func (a *API) unexpected(w http.ResponseWriter, r *http.Request, err error) *feedback.Error {
	id := w.Header().Get("Request-Id")
	details := map[string]any{"requestId": id}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &feedback.Error{Code: feedback.Unavailable, Msg: "The request was given up.", Details: details,
			Hint: "Send the request again."}
	}
	a.cfg.Log.ErrorContext(r.Context(), "request failed", "request", id, "route", r.Pattern, "err", err)
	if e, ok := errors.AsType[*feedback.Error](err); ok && e.Code == feedback.Unavailable {
		return &feedback.Error{Code: e.Code, Msg: e.Msg, Details: details, Hint: "Send the request again in a moment."}
	}
	return &feedback.Error{Code: feedback.Internal, Msg: "Something went wrong on our side.", Details: details}
}
