package api_test

import (
	"context"
	"fmt"
	"testing"

	"heed/internal/feedback"
	"heed/internal/store"
)

// held leaves a post that waits for approval, as the portal of a moderated site
// does.
func (p *place) held(t testing.TB, title string) string {
	t.Helper()
	site := number[feedback.SiteID](t, p.id)
	post := &feedback.Post{SiteID: site, BoardID: number[feedback.BoardID](t, p.board), Title: title, Held: true}
	err := p.db.Write(t.Context(), func(tx *store.Tx) (err error) {
		ctx := context.Background()
		post.ID, post.CreatedAt = feedback.PostID(tx.NextID()), tx.Now
		if post.AuthorID, err = tx.Visitor(ctx, site, "somebody"); err != nil {
			return err
		}
		return tx.InsertPost(ctx, post, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	return post.ID.String()
}

// testHeld holds that a post that waits for approval, or was rejected, is nothing
// that a key may see: every operation that can name a post answers as if there
// were none.
func testHeld(t *testing.T, w *world) {
	p := w.newPlace(t)
	shown, waiting, rejected := p.post(t, "Shown"), p.held(t, "Waiting"), p.held(t, "Rejected")
	w.exec(t, `UPDATE posts SET archived = TRUE WHERE id = $1`, int64(number[feedback.PostID](t, rejected)))
	before := p.snapshot(t)
	for _, held := range []string{waiting, rejected} {
		for _, c := range []struct {
			method, path, field string
			body                any
		}{
			{"GET", p.postPath(held), "", nil},
			{"GET", p.postPath(held) + "/content", "", nil},
			{"GET", p.postPath(held) + "/comments", "", nil},
			{"POST", p.postPath(held) + "/comments", "", object{"body": "Hello?"}},
			{"POST", p.postPath(held) + "/votes", "", object{"onBehalfVisitorId": "v"}},
			{"PUT", p.postPath(held) + "/status", "", object{"statusId": p.status["Done"]}},
			{"POST", p.postPath(held) + "/merge", "", object{"winnerId": shown}},
			{"POST", p.postPath(shown) + "/merge", "winnerId", object{"winnerId": held}},
			{"POST", "/v1/automation/runs", "postId", object{"siteId": p.id, "agentKind": "KIND_A", "postId": held}},
			{"POST", p.path + "/changelog", "postIds.0", object{"title": "T", "body": "B", "postIds": []any{held}}},
		} {
			res := w.call(t, c.method, c.path, c.body).wantError(t, 404, "NOT_FOUND")
			want := object{"resource": "post", "id": held}
			if c.field != "" {
				want["field"] = c.field
			}
			if d := differences("details", any(res.details()), want); d != nil {
				t.Errorf("%s %s: %v", c.method, c.path, d)
			}
		}
	}
	if d := differences("site", any(p.snapshot(t)), before); d != nil {
		t.Errorf("requests about held posts changed the site: %v", d)
	}
}

// testMergedAway holds that a post that was merged takes nothing but the undoing
// of that, and that a run which began before ships to where the voters are.
func testMergedAway(t *testing.T, w *world) {
	p := w.newPlace(t)
	first, second, winner := p.post(t, "First"), p.post(t, "Second"), p.post(t, "Winner")
	p.vote(t, first, "a", "b")
	p.vote(t, winner, "b", "c")
	run := p.run(t, first)
	p.must(t, "POST", p.postPath(first)+"/merge", object{"winnerId": second})
	action := p.must(t, "POST", p.postPath(second)+"/merge", object{"winnerId": winner})["actionId"].(string)
	for _, c := range []struct {
		post, into   string
		method, path string
		body         object
	}{
		{first, second, "PUT", p.postPath(first) + "/status", object{"statusId": p.status["Done"]}},
		{first, second, "PUT", p.postPath(first) + "/status", object{"statusId": p.status["Open"]}}, // which it has
		{first, second, "PUT", p.postPath(first) + "/status", object{"statusId": nil}},
		{second, winner, "PUT", p.postPath(second) + "/status", object{"statusId": p.status["Done"]}},
		{second, winner, "POST", "/v1/automation/runs", object{"siteId": p.id, "agentKind": "KIND_A", "postId": second}},
		{first, second, "POST", "/v1/automation/runs", object{"siteId": p.id, "agentKind": "KIND_A", "postId": first}}, // also at work there
	} {
		res := w.call(t, c.method, c.path, c.body).wantError(t, 422, "POST_LOCKED")
		if d := differences("details", any(res.details()), object{"postId": c.post, "reason": "merged", "mergedInto": c.into}); d != nil {
			t.Errorf("%s %v: %v", c.path, c.body, d)
		}
	}
	// The rules of the input come first.
	w.call(t, "PUT", p.postPath(first)+"/status", object{}).wantError(t, 422, "VALIDATION_FAILED")

	entry := p.entry(t, "It is here")
	got := p.must(t, "POST", "/v1/automation/runs/"+run+"/complete",
		object{"outcome": "SHIPPED", "doneStatusId": p.status["Done"], "changelogEntryId": entry})
	if got["status"] != "SHIPPED" || got["notifiedCount"] != 3.0 {
		t.Errorf("the run of a merged post = %v; want it shipped and the three voters of the winner told", got)
	}
	for post, want := range map[string]string{first: "Open", second: "Open", winner: "Done"} {
		if got := p.must(t, "GET", p.postPath(post), nil); got["statusName"] != want {
			t.Errorf("%s stands at %v; want %s", got["title"], got["statusName"], want)
		}
	}
	linked := `SELECT COUNT(*) FROM entry_posts WHERE entry_id = $1 AND post_id = $2`
	if n := w.count(t, linked, int64(number[feedback.EntryID](t, entry)), int64(number[feedback.PostID](t, winner))); n != 1 {
		t.Error("the entry does not answer the surviving post")
	}

	// Taken back, it takes everything again.
	p.must(t, "POST", p.path+"/actions/"+action+"/undo", nil)
	p.must(t, "PUT", p.postPath(second)+"/status", object{"statusId": p.status["Planned"]})
	p.run(t, second)
}

// testWithheld holds that an agent gets no run on a post that the team keeps from
// agents, whoever knows its id, and goes on with one that it has.
func testWithheld(t *testing.T, w *world) {
	p := w.newPlace(t)
	post, begun := p.post(t, "Not this one"), p.post(t, "Begun")
	run := p.run(t, begun)
	for _, id := range []string{post, begun} {
		w.exec(t, `UPDATE posts SET withheld = TRUE WHERE id = $1`, int64(number[feedback.PostID](t, id)))
	}
	start := object{"siteId": p.id, "agentKind": "KIND_A", "postId": post}
	for range 2 {
		res := w.call(t, "POST", "/v1/automation/runs", start).wantError(t, 422, "INVALID_TRANSITION")
		if d := differences("details", any(res.details()), object{"postId": post, "reason": "withheld"}); d != nil {
			t.Error(d)
		}
		if res.error()["hint"] == nil {
			t.Error("no hint")
		}
	}
	// The rules of the input come first, and a refused start takes no number.
	w.call(t, "POST", "/v1/automation/runs", object{"siteId": p.id, "agentKind": "none", "postId": post}).wantError(t, 422, "VALIDATION_FAILED")
	if items := asObjects(p.must(t, "GET", "/v1/automation/queue?siteId="+p.id, nil)["items"]); len(items) != 0 {
		t.Errorf("the queue holds %v; want nothing", items)
	}
	p.must(t, "POST", "/v1/automation/runs/"+run+"/steps", object{"tone": "DONE", "label": "went on"})
	p.must(t, "POST", "/v1/automation/runs/"+run+"/complete", object{"outcome": "SHIPPED", "doneStatusId": p.status["Done"]})
	w.exec(t, `UPDATE posts SET withheld = FALSE WHERE id = $1`, int64(number[feedback.PostID](t, post)))
	if got := fmt.Sprint(p.must(t, "POST", "/v1/automation/runs", start)["runNumber"]); got != "2" {
		t.Errorf("runNumber = %v; want 2", got)
	}
}
