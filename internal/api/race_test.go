package api_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"heed/internal/feedback"
)

// race sends n requests at once and returns the answers.
func race(n int, send func(i int) *response) []*response {
	out := make([]*response, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			out[i] = send(i)
		})
	}
	close(start)
	wg.Wait()
	return out
}

// tally counts answers by status and code, as in "201 " or "422 RUN_ACTIVE".
func tally(all []*response) map[string]int {
	n := map[string]int{}
	for _, r := range all {
		n[fmt.Sprintf("%d %s", r.status, r.code())]++
	}
	return n
}

func testRaces(t *testing.T, w *world) {
	p := w.newPlace(t)
	site := int64(number[feedback.SiteID](t, p.id))

	t.Run("one visitor votes", func(t *testing.T) {
		post := p.post(t, "Wanted")
		created := 0
		for _, r := range race(50, func(int) *response {
			return w.call(t, "POST", p.postPath(post)+"/votes", object{"onBehalfVisitorId": "the same"})
		}) {
			o := r.object()
			if r.status != 201 || o["voteCount"] != 1.0 {
				t.Errorf("= %d %s; want 201 with one vote", r.status, r.raw)
			}
			if o["created"] == true {
				created++
			}
		}
		if created != 1 {
			t.Errorf("created is true %d times; want once", created)
		}
	})

	t.Run("many visitors vote", func(t *testing.T) {
		post := p.post(t, "Wanted by all")
		var counts []int
		for _, r := range race(50, func(i int) *response {
			return w.call(t, "POST", p.postPath(post)+"/votes", object{"onBehalfVisitorId": fmt.Sprint("visitor ", i)})
		}) {
			n, _ := r.object()["voteCount"].(float64)
			counts = append(counts, int(n))
		}
		slices.Sort(counts)
		for i, n := range counts {
			if n != i+1 {
				t.Fatalf("the tallies are %v; want each from 1 to 50 once", counts)
			}
		}
	})

	t.Run("one idempotency key", func(t *testing.T) {
		before := w.count(t, `SELECT COUNT(*) FROM posts WHERE site_id = $1`, site)
		all := race(100, func(int) *response {
			return w.do(t, request{method: "POST", path: p.path + "/posts", header: once("race"), body: object{"boardId": p.board, "title": "Once", "onBehalfVisitorId": "v"}})
		})
		var body string
		for _, r := range all {
			switch {
			case r.status == 409:
			case r.status != 201 || body != "" && body != string(r.raw):
				t.Errorf("= %d %s; want 201 with the same body, or 409", r.status, r.raw)
			default:
				body = string(r.raw)
			}
		}
		if n := w.count(t, `SELECT COUNT(*) FROM posts WHERE site_id = $1`, site) - before; n != 1 || body == "" {
			t.Errorf("%d posts; want 1 (%v)", n, tally(all))
		}
	})

	t.Run("runs on one post", func(t *testing.T) {
		post := p.post(t, "Contested")
		got := tally(race(20, func(int) *response {
			return w.call(t, "POST", "/v1/automation/runs", object{"siteId": p.id, "agentKind": "KIND_A", "postId": post})
		}))
		if got["201 "] != 1 || got["422 RUN_ACTIVE"] != 19 {
			t.Errorf("= %v; want one run", got)
		}
	})

	t.Run("runs on one site", func(t *testing.T) {
		fresh := w.newPlace(t)
		post := fresh.post(t, "In the way")
		fresh.run(t, post)
		var numbers []int
		for i, r := range race(40, func(i int) *response {
			body := object{"siteId": fresh.id, "agentKind": "KIND_A"}
			if i%4 == 0 {
				body["postId"] = post // refused, and takes no number
			}
			return w.call(t, "POST", "/v1/automation/runs", body)
		}) {
			if i%4 != 0 {
				n, _ := r.object()["runNumber"].(float64)
				numbers = append(numbers, int(n))
			}
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != i+2 {
				t.Fatalf("numbers %v; want 2 to 31 without gap or repeat", numbers)
			}
		}
	})

	t.Run("steps of one run", func(t *testing.T) {
		run := p.run(t, "")
		var seqs []int
		for _, r := range race(30, func(i int) *response {
			return w.call(t, "POST", "/v1/automation/runs/"+run+"/steps", object{"tone": "DONE", "label": "x"})
		}) {
			n, _ := r.object()["seq"].(float64)
			seqs = append(seqs, int(n))
		}
		slices.Sort(seqs)
		for i, n := range seqs {
			if n != i+1 {
				t.Fatalf("seqs %v; want 1 to 30", seqs)
			}
		}
	})

	t.Run("one run completed", func(t *testing.T) {
		post := p.post(t, "Shipped by many")
		p.vote(t, post, "a", "b")
		run := p.run(t, post)
		before := len(p.eventTypes(t, site))
		for _, r := range race(20, func(int) *response {
			return w.call(t, "POST", "/v1/automation/runs/"+run+"/complete", object{"outcome": "SHIPPED", "doneStatusId": p.status["Done"]})
		}) {
			if r.status != 200 || r.object()["notifiedCount"] != 2.0 {
				t.Errorf("= %d %s", r.status, r.raw)
			}
		}
		if n := len(p.eventTypes(t, site)) - before; n != 1 {
			t.Errorf("%d events; want one move", n)
		}
	})

	t.Run("one pair merged", func(t *testing.T) {
		a, b := p.post(t, "A"), p.post(t, "B")
		p.vote(t, a, "x", "y")
		p.vote(t, b, "y", "z")
		// Half of them one way, half the other.
		done := 0
		for _, r := range race(20, func(i int) *response {
			loser, winner := a, b
			if i%2 == 0 {
				loser, winner = b, a
			}
			return w.call(t, "POST", p.postPath(loser)+"/merge", object{"winnerId": winner})
		}) {
			o := r.object()
			if o["ok"] == true {
				done++
			} else if r.status != 200 || o["reason"] != "loser_merged" && o["reason"] != "winner_merged" {
				t.Errorf("= %d %s", r.status, r.raw)
			}
		}
		if done != 1 {
			t.Errorf("%d merges; want one", done)
		}
		votes := p.must(t, "GET", p.postPath(a), nil)["voteCount"].(float64) + p.must(t, "GET", p.postPath(b), nil)["voteCount"].(float64)
		if votes != 3 {
			t.Errorf("%v votes on both; want the union, 3", votes)
		}
	})

	t.Run("a ring merged", func(t *testing.T) {
		var posts []string
		for i := range 6 {
			posts = append(posts, p.post(t, fmt.Sprint("ring ", i)))
			p.vote(t, posts[i], "everybody", fmt.Sprint("fan of ", i))
		}
		var actions []string
		for _, r := range race(30, func(i int) *response {
			return w.call(t, "POST", p.postPath(posts[i%6])+"/merge", object{"winnerId": posts[(i+1)%6]})
		}) {
			if r.status != 200 {
				t.Errorf("= %d %s", r.status, r.raw)
			}
			if id, ok := r.object()["actionId"].(string); ok {
				actions = append(actions, id)
			}
		}
		if len(actions) == 0 || len(actions) > 5 {
			t.Errorf("%d of a ring of 6 merged; want some, and not all", len(actions))
		}
		// All of them taken back at once, some twice.
		race(2*len(actions), func(i int) *response {
			return w.call(t, "POST", p.path+"/actions/"+actions[i%len(actions)]+"/undo", nil)
		})
	})

	t.Run("boards of one name", func(t *testing.T) {
		slugs := map[any]bool{}
		for _, r := range race(20, func(int) *response { return w.call(t, "POST", p.path+"/boards", object{"name": "Same"}) }) {
			slugs[r.object()["slug"]] = true
		}
		if len(slugs) != 20 || !slugs["same"] || !slugs["same-20"] {
			t.Errorf("slugs %v; want same, same-2 to same-20", slugs)
		}
		got := tally(race(10, func(int) *response {
			return w.call(t, "POST", p.path+"/boards", object{"name": "X", "slug": "mine"})
		}))
		if got["201 "] != 1 || got["422 SLUG_TAKEN"] != 9 {
			t.Errorf("one slug asked for = %v; want it given once", got)
		}
	})

	t.Run("statuses", func(t *testing.T) {
		orders := map[any]bool{}
		for _, r := range race(20, func(i int) *response {
			return w.call(t, "POST", p.path+"/statuses", object{"name": fmt.Sprint("status ", i)})
		}) {
			orders[r.object()["order"]] = true
		}
		if len(orders) != 20 {
			t.Errorf("%d places for 20 statuses: %v", len(orders), orders)
		}
		got := tally(race(10, func(int) *response { return w.call(t, "POST", p.path+"/statuses", object{"name": "Mine"}) }))
		if got["201 "] != 1 || got["422 NAME_TAKEN"] != 9 {
			t.Errorf("one name asked for = %v; want it given once", got)
		}
	})

	t.Run("everything at once", func(t *testing.T) {
		var posts []string
		for i := range 4 {
			posts = append(posts, p.post(t, fmt.Sprint("busy ", i)))
		}
		for _, r := range race(120, func(i int) *response {
			post, other := posts[i%4], posts[(i+1)%4]
			switch i % 6 {
			case 0:
				return w.call(t, "POST", p.path+"/posts", object{"boardId": p.board, "title": "new", "onBehalfVisitorId": fmt.Sprint("v", i%5)})
			case 1:
				return w.call(t, "POST", p.postPath(post)+"/comments", object{"body": "c", "internal": i%12 == 1})
			case 2:
				return w.call(t, "POST", p.postPath(post)+"/merge", object{"winnerId": other})
			case 3:
				return w.call(t, "PUT", p.postPath(post)+"/status", object{"statusId": p.status["Planned"]})
			case 4:
				return w.call(t, "POST", p.path+"/changelog", object{"title": "e", "body": "", "postIds": []any{post, other}})
			}
			return w.call(t, "POST", p.postPath(post)+"/votes", object{"onBehalfVisitorId": fmt.Sprint("v", i%7)})
		}) {
			if r.status >= 500 {
				t.Errorf("= %d %s", r.status, r.raw)
			}
		}
	})
}

