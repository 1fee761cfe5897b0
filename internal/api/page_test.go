package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"heed/internal/feedback"
)

// list is one list as a walk sees it.
type list struct {
	name, path string
	member     string // the id of an item
	insert     func(i int) string
	remove     func(id string)
}

// lists returns every list of the API over rows of its own.
func (p *place) lists(t testing.TB) []list {
	del := func(table string, id func(string) int64) func(string) {
		return func(s string) { p.exec(t, `DELETE FROM `+table+` WHERE id = $1`, id(s)) }
	}
	into, post, run := p.post(t, "Talk"), p.post(t, "Talked about"), p.run(t, "")
	merge := func(id string) { p.must(t, "POST", p.postPath(id)+"/merge", object{"winnerId": into}) }
	other := p.must(t, "POST", p.path+"/boards", object{"name": "Filtered"})["id"].(string)
	return []list{
		{"sites", "/v1/sites?", "id", func(int) string { return p.newSite(t) },
			del("sites", func(s string) int64 { return int64(number[feedback.SiteID](t, s)) })},
		{"boards", p.path + "/boards?", "id", func(i int) string { return p.must(t, "POST", p.path+"/boards", object{"name": "B"})["id"].(string) },
			del("boards", func(s string) int64 { return int64(number[feedback.BoardID](t, s)) })},
		{"posts", p.path + "/posts?", "id", func(int) string { return p.post(t, "P") }, merge},
		{"posts of a board", p.path + "/posts?boardId=" + other, "id", func(i int) string {
			p.post(t, "elsewhere")
			return p.must(t, "POST", p.path+"/posts", object{"boardId": other, "title": "P", "onBehalfVisitorId": "v"})["id"].(string)
		}, merge},
		{"comments", p.postPath(post) + "/comments?", "id", func(int) string { return p.comment(t, post, "C") }, func(id string) {
			p.exec(t, `DELETE FROM comments WHERE id = $1`, int64(number[feedback.CommentID](t, id)))
			p.exec(t, `UPDATE posts SET comment_count = comment_count - 1 WHERE id = $1`, int64(number[feedback.PostID](t, post)))
		}},
		{"statuses", p.path + "/statuses?", "id", func(i int) string { return p.newStatus(t, object{"name": fmt.Sprint("s", i)}) },
			del("statuses", func(s string) int64 { return int64(number[feedback.StatusID](t, s)) })},
		{"changelog", p.path + "/changelog?", "id", func(int) string { return p.entry(t, "E") },
			del("entries", func(s string) int64 { return int64(number[feedback.EntryID](t, s)) })},
		{"search", p.path + "/search?q=needle", "postId", func(i int) string {
			// Several scores, and several of each.
			title, body := "needle", ""
			switch i % 3 {
			case 1:
				title = fmt.Sprintf("a longer title with a needle in it %d", i)
			case 2:
				title, body = "nothing", "needle"
			}
			return p.must(t, "POST", p.path+"/posts", object{"boardId": p.board, "title": title, "body": body, "onBehalfVisitorId": "v"})["id"].(string)
		}, merge},
		{"runs", "/v1/automation/runs?siteId=" + p.id, "id", func(int) string { return p.run(t, "") }, nil},
		{"steps", "/v1/automation/runs/" + run + "/steps?", "id", func(int) string {
			return p.must(t, "POST", "/v1/automation/runs/"+run+"/steps", object{"tone": "DONE", "label": "L"})["id"].(string)
		}, nil},
	}
}

// walk reads a list to its end and calls between after every page but the last.
func (p *place) walk(t testing.TB, path, member string, limit int, between func()) (seen []string) {
	t.Helper()
	path = fmt.Sprintf("%s&limit=%d", path, limit)
	cursor := ""
	for range 2000 {
		page := p.must(t, "GET", path+cursor, nil)
		items := pluck(data(page), member)
		seen = append(seen, items...)
		next, more := page["nextCursor"].(string)
		if len(items) > limit || more && len(items) != limit {
			t.Errorf("%s: a page of %d, more follow: %v", path, len(items), more)
		}
		if !more {
			return seen
		}
		cursor = "&cursor=" + url.QueryEscape(next)
		if between != nil {
			between()
		}
	}
	t.Fatalf("%s does not end", path)
	return nil
}

