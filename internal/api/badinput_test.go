package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// testBadInput sends what is no request to every operation that takes a body.
func testBadInput(t *testing.T, w *world) {
	own := w.newPlace(t).fixture(t)
	deep := func(n int) string {
		return `{"name":` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `}`
	}
	exact := func(n int) string { // a body of n bytes that is an object
		return `{"x":"` + strings.Repeat("x", n-len(`{"x":""}`)) + `"}`
	}
	for _, op := range w.doc.ops {
		if op.method == "GET" {
			continue
		}
		base := own.request(op, nil)
		asked, _ := op.node["requestBody"].(object)
		needed := asked["required"] == true
		for _, c := range []struct {
			name   string
			body   any
			header http.Header
			status int
			code   string
		}{
			{"cut off", `{"a":`, nil, 400, "INVALID_JSON"},
			{"no value", `{"a":}`, nil, 400, "INVALID_JSON"},
			{"two values", `{}{}`, nil, 400, "INVALID_JSON"},
			{"trailing comma", `{"a":1,}`, nil, 400, "INVALID_JSON"},
			{"single quotes", `{'a':1}`, nil, 400, "INVALID_JSON"},
			{"comment", `{/* */}`, nil, 400, "INVALID_JSON"},
			{"bare word", `hello`, nil, 400, "INVALID_JSON"},
			{"NaN", `{"a":NaN}`, nil, 400, "INVALID_JSON"},
			{"leading zero", `{"a":01}`, nil, 400, "INVALID_JSON"},
			{"control character", "{\"a\":\"\x01\"}", nil, 400, "INVALID_JSON"},
			{"raw NUL", "{\"a\":\"\x00\"}", nil, 400, "INVALID_JSON"},
			{"byte order mark", "\ufeff{}", nil, 400, "INVALID_JSON"},
			{"form", `a=1&b=2`, nil, 400, "INVALID_JSON"},
			{"twice", `{"a":1,"a":1}`, nil, 400, "INVALID_JSON"},
			{"twice, escaped", `{"a":1,"\u0061":1}`, nil, 400, "INVALID_JSON"},
			{"twice, inside", `{"a":{"b":1,"b":2}}`, nil, 400, "INVALID_JSON"},
			{"bad UTF-8", "{\"a\":\"\xff\"}", nil, 400, "INVALID_JSON"},
			{"cut UTF-8", "{\"a\":\"\xe2\x82\"}", nil, 400, "INVALID_JSON"},
			{"long UTF-8", "{\"a\":\"\xc0\xaf\"}", nil, 400, "INVALID_JSON"},
			{"encoded surrogate", "{\"a\":\"\xed\xa0\x80\"}", nil, 400, "INVALID_JSON"},
			{"lone surrogate", `{"a":"\ud800"}`, nil, 400, "INVALID_JSON"},
			{"lone low surrogate", `{"a":"\udc00x"}`, nil, 400, "INVALID_JSON"},
			{"surrogates reversed", `{"a":"\udc00\ud800"}`, nil, 400, "INVALID_JSON"},
			{"bad UTF-8 in a name", "{\"\xff\":1}", nil, 400, "INVALID_JSON"},
			{"UTF-16", "\xff\xfe{\x00}\x00", nil, 400, "INVALID_JSON"},
			{"too deep", deep(20_000), nil, 400, "INVALID_JSON"},
			{"not quite too deep", deep(9_000), nil, 422, "VALIDATION_FAILED"},
			{"too long", exact(256<<10 + 1), nil, 400, "INVALID_REQUEST"},
			{"as long as may be", exact(256 << 10), nil, 422, "VALIDATION_FAILED"},
			{"much too long", strings.Repeat(" ", 5<<20), nil, 400, "INVALID_REQUEST"},
			{"null", `null`, nil, 422, "VALIDATION_FAILED"},
			{"array", `[]`, nil, 422, "VALIDATION_FAILED"},
			{"string", `"{}"`, nil, 422, "VALIDATION_FAILED"},
			{"number", `1e400`, nil, 422, "VALIDATION_FAILED"},
			{"unknown member", `{"__proto__":{}}`, nil, 422, "VALIDATION_FAILED"},
			{"many unknown members", manyMembers(20_000), nil, 422, "VALIDATION_FAILED"},
			{"no type", `{"x":1}`, http.Header{"Content-Type": nil}, 400, "INVALID_REQUEST"},
			{"empty type", `{"x":1}`, http.Header{"Content-Type": {""}}, 400, "INVALID_REQUEST"},
			{"text", `{"x":1}`, http.Header{"Content-Type": {"text/plain"}}, 400, "INVALID_REQUEST"},
			{"form type", `{"x":1}`, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, 400, "INVALID_REQUEST"},
			{"nearly JSON", `{"x":1}`, http.Header{"Content-Type": {"application/jsonp"}}, 400, "INVALID_REQUEST"},
			{"broken type", `{"x":1}`, http.Header{"Content-Type": {"application/json; charset"}}, 400, "INVALID_REQUEST"},
			{"other charset", `{"x":1}`, http.Header{"Content-Type": {"application/json; charset=latin1"}}, 400, "INVALID_REQUEST"},
			{"compressed", `{"x":1}`, http.Header{"Content-Encoding": {"gzip"}}, 400, "INVALID_REQUEST"},
			{"not compressed", `{"x":1}`, http.Header{"Content-Encoding": {"Identity"}}, 422, "VALIDATION_FAILED"},
			{"UTF-8", `{"x":1}`, http.Header{"Content-Type": {"Application/JSON; Charset=UTF-8"}}, 422, "VALIDATION_FAILED"},
		} {
			q := base
			q.body, q.header = c.body, c.header
			res := w.do(t, q)
			if res.status != c.status || res.code() != c.code {
				t.Errorf("%s, %s: %d %s; want %d %s", op.id, c.name, res.status, res.raw, c.status, c.code)
			}
			if len(res.raw) > 64<<10 {
				t.Errorf("%s, %s: an answer of %d bytes", op.id, c.name, len(res.raw))
			}
		}
		// Nothing is enough only where nothing is asked for.
		for _, body := range []any{nil, "", " \n"} {
			q := base
			q.body = body
			if needed {
				w.do(t, q).wantError(t, 400, "INVALID_REQUEST")
			}
		}
	}
}

