package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// object is any JSON object.
type object = map[string]any

// document is the served OpenAPI document as a test reads it: what responses
// are held against and what cases are generated from.
type document struct {
	root     object
	ops      []documented
	anchors  []string // the sections of the page that explains errors
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

// documented is one operation of the document.
type documented struct {
	id, method, path string
	scope            string
	node             object
	matches          *regexp.Regexp
}

const documentURL = "https://heed.example/openapi.json"

func readDocument(t testing.TB, text []byte) *document {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("the document is not JSON: %v", err)
	}
	d := &document{root: parsed.(object), compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020) // the dialect of OpenAPI 3.1
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, parsed); err != nil {
		t.Fatalf("the document is no resource of schemas: %v", err)
	}
	paths := d.root["paths"].(object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := paths[path].(object)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			node := methods[method].(object)
			op := documented{id: node["operationId"].(string), method: strings.ToUpper(method), path: path, node: node}
			security := node["security"].([]any)[0].(object)["bearer"].([]any)
			op.scope = security[0].(string)
			op.matches = regexp.MustCompile("^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, `[^/]+`) + "$")
			d.ops = append(d.ops, op)
		}
	}
	return d
}

func (d *document) operation(id string) documented {
	i := slices.IndexFunc(d.ops, func(op documented) bool { return op.id == id })
	if i < 0 {
		panic("no operation " + id)
	}
	return d.ops[i]
}

// at follows a reference of the document, or returns the node itself.
func (d *document) at(node object) object {
	ref, ok := node["$ref"].(string)
	if !ok {
		return node
	}
	node = d.root
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		if node, ok = node[step].(object); !ok {
			panic("the reference " + ref + " leads nowhere")
		}
	}
	return node
}

// schema compiles the schema at a place of the document, given as the steps to
// it.
func (d *document) schema(t testing.TB, steps ...string) *jsonschema.Schema {
	t.Helper()
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	pointer := ""
	for _, s := range steps {
		pointer += "/" + escape.Replace(s)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.compiled[pointer]; s != nil {
		return s
	}
	s, err := d.compiler.Compile(documentURL + "#" + pointer)
	if err != nil {
		t.Fatalf("schema at %s: %v", pointer, err)
	}
	d.compiled[pointer] = s
	return s
}

func (op *documented) steps(more ...string) []string {
	return append([]string{"paths", op.path, strings.ToLower(op.method)}, more...)
}

// parameters of an operation in one place: path, query or header.
func (op *documented) parameters(in string) []object {
	var out []object
	all, _ := op.node["parameters"].([]any)
	for _, p := range all {
		if p := p.(object); p["in"] == in {
			out = append(out, p)
		}
	}
	return out
}

// body returns the schema of the request's body, nil for none.
func (d *document) body(op documented) object {
	b, ok := op.node["requestBody"].(object)
	if !ok {
		return nil
	}
	return d.at(b["content"].(object)["application/json"].(object)["schema"].(object))
}

// success is the one status below 300 of an operation.
func (d *document) success(id string) int {
	op := d.operation(id)
	for code := range op.node["responses"].(object) {
		if n, _ := strconv.Atoi(code); n < 300 {
			return n
		}
	}
	panic(op.id + " never succeeds")
}

// check holds a response against the document. It returns what disagrees.
func (d *document) check(t testing.TB, method, path string, res *response) error {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	if !strings.HasPrefix(path, "/v1") {
		return nil
	}
	if res.status >= 400 {
		if err := d.checkError(t, res); err != nil {
			return err
		}
	}
	// These belong to no operation.
	switch {
	case res.status == http.StatusMethodNotAllowed, res.status == http.StatusInternalServerError,
		res.status == http.StatusServiceUnavailable, res.status == 404 && res.code() == "ROUTE_NOT_FOUND":
		return nil
	}
	i := slices.IndexFunc(d.ops, func(op documented) bool { return op.method == method && op.matches.MatchString(path) })
	if i < 0 {
		return fmt.Errorf("no operation of the document answers %s %s", method, path)
	}
	op, code := d.ops[i], strconv.Itoa(res.status)
	described, ok := op.node["responses"].(object)[code].(object)
	if !ok {
		return fmt.Errorf("%s: the status %s is not documented", op.id, code)
	}
	steps := op.steps("responses", code)
	if described["$ref"] != nil {
		steps, described = []string{"components", "responses", code}, d.at(described)
	}
	if described["content"] == nil {
		if len(res.raw) > 0 {
			return fmt.Errorf("%s: a body where none is documented", op.id)
		}
		return nil
	}
	if got := res.header.Get("Content-Type"); got != "application/json" {
		return fmt.Errorf("%s: Content-Type %q", op.id, got)
	}
	if err := d.schema(t, append(steps, "content", "application/json", "schema")...).Validate(decodeJSON(res.raw)); err != nil {
		return fmt.Errorf("%s %s: %w", op.id, code, err)
	}
	return nil
}

// anchors finds the sections of the page of errors.
var anchors = regexp.MustCompile(`<section id="([A-Z_]+)">`)

// checkError holds an error against what all errors have. A hint may be missing
// only where there is no step that would help.
func (d *document) checkError(t testing.TB, res *response) error {
	t.Helper()
	if err := d.schema(t, "components", "schemas", "Error").Validate(decodeJSON(res.raw)); err != nil {
		return fmt.Errorf("error body: %w", err)
	}
	e := res.object()["error"].(object)
	code, _ := e["code"].(string)
	if !regexp.MustCompile(`^[A-Z_]+$`).MatchString(code) {
		return fmt.Errorf("error.code %q", code)
	}
	if e["docs"] != baseURL+"/docs/errors#"+code || !slices.Contains(d.anchors, code) {
		return fmt.Errorf("error.docs %q leads nowhere", e["docs"])
	}
	if message, _ := e["message"].(string); message == "" || strings.Contains(message, "  ") {
		return fmt.Errorf("error.message %q", message)
	}
	details, ok := e["details"].(object)
	if !ok {
		return fmt.Errorf("%s carries no details", code)
	}
	if hint, _ := e["hint"].(string); hint == "" && code != "INTERNAL" && details["reason"] != "already_undone" {
		return fmt.Errorf("%s carries no hint", code)
	}
	return nil
}

func decodeJSON(raw []byte) any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fmt.Sprintf("not JSON: %v", err)
	}
	return v
}

func encodeJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("encode %v: %v", v, err)
	}
	return b
}
