package api_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// testQueue holds who is in the queue, in which order and at which stage.
func testQueue(t *testing.T, w *world) {
	p := w.newPlace(t)
	queue := func() (titles, stages []string) {
		t.Helper()
		items := asObjects(p.must(t, "GET", "/v1/automation/queue?siteId="+p.id, nil)["items"])
		return pluck(items, "title"), pluck(items, "stage")
	}
	post := map[string]string{}
	for _, name := range []string{"old two", "zero", "three", "young two", "none", "done", "closed", "archived", "merged", "custom"} {
		post[name] = p.post(t, name)
	}
	p.vote(t, post["old two"], "a", "b")
	p.vote(t, post["three"], "a", "b", "c")
	p.vote(t, post["young two"], "a", "b")
	for _, name := range []string{"done", "archived", "merged", "closed"} {
		p.vote(t, post[name], "a", "b", "c", "d")
	}
	move := func(name string, status any) {
		p.must(t, "PUT", p.postPath(post[name])+"/status", object{"statusId": status})
	}
	move("none", nil)
	move("done", p.status["Done"])
	move("closed", p.status["Closed"])
	move("custom", p.newStatus(t, object{"name": "Custom"}))
	w.archive(t, p.id, post["archived"])
	p.must(t, "POST", p.postPath(post["merged"])+"/merge", object{"winnerId": post["zero"]})

	want := []string{"zero", "three", "old two", "young two", "none", "custom"}
	if got, _ := queue(); !slices.Equal(got, want) {
		t.Errorf("queue = %v; want %v", got, want)
	}

	// The stage comes from the newest run.
	for i, c := range []struct {
		act   string
		body  object
		stage string
	}{
		{"start", nil, "queued"},
		{"steps", object{"tone": "DONE", "label": "x"}, "building"},
		{"steps", object{"tone": "DONE", "label": "x", "prUrl": "https://x.example"}, "pr_open"},
		{"complete", object{"outcome": "NEEDS_REVIEW"}, "needs_review"},
		{"steps", object{"tone": "DONE", "label": "x"}, "pr_open"},
		{"complete", object{"outcome": "BLOCKED"}, "needs_review"},
		{"complete", object{"outcome": "FAILED"}, "needs_review"},
		{"start", nil, "queued"},
		{"complete", object{"outcome": "SHIPPED"}, "shipped"},
		{"start", nil, "queued"},
		{"complete", object{"outcome": "SHIPPED"}, "shipped"},
	} {
		if c.act == "start" {
			post["run"] = p.run(t, post["three"])
		} else {
			p.must(t, "POST", "/v1/automation/runs/"+post["run"]+"/"+c.act, c.body)
		}
		items := asObjects(p.must(t, "GET", "/v1/automation/queue?siteId="+p.id, nil)["items"])
		got := items[slices.IndexFunc(items, func(o object) bool { return o["id"] == post["three"] })]
		if got["stage"] != c.stage || got["runId"] != post["run"] || got["votes"] != 3.0 {
			t.Errorf("%d: after %s %v the item is %v; want stage %s", i, c.act, c.body, got, c.stage)
		}
	}

	// What shipped stays for a week after it left the open ones.
	p.must(t, "POST", "/v1/automation/runs/"+p.run(t, post["zero"])+"/complete", object{"outcome": "SHIPPED", "doneStatusId": p.status["Done"]})
	move("three", p.status["Done"])
	want = []string{"old two", "young two", "none", "custom", "zero", "three"}
	titles, stages := queue()
	if !slices.Equal(titles, want) || !slices.Equal(stages, []string{"queued", "queued", "queued", "queued", "shipped", "shipped"}) {
		t.Errorf("queue = %v %v; want %v, the last two shipped", titles, stages, want)
	}
	w.pass(7*24*time.Hour - time.Minute)
	if got, _ := queue(); !slices.Equal(got, want) {
		t.Errorf("queue just under 7 days later = %v; want %v", got, want)
	}
	w.pass(2 * time.Minute)
	if got, _ := queue(); !slices.Equal(got, want[:4]) {
		t.Errorf("queue after 7 days = %v; want %v", got, want[:4])
	}

	// At most 100, the best of all statuses together.
	full := w.newPlace(t)
	for i := range 105 {
		id := full.post(t, fmt.Sprintf("post %03d", i))
		if i%2 == 0 {
			full.must(t, "PUT", full.postPath(id)+"/status", object{"statusId": full.status["Planned"]})
		}
		if i >= 100 {
			full.vote(t, id, "a")
		}
	}
	p = full
	titles, _ = queue()
	if len(titles) != 100 || titles[0] != "post 100" || titles[4] != "post 104" || titles[5] != "post 000" || titles[99] != "post 094" {
		t.Errorf("%d items, from %v to %v; want 100: those with votes, then the oldest", len(titles), titles[:6], titles[len(titles)-1])
	}
}

