package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heed/internal/api"
	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// hookAPI is an API with an account, a second site of it and another account.
type hookAPI struct {
	t      *testing.T
	url    string // of the database
	app    *app.App
	srv    *httptest.Server
	mine   *app.Opened
	second *feedback.Site
	other  *app.Opened
}

func eachHookAPI(t *testing.T, test func(*testing.T, *hookAPI)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			h := &hookAPI{t: t, url: "sqlite:" + t.TempDir() + "/heed.db"}
			if engine == "postgres" {
				h.url = feedbacktest.PostgresURL(t)
			}
			h.app = feedbacktest.NewAppWith(t, feedbacktest.OpenURL(t, h.url, nil), auth.NewMaster(), app.Webhooks{})
			h.mine = feedbacktest.OpenAccount(t, h.app, "Northwind", feedback.Studio)
			h.other = feedbacktest.OpenAccount(t, h.app, "Southwind", feedback.Studio)
			var err error
			if h.second, err = h.app.CreateSite(t.Context(), h.mine.Account.ID.String(), feedback.NewSite{Name: "Second"}); err != nil {
				t.Fatal(err)
			}
			h.srv = httptest.NewServer(api.New(api.Config{App: h.app, BaseURL: "http://heed.example", CursorKey: []byte("k")}))
			t.Cleanup(h.srv.Close)
			test(t, h)
		})
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// at returns what stands at a path such as "error.details.limit" as JSON text.
func (a answer) at(path string) string {
	var v any
	if json.Unmarshal([]byte(a.body), &v) != nil {
		return "not JSON"
	}
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			var i int
			fmt.Sscan(name, &i)
			if i >= len(x) {
				return "beyond the end"
			}
			v = x[i]
		}
	}
	b, _ := json.Marshal(v)
	return strings.Trim(string(b), `"`)
}

func (h *hookAPI) do(key, method, path, body string, headers ...string) answer {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.srv.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

func (h *hookAPI) path(site *feedback.Site) string {
	return "/v1/sites/" + site.ID.String() + "/webhook-endpoints"
}

func keysOf(t *testing.T, body string) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	var keys []string
	depth := 0
	for expectKey := false; ; {
		tok, err := d.Token()
		if err != nil {
			return keys
		}
		switch tok {
		case json.Delim('{'):
			depth++
			expectKey = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			expectKey = depth == 1
			continue
		case json.Delim('['):
			depth++
			continue
		}
		if depth == 1 {
			if expectKey {
				keys = append(keys, tok.(string))
			}
			expectKey = !expectKey
		}
	}
}

