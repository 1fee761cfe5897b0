package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"heed/internal/feedback"
)

func once(key string) http.Header { return http.Header{"Idempotency-Key": {key}} }

// testIdempotency holds that a write with a key is done once.
func testIdempotency(t *testing.T, w *world) {
	p := w.newPlace(t)
	post := p.post(t, "A post")
	site := int64(number[feedback.SiteID](t, p.id))
	boards := func() int { return w.count(t, `SELECT COUNT(*) FROM boards WHERE site_id = $1`, site) }
	create := func(key, header string, body any) *response {
		t.Helper()
		return w.do(t, request{method: "POST", path: p.path + "/boards", key: key, body: body, header: once(header)})
	}
	wantReplay := func(t *testing.T, first, again *response) {
		t.Helper()
		if again.status != first.status || !bytes.Equal(again.raw, first.raw) || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("replay = %d %q %s; want %d, true, %s", again.status, again.header.Get("Idempotent-Replayed"), again.raw, first.status, first.raw)
		}
		if first.header.Get("Idempotent-Replayed") != "" {
			t.Error("the first answer calls itself a replay")
		}
		if a, b := again.header.Get("Content-Type"), first.header.Get("Content-Type"); a != b {
			t.Errorf("Content-Type %q; want %q", a, b)
		}
	}

	t.Run("every write", func(t *testing.T) {
		comment, entry := p.comment(t, post, "Hello."), p.entry(t, "News")
		folded := p.post(t, "Folded")
		action := p.must(t, "POST", p.postPath(folded)+"/merge", object{"winnerId": post})["actionId"].(string)
		loser, run := p.post(t, "Loser"), p.run(t, "")
		for i, q := range []request{
			{method: "POST", path: p.path + "/boards", body: object{"name": "Once"}},
			{method: "POST", path: p.path + "/posts", body: object{"boardId": p.board, "title": "Once", "onBehalfVisitorId": "v"}},
			{method: "PUT", path: p.postPath(post) + "/status", body: object{"statusId": p.status["Done"]}},
			{method: "POST", path: p.postPath(loser) + "/merge", body: object{"winnerId": post}},
			{method: "POST", path: p.postPath(loser) + "/merge", body: object{"winnerId": post, "x": 1}}, // an error, see below
			{method: "POST", path: p.postPath(post) + "/comments", body: object{"body": "Once", "parentId": comment}},
			{method: "POST", path: p.postPath(post) + "/votes", body: object{"onBehalfVisitorId": "new"}},
			{method: "POST", path: p.path + "/statuses", body: object{"name": "Once"}},
			{method: "POST", path: "/v1/automation/runs", body: object{"siteId": p.id, "agentKind": "KIND_A", "postId": post}},
			{method: "POST", path: "/v1/automation/runs/" + run + "/steps", body: object{"tone": "DONE", "label": "Once"}},
			{method: "POST", path: "/v1/automation/runs/" + run + "/complete", body: object{"outcome": "SHIPPED"}},
			{method: "POST", path: p.path + "/changelog", body: object{"title": "Once", "body": "Once"}},
			{method: "POST", path: p.path + "/changelog/" + entry + "/publish"},
			{method: "POST", path: p.path + "/actions/" + action + "/undo"},
		} {
			q.header = once("every-" + string(rune('a'+i)))
			first := w.do(t, q)
			again := w.do(t, q)
			if first.status < 300 {
				wantReplay(t, first, again)
			} else if again.header.Get("Idempotent-Replayed") != "" || first.status != 422 {
				t.Errorf("%s = %d, then %d as a replay", q.path, first.status, again.status)
			}
		}
	})

	t.Run("same request", func(t *testing.T) {
		first := create("", "same", `{"name":"Größe 1","private":false,"description":"a\/b"}`)
		n := boards()
		for _, body := range []string{
			`{"name":"Größe 1","private":false,"description":"a\/b"}`,
			` { "private" : false , "description" : "a/b" , "name" : "Gr\u00f6\u00DFe 1" } `,
			"{\n\t\"description\":\"a\\u002fb\",\"name\":\"Größe \\u0031\",\"private\":false}",
		} {
			wantReplay(t, first, create("", "same", body))
		}
		// Of two keys of one account, and after what it speaks of has changed.
		wantReplay(t, first, create(w.newKey(t, "", feedback.NewKey{Scopes: feedback.AllScopes()}), "same", `{"name":"Größe 1","private":false,"description":"a/b"}`))
		if boards() != n {
			t.Errorf("%d boards; want %d", boards(), n)
		}
		run := p.run(t, "")
		numbers := func(n string) *response {
			return w.do(t, request{method: "POST", path: "/v1/automation/runs/" + run + "/steps", body: `{"tone":"DONE","label":"n","prNumber":` + n + `}`, header: once("numbers")})
		}
		first = numbers("100")
		for _, n := range []string{"100.0", "1e2", "1E+2", "100.000"} {
			wantReplay(t, first, numbers(n))
		}
		numbers("101").wantError(t, 422, "IDEMPOTENCY_KEY_REUSED")
	})

	t.Run("other request", func(t *testing.T) {
		create("", "other", object{"name": "One"})
		for _, c := range []struct {
			method, path string
			body         any
			differs      string
		}{
			{"POST", p.path + "/boards", object{"name": "Two"}, "body"},
			{"POST", p.path + "/boards", object{"name": "One", "private": false}, "body"},
			{"POST", p.path + "/boards", object{"name": "One", "x": nil}, "body"},
			{"POST", p.path + "/boards", `["name","One"]`, "body"},
			{"POST", p.path + "/statuses", object{"name": "One"}, "operation"},
			{"POST", "/v1/sites/" + w.sibling + "/boards", object{"name": "One"}, "operation"},
			{"PUT", p.postPath(post) + "/status", object{"name": "One"}, "operation"},
			{"POST", p.path + "/changelog/x/publish", nil, "operation"},
		} {
			res := w.do(t, request{method: c.method, path: c.path, body: c.body, header: once("other")}).wantError(t, 422, "IDEMPOTENCY_KEY_REUSED")
			if res.details()["differs"] != c.differs {
				t.Errorf("%s %s %v: differs %v; want %s", c.method, c.path, c.body, res.details()["differs"], c.differs)
			}
		}
	})

	t.Run("errors free the key", func(t *testing.T) {
		for _, body := range []any{object{}, object{"name": "x", "slug": "bugs"}, object{"name": ""}} {
			if res := create("", "freed", body); res.status != 422 || res.header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%v = %d %s", body, res.status, res.raw)
			}
		}
		if res := create("", "freed", object{"name": "At last"}); res.status != 201 {
			t.Errorf("after errors = %d %s; want 201", res.status, res.raw)
		}
		// What was wrong then may be right now.
		status := request{method: "POST", path: p.path + "/posts", header: once("later"), body: object{"boardId": "brd_0000000000001", "title": "T", "onBehalfVisitorId": "v"}}
		w.do(t, status).wantError(t, 404, "NOT_FOUND")
		w.do(t, status).wantError(t, 404, "NOT_FOUND")
	})

	t.Run("scope", func(t *testing.T) {
		first := create("", "shared", object{"name": "North"})
		south := w.do(t, request{method: "POST", path: "/v1/sites/" + w.southSite + "/boards", key: w.southKey, body: object{"name": "South"}, header: once("shared")})
		if south.status != 201 || south.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("the same key of another account = %d %s; want its own 201", south.status, south.raw)
		}
		wantReplay(t, first, create("", "shared", object{"name": "North"}))
		// A key that may not write does not get a replay either.
		create(w.readOnly, "shared", object{"name": "North"}).wantError(t, 403, "SCOPE_REQUIRED")
		create(w.pinned, "shared", object{"name": "North"}).wantError(t, 403, "SITE_FORBIDDEN")
	})

	t.Run("keys", func(t *testing.T) {
		for _, c := range []struct {
			name   string
			values []string
			ok     bool
		}{
			{"one character", []string{"!"}, true}, {"tilde", []string{"~"}, true}, {"255", []string{strings.Repeat("k", 255)}, true},
			{"256", []string{strings.Repeat("k", 256)}, false}, {"empty", []string{""}, false}, {"space", []string{"a b"}, false},
			{"tab", []string{"a\tb"}, false}, {"not ASCII", []string{"clé"}, false}, {"two headers", []string{"a", "b"}, false},
			{"the same twice", []string{"a", "a"}, false}, {"quotes", []string{`"'\%`}, true}, {"UUID", []string{"9f1c0b52-2d53-4d0c-8f0e-3f2a6d1c9a55"}, true},
		} {
			res := w.do(t, request{method: "POST", path: p.path + "/boards", body: object{"name": c.name}, header: http.Header{"Idempotency-Key": c.values}})
			if c.ok && res.status != 201 {
				t.Errorf("%s = %d %s; want 201", c.name, res.status, res.raw)
			}
			if !c.ok {
				res.wantError(t, 400, "IDEMPOTENCY_KEY_INVALID")
			}
		}
		// A read has nothing to repeat.
		if res := w.do(t, request{method: "GET", path: p.path, header: once("not valid")}); res.status != 200 {
			t.Errorf("a read with a key = %d; want 200", res.status)
		}
	})

	t.Run("24 hours", func(t *testing.T) {
		first := create("", "day", object{"name": "Day"})
		w.pass(24*time.Hour - time.Minute)
		wantReplay(t, first, create("", "day", object{"name": "Day"}))
		w.pass(time.Minute)
		again := create("", "day", object{"name": "Another day"})
		if again.status != 201 || again.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("after 24 hours = %d %s; want a new board", again.status, again.raw)
		}
		wantReplay(t, again, create("", "day", object{"name": "Another day"}))
		if n, err := w.app.PurgeResponses(t.Context()); err != nil || n == 0 {
			t.Errorf("PurgeResponses = %d, %v; want some, nil", n, err)
		}
		wantReplay(t, again, create("", "day", object{"name": "Another day"}))
	})
}

