package api_test

import (
	"fmt"
	"testing"

	"heed/internal/feedback"
)

// testRunStates crosses every state of a run with every act.
func testRunStates(t *testing.T, w *world) {
	p := w.newPlace(t)
	step := object{"tone": "BUILDING", "label": "at work"}
	// reach brings a fresh run to a state.
	reach := func(t *testing.T, state string) string {
		run := p.run(t, "")
		switch state {
		case "QUEUED":
		case "RUNNING":
			p.must(t, "POST", "/v1/automation/runs/"+run+"/steps", step)
		default:
			p.must(t, "POST", "/v1/automation/runs/"+run+"/complete", object{"outcome": state})
		}
		return run
	}
	const refused = ""
	acts := []string{"step", "SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"}
	for state, after := range map[string][]string{ // by act
		"QUEUED":       {"RUNNING", "SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"},
		"RUNNING":      {"RUNNING", "SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"},
		"NEEDS_REVIEW": {"RUNNING", "SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"},
		"BLOCKED":      {"RUNNING", "SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"},
		"SHIPPED":      {refused, "SHIPPED", refused, refused, refused},
		"FAILED":       {refused, refused, refused, refused, "FAILED"},
	} {
		for i, act := range acts {
			t.Run(state+" "+act, func(t *testing.T) {
				run := reach(t, state)
				before := p.must(t, "GET", "/v1/automation/runs/"+run, nil)
				path, body, ok := "/complete", object{"outcome": act}, 200
				if act == "step" {
					path, body, ok = "/steps", step, 201
				}
				res := w.call(t, "POST", "/v1/automation/runs/"+run+path, body)
				want := after[i]
				if want == refused {
					res.wantError(t, 422, "INVALID_TRANSITION")
					to := act
					if act == "step" {
						to = "RUNNING"
					}
					if d := differences("details", any(res.details()), object{"runId": run, "from": state, "to": to}); d != nil {
						t.Error(d)
					}
					want = state
				} else if res.status != ok {
					t.Errorf("= %d %s; want %d", res.status, res.raw, ok)
				}
				got := p.must(t, "GET", "/v1/automation/runs/"+run, nil)
				before["status"] = want
				if d := differences("run", any(got), before); d != nil {
					t.Error(d)
				}
			})
		}
	}
}

// testRuns holds what a run takes over, counts and refuses.
func testRuns(t *testing.T, w *world) {
	p := w.newPlace(t)
	post := p.post(t, "About this")
	start := func(more object) *response {
		body := object{"siteId": p.id, "agentKind": "KIND_A"}
		for k, v := range more {
			body[k] = v
		}
		return w.call(t, "POST", "/v1/automation/runs", body)
	}
	for i, c := range []struct {
		more  object
		title string
		repo  any
	}{
		{object{"postId": post}, "About this", nil},
		{object{}, "Run #2", nil},
		{object{"title": "My title", "repo": "a/b", "mode": "AUTOPILOT"}, "My title", "a/b"},
	} {
		got := start(c.more).object()
		if got["runNumber"] != float64(i+1) || got["title"] != c.title || got["repo"] != c.repo || got["status"] != "QUEUED" {
			t.Errorf("%v = %v; want run %d %q", c.more, got, i+1, c.title)
		}
		if i == 0 {
			// One unfinished run for a post, whatever its state.
			run := got["id"].(string)
			for _, outcome := range []string{"", "NEEDS_REVIEW", "BLOCKED"} {
				if outcome != "" {
					p.must(t, "POST", "/v1/automation/runs/"+run+"/complete", object{"outcome": outcome})
				}
				res := start(object{"postId": post}).wantError(t, 422, "RUN_ACTIVE")
				if d := differences("details", any(res.details()), object{"runId": run}); d != nil {
					t.Error(d)
				}
			}
			p.must(t, "POST", "/v1/automation/runs/"+run+"/complete", object{"outcome": "FAILED"})
		}
	}
	// The refused starts took no number.
	run := start(object{"postId": post}).object()
	if run["runNumber"] != 4.0 {
		t.Errorf("runNumber = %v; want 4", run["runNumber"])
	}
	id := run["id"].(string)
	for i, c := range []struct {
		step object
		want object // of the run after it
	}{
		{object{}, object{"ciResult": "NONE", "prUrl": nil, "repo": nil}},
		{object{"ciResult": "PENDING", "repo": "a/b"}, object{"ciResult": "PENDING", "prUrl": nil, "repo": "a/b"}},
		{object{"prUrl": "https://x.example/1", "prNumber": 1}, object{"ciResult": "PENDING", "prUrl": "https://x.example/1", "repo": "a/b"}},
		{object{"ciResult": "GREEN", "repo": "c/d", "prUrl": "https://x.example/2"}, object{"ciResult": "GREEN", "prUrl": "https://x.example/2", "repo": "c/d"}},
	} {
		c.step["tone"], c.step["label"] = "DONE", fmt.Sprint("step ", i)
		if got := p.must(t, "POST", "/v1/automation/runs/"+id+"/steps", c.step)["seq"]; got != float64(i+1) {
			t.Errorf("seq = %v; want %d", got, i+1)
		}
		got := p.must(t, "GET", "/v1/automation/runs/"+id, nil)
		for k, v := range c.want {
			if got[k] != v {
				t.Errorf("after %v: %s = %v; want %v", c.step, k, got[k], v)
			}
		}
	}
	// A site counts its own.
	if got := w.newPlace(t).run(t, ""); got == "" {
		t.Error("no run on a new site")
	}
	other := w.newPlace(t)
	if got := p.must(t, "POST", "/v1/automation/runs", object{"siteId": other.id, "agentKind": "KIND_C"}); got["runNumber"] != 1.0 || got["agentKind"] != "KIND_C" {
		t.Errorf("the first run of another site = %v", got)
	}
}

