package api_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// fixture is a site with one of everything that an operation can name.
type fixture struct {
	*place
	ids map[string]string // by the name of the parameter or member
}

func (p *place) fixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{p, map[string]string{"siteId": p.id, "boardId": p.board, "statusId": p.status["Planned"], "doneStatusId": p.status["Done"]}}
	f.ids["postId"], f.ids["winnerId"] = p.post(t, "A post"), p.post(t, "The winner")
	f.ids["postIds"] = f.ids["winnerId"]
	f.ids["parentId"] = p.comment(t, f.ids["postId"], "Said first.")
	loser := p.post(t, "A loser")
	f.ids["actionId"] = p.must(t, "POST", p.postPath(loser)+"/merge", object{"winnerId": f.ids["winnerId"]})["actionId"].(string)
	f.ids["entryId"] = p.entry(t, "News")
	f.ids["changelogEntryId"] = f.ids["entryId"]
	f.ids["runId"] = p.run(t, p.post(t, "Worked on"))
	hooks := "/v1/sites/" + p.id + "/webhook-endpoints"
	f.ids["endpointId"] = p.must(t, "POST", hooks, object{"url": "https://hooks.example.com/"})["id"].(string)
	f.ids["deliveryId"] = p.must(t, "POST", hooks+"/"+f.ids["endpointId"]+"/test", object{})["id"].(string)
	return f
}

// notIDs are members that are called ids and name nothing of ours.
var notIDs = []string{"onBehalfVisitorId"}

// position is a place in a request where an id stands.
type position struct{ in, name string }

// positions are all places of an operation where an id stands. They come from
// the document, so a new operation is covered when it is described; the fixture
// must know every kind of id there is.
func (f *fixture) positions(t testing.TB, op documented) []position {
	t.Helper()
	var out []position
	add := func(in, name string) {
		if (strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Ids")) && !slices.Contains(notIDs, name) {
			if f.ids[name] == "" {
				t.Errorf("%s: the fixture knows no %s", op.id, name)
			}
			out = append(out, position{in, name})
		}
	}
	for _, in := range []string{"path", "query"} {
		for _, p := range op.parameters(in) {
			add(in, p["name"].(string))
		}
	}
	if body := f.doc.body(op); body != nil {
		for _, name := range slices.Sorted(maps.Keys(body["properties"].(object))) {
			add("body", name)
		}
	}
	return out
}

// request makes a request for an operation that names the ids given, and that
// otherwise is the example of the document.
func (f *fixture) request(op documented, ids map[position]string) request {
	at := func(in, name string) string {
		if id, ok := ids[position{in, name}]; ok {
			return id
		}
		return f.ids[name]
	}
	q := request{method: op.method, path: op.path, key: f.key}
	for _, p := range op.parameters("path") {
		name := p["name"].(string)
		q.path = strings.Replace(q.path, "{"+name+"}", url.PathEscape(at("path", name)), 1)
	}
	query := url.Values{}
	for _, p := range op.parameters("query") {
		switch name := p["name"].(string); {
		case at("query", name) != "":
			query.Set(name, at("query", name))
		case p["required"] == true:
			query.Set(name, "text")
		}
	}
	if len(query) > 0 {
		q.path += "?" + query.Encode()
	}
	if b, ok := op.node["requestBody"].(object); ok {
		body := object{}
		maps.Copy(body, b["content"].(object)["application/json"].(object)["example"].(object))
		for name := range body {
			id := at("body", name)
			if _, many := body[name].([]any); many && id != "" {
				body[name] = []any{id}
			} else if id != "" {
				body[name] = id
			}
		}
		q.body = body
	}
	return q
}
