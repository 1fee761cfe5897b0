package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"regexp"
	"time"

	"heed/internal/feedback"
)

var (
	//go:embed docs.css
	docsStyle []byte
	//go:embed errorpage.html
	errorPageText string

	errorPage = template.Must(template.New("errors").Funcs(template.FuncMap{
		"status": http.StatusText, "marked": markNames,
	}).Parse(errorPageText))
)

// codesOf are the codes that a status is sent with.
type codesOf struct {
	Status int
	Codes  []codeMeaning
}

// mustErrorPage renders the page that explains the codes. The docs member of
// every error points to a section of it, so every code has one.
func mustErrorPage(baseURL string) []byte {
	var groups []codesOf
	for _, c := range codes {
		if len(groups) == 0 || groups[len(groups)-1].Status != c.Status {
			groups = append(groups, codesOf{Status: c.Status})
		}
		last := &groups[len(groups)-1]
		last.Codes = append(last.Codes, c)
	}
	key := feedback.Key{Scopes: []feedback.Scope{feedback.PostsRead}}
	sample, err := json.MarshalIndent(bodyOf(key.Require(feedback.PostsWrite).(*feedback.Error), baseURL), "", "  ")
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if err := errorPage.Execute(&b, struct {
		Groups []codesOf
		Sample string
	}{groups, string(sample)}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// names are what a meaning says of members and headers.
var names = regexp.MustCompile(`\bdetails\.\w+|\bRetry-After\b|\bIdempotency-Key\b`)

// markNames is a text with the names in it set as code.
func markNames(text string) template.HTML {
	escaped := template.HTMLEscapeString(text)
	return template.HTML(names.ReplaceAllString(escaped, "<code>$0</code>"))
}

func (a *API) serveErrorPage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	serveDocs(w, r, "text/html; charset=utf-8", a.errors)
}

func (a *API) serveDocsStyle(w http.ResponseWriter, r *http.Request) {
	serveDocs(w, r, "text/css; charset=utf-8", docsStyle)
}

func serveDocs(w http.ResponseWriter, r *http.Request, contentType string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
