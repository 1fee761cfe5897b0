package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/internal/api"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/ratelimit"
	"heed/internal/store"
)

// testErrors provokes each code and holds its status, headers and the exact
// members of its details.
func testErrors(t *testing.T, w *world) {
	p := w.newPlace(t)
	post, told := p.post(t, "A post"), p.newStatus(t, object{"name": "Told", "notifyMode": "NOTIFY_WITH_NOTE", "doneFlag": true})
	run := p.run(t, post)
	locked := p.post(t, "Locked")
	w.exec(t, `UPDATE posts SET locked = TRUE WHERE id = $1`, int64(number[feedback.PostID](t, locked)))
	shipped := p.run(t, "")
	p.must(t, "POST", "/v1/automation/runs/"+shipped+"/complete", object{"outcome": "SHIPPED"})
	tight := w.serve(t, api.Config{Rates: map[string]ratelimit.Rate{"STUDIO": {Requests: 60, Window: time.Minute, Burst: 1}, "PRO": {Requests: 1, Window: time.Hour}}})
	spent := w.newKey(t, "", feedback.NewKey{Scopes: feedback.AllScopes()})
	w.do(t, request{method: "GET", path: "/v1/sites", key: spent, srv: tight})
	idem := func(values ...string) http.Header { return http.Header{"Idempotency-Key": values} }
	w.do(t, request{method: "POST", path: p.path + "/boards", body: object{"name": "Once"}, header: idem("errors")})
	one := w.newKey(t, "", feedback.NewKey{Scopes: []feedback.Scope{feedback.SitesRead}})
	big := `{"name":"` + strings.Repeat("x", 256<<10) + `"}`

	for _, c := range []struct {
		code    string
		status  int
		q       request
		details object
		header  string // "Name: value" that must be there
	}{
		{"INVALID_JSON", 400, request{method: "POST", path: p.path + "/boards", body: `{"name":`}, object{"offset": 8, "reason": "syntax"}, ""},
		{"INVALID_JSON", 400, request{method: "POST", path: p.path + "/boards", body: `{"a":1,"a":2}`}, object{"offset": 7, "reason": "duplicate_member"}, ""},
		{"INVALID_JSON", 400, request{method: "POST", path: p.path + "/boards", body: "{\"a\":\"\xff\"}"}, object{"offset": 6, "reason": "utf8"}, ""},
		{"INVALID_JSON", 400, request{method: "POST", path: p.path + "/boards", body: strings.Repeat("[", 20_000)}, object{"offset": 10_000, "reason": "depth"}, ""},
		{"INVALID_REQUEST", 400, request{method: "POST", path: p.path + "/boards", body: " "}, object{"reason": "empty_body"}, ""},
		{"INVALID_REQUEST", 400, request{method: "POST", path: p.path + "/boards"}, object{"reason": "empty_body"}, ""},
		{"INVALID_REQUEST", 400, request{method: "POST", path: p.path + "/boards", body: big}, object{"reason": "body_too_large", "maxLength": 256 << 10}, ""},
		{"INVALID_REQUEST", 400, request{method: "POST", path: p.path + "/boards", body: "{}", header: http.Header{"Content-Type": {"text/plain"}}}, object{"reason": "content_type"}, ""},
		{"INVALID_REQUEST", 400, request{method: "POST", path: p.path + "/boards", body: "{}", header: http.Header{"Content-Encoding": {"gzip"}}}, object{"reason": "content_encoding"}, ""},
		{"INVALID_REQUEST", 400, request{method: "GET", path: p.path + "/posts?limit=%zz"}, object{"reason": "query"}, ""},
		{"INVALID_CURSOR", 400, request{method: "GET", path: p.path + "/posts?cursor=junk"}, object{"parameter": "cursor"}, ""},
		{"IDEMPOTENCY_KEY_INVALID", 400, request{method: "POST", path: p.path + "/boards", body: "{}", header: idem("")}, object{"maxLength": 255}, ""},
		{"UNAUTHENTICATED", 401, request{method: "GET", path: p.path, key: "-"}, object{"reason": "missing"}, "WWW-Authenticate: Bearer"},
		{"UNAUTHENTICATED", 401, request{method: "GET", path: p.path, key: "junk"}, object{"reason": "malformed"}, "WWW-Authenticate: Bearer"},
		{"UNAUTHENTICATED", 401, request{method: "GET", path: p.path, header: http.Header{"Authorization": {"Basic Zm9v"}}}, object{"reason": "malformed"}, "WWW-Authenticate: Bearer"},
		{"UNAUTHENTICATED", 401, request{method: "GET", path: p.path, header: http.Header{"Authorization": {"Bearer " + w.all, "Bearer " + w.all}}}, object{"reason": "malformed"}, "WWW-Authenticate: Bearer"},
		{"UNAUTHENTICATED", 401, request{method: "GET", path: p.path, key: auth.NewKey()}, object{"reason": "invalid"}, "WWW-Authenticate: Bearer"},
		{"UNAUTHENTICATED", 401, request{method: "GET", path: p.path, key: w.revoked}, object{"reason": "invalid"}, "WWW-Authenticate: Bearer"},
		{"UNAUTHENTICATED", 401, request{method: "GET", path: p.path, key: w.expired}, object{"reason": "invalid"}, "WWW-Authenticate: Bearer"},
		{"UPGRADE_REQUIRED", 402, request{method: "GET", path: "/v1/sites", key: w.freeKey}, object{"requiredPlan": "PRO", "currentPlan": "FREE", "entitlement": "api_access"}, ""},
		{"SCOPE_REQUIRED", 403, request{method: "GET", path: p.path + "/boards", key: one}, object{"requiredScope": "boards:read", "grantedScopes": []any{"sites:read"}}, ""},
		{"SITE_FORBIDDEN", 403, request{method: "GET", path: p.path, key: w.pinned}, object{"keySiteId": w.site, "requestedSiteId": p.id}, ""},
		{"NOT_FOUND", 404, request{method: "GET", path: "/v1/sites/nope"}, object{"resource": "site", "id": "nope"}, ""},
		{"NOT_FOUND", 404, request{method: "GET", path: "/v1/automation/queue?siteId=nope"}, object{"resource": "site", "id": "nope", "field": "siteId"}, ""},
		{"NOT_FOUND", 404, request{method: "POST", path: "/v1/automation/runs", body: object{"siteId": "nope"}}, object{"resource": "site", "id": "nope", "field": "siteId"}, ""},
		{"NOT_FOUND", 404, request{method: "GET", path: p.path + "/posts/nope"}, object{"resource": "post", "id": "nope"}, ""},
		{"NOT_FOUND", 404, request{method: "GET", path: p.path + "/posts?boardId=nope"}, object{"resource": "board", "id": "nope", "field": "boardId"}, ""},
		{"NOT_FOUND", 404, request{method: "POST", path: p.path + "/posts", body: object{"boardId": "nope"}}, object{"resource": "board", "id": "nope", "field": "boardId"}, ""},
		{"NOT_FOUND", 404, request{method: "PUT", path: p.postPath(post) + "/status", body: object{"statusId": "nope"}}, object{"resource": "status", "id": "nope", "field": "statusId"}, ""},
		{"NOT_FOUND", 404, request{method: "POST", path: p.postPath(post) + "/comments", body: object{"parentId": "nope"}}, object{"resource": "comment", "id": "nope", "field": "parentId"}, ""},
		{"NOT_FOUND", 404, request{method: "GET", path: "/v1/automation/runs/nope"}, object{"resource": "run", "id": "nope"}, ""},
		{"NOT_FOUND", 404, request{method: "POST", path: "/v1/automation/runs/" + run + "/complete", body: object{"changelogEntryId": "nope"}}, object{"resource": "changelogEntry", "id": "nope", "field": "changelogEntryId"}, ""},
		{"NOT_FOUND", 404, request{method: "POST", path: p.path + "/changelog/nope/publish"}, object{"resource": "changelogEntry", "id": "nope"}, ""},
		{"NOT_FOUND", 404, request{method: "POST", path: p.path + "/changelog", body: object{"postIds": []any{post, "nope"}}}, object{"resource": "post", "id": "nope", "field": "postIds.1"}, ""},
		{"NOT_FOUND", 404, request{method: "POST", path: p.path + "/actions/nope/undo"}, object{"resource": "action", "id": "nope"}, ""},
		{"ROUTE_NOT_FOUND", 404, request{method: "GET", path: "/v1/nope"}, object{"path": "/v1/nope"}, ""},
		{"ROUTE_NOT_FOUND", 404, request{method: "GET", path: "/v1"}, object{"path": "/v1"}, ""},
		{"ROUTE_NOT_FOUND", 404, request{method: "GET", path: "/v1/"}, object{"path": "/v1/"}, ""},
		{"ROUTE_NOT_FOUND", 404, request{method: "GET", path: "/v1/sites/"}, object{"path": "/v1/sites/"}, ""},
		{"ROUTE_NOT_FOUND", 404, request{method: "GET", path: "/v1//sites"}, object{"path": "/v1//sites"}, ""},
		{"ROUTE_NOT_FOUND", 404, request{method: "GET", path: "/v1/sites/x/../y"}, object{"path": "/v1/sites/x/../y"}, ""},
		{"ROUTE_NOT_FOUND", 404, request{method: "GET", path: "/v1/sites//posts"}, object{"path": "/v1/sites//posts"}, ""},
		{"METHOD_NOT_ALLOWED", 405, request{method: "DELETE", path: "/v1/sites"}, object{"allowed": []any{"GET"}}, "Allow: GET"},
		{"METHOD_NOT_ALLOWED", 405, request{method: "PUT", path: p.path + "/posts"}, object{"allowed": []any{"GET", "POST"}}, "Allow: GET, POST"},
		{"METHOD_NOT_ALLOWED", 405, request{method: "GET", path: p.postPath(post) + "/status"}, object{"allowed": []any{"PUT"}}, "Allow: PUT"},
		{"METHOD_NOT_ALLOWED", 405, request{method: "OPTIONS", path: "/v1/automation/runs"}, object{"allowed": []any{"GET", "POST"}}, "Allow: GET, POST"},
		{"IDEMPOTENCY_KEY_REUSED", 422, request{method: "POST", path: p.path + "/boards", body: object{"name": "Twice"}, header: idem("errors")}, object{"differs": "body"}, ""},
		{"IDEMPOTENCY_KEY_REUSED", 422, request{method: "POST", path: p.path + "/statuses", body: object{"name": "Once"}, header: idem("errors")}, object{"differs": "operation"}, ""},
		{"VALIDATION_FAILED", 422, request{method: "POST", path: p.path + "/boards", body: object{"name": ""}},
			object{"fields": []any{object{"path": "name", "rule": "minLength", "message": "must not be empty"}}}, ""},
		{"NOTE_REQUIRED", 422, request{method: "PUT", path: p.postPath(post) + "/status", body: object{"statusId": told}},
			object{"field": "note", "statusId": told, "notifyMode": "NOTIFY_WITH_NOTE"}, ""},
		{"NOTE_REQUIRED", 422, request{method: "POST", path: "/v1/automation/runs/" + run + "/complete", body: object{"outcome": "SHIPPED", "doneStatusId": told}},
			object{"field": "changelogEntryId", "statusId": told, "notifyMode": "NOTIFY_WITH_NOTE"}, ""},
		{"SLUG_TAKEN", 422, request{method: "POST", path: p.path + "/boards", body: object{"name": "x", "slug": "bugs"}}, object{"field": "slug", "slug": "bugs"}, ""},
		{"NAME_TAKEN", 422, request{method: "POST", path: p.path + "/statuses", body: object{"name": "Told"}}, object{"field": "name", "name": "Told"}, ""},
		{"POST_LOCKED", 422, request{method: "POST", path: p.postPath(locked) + "/votes", body: object{"onBehalfVisitorId": "v"}}, object{"postId": locked, "reason": "locked"}, ""},
		{"INVALID_TRANSITION", 422, request{method: "POST", path: "/v1/automation/runs/" + shipped + "/complete", body: object{"outcome": "FAILED"}},
			object{"runId": shipped, "from": "SHIPPED", "to": "FAILED"}, ""},
		{"RUN_ACTIVE", 422, request{method: "POST", path: "/v1/automation/runs", body: object{"siteId": p.id, "agentKind": "KIND_A", "postId": post}}, object{"runId": run}, ""},
		{"RATE_LIMITED", 429, request{method: "GET", path: "/v1/sites", key: spent, srv: tight}, object{"limit": 60, "windowSeconds": 60, "retryAfterSeconds": 1}, "Retry-After: 1"},
	} {
		t.Run(c.code, func(t *testing.T) {
			res := w.do(t, c.q).wantError(t, c.status, c.code)
			if d := differences("details", any(res.details()), c.details); d != nil {
				t.Errorf("%s %s: %s", c.q.method, c.q.path, strings.Join(d, "; "))
			}
			if name, value, _ := strings.Cut(c.header, ": "); name != "" && res.header.Get(name) != value {
				t.Errorf("%s: %q; want %q", name, res.header.Get(name), value)
			}
			if got := res.header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control: %q; want no-store", got)
			}
		})
	}

	// A plan's count is the other kind of UPGRADE_REQUIRED; sites are opened in
	// the dashboard.
	account := w.south.Account.ID.String()
	if _, err := w.app.CreateSite(t.Context(), account, feedback.NewSite{Name: "The second of two"}); err != nil {
		t.Fatal(err)
	}
	_, err := w.app.CreateSite(t.Context(), account, feedback.NewSite{Name: "One too many"})
	e, ok := err.(*feedback.Error)
	if !ok || e.Code != feedback.UpgradeRequired {
		t.Fatalf("a third site of two = %v; want UPGRADE_REQUIRED", err)
	}
	var details object
	json.Unmarshal(encodeJSON(t, e.Details), &details)
	if d := differences("details", any(details), object{"requiredPlan": "STUDIO", "currentPlan": "PRO", "dimension": "sites", "limit": 2}); d != nil {
		t.Error(d)
	}
}

