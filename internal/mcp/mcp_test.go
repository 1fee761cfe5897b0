package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"heed/internal/api"
	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/mcp"
	"heed/internal/server"
	"heed/internal/store"
)

// world is a service that agents can reach.
type world struct {
	*httptest.Server
	as *feedbacktest.As
	o  *app.Opened
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	a := feedbacktest.NewApp(t, db)
	o := feedbacktest.OpenAccount(t, a, "Acme", feedback.Studio)
	rest := api.New(api.Config{App: a, BaseURL: "http://heed.example", CursorKey: []byte("mcp")})
	return &world{serve(t, rest), feedbacktest.ByKey(t, a, o), o}
}

// serve puts tools before an API in the way that the program does.
func serve(t *testing.T, rest http.Handler) *httptest.Server {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	metrics := server.NewMetrics(func() server.DatabaseStats { return server.DatabaseStats{} })
	agents, err := mcp.New(document(), server.Observe(rest, metrics, log))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(agents)
	t.Cleanup(s.Close)
	return s
}

func document() []byte { return api.Describe(feedback.DefaultAgentKinds(), "http://heed.example") }

// withKey adds a key to every request, as a client that was told one does.
type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// agent connects as an agent with a key.
func (w *world) agent(t *testing.T, key string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: w.URL, HTTPClient: &http.Client{Transport: withKey(key)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

type args map[string]any

// call returns what a tool answers, and whether it refuses.
func call(t *testing.T, s *sdk.ClientSession, tool string, a args) (map[string]any, bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	out := map[string]any{}
	if json.Unmarshal([]byte(text), &out) != nil {
		out["text"] = text
	} else if len(r.StructuredContent.(map[string]any)) != len(out) {
		t.Errorf("%s: text %s; structured %v", tool, text, r.StructuredContent)
	}
	return out, r.IsError
}

func must(t *testing.T, s *sdk.ClientSession, tool string, a args) map[string]any {
	t.Helper()
	out, refused := call(t, s, tool, a)
	if refused {
		t.Fatalf("%s%v = %v", tool, a, out)
	}
	return out
}

// An agent takes the request that most people want from the queue, does it, and
// those who voted are told.
func TestAgentAtWork(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		s := w.agent(t, w.o.Secret)
		sites := must(t, s, "listSites", nil)["data"].([]any)
		site := sites[0].(map[string]any)["id"].(string)
		w.as.Post("Something else")
		wanted := w.as.Post("Dark mode")
		for _, who := range []string{"ada", "bob"} {
			if got := must(t, s, "createVote", args{"siteId": site, "postId": wanted, "onBehalfVisitorId": who}); got["created"] != true {
				t.Errorf("vote of %s = %v", who, got)
			}
		}
		queue := must(t, s, "getAutopilotQueue", args{"siteId": site})["items"].([]any)
		if first := queue[0].(map[string]any); first["id"] != wanted || first["votes"] != 2.0 {
			t.Errorf("the queue begins with %v", first)
		}
		if c := must(t, s, "getPostContent", args{"siteId": site, "postId": wanted}); c["postId"] != wanted {
			t.Errorf("content = %v", c)
		}
		start := args{"siteId": site, "postId": wanted, "agentKind": "KIND_A", "idempotencyKey": "once"}
		run := must(t, s, "startAgentRun", start)
		if again := must(t, s, "startAgentRun", start); again["id"] != run["id"] || run["status"] != "QUEUED" {
			t.Errorf("started twice: %v, then %v", run, again)
		}
		step := must(t, s, "appendAgentRunStep", args{"runId": run["id"], "tone": "BUILDING", "label": "Colours", "prUrl": "https://example.com/1", "prNumber": 7})
		if step["seq"] != 1.0 {
			t.Errorf("step = %v", step)
		}
		var done string
		for _, st := range must(t, s, "listStatuses", args{"siteId": site, "limit": 100})["data"].([]any) {
			if st := st.(map[string]any); st["doneFlag"] == true && done == "" {
				done = st["id"].(string)
			}
		}
		shipped := must(t, s, "completeAgentRun", args{"runId": run["id"], "outcome": "SHIPPED", "doneStatusId": done})
		if shipped["status"] != "SHIPPED" || shipped["notifiedCount"] != 2.0 {
			t.Errorf("complete = %v", shipped)
		}
		if p := must(t, s, "getPost", args{"siteId": site, "postId": wanted}); p["statusName"] != "Done" {
			t.Errorf("the post is %v", p["statusName"])
		}
		if found := must(t, s, "searchPosts", args{"siteId": site, "q": "dark & mode/?#"})["data"].([]any); len(found) != 1 {
			t.Errorf("search finds %v", found)
		}
	})
}