// testInFlight holds two requests with one key inside the service at once: the
// rows that both need are locked from outside, so one of them waits with the
// key in its hands and the other must be sent away.
func testInFlight(t *testing.T, w *world) {
	p := w.newPlace(t)
	post := p.post(t, "A post")
	tx, err := w.raw.BeginTx(t.Context(), nil) // on SQLite this alone keeps writers out
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if w.engine == "postgres" {
		if _, err := tx.ExecContext(t.Context(), `SELECT 1 FROM posts WHERE id = $1 FOR UPDATE`, int64(number[feedback.PostID](t, post))); err != nil {
			t.Fatal(err)
		}
	}
	answers := make(chan *response, 2)
	send := func(path string, body any) {
		answers <- w.do(t, request{method: "POST", path: path, body: body, header: once("flight")})
	}
	for range 2 {
		go send(p.postPath(post)+"/votes", object{"onBehalfVisitorId": "v"})
	}
	busy := (<-answers).wantError(t, 409, "IDEMPOTENCY_IN_PROGRESS")
	if busy.header.Get("Retry-After") != "1" || busy.details()["retryAfterSeconds"] != 1.0 || len(busy.details()) != 1 {
		t.Errorf("409 with Retry-After %q and details %v", busy.header.Get("Retry-After"), busy.details())
	}
	// Busy is said of the key, whatever else is asked with it; but a site that
	// is not there comes first.
	send(p.path+"/boards", object{"name": "B"})
	(<-answers).wantError(t, 409, "IDEMPOTENCY_IN_PROGRESS")
	send("/v1/sites/"+w.unknownSite+"/boards", object{"name": "B"})
	(<-answers).wantError(t, 404, "NOT_FOUND")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	first := <-answers
	first.want(t, 201, object{"postId": post, "visitorId": "v", "created": true, "voteCount": 1})
	send(p.postPath(post)+"/votes", object{"onBehalfVisitorId": "v"})
	if again := <-answers; again.status != 201 || !bytes.Equal(again.raw, first.raw) {
		t.Errorf("replay = %d %s; want %s", again.status, again.raw, first.raw)
	}
}
