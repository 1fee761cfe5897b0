package dashboard_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
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

	viaAPI.tell(t)
	viaDash.tell(t)
	rows := viaAPI.dump(t)
	if diff := cmp.Diff(rows, viaDash.dump(t)); diff != "" {
		t.Errorf("rows after the API (-) and after the dashboard (+) differ:\n%s", diff)
	}
	if len(rows["mails"]) < 3 {
		t.Errorf("the changes leave %d mails", len(rows["mails"]))
	}
}

// A visitor who writes in the portal leaves what the API leaves that writes for
// them, and so does the dashboard.
func TestSameAsPortal(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { testSameAsPortal(t, engine) })
	}
}

func testSameAsPortal(t *testing.T, engine string) {
	viaPortal, viaAPI, viaDash := twin(t, engine), twin(t, engine), twin(t, engine)
	board := func(w *twinWorld) string { return w.lists(t, w.o).boards["Bugs"] }
	status := func(w *twinWorld) string { return w.lists(t, w.o).statuses["Planned"] }

	home := viaPortal.srv.URL + "/p/" + viaPortal.o.Site.Slug
	submit := func(c *http.Client, path string, form url.Values) {
		t.Helper()
		res, err := c.PostForm(home+path, form)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			b, _ := io.ReadAll(res.Body)
			t.Fatalf("POST %s: %d %s", path, res.StatusCode, b)
		}
	}
	ada, bob := &http.Client{Jar: jar(t)}, &http.Client{Jar: jar(t)}
	submit(ada, "/posts", url.Values{"title": {"It breaks"}, "body": {"Always."}, "boardId": {board(viaPortal)}, "seen": {"1"}})
	post := viaPortal.posts(t, viaPortal.o)[0].String()
	submit(bob, "/posts/"+post+"/vote", url.Values{"vote": {"on"}})
	submit(bob, "/posts/"+post+"/vote", url.Values{"vote": {"on"}})
	refs := feedbacktest.Rows(t, viaPortal.source, `SELECT ref FROM visitors ORDER BY id`)
	viaPortal.signedIn(t, ownerEmail).act("/dash/sites/"+viaPortal.o.Site.ID.String()+"/posts/"+post+"/status", "statusId", status(viaPortal))

	v1 := "/v1/sites/" + viaAPI.o.Site.ID.String()
	post = viaAPI.call(t, "POST", v1+"/posts", map[string]any{"boardId": board(viaAPI), "title": "It breaks", "body": "Always.", "onBehalfVisitorId": refs[0][0]})
	for _, ref := range []string{refs[0][0], refs[1][0], refs[1][0]} {
		viaAPI.call(t, "POST", v1+"/posts/"+post+"/votes", map[string]any{"onBehalfVisitorId": ref})
	}
	viaAPI.call(t, "PUT", v1+"/posts/"+post+"/status", map[string]any{"statusId": status(viaAPI)})

	u, base := viaDash.signedIn(t, ownerEmail), "/dash/sites/"+viaDash.o.Site.ID.String()
	u.act(base+"/posts", "boardId", board(viaDash), "title", "It breaks", "body", "Always.", "onBehalfVisitorId", refs[0][0])
	post = viaDash.posts(t, viaDash.o)[0].String()
	for _, ref := range []string{refs[0][0], refs[1][0], refs[1][0]} {
		u.act(base+"/posts/"+post+"/votes", "onBehalfVisitorId", ref)
	}
	u.act(base+"/posts/"+post+"/status", "statusId", status(viaDash))

	viaPortal.tell(t)
	rows := viaPortal.dump(t)
	for i, line := range rows["events"] {
		// In the portal the author's vote comes with the post.
		if strings.Contains(line, `"type":"post.created"`) {
			rows["events"][i] = strings.Replace(line, `"voteCount":1`, `"voteCount":0`, 1)
		}
	}
	if len(rows["mails"]) != 2 || len(rows["votes"]) != 2 {
		t.Errorf("the visitors leave %d mails and %d votes; want two of each", len(rows["mails"]), len(rows["votes"]))
	}
	for face, w := range map[string]*twinWorld{"API": viaAPI, "dashboard": viaDash} {
		w.tell(t)
		if diff := cmp.Diff(rows, w.dump(t)); diff != "" {
			t.Errorf("rows after the portal (-) and after the %s (+) differ:\n%s", face, diff)
		}
	}
}

func jar(t testing.TB) *cookiejar.Jar {
	t.Helper()
	j, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// tell gives every visitor a proved address and has the mails written that
// notices ask for.
func (w *twinWorld) tell(t *testing.T) {
	t.Helper()
	feedbacktest.Rows(t, w.source, `UPDATE visitors SET email = REPLACE(ref, ':', '-') || '@example.com', verified_at = 1`)
	for more := true; more; {
		var err error
		if more, err = w.app.TellNext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// twinWorld is a world with both faces on one database.
type twinWorld struct {
	*world
	o           *app.Opened
	driver, url string // to look at the rows
	source      string // the address of the database
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
	w := &twinWorld{world: &world{app: a, db: db, clock: clk}, driver: driver, url: rows, source: url}
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

// unlike are columns that differ though the rows say the same: signed links.
var unlike = []string{"unsubscribe", "text_part", "html_part"}

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
		"post_changes", "runs", "notices", "events", "mails",
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
				case strings.HasPrefix(columns[i], "actor_") || columns[i] == "member_id" || slices.Contains(unlike, columns[i]):
					continue
				case isInt && n > 1<<50 && !strings.HasSuffix(columns[i], "_at"):
					text = name(fmt.Sprintf("%013x", n))
				case strings.HasSuffix(columns[i], "_at") && isInt:
					text = "then"
				}
				text = spelledID.ReplaceAllStringFunc(text, name)
				text = strings.NewReplacer(`"source":"api"`, `"source":"*"`, `"source":"dashboard"`, `"source":"*"`, `"source":"portal"`, `"source":"*"`).Replace(text)
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
