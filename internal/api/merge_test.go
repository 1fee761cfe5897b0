package api_test

import (
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heed/internal/feedback"
)

// snapshot is all there is to see of a site through the API, and of its rows,
// so that two moments can be compared.
func (p *place) snapshot(t testing.TB) object {
	t.Helper()
	out := object{}
	posts := p.must(t, "GET", p.path+"/posts?limit=100", nil)
	out["posts"], out["boards"] = posts, p.must(t, "GET", p.path+"/boards", nil)
	for _, id := range pluck(data(posts), "id") {
		out["comments of "+id] = p.must(t, "GET", p.postPath(id)+"/comments?limit=100", nil)
	}
	out["queue"] = p.must(t, "GET", "/v1/automation/queue?siteId="+p.id, nil)
	for _, q := range []string{"loser", "winner"} {
		found := p.search(t, q)
		sort.Strings(found)
		out["search "+q] = found
	}
	rows, err := p.raw.QueryContext(t.Context(), `SELECT post_id, visitor_id, created_at FROM votes WHERE site_id = $1 ORDER BY post_id, visitor_id`,
		int64(number[feedback.SiteID](t, p.id)))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var votes [][3]int64
	for rows.Next() {
		var v [3]int64
		if err := rows.Scan(&v[0], &v[1], &v[2]); err != nil {
			t.Fatal(err)
		}
		votes = append(votes, v)
	}
	out["votes"] = votes
	return out
}

// tag puts a tag on posts, as the dashboard does.
func (p *place) tag(t testing.TB, n int64, name string, posts ...string) {
	t.Helper()
	site := int64(number[feedback.SiteID](t, p.id))
	p.exec(t, `INSERT INTO tags (site_id, id, name, color, created_at) VALUES ($1, $2, $3, '#123456', 0)`, site, n, name)
	for _, post := range posts {
		p.exec(t, `INSERT INTO post_tags (site_id, post_id, tag_id) VALUES ($1, $2, $3)`, site, int64(number[feedback.PostID](t, post)), n)
	}
}

