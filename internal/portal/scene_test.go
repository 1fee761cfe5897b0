package portal_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/browsertest"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/portal"
	"heed/internal/web"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// scene is a site with a portal that is served.
type scene struct {
	t    testing.TB
	app  *app.App
	o    *app.Opened
	team *app.Actor
	url  string // of the portal
	base string // of the server
	sql  *sql.DB

	boards   []feedback.Board
	statuses []feedback.Status
}

func eachScene(t *testing.T, test func(*testing.T, *scene)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, newScene(t, engine, feedback.Studio)) })
	}
}

func newScene(t testing.TB, engine string, plan feedback.Plan) *scene {
	t.Helper()
	s := &scene{t: t}
	driver, dbURL := "sqlite", "sqlite:"+filepath.Join(t.TempDir(), "heed.db")
	dsn := strings.TrimPrefix(dbURL, "sqlite:") + "?_pragma=busy_timeout(5000)"
	if engine == "postgres" {
		dbURL = feedbacktest.PostgresURL(t)
		driver, dsn = "pgx", dbURL
	}
	db := feedbacktest.OpenURL(t, dbURL, nil)
	s.app = app.New(db, app.Config{
		Master: auth.NewMaster(), AgentKinds: feedback.DefaultAgentKinds(), PlanLimits: feedback.DefaultPlanLimits(), DefaultPlan: plan,
	})
	t.Cleanup(s.app.Close)
	var err error
	if s.sql, err = sql.Open(driver, dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.sql.Close() })
	s.o = feedbacktest.OpenAccount(t, s.app, "Northwind", plan)
	s.team = &app.Actor{Source: feedback.FromDashboard, Account: &s.o.Account, Member: s.o.Member.ID}
	mux := http.NewServeMux()
	p := portal.New(portal.Config{App: s.app, Unlimited: true})
	mux.Handle("/p/", p)
	mux.Handle("/assets/", web.Assets())
	srv := httptest.NewServer(p.ByHost(mux))
	t.Cleanup(srv.Close)
	s.base, s.url = srv.URL, srv.URL+"/p/northwind"
	s.app.SetBaseURL(srv.URL)
	s.read(func(tx *app.Tx) error {
		b, err := tx.Boards(t.Context(), feedback.Window{Limit: 100})
		s.boards = b.Items
		return err
	})
	s.read(func(tx *app.Tx) error {
		b, err := tx.Statuses(t.Context(), feedback.Window{Limit: 100})
		s.statuses = b.Items
		return err
	})
	return s
}

