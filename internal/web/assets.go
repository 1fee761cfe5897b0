package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

//go:embed static
var static embed.FS

// asset is a file as it is sent: its bytes, and the same bytes smaller. They are
// made as small as can be beside everything else: for all files together that takes
// a third of a second, for which neither a start nor the first page should wait.
type asset struct {
	url         string
	contentType string
	raw         []byte
	br, gz      func() []byte // nil: it is as small as it gets
}

// types are named here because what the system knows of file names differs from
// one machine to the next.
var types = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".woff2": "font/woff2", ".png": "image/png",
}

// reference is how a stylesheet names another asset.
var reference = regexp.MustCompile(`asset:[\w./-]+`)

// assets are the files of static by name. An asset's URL holds the hash of its
// content, so it can be kept forever and a new release needs no reload.
var assets = sync.OnceValue(func() map[string]*asset {
	all := map[string]*asset{}
	var load func(name string) *asset
	load = func(name string) *asset {
		if a := all[name]; a != nil {
			return a
		}
		raw, err := static.ReadFile("static/" + name)
		if err != nil {
			panic("web: no asset " + name)
		}
		if path.Ext(name) == ".css" {
			raw = reference.ReplaceAllFunc(raw, func(m []byte) []byte {
				return []byte(load(strings.TrimPrefix(string(m), "asset:")).url)
			})
		}
		sum := sha256.Sum256(raw)
		hash := base64.RawURLEncoding.EncodeToString(sum[:9])
		a := &asset{url: "/assets/" + hash + "/" + path.Base(name), contentType: types[path.Ext(name)], raw: raw}
		if path.Ext(name) != ".woff2" && path.Ext(name) != ".png" {
			a.br, a.gz = sync.OnceValue(func() []byte { return shrink(raw, "br") }), sync.OnceValue(func() []byte { return shrink(raw, "gzip") })
		}
		all[name] = a
		return a
	}
	err := fs.WalkDir(static, "static", func(p string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(p, "static/")
		if err == nil && !d.IsDir() && types[path.Ext(name)] != "" {
			load(name)
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	return all
})

// shrink makes an asset as small as can be.
func shrink(raw []byte, encoding string) []byte {
	return squeeze(raw, encoding, brotli.BestCompression, gzip.BestCompression)
}

// Asset returns the URL of a file in static, such as app.css. It panics for one
// that is not there: that is a mistake in a template, which any test sees.
func Asset(name string) string {
	a := assets()[name]
	if a == nil {
		panic("web: no asset " + name)
	}
	return a.url
}

// Assets serves everything below /assets/: files under their hashes, and
// [Palette] sheets. It needs no session and no database.
func Assets() http.Handler {
	byURL := map[string]*asset{}
	for _, a := range assets() {
		byURL[a.url] = a
	}
	// The first reader should not wait for it either.
	go func() {
		for _, a := range assets() {
			if a.br != nil {
				a.br()
			}
		}
	}()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		a := byURL[r.URL.Path]
		if a == nil {
			if css, ok := paletteCSS(r.URL.Path); ok {
				a = &asset{contentType: types[".css"], raw: css}
			}
		}
		if a == nil {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r)
	})
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	// The widget's frame and fonts in it may come from another origin's page.
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	body := a.raw
	if a.br != nil {
		h.Set("Vary", "Accept-Encoding")
		switch encoding(r) {
		case "br":
			body = a.br()
			h.Set("Content-Encoding", "br")
		case "gzip":
			body = a.gz()
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// encoding is the best compression the client takes, or "".
func encoding(r *http.Request) string {
	best := ""
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if q := strings.ReplaceAll(params, " ", ""); q == "q=0" || q == "q=0.0" {
			continue
		}
		switch {
		case name == "br":
			return "br"
		case name == "gzip":
			best = "gzip"
		}
	}
	return best
}

// compress writes body in the given encoding at a level for what one reader gets
// once: at four times the cost, a page of fifty posts would be an eighth smaller.
func compress(w io.Writer, body []byte, encoding string) {
	if encoding == "br" {
		bw := brWriters.Get().(*brotli.Writer)
		bw.Reset(w)
		bw.Write(body)
		bw.Close()
		brWriters.Put(bw)
		return
	}
	gw := gzWriters.Get().(*gzip.Writer)
	gw.Reset(w)
	gw.Write(body)
	gw.Close()
	gzWriters.Put(gw)
}

var (
	brWriters = sync.Pool{New: func() any { return brotli.NewWriterLevel(nil, 1) }}
	gzWriters = sync.Pool{New: func() any { w, _ := gzip.NewWriterLevel(nil, 2); return w }}
)

// compressWell is compress for what many get.
func compressWell(body []byte, encoding string) []byte { return squeeze(body, encoding, 5, 6) }

func squeeze(body []byte, encoding string, br, gz int) []byte {
	var b bytes.Buffer
	var w io.WriteCloser = brotli.NewWriterLevel(&b, br)
	if encoding == "gzip" {
		w, _ = gzip.NewWriterLevel(&b, gz)
	}
	w.Write(body)
	w.Close()
	return b.Bytes()
}
