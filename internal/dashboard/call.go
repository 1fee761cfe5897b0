package dashboard

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// maxForm bounds what a form may send.
const maxForm = 1 << 20

// call is one request on its way through the dashboard.
type call struct {
	*Dash
	w   http.ResponseWriter
	r   *http.Request
	ctx context.Context
	who *app.SignedIn // nil where nobody is signed in
	// problems are what a form that is shown again must say.
	problems feedback.Problems
}

func (d *Dash) call(w http.ResponseWriter, r *http.Request) *call {
	ctx := web.WithNow(r.Context(), d.cfg.Now())
	return &call{Dash: d, w: w, r: r.WithContext(ctx), ctx: ctx}
}

// serve is the one way into every handler: who is it, may they, and then what.
func (d *Dash) serve(w http.ResponseWriter, r *http.Request, rt route) {
	c := d.call(w, r)
	if err := c.admit(rt); err != nil {
		c.fail(err)
	}
}

// errAnswered says that the request has been answered.
var errAnswered = errors.New("answered")

func (c *call) admit(rt route) error {
	if c.r.Method == http.MethodPost {
		c.r.Body = http.MaxBytesReader(c.w, c.r.Body, maxForm)
		if err := c.parse(); err != nil {
			return errForm()
		}
	}
	if !isText(c.r.PostForm) || !isText(c.r.URL.Query()) {
		return &feedback.Error{
			Code: feedback.InvalidRequest, Msg: "What was sent is not text in UTF-8.", Hint: "Send it as UTF-8, as browsers do.",
		}
	}
	if token := c.sessionToken(); token != "" {
		who, err := c.cfg.App.Session(c.ctx, token, c.r.PathValue("site"), c.client())
		if err != nil {
			return err
		}
		c.who = who
	}
	if rt.least == "" {
		return c.run(rt)
	}
	if c.who == nil {
		return c.toSignIn()
	}
	if !c.who.Member.Role.AtLeast(rt.least) || rt.operator && !c.who.Operator {
		return feedback.ErrRole(rt.least)
	}
	if site := c.r.PathValue("site"); site != "" && !c.who.Owns(site) {
		return feedback.Missing("site", site)
	}
	if rt.proof && !c.who.Session.Proven(c.cfg.Now()) {
		if err := c.prove(); err != nil {
			return err
		}
	}
	return c.run(rt)
}

// parse reads the form, also one that brings a file along.
func (c *call) parse() error {
	err := c.r.ParseMultipartForm(maxForm)
	if errors.Is(err, http.ErrNotMultipart) {
		return nil // a plain form, which is read by now
	}
	return err
}

// isText reports whether values are text that a database can hold.
func isText(all url.Values) bool {
	for name, values := range all {
		if !utf8.ValidString(name) || slices.ContainsFunc(values, func(s string) bool { return !utf8.ValidString(s) }) {
			return false
		}
	}
	return true
}

// errForm is the error for a form that cannot be read, or is too large to be.
func errForm() error {
	return &feedback.Error{
		Code: feedback.InvalidRequest, Msg: "The form could not be read.",
		Hint: "Send it again, with less text or a smaller file.",
	}
}

func (c *call) run(rt route) error {
	if err := rt.handle(c); err != nil && !errors.Is(err, errAnswered) {
		return err
	}
	return nil
}

// toSignIn leads to the sign-in and back here.
func (c *call) toSignIn() error {
	to := "/signin"
	if c.r.Method == http.MethodGet && c.r.URL.Path != "/dash" {
		to += "?next=" + queryEscape(c.r.URL.RequestURI())
	}
	return c.redirect(to)
}

// client is where the request comes from.
func (c *call) client() app.Client {
	host, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		host = c.r.RemoteAddr
	}
	return app.Client{Address: host, Agent: c.r.UserAgent()}
}

// network is what an address is throttled by: IPv6 hands out a /64 to everybody.
func (c *call) network() netip.Prefix {
	a, err := netip.ParseAddr(c.client().Address)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 32
	if a = a.Unmap(); a.Is6() {
		bits = 64
	}
	p, _ := a.WithZone("").Prefix(bits)
	return p
}