func (s *scene) read(fn func(*app.Tx) error) {
	s.t.Helper()
	if err := s.app.Read(s.t.Context(), s.team, app.Target{Site: s.o.Site.ID.String()}, fn); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) write(fn func(*app.Tx) error) {
	s.t.Helper()
	_, err := s.app.Write(s.t.Context(), s.team, app.Target{Site: s.o.Site.ID.String()}, app.Once{}, func(tx *app.Tx) (app.Response, error) {
		return app.Response{}, fn(tx)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// exec changes what no verb changes yet.
func (s *scene) exec(query string, args ...any) {
	s.t.Helper()
	if _, err := s.sql.ExecContext(s.t.Context(), query, args...); err != nil {
		s.t.Fatal(err)
	}
	s.write(func(*app.Tx) error { return nil }) // what is kept is of before
}

func (s *scene) post(board int, title, body, by string) *feedback.Post {
	s.t.Helper()
	var p *feedback.Post
	s.write(func(tx *app.Tx) (err error) {
		p, err = tx.CreatePost(s.t.Context(), feedback.NewPost{
			Board: feedback.Ref(s.boards[board].ID.String()), Title: feedback.PostTitle(title), Body: feedback.PostBody(body), Visitor: feedback.VisitorRef(by),
		})
		return err
	})
	return p
}

func (s *scene) votes(p *feedback.Post, n int) {
	s.t.Helper()
	s.write(func(tx *app.Tx) error {
		for i := range n {
			if _, err := tx.Vote(s.t.Context(), p.ID.String(), feedback.NewVote{Visitor: feedback.VisitorRef(fmt.Sprintf("voter%d", i))}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *scene) status(p *feedback.Post, name, note string) {
	s.t.Helper()
	for _, st := range s.statuses {
		if st.Name == name {
			ref, n := feedback.Ref(st.ID.String()), feedback.Note(note)
			s.write(func(tx *app.Tx) error {
				_, err := tx.ChangePostStatus(s.t.Context(), p.ID.String(), feedback.StatusChange{Status: &ref, Note: &n})
				return err
			})
			return
		}
	}
	s.t.Fatalf("no status %q", name)
}

func (s *scene) comment(p *feedback.Post, body string, parent *feedback.Comment, internal bool) *feedback.Comment {
	s.t.Helper()
	var c *feedback.Comment
	in := feedback.NewComment{Body: feedback.CommentBody(body), Internal: internal}
	if parent != nil {
		in.Parent = new(feedback.Ref)
		*in.Parent = feedback.Ref(parent.ID.String())
	}
	s.write(func(tx *app.Tx) (err error) {
		c, err = tx.CreateComment(s.t.Context(), p.ID.String(), in)
		return err
	})
	return c
}

func (s *scene) tag(p *feedback.Post, name, color string) {
	s.t.Helper()
	id := int64(len(name)*1000) + int64(name[0])
	s.exec(`INSERT INTO tags (site_id, id, name, color, created_at) VALUES ($1, $2, $3, $4, 1) ON CONFLICT DO NOTHING`, int64(s.o.Site.ID), id, name, color)
	s.write(func(tx *app.Tx) error {
		return tx.TagPost(s.t.Context(), p.ID.String(), feedback.Input{}, feedback.Ref(feedback.TagID(id).String()), true)
	})
}

func (s *scene) age(p *feedback.Post, d time.Duration) {
	colder := int64(d.Seconds() * 1e6 / 604800)
	s.exec(`UPDATE posts SET created_at = $1, trend = trend - $2 WHERE site_id = $3 AND id = $4`,
		time.Now().Add(-d).UnixMicro(), colder, int64(s.o.Site.ID), int64(p.ID))
}

func (s *scene) entry(title, body, label string, posts ...*feedback.Post) *feedback.Entry {
	s.t.Helper()
	var e *feedback.Entry
	in := feedback.NewEntry{Title: feedback.EntryTitle(title), Body: feedback.EntryBody(body)}
	if label != "" {
		l := feedback.EntryLabel(label)
		in.Label = &l
	}
	for _, p := range posts {
		in.Posts = append(in.Posts, feedback.Ref(p.ID.String()))
	}
	s.write(func(tx *app.Tx) (err error) {
		if e, err = tx.CreateEntry(s.t.Context(), in); err != nil {
			return err
		}
		e, err = tx.PublishEntry(s.t.Context(), e.ID.String(), feedback.Input{})
		return err
	})
	return e
}

func (s *scene) settings(change func(*feedback.NewSettings)) {
	s.t.Helper()
	in := feedback.NewSettings{Scheme: feedback.SchemeSystem, Locale: "en", Anonymous: true}
	change(&in)
	s.write(func(tx *app.Tx) error {
		_, err := tx.SetSettings(s.t.Context(), in)
		return err
	})
}

// client is a reader with cookies and without a browser.
func (s *scene) client() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar}
}

func (s *scene) get(c *http.Client, path string) (int, string) {
	s.t.Helper()
	res, err := c.Get(s.url + path)
	return s.answer(res, err)
}

func (s *scene) submit(c *http.Client, path string, form url.Values) (int, string) {
	s.t.Helper()
	res, err := c.PostForm(s.url+path, form)
	return s.answer(res, err)
}

func (s *scene) answer(res *http.Response, err error) (int, string) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var b strings.Builder
	if _, err := fmt.Fprint(&b, readAll(s.t, res)); err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, b.String()
}

// lively fills the site with what a real one has.
func (s *scene) lively() []*feedback.Post {
	s.t.Helper()
	type row struct {
		board              int
		title, body, state string
		votes              int
		age                time.Duration
		tags               []string
	}
	h, d := time.Hour, 24*time.Hour
	rows := []row{
		{0, "Single sign-on with SAML and OIDC", "We are rolling out to **400 people** and security will not approve another password. Okta and Entra are what we use.\n\n- Okta and Entra are what we use\n- SCIM can come later\n- Please keep `admin` accounts on a password as a fallback", "In progress", 41, 5 * h, []string{"security", "enterprise"}},
		{0, "Dark mode that follows the system setting", "My eyes at 2am would be grateful. Ideally a toggle too, since my desktop is light but my phone is not.", "Planned", 38, 12 * h, []string{"ux"}},
		{0, "Bulk edit posts from the list view", "Select several rows, then change status, move to another board or add a tag in one go.", "Open", 30, d, nil},
		{0, "Slack: post new feedback into a channel", "With a thread per idea, so the conversation stays together and the team sees status changes.", "Done", 28, 2 * d, []string{"integrations"}},
		{1, "Exports to CSV time out above 10,000 rows", "The request is cut at 30 seconds. A background job with an e-mail link would be perfect.", "In progress", 24, 4 * d, []string{"performance"}},
		{0, "Keyboard shortcuts for triage", "j and k to move, m to merge, s for status.", "Planned", 23, 6 * d, nil},
		{0, "Let customers attach screenshots", "A picture says more than my bug reports do.", "Open", 19, 9 * d, []string{"ux"}},
		{1, "Notifications arrive twice after a merge", "", "Open", 12, 11 * d, nil},
		{0, "Custom domains with automatic certificates", "feedback.example.com, please.", "Planned", 17, 15 * d, []string{"enterprise"}},
		{1, "Arabic names are cut in the member list", "The last letter disappears.", "Closed", 4, 40 * d, nil},
	}
	colors := map[string]string{"security": "#e11d48", "enterprise": "#4f46e5", "ux": "#0d9488", "integrations": "#d97706", "performance": "#dc2626"}
	var posts []*feedback.Post
	for i := len(rows) - 1; i >= 0; i-- {
		r := rows[i]
		p := s.post(r.board, r.title, r.body, fmt.Sprintf("author%d", i))
		s.votes(p, r.votes)
		if r.state != "Open" {
			s.status(p, "Planned", "")
			s.status(p, r.state, "")
		}
		for _, name := range r.tags {
			s.tag(p, name, colors[name])
		}
		s.age(p, r.age)
		posts = append([]*feedback.Post{p}, posts...)
	}
	s.exec(`UPDATE posts SET pinned = TRUE WHERE site_id = $1 AND id = $2`, int64(s.o.Site.ID), int64(posts[0].ID))
	s.exec(`UPDATE visitors SET name = 'Mira K.' WHERE site_id = $1 AND ref = 'author0'`, int64(s.o.Site.ID))
	c := s.comment(posts[0], "Which identity provider do you use? We are choosing what to support first.", nil, false)
	s.comment(posts[0], "Group mapping is in the first release. We will write here when the beta opens.", c, false)
	s.entry("Slack integration", "New feedback lands in the channel you choose, **one thread per idea**, and status changes follow in the thread.\n\n- Choose boards per channel\n- Reply from Slack as a public or internal comment", "New", posts[3])
	s.entry("Search understands typos", "Searching for `notificaton` now finds notifications. Results are about twice as fast on large boards.", "Improved")
	return posts
}

func httpPost(path, form string) *http.Request {
	r := httptest.NewRequest("POST", path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func newRecorder() *httptest.ResponseRecorder { return httptest.NewRecorder() }
