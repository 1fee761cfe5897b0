package portal

import (
	"bytes"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// microcache keeps the answers to readers who are nobody in particular for a
// moment: when a post is in the news, thousands ask for the same page within the
// same second. Whoever has a cookie of ours is somebody, and always gets a fresh
// page: what one does, one sees at once.
type microcache struct {
	now func() time.Time
	mu  sync.Mutex
	all map[string]*kept
}

type kept struct {
	until  time.Time
	status int
	header http.Header
	body   []byte
}

const (
	cacheFor  = time.Second
	cacheSize = 1024
	cacheBody = 256 << 10
)

func newMicrocache(now func() time.Time) *microcache {
	return &microcache{now: now, all: map[string]*kept{}}
}

// key is what an answer depends on. ok is false for a request whose answer is
// not kept.
func (c *microcache) key(r *http.Request) (key string, ok bool) {
	if r.Method != http.MethodGet || r.Header.Get("HX-Request") != "" || len(r.URL.RawQuery) > 200 || strings.Contains(r.URL.Path, "/~") {
		return "", false
	}
	theme := ""
	for _, cookie := range r.Cookies() {
		if cookie.Name != "theme" {
			return "", false
		}
		theme = cookie.Value
	}
	h := r.Header
	if len(theme) > 10 || len(h.Get("Accept-Language")) > 100 || len(h.Get("Accept-Encoding")) > 100 {
		return "", false
	}
	return strings.Join([]string{r.URL.Path, r.URL.RawQuery, theme, h.Get("Accept-Language"), h.Get("Accept-Encoding"), h.Get("If-None-Match")}, "\x00"), true
}

// serve answers from what is kept, and reports whether it could.
func (c *microcache) serve(w http.ResponseWriter, _ *http.Request, key string) bool {
	c.mu.Lock()
	k := c.all[key]
	c.mu.Unlock()
	if k == nil || c.now().After(k.until) {
		return false
	}
	maps.Copy(w.Header(), k.header)
	w.WriteHeader(k.status)
	w.Write(k.body)
	return true
}

// record returns a writer that remembers what passes through it; done keeps it.
func (c *microcache) record(w http.ResponseWriter, key string) (http.ResponseWriter, func()) {
	rec := &recording{ResponseWriter: w}
	return rec, func() {
		h := w.Header()
		if rec.status != http.StatusOK && rec.status != http.StatusNotModified || rec.body.Len() > cacheBody || h.Get("Set-Cookie") != "" ||
			strings.Contains(h.Get("Cache-Control"), "no-store") {
			return
		}
		entry := &kept{until: c.now().Add(cacheFor), status: rec.status, header: h.Clone(), body: rec.body.Bytes()}
		entry.header.Del("Request-Id")
		entry.header.Del("Date")
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.all) >= cacheSize {
			now := c.now()
			maps.DeleteFunc(c.all, func(_ string, k *kept) bool { return now.After(k.until) })
			if len(c.all) >= cacheSize {
				clear(c.all)
			}
		}
		c.all[key] = entry
	}
}

type recording struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recording) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recording) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.body.Len() <= cacheBody {
		r.body.Write(b)
	}
	return r.ResponseWriter.Write(b)
}
