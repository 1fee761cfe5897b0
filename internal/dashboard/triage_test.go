package dashboard_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"heed/internal/feedback"
)

// said fails the test if the page that follows a form does not say why it was
// refused.
func (u *user) said(text, path string, fields ...string) {
	u.t.Helper()
	a := u.post(path, fields...)
	if a.status == http.StatusSeeOther {
		to, _, _ := strings.Cut(a.header.Get("Location"), "#")
		a = u.page(to)
	} else if a.status != http.StatusUnprocessableEntity {
		u.t.Errorf("POST %s: %d; want 422 or the page again", path, a.status)
	}
	a.has(u.t, text)
}

// The filters of a list are saved under a name, shown as tabs, renamed, deleted.
func TestSavedViews(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		w.join(t, o, "member@northwind.example", feedback.Editor)
		u, other := w.signedIn(t, ownerEmail), w.signedIn(t, "member@northwind.example")
		lively(t, w, o)
		ids := w.lists(t, o)
		q := url.Values{"status": {ids.statuses["Planned"]}, "sort": {"votes"}, "days": {"30"}, "q": {""}}
		u.page(site(o, "posts?"+q.Encode())).has(t, "Save view")
		saved := u.act(site(o, "views"), "name", "Planned & loved", "back", q.Encode(), "shared", "on")
		saved.has(t, "The view is saved", "Planned &amp; loved", "The team shares this view", "Mobile app loses drafts")
		saved.lacks(t, "Bulk edit posts")
		other.page(site(o, "posts")).has(t, "Planned &amp; loved", "(shared with the team)")
		u.act(site(o, "views"), "name", "Mine", "back", "days=7").has(t, "Only you see this view")
		other.page(site(o, "posts")).lacks(t, "Mine")

		u.said("must not be empty", site(o, "views"), "name", "", "back", "days=7")
		u.said("must have at most 40", site(o, "views"), "name", strings.Repeat("x", 41), "back", "days=7")
		u.said("already a view named", site(o, "views"), "name", "Mine", "back", "days=7")
		u.said("There is no board", site(o, "views"), "name", "Gone", "back", "board=brd_0000000000001")
		if a := u.post(site(o, "views"), "name", "Bad", "back", "%zz"); a.status != http.StatusBadRequest {
			t.Errorf("filters that cannot be read: %d; want 400", a.status)
		}
		view := regexp.MustCompile(`/views/(view_\w+)`).FindStringSubmatch(u.page(site(o, "posts?days=7")).body)[1]
		if a := other.post(site(o, "views", view), "name", "Theirs"); a.status != http.StatusNotFound {
			t.Errorf("another member renames mine: %d; want 404", a.status)
		}
		u.act(site(o, "views", view), "name", "Lately", "back", "days=7").has(t, "The view is renamed", "Lately")
		u.page(site(o, "posts?days=30")).has(t, "Or have a view show this instead")
		changed := u.act(site(o, "views", "change"), "view", view, "back", "days=30&sort=votes")
		changed.has(t, "“Lately” shows this from now on", "Only you see this view")
		u.page(site(o, "posts?days=7")).lacks(t, "Edit view")
		other.said("That view is gone", site(o, "views", "change"), "view", view, "back", "days=90")
		u.said("That view is gone", site(o, "views", "change"), "view", "view_0000000000001", "back", "days=90")
		u.said("There is no board", site(o, "views", "change"), "view", view, "back", "board=brd_0000000000001")
		u.said("must have at most", site(o, "views", "change"), "view", view, "back", "q="+strings.Repeat("x", 600))
		u.page(site(o, "posts?days=30&sort=votes")).has(t, "Edit view")
		u.act(site(o, "views", view, "delete")).lacks(t, "Lately")
	})
}

