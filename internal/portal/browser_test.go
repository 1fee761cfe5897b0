package portal_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// ways are how a person may come: with and without JavaScript, wide and narrow.
var ways = []struct {
	name    string
	options []browsertest.Option
	js      bool
}{
	{"wide", nil, true},
	{"phone", []browsertest.Option{browsertest.Phone}, true},
	{"wide without JavaScript", []browsertest.Option{browsertest.NoJavaScript}, false},
	{"phone without JavaScript", []browsertest.Option{browsertest.Phone, browsertest.NoJavaScript}, false},
}

// A person browses, searches, votes, takes the vote back, comments, previews,
// posts and signs in.
func TestAVisit(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			s := newScene(t, "sqlite", feedback.Studio)
			posts := s.lively()
			id := posts[1].ID.String()
			p := browsertest.Open(t, way.options...)

			p.Go(s.url + "/")
			p.Click("#" + id + " .vote button")
			p.Wait("#" + id + " .vote:not(.htmx-request) button[aria-pressed=true]")
			if got := p.Text("#" + id + " .vote b"); got != "39" {
				t.Errorf("after voting the count is %s; want 39", got)
			}
			p.Go(s.url + "/?sort=top")
			p.Click("#" + id + " .vote button[aria-pressed=true]")
			p.Wait("#" + id + " .vote:not(.htmx-request) button[aria-pressed=false]")
			if n := voteCount(t, s, posts[1]); n != 38 {
				t.Errorf("after taking the vote back the count is %d; want 38", n)
			}

			p.Type("#q", "csv")
			if !way.js {
				p.Press("\r")
			}
			p.Wait(".posts li:only-child")
			p.ClickText(".posts h3 a", "Exports to CSV")
			p.Wait(".one h1")

			p.Type("textarea[name=body]", "Same **here**, every Monday.")
			p.ClickText("button", "Preview")
			p.Wait(".preview strong")
			p.Type("input[name=name]", "Mira K.")
			p.ClickText("button.pri", "Comment")
			p.Wait(".comment .prose strong")
			if got := p.Text(".comment .who"); got != "Mira K." {
				t.Errorf("the comment is by %q", got)
			}
			if got := browsertest.Eval[string](p, `document.querySelector("textarea[name=body]").value`); got != "" {
				t.Errorf("the form still holds %q", got)
			}

			p.Go(s.url + "/posts/new")
			p.Type("#title", "Dark mode for the settings")
			if way.js {
				p.Wait("#similar .pick")
			}
			p.Type("#body", "Please.")
			p.ClickText("button.pri", "Share it")
			if !way.js { // similar posts are shown once before the post is taken
				p.Wait("#similar .pick")
				p.ClickText("button.pri", "Share it")
			}
			p.Wait(".note.good")
			if got := p.Text(".one h1"); got != "Dark mode for the settings" {
				t.Errorf("the new post is %q", got)
			}

			p.Go(s.url + "/sign-in")
			p.Type("#email", "mira@example.com")
			p.ClickText("button.pri", "Send me a code")
			p.Wait("#code")
			p.Type("#code", sixDigits.FindString(s.lastMail().Text))
			p.ClickText("button.pri", "Sign in")
			p.Wait("details.menu")
			p.Go(s.url + "/me")
			if got := p.Text("main"); !strings.Contains(got, "Dark mode for the settings") || !strings.Contains(got, "mira@example.com") {
				t.Errorf("my feedback shows %q", got)
			}
			if way.js { // axe waits for timers, which a page without scripts has not
				p.CheckAccessibility()
			}
			p.Shot("me-full-" + strings.ReplaceAll(way.name, " ", "-"))
		})
	}
}

// A vote that is refused goes back, and says so.
func TestVoteIsUndoneWhenRefused(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	posts := s.lively()
	id := posts[1].ID.String()
	p := browsertest.Open(t)
	p.Go(s.url + "/")
	s.exec(`UPDATE posts SET locked = TRUE WHERE site_id = $1 AND id = $2`, int64(s.o.Site.ID), int64(posts[1].ID))
	p.Expect("409")
	p.Click("#" + id + " .vote button")
	p.Wait(".toast")
	if got := p.Text(".toasts"); got != "This post takes no more votes or comments" {
		t.Errorf("the page says %q", got)
	}
	p.WaitFor(fmt.Sprintf(`document.querySelector("#%s .vote b").textContent === "38" && document.querySelector("#%s .vote button").ariaPressed === "false"`, id, id))
}

