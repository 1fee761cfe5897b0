package demo_test

import (
	"path/filepath"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/demo"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

func config() app.Config {
	return app.Config{
		Master: auth.NewMaster(), AgentKinds: feedback.DefaultAgentKinds(), PlanLimits: feedback.DefaultPlanLimits(),
		DefaultPlan: feedback.Studio,
	}
}

// fill makes the demo on a fresh database of an engine.
func fill(t testing.TB, engine string) (*store.DB, *app.App, *app.Opened) {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "demo.db")
	if engine == "postgres" {
		url = feedbacktest.PostgresURL(t)
	}
	db := feedbacktest.OpenURL(t, url, nil)
	done, total := 0, 0
	o, err := demo.Fill(t.Context(), demo.Options{URL: url, App: config(), Progress: func(d, n int) { done, total = d, n }})
	if err != nil {
		t.Fatalf("Fill: %v", err)
	}
	if done != total || total < 5000 {
		t.Errorf("progress ends at %d of %d", done, total)
	}
	return db, feedbacktest.NewApp(t, db), o
}

func TestDemo(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			db, a, o := fill(t, engine)
			found, err := a.Check(t.Context(), nil)
			for _, d := range found {
				t.Error(d)
			}
			if err != nil {
				t.Error(err)
			}
			actor, err := a.Authenticate(t.Context(), o.Secret, "")
			if err != nil {
				t.Fatalf("Authenticate: %v", err)
			}
			err = a.Read(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, func(tx *app.Tx) error {
				look(t, tx)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			notices(t, db, o)
		})
	}
}

// look sees that every page of the product has something to show.
func look(t *testing.T, tx *app.Tx) {
	t.Helper()
	ctx, all := t.Context(), feedback.Window{Limit: 100}
	boards, err := tx.Boards(ctx, all)
	if err != nil {
		t.Fatal(err)
	}
	private := 0
	for _, b := range boards.Items {
		if b.Private {
			private++
		}
		if b.PostCount < 10 {
			t.Errorf("the board %s has %d posts", b.Name, b.PostCount)
		}
	}
	if len(boards.Items) != 4 || private != 1 {
		t.Errorf("%d boards, %d of them private; want 4 and 1", len(boards.Items), private)
	}

	posts := map[string]int{} // what there is, and how often
	comments := 0
	var last feedback.PostID
	for w := all; ; {
		page, err := tx.Posts(ctx, nil, w)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Items {
			posts["all"]++
			posts[*p.StatusName]++
			for what, is := range map[string]bool{"pinned": p.Pinned, "archived": p.Archived, "locked": p.Locked, "tagged": len(p.Tags) > 0, "popular": p.VoteCount > 200} {
				if is {
					posts[what]++
				}
			}
			if at := p.ID.Time(); p.CreatedAt.Sub(at).Abs() > time.Second {
				t.Errorf("%s was made at %v and its id at %v", p.Title, p.CreatedAt, at)
			}
			if p.CreatedAt.After(tx.Now()) {
				t.Errorf("%s comes from the future: %v", p.Title, p.CreatedAt)
			}
			if c, err := tx.Comments(ctx, p.ID.String(), all); err == nil {
				comments += len(c.Items)
				for _, c := range c.Items {
					for what, is := range map[string]bool{"internal": c.Internal, "reply": c.ParentID != 0, "official": c.AuthorType == feedback.ByMember && !c.Internal} {
						if is {
							posts[what]++
						}
					}
				}
			}
			last = p.ID
		}
		if page.Next == nil {
			break
		}
		w.After = page.Next
	}
	for what, min := range map[string]int{
		"all": 270, "Open": 50, "Under review": 10, "Planned": 20, "In progress": 10, "Done": 60, "Closed": 5,
		"pinned": 1, "archived": 3, "locked": 1, "tagged": 250, "popular": 8, "internal": 5, "reply": 15, "official": 40,
	} {
		if posts[what] < min {
			t.Errorf("%d posts or comments are %s; want at least %d", posts[what], what, min)
		}
	}
	if comments < 180 {
		t.Errorf("%d comments; want more", comments)
	}
	if age := tx.Now().Sub(last.Time()); age < 300*24*time.Hour {
		t.Errorf("the oldest post is of %v ago; want a year", age)
	}

	entries, err := tx.Changelog(ctx, all)
	if err != nil {
		t.Fatal(err)
	}
	drafts := 0
	for _, e := range entries.Items {
		if e.Status == feedback.Draft {
			drafts++
		}
		if e.Label == nil {
			t.Errorf("the entry %s has no label", e.Title)
		}
	}
	if len(entries.Items) < 13 || drafts != 1 {
		t.Errorf("%d entries, %d of them drafts; want at least 13 and 1", len(entries.Items), drafts)
	}

	runs, err := tx.Runs(ctx, all)
	if err != nil {
		t.Fatal(err)
	}
	statuses, told := map[feedback.RunStatus]int{}, 0
	for _, r := range runs.Items {
		statuses[r.Status]++
		told += r.NotifiedCount
	}
	for _, s := range feedback.Queued.Values() {
		if statuses[feedback.RunStatus(s)] == 0 {
			t.Errorf("no run is %s", s)
		}
	}
	if told < 200 {
		t.Errorf("%d voters were told that something shipped; want more", told)
	}
	queue, err := tx.Queue(ctx)
	if err != nil {
		t.Fatal(err)
	}
	stages := map[feedback.Stage]int{}
	for _, i := range queue {
		stages[i.Stage]++
	}
	for _, s := range feedback.StageQueued.Values() {
		if stages[feedback.Stage(s)] == 0 {
			t.Errorf("nothing in the queue is %s", s)
		}
	}
	for _, q := range []string{"dark mode", "calendar", "祝日", "offline", "kontrast"} {
		got, err := tx.Search(ctx, feedback.Search{Query: feedback.SearchQuery(q), Window: all})
		if err != nil || (len(got.Items) == 0) != (q == "kontrast") {
			t.Errorf("Search(%q) = %d posts, %v", q, len(got.Items), err)
		}
	}
}

// notices sees that no mail would be sent about the past.
func notices(t *testing.T, db *store.DB, o *app.Opened) {
	t.Helper()
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		n, err := tx.DueNotices(t.Context(), o.Site.ID)
		if n > 0 {
			t.Errorf("%d notices wait to be sent", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func BenchmarkFill(b *testing.B) {
	for b.Loop() {
		fill(b, "sqlite")
	}
}
