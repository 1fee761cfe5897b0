package webhook

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// serveHTTP runs an honest HTTPS server for as long as the test.
func serveHTTP(t testing.TB, ca *authority, h http.Handler) (port int, conns *connCount) {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{ca.leaf(t, nil)}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	conns = newConnCount()
	srv := &http.Server{Handler: h, ConnState: conns.note}
	done := make(chan struct{})
	go func() {
		defer close(done)
		srv.Serve(l)
	}()
	t.Cleanup(func() {
		srv.Close()
		<-done
	})
	return l.Addr().(*net.TCPAddr).Port, conns
}

func hook(port int) string { return fmt.Sprintf("https://%s:%d/in", hookHost, port) }

func TestSendWhatTheReceiverSees(t *testing.T) {
	ca, secret, old := newAuthority(t), NewSecret(), NewSecret()
	var got *http.Request
	var body []byte
	port, _ := serveHTTP(t, ca, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "grüezi")
	}))
	at := time.Now().Add(-time.Minute).Truncate(time.Second)
	s := newTestSender(t, ca, func(c *Config) { c.Now = func() time.Time { return at } })
	a := s.Send(t.Context(), Request{URL: hook(port) + "?k=v%20w", ID: "msg_7", Body: []byte(`{"type":"x"}`), Secrets: []Secret{secret, old}})

	if a.Outcome != Succeeded || a.Class != ClassNone || a.Status != 202 || a.Body != "grüezi" || a.Truncated || !a.StartedAt.Equal(at) || a.Duration <= 0 {
		t.Fatalf("Send = %+v; want a success", a)
	}
	if got.Method != "POST" || got.RequestURI != "/in?k=v%20w" || got.ContentLength != 12 || string(body) != `{"type":"x"}` {
		t.Errorf("request %s %s, length %d, body %q", got.Method, got.RequestURI, got.ContentLength, body)
	}
	want := map[string]string{
		"Content-Type": "application/json", "User-Agent": "Heed-Webhooks/1", "Webhook-Id": "msg_7",
		"Webhook-Timestamp": strconv.FormatInt(at.Unix(), 10),
		"Webhook-Signature": Sign("msg_7", at, body, secret, old), "Content-Length": "12",
	}
	for k, v := range want {
		if got.Header.Get(k) != v {
			t.Errorf("header %s = %q; want %q", k, got.Header.Get(k), v)
		}
	}
	for k := range got.Header {
		if _, ok := want[k]; !ok {
			t.Errorf("header %s was not asked for", k)
		}
	}
	for _, key := range []Secret{secret, old} {
		if wh, _ := standard.NewWebhook(key.Reveal()); wh.Verify(body, got.Header) != nil {
			t.Error("the standard library does not verify what arrived")
		}
		if err := Verify(got.Header, body, at, key); err != nil {
			t.Errorf("Verify = %v", err)
		}
	}
}

func TestSendReusesConnections(t *testing.T) {
	ca := newAuthority(t)
	port, conns := serveHTTP(t, ca, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	s := newTestSender(t, ca, nil)
	for i := range 50 {
		if a := s.Send(t.Context(), Request{URL: hook(port), ID: strconv.Itoa(i), Body: []byte("{}")}); a.Outcome != Succeeded {
			t.Fatalf("attempt %d = %+v", i, a)
		}
	}
	if n := conns.opened.Load(); n != 1 {
		t.Errorf("%d connections for 50 attempts in a row; want 1", n)
	}
}

func TestSendBoundsIdleConnections(t *testing.T) {
	ca := newAuthority(t)
	gate := make(chan struct{})
	arrived := make(chan struct{})
	port, conns := serveHTTP(t, ca, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-gate
	}))
	s := newTestSender(t, ca, func(c *Config) { c.MaxIdle, c.MaxIdlePerHost = 3, 3 })
	const n = 8
	results := make(chan Attempt, n)
	for range n {
		go func() { results <- s.Send(t.Context(), Request{URL: hook(port), ID: "m", Body: []byte("{}")}) }()
	}
	for range n {
		<-arrived
	}
	close(gate)
	for range n {
		if a := <-results; a.Outcome != Succeeded {
			t.Errorf("Send = %+v", a)
		}
	}
	conns.waitClosed(n - 3)
	s.Close()
	conns.waitClosed(n)
}

func TestSendInterrupted(t *testing.T) {
	ca := newAuthority(t)
	arrived := make(chan struct{})
	for name, head := range map[string]string{
		"before the answer": "",
		"in the body":       "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			addr := listen(t, "127.0.0.1:0", overTLS(&tls.Config{Certificates: []tls.Certificate{ca.leaf(t, nil)}}, func(c net.Conn) {
				reply(head)(c)
				arrived <- struct{}{}
				hang(c)
			}))
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-arrived
				cancel()
			}()
			a := newTestSender(t, ca, nil).Send(ctx, Request{URL: hook(addr.Port), ID: "m", Body: []byte("{}")})
			if a.Outcome != Interrupted || a.Class != ClassInterrupted {
				t.Errorf("Send = %+v; want it interrupted", a)
			}
		})
	}
}

