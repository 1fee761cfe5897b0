package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// idempotencyKey is the argument that becomes the header of that name.
const idempotencyKey = "idempotencyKey"

// tool is an operation of the API. All its arguments, whether of the path, the
// query or the body, stand side by side.
type tool struct {
	name, title, description string
	method, path             string
	in                       map[string]string // where each argument goes: path, query, header or body
	hasBody                  bool
	properties               map[string]any // the schema of each argument
	required                 []string
}

// document is what is read of an OpenAPI document.
type document struct {
	Info       struct{ Version string }
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]any }
}

type operation struct {
	OperationID, Summary, Description string
	Parameters                        []struct {
		Name, In, Description string
		Required              bool
		Schema                map[string]any
	}
	RequestBody *struct {
		Content map[string]struct{ Schema map[string]any }
	}
}

// read returns the tools of a document, by name, and its version.
func read(doc []byte) ([]*tool, string, error) {
	var d document
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, "", fmt.Errorf("tools: %w", err)
	}
	var all []*tool
	for path, methods := range d.Paths {
		if strings.Contains(path, "/webhook-endpoints") {
			continue
		}
		for method, op := range methods {
			t, err := d.tool(strings.ToUpper(method), path, op)
			if err != nil {
				return nil, "", fmt.Errorf("tool %s: %w", op.OperationID, err)
			}
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *tool) int { return strings.Compare(a.name, b.name) })
	return all, d.Info.Version, nil
}

func (d *document) tool(method, path string, op operation) (*tool, error) {
	t := &tool{
		name: op.OperationID, title: op.Summary, description: op.Description,
		method: method, path: path, in: map[string]string{}, properties: map[string]any{},
	}
	for _, p := range op.Parameters {
		name := p.Name
		if p.In == "header" {
			if p.Name != "Idempotency-Key" {
				return nil, fmt.Errorf("there is no argument for the header %s", p.Name)
			}
			name = idempotencyKey
		}
		schema := maps.Clone(p.Schema)
		schema["description"] = p.Description
		if err := t.add(name, p.In, p.Required, schema); err != nil {
			return nil, err
		}
	}
	if op.RequestBody == nil {
		return t, nil
	}
	t.hasBody = true
	body, _ := d.resolve(op.RequestBody.Content["application/json"].Schema).(map[string]any)
	properties, _ := body["properties"].(map[string]any)
	required, _ := body["required"].([]any)
	for name, schema := range properties {
		if err := t.add(name, "body", slices.Contains(required, any(name)), schema); err != nil {
			return nil, err
		}
	}
	slices.Sort(t.required)
	return t, nil
}

func (t *tool) add(name, in string, required bool, schema any) error {
	if _, taken := t.in[name]; taken {
		return fmt.Errorf("two arguments are called %s", name)
	}
	t.in[name], t.properties[name] = in, schema
	if required {
		t.required = append(t.required, name)
	}
	return nil
}

// resolve returns a schema with every reference replaced by what it refers to:
// a tool's schema stands alone.
func (d *document) resolve(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		if ref, ok := s["$ref"].(string); ok {
			return d.resolve(d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")])
		}
		out := make(map[string]any, len(s))
		for k, v := range s {
			out[k] = d.resolve(v)
		}
		return out
	case []any:
		out := make([]any, len(s))
		for i, v := range s {
			out[i] = d.resolve(v)
		}
		return out
	}
	return schema
}

// described is the tool as agents see it.
func (t *tool) described() *mcp.Tool {
	closed := false
	schema := map[string]any{"type": "object", "properties": t.properties, "additionalProperties": false}
	if len(t.required) > 0 {
		schema["required"] = t.required
	}
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.method == http.MethodGet,
			IdempotentHint: t.method == http.MethodPut, OpenWorldHint: &closed,
			DestructiveHint: &closed, // a merge can be undone, and nothing else takes away
		},
	}
}

// call is what to ask the API for.
type call struct {
	path string // with the query
	body []byte // nil for none
	key  string // for idempotency
}

// call puts arguments where they belong, or says why that cannot be. Whether they
// are right is for the API to say.
func (t *tool) call(args map[string]json.RawMessage) (c call, refusal string) {
	c.path = t.path
	query := url.Values{}
	members := map[string]json.RawMessage{}
	for name, in := range t.in {
		raw, given := args[name]
		if !given && in == "path" {
			return c, fmt.Sprintf("The argument %q is needed.", name)
		}
		if !given {
			continue
		}
		if in == "body" {
			members[name] = raw
			continue
		}
		text, err := plain(raw)
		if err != nil {
			return c, fmt.Sprintf("The argument %q must be a string or a number.", name)
		}
		switch in {
		case "path":
			if text == "" || text == "." || text == ".." { // would be another path
				return c, fmt.Sprintf("The argument %q is no id.", name)
			}
			c.path = strings.ReplaceAll(c.path, "{"+name+"}", url.PathEscape(text))
		case "query":
			query.Set(name, text)
		case "header":
			c.key = text
		}
	}
	for name := range args {
		if t.in[name] == "" {
			return c, fmt.Sprintf("There is no argument %q. There are: %s.", name, strings.Join(slices.Sorted(maps.Keys(t.in)), ", "))
		}
	}
	if len(query) > 0 {
		c.path += "?" + query.Encode()
	}
	if t.hasBody {
		var err error
		if c.body, err = json.Marshal(members); err != nil {
			return c, "The arguments are no JSON."
		}
	}
	return c, ""
}

// plain is a string or a number as a path or query has it.
func plain(raw json.RawMessage) (string, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		return text, nil
	}
	var number json.Number
	err := json.Unmarshal(raw, &number)
	return number.String(), err
}
