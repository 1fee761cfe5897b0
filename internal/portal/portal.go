package portal

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/i18n"
	"heed/internal/ratelimit"
	"heed/internal/web"
)

//go:embed messages
var messages embed.FS

// catalog holds the texts of the portal and of the components it uses.
var catalog = i18n.MustLoad(web.Messages(), func() fs.FS {
	f, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err)
	}
	return f
}())

// Config is what a portal needs to know.
type Config struct {
	App *app.App
	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// ClientIP is the address a request comes from, for limits on writing;
	// nil is the address of the connection.
	ClientIP func(*http.Request) string
	// Unlimited leaves out the limits on writing, for tests that write much.
	Unlimited bool
}

// Handler serves the portals of all sites.
type Handler struct {
	cfg    Config
	limits *ratelimit.Limiter[string]
	pages  *http.ServeMux
	outer  http.Handler
	fresh  *microcache
	lists  commons
}

// New returns a handler for everything below /p/. Mount web.Assets at /assets/
// beside it. For sites with a host name of their own, wrap the outermost handler
// with [Handler.ByHost].
func New(cfg Config) *Handler {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.ClientIP == nil {
		cfg.ClientIP = func(r *http.Request) string {
			host, _, err := net.SplitHostPort(r.RemoteAddr)
			if err != nil {
				return r.RemoteAddr
			}
			return host
		}
	}
	h := &Handler{cfg: cfg, limits: ratelimit.New[string](cfg.Now), fresh: newMicrocache(cfg.Now)}
	h.pages = h.routes()
	h.outer = http.NewCrossOriginProtection().Handler(web.Secure(http.HandlerFunc(h.bySlug)))
	return h
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.outer.ServeHTTP(w, r) }

// route is one page or action below the portal's own path.
type route struct {
	pattern string
	handle  func(*visit, http.ResponseWriter, *http.Request) error
}

func (h *Handler) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, rt := range []route{
		{"GET /{$}", (*visit).board},
		{"GET /boards/{board}", (*visit).board},
		{"GET /search", (*visit).search},
		{"GET /posts/new", (*visit).newPost},
		{"POST /posts", (*visit).createPost},
		{"GET /similar", (*visit).similar},
		{"POST /preview", (*visit).preview},
		{"GET /posts/{post}", (*visit).post},
		{"POST /posts/{post}/vote", (*visit).vote},
		{"POST /posts/{post}/comments", (*visit).comment},
		{"POST /posts/{post}/mute", (*visit).mute},
		{"GET /roadmap", (*visit).roadmap},
		{"GET /changelog", (*visit).changelog},
		{"GET /changelog/{entry}", (*visit).entry},
		{"POST /subscribe", (*visit).subscribe},
		{"GET /confirm", (*visit).confirmPage},
		{"POST /confirm", (*visit).confirm},
		{"GET /sign-in", (*visit).signInPage},
		{"POST /sign-in", (*visit).signIn},
		{"POST /sign-in/code", (*visit).signInCode},
		{"GET /sign-in/link", (*visit).signInLinkPage},
		{"POST /sign-in/link", (*visit).signInLink},
		{"GET /sso", (*visit).sso},
		{"POST /sign-out", (*visit).signOut},
		{"GET /me", (*visit).me},
		{"POST /me", (*visit).saveMe},
		{"GET /me/export", (*visit).export},
		{"POST /me/delete", (*visit).deleteMe},
		{"GET /unsubscribe", (*visit).unsubscribePage},
		{"POST /unsubscribe", (*visit).unsubscribe},
		{"GET /preferences", (*visit).preferencesPage},
		{"POST /preferences", (*visit).preferences},
		{"POST /language", (*visit).language},
		{"GET /changelog.atom", (*visit).changelogFeed},
		{"GET /posts.atom", (*visit).postsFeed},
		{"GET /sitemap.xml", (*visit).sitemap},
		{"GET /robots.txt", (*visit).robots},
		{"GET /og.png", (*visit).siteCard},
		{"GET /og/{post}", (*visit).postCard},
		{"GET /logo/{hash}", (*visit).logo},
		{"GET /widget.js", (*visit).widgetScript},
		{"GET /widget", (*visit).widget},
	} {
		mux.HandleFunc(rt.pattern, func(w http.ResponseWriter, r *http.Request) {
			v := r.Context().Value(visitKey{}).(*visit)
			if err := rt.handle(v, w, r); err != nil {
				v.fail(w, r, err)
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		v := r.Context().Value(visitKey{}).(*visit)
		v.fail(w, r, feedback.Missing("page", r.URL.Path))
	})
	return mux
}

// visit is one request to one portal.
type visit struct {
	h       *Handler
	portal  *app.Portal
	base    string // before every path of the portal: "/p/slug"
	locale  *i18n.Locale
	now     time.Time
	theme   string
	session string
	ref     feedback.VisitorRef // what the visitor is known by without a session; may be empty
	visitor *feedback.Visitor   // nil: has never written
	frame   bool                // shown in a frame on somebody else's page
	holes   *[]hole             // while a page for everybody is rendered
	here    string              // where to return to after signing in; empty: home
}

type visitKey struct{}

// bySlug serves /p/{slug}/...
func (h *Handler) bySlug(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.Path, "/p/")
	slug, path, slash := strings.Cut(rest, "/")
	if !ok || slug == "" {
		h.nowhere(w, r)
		return
	}
	if !slash {
		path = ""
	}
	key, cacheable := h.fresh.key(r)
	if cacheable && h.fresh.serve(w, r, key) {
		return
	}
	p, err := h.cfg.App.Portal(r.Context(), slug)
	if err != nil {
		h.lost(w, r, err)
		return
	}
	rec := http.ResponseWriter(w)
	if cacheable {
		var done func()
		rec, done = h.fresh.record(w, key)
		defer done()
	}
	h.visit(rec, r, p, "/p/"+slug, "/"+path)
}

