package portal_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

func readAll(t testing.TB, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// views are how every page is looked at.
var views = []struct {
	name    string
	options []browsertest.Option
}{
	{"light", nil},
	{"dark", []browsertest.Option{browsertest.Dark}},
	{"phone", []browsertest.Option{browsertest.Phone}},
	{"phone-dark", []browsertest.Option{browsertest.Phone, browsertest.Dark}},
}

// run has an agent work on a post.
func (s *scene) run(p *feedback.Post) {
	s.t.Helper()
	ref, kind := feedback.Ref(p.ID.String()), feedback.AgentKind("KIND_A")
	var run *feedback.Run
	s.write(func(tx *app.Tx) (err error) {
		run, err = tx.StartRun(s.t.Context(), feedback.NewRun{Site: feedback.Ref(s.o.Site.ID.String()), Kind: kind, Post: &ref})
		return err
	})
	pr, green := feedback.URI("https://git.example/pull/318"), feedback.CIResult("GREEN")
	for _, st := range []feedback.NewStep{
		{Tone: "DONE", Label: "Read the request and 17 comments"}, {Tone: "FAILED", Label: "First attempt: stream rows"},
		{Tone: "DONE", Label: "Moved the export into a background job", PRURL: &pr, CIResult: &green}, {Tone: "BUILDING", Label: "Waiting for review"},
	} {
		s.write(func(tx *app.Tx) error {
			_, err := tx.AppendStep(s.t.Context(), run.ID.String(), st)
			return err
		})
	}
}

// Every page is seen at both widths and in both schemes with nothing, something
// and too much on it: nothing on the console, nothing that axe finds, nothing to
// scroll sideways, nothing that moves while it loads.
func TestEveryPage(t *testing.T) {
	empty := newScene(t, "sqlite", feedback.Free)
	s := newScene(t, "sqlite", feedback.Studio)
	posts := s.lively()
	s.run(posts[4])
	absurd := newScene(t, "sqlite", feedback.Studio)
	worst := absurd.absurd()
	type page struct{ name, url string }
	pages := []page{
		{"board", s.url + "/"}, {"board-bugs", s.url + "/boards/bugs?sort=new"}, {"board-none", s.url + "/?q=telepathy"},
		{"post", s.url + "/posts/" + posts[0].ID.String()}, {"post-run", s.url + "/posts/" + posts[4].ID.String()},
		{"new", s.url + "/posts/new"}, {"roadmap", s.url + "/roadmap"}, {"changelog", s.url + "/changelog"},
		{"entry", s.url + "/changelog/slack-integration"}, {"sign-in", s.url + "/sign-in"}, {"me", s.url + "/me"},
		{"missing", s.url + "/nowhere"},
		{"empty-board", empty.url + "/"}, {"empty-roadmap", empty.url + "/roadmap"}, {"empty-changelog", empty.url + "/changelog"},
		{"absurd-board", absurd.url + "/"}, {"absurd-post", absurd.url + "/posts/" + worst.ID.String()}, {"absurd-roadmap", absurd.url + "/roadmap"},
		{"absurd-changelog", absurd.url + "/changelog"},
	}
	only := os.Getenv("HEED_PAGE")
	for _, v := range views {
		for _, pg := range pages {
			if only != "" && !strings.Contains(pg.name, only) {
				continue
			}
			t.Run(pg.name+"/"+v.name, func(t *testing.T) {
				p := browsertest.Open(t, v.options...)
				if pg.name == "missing" {
					p.Expect("404")
				}
				p.Go(pg.url)
				if shift := p.LayoutShift(); shift > 0.01 {
					t.Errorf("the page moved by %v while it loaded", shift)
				}
				p.CheckWidth()
				p.CheckAccessibility()
				p.Shot(pg.name + "-" + v.name)
			})
		}
	}
}

// absurd fills a site with what nobody should write.
func (s *scene) absurd() *feedback.Post {
	s.t.Helper()
	long := strings.Repeat("Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", 2)
	s.settings(func(in *feedback.NewSettings) {
		in.Accent, in.Intro = "#fde047", feedback.Intro(strings.Repeat("Very long introduction without end ", 8))
	})
	s.exec(`UPDATE boards SET name = $1, post_count = 1234567 WHERE site_id = $2 AND slug = 'bugs'`, strings.Repeat("Wide board name ", 5), int64(s.o.Site.ID))
	s.exec(`UPDATE sites SET name = $1 WHERE id = $2`, "The Unreasonably Long-Named Company & Sons of 1889 <Ltd> شركة", int64(s.o.Site.ID))
	s.exec(`UPDATE statuses SET name = $1 WHERE site_id = $2 AND name = 'Planned'`, strings.Repeat("W", 40), int64(s.o.Site.ID))
	worst := s.post(0, long, strings.Repeat("<script>alert(1)</script> "+long+"\n\n```\n"+strings.Repeat("x", 400)+"\n```\n\n| a | b |\n|---|---|\n| "+long+" | c |\n\n", 3), "a")
	s.exec(`UPDATE posts SET vote_count = 1234567 WHERE site_id = $1 AND id = $2`, int64(s.o.Site.ID), int64(worst.ID))
	for i := range 14 {
		s.tag(worst, strings.Repeat("t", i+3)+"ag", "#fafafa")
	}
	s.status(worst, "Done", "")
	s.post(0, "אני רוצה תמיכה בעברית מימין לשמאל", "שלום (world) 123!", "b")
	s.post(0, "\u202eevil override <img src=x onerror=alert(1)>", "a\u202eb", "c")
	s.post(0, "😀😀😀 検索機能が欲しい検索機能が欲しい検索機能が欲しい検索機能が欲しい検索機能が欲しい検索機能が欲しい検索機能が欲しい", "検索", "d")
	s.exec(`UPDATE visitors SET name = $1 WHERE site_id = $2`, strings.Repeat("Name", 20), int64(s.o.Site.ID))
	c := s.comment(worst, long+long+long, nil, false)
	for range 30 {
		s.comment(worst, "# Heading\n\n> "+long+"\n\n1. one\n2. two", c, false)
	}
	s.entry(long, long+"\n\n"+strings.Repeat("word ", 500), strings.Repeat("L", 40), worst)
	return worst
}