// Every bulk action does what it says to all ticked posts.
func TestBulkActions(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		ids := w.lists(t, o)
		for _, c := range []struct{ act, says string }{
			{"set:pinned", "pinned it"}, {"unset:pinned", "unpinned it"}, {"set:locked", "locked it"}, {"unset:locked", "unlocked it"},
			{"set:withheld", "withheld it from agents"}, {"unset:withheld", "offered it to agents"},
			{"set:archived", "archived it"}, {"unset:archived", "restored it"},
			{"tag:" + ids.tags["enterprise"], "added the tag enterprise"}, {"untag:" + ids.tags["enterprise"], "removed the tag enterprise"},
			{"move:" + ids.boards["Bugs"], "Feature requests to Bugs"},
			{"status:" + ids.statuses["Done"], "to Done"}, {"status:", "cleared the status"},
		} {
			w.clock.pass(time.Minute)
			u.act(site(o, "posts", "bulk"), "act", c.act, "post", posts[2].String(), "post", posts[4].String()).has(t, "2 posts changed")
			for _, p := range []feedback.PostID{posts[2], posts[4]} {
				u.page(site(o, "posts", p)).has(t, c.says)
			}
		}
		u.said("Choose what to do", site(o, "posts", "bulk"), "act", "set:deleted", "post", posts[2].String())
		u.said("There is no board", site(o, "posts", "bulk"), "act", "move:brd_0000000000001", "post", posts[2].String())
		many := []string{"act", "set:pinned"}
		for i := range 101 {
			many = append(many, "post", fmt.Sprint("post_", i))
		}
		u.said("at most 100", site(o, "posts", "bulk"), many...)
	})
}

// A moderator answers, rewords, hides, shows and deletes comments.
func TestCommentsOfTheTeam(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		p := site(o, "posts", posts[0])
		first := regexp.MustCompile(`id="(cmt_\w+)"`).FindStringSubmatch(u.page(p).body)[1]
		u.page(p+"?reply="+first).has(t, "Answering owner", "We start on this next month")
		u.act(p+"/comments", "parentId", first, "body", "Sooner, even.").has(t, "Sooner, even.", "answers owner")
		u.said("There is no comment", p+"/comments", "parentId", "cmt_0000000000001", "body", "x")

		c := p + "/comments/" + first
		u.page(c).has(t, "We start on this next month")
		u.said("Please fill this in", c, "body", "")
		u.said("characters", c, "body", strings.Repeat("x", 10_001))
		u.act(c, "body", "We start **tomorrow**.").has(t, "We start tomorrow", "edited", "edited a comment")
		u.act(c+"/hide").has(t, "hidden", "hid a comment from the public", "nor the answers")
		if n := strings.Count(u.page(p).body, `class="pill warn">hidden`); n != 2 {
			t.Errorf("%d comments are hidden; want the comment and its answer", n)
		}
		u.act(c+"/hide", "on", "false").lacks(t, `class="pill warn">hidden`)
		u.act(c+"/delete").has(t, "This comment was deleted", "Sooner, even.", "deleted a comment")
		u.said("The comment was deleted", c, "body", "back again")
	})
}

// Similar posts are suggested beside a post, to be merged into.
func TestSuggestedDuplicates(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	u := w.signedIn(t, ownerEmail)
	posts := lively(t, w, o)
	part := u.page(site(o, "posts", posts[6], "similar"))
	part.has(t, "Single sign-on with SAML and OIDC", "Merge into it")
	part.lacks(t, "<html")
	u.page(site(o, "posts", posts[6])).has(t, "Similar posts", "Look for duplicates")
}