// testMerge folds a post into another and takes it back.
func testMerge(t *testing.T, w *world) {
	p := w.newPlace(t)
	loser := p.must(t, "POST", p.path+"/posts", object{"boardId": p.bugs, "title": "loser", "onBehalfVisitorId": "a"})["id"].(string)
	winner := p.post(t, "winner")
	p.vote(t, loser, "a", "b", "c")
	p.vote(t, winner, "b", "d")
	p.tag(t, 1, "both", loser, winner)
	p.tag(t, 2, "only loser", loser)
	first := p.comment(t, loser, "on the loser")
	p.must(t, "POST", p.postPath(loser)+"/comments", object{"body": "a reply", "parentId": first})
	p.must(t, "POST", p.postPath(loser)+"/comments", object{"body": "internal", "internal": true})
	p.comment(t, winner, "on the winner")
	before := p.snapshot(t)

	action := p.must(t, "POST", p.postPath(loser)+"/merge", object{"winnerId": winner})["actionId"].(string)
	got := p.must(t, "GET", p.postPath(winner), nil)
	if got["voteCount"] != 4.0 {
		t.Errorf("voteCount of the winner = %v; want the union, 4", got["voteCount"])
	}
	if tags := pluck(asObjects(got["tags"]), "name"); !slices.Equal(tags, []string{"both", "only loser"}) {
		t.Errorf("tags of the winner = %v", tags)
	}
	comments := data(p.must(t, "GET", p.postPath(winner)+"/comments", nil))
	if texts := pluck(comments, "body"); !slices.Equal(texts, []string{"on the loser", "a reply", "internal", "on the winner"}) {
		t.Errorf("comments of the winner = %v", texts)
	}
	if comments[1]["parentId"] != first {
		t.Errorf("a reply moved away from its parent: %v", comments[1])
	}
	folded := p.must(t, "GET", p.postPath(loser), nil)
	if folded["archived"] != true || folded["locked"] != true || folded["voteCount"] != 0.0 || len(folded["tags"].([]any)) != 0 {
		t.Errorf("the loser is %v; want it archived, locked and empty", folded)
	}
	if left := data(p.must(t, "GET", p.postPath(loser)+"/comments", nil)); len(left) != 0 {
		t.Errorf("the loser still has comments: %v", left)
	}
	if listed := pluck(data(p.must(t, "GET", p.path+"/posts", nil)), "title"); !slices.Equal(listed, []string{"winner"}) {
		t.Errorf("listPosts = %v; want the winner alone", listed)
	}
	if found := p.search(t, "loser"); len(found) != 0 {
		t.Errorf("search finds the loser: %v", found)
	}
	if items := asObjects(p.must(t, "GET", "/v1/automation/queue?siteId="+p.id, nil)["items"]); len(items) != 1 || items[0]["votes"] != 4.0 {
		t.Errorf("the queue holds %v; want the winner with 4 votes", items)
	}
	for i, want := range []float64{1, 0} {
		if b := data(p.must(t, "GET", p.path+"/boards", nil))[i]; b["postCount"] != want {
			t.Errorf("%s has postCount %v; want %v", b["name"], b["postCount"], want)
		}
	}
	events := `SELECT COUNT(*) FROM events WHERE site_id = $1 AND type = 'post.merged'`
	if n := w.count(t, events, int64(number[feedback.SiteID](t, p.id))); n != 1 {
		t.Errorf("%d events post.merged; want 1", n)
	}

	p.must(t, "POST", p.path+"/actions/"+action+"/undo", nil)
	if d := cmp.Diff(before, p.snapshot(t)); d != "" {
		t.Errorf("undo leaves (-before +after):\n%s", d)
	}
	res := w.call(t, "POST", p.path+"/actions/"+action+"/undo", nil).wantError(t, 422, "INVALID_TRANSITION")
	if d := differences("details", any(res.details()), object{"actionId": action, "reason": "already_undone"}); d != nil {
		t.Error(d)
	}

	// What came since stays, and a reply follows what it answers.
	action = p.must(t, "POST", p.postPath(loser)+"/merge", object{"winnerId": winner})["actionId"].(string)
	p.vote(t, winner, "e")
	p.comment(t, winner, "since")
	p.must(t, "POST", p.postPath(winner)+"/comments", object{"body": "a late reply", "parentId": first})
	p.must(t, "POST", p.path+"/actions/"+action+"/undo", nil)
	if got := p.must(t, "GET", p.postPath(winner), nil)["voteCount"]; got != 3.0 {
		t.Errorf("voteCount of the winner = %v; want b, d and e", got)
	}
	for post, want := range map[string][]string{
		loser: {"on the loser", "a reply", "internal", "a late reply"}, winner: {"on the winner", "since"},
	} {
		if texts := pluck(data(p.must(t, "GET", p.postPath(post)+"/comments", nil)), "body"); !slices.Equal(texts, want) {
			t.Errorf("comments = %v; want %v", texts, want)
		}
	}
}

// testMergeMany folds several posts with the same voters and tags into one, and
// takes that back in every order: what is seen depends on the merges that stand,
// not on the order in which they were made and undone.
func testMergeMany(t *testing.T, w *world) {
	p := w.newPlace(t)
	winner := p.post(t, "winner")
	p.vote(t, winner, "own", "all")
	losers := []string{p.post(t, "loser 0"), p.post(t, "loser 1"), p.post(t, "loser 2")}
	for i, l := range losers {
		p.vote(t, l, "all", "shared", fmt.Sprint("only ", i))
	}
	p.vote(t, losers[1], "two")
	p.vote(t, losers[2], "two")
	p.tag(t, 1, "shared", losers...)
	p.tag(t, 2, "own", winner, losers[2])
	merge := func(l string) string {
		return p.must(t, "POST", p.postPath(l)+"/merge", object{"winnerId": winner})["actionId"].(string)
	}
	undo := func(action string) { p.must(t, "POST", p.path+"/actions/"+action+"/undo", nil) }

	// Each set of merges, made in one order and never undone.
	want := map[string]object{}
	standing := func(set [3]bool) string { return fmt.Sprint(set) }
	for n := range 8 {
		set := [3]bool{n&1 != 0, n&2 != 0, n&4 != 0}
		var actions []string
		for i, l := range losers {
			if set[i] {
				actions = append(actions, merge(l))
			}
		}
		want[standing(set)] = p.snapshot(t)
		slices.Reverse(actions)
		for _, a := range actions {
			undo(a)
		}
	}
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		set, actions := [3]bool{true, true, true}, [3]string{}
		for i, l := range losers {
			actions[i] = merge(l)
		}
		for _, i := range order {
			undo(actions[i])
			set[i] = false
			if d := cmp.Diff(want[standing(set)], p.snapshot(t)); d != "" {
				t.Fatalf("undone in the order %v, with %v still merged (-want +got):\n%s", order, set, d)
			}
		}
	}
}

