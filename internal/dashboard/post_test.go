package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/store"
)

// events are the types of what happened on a site, in order.
func (w *world) events(t testing.TB, o *app.Opened) []feedback.Event {
	t.Helper()
	var all []feedback.Event
	err := w.db.Read(t.Context(), func(tx *store.Tx) (err error) {
		all, err = tx.Events(t.Context(), o.Site.ID, 0, 1000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func last(all []feedback.Event) feedback.EventType {
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Type
}

func TestPosts(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		u.page(site(o)).has(t, "No feedback yet")
		bad := u.post(site(o, "posts"), "title", " ", "boardId", "nothing", "body", "")
		if bad.status != http.StatusUnprocessableEntity {
			t.Errorf("bad input: %d; want 422", bad.status)
		}
		posts := lively(t, w, o)
		lists := w.lists(t, o)

		list := u.page(site(o, "posts"))
		list.has(t, "Dark mode", "Single sign-on with SAML", "enterprise")
		u.page(site(o, "posts?status="+lists.statuses["Planned"])).lacks(t, "Bulk edit posts")
		u.page(site(o, "posts?board="+lists.boards["Bugs"])).lacks(t, "Bulk edit posts")
		u.page(site(o, "posts?board="+lists.boards["Bugs"]+"&status="+lists.statuses["Planned"]+"&sort=votes")).has(t, "Dark mode")
		tagged := u.page(site(o, "posts?sort=votes&tag="+lists.tags["enterprise"]))
		tagged.has(t, "Single sign-on with SAML")
		tagged.lacks(t, "Dark mode")
		found := u.page(site(o, "posts?q=sign-on"))
		found.has(t, "Single sign-on for contractors")
		found.lacks(t, "Dark mode")
		u.page(site(o, "posts?q=zebra")).has(t, "Nothing found")
		byVotes := u.page(site(o, "posts?sort=votes"))
		if strings.Index(byVotes.body, "Slack: post new") > strings.Index(byVotes.body, "Undo for merged") {
			t.Error("by votes: ten votes come after one")
		}

		p := site(o, "posts", posts[0])
		u.act(p+"/comments", "body", "Public **word**").has(t, "Public word")
		if got := last(w.events(t, o)); got != feedback.CommentCreated {
			t.Errorf("a public comment leaves the event %s", got)
		}
		n := len(w.events(t, o))
		u.act(p+"/comments", "body", "Between us", "internal", "on").has(t, "Between us", "internal")
		if len(w.events(t, o)) != n {
			t.Error("an internal comment leaves an event")
		}
		if a := u.post(p+"/comments", "body", ""); a.status != http.StatusUnprocessableEntity {
			t.Errorf("an empty comment: %d; want 422", a.status)
		}

		u.act(p+"/status", "statusId", lists.statuses["Planned"], "note", "Next month").has(t, "changed the status from Open to Planned", "“Next month”")
		if got := last(w.events(t, o)); got != feedback.PostStatusChanged {
			t.Errorf("a status change leaves the event %s", got)
		}
		u.act(p+"/move", "boardId", lists.boards["Bugs"]).has(t, "moved it from Feature requests to Bugs")
		if got := last(w.events(t, o)); got != feedback.PostMoved {
			t.Errorf("a move leaves the event %s", got)
		}
		u.act(p+"/tags", "name", "Enterprise")
		u.act(p+"/tags", "name", "mobile").has(t, "added the tag mobile")
		u.act(p+"/tags", "tagId", lists.tags["enterprise"], "on", "false").has(t, "removed the tag enterprise")
		u.act(p+"/edit", "title", "SSO, at last", "body", "Reworded *fully*").has(t, "SSO, at last", "edited the text")
		u.page(site(o, "posts?q=reworded")).has(t, "SSO, at last")
		u.act(p+"/votes", "onBehalfVisitorId", "ada").has(t, "The vote of ada is counted")
		u.act(p+"/votes", "onBehalfVisitorId", "ada").has(t, "has voted already")
		u.page(p+"/voters").has(t, "ada")

		for _, flag := range []string{"pinned", "locked", "archived"} {
			u.act(p+"/flags", "flag", flag, "on", "true").has(t, flag+" it")
		}
		u.post(p+"/comments", "body", "too late")
		u.page(p).lacks(t, "too late")
		u.page(site(o, "posts")).lacks(t, "SSO, at last")
		u.page(site(o, "posts?show=archived")).has(t, "SSO, at last")
		u.page(site(o, "posts?q=reworded")).has(t, "Nothing found")
		u.act(p+"/flags", "flag", "archived", "on", "false")
		u.page(site(o, "posts?q=reworded")).has(t, "SSO, at last")
	})
}

// ids of a site by name.
type siteIDs struct{ boards, statuses, tags map[string]string }

func (w *world) lists(t testing.TB, o *app.Opened) siteIDs {
	t.Helper()
	ids := siteIDs{map[string]string{}, map[string]string{}, map[string]string{}}
	actor := &app.Actor{Account: &o.Account}
	err := w.app.Read(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, func(tx *app.Tx) error {
		boards, err := tx.AllBoards(t.Context())
		if err != nil {
			return err
		}
		for _, b := range boards {
			ids.boards[b.Name] = b.ID.String()
		}
		statuses, err := tx.AllStatuses(t.Context())
		if err != nil {
			return err
		}
		for _, s := range statuses {
			ids.statuses[s.Name] = s.ID.String()
		}
		tags, err := tx.Tags(t.Context())
		for _, tag := range tags {
			ids.tags[tag.Name] = tag.ID.String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestMerge(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		loser, winner := site(o, "posts", posts[6]), site(o, "posts", posts[0])
		u.page(loser+"/merge").has(t, "Single sign-on with SAML")
		// posts[6] has 9 votes, posts[0] none; one of the nine votes for both.
		u.act(winner+"/votes", "onBehalfVisitorId", "user-1000")
		u.page(loser+"/merge?into="+posts[0].String()).has(t, "9 votes : 8 new, 1 by visitors who voted for both")
		u.page(loser+"/merge?into="+posts[6].String()).has(t, "cannot be merged into itself")
		after := u.act(loser+"/merge", "winnerId", posts[0].String())
		after.has(t, "Merged into this post", "Single sign-on for contractors")
		u.page(loser).has(t, "This post was merged into another")
		_, rest, ok := strings.Cut(after.body, "/actions/")
		if !ok {
			t.Fatal("no undo")
		}
		action, _, _ := strings.Cut(rest, "/")
		u.act(site(o, "actions", action, "undo")).has(t, "The merge is undone", "9")
		u.post(site(o, "actions", action, "undo"))
		u.page(site(o, "posts")).has(t, "undone already")
	})
}

func TestBulk(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		ids := w.lists(t, o)
		bulk := func(act string, more ...string) answer {
			t.Helper()
			return u.act(site(o, "posts", "bulk"), append([]string{"act", act, "post", posts[1].String(), "post", posts[2].String()}, more...)...)
		}
		bulk("status:"+ids.statuses["Done"]).has(t, "2 posts changed")
		bulk("move:" + ids.boards["Bugs"])
		bulk("tag:" + ids.tags["enterprise"])
		u.page(site(o, "posts?status="+ids.statuses["Done"]+"&board="+ids.boards["Bugs"])).has(t, "Bulk edit posts", "Dark mode")
		bulk("set:archived")
		u.page(site(o, "posts")).lacks(t, "Bulk edit posts")
		bulk("unset:archived")
		u.page(site(o, "posts")).has(t, "Bulk edit posts")

		// One that cannot be done leaves all undone.
		u.act(site(o, "posts", posts[3], "merge"), "winnerId", posts[4].String())
		u.post(site(o, "posts", "bulk"), "act", "set:archived", "post", posts[1].String(), "post", posts[3].String())
		u.page(site(o, "posts")).has(t, "was merged into another", "Dark mode")
		u.post(site(o, "posts", "bulk"), "act", "set:archived")
		u.page(site(o, "posts")).has(t, "No post is ticked")
	})
}

// A list pages to its end, in order, without a post twice.
func TestPaging(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		board := w.lists(t, o).boards["Bugs"]
		actor := &app.Actor{Source: feedback.FromAPI, Account: &o.Account}
		err := w.app.Change(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) error {
			for i := range 120 {
				p, err := tx.CreatePost(t.Context(), feedback.NewPost{Board: feedback.Ref(board), Title: "Post", Visitor: "ada"})
				if err != nil {
					return err
				}
				for k := range i % 3 {
					if _, err := tx.Vote(t.Context(), p.ID.String(), feedback.NewVote{Visitor: feedback.VisitorRef([]string{"x", "y"}[k])}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"", "?sort=votes", "?board=" + board, "?status=" + w.lists(t, o).statuses["Open"] + "&sort=votes"} {
			seen := map[string]bool{}
			next := site(o, "posts") + query
			for pages := 0; next != ""; pages++ {
				if pages > 3 {
					t.Fatalf("%s: no end", query)
				}
				a := u.page(next)
				for _, m := range strings.Split(a.body, `name="post" value="`)[1:] {
					id, _, _ := strings.Cut(m, `"`)
					if seen[id] {
						t.Errorf("%s: %s twice", query, id)
					}
					seen[id] = true
				}
				_, rest, more := strings.Cut(a.body, `rel="next" href="`)
				next = ""
				if more {
					next, _, _ = strings.Cut(rest, `"`)
					next = strings.ReplaceAll(next, "&amp;", "&")
				}
			}
			if len(seen) != 120 {
				t.Errorf("%s: %d posts; want 120", query, len(seen))
			}
		}
	})
}
