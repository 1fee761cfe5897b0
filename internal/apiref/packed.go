package apiref

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// serveScalar serves the script packed, as it is kept, to those who can unpack
// it. Browsers say that they can only over HTTPS and to localhost, so in a plain
// network of one's own the script is sent as it is.
func serveScalar(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if accepts(r.Header.Values("Accept-Encoding"), "br") {
		h.Set("Content-Encoding", "br")
		// One name, two representations: each has a tag of its own.
		h.Set("Etag", strings.TrimSuffix(h.Get("Etag"), `"`)+`-br"`)
		serveBytes(scalar)(w, r)
		return
	}
	plain, err := plainScalar()
	if err != nil {
		// The script is part of the program: a test would have failed.
		http.Error(w, "the script cannot be unpacked", http.StatusInternalServerError)
		return
	}
	serveBytes(plain)(w, r)
}

// plainScalar is the script unpacked. It is kept: nobody who calls again and
// again should make us unpack 4 MB each time.
var plainScalar = sync.OnceValues(func() ([]byte, error) {
	return io.ReadAll(brotli.NewReader(bytes.NewReader(scalar)))
})

// accepts reports whether the Accept-Encoding header of a request allows a
// coding: by its name or by a star, and not with a weight of 0.
func accepts(header []string, coding string) bool {
	byStar := false
	for _, part := range strings.Split(strings.Join(header, ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		name = strings.TrimSpace(name)
		if !strings.EqualFold(name, coding) && name != "*" {
			continue
		}
		allowed := true
		if q, found := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(params), " ", ""), "q="); found {
			weight, err := strconv.ParseFloat(q, 64)
			allowed = err == nil && weight > 0
		}
		if name != "*" {
			return allowed
		}
		byStar = allowed
	}
	return byStar
}
