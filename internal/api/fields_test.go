package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// absent takes a member out of a body.
type absent struct{}

// field is one value of one member and the rule it breaks; none: it is taken.
type field struct {
	member string
	value  any
	rule   string
}

// chars is n code points of four bytes each: limits count neither bytes nor
// UTF-16 units.
func chars(n int) string { return strings.Repeat("😀", n) }

// textFields are the cases that every text with these bounds has.
func textFields(member string, low, high int, notBlank bool) []field {
	cs := []field{{member, 7, "type"}, {member, true, "type"}, {member, []any{}, "type"}, {member, object{}, "type"}, {member, nil, "null"}, {member, "a\x00b", "nul"}}
	if low > 0 {
		cs = append(cs, field{member, "", "minLength"}, field{member, "x", ""})
	} else {
		cs = append(cs, field{member, "", ""})
	}
	if high > 0 {
		cs = append(cs, field{member, chars(high), ""}, field{member, chars(high + 1), "maxLength"})
	}
	blank := ""
	if notBlank {
		blank = "blank"
	}
	for _, s := range []string{" ", "\t\r\n ", "\u00a0\u3000", "\u200b\ufeff"} {
		cs = append(cs, field{member, s, blank})
	}
	return cs
}

func enumFields(member string, values ...string) []field {
	cs := []field{{member, 7, "type"}, {member, nil, "null"}, {member, "", "enum"}, {member, strings.ToLower(values[0]), "enum"}, {member, values[0] + " ", "enum"}, {member, "OTHER", "enum"}}
	for _, v := range values {
		cs = append(cs, field{member, v, ""})
	}
	return cs
}

func flagFields(member string) []field {
	return []field{{member, true, ""}, {member, false, ""}, {member, absent{}, ""}, {member, nil, "null"}, {member, "true", "type"}, {member, 1, "type"}}
}

// refFields are the cases of an id in a body; that it names nothing is judged
// elsewhere.
func refFields(member string, required bool) []field {
	cs := []field{{member, 7, "type"}, {member, nil, "null"}, {member, "", "minLength"}, {member, []any{"x"}, "type"}}
	if required {
		return append(cs, field{member, absent{}, "required"})
	}
	return append(cs, field{member, absent{}, ""})
}