// form is a field of the form that was sent, with line ends as people mean them.
func (c *call) form(name string) string {
	return strings.ReplaceAll(c.r.PostFormValue(name), "\r\n", "\n")
}

// optional is nil for a field that was left empty.
func optional[T ~string](s string) *T {
	if s == "" {
		return nil
	}
	t := T(s)
	return &t
}

// target is the site of the request.
func (c *call) target() app.Target { return app.Target{Site: c.r.PathValue("site")} }

// read runs a function on the site of the request.
func (c *call) read(fn func(*app.Tx) error) error {
	return c.cfg.App.Read(c.ctx, c.who.Actor, c.target(), fn)
}

// change runs a function on the site of the request and has it recorded.
func (c *call) change(action, subject string, fn func(*app.Tx) error) error {
	return c.cfg.App.Change(c.ctx, c.who.Actor, c.target(), action, subject, fn)
}

// render answers with a page.
func (c *call) render(status int, page templ.Component) error {
	return web.Render(c.w, c.r, status, page)
}

// secret has no cache and no history keep the answer.
func (c *call) secret() { c.w.Header().Set("Cache-Control", "no-store") }

// redirect leads to another page after an action.
func (c *call) redirect(to string) error {
	if c.w.Header().Get("Cache-Control") == "" {
		c.w.Header().Set("Cache-Control", "no-store")
	}
	http.Redirect(c.w, c.r, to, http.StatusSeeOther)
	return errAnswered
}

// done says that an action is done, on the page to go to.
func (c *call) done(to, text string) error {
	c.flash("good", text)
	return c.redirect(to)
}

// refused says why an action was not done, on the page it was sent from, if it
// is for the person to mend; other errors are returned.
func (c *call) refused(to string, err error) error {
	e, ok := errors.AsType[*feedback.Error](err)
	if !ok {
		return err
	}
	switch e.Code {
	case feedback.NotFound:
		// What a form names may have gone meanwhile; what the path names
		// is a page that does not exist.
		if e.Details["field"] == nil {
			return err
		}
	case feedback.Forbidden, feedback.UpgradeRequired, feedback.Internal, feedback.Unavailable, "":
		return err
	}
	text := e.Msg
	if problems, ok := web.ProblemsOf(err); ok && len(problems) > 0 && e.Code == feedback.ValidationFailed {
		text = fieldName(problems[0].Path) + " " + problems[0].Message + "."
	} else if e.Hint != "" {
		text += " " + e.Hint
	}
	c.flash("bad", text)
	return c.redirect(to)
}

// again reports whether err is something that the form can show, and keeps it to
// be shown.
func (c *call) again(err error) bool {
	problems, ok := web.ProblemsOf(err)
	if ok {
		c.problems = problems
	}
	return ok
}

func fieldName(path string) string {
	name, _, _ := strings.Cut(path, ".")
	if n, ok := map[string]string{
		"statusId": "Status", "boardId": "Board", "winnerId": "Post", "onBehalfVisitorId": "Visitor", "postIds": "Linked posts",
		"doneStatusId": "Done status", "changelogEntryId": "Changelog entry", "agentKind": "Agent", "notifyMode": "Notify",
		"siteId": "Site", "postId": "Post", "value": "What you typed",
	}[name]; ok {
		return n
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// Cookies. A flash is read by the next page and gone.

func (c *call) secure() bool { return strings.HasPrefix(c.cfg.BaseURL, "https://") }

func (c *call) setCookie(name, value string, seconds int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: c.secure(), SameSite: http.SameSiteLaxMode,
	})
}

// sessionCookie names the cookie of a session. Over HTTPS the prefix keeps other
// hosts of the domain from setting it.
func (c *call) sessionCookie() string {
	if c.secure() {
		return "__Host-heed_session"
	}
	return "heed_session"
}

func (c *call) sessionToken() string {
	if k, err := c.r.Cookie(c.sessionCookie()); err == nil {
		return k.Value
	}
	return ""
}

