package dashboard_test

import (
	"bytes"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/dashboard"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/server"
)

// exchange is a request and all of its answer.
type exchange struct {
	method, path string
	header       http.Header
	body         string
}

// listener writes down everything that comes back.
type listener struct{ all []exchange }

func (l *listener) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(b))
	l.all = append(l.all, exchange{req.Method, req.URL.Path, res.Header.Clone(), html.UnescapeString(string(b))})
	return res, nil
}

// diary is a log that can be read while it is written.
type diary struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (d *diary) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.b.Write(p)
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.b.String()
}

// A secret is in one answer that nobody may keep, and nowhere else: on no page
// afterwards, in no log, not in the record of who did what, and, but for mail that
// is to bring it, not in the database as it was shown.
func TestSecrets(t *testing.T) {
	w := &world{clock: &clock{now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)}}
	dir := t.TempDir()
	w.db = feedbacktest.OpenURL(t, "sqlite:"+dir+"/heed.db", w.clock.Now)
	log := &diary{}
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.app = app.New(w.db, app.Config{
		Master: auth.NewMaster(), AgentKinds: feedback.DefaultAgentKinds(), PlanLimits: feedback.DefaultPlanLimits(), DefaultPlan: feedback.Studio, Log: logger,
	})
	t.Cleanup(w.app.Close)
	dash := dashboard.New(dashboard.Config{App: w.app, BaseURL: "http://heed.example", Version: "test", Now: w.clock.Now, Log: logger})
	faces := map[string]http.Handler{}
	for _, p := range dashboard.Mounts() {
		faces[p] = dash
	}
	w.srv = httptest.NewServer(server.New(server.Config{Faces: faces, Metrics: server.NewMetrics(func() (s server.DatabaseStats) { return s }), Log: logger}).Handler())
	t.Cleanup(w.srv.Close)

	var heard listener
	visitor := func() *user {
		u := w.user(t)
		u.http.Transport = &heard
		return u
	}
	secrets := map[string]string{}
	keep := func(name, pattern string, a answer) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(html.UnescapeString(a.body))
		if found == nil {
			t.Fatalf("%s is not shown:\n%s", name, a.text())
		}
		secrets[name] = found[1]
		return found[1]
	}

	// The first set-up.
	setup, err := w.app.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secrets["the set-up link"] = setup
	operator := visitor()
	operator.get("/setup/" + setup)
	made := operator.post("/setup/"+setup, "email", "operator@example.com", "password", password, "account", "Operator", "site", "Operator")
	keep("the first key", `id="secret"[^>]*>(heed_\w+)<`, made)

	// Everything that makes a secret.
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	names := w.names(t, o)
	u := visitor()
	if a := u.post("/signin", "email", ownerEmail, "password", password); a.status != http.StatusSeeOther {
		t.Fatalf("sign-in: %d", a.status)
	}
	keep("a key", `id="secret"[^>]*>(heed_\w+)<`, u.post("/dash/keys", "name", "Robot", "scope", "posts:read"))
	hook := u.post(site(o, "webhooks"), "url", "https://hooks.example.com/secret")
	keep("a webhook secret", `id="secret"[^>]*>(whsec_[^<]+)<`, hook)
	id := regexp.MustCompile(`webhooks/(we_\w+)/rotate`).FindStringSubmatch(hook.body)[1]
	keep("a rotated webhook secret", `id="secret"[^>]*>(whsec_[^<]+)<`, u.post(site(o, "webhooks", id, "rotate"), "graceHours", "1"))
	keep("a secret of single sign-on", `id="secret"[^>]*>([\w-]{43})<`, u.post(site(o, "settings", "sso")))
	keep("the next secret of single sign-on", `id="secret"[^>]*>([\w-]{43})<`, u.post(site(o, "settings", "sso")))
	invitation := keep("an invitation", `/invite/([\w-]+)<`, u.post("/dash/members/invite", "email", "vera@northwind.example", "role", "viewer"))
	vera := visitor()
	vera.get("/invite/" + invitation)
	vera.post("/invite/"+invitation, "name", "Vera", "password", password)
	member := regexp.MustCompile(`/dash/members/(mem_\w+)/reset[\s\S]*?Vera`).FindAllStringSubmatch(u.page("/dash/members").body, -1)
	reset := keep("a reset link", `/reset/([\w-]+)<`, u.post("/dash/members/"+member[len(member)-1][1]+"/reset"))
	vera.get("/reset/" + reset)
	vera.post("/reset/"+reset, "password", "a new one for Vera")
	factor := u.post("/dash/profile/totp/new")
	totp, err := auth.ParseTOTP(keep("a TOTP secret", `id="totp-secret"[^>]*>([^<]+)<`, factor))
	if err != nil {
		t.Fatal(err)
	}
	on := u.post("/dash/profile/totp", "secret", secrets["a TOTP secret"], "code", totp.Code(totp.Step(w.clock.Now())))
	for i, code := range strings.Fields(regexp.MustCompile(`id="codes"[^>]*>([^<]+)<`).FindStringSubmatch(on.body)[1]) {
		secrets["recovery code "+string(rune('0'+i))] = code
	}
	if len(secrets) < 19 {
		t.Fatalf("only %d secrets were shown", len(secrets))
	}

	// And then everything there is to see.
	for _, rt := range dashboard.Table() {
		path, get := strings.CutPrefix(rt.Pattern, "GET ")
		if !get || strings.Contains(path, "{token}") {
			continue
		}
		u.get(fill(strings.TrimSuffix(path, "{$}"), names))
		if !strings.Contains(path, "{") {
			operator.get(path)
		}
	}
	u.get(site(o, "webhooks", id))

	// Sessions are secrets that only a cookie holds.
	sessions := map[string]string{}
	for _, x := range heard.all {
		for _, c := range (&http.Response{Header: x.header}).Cookies() {
			if c.Name == "heed_session" && c.Value != "" {
				sessions["the session of "+x.path] = c.Value
			}
		}
	}
	if len(sessions) < 3 {
		t.Fatalf("only %d sessions were opened", len(sessions))
	}
	for name, s := range sessions {
		for _, x := range heard.all {
			x.header.Del("Set-Cookie")
			if strings.Contains(x.body, s) || strings.Contains(flat(x.header), s) {
				t.Errorf("%s is told by %s %s", name, x.method, x.path)
			}
		}
		secrets[name] = s
	}

	stored := database(t, dir)
	for name, s := range secrets {
		for _, x := range heard.all {
			if strings.Contains(flat(x.header), s) {
				t.Errorf("%s is in a header of %s %s", name, x.method, x.path)
			}
		}
		// The page behind a link that is a secret has it in its own address.
		shown := slices.DeleteFunc(slices.Clone(heard.all), func(x exchange) bool {
			return !strings.Contains(x.body, s) || strings.Contains(x.path, s)
		})
		once := 1
		if name == "the set-up link" || sessions[name] != "" {
			once = 0
		}
		if len(shown) != once {
			t.Errorf("%s is shown %d times; want %d", name, len(shown), once)
		}
		for _, x := range heard.all {
			if (strings.Contains(x.body, s) || strings.Contains(x.path, s)) && x.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %s %s may be kept: Cache-Control %q", name, x.method, x.path, x.header.Get("Cache-Control"))
			}
			if strings.Contains(x.path, s) && x.header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s: %s %s tells where it leads: Referrer-Policy %q", name, x.method, x.path, x.header.Get("Referrer-Policy"))
			}
		}
		if strings.Contains(log.String(), s) {
			t.Errorf("%s is in the log", name)
		}
		// An invitation also waits in the mail that is to bring it.
		if name != "an invitation" && strings.Contains(stored, s) {
			t.Errorf("%s is in the database as it was shown", name)
		}
	}
	if !strings.Contains(log.String(), "msg=request") || !strings.Contains(stored, "hooks.example.com/secret") {
		t.Error("the log or the database was not looked at")
	}
}

// flat is a header as one text.
func flat(h http.Header) string {
	var b strings.Builder
	_ = h.Write(&b)
	return b.String()
}

// database is all bytes of a database, with what is still in its journal.
func database(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(dir + "/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