// An entry is scheduled, seen in the list, changed, called off; posts to link are
// found by words, id and address.
func TestScheduleAndLinks(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		log := site(o, "changelog")
		entry := []string{"title", "Faster exports", "body", "Now **quick**", "linked", posts[4].String()}
		with := func(more ...string) []string { return append(append([]string{}, entry...), more...) }

		// Without JavaScript, buttons search and preview and keep what was typed.
		found := u.post(log, with("find", "keyboard", "search", "yes")...)
		found.has(t, "Exports to CSV time out", "Keyboard shortcuts")
		if !strings.Contains(found.body, `value="`+posts[4].String()+`" checked`) || strings.Contains(found.body, `value="`+posts[5].String()+`" checked`) {
			t.Error("what was ticked is not, or what was found is")
		}
		u.post(log, with("find", "https://heed.example"+site(o, "posts", posts[5])+"?x=1", "search", "yes")...).has(t, "Keyboard shortcuts")
		u.post(log, with("find", "zebra", "search", "yes")...).has(t, "No post found for “zebra”")
		u.post(log, with("preview", "yes")...).has(t, "Now quick")
		part := u.post(log+"/find", with("find", "keyboard")...)
		part.has(t, "Keyboard shortcuts")
		part.lacks(t, "<html")
		u.page(log).has(t, "Nothing told yet")

		for at, says := range map[string]string{
			"": "must be a date and a time", "tomorrow": "such as 2026-05-04T09:00", "2026-02-31T09:00": "such as", "2020-01-01T00:00": "in the future",
			"2031-01-01T00:00": "at most a year",
		} {
			u.said(says, log, with("publishAt", at, "schedule", "yes")...)
		}
		u.said("such as", log, with("publishAt", "2026-05-06T09:00", "offset", "nonsense", "schedule", "yes")...)
		// Two hours east of Greenwich, nine is seven.
		u.act(log, with("publishAt", "2026-05-06T09:00", "offset", "-120", "schedule", "yes")...).
			has(t, "will be published on 6 May 2026 at 07:00 UTC", "Scheduled", "6 May 2026, 07:00 UTC")
		id := regexp.MustCompile(`chg_\w+`).FindString(u.page(log).body)
		u.page(log+"/"+id).has(t, "To be published on", "Unschedule")
		u.act(log+"/"+id, with("publishAt", "2026-05-07T09:00", "schedule", "yes")...).has(t, "7 May 2026, 09:00 UTC")
		u.act(log+"/"+id+"/unschedule").has(t, "stays a draft")
		u.page(log).lacks(t, "Scheduled")
		u.act(log+"/"+id, with("publishAt", "2026-05-07T09:00", "schedule", "yes")...)
		n := len(w.events(t, o))
		w.clock.pass(96 * time.Hour)
		if more, err := w.app.PublishNext(t.Context()); err != nil || !more {
			t.Fatalf("PublishNext = %v, %v", more, err)
		}
		if got := w.events(t, o)[n:]; len(got) != 1 || got[0].Type != feedback.ChangelogPublished {
			t.Errorf("publishing leaves %v", got)
		}
		u = w.signedIn(t, ownerEmail)
		u.page(log).has(t, "Published")
		u.page("/dash/audit").has(t, "changelog.published", "Heed")
		u.said("published already", log+"/"+id, with("publishAt", "2026-06-07T09:00", "schedule", "yes")...)
	})
}

// The team withholds a post from agents on its page, in the queue, and offers it
// again; runs are started and completed by hand.
func TestGateAndRuns(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		ids := w.lists(t, o)
		p := site(o, "posts", posts[4])
		u.act(p+"/flags", "flag", "withheld", "on", "true").has(t, "The post is withheld from agents", "Offer to agents", "withheld it from agents")
		queue := u.page(site(o, "automation"))
		queue.has(t, "Withheld from agents", "Offer Exports to CSV time out")
		queue.lacks(t, "Withhold<span class=\"sr\">Exports to CSV")
		u.act(p+"/flags", "flag", "withheld", "on", "false", "from", "automation").has(t, "offered to agents", "Queued")
		u.said("must be one of pinned, archived, locked, withheld", p+"/flags", "flag", "burnt", "on", "true")

		u.page(site(o, "automation?post="+posts[4].String())).has(t, "About Exports to CSV time out")
		run := u.act(site(o, "automation"), "agentKind", "KIND_A", "postId", posts[4].String())
		run.has(t, "Run #1", "No step yet")
		id := regexp.MustCompile(`run_\w+`).FindString(run.body)
		u.said("already at work", site(o, "automation"), "agentKind", "KIND_A", "postId", posts[4].String())
		u.said("must be one of SHIPPED", site(o, "automation", id, "complete"), "outcome", "DONE")
		u.act(site(o, "automation", id, "complete"), "outcome", "SHIPPED", "doneStatusId", ids.statuses["Done"]).has(t, "Shipped")
		u.page(p).has(t, "to Done", "Run #1")
	})
}