func TestWebhookManagement(t *testing.T) {
	eachHookAPI(t, func(t *testing.T, h *hookAPI) {
		base, key := h.path(&h.mine.Site), h.mine.Secret
		made := h.do(key, "POST", base, `{"url":"https://hooks.example.com/heed","eventTypes":["comment.created","post.created","comment.created"],"description":"Chat"}`)
		if made.status != 201 || !strings.HasPrefix(made.at("secret"), "whsec_") {
			t.Fatalf("create: %d %s", made.status, made.body)
		}
		fields := []string{
			"id", "siteId", "url", "description", "eventTypes", "enabled", "disabledReason", "disabledAt", "consecutiveFailures",
			"previousSecretExpiresAt", "createdAt", "updatedAt",
		}
		if got := keysOf(t, made.body); !cmp.Equal(got, append(fields, "secret")) {
			t.Errorf("create answers %v", got)
		}
		if got := made.at("eventTypes"); got != `["post.created","comment.created"]` {
			t.Errorf("eventTypes = %s, want them in documented order and once", got)
		}
		one := base + "/" + made.at("id")

		got := h.do(key, "GET", one, "")
		if got.status != 200 || !cmp.Equal(keysOf(t, got.body), fields) || strings.Contains(got.body, "whsec_") {
			t.Errorf("get: %d %s", got.status, got.body)
		}
		list := h.do(key, "GET", base, "")
		if list.status != 200 || list.at("data.0.id") != made.at("id") || list.at("nextCursor") != "null" || strings.Contains(list.body, "whsec_") {
			t.Errorf("list: %d %s", list.status, list.body)
		}

		for _, tt := range []struct{ body, path, want string }{
			{`{"description":null}`, "description", "null"},
			{`{"description":"Back"}`, "description", "Back"},
			{`{}`, "description", "Back"},
			{`{"eventTypes":[]}`, "eventTypes", "[]"},
			{`{"url":"https://hooks.example.com:8443/new"}`, "url", "https://hooks.example.com:8443/new"},
			{`{"enabled":false}`, "disabledReason", "manual"},
			{`{"enabled":false}`, "enabled", "false"},
			{`{"enabled":true}`, "disabledReason", "null"},
			{`{}`, "disabledAt", "null"},
		} {
			if a := h.do(key, "PATCH", one, tt.body); a.status != 200 || a.at(tt.path) != tt.want {
				t.Errorf("PATCH %s: %d, %s = %s; want 200, %s", tt.body, a.status, tt.path, a.at(tt.path), tt.want)
			}
		}

		rotated := h.do(key, "POST", one+"/rotate-secret", `{"graceSeconds":3600}`)
		if rotated.status != 200 || rotated.at("secret") == made.at("secret") || rotated.at("previousSecretExpiresAt") == "null" {
			t.Errorf("rotate: %d %s", rotated.status, rotated.body)
		}
		if a := h.do(key, "POST", one+"/rotate-secret", ""); a.status != 200 || a.at("previousSecretExpiresAt") == "null" {
			t.Errorf("rotate without a body: %d %s", a.status, a.body)
		}
		if a := h.do(key, "POST", one+"/rotate-secret", `{"graceSeconds":0}`); a.status != 200 || a.at("previousSecretExpiresAt") != "null" {
			t.Errorf("rotate without grace: %d %s", a.status, a.body)
		}

		tested := h.do(key, "POST", one+"/test", `{"type":"post.merged"}`)
		if tested.status != 202 || tested.at("trigger") != "test" || tested.at("type") != "post.merged" || tested.at("status") != "pending" {
			t.Errorf("test: %d %s", tested.status, tested.body)
		}
		deliveryFields := []string{"id", "endpointId", "messageId", "type", "status", "trigger", "attemptCount", "nextAttemptAt", "createdAt", "completedAt"}
		if got := keysOf(t, tested.body); !cmp.Equal(got, deliveryFields) {
			t.Errorf("a delivery has %v", got)
		}
		if a := h.do(key, "POST", one+"/test", ""); a.status != 202 || a.at("type") != "post.created" {
			t.Errorf("test without a body: %d %s", a.status, a.body)
		}
		detail := h.do(key, "GET", one+"/deliveries/"+tested.at("id"), "")
		if detail.status != 200 || detail.at("payload.type") != "post.merged" || detail.at("payload.data.siteId") != h.mine.Site.ID.String() || detail.at("attempts") != "[]" {
			t.Errorf("delivery: %d %s", detail.status, detail.body)
		}
		if got := keysOf(t, detail.body); !cmp.Equal(got, append(deliveryFields, "payload", "attempts")) {
			t.Errorf("a delivery in detail has %v", got)
		}
		again := h.do(key, "POST", one+"/deliveries/"+tested.at("id")+"/redeliver", "")
		if again.status != 202 || again.at("trigger") != "redelivery" || again.at("messageId") != tested.at("messageId") || again.at("id") == tested.at("id") {
			t.Errorf("redeliver: %d %s", again.status, again.body)
		}

		for query, want := range map[string]int{
			"": 3, "?type=post.merged": 2, "?status=pending": 3, "?status=failed": 0, "?status=succeeded": 0, "?status=cancelled": 0,
			"?status=pending&type=post.created": 1, "?limit=2": 2,
		} {
			a := h.do(key, "GET", one+"/deliveries"+query, "")
			var page struct{ Data []any }
			if err := json.Unmarshal([]byte(a.body), &page); err != nil || len(page.Data) != want {
				t.Errorf("deliveries%s: %d, %d items; want %d", query, a.status, len(page.Data), want)
			}
		}
		page := h.do(key, "GET", one+"/deliveries?limit=2&type=post.merged", "")
		if page.at("data.0.id") != again.at("id") || page.at("data.1.id") != tested.at("id") {
			t.Errorf("deliveries are not newest first: %s", page.body)
		}
		page = h.do(key, "GET", one+"/deliveries?limit=1", "")
		next := page.at("nextCursor")
		if a := h.do(key, "GET", one+"/deliveries?limit=2&cursor="+next, ""); a.status != 200 || a.at("nextCursor") != "null" || a.at("data.1.id") != tested.at("id") {
			t.Errorf("second page: %d %s", a.status, a.body)
		}
		if a := h.do(key, "GET", one+"/deliveries?status=failed&cursor="+next, ""); a.status != 400 || a.at("error.code") != "INVALID_CURSOR" {
			t.Errorf("a cursor of another filter: %d %s", a.status, a.body)
		}

		h.do(key, "PATCH", one, `{"enabled":false}`)
		for _, path := range []string{one + "/test", one + "/deliveries/" + tested.at("id") + "/redeliver"} {
			if a := h.do(key, "POST", path, ""); a.status != 422 || a.at("error.code") != "ENDPOINT_DISABLED" || a.at("error.details.disabledReason") != "manual" {
				t.Errorf("POST %s of a disabled endpoint: %d %s", path, a.status, a.body)
			}
		}
		if a := h.do(key, "GET", one+"/deliveries?status=cancelled", ""); a.at("data.2.completedAt") == "null" || a.at("data.0.nextAttemptAt") != "null" {
			t.Errorf("disabling cancels what is waiting: %s", a.body)
		}

		gone := h.do(key, "DELETE", one, "", "Idempotency-Key", "delete-1")
		if gone.status != 204 || gone.body != "" || gone.header.Get("Content-Type") != "" {
			t.Errorf("delete: %d %q", gone.status, gone.body)
		}
		if a := h.do(key, "DELETE", one, "", "Idempotency-Key", "delete-1"); a.status != 204 || a.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("delete repeated: %d %s", a.status, a.body)
		}
		for _, r := range [][2]string{{"GET", one}, {"DELETE", one}, {"PATCH", one}, {"GET", one + "/deliveries"}, {"POST", one + "/test"}, {"POST", one + "/rotate-secret"}} {
			body := ""
			if r[0] == "PATCH" {
				body = `{}`
			}
			if a := h.do(key, r[0], r[1], body); a.status != 404 || a.at("error.details.resource") != "webhookEndpoint" {
				t.Errorf("%s of a deleted endpoint: %d %s", r[0], a.status, a.body)
			}
		}
		if err := h.app.SweepEndpoints(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"webhook_endpoints", "deliveries"} {
			if rows := feedbacktest.Rows(t, h.url, "SELECT COUNT(*) FROM "+table); rows[0][0] != "0" {
				t.Errorf("%s rows in %s after a sweep", rows[0][0], table)
			}
		}
	})
}

