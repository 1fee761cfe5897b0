package api

import (
	"strconv"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/ratelimit"
)

// errorStatuses are those that every operation can answer with, each with an
// error as the service sends it and the headers that come with it.
var errorStatuses = []struct {
	status  int
	means   string
	sample  error
	headers []string
}{
	{400, "Invalid request", checkJSON([]byte(`{"title":`)), rateHeaders},
	{401, "Missing or invalid API key", app.ErrUnauthenticated("missing"), []string{"WWW-Authenticate"}},
	{402, "The plan does not include API access, or a plan count limit is reached", feedback.Free.Require(feedback.APIAccess), rateHeaders},
	{403, "The key lacks the scope or site access", (&feedback.Key{Scopes: []feedback.Scope{feedback.PostsRead}}).Require(feedback.PostsWrite), rateHeaders},
	{404, "Not found", feedback.Missing("post", "post"+sampleDigits), rateHeaders},
	{409, "A request with this idempotency key is still processing", app.ErrInProgress(), append(rateHeaders, "Retry-After")},
	{422, "A validation error, or the idempotency key was reused with a different body", feedback.Problems{
		{Path: "title", Rule: feedback.RuleMaxLength, Message: "must have at most 200 characters, and has 201"},
	}.Err(), rateHeaders},
	{429, "The rate limit of the key is exceeded; Retry-After says when to go on", errRateLimited(
		ratelimit.Rate{Requests: 3000, Window: time.Minute}, time.Second, "This key has sent too many requests."), append(rateHeaders, "Retry-After")},
}

// errorResponses are the errors by status.
func errorResponses(body *schema, baseURL string) map[string]*response {
	all := map[string]*response{}
	for _, e := range errorStatuses {
		all[strconv.Itoa(e.status)] = &response{
			Description: e.means, Headers: headers(e.headers...),
			Content: map[string]mediaType{"application/json": {Schema: body, Example: bodyOf(e.sample.(*feedback.Error), baseURL)}},
		}
	}
	return all
}

// rateHeaders come with every answer to a key, where rates are limited at all.
var rateHeaders = []string{"RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

// responseHeaders are the headers of answers that mean something to a program.
var responseHeaders = map[string]header{
	"Request-Id":            {Description: "Names this request in our log.", Schema: &schema{Type: "string"}},
	"WWW-Authenticate":      {Description: "Bearer.", Schema: &schema{Type: "string", Enum: []any{"Bearer"}}},
	"Retry-After":           {Description: "In how many seconds to send the request again.", Schema: &schema{Type: "integer"}},
	"Idempotent-Replayed":   {Description: "The write was done before: this is the answer it had then.", Schema: &schema{Type: "string", Enum: []any{"true"}}},
	"RateLimit-Policy":      {Description: "How many requests the key may send at once (q), and in how many seconds that many come back (w).", Schema: &schema{Type: "string"}},
	"RateLimit":             {Description: "How many requests are left (r), and in how many seconds there will be more (t).", Schema: &schema{Type: "string"}},
	"X-RateLimit-Limit":     {Description: "How many requests the key may send at once.", Schema: &schema{Type: "integer"}},
	"X-RateLimit-Remaining": {Description: "How many of them are left.", Schema: &schema{Type: "integer"}},
	"X-RateLimit-Reset":     {Description: "In how many seconds all of them are there again.", Schema: &schema{Type: "integer"}},
}

// headers are the headers of an answer: the one that all have, and these.
func headers(names ...string) map[string]header {
	all := map[string]header{}
	for _, name := range append([]string{"Request-Id"}, names...) {
		all[name] = header{Ref: "#/components/headers/" + name}
	}
	return all
}
