package apiref_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"heed/internal/apiref"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	apiref.Handler("/api/openapi.json").ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var scriptPath = regexp.MustCompile(`src="(/api-reference/[0-9a-f]{16}/scalar\.js)"`)

// script is where the page says its script is.
func script(t *testing.T) string {
	t.Helper()
	m := scriptPath.FindSubmatch(body(t, get(t, apiref.Path)))
	if m == nil {
		t.Fatal("the page names no script")
	}
	return string(m[1])
}

func TestPage(t *testing.T) {
	res := get(t, apiref.Path)
	text := string(body(t, res))
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/html; charset=utf-8" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", res.Status, res.Header)
	}
	if !strings.Contains(text, `data-document="/api/openapi.json"`) {
		t.Error("the page does not name the document")
	}
	nonce := regexp.MustCompile(`<meta property="csp-nonce" content="(\w{26})">`).FindStringSubmatch(text)
	if nonce == nil {
		t.Fatalf("no nonce in the page:\n%s", text)
	}
	want := "default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-" + nonce[1] + "'; style-src-attr 'unsafe-inline'; " +
		"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := res.Header.Get("Content-Security-Policy"); got != want {
		t.Errorf("policy\n%s; want\n%s", got, want)
	}
	if again := string(body(t, get(t, apiref.Path))); strings.Contains(again, nonce[1]) {
		t.Error("the next response has the same nonce")
	}
}

func TestScript(t *testing.T) {
	path := script(t)
	packed := get(t, path, "Accept-Encoding", "gzip, deflate, br, zstd")
	plain := get(t, path, "Accept-Encoding", "gzip, deflate")
	for name, res := range map[string]*http.Response{"packed": packed, "plain": plain} {
		h := res.Header
		if res.StatusCode != 200 || h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			h.Get("Vary") != "Accept-Encoding" || h.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%s: %s %v", name, res.Status, h)
		}
	}
	if packed.Header.Get("Content-Encoding") != "br" || plain.Header.Get("Content-Encoding") != "" {
		t.Errorf("encodings %q and %q; want br and none", packed.Header.Get("Content-Encoding"), plain.Header.Get("Content-Encoding"))
	}
	short, long := body(t, packed), body(t, plain)
	unpacked, err := io.ReadAll(brotli.NewReader(bytes.NewReader(short)))
	if err != nil || !bytes.Equal(unpacked, long) {
		t.Errorf("the two differ: %d bytes unpack to %d (%v), and %d are sent", len(short), len(unpacked), err, len(long))
	}
	tag := packed.Header.Get("Etag")
	if tag == plain.Header.Get("Etag") {
		t.Errorf("both have the tag %s", tag)
	}
	if res := get(t, path, "Accept-Encoding", "br", "If-None-Match", tag); res.StatusCode != http.StatusNotModified {
		t.Errorf("with its tag: %s; want 304", res.Status)
	}
	for _, none := range []string{
		strings.Replace(path, "scalar.js", "other.js", 1),
		apiref.Path + "/0123456789abcdef/scalar.js", // another version's
		apiref.Path + "/",
	} {
		if res := get(t, none); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s; want 404", none, res.Status)
		}
	}
}

func TestAcceptsEncoding(t *testing.T) {
	path := script(t)
	for header, want := range map[string]string{
		"": "", "br": "br", "BR": "br", "gzip": "", "gzip,br;q=0.5": "br", "br;q=0": "", "br; q=0.000, *": "",
		"*": "br", "*;q=0": "", "*;q=0, br": "br", "brotli": "", "br;q=x": "",
	} {
		if got := get(t, path, "Accept-Encoding", header).Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: Content-Encoding %q; want %q", header, got, want)
		}
	}
}

// What is vendored is what was checked when it was.
func TestVendored(t *testing.T) {
	sums, err := os.ReadFile("vendored/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile("vendored/scalar.js.br")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"scalar.js.br": packed,
		"scalar.js":    body(t, get(t, script(t))),
	} {
		sum := sha256.Sum256(content)
		if line := hex.EncodeToString(sum[:]) + "  " + name + "\n"; !strings.Contains(string(sums), line) {
			t.Errorf("SHA256SUMS has no line %s", line)
		}
	}
}