// ByHost serves the portals of sites that have a host name of their own, and
// leaves every other request to next. Assets and the API are served at every
// host.
func (h *Handler) ByHost(next http.Handler) http.Handler {
	secure := http.NewCrossOriginProtection().Handler(web.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.Context().Value(hostKey{}).(*app.Portal)
		h.visit(w, r, p, "", r.URL.Path)
	})))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
		own, err := url.Parse(h.cfg.App.BaseURL())
		if err == nil && host == own.Hostname() || net.ParseIP(host) != nil || !strings.Contains(host, ".") || ours(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		p, err := h.cfg.App.PortalAt(r.Context(), host)
		switch {
		case feedback.CodeOf(err) == feedback.Unavailable: // there may be one
			web.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.lost(w, r, err) })).ServeHTTP(w, r)
			return
		case err != nil:
			next.ServeHTTP(w, r)
			return
		}
		secure.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), hostKey{}, p)))
	})
}

type hostKey struct{}

func ours(path string) bool {
	for _, prefix := range []string{"/assets/", "/v1/", "/api/", "/p/", "/healthz", "/readyz"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// visit finds out who looks and serves a page of a portal. path is what follows
// the portal's own path.
func (h *Handler) visit(w http.ResponseWriter, r *http.Request, p *app.Portal, base, path string) {
	v := &visit{h: h, portal: p, base: base, now: h.cfg.Now(), theme: web.Theme(r)}
	if token, rest, framed := cutToken(path); framed {
		path = rest
		v.enterFrame(w, token)
	} else {
		v.readCookies(r)
	}
	v.locale = v.chooseLocale(r)
	if r.Method == http.MethodGet {
		v.here = v.base + (&url.URL{Path: path}).EscapedPath()
	}
	ctx := web.WithNow(web.WithLocale(r.Context(), v.locale), v.now)
	ctx = context.WithValue(ctx, visitKey{}, v)
	if v.session != "" || v.ref != "" {
		err := h.cfg.App.Read(ctx, v.actor(), p.Target(), func(tx *app.Tx) (err error) {
			v.visitor, err = tx.SignedInAs(ctx, v.session)
			return err
		})
		if err != nil {
			v.fail(w, r.WithContext(ctx), err)
			return
		}
	}
	if v.theme == "" && p.Settings.Scheme != feedback.SchemeSystem {
		v.theme = string(p.Settings.Scheme)
	}
	inner := r.Clone(ctx)
	inner.URL.Path, inner.URL.RawPath = path, ""
	if r.Method == http.MethodPost {
		inner.Body = http.MaxBytesReader(w, r.Body, 256<<10)
	}
	h.pages.ServeHTTP(w, inner)
}

// actor is whoever looks, for the verbs.
func (v *visit) actor() *app.Actor { return v.portal.Visitor(v.visitor, v.ref) }

// read runs verbs that change nothing.
func (v *visit) read(r *http.Request, fn func(*app.Tx) error) error {
	return v.h.cfg.App.Read(r.Context(), v.actor(), v.portal.Target(), fn)
}

// write runs a verb that changes something, in a transaction.
func (v *visit) write(r *http.Request, fn func(*app.Tx) error) error {
	_, err := v.h.cfg.App.Write(r.Context(), v.actor(), v.portal.Target(), app.Once{}, func(tx *app.Tx) (app.Response, error) {
		return app.Response{}, fn(tx)
	})
	return err
}

// url is a path of the portal; parts are escaped.
func (v *visit) url(parts ...string) string {
	if len(parts) == 0 {
		return v.base + "/"
	}
	var b strings.Builder
	b.WriteString(v.base)
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}

// home is the absolute address of the portal.
func (v *visit) home() string { return v.h.cfg.App.URL(v.portal) }

// render sends a page.
func (v *visit) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	return web.Render(w, r, status, c)
}

// redirect sends the reader on after an action.
func (v *visit) redirect(w http.ResponseWriter, r *http.Request, to string) error {
	if web.Partial(r) {
		w.Header().Set("HX-Redirect", to)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// back is where an action returns to: a path of this portal.
func (v *visit) back(r *http.Request, fallback string) string {
	to := web.Local(r.FormValue("return"), fallback)
	if !strings.HasPrefix(to, v.base+"/") {
		return fallback
	}
	return to
}

// returning is an address with the page to return to.
func (v *visit) returning(to string) string {
	if v.here == "" {
		return to
	}
	return to + "?return=" + url.QueryEscape(v.here)
}

// The limits on writing, by address: a person does not reach them.
var (
	writeRate  = ratelimit.Rate{Requests: 40, Window: time.Minute, Burst: 25}
	postRate   = ratelimit.Rate{Requests: 30, Window: time.Hour, Burst: 10}
	signInRate = ratelimit.Rate{Requests: 20, Window: time.Hour, Burst: 6}
	mailRate   = ratelimit.Rate{Requests: 6, Window: time.Hour, Burst: 3}
)

// limit counts a write of whoever sends the request.
func (v *visit) limit(r *http.Request, what string, rate ratelimit.Rate, key string) error {
	if v.h.cfg.Unlimited {
		return nil
	}
	if key == "" {
		key = v.h.cfg.ClientIP(r)
	}
	res := v.h.limits.Allow(what+" "+v.portal.Site.Slug+" "+key, rate)
	if res.Allowed {
		return nil
	}
	return &feedback.Error{Code: feedback.RateLimited, Msg: "That was a lot at once. Please wait a moment.",
		Details: map[string]any{"retryAfterSeconds": int(res.RetryAfter/time.Second) + 1}}
}

// statusOf is the HTTP status of each error that a page can show.
var statusOf = map[feedback.Code]int{
	feedback.NotFound: 404, feedback.ValidationFailed: 422, feedback.PostLocked: 409, feedback.RateLimited: 429,
	feedback.Forbidden: 403, feedback.SignInRequired: 403, feedback.InvalidRequest: 400,
}

// fail shows an error as a page a person can live with, and is the one place
// where it is logged.
func (v *visit) fail(w http.ResponseWriter, r *http.Request, err error) {
	code := feedback.CodeOf(err)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		code = feedback.InvalidRequest
	}
	if code == feedback.SignInRequired {
		v.redirect(w, r, v.url("sign-in")+"?return="+url.QueryEscape(v.back(r, v.url())))
		return
	}
	v.here = "" // nobody wants to return to this
	status := statusOf[code]
	if status == 0 {
		status = http.StatusInternalServerError
		if code == feedback.Unavailable {
			status = http.StatusServiceUnavailable
			w.Header().Set("Retry-After", "1")
		}
		code = feedback.Internal
		if !errors.Is(err, context.Canceled) {
			v.h.cfg.Log.ErrorContext(r.Context(), "portal page failed", "site", v.portal.Site.ID, "route", r.Pattern, "err", err)
		}
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if e, ok := errors.AsType[*feedback.Error](err); ok && code == feedback.RateLimited {
		if s, ok := e.Details["retryAfterSeconds"].(int); ok {
			h.Set("Retry-After", itoa(s))
		}
	}
	if web.Partial(r) {
		// What was there stays, and the page says what happened.
		h.Set("HX-Reswap", "none")
		web.Toast(w, v.locale.T("portal.fail."+failKey(code)))
		w.WriteHeader(status)
		return
	}
	if err := v.render(w, r, status, failPage(v, code)); err != nil {
		v.h.cfg.Log.ErrorContext(r.Context(), "error page failed", "err", err)
	}
}

// nowhere answers a request for no portal at all.
func (h *Handler) nowhere(w http.ResponseWriter, r *http.Request) {
	h.lost(w, r, feedback.Missing("site", r.URL.Path))
}

// lost answers where there is no portal to show an error in.
func (h *Handler) lost(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusNotFound
	if !feedback.IsNotFound(err) {
		status = http.StatusInternalServerError
		if feedback.CodeOf(err) == feedback.Unavailable {
			status = http.StatusServiceUnavailable
			w.Header().Set("Retry-After", "1")
		}
		h.cfg.Log.ErrorContext(r.Context(), "portal not found out", "err", err)
	}
	ctx := web.WithLocale(r.Context(), catalog.Match(r.Header.Get("Accept-Language"), "en"))
	w.Header().Set("Cache-Control", "no-store")
	if err := web.Render(w, r.WithContext(ctx), status, lostPage(status)); err != nil {
		h.cfg.Log.ErrorContext(r.Context(), "error page failed", "err", err)
	}
}
