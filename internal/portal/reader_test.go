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

// Whoever comments sees the comment, however many there are; so does whoever
// follows the link in a mail about it. An answer says what it answers where that
// is not plain.
func TestLongTalk(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		p := s.post(0, "Much talked about", "", "author")
		path := "/posts/" + p.ID.String()
		first := s.comment(p, "The first of all", nil, false)
		for i := range app.MaxComments + 30 {
			s.comment(p, fmt.Sprintf("Remark %d.", i), nil, i%50 == 7)
		}
		c := s.client()
		if _, page := s.get(c, path); !strings.Contains(page, "The first of all") || strings.Contains(page, "Remark 229.") || strings.Contains(page, "Show earlier") {
			t.Error("the first page is not the beginning")
		}
		_, page := s.submit(c, path+"/comments", url.Values{"body": {"What I say"}, "parent": {first.ID.String()}})
		for _, want := range []string{"<p>What I say</p>", "Remark 229.", "Show earlier comments", "in answer to an earlier comment", path + "?at=" + first.ID.String() + "#"} {
			if !strings.Contains(page, want) {
				t.Errorf("after commenting the page has no %q", want)
			}
		}
		if strings.Contains(page, "Remark 207.") {
			t.Error("the page shows an internal comment")
		}
		if n := strings.Count(page, `class="comment"`); n < 15 || n > 25 {
			t.Errorf("the page shows %d comments; want the new one and some before it", n)
		}
		if _, page := s.get(c, path+"?at="+first.ID.String()); !strings.Contains(page, "The first of all") || strings.Contains(page, "Show earlier") {
			t.Error("around the first comment is not the beginning")
		}
		for _, odd := range []string{"?at=x", "?at=cmt_0", "?at=cmt_zzzzzzzzzzzzz", "?after=cmt_zzzzzzzzzzzzz&at=cmt_zzzzzzzzzzzzz"} {
			if code, _ := s.get(c, path+odd); code != 200 {
				t.Errorf("GET %s = %d", odd, code)
			}
		}
	})
}

// An answer to an answer is possible, says whom it answers, and leaves no draft.
func TestAnswersToAnswers(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	p := s.post(0, "Talked about", "", "author")
	top := s.comment(p, "A question", nil, false)
	answer := s.comment(p, "An answer", top, false)
	b := browsertest.Open(t)
	b.Go(s.url + "/posts/" + p.ID.String())
	form := "#" + answer.ID.String() + " details "
	b.Click(form + "summary")
	b.Type(form+"textarea", "And then?")
	b.Type(form+"input[name=name]", "Mira")
	b.ClickText(form+"button.pri", "Comment")
	b.WaitText(".replies .comment:last-child", "And then?")
	if got := b.Text(".replies .comment:last-child > div > p"); !strings.Contains(got, "in answer to") {
		t.Errorf("the answer to an answer says %q", got)
	}
	if got := browsertest.Eval[string](b, fmt.Sprintf(`document.querySelector(%q).value`, form+"textarea")); got != "" {
		t.Errorf("the form still holds %q", got)
	}
	b.CheckAccessibility()
	b.Shot("answers")
}

// Who signs in or chooses a language comes back to the page where they did.
func TestSignInComesBack(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	p := s.post(0, "One", "", "a")
	s.tag(p, "ux", "#0d9488")
	for path, back := range map[string]string{
		"/": "/", "/?sort=top&utm=x": "/?sort=top", "/boards/bugs": "/boards/bugs", "/roadmap": "/roadmap", "/changelog?after=1.1": "/changelog",
		"/posts/" + p.ID.String() + "?done=post": "/posts/" + p.ID.String(), "/sign-in": "", "/nowhere": "", "/?q=one": "/?q=one",
		strings.TrimPrefix(s.tagURL(p), s.url): strings.TrimPrefix(s.tagURL(p), s.url),
	} {
		want, field := `href="/p/northwind/sign-in"`, `name="return" value=""`
		if back != "" {
			want = `href="/p/northwind/sign-in?return=` + url.QueryEscape("/p/northwind"+back) + `"`
			field = `name="return" value="/p/northwind` + back + `"`
		}
		if _, page := s.get(s.client(), path); !strings.Contains(page, want) || !strings.Contains(page, field) {
			t.Errorf("GET %s has no %s or no %s", path, want, field)
		}
	}
	c := s.client()
	_, page := s.submit(c, "/posts/"+p.ID.String()+"/vote", url.Values{"vote": {"on"}})
	if !strings.Contains(page, "Hear what becomes of it") {
		t.Error("somebody who voted without an address is not told that they will hear nothing")
	}
	s.signIn(c, "eve@example.com")
	if _, page := s.get(c, "/posts/"+p.ID.String()+"?done=post"); strings.Contains(page, "Hear what becomes of it") || strings.Contains(page, "sign-in") {
		t.Error("somebody who has signed in is asked to sign in")
	}
}