// TestErrorsOfOurs holds that what goes wrong on our side says nothing of it.
func TestErrorsOfOurs(t *testing.T) {
	db, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "heed.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := feedbacktest.NewApp(t, db)
	o := feedbacktest.OpenAccount(t, a, "North", feedback.Studio)
	var log strings.Builder
	face := api.New(api.Config{App: a, BaseURL: baseURL, CursorKey: []byte("k"), Log: slog.New(slog.NewTextHandler(&log, nil))})
	send := func(ctx context.Context) (*httptest.ResponseRecorder, object) {
		r := httptest.NewRequestWithContext(ctx, "GET", "/v1/sites", nil)
		r.Header.Set("Authorization", "Bearer "+o.Secret)
		rec := httptest.NewRecorder()
		rec.Header().Set("Request-Id", "r-1")
		face.ServeHTTP(rec, r)
		var body object
		json.Unmarshal(rec.Body.Bytes(), &body)
		e, _ := body["error"].(object)
		return rec, e
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	rec, e := send(gone)
	if rec.Code != 503 || e["code"] != "UNAVAILABLE" || e["hint"] == nil || rec.Header().Get("Retry-After") != "1" {
		t.Errorf("a request that was given up = %d %v; want 503 UNAVAILABLE", rec.Code, e)
	}
	if err := db.Write(t.Context(), nil); err == nil {
		t.Error("a write that panics = nil error")
	}
	log.Reset()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	rec, e = send(t.Context())
	want := object{"code": "INTERNAL", "message": "Something went wrong on our side.", "details": object{"requestId": "r-1"}, "docs": baseURL + "/docs/errors#INTERNAL"}
	if d := differences("error", any(e), want); rec.Code != 500 || d != nil {
		t.Errorf("on a closed database = %d %v", rec.Code, d)
	}
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "closed") {
		t.Errorf("the log says %q; want the cause, once", log.String())
	}
}

// TestErrorPage holds that every code of the decisions has its section.
func TestErrorPageHasEachCodeOnce(t *testing.T) {
	w := newWorld(t, "sqlite")
	want := []string{
		"INVALID_JSON", "INVALID_REQUEST", "INVALID_CURSOR", "IDEMPOTENCY_KEY_INVALID", "UNAUTHENTICATED", "UPGRADE_REQUIRED", "SCOPE_REQUIRED",
		"SITE_FORBIDDEN", "NOT_FOUND", "ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED", "IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", "VALIDATION_FAILED",
		"NOTE_REQUIRED", "SLUG_TAKEN", "NAME_TAKEN", "POST_LOCKED", "INVALID_TRANSITION", "RUN_ACTIVE", "ENDPOINT_DISABLED", "LIMIT_REACHED",
		"RATE_LIMITED", "INTERNAL", "UNAVAILABLE",
	}
	slices.Sort(want)
	got := slices.Sorted(maps.Keys(set(w.doc.anchors)))
	if !slices.Equal(got, want) || len(w.doc.anchors) != len(want) {
		t.Errorf("sections %v; want each of %v once", w.doc.anchors, want)
	}
}

func set(all []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range all {
		m[s] = true
	}
	return m
}
