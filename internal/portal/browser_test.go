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
			p.Type("#title", "Dark mode")
			if !way.js {
				p.ClickText("button.pri", "Share it")
			}
			p.Wait("#similar .pick button")
			p.Click("#similar .pick button")
			p.Wait(".one .vote button[aria-pressed=true]") // a vote instead of a post

			p.Go(s.url + "/posts/new")
			p.Fill("#title", "Dark mode for the settings")
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
			first := browsertest.Eval[string](p, `document.querySelector("[name=token]").value`)
			p.ClickText("button", "Send another")
			p.Wait(`main:not(:has([name=token][value="` + first + `"])) #code`)
			p.CheckAccessibility()
			p.Type("#code", sixDigits.FindString(s.lastMail().Text))
			p.ClickText("button.pri", "Sign in")
			p.Wait("details.menu")
			p.Go(s.url + "/me")
			if got := p.Text("main"); !strings.Contains(got, "Dark mode for the settings") || !strings.Contains(got, "mira@example.com") {
				t.Errorf("my feedback shows %q", got)
			}
			p.CheckAccessibility()
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

// hostile are texts that want to run, or to break out of where they stand.
var hostile = []string{
	`<script>document.title='owned'</script>`, `"><img src=x onerror="document.title='owned'">`, `[click](javascript:document.title='owned')`,
	`<svg onload="document.title='owned'">`, `</textarea><script>document.title='owned'</script>`, `{{constructor.constructor('document.title=1')()}}`,
	`' onmouseover='document.title="owned"`, `<iframe srcdoc="<script>parent.document.title='owned'</script>">`, `<a hx-get="/x" hx-trigger="load">x</a>`,
	"```\n</code></pre><script>document.title='owned'</script>\n```", `[a](data:text/html,<script>document.title='owned'</script>)`,
	`![a](https://evil.example/x.png)`, `<style>*{background:url(https://evil.example/x)}</style>`, `</script><script>document.title='owned'</script>`,
	`<math><mi xlink:href="javascript:document.title='owned'">x</mi></math>`, `[a](vbscript:x) <javascript:document.title='owned'>`,
	`<form action="https://evil.example/"><button autofocus>x</button></form>`, `<base href="https://evil.example/">`, `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
	`[x]( javascript:document.title='owned' "x")`, "[a][b]\n\n[b]: javascript:document.title='owned'", `<details open ontoggle="document.title='owned'">`,
	`<hole 00000000000000000000000000000000>`,
}

// Nothing that people write runs, whatever it looks like and wherever it stands:
// on the pages that readers see, in what is previewed and offered while typing,
// in the frame and in the widget's script, with names of everything as bad.
func TestHostileTextsRunNothing(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	for i, e := range hostile {
		post := s.post(0, feedbackTitle(e), e, fmt.Sprint("v", i))
		s.exec(`UPDATE visitors SET name = $1 WHERE site_id = $2 AND ref = $3`, e, int64(s.o.Site.ID), fmt.Sprint("v", i))
		s.status(post, "Planned", e)
		c := s.comment(post, e, nil, false)
		s.comment(post, e, c, false)
		s.tag(post, cut40(feedbackTitle(e)), "#ff0000")
		s.entry(feedbackTitle(e), e, cut40(feedbackTitle(e)), post)
	}
	evil := hostile[1]
	s.settings(func(in *feedback.NewSettings) {
		in.Intro, in.WidgetOrigins = feedback.Intro(evil), []string{"https://app.northwind.example"}
	})
	s.exec(`UPDATE sites SET name = $1 WHERE id = $2`, evil, int64(s.o.Site.ID))
	s.exec(`UPDATE boards SET name = $1, description = $1 WHERE site_id = $2 AND slug = 'bugs'`, evil, int64(s.o.Site.ID))
	s.exec(`UPDATE statuses SET name = $1 WHERE site_id = $2 AND name = 'Planned'`, evil, int64(s.o.Site.ID))
	var list []feedback.Post
	s.read(func(tx *app.Tx) error {
		page, err := tx.Posts(t.Context(), nil, feedback.Window{Limit: 100})
		list = page.Items
		return err
	})
	paths := []string{"/", "/boards/bugs", "/roadmap", "/changelog", "/posts/new", "/sign-in", "/me", "/widget",
		"/?q=" + url.QueryEscape(evil), "/posts/new?title=" + url.QueryEscape(evil), "/nowhere/" + url.PathEscape(hostile[0]),
		"/?tag=" + url.QueryEscape(evil), "/?after=" + url.QueryEscape(evil), "/confirm?t=" + url.QueryEscape(evil), "/sign-in?return=" + url.QueryEscape("javascript:document.title='owned'")}
	for _, post := range list {
		paths = append(paths, "/posts/"+post.ID.String())
	}
	p := browsertest.Open(t)
	p.Expect("404")
	check := func(what string) {
		t.Helper()
		if title := browsertest.Eval[string](p, "document.title"); title == "owned" || title == "1" {
			t.Errorf("%s ran a script", what)
		}
		if n := browsertest.Eval[int](p, `document.querySelectorAll("iframe, base, math, style, img[src=x], [onerror], [onload], [onmouseover], [ontoggle], main [hx-trigger=load], form[action*=evil], meta[http-equiv], a[href^='javascript' i], a[href^='data' i], a[href^='vbscript' i]").length`); n > 0 {
			t.Errorf("%s holds %d elements that somebody smuggled in", what, n)
		}
	}
	for _, path := range paths {
		p.Go(s.url + path)
		check("GET " + path)
	}
	p.Go(s.url + "/posts/new")
	browsertest.Eval[bool](p, fmt.Sprintf(`(document.querySelector("#body").value = %q, true)`, strings.Join(hostile, "\n\n")+"\n\nThe end"))
	p.ClickText("button", "Preview")
	p.WaitText(".preview", "The end")
	check("the preview")
	p.Type("#title", "script onerror document title owned")
	p.Wait("#similar .pick")
	check("what is offered while typing")
	// The mails too: a program that shows them is a browser.
	s.tell()
	s.read(func(tx *app.Tx) error {
		page, err := tx.Outbox(t.Context(), feedback.Window{Limit: 100})
		for _, m := range page.Items {
			if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "<img src=x") || strings.Contains(m.HTML, `href="javascript:`) {
				t.Errorf("a mail holds what somebody smuggled in: %s", m.HTML)
			}
		}
		return err
	})
}

func cut40(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40])
	}
	return s
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
	if shift := p.LayoutShift(); shift > browsertest.Still {
		t.Errorf("the page moved by %v while it loaded", shift)
	}
}
