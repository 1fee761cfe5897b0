package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
)

// moderate has posts of visitors wait for approval.
func (w *world) moderate(t testing.TB, o *app.Opened) {
	t.Helper()
	on := true
	err := w.app.Change(t.Context(), team(o), app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) error {
		_, err := tx.PatchSettings(t.Context(), feedback.SettingsPatch{Moderation: &on})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// waiting are the posts of the queue, in order.
func (u *user) waiting(path string) []string {
	u.t.Helper()
	var all []string
	for _, m := range regexp.MustCompile(`name="post" value="(post_\w+)"`).FindAllStringSubmatch(u.page(path).body, -1) {
		all = append(all, m[1])
	}
	return all
}

func TestApproval(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		queue := site(o, "queue")
		u.page(queue).has(t, "Nothing waits")
		u.page(queue+"?show=rejected").has(t, "Nothing was rejected")
		w.moderate(t, o)
		board := w.lists(t, o).boards["Bugs"]
		v := w.user(t)
		portal := "/p/" + o.Site.Slug
		for _, title := range []string{"First idea", "Second idea", "Third idea", "Fourth idea"} {
			v.share(o, board, title, "In <i>many</i> words")
		}
		if n := len(w.events(t, o)); n != 0 {
			t.Fatalf("%d events before anything is approved", n)
		}
		ids := u.waiting(queue)
		if len(ids) != 4 {
			t.Fatalf("%v wait; want four", ids)
		}
		page := u.page(queue)
		page.has(t, "Waiting (4)", "4 waiting", "Anonymous visitor", "many", "Bugs")
		page.lacks(t, "<i>many</i>")
		if strings.Index(page.body, "First idea") > strings.Index(page.body, "Fourth idea") {
			t.Error("the oldest does not come first")
		}
		u.page(site(o)).has(t, "4 waiting for approval")
		u.page(site(o, "posts")).lacks(t, "First idea")

		// Approved, one: it is there, and listeners are told where it came from.
		u.act(queue, "one", "approve:"+ids[0]).has(t, "The post is approved", "Waiting (3)")
		events := w.events(t, o)
		if len(events) != 1 || events[0].Type != feedback.PostCreated || !strings.Contains(string(events[0].Payload), `"source":"portal"`) {
			t.Errorf("approving leaves %v", events)
		}
		w.user(t).page(portal+"/?q=first").has(t, "First idea")
		u.page(site(o, "posts", ids[0])).has(t, "approved it")
		// Approving again is no second event.
		u.act(queue, "one", "approve:"+ids[0])
		if n := len(w.events(t, o)); n != 1 {
			t.Errorf("%d events after approving twice; want 1", n)
		}

		// Rejected, with a reason that the author reads and nobody else.
		u.act(queue, "one", "reject:"+ids[1], "reason", "We have this already.").has(t, "is rejected", "Waiting (2)")
		v.page(portal+"/me").has(t, "Second idea", "Not published", "We have this already.")
		w.user(t).page(portal+"/?q=second").lacks(t, "Second idea")
		if a := w.user(t).get(portal + "/posts/" + ids[1]); a.status != http.StatusNotFound {
			t.Errorf("a rejected post in the portal: %d; want 404", a.status)
		}
		u.page(queue+"?show=rejected").has(t, "Second idea", "Rejected because: We have this already.")
		u.page(site(o, "posts?show=archived")).lacks(t, "Second idea")
		u.page(site(o, "posts", ids[1])).has(t, "This post was rejected", "rejected it", "“We have this already.”")

		// Taken back, then approved from the page of the post.
		u.act(queue, "one", "requeue:"+ids[1], "back", "rejected").has(t, "waiting again", "Nothing was rejected")
		u.act(queue, "act", "approve", "post", ids[1], "back", "post").has(t, "Second idea", "The post is approved")

		// In bulk, all or none.
		u.post(queue, "act", "reject", "post", ids[2], "post", ids[0], "reason", "No")
		u.page(queue).has(t, "“First idea” does not wait for approval", "Waiting (2)")
		u.post(queue, "act", "reject", "post", ids[2], "reason", strings.Repeat("x", 2001))
		u.page(queue).has(t, "Reason must", "Waiting (2)")
		u.act(queue, "act", "reject", "post", ids[2], "post", ids[3]).has(t, "2 posts are rejected", "Nothing waits")
		u.act(queue, "act", "approve", "post", ids[2], "post", ids[3], "back", "rejected").has(t, "2 posts are approved")
		if n := len(w.events(t, o)); n != 4 {
			t.Errorf("%d events after four approvals", n)
		}
		u.post(queue, "act", "approve")
		u.page(queue).has(t, "No post is ticked")
		u.post(queue, "act", "promote", "post", ids[0])
		u.page(queue).has(t, "Choose whether to approve or to reject")
		if a := u.post(queue, "one", "approve:post_nothing"); a.status != http.StatusNotFound {
			t.Errorf("approving what is not there: %d; want 404", a.status)
		}
		u.page("/dash/audit").has(t, "posts.approved", "posts.rejected", "posts.requeued")
		lines, err := w.app.Check(t.Context(), nil)
		if err != nil || len(lines) != 0 {
			t.Errorf("check: %v %v", lines, err)
		}
	})
}

// What its author deletes while it waits is in no queue, and nobody can publish
// it.
func TestDeletedWhileWaiting(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		w.moderate(t, o)
		v := w.user(t)
		v.share(o, w.lists(t, o).boards["Bugs"], "Regretted", "Forget it")
		ids := u.waiting(site(o, "queue"))
		if a := v.post("/p/"+o.Site.Slug+"/me/delete", "sure", "on"); a.status != http.StatusOK {
			t.Fatalf("deleting oneself: %d", a.status)
		}
		for _, path := range []string{site(o, "queue"), site(o, "queue?show=rejected")} {
			if n := u.waiting(path); len(n) != 0 {
				t.Errorf("%s holds %v", path, n)
			}
		}
		for _, act := range []string{"approve", "reject", "requeue"} {
			u.post(site(o, "queue"), "one", act+":"+ids[0])
			u.page(site(o, "queue")).has(t, "was deleted by its author")
		}
		// Nor can the archive bring it back into searches.
		u.post(site(o, "posts", ids[0], "flags"), "flag", "archived", "on", "false")
		lines, err := w.app.Check(t.Context(), nil)
		if err != nil || len(lines) != 0 {
			t.Errorf("check: %v %v", lines, err)
		}
	})
}
