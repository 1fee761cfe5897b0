package dashboard_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/dashboard"
	"heed/internal/feedback"
)

// lively fills a site with something to look at and returns the ids of its posts.
func lively(t testing.TB, w *world, o *app.Opened) []feedback.PostID {
	t.Helper()
	actor := &app.Actor{
		Source: feedback.FromDashboard, Account: &o.Account, Member: o.Member.ID, Role: feedback.Owner, Name: o.Member.Name, Address: "192.0.2.7",
	}
	var all []feedback.PostID
	change := func(what string, fn func(*app.Tx) error) {
		t.Helper()
		w.clock.pass(7 * time.Minute)
		if err := w.app.Change(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, what, "sample", fn); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	titles := []string{
		"Single sign-on with SAML and OIDC", "Dark mode that follows the system setting", "Bulk edit posts from the list view",
		"Slack: post new feedback into a channel", "Exports to CSV time out above 10,000 rows", "Keyboard shortcuts for triage",
		"Single sign-on for contractors", "Right-to-left languages", "Undo for merged posts", "Mobile app loses drafts when offline",
	}
	change("sample", func(tx *app.Tx) error {
		ctx := t.Context()
		all = nil
		boards, err := tx.AllBoards(ctx)
		if err != nil {
			return err
		}
		statuses, err := tx.AllStatuses(ctx)
		if err != nil {
			return err
		}
		for i, title := range titles {
			p, err := tx.CreatePost(ctx, feedback.NewPost{
				Board: feedback.Ref(boards[i%2].ID.String()), Title: feedback.PostTitle(title), Body: "We **need** this.\n\n- soon\n- everywhere",
				Visitor: feedback.VisitorRef(fmt.Sprintf("user-%d", 1000+i)),
			})
			if err != nil {
				return err
			}
			all = append(all, p.ID)
			for k := range (i * 7) % 11 {
				if _, err := tx.Vote(ctx, p.ID.String(), feedback.NewVote{Visitor: feedback.VisitorRef(fmt.Sprintf("user-%d", 1000+k))}); err != nil {
					return err
				}
			}
			to := feedback.Ref(statuses[i%4].ID.String())
			if _, err := tx.ChangePostStatus(ctx, p.ID.String(), feedback.StatusChange{Status: &to}); err != nil {
				return err
			}
		}
		return nil
	})
	first := all[0].String()
	change("comment.created", func(tx *app.Tx) error {
		if _, err := tx.CreateComment(t.Context(), first, feedback.NewComment{Body: "We start on this next month."}); err != nil {
			return err
		}
		_, err := tx.CreateComment(t.Context(), first, feedback.NewComment{Body: "Three enterprise deals wait for it.", Internal: true})
		return err
	})
	change("post.tagged", func(tx *app.Tx) error {
		tag, err := tx.TagNamed(t.Context(), "enterprise")
		if err != nil {
			return err
		}
		return tx.TagPost(t.Context(), first, feedback.Input{}, feedback.Ref(tag.ID.String()), true)
	})
	return all
}

// tour is every page that the table of routes has, by a name, and some in a state
// of their own.
func tour(t testing.TB, w *world, o *app.Opened) map[string]string {
	t.Helper()
	names := w.names(t, o)
	u := w.signedIn(t, ownerEmail)
	pages := map[string]string{
		"nothing-found": site(o, "posts?q=zzz"),
		"merge-preview": site(o, "posts", names["post"], "merge?into="+names["other"]),
		"merged":        site(o, "posts", names["loser"]),
		"missing":       "/dash/nothing-here",

		"outbox-failed":              "/dash/operator/mail?state=failed",
		"site-queue-rejected":        site(o, "queue?show=rejected"),
		"site-visitors-none":         site(o, "visitors?q=nobody"),
		"site-settings-host-checked": site(o, "settings", "host?check=1"),
	}
	visitor := peopled(t, w, o)
	pages["site-visitor-named"], pages["site-visitor-comments"] = visitor, visitor+"?show=comments"
	for _, rt := range dashboard.Table() {
		path, get := strings.CutPrefix(rt.Pattern, "GET ")
		if !get || rt.Least == "" {
			continue
		}
		name := strings.Trim(strings.NewReplacer("/dash/sites/{site}", "site", "/dash", "dash", "/", "-", "{", "", "}", "", "$", "").Replace(path), "-")
		// A download, a redirect and a part of a page are no pages.
		if a := u.get(fill(path, names)); a.status == http.StatusOK && strings.Contains(a.body, "<h1") {
			pages[name] = fill(path, names)
		}
	}
	maps.Copy(pages, busy(t, w, o, names))
	return pages
}

// Every page is clean and accessible, wide and narrow, light and dark, and without
// JavaScript.
func TestEveryPage(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	w.plainMail(t, o)
	w.invite(t, o, "somebody.with.a.rather.long.address@subsidiary.northwind.example", feedback.Viewer)
	message := w.settle(t, app.Outcome{State: feedback.MailUnsure, Reason: "421 4.7.0 the connection broke while the server was thinking about the message"})
	pages := tour(t, w, o)
	pages["message"] = "/dash/operator/mail/" + message.String()
	if len(pages) < 25 {
		t.Fatalf("the tour has %d pages", len(pages))
	}
	p := w.walk(t)
	p.Expect("404")
	look := func(name string) {
		t.Helper()
		t.Logf("looking at %s", name)
		for _, way := range []struct {
			name, scheme string
			width        browsertest.Option
		}{
			{"wide-light", "light", browsertest.Desk}, {"wide-dark", "dark", browsertest.Desk},
			{"phone-dark", "dark", browsertest.Phone}, {"phone-light", "light", browsertest.Phone},
		} {
			way.width(p.Page)
			p.Scheme(way.scheme)
			p.CheckAccessibility()
			p.CheckWidth()
			p.Shot(name + "-" + way.name)
		}
	}
	p.at("/signin")
	look("signin")
	p.signIn(ownerEmail, password)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		p.at(pages[name])
		p.Wait("main h1")
		look(name)
	}
	p.at(site(o, "posts"))
	p.Click(".tick input")
	p.Wait(".bulk")
	look("bulk")
	p.Click(".tick input")
	p.Press("?")
	p.Wait("#shortcuts")
	look("shortcuts")
	p.Press("\x1b")
	p.PressControl("k")
	p.Wait("#palette")
	look("palette")
	p.See(browsertest.Desk, browsertest.Light, browsertest.NoJavaScript)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		p.at(pages[name])
		p.Wait("main h1")
		t.Logf("looking at %s without JavaScript", name)
		p.CheckAccessibility()
	}
}
