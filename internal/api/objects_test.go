package api_test

import (
	"strings"
	"testing"

	"heed/internal/feedback"
)

// testObjects calls every operation once and holds each member of its answer
// against SPEC's tables: no more, no less, null where null.
func testObjects(t *testing.T, w *world) {
	p := w.newPlace(t)
	seen := map[string]bool{}
	row := func(op, path string, body any, status int, want any) object {
		t.Helper()
		seen[op] = true
		o := w.doc.operation(op)
		if !o.matches.MatchString(strings.Split(path, "?")[0]) {
			t.Errorf("%s is not at %s", op, path)
		}
		res := w.call(t, o.method, path, body)
		t.Run(op, func(t *testing.T) { res.want(t, status, want) })
		return res.object()
	}
	list := func(items ...any) object { return object{"data": append([]any{}, items...), "nextCursor": nil} }

	site := object{"id": p.id, "name": "Another", "slug": like(`another(-\d+)?`), "createdAt": aTime}
	row("getSite", p.path, nil, 200, site)
	sites := row("listSites", "/v1/sites?limit=1", nil, 200, object{
		"data":       []any{object{"id": w.site, "name": "North", "slug": "north", "createdAt": aTime}},
		"nextCursor": aCursor,
	})
	if sites["nextCursor"] == nil {
		t.Error("listSites is exhausted after one of several sites")
	}

	board := func(name, slug string, n int) object {
		return object{"id": anID("brd"), "name": name, "slug": slug, "description": nil, "private": false, "postCount": n}
	}
	full := object{"id": anID("brd"), "name": "Ideas", "slug": "our-ideas", "description": "What next?", "private": true, "postCount": 0}
	ideas := row("createBoard", p.path+"/boards", object{"name": "Ideas", "description": "What next?", "private": true, "slug": "our-ideas"}, 201, full)
	row("listBoards", p.path+"/boards", nil, 200, list(board("Feature requests", "feature-requests", 0), board("Bugs", "bugs", 0), full))

	fresh := func(board, boardName, title string) object {
		return object{
			"id": anID("post"), "siteId": p.id, "boardId": board, "boardName": boardName, "title": title, "statusName": "Open", "voteCount": 0,
			"pinned": false, "archived": false, "locked": false, "tags": []any{}, "createdAt": aTime,
		}
	}
	post := fresh(ideas["id"].(string), "Ideas", "Dark mode 🌒")
	id := row("createPost", p.path+"/posts", object{
		"boardId": ideas["id"], "title": "Dark mode 🌒", "body": "My eyes.", "onBehalfVisitorId": "user-4711",
	}, 201, post)["id"].(string)
	post["id"] = id
	row("getPost", p.postPath(id), nil, 200, post)
	row("listPosts", p.path+"/posts?boardId="+ideas["id"].(string), nil, 200, list(post))
	row("getPostContent", p.postPath(id)+"/content", nil, 200, object{"postId": id, "body": "My eyes.", "authorVisitorId": "user-4711"})

	row("createVote", p.postPath(id)+"/votes", object{"onBehalfVisitorId": "voter ☂"}, 201,
		object{"postId": id, "visitorId": "voter ☂", "created": true, "voteCount": 1})
	row("createVote", p.postPath(id)+"/votes", object{"onBehalfVisitorId": "voter ☂"}, 201,
		object{"postId": id, "visitorId": "voter ☂", "created": false, "voteCount": 1})
	row("searchPosts", p.path+"/search?q=dark", nil, 200, list(object{
		"postId": id, "siteId": p.id, "title": "Dark mode 🌒", "boardName": "Ideas", "statusName": "Open", "voteCount": 1,
	}))

	comment := object{"id": anID("cmt"), "postId": id, "parentId": nil, "body": "Thanks.", "authorType": "member", "internal": false, "createdAt": aTime}
	first := row("createComment", p.postPath(id)+"/comments", object{"body": "Thanks."}, 201, comment)
	reply := object{"id": anID("cmt"), "postId": id, "parentId": first["id"], "body": "Psst.", "authorType": "member", "internal": true, "createdAt": aTime}
	row("createComment", p.postPath(id)+"/comments", object{"body": "Psst.", "parentId": first["id"], "internal": true}, 201, reply)
	row("listComments", p.postPath(id)+"/comments", nil, 200, list(comment, reply))

	row("createStatus", p.path+"/statuses", object{
		"name": "In review", "color": "#ABcdef", "doneFlag": true, "showOnRoadmap": true, "notifyMode": "SILENT",
	}, 201, object{
		"id": anID("sts"), "name": "In review", "color": "#ABcdef", "order": 5, "doneFlag": true, "showOnRoadmap": true, "isDefault": false,
	})
	row("changePostStatus", p.postPath(id)+"/status", object{"statusId": p.status["Done"]}, 200,
		object{"postId": id, "fromStatusId": p.status["Open"], "toStatusId": p.status["Done"], "enteredDoneState": true})
	row("changePostStatus", p.postPath(id)+"/status", object{"statusId": nil}, 200,
		object{"postId": id, "fromStatusId": p.status["Done"], "toStatusId": nil, "enteredDoneState": false})
	post["statusName"], post["voteCount"] = nil, 1
	row("getPost", p.postPath(id), nil, 200, post)
	row("searchPosts", p.path+"/search?q=dark", nil, 200, list(object{
		"postId": id, "siteId": p.id, "title": "Dark mode 🌒", "boardName": "Ideas", "statusName": nil, "voteCount": 1,
	}))
	row("listStatuses", p.path+"/statuses?limit=1", nil, 200, object{"nextCursor": aCursor, "data": []any{object{
		"id": p.status["Open"], "name": "Open", "color": "#6b7280", "order": 0, "doneFlag": false, "showOnRoadmap": true, "isDefault": true,
	}}})

	other := p.post(t, "Night theme")
	row("mergePosts", p.postPath(id)+"/merge", object{"winnerId": id}, 200,
		object{"ok": false, "loserId": id, "winnerId": id, "actionId": nil, "reason": "same_post"})
	merged := row("mergePosts", p.postPath(id)+"/merge", object{"winnerId": other}, 200,
		object{"ok": true, "loserId": id, "winnerId": other, "actionId": anID("act"), "reason": nil})
	row("undoAction", p.path+"/actions/"+merged["actionId"].(string)+"/undo", nil, 200,
		object{"actionId": merged["actionId"], "loserId": id, "winnerId": other, "undoneAt": aTime})

	entry := object{
		"id": anID("chg"), "title": "Dark mode is here", "slug": "dark-mode-is-here", "body": "It follows your system.", "label": nil,
		"status": "draft", "publishedAt": nil, "createdAt": aTime,
	}
	drafted := row("createChangelogEntry", p.path+"/changelog", object{"title": "Dark mode is here", "body": "It follows your system."}, 201, entry)
	row("createChangelogEntry", p.path+"/changelog", object{"title": "Dark mode is here", "body": "", "label": "New", "postIds": []any{id}}, 201, object{
		"id": anID("chg"), "title": "Dark mode is here", "slug": "dark-mode-is-here-2", "body": "", "label": "New",
		"status": "draft", "publishedAt": nil, "createdAt": aTime,
	})
	published := object{}
	for k, v := range entry {
		published[k] = v
	}
	published["status"], published["publishedAt"] = "published", aTime
	row("publishChangelogEntry", p.path+"/changelog/"+drafted["id"].(string)+"/publish", nil, 200, published)
	row("publishChangelogEntry", p.path+"/changelog/"+drafted["id"].(string)+"/publish", object{}, 200, published)
	second := object{
		"id": anID("chg"), "title": "Dark mode is here", "slug": "dark-mode-is-here-2", "body": "", "label": "New",
		"status": "draft", "publishedAt": nil, "createdAt": aTime,
	}
	row("listChangelog", p.path+"/changelog", nil, 200, list(second, published))

	row("getInsights", p.path+"/insights", nil, 200, object{"hasInsights": false, "lastRunAt": nil, "quotaPaused": false, "themes": []any{}})

	run := object{
		"id": anID("run"), "runNumber": 1, "title": "Dark mode 🌒", "agentKind": "KIND_B", "status": "QUEUED", "ciResult": "NONE",
		"repo": nil, "prUrl": nil, "notifiedCount": 0,
	}
	runID := row("startAgentRun", "/v1/automation/runs", object{"siteId": p.id, "agentKind": "KIND_B", "postId": id}, 201, run)["id"].(string)
	run["id"] = runID
	row("appendAgentRunStep", "/v1/automation/runs/"+runID+"/steps", object{
		"tone": "DONE", "label": "Wrote a failing test", "detail": "d", "code": "c", "labelMeta": "m", "at": "2026-02-28T10:00:00Z",
		"ciResult": "PENDING", "prUrl": "https://git.example.com/pull/12", "prNumber": 12, "repo": "northwind/app",
	}, 201, object{"id": anID("step"), "runId": runID, "seq": 1, "tone": "DONE", "label": "Wrote a failing test"})
	run["status"], run["ciResult"], run["prUrl"], run["repo"] = "RUNNING", "PENDING", "https://git.example.com/pull/12", "northwind/app"
	row("getAgentRun", "/v1/automation/runs/"+runID, nil, 200, run)
	row("listAgentRuns", "/v1/automation/runs?siteId="+p.id, nil, 200, list(run))
	row("listAgentRunSteps", "/v1/automation/runs/"+runID+"/steps", nil, 200,
		list(object{"id": anID("step"), "runId": runID, "seq": 1, "tone": "DONE", "label": "Wrote a failing test"}))
	row("getAutopilotQueue", "/v1/automation/queue?siteId="+p.id, nil, 200, object{"items": []any{
		object{"id": id, "runId": runID, "title": "Dark mode 🌒", "stage": "pr_open", "votes": 1},
		object{"id": other, "title": "Night theme", "stage": "queued", "votes": 0}, // no runId, not even null
	}})
	run["status"], run["notifiedCount"] = "SHIPPED", 1
	row("completeAgentRun", "/v1/automation/runs/"+runID+"/complete", object{"outcome": "SHIPPED"}, 200, run)

	for _, op := range w.doc.ops {
		if !seen[op.id] && !strings.Contains(op.path, "webhook") {
			t.Errorf("no row for %s", op.id)
		}
	}
}