// testLongBody holds that a client that sends everything before it reads anything
// is answered too, however far beyond the limit it goes and whatever is wrong with
// the request; and that one that asks first is told without sending anything.
func testLongBody(t *testing.T, w *world) {
	body := bytes.Repeat([]byte(" "), 12<<20) // more than the system keeps for a reader that has gone
	for _, c := range []struct {
		method, path, key string
		status            int
		code              string
	}{
		{"POST", "/v1/sites/" + w.site + "/boards", w.all, 400, "INVALID_REQUEST"},
		{"POST", "/v1/sites/" + w.site + "/boards", "junk", 401, "UNAUTHENTICATED"},
		{"POST", "/v1/sites/" + w.site + "/boards", w.freeKey, 402, "UPGRADE_REQUIRED"},
		{"POST", "/v1/sites/" + w.site + "/boards", w.readOnly, 403, "SCOPE_REQUIRED"},
		{"POST", "/v1/nothing", w.all, 404, "ROUTE_NOT_FOUND"},
		{"PUT", "/v1/sites", w.all, 405, "METHOD_NOT_ALLOWED"},
	} {
		for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
			conn, err := net.Dial("tcp", w.srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: heed\r\nAuthorization: Bearer %s\r\n%sContent-Length: %d\r\n\r\n", c.method, c.path, c.key, expect, len(body))
			if expect == "" {
				if _, err := conn.Write(body); err != nil {
					t.Fatalf("%d: the body was not taken: %v", c.status, err)
				}
			}
			answers := bufio.NewReader(conn)
			res, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode == 100 && c.status == 400 { // only the body is wrong
				if _, err := conn.Write(body); err != nil {
					t.Fatal(err)
				}
				if res, err = http.ReadResponse(answers, nil); err != nil {
					t.Fatal(err)
				}
			}
			raw, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			(&response{res.StatusCode, res.Header, raw}).wantError(t, c.status, c.code)
		}
	}
}

