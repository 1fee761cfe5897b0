package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"heed/internal/feedback"
	"heed/internal/wire"
)

// schema is a JSON Schema of OpenAPI 3.1, as far as the API needs one.
type schema struct {
	Ref         string           `json:"$ref,omitempty"`
	Type        any              `json:"type,omitempty"` // a name, or a name and "null"
	Description string           `json:"description,omitempty"`
	Format      string           `json:"format,omitempty"`
	MinLength   *int             `json:"minLength,omitempty"`
	MaxLength   int              `json:"maxLength,omitempty"`
	Pattern     string           `json:"pattern,omitempty"`
	Enum        []any            `json:"enum,omitempty"`
	Minimum     *int             `json:"minimum,omitempty"`
	Maximum     *int             `json:"maximum,omitempty"`
	Default     any              `json:"default,omitempty"`
	Items       *schema          `json:"items,omitempty"`
	MaxItems    int              `json:"maxItems,omitempty"`
	Properties  members[*schema] `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Additional  any              `json:"additionalProperties,omitempty"`
	AnyOf       []*schema        `json:"anyOf,omitempty"`
	Examples    []any            `json:"examples,omitempty"`
}

// members are those of an object, in the order in which they are declared, which
// is the order in which a person reads them best.
type members[V any] []member[V]

type member[V any] struct {
	name  string
	value V
}

// MarshalJSON writes the members as an object.
func (m members[V]) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, e := range m {
		if i > 0 {
			b = append(b, ',')
		}
		v, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		b = append(strconv.AppendQuote(b, e.name), ':')
		b = append(b, v...)
	}
	return append(b, '}'), nil
}

// schemas collects the named schemas of a document.
type schemas struct {
	named map[string]*schema
	kinds feedback.AgentKinds
}

// of returns the schema of a Go type: a reference for a struct, else the schema
// itself. What a text may be comes from its type.
func (s *schemas) of(t reflect.Type) *schema {
	if t.Kind() == reflect.Pointer {
		return s.of(t.Elem())
	}
	switch t {
	case reflect.TypeFor[wire.Time]():
		return &schema{Type: "string", Format: "date-time", Examples: []any{sampleTime}}
	case reflect.TypeFor[utcTime]():
		return &schema{Type: "string", Format: "date-time", Pattern: utcPattern, Examples: []any{"2026-11-15T01:34:10Z"}}
	case reflect.TypeFor[feedback.AgentKind]():
		return &schema{Type: "string", Enum: anys(s.kinds[:]), Examples: []any{s.kinds[0]}}
	case reflect.TypeFor[feedback.URI]():
		return &schema{Type: "string", Format: "uri", Pattern: feedback.URI("").Rule().Pattern.String()}
	case reflect.TypeFor[feedback.EndpointURL]():
		sc := textSchema(feedback.EndpointURL("").Rule())
		sc.Format = "uri"
		return sc
	case reflect.TypeFor[map[string]any](), reflect.TypeFor[json.RawMessage]():
		return &schema{Type: "object", Additional: true}
	}
	zero := reflect.Zero(t).Interface()
	if p, ok := zero.(interface{ Prefix() string }); ok { // a kind of id
		return &schema{Type: "string", Pattern: "^" + p.Prefix() + "_[0-9a-hjkmnp-tv-z]{13}$", Examples: []any{p.Prefix() + sampleDigits}}
	}
	if v, ok := zero.(interface{ Values() []string }); ok {
		return &schema{Type: "string", Enum: anys(v.Values()), Examples: []any{v.Values()[0]}}
	}
	if r, ok := zero.(interface{ Rule() feedback.Text }); ok {
		return textSchema(r.Rule())
	}
	if b, ok := zero.(interface {
		Bounds() (low, high, absent int)
	}); ok {
		low, high, absent := b.Bounds()
		return &schema{Type: "integer", Minimum: &low, Maximum: &high, Default: absent, Examples: []any{absent}}
	}
	switch t.Kind() {
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean", Examples: []any{false}}
	case reflect.Int:
		return &schema{Type: "integer"}
	case reflect.Int64:
		return &schema{Type: "integer", Format: "int64"}
	case reflect.Slice:
		return &schema{Type: "array", Items: s.of(t.Elem())}
	case reflect.Struct:
		return s.object(t)
	}
	panic("api: no schema for " + t.String())
}

const (
	sampleDigits = "_0c8e4w1a2b3d4"
	sampleTime   = "2026-11-15T01:34:10.123Z"
)

func anys(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func textSchema(r feedback.Text) *schema {
	s := &schema{Type: "string", MaxLength: r.Max}
	if r.Min > 0 {
		s.MinLength = &r.Min
	}
	switch {
	case r.Pattern != nil:
		s.Pattern = r.Pattern.String()
	case r.NotBlank:
		s.Pattern = `\S`
	}
	return s
}

// object describes a struct under its name and returns a reference to it. All
// objects are closed.
func (s *schemas) object(t reflect.Type) *schema {
	name := schemaName(t)
	ref := &schema{Ref: "#/components/schemas/" + name}
	if s.named[name] != nil {
		return ref
	}
	o := &schema{Type: "object", Additional: false}
	s.named[name] = o
	request := strings.HasSuffix(name, "Request")
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue // its fields are listed too, as JSON has them
		}
		name := memberName(f)
		p := s.of(f.Type)
		switch f.Type {
		case reflect.TypeFor[[]feedback.Ref]():
			p.MaxItems = feedback.MaxEntryPosts
		case reflect.TypeFor[[]feedback.EventType]():
			p.MaxItems = len(feedback.EventType("").Values())
		}
		if p.Ref == "" {
			p.Description = f.Tag.Get("doc")
			if e := f.Tag.Get("example"); e != "" {
				p.Examples = []any{exampleValue(f.Type, e)}
			}
		}
		omitted := strings.Contains(f.Tag.Get("json"), ",omitempty")
		nullable := f.Type.Kind() == reflect.Pointer && !request && !omitted || f.Tag.Get("null") == "ok" || clearable(f)
		if nullable {
			p = orNull(p)
		}
		o.Properties = append(o.Properties, member[*schema]{name, p})
		if request && !optional(f) || !request && !omitted {
			o.Required = append(o.Required, name)
		}
	}
	return ref
}

// orNull is s or null. JSON Schema wants null also among the values of an enum.
func orNull(s *schema) *schema {
	if s.Ref != "" {
		return &schema{AnyOf: []*schema{s, {Type: "null"}}}
	}
	s.Type = []string{s.Type.(string), "null"}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

// schemaName is the name of a type in the document: PostList for List[Post].
func schemaName(t reflect.Type) string {
	name, arg, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	arg = strings.TrimSuffix(arg[strings.LastIndexByte(arg, '.')+1:], "]")
	return arg + name
}

func exampleValue(t reflect.Type, text string) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(fmt.Sprintf("api: example %q is not a number", text))
		}
		return n
	case reflect.Slice:
		return []any{text}
	}
	return text
}

// example makes a value that a schema describes, of the examples of its parts.
func (s *schemas) example(sc *schema) any {
	if sc.Ref != "" {
		return s.example(s.named[strings.TrimPrefix(sc.Ref, "#/components/schemas/")])
	}
	switch {
	case len(sc.Examples) > 0:
		return sc.Examples[0]
	case len(sc.AnyOf) > 0:
		return s.example(sc.AnyOf[0])
	}
	switch sc.Type {
	case "object":
		var o members[any]
		for _, p := range sc.Properties {
			o = append(o, member[any]{p.name, s.example(p.value)})
		}
		return o
	case "array":
		return []any{s.example(sc.Items)}
	case "integer":
		return 1
	case "boolean":
		return false
	case "string":
		return "text"
	}
	return nil // may be null
}