// testFlags sets each flag and each tag of a post alone and looks for it in every
// answer that holds a post.
func testFlags(t *testing.T, w *world) {
	p := w.newPlace(t)
	post := p.post(t, "Flagged")
	id := int64(number[feedback.PostID](t, post))
	p.tag(t, 1, "b tag", post)
	p.tag(t, 2, "a tag", post)
	want := p.must(t, "GET", p.postPath(post), nil)
	if d := differences("tags", want["tags"], []any{
		object{"id": feedback.TagID(2).String(), "name": "a tag", "color": "#123456"},
		object{"id": feedback.TagID(1).String(), "name": "b tag", "color": "#123456"},
	}); d != nil {
		t.Error(d)
	}
	for _, flag := range []string{"pinned", "locked", "archived"} {
		w.exec(t, `UPDATE posts SET pinned = FALSE, locked = FALSE, archived = FALSE WHERE id = $1`, id)
		w.exec(t, `UPDATE posts SET `+flag+` = TRUE WHERE id = $1`, id)
		want["pinned"], want["locked"], want["archived"] = false, false, false
		want[flag] = true
		w.call(t, "GET", p.postPath(post), nil).want(t, 200, want)
		w.call(t, "GET", p.path+"/posts", nil).want(t, 200, object{"data": []any{want}, "nextCursor": nil})
	}
}

