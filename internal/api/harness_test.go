package api_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heed/internal/api"
	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

const baseURL = "https://heed.example"

// TestAPI runs every suite on both databases, over HTTP. The suites of one
// database share a server; each works on sites of its own.
func TestAPI(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t, engine)
			for _, s := range suites {
				t.Run(s.name, func(t *testing.T) { s.run(t, w) })
			}
			t.Run("CountersEqualRows", func(t *testing.T) { testCounters(t, w) })
		})
	}
}

var suites = []struct {
	name string
	run  func(*testing.T, *world)
}{
	{"Objects", testObjects}, {"Flags", testFlags}, {"Defaults", testDefaults}, {"Fields", testFields}, {"AllFieldsAtOnce", testAllFieldsAtOnce},
	{"StatusChange", testStatusChange}, {"Reactions", testReactions}, {"Merge", testMerge}, {"MergeMany", testMergeMany}, {"MergeRefused", testMergeRefused},
	{"MergedAway", testMergedAway}, {"Held", testHeld}, {"Withheld", testWithheld},
	{"RunStates", testRunStates}, {"Runs", testRuns}, {"Completion", testCompletion}, {"Queue", testQueue}, {"Lists", testLists}, {"Search", testSearch},
	{"Insights", testInsights},
	{"Order", testOrder}, {"Errors", testErrors}, {"Idempotency", testIdempotency}, {"InFlight", testInFlight},
	{"Races", testRaces},
	{"Pages", testPages}, {"Cursors", testCursors},
	{"Isolation", testIsolation}, {"BadInput", testBadInput}, {"LongBody", testLongBody}, {"BadQuery", testBadQuery}, {"HostileStrings", testHostileStrings},
	{"RateLimits", testRateLimits}, {"FailedAuthentication", testFailedAuthentication},
}

// world is a running service with two accounts. The first, north, has two sites
// and a key of each kind.
type world struct {
	engine string
	db     *store.DB
	raw    *sql.DB // the same database, for what no operation can set up
	app    *app.App
	srv    *httptest.Server
	doc    *document
	ahead  atomic.Int64 // how far the clock is ahead of time.Now
	logs   logs

	north, south, free   *app.Opened
	site, sibling        string // of north
	all, readOnly        string // keys of north
	pinned               string // to site
	expired, revoked     string
	southSite, southKey  string
	freeKey, unknownSite string
}

