package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/dashboard"
	"heed/internal/feedback"
	"heed/internal/store"
)

// mostQueries is how many statements a page may cost, whatever it shows.
const mostQueries = 14

// costlier are the pages that may ask more, with the reason.
var costlier = map[string]int{
	"/dash/sites/{site}/posts/{post}/merge":   24, // searches for what says the same, up to three times
	"/dash/sites/{site}/posts/{post}/similar": 24, // likewise
}

// No page asks the database more than a handful of questions, and none asks more
// because there is more to show.
func TestQueryCounts(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	clk := &clock{now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)}
	db, err := store.Open(t.Context(), store.Options{
		URL: "sqlite:" + t.TempDir() + "/heed.db", Now: clk.Now,
		Trace: func(query string) { mu.Lock(); asked = append(asked, query); mu.Unlock() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := app.New(db, app.Config{
		Master: auth.NewMaster(), AgentKinds: feedback.DefaultAgentKinds(), PlanLimits: feedback.DefaultPlanLimits(), DefaultPlan: feedback.Studio,
	})
	t.Cleanup(a.Close)
	srv := httptest.NewServer(dashboard.New(dashboard.Config{App: a, BaseURL: "http://heed.example", Now: clk.Now}))
	t.Cleanup(srv.Close)
	w := &world{app: a, db: db, clock: clk, srv: srv}
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	names := w.names(t, o)
	u := w.signedIn(t, ownerEmail)
	for _, rt := range dashboard.Table() {
		path, get := strings.CutPrefix(rt.Pattern, "GET ")
		if !get || rt.Least == "" || strings.HasSuffix(path, "{$}") {
			continue
		}
		u.get(fill(path, names)) // notes the site, which is a write at most once a minute
		mu.Lock()
		asked = nil
		mu.Unlock()
		if a := u.get(fill(path, names)); a.status >= http.StatusBadRequest {
			t.Errorf("%s: %d", path, a.status)
		}
		mu.Lock()
		if most := max(mostQueries, costlier[path]); len(asked) > most {
			t.Errorf("%s asks %d questions; want at most %d:\n%s", path, len(asked), most, strings.Join(asked, "\n"))
		}
		mu.Unlock()
	}
}