// A post leads back to the list that it was opened from and on to the next one of
// it, also when triaging has taken it out of that list.
func TestNextPost(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		other := w.open(t, "Contoso", "owner@contoso.example", feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		theirs := lively(t, w, other)
		ids := w.lists(t, o)
		listed := func(query string) (all []string) {
			t.Helper()
			for _, m := range regexp.MustCompile(`name="post" value="(post_\w+)"`).FindAllStringSubmatch(u.page(site(o, "posts"+query)).body, -1) {
				all = append(all, m[1])
			}
			return all
		}
		for _, query := range []string{"", "?sort=votes", "?board=" + ids.boards["Bugs"], "?status=" + ids.statuses["Open"] + "&sort=votes", "?tag=" + ids.tags["enterprise"]} {
			all := listed(query)
			if len(all) == 0 {
				t.Fatalf("%q lists nothing", query)
			}
			if page := u.page(site(o, "posts", all[0])); !strings.Contains(page.body, `href="`+strings.ReplaceAll(site(o, "posts")+sorted(query), "&", "&amp;")+`"`) {
				t.Errorf("%q: the post does not lead back to its list", query)
			}
			for i, p := range all {
				a := u.get(site(o, "posts", p, "next"))
				want := site(o, "posts") + sorted(query)
				if i+1 < len(all) {
					want = site(o, "posts", all[i+1])
				}
				if to := a.header.Get("Location"); a.status != http.StatusSeeOther || to != want {
					t.Errorf("%q: after %s comes %d %s; want %s", query, p, a.status, to, want)
				}
			}
		}

		all := listed("?status=" + ids.statuses["Open"])
		u.act(site(o, "posts", all[0], "status"), "statusId", ids.statuses["Planned"])
		if to := u.get(site(o, "posts", all[0], "next")).header.Get("Location"); to != site(o, "posts", all[1]) {
			t.Errorf("after one that has left the list comes %s; want %s", to, all[1])
		}
		u.page(site(o, "posts?q=sign-on"))
		u.page(site(o, "posts", posts[0])).lacks(t, "Next post")
		if a := u.get(site(o, "posts", theirs[0], "next")); a.status != http.StatusNotFound {
			t.Errorf("the next after another account's: %d; want 404", a.status)
		}
		u.setCookie("heed_list", o.Site.ID.String()+".%%%")
		u.page(site(o, "posts", posts[0])).has(t, "Next post")
	})
}

// sorted spells a query as the dashboard does.
func sorted(query string) string {
	q, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil || len(q) == 0 {
		return query
	}
	return "?" + q.Encode()
}

// The portal's page of a post is a click away while the public sees it.
func TestPostOnThePortal(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	u := w.signedIn(t, ownerEmail)
	posts := lively(t, w, o)
	post := site(o, "posts", posts[0])
	link := "/p/" + o.Site.Slug + "/posts/" + posts[0].String()
	if page := u.page(post); !strings.Contains(page.body, link) {
		t.Error("the post does not lead to the portal")
	}
	u.act(post+"/flags", "flag", "archived", "on", "true")
	if page := u.page(post); strings.Contains(page.body, link) {
		t.Error("an archived post leads to the portal")
	}
	u.act(post+"/flags", "flag", "archived", "on", "false")
	u.act(site(o, "boards"), "name", "Secrets", "private", "on")
	u.act(post+"/move", "boardId", w.lists(t, o).boards["Secrets"])
	if page := u.page(post); strings.Contains(page.body, link) {
		t.Error("a post on a private board leads to the portal")
	}
}
