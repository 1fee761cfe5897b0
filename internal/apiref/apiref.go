package apiref

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"strings"
	"time"
)

// Path is where the page is to be mounted, with everything below it.
const Path = "/api-reference"

var (
	//go:embed page.html
	pageText string
	//go:embed start.js
	startScript []byte
	//go:embed icon.svg
	icon []byte
	//go:embed vendored/scalar.js.br
	scalar []byte

	page = template.Must(template.New("page").Parse(pageText))
)

// policy lets the page use this host and no other. Scripts are files of ours:
// none is inline and none is made from text. Style sheets are ours or carry the
// nonce of this response. Scalar also sets style attributes, which cannot load
// anything or reach beyond their element.
const policy = "default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-NONCE'; style-src-attr 'unsafe-inline'; " +
	"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page at Path, for the OpenAPI document at documentURL, and
// what the page needs below Path.
func Handler(documentURL string) http.Handler {
	data := struct{ Nonce, Icon, Start, Scalar, Document string }{Document: documentURL}
	mux := http.NewServeMux()
	// asset gives content a path with its hash, so that who has it once never
	// asks again, and returns the path.
	asset := func(name, contentType string, content []byte, serve http.HandlerFunc) string {
		sum := sha256.Sum256(content)
		hash := hex.EncodeToString(sum[:8])
		path := Path + "/" + hash + "/" + name
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Type", contentType)
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Etag", `"`+hash+`"`)
			serve(w, r)
		})
		return path
	}
	data.Icon = asset("icon.svg", "image/svg+xml", icon, serveBytes(icon))
	data.Start = asset("start.js", "text/javascript; charset=utf-8", startScript, serveBytes(startScript))
	data.Scalar = asset("scalar.js", "text/javascript; charset=utf-8", scalar, serveScalar)

	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, _ *http.Request) {
		data := data
		data.Nonce = rand.Text()
		var b bytes.Buffer
		if err := page.Execute(&b, data); err != nil {
			// The template and its data are fixed: a test would have failed.
			http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store") // a nonce is for once
		h.Set("Content-Security-Policy", strings.Replace(policy, "NONCE", data.Nonce, 1))
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		w.Write(b.Bytes())
	})
	return mux
}

func serveBytes(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}
}
