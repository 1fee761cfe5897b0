package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heed/internal/api"
	"heed/internal/feedback"
	"heed/internal/ratelimit"
)

// testOrder sends requests that fail two checks that follow each other, and
// wants the answer of the earlier:
//
//	route and method → 401 → 429 → 402 → 403 scope → read (400) → 403 pinned →
//	404 site → idempotency → 404 resource → 422 → execute
func testOrder(t *testing.T, w *world) {
	own := w.placeAt(t, w.site, "")
	post := own.post(t, "A post")
	run := own.run(t, "")
	siblingPath, unknownPath := "/v1/sites/"+w.sibling, "/v1/sites/"+w.unknownSite
	const noPost, noRun = "post_0000000000001", "run_0000000000001"

	// A server that lets every key through once.
	tight := w.serve(t, api.Config{Rates: map[string]ratelimit.Rate{
		"PRO": {Requests: 1, Window: time.Hour, Burst: 1}, "STUDIO": {Requests: 1, Window: time.Hour, Burst: 1},
	}})
	spend := func(key string) string {
		w.do(t, request{method: "GET", path: "/v1/sites", key: key, srv: tight})
		return key
	}
	k, spentAndRevoked, err := w.app.CreateKey(t.Context(), w.north.Account.ID.String(), "", feedback.NewKey{Name: "k", Scopes: feedback.AllScopes()})
	if err != nil {
		t.Fatal(err)
	}
	spend(spentAndRevoked)
	if err := w.app.RevokeKey(t.Context(), k.ID.String()); err != nil {
		t.Fatal(err)
	}
	freeReader := func() string {
		_, secret, err := w.app.CreateKey(t.Context(), w.free.Account.ID.String(), "", feedback.NewKey{Name: "k", Scopes: feedback.ReadScopes()})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	pinnedReader := w.newKey(t, w.site, feedback.NewKey{Scopes: feedback.ReadScopes()})

	// Keys that have answered for something else already.
	idem := func(key string) http.Header { return http.Header{"Idempotency-Key": {key}} }
	w.do(t, request{method: "POST", path: own.path + "/boards", body: object{"name": "First"}, header: idem("order-1")})

	for _, c := range []struct {
		name   string
		q      request
		status int
		code   string
	}{
		{"path before key", request{method: "GET", path: "/v1/nope", key: "-"}, 404, "ROUTE_NOT_FOUND"},
		{"path before key", request{method: "POST", path: "/v1", key: "-"}, 404, "ROUTE_NOT_FOUND"},
		{"method before key", request{method: "DELETE", path: "/v1/sites", key: "junk"}, 405, "METHOD_NOT_ALLOWED"},
		{"key before rate", request{method: "GET", path: "/v1/sites", key: spentAndRevoked, srv: tight}, 401, "UNAUTHENTICATED"},
		{"rate before plan", request{method: "GET", path: "/v1/sites", key: spend(freeReader()), srv: tight}, 429, "RATE_LIMITED"},
		{"rate before scope", request{method: "POST", path: own.path + "/boards", key: spend(w.readOnly), srv: tight}, 429, "RATE_LIMITED"},
		{"plan before scope", request{method: "POST", path: own.path + "/boards", key: freeReader()}, 402, "UPGRADE_REQUIRED"},
		{"plan before reading", request{method: "POST", path: own.path + "/boards", key: w.freeKey, body: "{"}, 402, "UPGRADE_REQUIRED"},
		{"scope before reading", request{method: "POST", path: own.path + "/boards", key: w.readOnly, body: "{"}, 403, "SCOPE_REQUIRED"},
		{"scope before pin", request{method: "POST", path: siblingPath + "/boards", key: pinnedReader, body: object{"name": "B"}}, 403, "SCOPE_REQUIRED"},
		{"reading before pin", request{method: "POST", path: siblingPath + "/boards", key: w.pinned, body: "{"}, 400, "INVALID_JSON"},
		{"reading before pin", request{method: "POST", path: siblingPath + "/boards", key: w.pinned, body: ""}, 400, "INVALID_REQUEST"},
		{"reading before pin", request{method: "GET", path: siblingPath + "/boards?cursor=junk", key: w.pinned}, 400, "INVALID_CURSOR"},
		{"reading before pin", request{method: "GET", path: siblingPath + "/boards?x=%zz", key: w.pinned}, 400, "INVALID_REQUEST"},
		{"reading before pin", request{method: "POST", path: siblingPath + "/boards", key: w.pinned, body: object{"name": "B"}, header: idem("not valid")}, 400, "IDEMPOTENCY_KEY_INVALID"},
		{"reading before site", request{method: "POST", path: unknownPath + "/boards", body: "{"}, 400, "INVALID_JSON"},
		{"pin before site", request{method: "GET", path: unknownPath, key: w.pinned}, 403, "SITE_FORBIDDEN"},
		{"pin before site", request{method: "GET", path: "/v1/sites/nonsense", key: w.pinned}, 403, "SITE_FORBIDDEN"},
		{"pin before site", request{method: "GET", path: "/v1/sites/" + w.southSite, key: w.pinned}, 403, "SITE_FORBIDDEN"},
		{"pin before resource", request{method: "GET", path: siblingPath + "/posts/" + noPost, key: w.pinned}, 403, "SITE_FORBIDDEN"},
		{"pin before rules", request{method: "GET", path: siblingPath + "/posts?limit=0", key: w.pinned}, 403, "SITE_FORBIDDEN"},
		{"pin before rules", request{method: "POST", path: "/v1/automation/runs", key: w.pinned, body: object{"siteId": w.sibling}}, 403, "SITE_FORBIDDEN"},
		{"pin before idempotency", request{method: "POST", path: siblingPath + "/boards", key: w.pinned, body: object{"name": "B"}, header: idem("order-1")}, 403, "SITE_FORBIDDEN"},
		{"site before idempotency", request{method: "POST", path: unknownPath + "/boards", body: object{"name": "B"}, header: idem("order-1")}, 404, "NOT_FOUND"},
		{"run before idempotency", request{method: "POST", path: "/v1/automation/runs/" + noRun + "/steps", body: object{}, header: idem("order-1")}, 404, "NOT_FOUND"},
		{"site before rules", request{method: "POST", path: unknownPath + "/boards", body: object{}}, 404, "NOT_FOUND"},
		{"site before rules", request{method: "GET", path: "/v1/automation/runs?limit=0&siteId=" + w.unknownSite}, 404, "NOT_FOUND"},
		{"site before rules", request{method: "POST", path: "/v1/automation/runs", body: object{"siteId": w.unknownSite, "x": 1}}, 404, "NOT_FOUND"},
		{"idempotency before resource", request{method: "POST", path: own.path + "/posts/" + noPost + "/votes", body: object{"onBehalfVisitorId": "v"}, header: idem("order-1")}, 422, "IDEMPOTENCY_KEY_REUSED"},
		{"idempotency before rules", request{method: "POST", path: own.path + "/boards", body: object{}, header: idem("order-1")}, 422, "IDEMPOTENCY_KEY_REUSED"},
		{"resource before rules", request{method: "POST", path: own.path + "/posts/" + noPost + "/votes", body: object{}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: own.path + "/posts/" + noPost + "/comments", body: object{}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "PUT", path: own.path + "/posts/" + noPost + "/status", body: object{}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: own.path + "/posts/" + noPost + "/merge", body: object{}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "GET", path: own.path + "/posts/" + noPost + "/comments?limit=0"}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "GET", path: own.path + "/posts?limit=0&boardId=brd_0000000000001"}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: own.path + "/posts", body: object{"boardId": "brd_0000000000001", "title": ""}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "PUT", path: own.postPath(post) + "/status", body: object{"statusId": "sts_0000000000001", "note": 7}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: own.postPath(post) + "/comments", body: object{"parentId": "cmt_0000000000001"}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: "/v1/automation/runs", body: object{"siteId": w.site, "postId": noPost}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: "/v1/automation/runs/" + noRun + "/steps", body: object{}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: "/v1/automation/runs/" + run + "/complete", body: object{"doneStatusId": "sts_0000000000001"}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: "/v1/automation/runs/" + run + "/complete", body: object{"changelogEntryId": "chg_0000000000001"}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: own.path + "/actions/act_0000000000001/undo", body: object{"x": 1}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: own.path + "/changelog/chg_0000000000001/publish", body: object{"x": 1}}, 404, "NOT_FOUND"},
		{"resource before rules", request{method: "POST", path: own.path + "/changelog", body: object{"postIds": []any{noPost}}}, 404, "NOT_FOUND"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Logf("%s %s", c.q.method, c.q.path)
			w.do(t, c.q).wantError(t, c.status, c.code)
		})
	}

	// The rules of the input come before the state of what it is about.
	own.must(t, "POST", "/v1/automation/runs/"+run+"/complete", object{"outcome": "SHIPPED"})
	locked := own.post(t, "Locked")
	w.exec(t, `UPDATE posts SET locked = TRUE WHERE id = $1`, int64(number[feedback.PostID](t, locked)))
	own.run(t, locked)
	for _, c := range []struct {
		method, path string
		body         object
	}{
		{"POST", own.postPath(locked) + "/votes", object{}},
		{"POST", own.postPath(locked) + "/comments", object{"body": ""}},
		{"POST", "/v1/automation/runs/" + run + "/steps", object{"tone": "DONE"}},
		{"POST", "/v1/automation/runs/" + run + "/complete", object{"outcome": "GONE"}},
		{"POST", "/v1/automation/runs", object{"siteId": w.site, "postId": locked}},
		{"POST", own.path + "/boards", object{"name": "", "slug": "bugs"}},
		{"POST", own.path + "/statuses", object{"name": "Open", "color": "red"}},
	} {
		w.call(t, c.method, c.path, c.body).wantError(t, 422, "VALIDATION_FAILED")
	}
}
