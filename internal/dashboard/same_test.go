package dashboard_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib"

	"heed/internal/api"
	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/dashboard"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/portal"
)

// The same changes through the dashboard and through the API leave the same rows
// and events, but for who did it and through which face.
func TestSameAsAPI(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { testSameAsAPI(t, engine) })
	}
}

func testSameAsAPI(t *testing.T, engine string) {
	viaDash, viaAPI := twin(t, engine), twin(t, engine)
	u := viaDash.signedIn(t, ownerEmail)
	ids := viaDash.lists(t, viaDash.o)
	base := "/dash/sites/" + viaDash.o.Site.ID.String()
	u.act(base+"/boards", "name", "Ideas", "description", "Bright ones", "private", "on")
	u.act(base+"/statuses", "name", "Explained", "color", "#112233", "notifyMode", "NOTIFY_WITH_NOTE", "doneFlag", "on")
	u.act(base+"/posts", "boardId", ids.boards["Bugs"], "title", "First", "body", "It breaks", "onBehalfVisitorId", "ada")
	first := viaDash.newest(t)
	u.act(base+"/posts", "boardId", ids.boards["Bugs"], "title", "Second", "body", "", "onBehalfVisitorId", "bob")
	second := viaDash.newest(t)
	ids = viaDash.lists(t, viaDash.o)
	u.act(base+"/posts/"+first+"/votes", "onBehalfVisitorId", "carl")
	u.act(base+"/posts/"+second+"/votes", "onBehalfVisitorId", "carl")
	u.act(base+"/posts/"+first+"/comments", "body", "Seen")
	u.act(base+"/posts/"+first+"/comments", "body", "Hush", "internal", "on")
	u.act(base+"/posts/"+first+"/status", "statusId", ids.statuses["Explained"], "note", "Because")
	u.act(base+"/posts/"+second+"/merge", "winnerId", first)
	u.act(base+"/changelog", "title", "Told", "body", "All of it", "label", "New", "linked", first, "publish", "yes")
	u.act(base+"/automation", "agentKind", "KIND_B", "postId", first, "title", "Fix it")

	ids = viaAPI.lists(t, viaAPI.o)
	v1 := "/v1/sites/" + viaAPI.o.Site.ID.String()
	viaAPI.call(t, "POST", v1+"/boards", map[string]any{"name": "Ideas", "description": "Bright ones", "private": true})
	viaAPI.call(t, "POST", v1+"/statuses", map[string]any{"name": "Explained", "color": "#112233", "notifyMode": "NOTIFY_WITH_NOTE", "doneFlag": true})
	first = viaAPI.call(t, "POST", v1+"/posts", map[string]any{"boardId": ids.boards["Bugs"], "title": "First", "body": "It breaks", "onBehalfVisitorId": "ada"})
	second = viaAPI.call(t, "POST", v1+"/posts", map[string]any{"boardId": ids.boards["Bugs"], "title": "Second", "onBehalfVisitorId": "bob"})
	ids = viaAPI.lists(t, viaAPI.o)
	viaAPI.call(t, "POST", v1+"/posts/"+first+"/votes", map[string]any{"onBehalfVisitorId": "carl"})
	viaAPI.call(t, "POST", v1+"/posts/"+second+"/votes", map[string]any{"onBehalfVisitorId": "carl"})
	viaAPI.call(t, "POST", v1+"/posts/"+first+"/comments", map[string]any{"body": "Seen"})
	viaAPI.call(t, "POST", v1+"/posts/"+first+"/comments", map[string]any{"body": "Hush", "internal": true})
	viaAPI.call(t, "PUT", v1+"/posts/"+first+"/status", map[string]any{"statusId": ids.statuses["Explained"], "note": "Because"})
	viaAPI.call(t, "POST", v1+"/posts/"+second+"/merge", map[string]any{"winnerId": first})
	entry := viaAPI.call(t, "POST", v1+"/changelog", map[string]any{"title": "Told", "body": "All of it", "label": "New", "postIds": []string{first}})
	viaAPI.call(t, "POST", v1+"/changelog/"+entry+"/publish", nil)
	viaAPI.call(t, "POST", "/v1/automation/runs", map[string]any{"siteId": viaAPI.o.Site.ID.String(), "agentKind": "KIND_B", "postId": first, "title": "Fix it"})

	if diff := cmp.Diff(viaAPI.dump(t), viaDash.dump(t)); diff != "" {
		t.Errorf("rows after the API (-) and after the dashboard (+) differ:\n%s", diff)
	}
}