func TestWebhookBadInput(t *testing.T) {
	eachHookAPI(t, func(t *testing.T, h *hookAPI) {
		base, key := h.path(&h.mine.Site), h.mine.Secret
		one := base + "/" + h.do(key, "POST", base, `{"url":"https://hooks.example.com/"}`).at("id")
		for _, tt := range []struct{ method, path, body, field, rule string }{
			{"POST", base, `{}`, "url", "required"},
			{"POST", base, `{"url":""}`, "url", "minLength"},
			{"POST", base, `{"url":7}`, "url", "type"},
			{"POST", base, `{"url":null}`, "url", "null"},
			{"POST", base, `{"url":"https://hooks.example.com/` + strings.Repeat("a", 2048) + `"}`, "url", "maxLength"},
			{"POST", base, `{"url":"http://hooks.example.com/"}`, "url", "https"},
			{"POST", base, `{"url":"https://user:pw@hooks.example.com/"}`, "url", "userinfo"},
			{"POST", base, `{"url":"https://hooks.example.com:25/"}`, "url", "port"},
			{"POST", base, `{"url":"https://hooks.example.com/#a"}`, "url", "fragment"},
			{"POST", base, `{"url":"https://127.0.0.1/"}`, "url", "address"},
			{"POST", base, `{"url":"https://2130706433/"}`, "url", "address"},
			{"POST", base, `{"url":"https://[::ffff:10.0.0.1]/"}`, "url", "address"},
			{"POST", base, `{"url":"https://localhost/"}`, "url", "address"},
			{"POST", base, `{"url":"https://169.254.169.254/"}`, "url", "address"},
			{"POST", base, `{"url":"not a url"}`, "url", "syntax"},
			{"POST", base, `{"url":"https://hooks.example.com/","eventTypes":["post.deleted"]}`, "eventTypes.0", "enum"},
			{"POST", base, `{"url":"https://hooks.example.com/","eventTypes":"post.created"}`, "eventTypes", "type"},
			{"POST", base, `{"url":"https://hooks.example.com/","eventTypes":[1]}`, "eventTypes.0", "type"},
			{"POST", base, `{"url":"https://hooks.example.com/","eventTypes":["a","b","c","d","e","f","g"]}`, "eventTypes", "maxItems"},
			{"POST", base, `{"url":"https://hooks.example.com/","description":"` + strings.Repeat("ü", 501) + `"}`, "description", "maxLength"},
			{"POST", base, `{"url":"https://hooks.example.com/","description":null}`, "description", "null"},
			{"POST", base, `{"url":"https://hooks.example.com/","secret":"x"}`, "secret", "unknown"},
			{"PATCH", one, `{"url":null}`, "url", "null"},
			{"PATCH", one, `{"url":"ftp://x.example"}`, "url", "https"},
			{"PATCH", one, `{"enabled":null}`, "enabled", "null"},
			{"PATCH", one, `{"enabled":"yes"}`, "enabled", "type"},
			{"PATCH", one, `{"eventTypes":null}`, "eventTypes", "null"},
			{"PATCH", one, `{"id":"we_x"}`, "id", "unknown"},
			{"POST", one + "/rotate-secret", `{"graceSeconds":-1}`, "graceSeconds", "minimum"},
			{"POST", one + "/rotate-secret", `{"graceSeconds":604801}`, "graceSeconds", "maximum"},
			{"POST", one + "/rotate-secret", `{"graceSeconds":1.5}`, "graceSeconds", "type"},
			{"POST", one + "/test", `{"type":"post.deleted"}`, "type", "enum"},
			{"DELETE", one, `{"really":true}`, "really", "unknown"},
			{"GET", one + "/deliveries?status=done", "", "status", "enum"},
			{"GET", one + "/deliveries?type=", "", "type", "enum"},
			{"GET", one + "/deliveries?status=failed&status=pending", "", "status", "once"},
			{"GET", one + "/deliveries?limit=0", "", "limit", "minimum"},
		} {
			a := h.do(key, tt.method, tt.path, tt.body)
			if a.status != 422 || a.at("error.code") != "VALIDATION_FAILED" || a.at("error.details.fields.0.path") != tt.field || a.at("error.details.fields.0.rule") != tt.rule {
				t.Errorf("%s %.120s: %d %s; want 422 for %s, %s", tt.method, tt.body, a.status, a.body, tt.field, tt.rule)
			}
		}
		if a := h.do(key, "POST", base, ""); a.status != 400 {
			t.Errorf("create without a body: %d, want 400", a.status)
		}
		for i := range 9 {
			if a := h.do(key, "POST", base, `{"url":"https://hooks.example.com/"}`); a.status != 201 {
				t.Fatalf("endpoint %d: %d %s", i+2, a.status, a.body)
			}
		}
		if a := h.do(key, "POST", base, `{"url":"https://hooks.example.com/"}`); a.status != 422 || a.at("error.code") != "LIMIT_REACHED" || a.at("error.details.limit") != "10" {
			t.Errorf("eleventh endpoint: %d %s", a.status, a.body)
		}
		h.do(key, "DELETE", one, "")
		if a := h.do(key, "POST", base, `{"url":"https://hooks.example.com/"}`); a.status != 201 {
			t.Errorf("after one was deleted: %d %s", a.status, a.body)
		}
	})
}