// What was typed survives a tab that was closed, and a submit that was refused.
func TestDraftsSurvive(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	p := browsertest.Open(t)
	p.Go(s.url + "/posts/new")
	p.Type("#title", "Half an idea")
	p.Type("#body", "and half a sentence")
	p.Go(s.url + "/roadmap")
	p.Go(s.url + "/posts/new")
	if got := browsertest.Eval[string](p, `document.querySelector("#title").value + "|" + document.querySelector("#body").value`); got != "Half an idea|and half a sentence" {
		t.Errorf("the form holds %q", got)
	}
	p.ClickText("button.pri", "Share it")
	p.Wait(".note.good")
	p.Go(s.url + "/posts/new")
	if got := browsertest.Eval[string](p, `document.querySelector("#title").value`); got != "" {
		t.Errorf("after sharing the form still holds %q", got)
	}
	c := s.client()
	if code, body := s.submit(c, "/posts", url.Values{"title": {strings.Repeat("x", 201)}, "body": {"kept"}, "boardId": {s.boards[0].ID.String()}, "seen": {"1"}}); code != 422 || !strings.Contains(body, ">kept</textarea>") || !strings.Contains(body, "title-error") {
		t.Errorf("a title that is too long = %d", code)
	}
}

// Nothing that people write runs, whatever it looks like.
func TestHostileTextsRunNothing(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	evil := []string{
		`<script>document.title='owned'</script>`, `"><img src=x onerror="document.title='owned'">`, `[click](javascript:document.title='owned')`,
		`<svg onload="document.title='owned'">`, `</textarea><script>document.title='owned'</script>`, `{{constructor.constructor('document.title=1')()}}`,
		`' onmouseover='document.title="owned"`, `<iframe srcdoc="<script>parent.document.title='owned'</script>">`, `<a hx-get="/x" hx-trigger="load">x</a>`,
		"```\n</code></pre><script>document.title='owned'</script>\n```",
	}
	for i, e := range evil {
		post := s.post(0, feedbackTitle(e), e, fmt.Sprint("v", i))
		s.exec(`UPDATE visitors SET name = $1 WHERE site_id = $2 AND ref = $3`, e, int64(s.o.Site.ID), fmt.Sprint("v", i))
		s.comment(post, e, nil, false)
		s.tag(post, feedbackTitle(e)[:min(len(e), 40)], "#ff0000")
		s.entry(feedbackTitle(e), e, "", post)
	}
	s.exec(`UPDATE sites SET name = $1 WHERE id = $2`, evil[1], int64(s.o.Site.ID))
	p := browsertest.Open(t)
	var list []feedback.Post
	s.read(func(tx *app.Tx) error {
		page, err := tx.Posts(t.Context(), nil, feedback.Window{Limit: 100})
		list = page.Items
		return err
	})
	paths := []string{"/", "/roadmap", "/changelog", "/?q=" + url.QueryEscape(evil[1]), "/posts/new?title=" + url.QueryEscape(evil[1]), "/nowhere/" + url.PathEscape(evil[0])}
	for _, post := range list {
		paths = append(paths, "/posts/"+post.ID.String())
	}
	p.Expect("404")
	for _, path := range paths {
		p.Go(s.url + path)
		if title := browsertest.Eval[string](p, "document.title"); title == "owned" || title == "1" {
			t.Errorf("GET %s ran a script", path)
		}
		if n := browsertest.Eval[int](p, `document.querySelectorAll("iframe, img[src=x], [onerror], [onload], [onmouseover], main [hx-trigger=load]").length`); n > 0 {
			t.Errorf("GET %s holds %d elements that somebody smuggled in", path, n)
		}
	}
}

func feedbackTitle(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// The first visit of a board of fifty posts fits into 80 KB.
func TestWeightOfTheBoard(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	for i := range 60 {
		p := s.post(i%2, fmt.Sprintf("A wish of ordinary length, number %d", i), "Two sentences that say what it is about. They are as long as people write them, more or less, and end here.", fmt.Sprint(i))
		s.votes(p, i%9)
		s.tag(p, "common", "#0d9488")
	}
	p := browsertest.Open(t)
	p.Go(s.url + "/")
	size := browsertest.Eval[float64](p, `document.fonts.ready.then(() => {
		const all = [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
		return all.reduce((sum, e) => sum + e.transferSize, 0)
	})`)
	t.Logf("%.1f KB in %d requests", size/1024, len(p.Requests()))
	if size > 80<<10 || size < 10<<10 {
		t.Errorf("the first visit is %.1f KB; want at most 80", size/1024)
	}
	if shift := p.LayoutShift(); shift != 0 {
		t.Errorf("the page moved by %v while it loaded", shift)
	}
}
