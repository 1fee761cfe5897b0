// Package api is the REST face of the service: it reads requests, calls the
// verbs of package app, and writes their answers. It holds no rule of the
// product; what it decides is the shape of requests and responses and the fixed
// order in which a request is checked, which is written down in one place, the
// method serve. The document that describes the API is built from the same table
// of operations and the same Go types that serve it.
package api

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/ratelimit"
)

// Config is what the face needs to know.
type Config struct {
	App *app.App
	// BaseURL is how the outside reaches the service, without a slash at its
	// end.
	BaseURL string
	// Rates are the rate limits by plan; none: no limit.
	Rates map[string]ratelimit.Rate
	// CursorKey authenticates cursors.
	CursorKey []byte
	Log       *slog.Logger
	Now       func() time.Time
	// OnRateLimited is told of every refusal; nil: nobody is.
	OnRateLimited func()
}

// API serves the routes under /v1 and the document that describes them.
type API struct {
	cfg      Config
	ops      []operation
	mux      *http.ServeMux
	cursors  cursors
	keys     *ratelimit.Limiter[feedback.KeyID]
	failures *ratelimit.Limiter[netip.Prefix]
	document []byte
	errors   []byte // the page about them
}

// New returns an API.
func New(cfg Config) *API {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{
		cfg: cfg, mux: http.NewServeMux(), cursors: cursors{cfg.CursorKey},
		keys: ratelimit.New[feedback.KeyID](cfg.Now), failures: ratelimit.New[netip.Prefix](cfg.Now),
	}
	a.ops = operations(cfg.App.AgentKinds())
	a.document = mustDocument(a.ops, cfg.App.AgentKinds(), cfg.BaseURL)
	a.errors = mustErrorPage(cfg.BaseURL)
	for i := range a.ops {
		op := &a.ops[i]
		a.mux.HandleFunc(op.method+" "+op.path, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, op) })
	}
	a.mux.HandleFunc("/v1/", a.noRoute)
	a.mux.HandleFunc("/v1", a.noRoute) // which ServeMux would redirect
	a.mux.HandleFunc("GET /api/openapi.json", a.serveDocument)
	a.mux.HandleFunc("GET /docs/errors", a.serveErrorPage)
	a.mux.HandleFunc("GET /docs/docs.css", a.serveDocsStyle)
	return a
}

// Describe returns the OpenAPI document of an API under these agent names at
// this address.
func Describe(kinds feedback.AgentKinds, baseURL string) []byte {
	return mustDocument(operations(kinds), kinds, baseURL)
}

// ServeHTTP serves a request for the API.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// ServeMux would redirect a path with an empty or dotted segment; here it
	// is a path that names nothing.
	if unclean(r.URL.Path) {
		a.noRoute(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// operations is the table of contents of the API. Those of the documented
// contract come first; extensions follow.
func operations(kinds feedback.AgentKinds) []operation {
	var ops []operation
	for _, some := range [][]operation{
		siteOperations(), postOperations(), commentOperations(), statusOperations(), changelogOperations(),
		insightOperations(), automationOperations(kinds), webhookOperations(),
	} {
		ops = append(ops, some...)
	}
	return ops
}
