package api

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/ratelimit"
)

// serve is the order in which every request is checked:
//
//	route and method (the mux) → 401 → 429 → 402 api_access → 403 scope →
//	read (400) → 403 pinned to another site → 404 site → 402 feature →
//	idempotency → 404 resource → 422 → execute
//
// From the pin on, package app does the checking, in the transaction of the
// operation.
func (a *API) serve(w http.ResponseWriter, r *http.Request, op *operation) {
	res, err := a.answer(w, r, op)
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	if res.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	if len(res.Body) == 0 {
		w.WriteHeader(res.Status)
		return
	}
	h.Set("Content-Type", "application/json")
	// Without it a long answer would go out in chunks.
	h.Set("Content-Length", strconv.Itoa(len(res.Body)))
	w.WriteHeader(res.Status)
	w.Write(res.Body)
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, op *operation) (res app.Response, err error) {
	actor, err := a.authenticate(r)
	if err != nil {
		return res, err
	}
	if err := a.limitRate(w, actor); err != nil {
		return res, err
	}
	if err := actor.Account.Plan.Require(feedback.APIAccess); err != nil {
		return res, err
	}
	if err := actor.Key.Require(op.scope); err != nil {
		return res, err
	}
	c, err := a.read(r, op, actor)
	if err != nil {
		return res, err
	}
	return op.perform(r.Context(), c)
}

func (a *API) authenticate(r *http.Request) (*app.Actor, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return nil, app.ErrUnauthenticated("missing")
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return nil, a.failed(r, app.ErrUnauthenticated("malformed"))
	}
	actor, err := a.cfg.App.Authenticate(r.Context(), strings.TrimSpace(secret), r.PathValue("siteId"))
	if feedback.CodeOf(err) == feedback.Unauthenticated {
		err = a.failed(r, err)
	}
	return actor, err
}

// failureRate bounds how fast one address may try keys that are none.
var failureRate = ratelimit.Rate{Requests: 30, Window: time.Minute, Burst: 30}

// failed counts a failed authentication against the address it came from. It
// returns err, or RATE_LIMITED when there were too many. A good key is never
// refused for what others at its address do.
func (a *API) failed(r *http.Request, err error) error {
	if len(a.cfg.Rates) == 0 {
		return err
	}
	res := a.failures.Allow(addressOf(r), failureRate)
	if res.Allowed {
		return err
	}
	return a.rateLimited(failureRate, res, "Too many requests with an invalid API key came from this address.")
}

// addressOf returns where a request came from: the address, or for IPv6 the
// network that one subscriber has.
func addressOf(r *http.Request) netip.Prefix {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	addr, _ := netip.ParseAddr(host)
	bits := 32
	if addr = addr.Unmap(); addr.Is6() {
		bits = 64
	}
	p, _ := addr.WithZone("").Prefix(bits)
	return p
}

func (a *API) limitRate(w http.ResponseWriter, actor *app.Actor) error {
	rate, ok := a.cfg.Rates[string(actor.Account.Plan)]
	if !ok {
		// A plan without a rate of its own has no API access either; until
		// that is said, the strictest there is holds.
		if rate, ok = a.cfg.Rates[string(feedback.Pro)]; !ok {
			return nil
		}
	}
	res := a.keys.Allow(actor.Key.ID, rate)
	ratelimit.Headers(w.Header(), rate, res)
	if res.Allowed {
		return nil
	}
	return a.rateLimited(rate, res, "This key has sent too many requests.")
}

func (a *API) rateLimited(rate ratelimit.Rate, res ratelimit.Result, msg string) error {
	if a.cfg.OnRateLimited != nil {
		a.cfg.OnRateLimited()
	}
	return errRateLimited(rate, res.RetryAfter, msg)
}

func errRateLimited(rate ratelimit.Rate, after time.Duration, msg string) error {
	wait := int((after + time.Second - 1) / time.Second)
	return &feedback.Error{
		Code: feedback.RateLimited, Msg: msg,
		Hint: fmt.Sprintf("Wait %d s, then go on more slowly.", wait),
		Details: map[string]any{
			"limit": rate.Requests, "windowSeconds": int(rate.Window / time.Second), "retryAfterSeconds": wait,
		},
	}
}

// noRoute answers a request for something that is not there: 405 if another
// method would be served, else 404.
func (a *API) noRoute(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	if !unclean(r.URL.Path) {
		for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			probe := &http.Request{Method: m, URL: r.URL, Host: r.Host}
			if _, pattern := a.mux.Handler(probe); !slices.Contains([]string{"/v1/", "/v1", ""}, pattern) {
				allowed = append(allowed, m)
			}
		}
	}
	if len(allowed) == 0 {
		a.writeError(w, r, &feedback.Error{
			Code: feedback.RouteNotFound, Msg: "There is nothing at this path.",
			Hint:    "See /api-reference for the paths there are.",
			Details: map[string]any{"path": r.URL.Path},
		})
		return
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	a.writeError(w, r, &feedback.Error{
		Code: feedback.MethodNotAllowed, Msg: fmt.Sprintf("This path does not take %s.", r.Method),
		Hint:    "Use one of the methods in details.allowed.",
		Details: map[string]any{"allowed": allowed},
	})
}

// unclean reports whether a path has an empty or dotted segment.
func unclean(p string) bool {
	clean := path.Clean(p)
	return p != clean && p != clean+"/" || strings.Contains(p, "//")
}