// testPages walks every list while rows come and go: those that were there all
// the time appear once, in the order of the whole.
func testPages(t *testing.T, w *world) {
	p := w.newPlace(t)
	n := 0
	for _, l := range p.lists(t) {
		t.Run(l.name, func(t *testing.T) {
			for _, limit := range []int{1, 2, 3} {
				var gone []string // to be removed on the way
				stay := map[string]bool{}
				for i := range 8 {
					n++
					id := l.insert(n)
					if i%2 == 0 || l.remove == nil {
						stay[id] = true
					} else {
						gone = append(gone, id)
					}
				}
				grown := 0 // a list that grows at its end must not do so for ever
				seen := p.walk(t, l.path, l.member, limit, func() {
					if grown++; grown <= 6 {
						n++
						l.insert(n)
					}
					if len(gone) > 0 {
						l.remove(gone[0])
						gone = gone[1:]
					}
				})
				once := map[string]int{}
				for _, id := range seen {
					if once[id]++; once[id] > 1 {
						t.Errorf("limit %d: %s appears twice", limit, id)
					}
				}
				for id := range stay {
					if once[id] != 1 {
						t.Errorf("limit %d: %s appears %d times; want once", limit, id, once[id])
					}
				}
				// The order is that of one whole page.
				whole := p.walk(t, l.path, l.member, 100, nil)
				inOrder := slices.DeleteFunc(slices.Clone(seen), func(id string) bool { return !slices.Contains(whole, id) })
				wholeSeen := slices.DeleteFunc(slices.Clone(whole), func(id string) bool { return once[id] == 0 })
				if !slices.Equal(inOrder, wholeSeen) {
					t.Errorf("limit %d: the order is %v; want %v", limit, inOrder, wholeSeen)
				}
			}
		})
	}
}

// testCursors holds that a cursor opens the list it was issued for and no other.
func testCursors(t *testing.T, w *world) {
	p, other := w.newPlace(t), w.newPlace(t)
	for range 3 {
		other.post(t, "A post about needles")
		p.entry(t, "E")
	}
	for _, l := range p.lists(t) {
		if l.name == "sites" {
			continue // there are enough
		}
		for i := range 3 {
			l.insert(i)
		}
	}
	cursors := map[string]string{}
	all := p.lists(t)
	// The lists of posts and runs that lists made just now are other ones.
	for i := range 3 {
		for _, l := range all {
			if l.name == "comments" || l.name == "steps" || l.name == "posts of a board" {
				l.insert(i)
			}
		}
	}
	for _, l := range all {
		c, ok := p.must(t, "GET", l.path+"&limit=1", nil)["nextCursor"].(string)
		if !ok {
			t.Fatalf("%s is exhausted after one", l.name)
		}
		cursors[l.name] = c
	}
	bad := func(key, path, cursor string) {
		t.Helper()
		w.do(t, request{method: "GET", key: key, path: path + "&cursor=" + url.QueryEscape(cursor)}).wantError(t, 400, "INVALID_CURSOR")
	}
	for _, l := range all {
		for name, c := range cursors {
			if name != l.name {
				bad("", l.path, c)
				continue
			}
			// Its own list takes it, also with another limit or another key.
			if res := w.do(t, request{method: "GET", key: w.readOnly, path: l.path + "&limit=2&cursor=" + c}); res.status != 200 {
				t.Errorf("%s with its own cursor = %d %s", l.name, res.status, res.raw)
			}
		}
		c := cursors[l.name]
		for _, junk := range []string{"", "x", "=", c[1:], c[:len(c)-1], c + "A", c + "=", c + "\n", strings.ToUpper(c), " " + c, c + c, strings.Repeat("A", 5000), "é", "\x00"} {
			bad("", l.path, junk)
		}
		for i := range c {
			flipped := []byte(c)
			if flipped[i]++; !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", rune(flipped[i])) {
				flipped[i] = 'A'
			}
			bad("", l.path, string(flipped))
		}
	}
	swap := strings.NewReplacer(p.id, other.id)
	for _, name := range []string{"posts", "search", "changelog", "boards", "statuses", "runs"} {
		i := slices.IndexFunc(all, func(l list) bool { return l.name == name })
		bad("", swap.Replace(all[i].path), cursors[name])
	}
	bad("", p.path+"/posts?boardId="+p.board, cursors["posts"])
	bad("", p.path+"/posts?", cursors["posts of a board"])
	bad("", p.path+"/search?q=needles", cursors["search"])
	bad("", p.path+"/search?q=Needle", cursors["search"])
	bad(w.southKey, "/v1/sites?", cursors["sites"])
	// Two are none of ours, but a rule broken.
	res := w.call(t, "GET", p.path+"/posts?cursor="+cursors["posts"]+"&cursor="+cursors["posts"], nil).wantError(t, 422, "VALIDATION_FAILED")
	if got := res.fields(); !slices.Equal(got, []string{"cursor:once"}) {
		t.Errorf("fields %v; want cursor:once", got)
	}
}
