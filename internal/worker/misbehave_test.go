package worker_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/worker"
)

// names resolves for tests: names under .test to what they say, others nowhere.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := n[host]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, errors.New("no such host")
}

// raw answers every request with fixed bytes, then does what is left to do, and
// closes.
func raw(text string, then func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		io.WriteString(c, text)
		if then != nil {
			then(c)
		}
	}
}

// hang waits until the other side gives up.
func hang(c net.Conn) { io.Copy(io.Discard, c) }

func pour(c net.Conn) {
	for err := error(nil); err == nil; {
		_, err = io.WriteString(c, strings.Repeat("a", 1<<16))
	}
}

func reset(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// TestMisbehavingReceivers: whatever receivers do, the log names it, and the
// endpoint beside them gets all its messages meanwhile.
func TestMisbehavingReceivers(t *testing.T) {
	const long = 2 * time.Second // the time limit of an attempt
	tests := []struct {
		name    string
		handler http.HandlerFunc
		url     string // instead of the handler's
		class   string
		status  int
	}{
		{name: "500", handler: status(500), class: "status", status: 500},
		{name: "404", handler: status(404), class: "status", status: 404},
		{name: "429", handler: status(429), class: "status", status: 429},
		{name: "redirect to a metadata address", handler: raw("HTTP/1.1 307 Go\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n", nil), class: "redirect", status: 307},
		{name: "never answers", handler: raw("", hang), class: "timeout"},
		{name: "slow headers", handler: raw("HTTP/1.1 200 OK\r\nX-", hang), class: "timeout"},
		{name: "stops in the body", handler: raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", hang), class: "timeout", status: 200},
		{name: "closes without a word", handler: raw("", nil), class: "reset"},
		{name: "resets", handler: raw("", reset), class: "reset"},
		{name: "breaks off", handler: raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", nil), class: "reset", status: 200},
		{name: "garbage", handler: raw("\x00\x01 hello\r\n\r\n", nil), class: "bad_response"},
		{name: "huge header", handler: raw("HTTP/1.1 200 OK\r\nX-A: ", pour), class: "bad_response"},
		{name: "two lengths", handler: raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", nil), class: "bad_response"},
		{name: "another host's certificate", handler: status(200), url: "https://other.test:PORT", class: "certificate"},
		{name: "an unknown authority", url: "UNKNOWN", class: "certificate"},
		{name: "plain HTTP", url: "PLAIN", class: "tls"},
		{name: "nobody there", url: "CLOSED", class: "connect_refused"},
		{name: "no such host", url: "https://nowhere.test", class: "dns"},
		{name: "a metadata address behind a name", url: "https://metadata.test", class: "address_refused"},
		{name: "a private address behind a name", url: "https://private.test", class: "address_refused"},
		{name: "endless body", handler: raw("HTTP/1.1 200 OK\r\n\r\n", pour), class: "", status: 200},
	}
	eachEngine(t, func(t *testing.T, engine string) {
		h := newHooks(t, hooksConfig{engine: engine})
		h.sender.Timeout = long
		h.sender.Resolver = names{"other.test": "127.0.0.1", "metadata.test": "169.254.169.254", "private.test": "10.0.0.7"}
		all := make([]*feedback.Endpoint, len(tests))
		sites := make([]*feedbacktest.As, len(tests))
		var as *feedbacktest.As
		for i, tt := range tests {
			if i%9 == 0 { // a site has room for ten
				as = h.newSite()
			}
			target := tt.url
			if tt.handler != nil {
				target = h.receive(tt.handler)
				if tt.url != "" {
					u, _ := url.Parse(target)
					target = strings.Replace(tt.url, "PORT", u.Port(), 1)
				}
			}
			switch target {
			case "UNKNOWN":
				target = strangers(t)
			case "PLAIN":
				srv := httptest.NewServer(status(200))
				t.Cleanup(srv.Close)
				target = strings.Replace(srv.URL, "http:", "https:", 1)
			case "CLOSED":
				srv := httptest.NewServer(nil)
				target = strings.Replace(srv.URL, "http:", "https:", 1)
				srv.Close()
			}
			sites[i] = as
			all[i], _ = as.Endpoint(target)
		}
		good := newInbox()
		h.Endpoint(h.receive(good.ServeHTTP))
		h.start(nil)

		posted := map[feedback.SiteID]bool{}
		for _, as := range sites {
			if !posted[as.Site] {
				posted[as.Site] = true
				as.Post("Dark mode")
			}
		}
		// While those that hang do so, a neighbour gets as much as it likes.
		const n = 50
		for range n {
			h.Post("Dark mode")
		}
		for range n {
			<-good
		}
		h.await(len(tests) + n)

		for i, tt := range tests {
			d := sites[i].Deliveries(all[i].ID)
			if len(d) != 1 || len(d[0].Log) != 1 {
				t.Errorf("%s: %d deliveries, want one with one attempt", tt.name, len(d))
				continue
			}
			a := d[0].Log[0]
			if a.Error != tt.class || a.Status != tt.status {
				t.Errorf("%s: class %q, status %d; want %q, %d", tt.name, a.Error, a.Status, tt.class, tt.status)
			}
			want := feedback.DeliveryPending
			if tt.class == "" {
				want = feedback.DeliverySucceeded
			}
			if d[0].Status != want || len(a.Body) > 4096 || strings.Contains(a.Body, "10.0.0.7") {
				t.Errorf("%s: %s, %d bytes kept; want %s", tt.name, d[0].Status, len(a.Body), want)
			}
			if a.Duration > 2*long {
				t.Errorf("%s: took %v, want at most the limit of %v and a little", tt.name, a.Duration, long)
			}
		}
	})
}

// newSite opens a site of its own in the account.
func (h *hooks) newSite() *feedbacktest.As {
	h.t.Helper()
	site, err := h.App.CreateSite(h.t.Context(), h.opened.Account.ID.String(), feedback.NewSite{Name: "Another"})
	if err != nil {
		h.t.Fatal(err)
	}
	as := *h.As
	as.Site = site.ID
	return &as
}

// strangers starts a receiver whose certificate nobody has vouched for.
func strangers(t testing.TB) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(status(200))
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestSlowEndpointsDelayNobody: with more endpoints that never answer than the
// fast lane has places, the others are served all the same.
func TestSlowEndpointsDelayNobody(t *testing.T) {
	h := newHooks(t, hooksConfig{})
	release := make(chan struct{})
	stuck := h.receive(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else nobody notices that the sender has gone
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	good := newInbox()
	fine := h.receive(good.ServeHTTP)
	for range 10 {
		as := h.newSite()
		for range 9 {
			as.Endpoint(stuck)
		}
		as.Endpoint(fine)
		as.Post("Dark mode")
	}
	h.start(func(c *worker.DeliveryConfig) { c.Fast, c.Slow = 32, 128 })
	for range 10 {
		<-good
	}
	if n := len(h.attempts); n > 10 {
		t.Errorf("%d attempts have ended: the others waited for those that hang", n)
	}
}