// testLists holds order, the default size of a page and its bounds, on every
// list.
func testLists(t *testing.T, w *world) {
	p := w.newPlace(t)
	var boards, posts, comments, statuses, entries, runs []string
	boards, statuses = []string{"Feature requests", "Bugs"}, []string{"Open", "Planned", "In progress", "Done", "Closed"}
	for i := range 101 {
		name := fmt.Sprintf("item %03d", i)
		p.must(t, "POST", p.path+"/boards", object{"name": name})
		p.newStatus(t, object{"name": name})
		p.entry(t, name)
		posts = append(posts, name)
		boards, statuses, entries = append(boards, name), append(statuses, name), append(entries, name)
	}
	for _, name := range posts {
		p.post(t, name)
	}
	post := p.post(t, "item talked about")
	run := p.run(t, "")
	for i := range 101 {
		comments = append(comments, fmt.Sprintf("comment %d", i))
		p.comment(t, post, comments[i])
		p.must(t, "POST", "/v1/automation/runs/"+run+"/steps", object{"tone": "DONE", "label": comments[i]})
	}
	steps := comments
	runs = []string{"Run #1"}
	for i := range 100 {
		p.run(t, "")
		runs = append(runs, fmt.Sprintf("Run #%d", i+2))
	}
	posts = append(posts, "item talked about")
	slices.Reverse(posts)
	slices.Reverse(entries)
	slices.Reverse(runs)
	for _, c := range []struct {
		path, member string
		want         []string
	}{
		{p.path + "/boards?", "name", boards},
		{p.path + "/posts?", "title", posts},
		{p.path + "/posts?boardId=" + p.board, "title", posts},
		{p.path + "/posts?boardId=" + p.bugs, "title", nil},
		{p.postPath(post) + "/comments?", "body", comments},
		{p.path + "/statuses?", "name", statuses},
		{p.path + "/changelog?", "title", entries},
		{p.path + "/search?q=item", "title", posts[1:]},
		{"/v1/automation/runs?siteId=" + p.id, "title", runs},
		{"/v1/automation/runs/" + run + "/steps?", "label", steps},
	} {
		for _, limit := range []int{0, 1, 100} {
			path, size := c.path, 50
			if limit > 0 {
				path, size = fmt.Sprintf("%s&limit=%d", path, limit), limit
			}
			page := p.must(t, "GET", path, nil)
			want := c.want[:min(size, len(c.want))]
			if got := pluck(data(page), c.member); !slices.Equal(got, want) {
				t.Errorf("%s: %d items, %.5v...; want %d, %.5v...", path, len(got), got, len(want), want)
			}
			if more := page["nextCursor"] != nil; more != (len(c.want) > size) {
				t.Errorf("%s: nextCursor %v of %d items", path, page["nextCursor"], len(c.want))
			}
		}
	}
	if b := data(p.must(t, "GET", p.path+"/boards", nil))[0]; b["postCount"] != 102.0 {
		t.Errorf("postCount = %v; want 102", b["postCount"])
	}
	// The sites of the account by creation; of a pinned key, its own.
	ids := pluck(data(w.must(t, "GET", "/v1/sites?limit=100", nil)), "id")
	if !slices.IsSorted(ids) || ids[0] != w.site || len(ids) < 3 {
		t.Errorf("listSites = %v; want all sites by creation", ids)
	}
	for path, want := range map[string]int{"/v1/sites": 1, "/v1/sites?limit=1": 1} {
		page := w.do(t, request{method: "GET", path: path, key: w.pinned}).object()
		if got := pluck(data(page), "id"); len(got) != want || got[0] != w.site || page["nextCursor"] != nil {
			t.Errorf("%s with a pinned key = %v; want its site alone", path, page)
		}
	}
	// Archived posts stay listed and counted.
	w.archive(t, p.id, post)
	page := p.must(t, "GET", p.path+"/posts?limit=1", nil)
	if got := data(page)[0]; got["id"] != post || got["archived"] != true {
		t.Errorf("the newest post = %v; want the archived one", got)
	}
	if b := data(p.must(t, "GET", p.path+"/boards", nil))[0]; b["postCount"] != 102.0 {
		t.Errorf("postCount = %v; want 102 still", b["postCount"])
	}
}
