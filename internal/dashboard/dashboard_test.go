package dashboard_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/browsertest"
	"heed/internal/dashboard"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/portal"
	"heed/internal/store"
	"heed/internal/web"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

const (
	ownerEmail = "owner@northwind.example"
	password   = "correct horse battery"
)

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a dashboard on a database of its own.
type world struct {
	app   *app.App
	db    *store.DB
	clock *clock
	srv   *httptest.Server
	hosts map[string][]string // the addresses that name servers know
}

// eachWorld runs a test on both databases.
func eachWorld(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, newWorld(t, engine)) })
	}
}

func newWorld(t testing.TB, engine string, change ...func(*app.Config)) *world {
	t.Helper()
	w := &world{clock: &clock{now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)}}
	url := "sqlite:" + t.TempDir() + "/heed.db"
	if engine == "postgres" {
		url = feedbacktest.PostgresURL(t)
	}
	w.db = feedbacktest.OpenURL(t, url, w.clock.Now)
	cfg := app.Config{
		Master: auth.NewMaster(), AgentKinds: feedback.DefaultAgentKinds(), PlanLimits: feedback.DefaultPlanLimits(), DefaultPlan: feedback.Studio,
		Lookup: w.lookup,
	}
	for _, fn := range change {
		fn(&cfg)
	}
	w.app = app.New(w.db, cfg)
	t.Cleanup(w.app.Close)
	mux := http.NewServeMux()
	w.srv = httptest.NewServer(mux)
	t.Cleanup(w.srv.Close)
	w.app.SetBaseURL(w.srv.URL)
	w.mount(mux, w.srv.URL)
	return w
}

// mount mounts the dashboard as it is reached from outside.
func (w *world) mount(mux *http.ServeMux, base string) {
	dash := dashboard.New(dashboard.Config{App: w.app, BaseURL: base, Version: "test", Now: w.clock.Now})
	for _, p := range dashboard.Mounts() {
		mux.Handle(p, dash)
	}
	mux.Handle("/p/", portal.New(portal.Config{App: w.app, Now: w.clock.Now, Unlimited: true}))
	mux.Handle("/assets/", web.Assets())
}

// node is another process of the same installation.
func (w *world) node(t testing.TB) *world {
	t.Helper()
	other := *w
	mux := http.NewServeMux()
	other.srv = httptest.NewServer(mux)
	t.Cleanup(other.srv.Close)
	other.mount(mux, other.srv.URL)
	return &other
}

// open opens an account.
func (w *world) open(t testing.TB, account, email string, plan feedback.Plan) *app.Opened {
	t.Helper()
	o, err := w.app.OpenAccount(t.Context(), feedback.NewAccount{
		Name: feedback.AccountName(account), Email: email, Password: password, Site: feedback.SiteName(account + " feedback"), Plan: plan,
	})
	if err != nil {
		t.Fatalf("OpenAccount: %v", err)
	}
	return o
}

// user is a browser without a screen.
type user struct {
	t    testing.TB
	w    *world
	http *http.Client
}

func (w *world) user(t testing.TB) *user {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &user{t, w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// signedIn is a user who has signed in.
func (w *world) signedIn(t testing.TB, email string) *user {
	t.Helper()
	u := w.user(t)
	if a := u.post("/signin", "email", email, "password", password); a.status != http.StatusSeeOther {
		t.Fatalf("sign-in of %s: %d\n%s", email, a.status, a.text())
	}
	return u
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (u *user) do(req *http.Request) answer {
	u.t.Helper()
	res, err := u.http.Do(req)
	if err != nil {
		u.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		u.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

func (u *user) request(method, path string, form url.Values) *http.Request {
	u.t.Helper()
	req, err := http.NewRequestWithContext(u.t.Context(), method, u.w.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		u.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", u.w.srv.URL)
	}
	return req
}

func (u *user) get(path string) answer {
	u.t.Helper()
	return u.do(u.request(http.MethodGet, path, nil))
}

// page gets a page that must be there.
func (u *user) page(path string) answer {
	u.t.Helper()
	a := u.get(path)
	if a.status != http.StatusOK {
		u.t.Fatalf("GET %s: %d\n%s", path, a.status, a.text())
	}
	return a
}

// post sends a form of names and values.
func (u *user) post(path string, fields ...string) answer {
	u.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return u.do(u.request(http.MethodPost, path, form))
}

// act sends a form that must succeed, and returns the page that follows.
func (u *user) act(path string, fields ...string) answer {
	u.t.Helper()
	a := u.post(path, fields...)
	if a.status != http.StatusSeeOther {
		u.t.Fatalf("POST %s: %d\n%s", path, a.status, a.text())
	}
	to, _, _ := strings.Cut(a.header.Get("Location"), "#")
	next := u.page(to)
	if strings.Contains(next.body, `class="note bad"`) {
		u.t.Fatalf("POST %s was refused: %s", path, next.text())
	}
	return next
}

var (
	tags   = regexp.MustCompile(`(?s)<(script|style|svg|head)\b.*?</(script|style|svg|head)>|<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// text is what a reader sees, more or less.
func (a answer) text() string {
	return strings.TrimSpace(spaces.ReplaceAllString(tags.ReplaceAllString(a.body, " "), " "))
}

// has fails the test if the page does not show a text.
func (a answer) has(t testing.TB, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !strings.Contains(a.text(), s) {
			t.Errorf("the page does not say %q:\n%s", s, a.text())
		}
	}
}

// lacks fails the test if the page shows a text, also where it is not seen.
func (a answer) lacks(t testing.TB, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if strings.Contains(a.body, s) {
			t.Errorf("the page says %q:\n%s", s, a.text())
		}
	}
}

// site is the path of a site in the dashboard.
func site(o *app.Opened, parts ...any) string {
	p := "/dash/sites/" + o.Site.ID.String()
	for _, part := range parts {
		p += "/" + fmt.Sprint(part)
	}
	return p
}
