package dashboard_test

import (
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// themes publishes two themes of a site: all but the last of the posts, and the
// last.
func (w *world) themes(t testing.TB, o *app.Opened, posts []feedback.PostID) []feedback.Theme {
	t.Helper()
	summary, bad := "People ask for one sign-in.", feedback.Sentiment("negative")
	themes := []feedback.Theme{
		{Label: "Signing in", Summary: &summary, Sentiment: &bad, PostCount: len(posts) - 1, Trend: "up", TrendDelta: 3},
		{Label: "Exports", PostCount: 1, Trend: "new", TrendDelta: 1},
	}
	work, err := w.app.BeginInsights(t.Context(), o.Site.ID.String(), true)
	if err != nil {
		t.Fatal(err)
	}
	var placed []app.ThemePost
	for i := range themes {
		themes[i].ID, themes[i].SiteID = work.NewTheme(), o.Site.ID
	}
	for i, p := range posts {
		placed = append(placed, app.ThemePost{Post: p, Theme: themes[(i+1)/len(posts)].ID})
	}
	if _, err := work.Publish(t.Context(), app.InsightResult{Model: "test", Themes: themes, Placed: placed}); err != nil {
		t.Fatal(err)
	}
	return themes
}

// The page of insights shows themes, their trends, what a run may use and how far
// it is; a theme shows its posts.
func TestInsights(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		u.page(site(o, "insights")).has(t, "No themes yet", "Never run", "Themes are found on this machine")
		posts := lively(t, w, o)
		themes := w.themes(t, o, posts)
		w.clock.pass(15 * 24 * time.Hour)
		u = w.signedIn(t, ownerEmail)

		u.page(site(o, "insights")).has(t, "Signing in", "People ask for one sign-in.", "9 posts", "▲ 3", "Exports", "new", "negative", "Week from")
		one := u.page(site(o, "insights", "themes", themes[0].ID))
		one.has(t, "Signing in", "People ask for one sign-in.", "3 more new posts", "Dark mode that follows", "negative")
		one.lacks(t, "Mobile app loses drafts")
		// All ten are two weeks old: nine of one theme in the tenth of twelve weeks.
		if !strings.Contains(one.body, `<td class="num">9</td>`) {
			t.Error("the table of weeks does not count the nine posts of one")
		}
		u.page(site(o, "insights", "themes", themes[1].ID)).has(t, "Mobile app loses drafts", "New with the last run")

		w.app.SetAI(app.AI{Provider: true, MonthlyUnits: 5000})
		u.page(site(o, "insights")).has(t, "0 of 5,000 units used in May")
		u.act(site(o, "insights", "run")).has(t, "The search for themes is under way", "Queued", "Begins in a moment")
		u.page(site(o, "insights")).lacks(t, "Run now")
		if a := u.get(site(o, "insights", "run")); a.header.Get("HX-Refresh") != "" {
			t.Error("a run that is under way has the page loaded anew")
		}
		u.act(site(o, "insights", "run")).has(t, "Queued") // again is the same run
	})
}

// Whoever asks for a run sees it come to its end without touching the page.
func TestRunNow(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	posts := lively(t, w, o)
	p := w.browse(t)
	p.Go(w.srv.URL + site(o, "insights"))
	p.ClickText("button", "Run now")
	p.WaitText("#run-state", "Queued")
	w.themes(t, o, posts)
	p.WaitText("article.theme", "Signing in")
	p.ClickText("article.theme a", "Signing in")
	p.WaitText("h1", "Signing in")
	p.WaitText("tbody", "Dark mode that follows")
	p.CheckAccessibility()
}

// browse is a browser that the owner has signed in to.
func (w *world) browse(t testing.TB, options ...browsertest.Option) *browsertest.Page {
	t.Helper()
	p := browsertest.Open(t, options...)
	p.Go(w.srv.URL + "/signin")
	p.Type("#email", ownerEmail)
	p.Type("#password", password)
	p.Click("form button.pri")
	p.Wait("nav.nav")
	return p
}
