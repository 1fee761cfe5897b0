package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heed/internal/api"
	"heed/internal/feedback"
)

var update = flag.Bool("update", false, "write the golden files anew")

// describe returns the document of an installation with these agent kinds.
func describe(t testing.TB, kinds feedback.AgentKinds) ([]byte, *document) {
	t.Helper()
	text := api.Describe(kinds, baseURL)
	return text, readDocument(t, text)
}

// contract is the table of operations of the specification.
const contract = `
listSites          GET  /v1/sites                                  sites:read       200 SiteList
getSite            GET  /v1/sites/{siteId}                         sites:read       200 Site
listBoards         GET  /v1/sites/{siteId}/boards                  boards:read      200 BoardList
createBoard        POST /v1/sites/{siteId}/boards                  boards:write     201 Board
listPosts          GET  /v1/sites/{siteId}/posts                   posts:read       200 PostList
createPost         POST /v1/sites/{siteId}/posts                   posts:write      201 Post
getPost            GET  /v1/sites/{siteId}/posts/{postId}          posts:read       200 Post
changePostStatus   PUT  /v1/sites/{siteId}/posts/{postId}/status   statuses:write   200 ChangePostStatusResult
mergePosts         POST /v1/sites/{siteId}/posts/{postId}/merge    posts:write      200 MergeResult
listComments       GET  /v1/sites/{siteId}/posts/{postId}/comments comments:read    200 CommentList
createComment      POST /v1/sites/{siteId}/posts/{postId}/comments comments:write   201 Comment
createVote         POST /v1/sites/{siteId}/posts/{postId}/votes    votes:write      201 VoteResult
listStatuses       GET  /v1/sites/{siteId}/statuses                statuses:read    200 StatusList
createStatus       POST /v1/sites/{siteId}/statuses                statuses:write   201 Status
listChangelog      GET  /v1/sites/{siteId}/changelog               changelog:read   200 ChangelogEntryList
searchPosts        GET  /v1/sites/{siteId}/search                  search:read      200 SearchResultList
getInsights        GET  /v1/sites/{siteId}/insights                insights:read    200 InsightsSummary
getAutopilotQueue  GET  /v1/automation/queue                       automation:read  200 AutopilotQueue
startAgentRun      POST /v1/automation/runs                        automation:write 201 AgentRun
appendAgentRunStep POST /v1/automation/runs/{runId}/steps          automation:write 201 AgentRunStep
completeAgentRun   POST /v1/automation/runs/{runId}/complete       automation:write 200 AgentRun`

// extensions are ours, in the same form.
const extensions = `
createChangelogEntry  POST /v1/sites/{siteId}/changelog                   changelog:write 201 ChangelogEntry
publishChangelogEntry POST /v1/sites/{siteId}/changelog/{entryId}/publish changelog:write 200 ChangelogEntry
getPostContent        GET  /v1/sites/{siteId}/posts/{postId}/content      posts:read      200 PostContent
undoAction            POST /v1/sites/{siteId}/actions/{actionId}/undo     posts:write     200 UndoResult
listAgentRuns         GET  /v1/automation/runs                            automation:read 200 AgentRunList
getAgentRun           GET  /v1/automation/runs/{runId}                    automation:read 200 AgentRun
listAgentRunSteps     GET  /v1/automation/runs/{runId}/steps              automation:read 200 AgentRunStepList
createWebhookEndpoint POST   /v1/sites/{siteId}/webhook-endpoints                             webhooks:write 201 WebhookEndpointWithSecret
listWebhookEndpoints  GET    /v1/sites/{siteId}/webhook-endpoints                             webhooks:write 200 WebhookEndpointList
getWebhookEndpoint    GET    /v1/sites/{siteId}/webhook-endpoints/{endpointId}                webhooks:write 200 WebhookEndpoint
updateWebhookEndpoint PATCH  /v1/sites/{siteId}/webhook-endpoints/{endpointId}                webhooks:write 200 WebhookEndpoint
deleteWebhookEndpoint DELETE /v1/sites/{siteId}/webhook-endpoints/{endpointId}                webhooks:write 204 nothing
rotateWebhookSecret   POST   /v1/sites/{siteId}/webhook-endpoints/{endpointId}/rotate-secret  webhooks:write 200 WebhookEndpointWithSecret
testWebhookEndpoint   POST   /v1/sites/{siteId}/webhook-endpoints/{endpointId}/test           webhooks:write 202 WebhookDelivery
listWebhookDeliveries GET    /v1/sites/{siteId}/webhook-endpoints/{endpointId}/deliveries     webhooks:write 200 WebhookDeliveryList
getWebhookDelivery    GET    /v1/sites/{siteId}/webhook-endpoints/{endpointId}/deliveries/{deliveryId}           webhooks:write 200 WebhookDeliveryDetail
redeliverWebhook      POST   /v1/sites/{siteId}/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/redeliver webhooks:write 202 WebhookDelivery`