func asObjects(v any) []object { return data(object{"data": v}) }

// testMergeRefused holds the reasons, in the order they are looked for, and
// that a refused merge changes nothing.
func testMergeRefused(t *testing.T, w *world) {
	p := w.newPlace(t)
	plain, plain2, archived := p.post(t, "plain winner"), p.post(t, "second"), p.post(t, "archived")
	archivedLoser, merged, into := p.post(t, "archived loser"), p.post(t, "merged"), p.post(t, "into")
	w.archive(t, p.id, archived)
	w.archive(t, p.id, archivedLoser)
	action := p.must(t, "POST", p.postPath(merged)+"/merge", object{"winnerId": into})["actionId"].(string)
	before := p.snapshot(t)
	for _, c := range []struct {
		name, loser, winner string
		reason              string
	}{
		{"itself", plain, plain, "same_post"},
		{"merged itself", merged, merged, "same_post"},
		{"merged loser", merged, plain, "loser_merged"},
		{"merged loser again", merged, into, "loser_merged"},
		{"merged loser into archived", merged, archived, "loser_merged"},
		{"merged winner", plain, merged, "winner_merged"},
		{"archived winner", plain, archived, "winner_archived"},
	} {
		w.call(t, "POST", p.postPath(c.loser)+"/merge", object{"winnerId": c.winner}).want(t, 200,
			object{"ok": false, "loserId": c.loser, "winnerId": c.winner, "actionId": nil, "reason": c.reason})
	}
	if d := cmp.Diff(before, p.snapshot(t)); d != "" {
		t.Errorf("refused merges changed (-before +after):\n%s", d)
	}
	// An archived loser may be merged, and is archived again after an undo.
	undo := p.must(t, "POST", p.postPath(archivedLoser)+"/merge", object{"winnerId": plain})["actionId"].(string)
	p.must(t, "POST", p.path+"/actions/"+undo+"/undo", nil)
	if d := cmp.Diff(before, p.snapshot(t)); d != "" {
		t.Errorf("merge and undo of an archived post changed (-before +after):\n%s", d)
	}
	// A winner that was itself merged must come back first.
	second := p.must(t, "POST", p.postPath(into)+"/merge", object{"winnerId": plain2})["actionId"].(string)
	res := w.call(t, "POST", p.path+"/actions/"+action+"/undo", nil).wantError(t, 422, "INVALID_TRANSITION")
	if res.details()["reason"] != "winner_merged" {
		t.Errorf("details = %v; want reason winner_merged", res.details())
	}
	p.must(t, "POST", p.path+"/actions/"+second+"/undo", nil)
	p.must(t, "POST", p.path+"/actions/"+action+"/undo", nil)

	foreign := w.placeAt(t, w.sibling, "").post(t, "on another site")
	unknown := feedback.PostID(4711).String()
	for _, c := range []struct {
		loser, winner string
		details       object
	}{
		{unknown, plain, object{"resource": "post", "id": unknown}},
		{foreign, plain, object{"resource": "post", "id": foreign}},
		{plain, unknown, object{"resource": "post", "id": unknown, "field": "winnerId"}},
		{plain, foreign, object{"resource": "post", "id": foreign, "field": "winnerId"}},
		{plain, "nonsense", object{"resource": "post", "id": "nonsense", "field": "winnerId"}},
	} {
		res := w.call(t, "POST", p.postPath(c.loser)+"/merge", object{"winnerId": c.winner}).wantError(t, 404, "NOT_FOUND")
		if d := differences("details", any(res.details()), c.details); d != nil {
			t.Error(d)
		}
	}
}