// testFields sends each member of each body at both edges of its rules.
func testFields(t *testing.T, w *world) {
	p := w.newPlace(t)
	post := p.post(t, "A post")
	n := 0
	name := func() string { n++; return fmt.Sprintf("name %d", n) }
	posts := func(path string) func() (string, string) {
		return func() (string, string) { return "POST", path }
	}
	freshRun := func(act string) func() (string, string) {
		return func() (string, string) { return "POST", "/v1/automation/runs/" + p.run(t, "") + "/" + act }
	}
	for _, op := range []struct {
		id     string
		at     func() (method, path string)
		base   func() object // a body that is taken
		fields [][]field
	}{
		{"createBoard", posts(p.path + "/boards"), func() object { return object{"name": name()} }, [][]field{
			textFields("name", 1, 80, true), {{"name", absent{}, "required"}},
			textFields("description", 0, 2000, false), flagFields("private"),
			{
				{"slug", "", "minLength"}, {"slug", nil, "null"}, {"slug", 1, "type"}, {"slug", absent{}, ""}, {"slug", "a-1", ""}, {"slug", "-", ""},
				{"slug", strings.Repeat("a", 60), ""}, {"slug", strings.Repeat("a", 61), "maxLength"}, {"slug", "A", "pattern"}, {"slug", "a b", "pattern"},
				{"slug", "a_b", "pattern"}, {"slug", "ä", "pattern"}, {"slug", "a\n", "pattern"}, {"slug", "a\x00", "nul"},
			},
		}},
		{"createPost", posts(p.path + "/posts"), func() object { return object{"boardId": p.board, "title": "T", "onBehalfVisitorId": "v"} }, [][]field{
			textFields("title", 1, 200, true), {{"title", absent{}, "required"}}, refFields("boardId", true),
			textFields("body", 0, 20000, false), {{"body", absent{}, ""}},
			textFields("onBehalfVisitorId", 1, 200, false), {{"onBehalfVisitorId", absent{}, "required"}},
		}},
		{"changePostStatus", func() (string, string) { return "PUT", p.postPath(post) + "/status" },
			func() object { return object{"statusId": p.status["Open"]} }, [][]field{
				textFields("note", 0, 2000, true), {{"note", absent{}, ""}},
				{{"statusId", absent{}, "required"}, {"statusId", nil, ""}, {"statusId", "", "minLength"}, {"statusId", 3, "type"}, {"statusId", false, "type"}},
			}},
		{"mergePosts", posts(p.postPath(post) + "/merge"), func() object { return object{"winnerId": post} }, [][]field{refFields("winnerId", true)}},
		{"createComment", posts(p.postPath(post) + "/comments"), func() object { return object{"body": "b"} }, [][]field{
			textFields("body", 1, 10000, false), {{"body", absent{}, "required"}}, refFields("parentId", false), flagFields("internal"),
		}},
		{"createVote", posts(p.postPath(post) + "/votes"), func() object { return object{"onBehalfVisitorId": "v"} }, [][]field{
			textFields("onBehalfVisitorId", 1, 200, false), {{"onBehalfVisitorId", absent{}, "required"}},
		}},
		{"createStatus", posts(p.path + "/statuses"), func() object { return object{"name": name()} }, [][]field{
			textFields("name", 1, 40, true), {{"name", absent{}, "required"}}, flagFields("doneFlag"), flagFields("showOnRoadmap"),
			enumFields("notifyMode", "NOTIFY", "SILENT", "NOTIFY_WITH_NOTE"), {{"notifyMode", absent{}, ""}},
			{
				{"color", "#00ff7F", ""}, {"color", absent{}, ""}, {"color", nil, "null"}, {"color", 1, "type"}, {"color", "", "pattern"},
				{"color", "00ff7f", "pattern"}, {"color", "#00ff7", "pattern"}, {"color", "#00ff7f0", "pattern"}, {"color", "#00ff7g", "pattern"},
				{"color", "#00ff7f\n", "pattern"}, {"color", "red", "pattern"},
			},
		}},
		{"startAgentRun", posts("/v1/automation/runs"), func() object { return object{"siteId": p.id, "agentKind": "KIND_A"} }, [][]field{
			refFields("siteId", true), enumFields("agentKind", "KIND_A", "KIND_B", "KIND_C"), {{"agentKind", absent{}, "required"}},
			refFields("postId", false), textFields("repo", 1, 0, false), {{"repo", absent{}, ""}},
			enumFields("mode", "AUTOPILOT", "MANUAL"), {{"mode", absent{}, ""}}, textFields("title", 1, 300, true), {{"title", absent{}, ""}},
		}},
		{"appendAgentRunStep", freshRun("steps"), func() object { return object{"tone": "DONE", "label": "L"} }, [][]field{
			enumFields("tone", "DONE", "BUILDING", "CLOSED", "FAILED"), {{"tone", absent{}, "required"}},
			textFields("label", 1, 300, true), {{"label", absent{}, "required"}},
			textFields("detail", 0, 0, false), textFields("code", 0, 0, false), textFields("labelMeta", 0, 0, false), textFields("repo", 0, 0, false),
			{{"detail", absent{}, ""}, {"code", absent{}, ""}, {"labelMeta", absent{}, ""}, {"repo", absent{}, ""}, {"detail", strings.Repeat("d", 100_000), ""}},
			enumFields("ciResult", "NONE", "PENDING", "GREEN", "RED"), {{"ciResult", absent{}, ""}},
			{
				{"at", "2026-02-28T10:00:00Z", ""}, {"at", "2024-02-29T23:59:59.123456789Z", ""}, {"at", "0001-01-01T00:00:00Z", ""}, {"at", "9999-12-31T23:59:59Z", ""},
				{"at", absent{}, ""}, {"at", nil, "null"}, {"at", 1, "type"}, {"at", "", "format"}, {"at", "2026-02-29T10:00:00Z", "format"},
				{"at", "2026-13-01T10:00:00Z", "format"}, {"at", "2026-01-01T24:00:00Z", "format"}, {"at", "2026-01-01T10:00:00+00:00", "format"},
				{"at", "2026-01-01T10:00:00", "format"}, {"at", "2026-01-01 10:00:00Z", "format"}, {"at", "2026-01-01T10:00Z", "format"},
				{"at", "2026-01-01T10:00:00,5Z", "format"}, {"at", "2026-01-01t10:00:00z", "format"}, {"at", "2026-1-01T10:00:00Z", "format"},
				{"at", "2026-01-01T1:00:00Z", "format"}, {"at", "26-01-01T10:00:00Z", "format"}, {"at", " 2026-01-01T10:00:00Z", "format"},
				{"at", "2026-01-01T10:00:00.Z", "format"}, {"at", "2026-01-01T10:00:60Z", "format"},
			},
			{
				{"prUrl", "https://git.example.com/a/b/pull/1?x=1#y", ""}, {"prUrl", "urn:isbn:1", ""}, {"prUrl", absent{}, ""}, {"prUrl", nil, "null"}, {"prUrl", 1, "type"},
				{"prUrl", "", "pattern"}, {"prUrl", "/relative", "pattern"}, {"prUrl", "git.example.com/a", "pattern"}, {"prUrl", "https://a b", "pattern"},
				{"prUrl", "https://é.example", "pattern"}, {"prUrl", "https:", "pattern"}, {"prUrl", "1https://x", "pattern"}, {"prUrl", "https://x/%zz", "pattern"},
				{"prUrl", "https://x/%41", ""}, {"prUrl", "https://x/<b>", "pattern"}, {"prUrl", "https://x/\n", "pattern"}, {"prUrl", "https://[::1]:80/x", ""},
			},
			{
				{"prNumber", 12, ""}, {"prNumber", 0, ""}, {"prNumber", -1, ""}, {"prNumber", absent{}, ""}, {"prNumber", nil, "null"}, {"prNumber", "12", "type"},
				{"prNumber", 1.5, "type"}, {"prNumber", int64(1) << 62, ""}, {"prNumber", 1e30, "type"}, {"prNumber", true, "type"},
				{"prNumber", json.Number("12.0"), ""}, {"prNumber", json.Number("1.2E+1"), ""}, {"prNumber", json.Number("120e-1"), ""}, {"prNumber", json.Number("-0"), ""},
				{"prNumber", json.Number("0.0e99"), ""}, {"prNumber", json.Number("-1e2"), ""}, {"prNumber", json.Number("9223372036854775807"), ""},
				{"prNumber", json.Number("9223372036854775808"), "type"}, {"prNumber", json.Number("1e-400"), "type"}, {"prNumber", json.Number("1e400"), "type"},
				{"prNumber", json.Number("1e99999999999999999999"), "type"}, {"prNumber", json.Number("12.0000000000000000001"), "type"}, {"prNumber", json.Number("125e-1"), "type"},
			},
		}},
		{"completeAgentRun", freshRun("complete"), func() object { return object{"outcome": "BLOCKED"} }, [][]field{
			enumFields("outcome", "SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"), {{"outcome", absent{}, "required"}, {"outcome", "RUNNING", "enum"}},
			refFields("changelogEntryId", false), refFields("doneStatusId", false),
		}},
		{"createChangelogEntry", posts(p.path + "/changelog"), func() object { return object{"title": "T", "body": "B"} }, [][]field{
			textFields("title", 1, 200, true), {{"title", absent{}, "required"}}, textFields("body", 0, 50000, false), {{"body", absent{}, "required"}},
			textFields("label", 1, 40, true), {{"label", absent{}, ""}},
			{
				{"postIds", []any{}, ""}, {"postIds", []any{post, post}, ""}, {"postIds", absent{}, ""}, {"postIds", nil, "null"}, {"postIds", "x", "type"},
				{"postIds", slices.Repeat([]any{post}, 100), ""}, {"postIds", slices.Repeat([]any{post}, 101), "maxItems"},
			},
		}},
	} {
		t.Run(op.id, func(t *testing.T) {
			base := op.base()
			for _, unknown := range []string{"zip", strings.ToUpper(slices.Sorted(maps.Keys(base))[0]), ""} {
				op.fields = append(op.fields, []field{{unknown, 1, "unknown"}})
			}
			for _, f := range slices.Concat(op.fields...) {
				body := op.base()
				body[f.member] = f.value
				if f.value == (any)(absent{}) {
					delete(body, f.member)
				}
				method, path := op.at()
				res := w.call(t, method, path, body)
				switch {
				case f.rule == "" && res.status == w.doc.success(op.id):
				case f.rule != "" && res.status == 422 && res.code() == "VALIDATION_FAILED" && slices.Equal(res.fields(), []string{cmp.Or(f.member, `""`) + ":" + f.rule}):
				default:
					t.Errorf("%s = %.60q: %d %s %v; want rule %q", f.member, fmt.Sprint(f.value), res.status, res.code(), res.fields(), f.rule)
				}
			}
		})
	}
}