func TestDocumentOperations(t *testing.T) {
	_, d := describe(t, feedback.DefaultAgentKinds())
	got := map[string]string{}
	for _, op := range d.ops {
		for code, res := range op.node["responses"].(object) {
			if status, _ := strconv.Atoi(code); status >= 300 {
				continue
			}
			result := "nothing"
			if content, ok := res.(object)["content"].(object); ok {
				result = content["application/json"].(object)["schema"].(object)["$ref"].(string)
			}
			if got[op.id] != "" {
				t.Errorf("%s succeeds in two ways", op.id)
			}
			got[op.id] = strings.Join([]string{op.id, op.method, op.path, op.scope, code, strings.TrimPrefix(result, "#/components/schemas/")}, " ")
		}
		if tag := op.node["tags"].([]any)[0]; (tag == "Extensions") != !strings.Contains(contract, "\n"+op.id+" ") {
			t.Errorf("%s has the tag %v", op.id, tag)
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(contract+extensions), "\n") {
		want := strings.Join(strings.Fields(line), " ")
		id, _, _ := strings.Cut(want, " ")
		if got[id] != want {
			t.Errorf("%q; want %q", got[id], want)
		}
		delete(got, id)
	}
	for id := range got {
		t.Errorf("an operation that nobody asked for: %s", got[id])
	}
}

func TestDocumentStructure(t *testing.T) {
	_, d := describe(t, feedback.DefaultAgentKinds())
	if v, _ := d.root["openapi"].(string); !strings.HasPrefix(v, "3.1.") {
		t.Errorf("openapi %q; want 3.1", v)
	}
	info := d.root["info"].(object)
	if info["version"] != "1.0.0" || info["title"] == nil || info["description"] == nil {
		t.Errorf("info %v; want a title, a description and version 1.0.0", info)
	}
	if s := asObjects(d.root["servers"]); len(s) != 1 || s[0]["url"] != baseURL {
		t.Errorf("servers %v; want %s", s, baseURL)
	}
	if s := d.root["components"].(object)["securitySchemes"].(object)["bearer"].(object); s["type"] != "http" || s["scheme"] != "bearer" {
		t.Errorf("the security scheme is %v", s)
	}
	var tags []string
	for _, tag := range asObjects(d.root["tags"]) {
		tags = append(tags, tag["name"].(string))
		if tag["description"] == "" {
			t.Errorf("the tag %v is not described", tag["name"])
		}
	}

	// Every reference leads somewhere and every object is closed.
	var visit func(path string, v any)
	visit = func(path string, v any) {
		switch v := v.(type) {
		case object:
			if ref, ok := v["$ref"].(string); ok {
				if !strings.HasPrefix(ref, "#/components/") || d.at(v) == nil {
					t.Errorf("%s: reference %q", path, ref)
				}
				if len(v) != 1 {
					t.Errorf("%s: a reference with neighbours %v", path, slices.Sorted(maps.Keys(v)))
				}
			}
			if v["type"] == "object" && v["properties"] != nil && v["additionalProperties"] != false {
				t.Errorf("%s is open", path)
			}
			if required, ok := v["required"].([]any); ok {
				for _, r := range required {
					if v["properties"].(object)[r.(string)] == nil {
						t.Errorf("%s requires %v, which it does not have", path, r)
					}
				}
			}
			for k, inner := range v {
				if k != "example" && k != "examples" {
					visit(path+"/"+k, inner)
				}
			}
		case []any:
			for i, inner := range v {
				visit(fmt.Sprint(path, "/", i), inner)
			}
		}
	}
	visit("#", d.root)

	seen := map[string]bool{}
	for _, op := range d.ops {
		if seen[op.id] {
			t.Errorf("%s is there twice", op.id)
		}
		seen[op.id] = true
		summary, _ := op.node["summary"].(string)
		if summary == "" || strings.HasSuffix(summary, ".") || !strings.Contains(op.node["description"].(string), "`"+op.scope+"`") {
			t.Errorf("%s: summary %q, description %q; want a phrase, and the scope named", op.id, summary, op.node["description"])
		}
		if tag := op.node["tags"].([]any); len(tag) != 1 || !slices.Contains(tags, tag[0].(string)) {
			t.Errorf("%s: tags %v", op.id, tag)
		}
		if s := op.node["security"].([]any); len(s) != 1 || len(s[0].(object)["bearer"].([]any)) != 1 || !slices.Contains(feedback.AllScopes(), feedback.Scope(op.scope)) {
			t.Errorf("%s: security %v", op.id, s)
		}
		for _, code := range []string{"400", "401", "402", "403", "404", "409", "422", "429"} {
			res, ok := op.node["responses"].(object)[code].(object)
			if !ok {
				t.Errorf("%s: no response %s", op.id, code)
				continue
			}
			if ref := d.at(res)["content"].(object)["application/json"].(object)["schema"].(object)["$ref"]; ref != "#/components/schemas/Error" {
				t.Errorf("%s: %s has the body %v", op.id, code, ref)
			}
		}
		for _, in := range []string{"path", "query", "header"} {
			for _, p := range op.parameters(in) {
				if p["description"] == nil {
					t.Errorf("%s: %v is not described", op.id, p["name"])
				}
			}
		}
		if n := len(op.node["responses"].(object)); n != 9 {
			t.Errorf("%s: %d responses; want one success and eight errors", op.id, n)
		}
		for _, p := range op.parameters("path") {
			name := p["name"].(string)
			if !strings.Contains(op.path, "{"+name+"}") || p["required"] != true || p["schema"].(object)["minLength"] == nil {
				t.Errorf("%s: path parameter %v", op.id, p)
			}
		}
		if got, want := len(op.parameters("path")), strings.Count(op.path, "{"); got != want {
			t.Errorf("%s: %d path parameters; want %d", op.id, got, want)
		}
		headers := op.parameters("header")
		if writes := op.method != "GET"; writes != (len(headers) == 1 && headers[0]["name"] == "Idempotency-Key") {
			t.Errorf("%s: header parameters %v", op.id, headers)
		}
		var query []string
		for _, p := range op.parameters("query") {
			query = append(query, p["name"].(string))
			if p["name"] == "limit" {
				if d := differences("limit", toFloats(p["schema"]), object{"type": "integer", "minimum": 1, "maximum": 100, "default": 50}); d != nil {
					t.Errorf("%s: %v", op.id, d)
				}
			}
		}
		if lists := strings.HasPrefix(op.id, "list") || op.id == "searchPosts"; lists != (slices.Contains(query, "limit") && slices.Contains(query, "cursor")) {
			t.Errorf("%s: query %v", op.id, query)
		}
	}
	for id, want := range map[string][]string{
		"listPosts": {"boardId", "limit", "cursor"}, "searchPosts": {"q", "limit", "cursor"}, "getAutopilotQueue": {"siteId"}, "listAgentRuns": {"siteId", "limit", "cursor"},
	} {
		var query []string
		op := d.operation(id)
		for _, p := range op.parameters("query") {
			query = append(query, p["name"].(string))
			if required := p["required"] == true; required != (p["name"] == "q" || p["name"] == "siteId") {
				t.Errorf("%s: %s is required: %v", id, p["name"], required)
			}
		}
		if !slices.Equal(query, want) {
			t.Errorf("%s: query %v; want %v", id, query, want)
		}
	}
}

// TestDocumentErrors holds that the errors of the document are such as the service
// sends, with their headers.
func TestDocumentErrors(t *testing.T) {
	_, d := describe(t, feedback.DefaultAgentKinds())
	all := d.root["components"].(object)["responses"].(object)
	for code, c := range map[string]struct{ name, header string }{
		"400": {"INVALID_JSON", "RateLimit"}, "401": {"UNAUTHENTICATED", "WWW-Authenticate"}, "402": {"UPGRADE_REQUIRED", "RateLimit"},
		"403": {"SCOPE_REQUIRED", "RateLimit"}, "404": {"NOT_FOUND", "RateLimit"}, "409": {"IDEMPOTENCY_IN_PROGRESS", "Retry-After"},
		"422": {"VALIDATION_FAILED", "X-RateLimit-Remaining"}, "429": {"RATE_LIMITED", "Retry-After"},
	} {
		res, _ := all[code].(object)
		e := res["content"].(object)["application/json"].(object)["example"].(object)["error"].(object)
		details, _ := e["details"].(object)
		if e["code"] != c.name || e["message"] == "" || e["hint"] == nil || len(details) == 0 || e["docs"] != baseURL+"/docs/errors#"+c.name {
			t.Errorf("%s has the example %v; want %s with message, details, hint and docs", code, e, c.name)
		}
		headers := res["headers"].(object)
		if headers["Request-Id"] == nil || headers[c.header] == nil {
			t.Errorf("%s has the headers %v; want Request-Id and %s", code, slices.Sorted(maps.Keys(headers)), c.header)
		}
	}
	if len(all) != 8 {
		t.Errorf("%d errors; want 8", len(all))
	}
}

// toFloats decodes v as encoding/json does.
func toFloats(v any) (out any) {
	b, _ := json.Marshal(v)
	json.Unmarshal(b, &out)
	return out
}

// TestDocumentExamples holds every example against its schema.
func TestDocumentExamples(t *testing.T) {
	_, d := describe(t, feedback.DefaultAgentKinds())
	n := 0
	check := func(example any, steps ...string) {
		t.Helper()
		n++
		if example == nil {
			t.Errorf("%v has no example", steps)
			return
		}
		if err := d.schema(t, append(steps, "schema")...).Validate(example); err != nil {
			t.Errorf("%v: %v", steps, err)
		}
	}
	for _, op := range d.ops {
		if b, ok := op.node["requestBody"].(object); ok {
			check(b["content"].(object)["application/json"].(object)["example"], op.steps("requestBody", "content", "application/json")...)
		}
		for code, res := range op.node["responses"].(object) {
			if content, ok := res.(object)["content"].(object); ok {
				check(content["application/json"].(object)["example"], op.steps("responses", code, "content", "application/json")...)
			}
		}
	}
	for code, res := range d.root["components"].(object)["responses"].(object) {
		check(res.(object)["content"].(object)["application/json"].(object)["example"], "components", "responses", code, "content", "application/json")
	}
	for name, s := range d.root["components"].(object)["schemas"].(object) {
		for member, p := range s.(object)["properties"].(object) {
			examples, _ := p.(object)["examples"].([]any)
			for _, e := range examples {
				n++
				if err := d.schema(t, "components", "schemas", name, "properties", member).Validate(e); err != nil {
					t.Errorf("%s.%s: %v", name, member, err)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d examples", n)
	}
}

func TestDocumentAgentKinds(t *testing.T) {
	text, d := describe(t, feedback.AgentKinds{"RED", "GREEN", "BLUE"})
	for _, name := range []string{"AgentRun", "StartAgentRunRequest"} {
		kind := d.root["components"].(object)["schemas"].(object)[name].(object)["properties"].(object)["agentKind"].(object)
		if got := fmt.Sprint(kind["enum"]); got != "[RED GREEN BLUE]" {
			t.Errorf("%s.agentKind is one of %s", name, got)
		}
	}
	if bytes.Contains(text, []byte("KIND_A")) {
		t.Error("the document still speaks of KIND_A")
	}
}

// TestDocumentGolden shows every change of the contract in review.
func TestDocumentGolden(t *testing.T) {
	text, _ := describe(t, feedback.DefaultAgentKinds())
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("the document is not that of %s; if it should be, run go test ./internal/api -run Golden -update", golden)
	}
}