// A receiver that holds its connections must not keep another's waiting.
func TestSendIsolatesReceivers(t *testing.T) {
	ca := newAuthority(t)
	held := make(chan struct{}, 100)
	bad := listen(t, "127.0.0.1:0", overTLS(&tls.Config{Certificates: []tls.Certificate{ca.leaf(t, nil)}}, func(c net.Conn) {
		reply("")(c)
		held <- struct{}{}
		hang(c)
	}))
	port, _ := serveHTTP(t, ca, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s := newTestSender(t, ca, nil)
	ctx, release := context.WithCancel(t.Context())
	results := make(chan Attempt)
	for range 20 {
		go func() { results <- s.Send(ctx, Request{URL: hook(bad.Port), ID: "m", Body: []byte("{}")}) }()
	}
	for range 20 {
		<-held
	}
	for range 20 {
		if a := s.Send(t.Context(), Request{URL: hook(port), ID: "m", Body: []byte("{}")}); a.Outcome != Succeeded {
			t.Errorf("Send = %+v while another receiver hangs", a)
		}
	}
	release()
	for range 20 {
		if a := <-results; a.Outcome != Interrupted {
			t.Errorf("the held attempt = %+v", a)
		}
	}
}

func TestSendRefusesURLs(t *testing.T) {
	s := NewSender(Config{Resolver: names(func(string) ([]netip.Addr, error) {
		t.Error("a name was looked up")
		return nil, errors.New("no")
	})})
	for u, want := range map[string]Class{
		"": ClassInvalidURL, "http://example.com/": ClassInvalidURL, "https://u:p@example.com/": ClassInvalidURL,
		"https://127.0.0.1/": ClassAddressRefused, "https://2130706433/": ClassAddressRefused, "https://[::1]/": ClassAddressRefused,
		"https://example.com:25/": ClassAddressRefused, "https://localhost/": ClassAddressRefused,
	} {
		if a := s.Send(t.Context(), Request{URL: u, ID: "m"}); a.Class != want || a.Outcome != Retry {
			t.Errorf("Send(%q) = %q, %s; want %q, retry", u, a.Class, a.Outcome, want)
		}
	}
}

func TestSendConnectFailures(t *testing.T) {
	ca := newAuthority(t)
	gone := listen(t, "127.0.0.1:0", hang) // its port is free again below
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := l.Addr().(*net.TCPAddr).Port
	l.Close()
	for name, tt := range map[string]struct {
		change func(*Config)
		port   int
		want   Class
	}{
		"nobody listens":    {nil, free, ClassConnectRefused},
		"no such name":      {func(c *Config) { c.Resolver = names(notFound) }, free, ClassDNS},
		"name without host": {func(c *Config) { c.Resolver = always() }, free, ClassDNS},
		"resolver hangs":    {func(c *Config) { c.Resolver, c.ConnectTimeout = hangingNames{}, time.Millisecond }, free, ClassDNS},
		"no time at all":    {func(c *Config) { c.Timeout = time.Nanosecond }, gone.Port, ClassTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTestSender(t, ca, tt.change).Send(t.Context(), Request{URL: hook(tt.port), ID: "m"})
			if a.Class != tt.want || a.Outcome != Retry || a.Status != 0 {
				t.Errorf("Send = %+v; want class %q", a, tt.want)
			}
		})
	}
}

func notFound(host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func TestSendIgnoresTheEnvironmentsProxy(t *testing.T) {
	ca := newAuthority(t)
	proxy := newSilent(t, "127.0.0.1:0")
	for _, k := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY"} {
		t.Setenv(k, "http://"+proxy.addr)
	}
	port, _ := serveHTTP(t, ca, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if a := newTestSender(t, ca, nil).Send(t.Context(), Request{URL: hook(port), ID: "m"}); a.Outcome != Succeeded {
		t.Errorf("Send = %+v", a)
	}
	proxy.wantNobody(t)
}

func TestLoadRoots(t *testing.T) {
	ca, dir := newAuthority(t), t.TempDir()
	file := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.cert.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	roots, err := LoadRoots(file)
	if err != nil {
		t.Fatal(err)
	}
	port, _ := serveHTTP(t, ca, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	a := newTestSender(t, ca, func(c *Config) { c.Roots = roots }).Send(t.Context(), Request{URL: hook(port), ID: "m"})
	if a.Outcome != Succeeded {
		t.Errorf("with the extra authority: %+v", a)
	}
	empty := filepath.Join(dir, "empty.pem")
	os.WriteFile(empty, []byte("nothing"), 0o600)
	for _, bad := range []string{empty, filepath.Join(dir, "missing")} {
		if _, err := LoadRoots(bad); err == nil {
			t.Errorf("LoadRoots(%s) = nil; want an error", filepath.Base(bad))
		}
	}
	if _, err := LoadRoots(""); err != nil {
		t.Errorf("LoadRoots of nothing = %v", err)
	}
}

func TestClassesAreExplained(t *testing.T) {
	for _, c := range Classes() {
		if s := c.Explain(); !strings.HasSuffix(s, ".") {
			t.Errorf("Explain(%s) = %q; want a sentence", c, s)
		}
	}
	if ClassNone.Explain() != "" || Class("x").Explain() != "" {
		t.Error("what is no class has an explanation")
	}
}

func TestCleanText(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		cut      bool
	}{
		{"abc", "abc", false}, {"", "", false}, {"12345678", "12345678", false},
		{"1234567\xc3", "1234567", false},       // a character cut in two
		{"123456ü", "123456ü", false},           // one that just fits
		{"\xff23456\xff8", "\uFFFD23456", true}, // replacements need room
		{"\x00", "\uFFFD", false},
		{"\x00\x00\x00\x00\x00\x00\x00\x00", "\uFFFD\uFFFD", true},
	} {
		if got, cut := cleanText([]byte(tt.in), 8); got != tt.want || cut != tt.cut {
			t.Errorf("cleanText(%q) = %q, %v; want %q, %v", tt.in, got, cut, tt.want, tt.cut)
		}
	}
}