const flashCookie = "heed_flash"

// flash is what the next page says. After a success it also names the draft that
// the browser kept of the form, so that it is not offered again.
func (c *call) flash(kind, text string) {
	if r := []rune(text); len(r) > 600 {
		text = string(r[:600])
	}
	draft := c.r.PostFormValue("_draft")
	if kind != "good" || len(draft) > 200 {
		draft = ""
	}
	code := base64.RawURLEncoding.EncodeToString
	c.setCookie(flashCookie, kind+"."+code([]byte(text))+"."+code([]byte(draft)), 60)
}

func (c *call) takeFlash() (kind, text, draft string) {
	k, err := c.r.Cookie(flashCookie)
	if err != nil {
		return "", "", ""
	}
	c.setCookie(flashCookie, "", -1)
	parts := strings.Split(k.Value, ".")
	if len(parts) != 3 || parts[0] != "good" && parts[0] != "bad" {
		return "", "", ""
	}
	for i := range parts[1:] {
		b, err := base64.RawURLEncoding.DecodeString(parts[i+1])
		if err != nil {
			return "", "", ""
		}
		parts[i+1] = string(b)
	}
	return parts[0], parts[1], parts[2]
}

// fail answers with what went wrong. It is the only place where an error becomes
// an answer, and where it is logged.
func (c *call) fail(err error) {
	if errors.Is(err, errAnswered) {
		return
	}
	e, ok := errors.AsType[*feedback.Error](err)
	if !ok || e.Code == "" || e.Code == feedback.Internal {
		c.cfg.Log.Error("dashboard", "route", c.r.Pattern, "err", err, "request", c.w.Header().Get("Request-Id"))
		e = &feedback.Error{Code: feedback.Internal, Msg: "Something went wrong on our side.", Hint: "Please try again. If it stays, tell whoever runs this installation."}
	}
	if e.Code == feedback.Unavailable && e.Err != nil {
		c.cfg.Log.Error("dashboard", "route", c.r.Pattern, "err", err, "request", c.w.Header().Get("Request-Id"))
	}
	status, title := statusOf(e.Code)
	if e.Code == feedback.Unavailable {
		c.w.Header().Set("Retry-After", "1")
	}
	if c.who != nil && e.Code == feedback.NotFound && e.Details["resource"] != nil {
		// The page is the same for what never was and what is another's.
		e = &feedback.Error{Code: e.Code, Msg: "This page does not exist, or not for your account.", Hint: "It may have been removed. Start again from the list."}
	}
	view := problem{Title: title, Msg: e.Msg, Hint: e.Hint, Code: e.Code}
	var page templ.Component
	if c.who != nil {
		page = problemPage(c.chrome(title, ""), view)
	} else {
		page = gateProblem(c.gate(title), view)
	}
	if err := c.render(status, page); err != nil {
		c.cfg.Log.Error("dashboard: error page", "err", err)
	}
}

type problem struct {
	Title, Msg, Hint string
	Code             feedback.Code
}

func statusOf(code feedback.Code) (int, string) {
	switch code {
	case feedback.NotFound, feedback.RouteNotFound:
		return http.StatusNotFound, "Not found"
	case feedback.Forbidden:
		return http.StatusForbidden, "Not allowed"
	case feedback.UpgradeRequired:
		return http.StatusPaymentRequired, "Your plan does not include this"
	case feedback.Unauthenticated:
		return http.StatusUnauthorized, "Please sign in"
	case feedback.RateLimited:
		return http.StatusTooManyRequests, "Please wait a moment"
	case feedback.InvalidRequest:
		return http.StatusBadRequest, "That could not be read"
	case feedback.Internal:
		return http.StatusInternalServerError, "Something went wrong"
	case feedback.Unavailable:
		return http.StatusServiceUnavailable, "Please try again in a moment"
	}
	return http.StatusUnprocessableEntity, "That was not done"
}

// missing is every address under /dash/ that is none of ours.
func (c *call) missing() error { return feedback.Missing("page", c.r.URL.Path) }