// TestWebhookIsolation: nobody reaches another's endpoints, by whatever path.
func TestWebhookIsolation(t *testing.T) {
	eachHookAPI(t, func(t *testing.T, h *hookAPI) {
		base, key := h.path(&h.mine.Site), h.mine.Secret
		made := h.do(key, "POST", base, `{"url":"https://hooks.example.com/"}`)
		id := made.at("id")
		delivery := h.do(key, "POST", base+"/"+id+"/test", "").at("id")
		sibling := h.do(key, "POST", base, `{"url":"https://hooks.example.com/2"}`).at("id")
		_, pinned, err := h.app.CreateKey(t.Context(), h.mine.Account.ID.String(), h.second.ID.String(), feedback.NewKey{Name: "p", Scopes: feedback.AllScopes()})
		if err != nil {
			t.Fatal(err)
		}
		var others []feedback.Scope
		for _, s := range feedback.AllScopes() {
			if s != feedback.WebhooksWrite {
				others = append(others, s)
			}
		}
		_, scopeless, err := h.app.CreateKey(t.Context(), h.mine.Account.ID.String(), "", feedback.NewKey{Name: "s", Scopes: others})
		if err != nil {
			t.Fatal(err)
		}
		routes := func(base, id, delivery string) [][2]string {
			one := base + "/" + id
			return [][2]string{
				{"GET", one}, {"PATCH", one}, {"DELETE", one}, {"POST", one + "/rotate-secret"}, {"POST", one + "/test"},
				{"GET", one + "/deliveries"}, {"GET", one + "/deliveries/" + delivery}, {"POST", one + "/deliveries/" + delivery + "/redeliver"},
			}
		}
		both := [][2]string{{"GET", base}, {"POST", base}}
		check := func(who, key string, routes [][2]string, status int, path, want string) {
			t.Helper()
			for _, r := range routes {
				body := ""
				if r[0] == "PATCH" {
					body = `{}`
				}
				if r[0] == "POST" && strings.HasSuffix(r[1], "webhook-endpoints") {
					body = `{"url":"https://hooks.example.com/"}`
				}
				if a := h.do(key, r[0], r[1], body); a.status != status || a.at(path) != want {
					t.Errorf("%s: %s %s: %d %s; want %d, %s = %s", who, r[0], r[1], a.status, a.body, status, path, want)
				}
			}
		}
		check("another account", h.other.Secret, append(routes(base, id, delivery), both...), 404, "error.details.resource", "site")
		check("a sibling site", key, routes(h.path(h.second), id, delivery), 404, "error.details.resource", "webhookEndpoint")
		check("a pinned key", pinned, append(routes(base, id, delivery), both...), 403, "error.code", "SITE_FORBIDDEN")
		check("a key without the scope", scopeless, append(routes(base, id, delivery), both...), 403, "error.details.requiredScope", "webhooks:write")
		check("a sibling endpoint", key, routes(base, sibling, delivery)[6:], 404, "error.details.resource", "webhookDelivery")
		check("no such endpoint", key, routes(base, "we_0000000000001", delivery), 404, "error.details.resource", "webhookEndpoint")
		check("no endpoint id", key, routes(base, "we_", delivery), 404, "error.details.resource", "webhookEndpoint")

		if err := h.app.SetPlan(t.Context(), h.mine.Account.ID.String(), feedback.Free); err != nil {
			t.Fatal(err)
		}
		check("the FREE plan", key, both, 402, "error.details.entitlement", "api_access")
	})
}