// A column of the roadmap says when it does not show everything, and leads there.
// The feed of new posts knows no pins.
func TestLongLanes(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	old := s.post(0, "Pinned long ago", "", "a")
	s.exec(`UPDATE posts SET pinned = TRUE WHERE site_id = $1 AND id = $2`, int64(s.o.Site.ID), int64(old.ID))
	for i := range 20 {
		s.post(0, fmt.Sprint("Wish ", i), "", "a")
	}
	_, page := s.get(s.client(), "/roadmap")
	more := `href="/p/northwind/?sort=top&amp;status=` + s.statuses[0].ID.String() + `"`
	if !strings.Contains(page, ">20+<") || strings.Count(page, more) != 1 || strings.Count(page, "Show all") != 1 {
		t.Error("a column of 21 posts does not lead to the others")
	}
	_, feed := s.get(s.client(), "/posts.atom")
	if strings.Index(feed, "Pinned long ago") < strings.Index(feed, "Wish 0") {
		t.Error("the feed of new posts begins with an old one")
	}
}

// What is searched for while typing stands in the address, so that it survives a
// reload and can be shared.
func TestSearchHasAnAddress(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	s.lively()
	p := browsertest.Open(t)
	p.Go(s.url + "/boards/bugs?sort=new")
	p.Wait(".seg")
	p.Type("#q", "csv & more")
	p.WaitFor(`location.search === "?q=csv+%26+more&sort=new"`)
	p.WaitFor(`!document.querySelector(".seg").checkVisibility()`)
	p.Go(p.Location())
	if got := browsertest.Eval[string](p, `document.querySelector("#q").value`); got != "csv & more" {
		t.Errorf("after a reload the page looks for %q", got)
	}
	p.Fill("#q", "")
	p.WaitFor(`location.pathname + location.search === "/p/northwind/boards/bugs?sort=new"`)
}

// My feedback has my comments, as far as others see them.
func TestMyComments(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		open, other := s.post(0, "Open post", "", "a"), s.post(1, "Put away", "", "a")
		c := s.client()
		for _, said := range []struct {
			post *feedback.Post
			body string
		}{{open, "I **need** this"}, {open, "hidden words"}, {other, "private words"}} {
			s.submit(c, "/posts/"+said.post.ID.String()+"/comments", url.Values{"body": {said.body}})
		}
		s.exec(`UPDATE comments SET internal = TRUE WHERE site_id = $1 AND body = 'hidden words'`, int64(s.o.Site.ID))
		s.exec(`UPDATE boards SET private = TRUE WHERE site_id = $1 AND id = $2`, int64(s.o.Site.ID), int64(s.boards[1].ID))
		_, page := s.get(c, "/me")
		if !strings.Contains(page, "I need this") || !strings.Contains(page, "/posts/"+open.ID.String()+"?at=cmt_") {
			t.Error("my feedback has no comment of mine")
		}
		if strings.Contains(page, "words") || strings.Contains(page, "Put away") {
			t.Error("my feedback shows what nobody sees any more")
		}
		if _, page := s.get(s.client(), "/me"); strings.Contains(page, "I need this") {
			t.Error("somebody else's feedback has my comment")
		}
	})
}

// Who comes to the form from a search is offered what is similar at once.
func TestSearchedTitleIsCompared(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	s.post(0, "Dark mode for everything", "", "a")
	if _, page := s.get(s.client(), "/posts/new?title=dark+mode"); !strings.Contains(page, "Dark mode for everything") || !strings.Contains(page, `name="seen"`) {
		t.Error("a title that was searched for is not compared with what is there")
	}
	if _, page := s.get(s.client(), "/posts/new"); strings.Contains(page, `name="seen"`) {
		t.Error("a form without a title says that similar posts were seen")
	}
}