// testCompletion holds what follows from an outcome.
func testCompletion(t *testing.T, w *world) {
	p := w.newPlace(t)
	p.status["Silent"] = p.newStatus(t, object{"name": "Silent", "notifyMode": "SILENT", "doneFlag": true})
	p.status["Told"] = p.newStatus(t, object{"name": "Told", "notifyMode": "NOTIFY_WITH_NOTE", "doneFlag": true})
	site := int64(number[feedback.SiteID](t, p.id))
	for _, c := range []struct {
		name     string
		outcome  string
		done     string // status by name
		entry    string // "", "draft" or "published"
		noPost   bool
		status   any // of the post afterwards
		told     int // notifiedCount; the post has two voters
		notices  int
		events   []string
		fails    string
		field    string
		entryEnd string // the state of the entry afterwards
	}{
		{name: "shipped alone", outcome: "SHIPPED", status: "Open", told: 2, notices: 1},
		{name: "shipped and done", outcome: "SHIPPED", done: "Done", status: "Done", told: 2, notices: 1, events: []string{"post.status_changed"}},
		{name: "shipped in silence", outcome: "SHIPPED", done: "Silent", status: "Silent", events: []string{"post.status_changed"}},
		{name: "with a draft", outcome: "SHIPPED", entry: "draft", status: "Open", told: 2, notices: 1, events: []string{"changelog.published"}, entryEnd: "published"},
		{name: "with an entry", outcome: "SHIPPED", entry: "published", status: "Open", told: 2, notices: 1, entryEnd: "published"},
		{name: "with both", outcome: "SHIPPED", done: "Done", entry: "draft", status: "Done", told: 2, notices: 1,
			events: []string{"changelog.published", "post.status_changed"}, entryEnd: "published"},
		{name: "note from the entry", outcome: "SHIPPED", done: "Told", entry: "draft", status: "Told", told: 2, notices: 1,
			events: []string{"changelog.published", "post.status_changed"}, entryEnd: "published"},
		{name: "note from nowhere", outcome: "SHIPPED", done: "Told", status: "Open", fails: "NOTE_REQUIRED"},
		{name: "not a done status", outcome: "SHIPPED", done: "Planned", status: "Open", fails: "VALIDATION_FAILED", field: "doneStatusId:doneStatus"},
		{name: "not a done status, failed", outcome: "FAILED", done: "Planned", status: "Open", fails: "VALIDATION_FAILED", field: "doneStatusId:doneStatus"},
		{name: "done without a post", outcome: "SHIPPED", done: "Done", noPost: true, fails: "VALIDATION_FAILED", field: "doneStatusId:needsPost"},
		{name: "entry without a post", outcome: "SHIPPED", entry: "draft", noPost: true, events: []string{"changelog.published"}, entryEnd: "published"},
		{name: "failed", outcome: "FAILED", done: "Done", entry: "draft", status: "Open", entryEnd: "draft"},
		{name: "blocked", outcome: "BLOCKED", done: "Told", entry: "draft", status: "Open", entryEnd: "draft"},
		{name: "needs review", outcome: "NEEDS_REVIEW", done: "Done", status: "Open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var post, entry string
			if !c.noPost {
				post = p.post(t, "Wanted")
				p.vote(t, post, "a", "b")
			}
			run, body := p.run(t, post), object{"outcome": c.outcome}
			if c.done != "" {
				body["doneStatusId"] = p.status[c.done]
			}
			if c.entry != "" {
				entry = p.entry(t, "News of "+c.name)
				body["changelogEntryId"] = entry
				if c.entry == "published" {
					p.must(t, "POST", p.path+"/changelog/"+entry+"/publish", nil)
				}
			}
			before := p.eventTypes(t, site)
			postNotices := func() int {
				if c.noPost {
					return 0
				}
				return w.count(t, `SELECT COUNT(*) FROM notices WHERE post_id = $1 AND kind <> 'changelog'`, int64(number[feedback.PostID](t, post)))
			}
			path := "/v1/automation/runs/" + run
			want := p.must(t, "GET", path, nil)
			res := w.call(t, "POST", path+"/complete", body)
			if c.fails != "" {
				res.wantError(t, 422, c.fails)
				if got := fmt.Sprint(res.fields()); c.field != "" && got != "["+c.field+"]" {
					t.Errorf("fields %v; want %s", got, c.field)
				}
			} else {
				want["status"], want["notifiedCount"] = c.outcome, float64(c.told)
				res.want(t, 200, want)
			}
			// Once more is the same answer and nothing else.
			if c.fails == "" {
				w.call(t, "POST", path+"/complete", body).want(t, 200, want)
			}
			w.call(t, "GET", path, nil).want(t, 200, want)
			if got := p.eventTypes(t, site)[len(before):]; fmt.Sprint(got) != fmt.Sprint(c.events) {
				t.Errorf("events %v; want %v", got, c.events)
			}
			if got := postNotices(); got != c.notices {
				t.Errorf("%d notices; want %d", got, c.notices)
			}
			if post != "" {
				if got := p.must(t, "GET", p.postPath(post), nil)["statusName"]; got != c.status {
					t.Errorf("statusName = %v; want %v", got, c.status)
				}
			}
			if entry == "" {
				return
			}
			for _, e := range data(p.must(t, "GET", p.path+"/changelog?limit=100", nil)) {
				if e["id"] == entry && e["status"] != c.entryEnd {
					t.Errorf("the entry is %v; want %s", e["status"], c.entryEnd)
				}
			}
			linked := w.count(t, `SELECT COUNT(*) FROM entry_posts WHERE entry_id = $1`, int64(number[feedback.EntryID](t, entry)))
			if want := c.outcome == "SHIPPED" && post != ""; (linked == 1) != want {
				t.Errorf("%d links of the entry to the post; want one: %v", linked, want)
			}
		})
	}
	var note string
	if err := w.raw.QueryRow(`SELECT note FROM post_changes WHERE site_id = $1 AND note <> ''`, site).Scan(&note); err != nil || note != "News of note from the entry" {
		t.Errorf("the note of the move = %q, %v; want the title of the entry", note, err)
	}
}

// eventTypes lists what happened on a site, oldest first.
func (p *place) eventTypes(t testing.TB, site int64) (types []string) {
	t.Helper()
	rows, err := p.raw.QueryContext(t.Context(), `SELECT type FROM events WHERE site_id = $1 ORDER BY id`, site)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var typ string
		if err := rows.Scan(&typ); err != nil {
			t.Fatal(err)
		}
		types = append(types, typ)
	}
	return types
}