// TestWebhookEntitlement: the plan is asked after the site and before all else.
// Every plan with the API has webhooks too, so the verbs are asked directly.
func TestWebhookEntitlement(t *testing.T) {
	eachHookAPI(t, func(t *testing.T, h *hookAPI) {
		free := h.mine.Account
		free.Plan = feedback.Free
		actor := &app.Actor{Account: &free}
		target := func(site string) app.Target { return app.Target{Site: site, Entitlement: feedback.Webhooks} }
		err := h.app.Read(t.Context(), actor, target(h.mine.Site.ID.String()), func(*app.Tx) error {
			t.Error("let in without webhooks")
			return nil
		})
		e, ok := err.(*feedback.Error)
		want := map[string]any{"requiredPlan": "PRO", "currentPlan": "FREE", "entitlement": "webhooks"}
		if !ok || e.Code != feedback.UpgradeRequired || !cmp.Equal(e.Details, want) {
			t.Errorf("FREE: %v %v; want UPGRADE_REQUIRED %v", err, e.Details, want)
		}
		err = h.app.Read(t.Context(), actor, target(h.other.Site.ID.String()), func(*app.Tx) error { return nil })
		if !feedback.IsNotFound(err) {
			t.Errorf("FREE on another's site: %v, want NOT_FOUND first", err)
		}
	})
}