func newWorld(t *testing.T, engine string) *world {
	w := &world{engine: engine}
	driver, dsn, url := "sqlite", filepath.Join(t.TempDir(), "heed.db"), ""
	if engine == "postgres" {
		url = feedbacktest.PostgresURL(t)
		driver, dsn = "pgx", url
	} else {
		url = "sqlite:" + dsn
		dsn += "?_pragma=busy_timeout(10000)&_txlock=immediate"
	}
	w.db = feedbacktest.OpenURL(t, url, w.now)
	var err error
	if w.raw, err = sql.Open(driver, dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.raw.Close() })
	w.app = app.New(w.db, app.Config{
		Master: auth.NewMaster(), AgentKinds: feedback.DefaultAgentKinds(),
		PlanLimits:  feedback.PlanLimits{feedback.Free: {Sites: 1}, feedback.Pro: {Sites: 2}, feedback.Studio: {Sites: 10_000}},
		DefaultPlan: feedback.Studio,
	})
	t.Cleanup(w.app.Close)
	w.srv = w.serve(t, api.Config{})
	served := w.get(t, "/api/openapi.json")
	if !bytes.Equal(served, api.Describe(feedback.DefaultAgentKinds(), baseURL)) {
		t.Error("the served document is not the described one")
	}
	w.doc = readDocument(t, served)
	for _, m := range anchors.FindAllSubmatch(w.get(t, "/docs/errors"), -1) {
		w.doc.anchors = append(w.doc.anchors, string(m[1]))
	}

	w.north = feedbacktest.OpenAccount(t, w.app, "North", feedback.Studio)
	w.south = feedbacktest.OpenAccount(t, w.app, "South", feedback.Pro)
	w.free = feedbacktest.OpenAccount(t, w.app, "Free", feedback.Free)
	w.site, w.all = w.north.Site.ID.String(), w.north.Secret
	w.southSite, w.southKey, w.freeKey = w.south.Site.ID.String(), w.south.Secret, w.free.Secret
	w.sibling = w.newSite(t)
	w.readOnly = w.newKey(t, "", feedback.NewKey{Scopes: feedback.ReadScopes()})
	w.pinned = w.newKey(t, w.site, feedback.NewKey{Scopes: feedback.AllScopes()})
	w.expired = w.newKey(t, "", feedback.NewKey{Scopes: feedback.AllScopes(), ExpiresAt: time.Now().Add(-time.Hour)})
	k, secret, err := w.app.CreateKey(t.Context(), w.north.Account.ID.String(), "", feedback.NewKey{Name: "gone", Scopes: feedback.AllScopes()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.app.RevokeKey(t.Context(), k.ID.String()); err != nil {
		t.Fatal(err)
	}
	w.revoked, w.unknownSite = secret, feedback.SiteID(4711).String()
	t.Cleanup(func() {
		if text := w.logs.String(); text != "" {
			t.Errorf("the service logged errors:\n%s", text)
		}
	})
	return w
}

// serve starts a face of its own on the app of the world.
func (w *world) serve(t testing.TB, cfg api.Config) *httptest.Server {
	cfg.App, cfg.BaseURL, cfg.CursorKey = w.app, baseURL, []byte("0123456789abcdef0123456789abcdef")
	cfg.Log = slog.New(slog.NewTextHandler(&w.logs, nil))
	srv := httptest.NewServer(api.New(cfg))
	t.Cleanup(srv.Close)
	return srv
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// pass lets time go by.
func (w *world) pass(d time.Duration) { w.ahead.Add(int64(d)) }

// newSite opens a site for north.
func (w *world) newSite(t testing.TB) string {
	t.Helper()
	s, err := w.app.CreateSite(t.Context(), w.north.Account.ID.String(), feedback.NewSite{Name: "Another"})
	if err != nil {
		t.Fatal(err)
	}
	return s.ID.String()
}

// newKey makes a key for north, for all sites or one.
func (w *world) newKey(t testing.TB, site string, k feedback.NewKey) string {
	t.Helper()
	k.Name = "key"
	_, secret, err := w.app.CreateKey(t.Context(), w.north.Account.ID.String(), site, k)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// exec changes rows in a way that no operation of this face does.
func (w *world) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := w.raw.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func (w *world) count(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	if err := w.raw.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// archive does to a post what the dashboard does.
func (w *world) archive(t testing.TB, site, post string) {
	t.Helper()
	s, p := number[feedback.SiteID](t, site), number[feedback.PostID](t, post)
	w.exec(t, `UPDATE posts SET archived = TRUE WHERE site_id = $1 AND id = $2`, int64(s), int64(p))
	err := w.db.Write(t.Context(), func(tx *store.Tx) error { return tx.UnindexPost(context.Background(), s, p) })
	if err != nil {
		t.Fatal(err)
	}
}

// number reads the spelling of an id.
func number[ID any, P interface {
	*ID
	UnmarshalText([]byte) error
}](t testing.TB, spelled string) (id ID) {
	t.Helper()
	if err := P(&id).UnmarshalText([]byte(spelled)); err != nil {
		t.Fatalf("id %q: %v", spelled, err)
	}
	return id
}

// request is one request. The zero key is that of all scopes, "-" is none.
type request struct {
	method, path string
	key          string
	body         any // a string is sent as it is, anything else as JSON; nil: none
	header       http.Header
	srv          *httptest.Server // nil: that of the world
}

// response is what came back, held against the document already.
type response struct {
	status int
	header http.Header
	raw    []byte
}

func (w *world) do(t testing.TB, q request) *response {
	t.Helper()
	srv := q.srv
	if srv == nil {
		srv = w.srv
	}
	var body io.Reader
	switch b := q.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	default:
		body = bytes.NewReader(encodeJSON(t, b))
	}
	r, err := http.NewRequestWithContext(t.Context(), q.method, srv.URL+q.path, body)
	if err != nil {
		t.Fatal(err)
	}
	switch q.key {
	case "":
		r.Header.Set("Authorization", "Bearer "+w.all)
	case "-":
	default:
		r.Header.Set("Authorization", "Bearer "+q.key)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range q.header {
		r.Header[name] = values
	}
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatalf("%s %.100s: %v", q.method, q.path, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := &response{res.StatusCode, res.Header, raw}
	if err := w.doc.check(t, q.method, q.path, out); err != nil {
		t.Errorf("%s %.200s: %v\n%.1000s", q.method, q.path, err, raw)
	}
	return out
}

// call is do with the key of all scopes.
func (w *world) call(t testing.TB, method, path string, body any) *response {
	t.Helper()
	return w.do(t, request{method: method, path: path, body: body})
}

// must calls and returns the object of an answer below 300.
func (w *world) must(t testing.TB, method, path string, body any) object {
	t.Helper()
	return w.mustDo(t, request{method: method, path: path, body: body})
}

func (w *world) mustDo(t testing.TB, q request) object {
	t.Helper()
	res := w.do(t, q)
	if res.status >= 300 {
		t.Fatalf("%s %s %s = %d %s", q.method, q.path, encodeJSON(t, q.body), res.status, res.raw)
	}
	return res.object()
}

// get reads something that is no operation.
func (w *world) get(t testing.TB, path string) []byte {
	t.Helper()
	res, err := w.srv.Client().Get(w.srv.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("GET %s = %d, %v", path, res.StatusCode, err)
	}
	return raw
}

func (r *response) object() object {
	var o object
	json.Unmarshal(r.raw, &o)
	return o
}

func (r *response) error() object {
	e, _ := r.object()["error"].(object)
	return e
}

func (r *response) code() string {
	code, _ := r.error()["code"].(string)
	return code
}

func (r *response) details() object {
	d, _ := r.error()["details"].(object)
	return d
}

// fields are the paths and rules of a VALIDATION_FAILED error, as in
// "title:maxLength", in order.
func (r *response) fields() []string {
	var out []string
	all, _ := r.details()["fields"].([]any)
	for _, f := range all {
		f := f.(object)
		out = append(out, fmt.Sprintf("%s:%s", f["path"], f["rule"]))
	}
	return out
}

// wantError judges an error.
func (r *response) wantError(t testing.TB, status int, code string) *response {
	t.Helper()
	if r.status != status || r.code() != code {
		t.Errorf("= %d %s; want %d %s\n%.500s", r.status, r.code(), status, code, r.raw)
	}
	return r
}

// data is the page of a list.
func data(o object) []object {
	all, _ := o["data"].([]any)
	out := make([]object, len(all))
	for i, v := range all {
		out[i] = v.(object)
	}
	return out
}

// pluck takes one member of each object.
func pluck(all []object, member string) []string {
	out := make([]string, len(all))
	for i, o := range all {
		out[i], _ = o[member].(string)
	}
	return out
}

// place is one site as suites work on it.
type place struct {
	*world
	id, path    string
	key         string // of the account that owns it; empty: of north
	board, bugs string
	status      map[string]string // by name
}

// newPlace opens a fresh site for a suite.
func (w *world) newPlace(t testing.TB) *place {
	t.Helper()
	return w.placeAt(t, w.newSite(t), "")
}

// must is that of the world, with the key of the place.
func (p *place) must(t testing.TB, method, path string, body any) object {
	t.Helper()
	return p.mustDo(t, request{method: method, path: path, body: body, key: p.key})
}

func (w *world) placeAt(t testing.TB, site, key string) *place {
	t.Helper()
	p := &place{world: w, id: site, path: "/v1/sites/" + site, key: key, status: map[string]string{}}
	boards := pluck(data(p.must(t, "GET", p.path+"/boards", nil)), "id")
	p.board, p.bugs = boards[0], boards[1]
	for _, s := range data(p.must(t, "GET", p.path+"/statuses", nil)) {
		p.status[s["name"].(string)] = s["id"].(string)
	}
	return p
}

// post creates a post and returns its id.
func (p *place) post(t testing.TB, title string) string {
	t.Helper()
	return p.must(t, "POST", p.path+"/posts", object{"boardId": p.board, "title": title, "onBehalfVisitorId": "author"})["id"].(string)
}

func (p *place) postPath(post string) string { return p.path + "/posts/" + post }

func (p *place) vote(t testing.TB, post string, visitors ...string) {
	t.Helper()
	for _, v := range visitors {
		p.must(t, "POST", p.postPath(post)+"/votes", object{"onBehalfVisitorId": v})
	}
}

func (p *place) comment(t testing.TB, post, body string) string {
	t.Helper()
	return p.must(t, "POST", p.postPath(post)+"/comments", object{"body": body})["id"].(string)
}

// run starts a run about a post, or about none.
func (p *place) run(t testing.TB, post string) string {
	t.Helper()
	body := object{"siteId": p.id, "agentKind": "KIND_A"}
	if post != "" {
		body["postId"] = post
	}
	return p.must(t, "POST", "/v1/automation/runs", body)["id"].(string)
}

func (p *place) newStatus(t testing.TB, body object) string {
	t.Helper()
	return p.must(t, "POST", p.path+"/statuses", body)["id"].(string)
}

func (p *place) entry(t testing.TB, title string) string {
	t.Helper()
	return p.must(t, "POST", p.path+"/changelog", object{"title": title, "body": "It is here."})["id"].(string)
}

func (p *place) search(t testing.TB, q string) []string {
	t.Helper()
	return pluck(data(p.must(t, "GET", p.path+"/search?q="+url.QueryEscape(q), nil)), "title")
}

// logs keeps what the service logs as an error.
type logs struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
