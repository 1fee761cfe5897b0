package dashboard_test

import (
	"fmt"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/browsertest"
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

// tour is every page, as [where, what to wait for].
func tour(o *app.Opened, posts []feedback.PostID) map[string]string {
	return map[string]string{
		"overview": site(o),
		"posts":    site(o, "posts"),
		"post":     site(o, "posts", posts[0]),
		"new-post": site(o, "posts", "new"),
		"edit":     site(o, "posts", posts[0], "edit"),
		"voters":   site(o, "posts", posts[1], "voters"),
		"merge":    site(o, "posts", posts[6], "merge"),
		"preview":  site(o, "posts", posts[6], "merge?into="+posts[0].String()),
		"boards":   site(o, "boards"), "statuses": site(o, "statuses"), "tags": site(o, "tags"),
		"changelog": site(o, "changelog"), "new-entry": site(o, "changelog", "new"),
		"automation": site(o, "automation"), "insights": site(o, "insights"), "settings": site(o, "settings"),
		"webhooks": site(o, "webhooks"), "new-site": "/dash/sites/new", "members": "/dash/members", "plan": "/dash/plan", "audit": "/dash/audit", "operator": "/dash/operator",
		"outbox": "/dash/operator/mail", "outbox-failed": "/dash/operator/mail?state=failed", "work": "/dash/operator/work",
		"keys":    "/dash/keys",
		"profile": "/dash/profile",
		"missing": "/dash/nothing-here",
	}
}

// Every page is clean and accessible, wide and narrow, light and dark.
func TestEveryPage(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	posts := lively(t, w, o)
	w.plainMail(t, o)
	w.invite(t, o, "somebody.with.a.rather.long.address@subsidiary.northwind.example", feedback.Viewer)
	message := w.settle(t, app.Outcome{State: feedback.MailUnsure, Reason: "421 4.7.0 the connection broke while the server was thinking about the message"})
	for name, options := range map[string][]browsertest.Option{
		"wide-light": nil, "wide-dark": {browsertest.Dark}, "phone-light": {browsertest.Phone}, "phone-dark": {browsertest.Phone, browsertest.Dark},
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, options...)
			p.Go(w.srv.URL + "/signin")
			p.CheckAccessibility()
			p.Shot("signin-" + name)
			p.Type("#email", ownerEmail)
			p.Type("#password", password)
			p.Click("form button.pri")
			p.Wait("nav.nav")
			pages := tour(o, posts)
			pages["message"] = "/dash/operator/mail/" + message.String()
			for page, path := range pages {
				if page == "missing" {
					p.Expect("404")
				}
				p.Go(w.srv.URL + path)
				p.Wait("main h1")
				p.CheckAccessibility()
				p.CheckWidth()
				p.Shot(page + "-" + name)
			}
		})
	}
}