// testCounters compares every counter with the rows it counts, after all suites
// have done to the database what they do.
func testCounters(t *testing.T, w *world) {
	for name, query := range map[string]string{
		"vote_count": `SELECT COUNT(*) FROM posts p WHERE vote_count <> (
			SELECT COUNT(*) FROM votes v WHERE v.site_id = p.site_id AND v.post_id = p.id)`,
		"comment_count": `SELECT COUNT(*) FROM posts p WHERE comment_count <> (
			SELECT COUNT(*) FROM comments c WHERE c.site_id = p.site_id AND c.post_id = p.id AND NOT internal)`,
		"post_count": `SELECT COUNT(*) FROM boards b WHERE post_count <> (
			SELECT COUNT(*) FROM posts p WHERE p.site_id = b.site_id AND p.board_id = b.id AND p.merged_into IS NULL AND NOT p.held)`,
		"run_count": `SELECT COUNT(*) FROM sites s WHERE run_count <> (SELECT COUNT(*) FROM runs r WHERE r.site_id = s.id)
			OR run_count <> (SELECT COALESCE(MAX(number), 0) FROM runs r WHERE r.site_id = s.id)`,
		"step_count": `SELECT COUNT(*) FROM runs r WHERE step_count <> (
			SELECT COUNT(*) FROM run_steps s WHERE s.site_id = r.site_id AND s.run_id = r.id)`,
		"replies elsewhere": `SELECT COUNT(*) FROM comments c JOIN comments p ON p.site_id = c.site_id AND p.id = c.parent_id
			WHERE p.post_id <> c.post_id`,
	} {
		if n := w.count(t, query); n != 0 {
			t.Errorf("%s: %d rows disagree", name, n)
		}
	}
	if w.engine == "postgres" {
		// They would be tried again, but each costs a second.
		if n := w.count(t, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
			t.Errorf("%d deadlocks", n)
		}
	}
}
