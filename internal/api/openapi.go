package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"heed/internal/feedback"
	"heed/internal/idempotency"
)

// version is that of the contract, not of the program.
const version = "1.0.0"

// The parts of an OpenAPI 3.1 document that the API needs.
type (
	document struct {
		OpenAPI    string                           `json:"openapi"`
		Info       map[string]any                   `json:"info"`
		Servers    []map[string]string              `json:"servers"`
		Tags       []map[string]string              `json:"tags"`
		Paths      map[string]map[string]*described `json:"paths"`
		Webhooks   map[string]map[string]*described `json:"webhooks"`
		Components components                       `json:"components"`
	}
	components struct {
		Schemas         map[string]*schema           `json:"schemas"`
		Responses       map[string]*response         `json:"responses"`
		Headers         map[string]header            `json:"headers"`
		SecuritySchemes map[string]map[string]string `json:"securitySchemes"`
	}
	described struct {
		OperationID string                `json:"operationId"`
		Summary     string                `json:"summary"`
		Description string                `json:"description"`
		Tags        []string              `json:"tags"`
		Security    []map[string][]string `json:"security"`
		Parameters  []parameter           `json:"parameters,omitempty"`
		RequestBody *requestBody          `json:"requestBody,omitempty"`
		Responses   map[string]*response  `json:"responses"`
	}
	parameter struct {
		Name        string  `json:"name"`
		In          string  `json:"in"`
		Required    bool    `json:"required,omitempty"`
		Description string  `json:"description,omitempty"`
		Schema      *schema `json:"schema"`
	}
	requestBody struct {
		Required bool                 `json:"required"`
		Content  map[string]mediaType `json:"content"`
	}
	response struct {
		Ref         string               `json:"$ref,omitempty"`
		Description string               `json:"description,omitempty"`
		Headers     map[string]header    `json:"headers,omitempty"`
		Content     map[string]mediaType `json:"content,omitempty"`
	}
	header struct {
		Ref         string  `json:"$ref,omitempty"`
		Description string  `json:"description,omitempty"`
		Schema      *schema `json:"schema,omitempty"`
	}
	mediaType struct {
		Schema  *schema `json:"schema"`
		Example any     `json:"example,omitempty"`
	}
)

var tags = []map[string]string{
	{"name": "Sites", "description": "Feedback portals."},
	{"name": "Boards", "description": "Where the posts of a site are."},
	{"name": "Posts", "description": "Ideas and bugs, their votes and merges."},
	{"name": "Comments", "description": "What is said about posts."},
	{"name": "Statuses", "description": "The workflow that posts go through."},
	{"name": "Changelog", "description": "What is new."},
	{"name": "Search", "description": "Finding posts."},
	{"name": "Insights", "description": "Themes of the feedback."},
	{"name": "Automation", "description": "The work of coding agents."},
	{"name": "Extensions", "description": "Operations beyond the documented contract. They use its scopes and objects and never change those."},
}

const about = `Heed collects feedback and shows a roadmap. All routes are under /v1 and speak JSON.

Send your key with every request: ` + "`Authorization: Bearer <API_KEY>`" + `. Keys are made in the dashboard and hold scopes; a new key only reads.

Writes take an ` + "`Idempotency-Key`" + ` header: a repeated request is answered as the first was and changes nothing. Lists are read page by page: pass nextCursor as cursor.

Webhooks push events to you, signed as Standard Webhooks has it; their payloads are in the webhooks section of this document.`

// mustDocument describes the operations. It panics on a type that cannot be
// described, which a test finds before anybody else.
func mustDocument(ops []operation, kinds feedback.AgentKinds, baseURL string) []byte {
	s := &schemas{named: map[string]*schema{}, kinds: kinds}
	errRef := s.object(reflect.TypeFor[Error]())
	d := document{
		OpenAPI: "3.1.0",
		Info: map[string]any{
			"title": "Heed API", "version": version, "description": about,
			"license": map[string]string{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		Servers: []map[string]string{{"url": baseURL}},
		Tags:    tags,
		Paths:   map[string]map[string]*described{},
		Components: components{
			Schemas: s.named, Responses: errorResponses(errRef, baseURL), Headers: responseHeaders,
			SecuritySchemes: map[string]map[string]string{"bearer": {
				"type": "http", "scheme": "bearer", "description": "An API key: heed_...",
			}},
		},
	}
	for i := range ops {
		op := &ops[i]
		if d.Paths[op.path] == nil {
			d.Paths[op.path] = map[string]*described{}
		}
		d.Paths[op.path][strings.ToLower(op.method)] = describe(op, s)
	}
	d.Webhooks = webhooks(s)
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(b, '\n')
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

// pathParams are the parameters that stand in paths.
var pathParams = map[string]string{
	"siteId": "The site.", "postId": "The post.", "runId": "The run.", "entryId": "The changelog entry.",
	"actionId": "The action: the actionId that a merge answered with.", "endpointId": "The webhook endpoint.", "deliveryId": "The delivery.",
}

func describe(op *operation, s *schemas) *described {
	d := &described{
		OperationID: op.id, Summary: op.summary, Tags: []string{op.tag},
		Description: strings.TrimSpace(op.description + fmt.Sprintf("\n\nNeeds the scope `%s`.", op.scope)),
		Security:    []map[string][]string{{"bearer": {string(op.scope)}}},
		Responses:   map[string]*response{},
	}
	for _, m := range inPath.FindAllStringSubmatch(op.path, -1) {
		d.Parameters = append(d.Parameters, parameter{
			Name: m[1], In: "path", Required: true, Description: pathParams[m[1]], Schema: textSchema(feedback.Ref("").Rule()),
		})
	}
	for _, q := range op.query {
		sc := s.of(q.typ)
		if q.name == limitParam.name {
			low, high := feedback.MinLimit, feedback.MaxLimit
			sc.Minimum, sc.Maximum, sc.Default = &low, &high, feedback.DefaultLimit
		}
		d.Parameters = append(d.Parameters, parameter{Name: q.name, In: "query", Required: q.required, Description: q.doc, Schema: sc})
	}
	if op.writes() {
		one := 1
		d.Parameters = append(d.Parameters, parameter{
			Name: "Idempotency-Key", In: "header", Schema: &schema{Type: "string", MinLength: &one, MaxLength: idempotency.MaxKeyBytes, Pattern: "^[!-~]+$"},
			Description: "Makes a repeated write safe: the same key and body are answered as the first time, for 24 hours.",
		})
	}
	if op.body != nil && op.body.NumField() > 0 {
		ref := s.of(op.body)
		d.RequestBody = &requestBody{Required: op.needsBody(), Content: map[string]mediaType{
			"application/json": {Schema: ref, Example: s.example(ref)},
		}}
	}
	ok := &response{Description: "Done.", Headers: headers(rateHeaders...)}
	if op.writes() {
		ok.Headers = headers(append(rateHeaders, "Idempotent-Replayed")...)
	}
	if op.result != nil {
		ref := s.of(op.result)
		ok.Content = map[string]mediaType{"application/json": {Schema: ref, Example: s.example(ref)}}
	}
	d.Responses[strconv.Itoa(op.status)] = ok
	for _, e := range errorStatuses {
		code := strconv.Itoa(e.status)
		d.Responses[code] = &response{Ref: "#/components/responses/" + code}
	}
	return d
}

func (a *API) serveDocument(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.document))
}