// TestWebhookSecretsAtRest: a secret is shown once, a repeated request shows the
// same, and no row of the database holds it in the clear.
func TestWebhookSecretsAtRest(t *testing.T) {
	eachHookAPI(t, func(t *testing.T, h *hookAPI) {
		base, key := h.path(&h.mine.Site), h.mine.Secret
		const body = `{"url":"https://hooks.example.com/"}`
		made := h.do(key, "POST", base, body, "Idempotency-Key", "create-1")
		replay := h.do(key, "POST", base, body, "Idempotency-Key", "create-1")
		if replay.body != made.body || replay.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("replay = %s %s; want %s", replay.header, replay.body, made.body)
		}
		one := base + "/" + made.at("id")
		rotated := h.do(key, "POST", one+"/rotate-secret", "", "Idempotency-Key", "rotate-1")
		if again := h.do(key, "POST", one+"/rotate-secret", "", "Idempotency-Key", "rotate-1"); again.body != rotated.body {
			t.Errorf("rotate replayed = %s; want %s", again.body, rotated.body)
		}
		h.do(key, "GET", one, "")
		for _, q := range []string{
			"SELECT * FROM webhook_endpoints", "SELECT * FROM idempotency", "SELECT * FROM deliveries", "SELECT * FROM events",
		} {
			for _, row := range feedbacktest.Rows(t, h.url, q) {
				for _, v := range row {
					for _, secret := range []string{made.at("secret"), rotated.at("secret")} {
						if strings.Contains(v, strings.TrimPrefix(secret, "whsec_")) || strings.Contains(v, "whsec_") {
							t.Errorf("%s holds a secret in the clear", q)
						}
					}
				}
			}
		}
		sealed := feedbacktest.Rows(t, h.url, "SELECT COUNT(*) FROM idempotency WHERE sealed")
		if sealed[0][0] != "2" {
			t.Errorf("%s sealed responses, want 2", sealed[0][0])
		}
	})
}