// testDefaults holds what a new site and new things on it are without being
// asked.
func testDefaults(t *testing.T, w *world) {
	p := w.newPlace(t)
	status := func(name, color string, order int, done, roadmap, def bool) any {
		return object{"id": p.status[name], "name": name, "color": color, "order": order, "doneFlag": done, "showOnRoadmap": roadmap, "isDefault": def}
	}
	w.call(t, "GET", p.path+"/statuses", nil).want(t, 200, object{"nextCursor": nil, "data": []any{
		status("Open", "#6b7280", 0, false, true, true), status("Planned", "#2563eb", 1, false, true, false),
		status("In progress", "#d97706", 2, false, true, false), status("Done", "#16a34a", 3, true, true, false),
		status("Closed", "#64748b", 4, true, false, false),
	}})
	for i, c := range []struct {
		path string
		body object
		want object
	}{
		{"/boards", object{"name": "A"}, object{"description": nil, "private": false, "slug": "a", "postCount": 0}},
		{"/boards", object{"name": "A"}, object{"slug": "a-2"}},
		{"/boards", object{"name": "a"}, object{"slug": "a-3"}},
		{"/boards", object{"name": "Ünïcode & more!"}, object{"slug": "unicode-more"}},
		{"/boards", object{"name": "検索"}, object{"slug": "board"}},
		{"/boards", object{"name": strings.Repeat("x", 80)}, object{"slug": strings.Repeat("x", 60)}},
		{"/boards", object{"name": strings.Repeat("x", 80)}, object{"slug": strings.Repeat("x", 58) + "-2"}},
		{"/boards", object{"name": "B", "slug": "a-4"}, object{"slug": "a-4"}},
		{"/boards", object{"name": "A"}, object{"slug": "a-5"}},
		{"/boards", object{"name": "B", "description": ""}, object{"description": ""}},
		{"/statuses", object{"name": "S"}, object{"color": "#6b7280", "order": 5.0, "doneFlag": false, "showOnRoadmap": false, "isDefault": false}},
		{"/statuses", object{"name": "T"}, object{"order": 6.0}},
		{"/posts", object{"boardId": p.board, "title": "P", "onBehalfVisitorId": "v"}, object{"statusName": "Open", "voteCount": 0.0}},
		{"/changelog", object{"title": "E", "body": ""}, object{"status": "draft", "label": nil, "publishedAt": nil, "slug": "e"}},
	} {
		got := p.must(t, "POST", p.path+c.path, c.body)
		for k, v := range c.want {
			if n, ok := v.(int); ok {
				v = float64(n)
			}
			if got[k] != v {
				t.Errorf("%d: %s %v: %s = %v; want %v", i, c.path, c.body, k, got[k], v)
			}
		}
	}
	w.call(t, "POST", p.path+"/boards", object{"name": "C", "slug": "a"}).wantError(t, 422, "SLUG_TAKEN")
	w.call(t, "POST", p.path+"/statuses", object{"name": "Open"}).wantError(t, 422, "NAME_TAKEN")
	if got := p.must(t, "POST", "/v1/automation/runs", object{"siteId": p.id, "agentKind": "KIND_C"})["title"]; got != "Run #1" {
		t.Errorf("title of a run about nothing = %v; want Run #1", got)
	}
}