// twinWorld is a world with both faces on one database.
type twinWorld struct {
	*world
	o           *app.Opened
	driver, url string // to look at the rows
	api         *httptest.Server
}

func twin(t *testing.T, engine string) *twinWorld {
	t.Helper()
	clk := &clock{now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)}
	path := t.TempDir() + "/heed.db"
	url, driver, rows := "sqlite:"+path, "sqlite", "file:"+path
	if engine == "postgres" {
		url = feedbacktest.PostgresURL(t)
		driver, rows = "pgx", url
	}
	db := feedbacktest.OpenURL(t, url, clk.Now)
	master := auth.NewMaster()
	a := app.New(db, app.Config{
		Master: master, AgentKinds: feedback.DefaultAgentKinds(), PlanLimits: feedback.DefaultPlanLimits(), DefaultPlan: feedback.Studio,
	})
	t.Cleanup(a.Close)
	w := &twinWorld{world: &world{app: a, db: db, clock: clk}, driver: driver, url: rows}
	mux := http.NewServeMux()
	mux.Handle("/p/", portal.New(portal.Config{App: a, Now: clk.Now, Unlimited: true}))
	mux.Handle("/", dashboard.New(dashboard.Config{App: a, BaseURL: "http://heed.example", Now: clk.Now}))
	w.srv = httptest.NewServer(mux)
	t.Cleanup(w.srv.Close)
	w.api = httptest.NewServer(api.New(api.Config{App: a, BaseURL: "http://heed.example", CursorKey: master.Derive("cursors")}))
	t.Cleanup(w.api.Close)
	w.o = w.open(t, "Northwind", ownerEmail, feedback.Studio)
	return w
}

// newest is the id of the newest post.
func (w *twinWorld) newest(t *testing.T) string {
	t.Helper()
	var id string
	err := w.app.Read(t.Context(), &app.Actor{Account: &w.o.Account}, app.Target{Site: w.o.Site.ID.String()}, func(tx *app.Tx) error {
		page, err := tx.Posts(t.Context(), nil, feedback.Window{Limit: 1})
		if err == nil {
			id = page.Items[0].ID.String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// call calls the API and returns the id of what it answers.
func (w *twinWorld) call(t *testing.T, method, path string, body any) string {
	t.Helper()
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, w.api.URL+path, r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.o.Secret)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, b, err)
	}
	var made struct{ ID string }
	_ = json.Unmarshal(b, &made)
	return made.ID
}

var spelledID = regexp.MustCompile(`\b[a-z]+_[0-9a-z]{13}\b`)

// dump is all rows of the site's tables, with ids by their order of appearance
// and without who did it through which face.
func (w *twinWorld) dump(t *testing.T) map[string][]string {
	t.Helper()
	db, err := sql.Open(w.driver, w.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	known := map[string]string{}
	name := func(id string) string {
		if known[id] == "" {
			known[id] = fmt.Sprintf("#%d", len(known)+1)
		}
		return known[id]
	}
	out := map[string][]string{}
	for _, table := range []string{
		"boards", "statuses", "visitors", "posts", "votes", "comments", "entries", "entry_posts", "actions", "action_votes", "action_comments",
		"post_changes", "runs", "notices", "events",
	} {
		rows, err := db.QueryContext(context.Background(), "SELECT * FROM "+table+" ORDER BY 1, 2")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			var line []string
			for i, v := range values {
				text := fmt.Sprint(v)
				switch n, isInt := v.(int64); {
				case strings.HasPrefix(columns[i], "actor_") || columns[i] == "member_id":
					continue
				case isInt && n > 1<<50 && !strings.HasSuffix(columns[i], "_at"):
					text = name(fmt.Sprintf("%013x", n))
				case strings.HasSuffix(columns[i], "_at") && isInt:
					text = "then"
				}
				text = spelledID.ReplaceAllStringFunc(text, name)
				text = strings.NewReplacer(`"source":"api"`, `"source":"*"`, `"source":"dashboard"`, `"source":"*"`).Replace(text)
				line = append(line, columns[i]+"="+text)
			}
			out[table] = append(out[table], strings.Join(line, " "))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return out
}