func manyMembers(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `,"%d":0`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// testBadQuery sends what is no query to every operation.
func testBadQuery(t *testing.T, w *world) {
	own := w.newPlace(t).fixture(t)
	for _, op := range w.doc.ops {
		q := own.request(op, nil)
		sep := "?"
		if strings.Contains(q.path, "?") {
			sep = "&"
		}
		for _, c := range []struct{ query, reason string }{
			{"x=%zz", "query"}, {"x=%", "query"}, {"x=%4", "query"}, {"%zz=1", "query"}, {"a=1;b=2", "query"}, {"x=%ff", "utf8"}, {"%c0%af=1", "utf8"},
			{"x=%ed%a0%80", "utf8"},
		} {
			bad := q
			bad.path += sep + c.query
			res := w.do(t, bad).wantError(t, 400, "INVALID_REQUEST")
			if res.details()["reason"] != c.reason {
				t.Errorf("%s ?%s: reason %v; want %s", op.id, c.query, res.details()["reason"], c.reason)
			}
		}
		for _, p := range op.parameters("path") {
			name := p["name"].(string)
			bad := q
			bad.path = strings.Replace(q.path, own.ids[name], "%ff", 1)
			if bad.path != q.path {
				w.do(t, bad).wantError(t, 400, "INVALID_REQUEST")
			}
		}
		for _, p := range op.parameters("query") {
			twice := q
			twice.path += sep + p["name"].(string) + "=a&" + p["name"].(string) + "=b"
			if res := w.do(t, twice).wantError(t, 422, "VALIDATION_FAILED"); !slices.Contains(res.fields(), p["name"].(string)+":once") {
				t.Errorf("%s: %s twice: %v", op.id, p["name"], res.fields())
			}
		}
		// What means nothing here is passed over.
		if op.method == "GET" {
			extra := q
			extra.path += sep + "utm_source=x&fields="
			if res := w.do(t, extra); res.status != 200 {
				t.Errorf("%s with a parameter of no meaning = %d %s", op.id, res.status, res.raw)
			}
		}
	}
}

// testHostileStrings puts hostile texts, and values of every other type, into
// every member of every body and every parameter there is: whatever comes back
// is an answer, never a fault of ours.
func testHostileStrings(t *testing.T, w *world) {
	own := w.newPlace(t).fixture(t)
	taken := map[string]bool{}
	others := []any{nil, true, 0, -1, 1.5, 1e300, []any{}, []any{nil}, []any{[]any{}}, object{}, object{"$gt": ""}}
	for _, op := range w.doc.ops {
		body := w.doc.body(op)
		if body == nil {
			continue
		}
		defer func() {
			// These take ids, outcomes and types only.
			if !taken[op.id] && op.id != "mergePosts" && op.id != "completeAgentRun" && op.id != "testWebhookEndpoint" {
				t.Errorf("%s took none of these: the test tests nothing", op.id)
			}
		}()
		for _, name := range slices.Sorted(maps.Keys(body["properties"].(object))) {
			values := slices.Clone(others)
			for _, s := range hostileStrings() {
				values = append(values, s)
			}
			for i, v := range values {
				// Nothing but the text at hand may stand in the way: the run is
				// not over, no name is taken, and what need not be there is not.
				if op.id == "completeAgentRun" || i == 0 && strings.HasPrefix(op.path, "/v1/automation/runs/") {
					own.ids["runId"] = own.run(t, "")
				}
				q := own.request(op, nil)
				sent := q.body.(object)
				for member := range sent {
					if required, _ := body["required"].([]any); !slices.Contains(required, any(member)) {
						delete(sent, member)
					}
				}
				if sent["name"] != nil {
					sent["name"] = fmt.Sprint(name, i)
				}
				sent[name] = v
				res := w.do(t, q)
				taken[op.id] = taken[op.id] || res.status < 300
				if s, isText := v.(string); res.status >= 500 || res.status == 400 || isText && strings.Contains(s, "\x00") && res.status < 400 {
					t.Errorf("%s: %s = %q: %d %s", op.id, name, fmt.Sprint(v), res.status, res.raw)
				}
				if v, ok := v.(string); ok && res.status < 300 {
					if echo, ok := res.object()[name].(string); ok && echo != v {
						t.Errorf("%s: %s = %q came back as %q", op.id, name, v, echo)
					}
				}
			}
		}
	}
	for _, op := range w.doc.ops {
		for _, in := range []string{"path", "query"} {
			for _, p := range op.parameters(in) {
				for _, s := range append(hostileStrings(), "9223372036854775808", "-", "+", "0x10", "1e2") {
					q := own.request(op, map[position]string{{in, p["name"].(string)}: s})
					if res := w.do(t, q); res.status >= 500 {
						t.Errorf("%s: %s = %q: %d %s", op.id, p["name"], s, res.status, res.raw)
					}
				}
			}
		}
	}
}
