package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Render writes a component as an HTML answer. It renders everything before the
// first byte is sent, so that a page is whole or an error. A GET that succeeds
// gets an ETag, and an answer without a body if the client has the same page.
// Cache-Control is the caller's; without one the page is for one person.
func Render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := c.Render(r.Context(), b); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	Send(w, r, status, b.Bytes())
	return nil
}

// Send writes a text answer with an ETag and in the client's best compression.
// The content type must be set.
func Send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	sendHeaders(w.Header())
	if status == http.StatusOK && r.Method != http.MethodPost {
		sum := sha256.Sum256(body)
		if unchanged(w, r, base64.RawURLEncoding.EncodeToString(sum[:12])) {
			return
		}
	}
	sendOnce(w, r, status, body)
}

// SendTagged is Send of a page for one reader, whose tag is known: two bodies
// that differ must have different ones.
func SendTagged(w http.ResponseWriter, r *http.Request, tag string, body []byte) {
	sendHeaders(w.Header())
	if !unchanged(w, r, tag) {
		sendOnce(w, r, http.StatusOK, body)
	}
}

func sendHeaders(h http.Header) {
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	h.Add("Vary", "Accept-Encoding, Accept-Language, Cookie, HX-Request")
}

// unchanged sets the tag, and answers a client that has the same page.
func unchanged(w http.ResponseWriter, r *http.Request, tag string) bool {
	tag = `W/"` + tag + `"`
	w.Header().Set("ETag", tag)
	if !strings.Contains(r.Header.Get("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// sendOnce sends a body that nobody else gets.
func sendOnce(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if enc := encoding(r); enc != "" && len(body) > 1000 {
		w.Header().Set("Content-Encoding", enc)
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			compress(w, body, enc)
		}
		return
	}
	sendWhole(w, r, status, body)
}

func sendWhole(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// Page is an answer that many get. It is compressed once, and well.
type Page struct {
	tag    string
	body   []byte
	br, gz func() []byte
}

// NewPage returns a page with a tag: two bodies that differ must have different
// ones.
func NewPage(tag string, body []byte) *Page {
	packed := func(encoding string) func() []byte {
		return sync.OnceValue(func() []byte { return compressWell(body, encoding) })
	}
	return &Page{tag, body, packed("br"), packed("gzip")}
}

// Send writes the page in the client's best compression. The content type must
// be set.
func (p *Page) Send(w http.ResponseWriter, r *http.Request) {
	sendHeaders(w.Header())
	if unchanged(w, r, p.tag) {
		return
	}
	body := p.body
	switch enc := encoding(r); enc {
	case "br":
		body = p.br()
		w.Header().Set("Content-Encoding", enc)
	case "gzip":
		body = p.gz()
		w.Header().Set("Content-Encoding", enc)
	}
	sendWhole(w, r, http.StatusOK, body)
}

// Partial reports whether htmx asks, so that a handler may answer with the part
// that changed instead of a page or a redirect.
func Partial(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// Policy is the Content-Security-Policy of every page: scripts, styles, fonts
// and pictures of our own and nothing inline. frameAncestors are the origins
// that may show the page in a frame; without any, none may.
func Policy(frameAncestors ...string) string {
	ancestors := "'none'"
	if len(frameAncestors) > 0 {
		ancestors = strings.Join(frameAncestors, " ")
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " + ancestors
}

// Secure sets the headers that every HTML answer carries. Handlers may replace
// single ones before they write.
func Secure(next http.Handler) http.Handler {
	policy := Policy()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), browsing-topics=()")
		next.ServeHTTP(w, r)
	})
}

// Toast has the page say something when an htmx answer arrives.
func Toast(w http.ResponseWriter, text string) {
	w.Header().Set("HX-Trigger", `{"toast":{"value":`+asciiJSON(text)+`}}`)
}

// asciiJSON spells a string so that it can stand in a header.
func asciiJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r > 0x7e && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Theme is the scheme a reader has chosen: light, dark, or "" for the system's.
func Theme(r *http.Request) string {
	if c, err := r.Cookie("theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}
