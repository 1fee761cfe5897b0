package portal_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
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

const plain = "plain" // without JavaScript

// views are how every page is looked at.
var views = []struct {
	name    string
	options []browsertest.Option
}{
	{"light", []browsertest.Option{browsertest.Desk, browsertest.Light}},
	{"dark", []browsertest.Option{browsertest.Desk, browsertest.Dark}},
	{"phone", []browsertest.Option{browsertest.Phone, browsertest.Light}},
	{"phone-dark", []browsertest.Option{browsertest.Phone, browsertest.Dark}},
	{plain, []browsertest.Option{browsertest.Phone, browsertest.Light, browsertest.NoJavaScript}}, // the last: nothing switches it on again
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

// sights are the pages there are, each with what it takes to see it.
type sight struct {
	name, url string
	options   []browsertest.Option
	expect    string // a finding to be announced
	views     []int  // of views; nil: all
}

// sights prepares three sites, with nothing, something and too much on them, and
// returns all their pages.
func sights(t *testing.T) []sight {
	empty := newScene(t, "sqlite", feedback.Free)
	s := newScene(t, "sqlite", feedback.Studio)
	posts := s.lively()
	s.run(posts[4])
	tokens := s.tokens()
	absurd := newScene(t, "sqlite", feedback.Studio)
	worst := absurd.absurd()
	all := []sight{
		{name: "board", url: s.url + "/"}, {name: "board-bugs", url: s.url + "/boards/bugs?sort=new"},
		{name: "board-none", url: s.url + "/?q=telepathy"}, {name: "board-tag", url: s.tagURL(posts[0])},
		{name: "post", url: s.url + "/posts/" + posts[0].ID.String()}, {name: "post-run", url: s.url + "/posts/" + posts[4].ID.String()},
		{name: "new", url: s.url + "/posts/new"}, {name: "roadmap", url: s.url + "/roadmap"}, {name: "changelog", url: s.url + "/changelog"},
		{name: "entry", url: s.url + "/changelog/slack-integration"}, {name: "sign-in", url: s.url + "/sign-in"}, {name: "me", url: s.url + "/me"},
		{name: "link", url: s.url + "/sign-in/link?t=" + tokens["link"]}, {name: "confirm", url: s.url + "/confirm?t=" + tokens["confirm"]},
		{name: "unsubscribe", url: s.url + "/unsubscribe?t=" + tokens["unsubscribe"]},
		{name: "preferences", url: s.url + "/preferences?t=" + tokens["unsubscribe"]},
		{name: "missing", url: s.url + "/nowhere", expect: "404"}, {name: "no-site", url: s.base + "/p/nobody/", expect: "404"},
		{name: "stale-link", url: s.url + "/unsubscribe?t=x", expect: "404"},
		{name: "empty-board", url: empty.url + "/"}, {name: "empty-roadmap", url: empty.url + "/roadmap"}, {name: "empty-changelog", url: empty.url + "/changelog"},
		{name: "absurd-board", url: absurd.url + "/"}, {name: "absurd-post", url: absurd.url + "/posts/" + worst.ID.String()},
		{name: "absurd-roadmap", url: absurd.url + "/roadmap"}, {name: "absurd-changelog", url: absurd.url + "/changelog"},
	}
	// The same from right to left: wide and light, narrow and dark.
	for _, p := range all {
		if strings.Contains(" board board-none post post-run new roadmap changelog sign-in preferences missing empty-board absurd-board absurd-post ", " "+p.name+" ") {
			p.name, p.views, p.options = "rtl-"+p.name, []int{0, 3}, []browsertest.Option{browsertest.Language("ar")}
			all = append(all, p)
		}
	}
	return all
}

// tagURL is the list of a post's tag.
func (s *scene) tagURL(p *feedback.Post) string {
	s.t.Helper()
	var tag string
	s.read(func(tx *app.Tx) error {
		got, err := tx.Post(s.t.Context(), p.ID.String())
		tag = got.Tags[0].ID.String()
		return err
	})
	return s.url + "/?tag=" + tag
}

// tokens makes what mails link to: to sign in, to confirm, to unsubscribe.
func (s *scene) tokens() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	c := s.client()
	s.submit(c, "/sign-in", url.Values{"email": {"eve@example.com"}})
	all["link"] = linkToken.FindStringSubmatch(s.lastMail().Text)[1]
	s.submit(c, "/subscribe", url.Values{"email": {"eve@example.com"}})
	all["confirm"] = confirmToken.FindStringSubmatch(s.lastMail().Text)[1]
	s.signIn(c, "eve@example.com")
	p := s.post(0, "Told about", "", "someone")
	s.submit(c, "/posts/"+p.ID.String()+"/vote", url.Values{"vote": {"on"}})
	s.status(p, "Planned", "")
	s.tell()
	all["unsubscribe"] = stopToken.FindStringSubmatch(s.lastMail().Text)[1]
	return all
}

// tell writes the mails that notices ask for.
func (s *scene) tell() {
	s.t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.app.TellNext(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Every page is seen at both widths and in both schemes, and without JavaScript,
// with nothing, something and too much on it: nothing on the console, nothing that axe finds, nothing to
// scroll sideways, nothing that moves while it loads. A page is loaded once for
// each width; the scheme changes under it, as it may at dusk.
func TestEveryPage(t *testing.T) {
	for _, pg := range sights(t) {
		if only := os.Getenv("HEED_PAGE"); only != "" && !strings.Contains(pg.name, only) {
			continue
		}
		t.Run(pg.name, func(t *testing.T) {
			t.Parallel()
			p := browsertest.Open(t, pg.options...)
			if pg.expect != "" {
				p.Expect(pg.expect)
			}
			width := -1
			for i, v := range views {
				if pg.views != nil && !slices.Contains(pg.views, i) {
					continue
				}
				p.See(v.options...)
				if width != i/2 {
					width = i / 2
					p.Go(pg.url)
					if v.name != plain { // it takes a script to measure
						if shift := p.LayoutShift(); shift > browsertest.Still {
							t.Errorf("%s: the page moved by %v while it loaded", v.name, shift)
						}
					}
					p.CheckWidth()
				}
				p.CheckAccessibility()
				p.Shot(pg.name + "-" + v.name)
			}
		})
	}
}

// absurd fills a site with what nobody should write.
func (s *scene) absurd() *feedback.Post {
	s.t.Helper()
	long := strings.Repeat("Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", 2)
	s.settings(func(in *feedback.NewSettings) {
		in.Accent, in.Intro = "#fde047", feedback.Intro(strings.Repeat("Very long introduction without end ", 8))
	})
	s.exec(`UPDATE boards SET name = $1, shown_count = 1234567 WHERE site_id = $2 AND slug = 'bugs'`, strings.Repeat("Wide board name ", 5), int64(s.o.Site.ID))
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