// What a key may not do, its agent may not do, and hears why as the API says it.
func TestRefusals(t *testing.T) {
	w := newWorld(t, feedbacktest.OpenDB(t, "sqlite"))
	site, post := w.o.Site.ID.String(), w.as.Post("Dark mode")
	all := w.agent(t, w.o.Secret)
	_, readOnly, err := w.as.App.CreateKey(t.Context(), w.o.Account.ID.String(), "", feedback.NewKey{Name: "reader", Scopes: feedback.ReadScopes()})
	if err != nil {
		t.Fatal(err)
	}
	reader := w.agent(t, readOnly)
	stranger := w.agent(t, "heed_nobody")
	for name, c := range map[string]struct {
		s    *sdk.ClientSession
		tool string
		a    args
		code string // or what the text says
	}{
		"scope":            {reader, "createVote", args{"siteId": site, "postId": post, "onBehalfVisitorId": "ada"}, "SCOPE_REQUIRED"},
		"no such key":      {stranger, "listSites", nil, "UNAUTHENTICATED"},
		"unknown site":     {all, "getSite", args{"siteId": "site_0000000000001"}, "NOT_FOUND"},
		"path in an id":    {all, "getSite", args{"siteId": site + "/boards"}, "NOT_FOUND"},
		"query in an id":   {all, "getSite", args{"siteId": site + "?x=1#y"}, "NOT_FOUND"},
		"up":               {all, "listBoards", args{"siteId": ".."}, "no id"},
		"nothing":          {all, "listBoards", args{"siteId": ""}, "no id"},
		"missing id":       {all, "listBoards", nil, `"siteId" is needed`},
		"missing member":   {all, "createVote", args{"siteId": site, "postId": post}, "VALIDATION_FAILED"},
		"wrong type":       {all, "createVote", args{"siteId": site, "postId": post, "onBehalfVisitorId": 7}, "VALIDATION_FAILED"},
		"no such argument": {all, "listPosts", args{"siteId": site, "sort": "votes"}, `no argument "sort"`},
		"list for an id":   {all, "getSite", args{"siteId": []string{site}}, "must be a string"},
		"limit":            {all, "listPosts", args{"siteId": site, "limit": 1000}, "VALIDATION_FAILED"},
		"fraction":         {all, "listPosts", args{"siteId": site, "limit": 1.5}, "VALIDATION_FAILED"},
		"bad key":          {all, "createVote", args{"siteId": site, "postId": post, "onBehalfVisitorId": "ada", "idempotencyKey": "ä"}, "IDEMPOTENCY_KEY_INVALID"},
	} {
		got, refused := call(t, c.s, c.tool, c.a)
		text, _ := json.Marshal(got)
		if plain, ok := got["text"].(string); ok {
			text = []byte(plain)
		}
		if !refused || !strings.Contains(string(text), c.code) {
			t.Errorf("%s: %v, %s; want a refusal with %s", name, refused, text, c.code)
		}
	}
	if votes := must(t, all, "getPost", args{"siteId": site, "postId": post})["voteCount"]; votes != 0.0 {
		t.Errorf("%v votes after refusals", votes)
	}
}

// A bug in an operation is one failed call, and not the end of the process.
func TestPanic(t *testing.T) {
	w := &world{Server: serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("bug") }))}
	s := w.agent(t, "key")
	for range 2 {
		if got, refused := call(t, s, "listSites", nil); !refused || strings.Contains(fmt.Sprint(got), "bug") {
			t.Errorf("a call that panics = %v, %v", got, refused)
		}
	}
}

// Every operation but those with secrets is a tool, with a schema of its own that
// takes what the operation takes.
func TestTools(t *testing.T) {
	w := newWorld(t, feedbacktest.OpenDB(t, "sqlite"))
	var doc struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(document(), &doc); err != nil {
		t.Fatal(err)
	}
	var want []string
	for path, methods := range doc.Paths {
		for _, op := range methods {
			if !strings.Contains(path, "webhook-endpoints") {
				want = append(want, op.OperationID)
			}
		}
	}
	slices.Sort(want)
	list, err := w.agent(t, w.o.Secret).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range list.Tools {
		got = append(got, tool.Name)
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil || strings.Contains(string(schema), "$ref") {
			t.Errorf("%s: schema %s, %v", tool.Name, schema, err)
		}
		if tool.Description == "" || tool.Title == "" || tool.Annotations == nil {
			t.Errorf("%s is not described", tool.Name)
		}
		if reads := strings.HasPrefix(tool.Name, "get") || strings.HasPrefix(tool.Name, "list") || strings.HasPrefix(tool.Name, "search"); reads != tool.Annotations.ReadOnlyHint {
			t.Errorf("%s: read-only is %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	if !slices.Equal(got, want) || len(got) < 21 {
		t.Errorf("tools are %v; want %v", got, want)
	}
}

// A client without a key is told at once that it needs one, in the way that
// clients understand.
func TestWithoutKey(t *testing.T) {
	w := newWorld(t, feedbacktest.OpenDB(t, "sqlite"))
	r, err := http.Post(w.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	if r.StatusCode != http.StatusUnauthorized || r.Header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(string(body), "UNAUTHENTICATED") {
		t.Errorf("without a key: %d, %v, %s", r.StatusCode, r.Header, body)
	}
}

// The address that failed attempts are counted by is that of the connection, and
// no header can be taken for it.
func TestAddress(t *testing.T) {
	var seen []string
	h, err := mcp.New(document(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.RemoteAddr+" "+r.Header.Get("Heed-Remote-Address"))
	}))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(context.Background(), "POST", "/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listSites","arguments":{}}}`))
	r.RemoteAddr = "192.0.2.9:1234"
	for name, value := range map[string]string{
		"Authorization": "Bearer x", "Heed-Remote-Address": "198.51.100.1:1", "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-06-18",
	} {
		r.Header.Set(name, value)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	if !slices.Equal(seen, []string{"192.0.2.9:1234 "}) {
		t.Errorf("the API saw %q; %d %s", seen, rec.Code, rec.Body)
	}
}