// testAllFieldsAtOnce holds that every member at fault is named in one answer.
func testAllFieldsAtOnce(t *testing.T, w *world) {
	p := w.newPlace(t)
	post, run := p.post(t, "A post"), p.run(t, "")
	for _, c := range []struct {
		method, path string
		body         any
		want         []string
	}{
		{"POST", p.path + "/boards", object{"name": "", "description": chars(2001), "private": 1, "slug": "A", "z": 1, "y": 1},
			[]string{"private:type", "y:unknown", "z:unknown", "name:minLength", "description:maxLength", "slug:pattern"}},
		{"POST", p.path + "/posts", object{"title": nil, "body": "\x00"},
			[]string{"boardId:required", "title:null", "onBehalfVisitorId:required", "body:nul"}},
		{"PUT", p.postPath(post) + "/status", object{"note": chars(2001)}, []string{"statusId:required", "note:maxLength"}},
		{"POST", p.postPath(post) + "/comments", object{"internal": "no"}, []string{"body:required", "internal:type"}},
		{"POST", "/v1/automation/runs", object{"repo": "", "title": " ", "mode": "x"},
			[]string{"siteId:required", "agentKind:required", "repo:minLength", "mode:enum", "title:blank"}},
		{"POST", "/v1/automation/runs/" + run + "/steps", object{"tone": "x", "label": 1, "at": "x", "prUrl": "x", "prNumber": "x", "ciResult": "x"},
			[]string{"label:type", "at:format", "prNumber:type", "tone:enum", "ciResult:enum", "prUrl:pattern"}},
		{"POST", p.path + "/changelog", object{"title": "", "label": "", "postIds": []any{"", 1, nil}},
			[]string{"body:required", "postIds.1:type", "postIds.2:type", "title:minLength", "label:minLength", "postIds.0:minLength"}},
		// A body that is no object has no members to speak of.
		{"POST", p.path + "/posts", `null`, []string{":type"}},
		{"POST", p.path + "/posts", `[]`, []string{":type"}},
		{"POST", p.path + "/posts", `"x"`, []string{":type"}},
		{"POST", "/v1/automation/runs", `7`, []string{":type"}},
		{"POST", p.path + "/actions/act_0000000000001/undo", `[]`, nil}, // 404 first
		// The query is judged like a body.
		{"GET", p.path + "/posts?limit=0", nil, []string{"limit:minimum"}},
		{"GET", p.path + "/posts?limit=101", nil, []string{"limit:maximum"}},
		{"GET", p.path + "/posts?limit=-1", nil, []string{"limit:minimum"}},
		{"GET", p.path + "/posts?limit=", nil, []string{"limit:type"}},
		{"GET", p.path + "/posts?limit=ten", nil, []string{"limit:type"}},
		{"GET", p.path + "/posts?limit=1.0", nil, []string{"limit:type"}},
		{"GET", p.path + "/posts?limit=%2B5", nil, []string{"limit:type"}},
		{"GET", p.path + "/posts?limit=99999999999999999999", nil, []string{"limit:maximum"}},
		{"GET", p.path + "/posts?limit=-99999999999999999999", nil, []string{"limit:minimum"}},
		{"GET", p.path + "/posts?limit=1&limit=2", nil, []string{"limit:once"}},
		{"GET", p.path + "/posts?boardId=" + p.board + "&boardId=" + p.board + "&limit=0", nil, []string{"boardId:once", "limit:minimum"}},
		{"GET", p.path + "/search", nil, []string{"q:required"}},
		{"GET", p.path + "/search?q=", nil, []string{"q:minLength"}},
		{"GET", p.path + "/search?q=a%00b", nil, []string{"q:nul"}},
		{"GET", p.path + "/search?limit=0", nil, []string{"q:required", "limit:minimum"}},
		{"GET", p.path + "/search?q=a&q=b&limit=x", nil, []string{"q:once", "limit:type"}},
		{"GET", "/v1/automation/queue", nil, []string{"siteId:required"}},
		{"GET", "/v1/automation/queue?siteId=", nil, []string{"siteId:minLength"}},
		{"GET", "/v1/automation/queue?siteId=" + p.id + "&siteId=" + p.id, nil, []string{"siteId:once"}},
		{"GET", "/v1/automation/runs?limit=0", nil, []string{"siteId:required", "limit:minimum"}},
		{"GET", "/v1/sites?limit=0", nil, []string{"limit:minimum"}},
		{"GET", p.path + "/boards?limit=101", nil, []string{"limit:maximum"}},
		{"GET", p.path + "/statuses?limit=0", nil, []string{"limit:minimum"}},
		{"GET", p.path + "/changelog?limit=0", nil, []string{"limit:minimum"}},
		{"GET", p.postPath(post) + "/comments?limit=0", nil, []string{"limit:minimum"}},
		{"GET", "/v1/automation/runs/" + run + "/steps?limit=0", nil, []string{"limit:minimum"}},
	} {
		res := w.call(t, c.method, c.path, c.body)
		if c.want == nil {
			res.wantError(t, 404, "NOT_FOUND")
			continue
		}
		res.wantError(t, 422, "VALIDATION_FAILED")
		if got := res.fields(); !slices.Equal(got, c.want) {
			t.Errorf("%s %s %v: fields %v; want %v", c.method, c.path, c.body, got, c.want)
		}
	}
}
