package webhook

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A receiver that is kept waiting is cut off after this long. It is the one
// real time in these tests: long enough for a handshake on a busy machine.
const short = time.Second

type badReceiver struct {
	name  string
	tls   func(*tls.Config) // spoils the handshake
	raw   func(net.Conn)    // instead of a handshake
	serve func(c net.Conn)  // after a handshake
	holds bool              // after a handshake, neither reads nor writes
	cfg   func(*Config)     // shortens a time limit
	host  string            // instead of hookHost
	leaf  func(*x509.Certificate)

	status    int
	class     Class
	outcome   Outcome
	truncated bool
	body      string // prefix of what is kept
	after     time.Duration
}

func shorten(c *Config) { c.Timeout = short }

// hang waits until the sender gives up: it reads until the connection ends.
func hang(c net.Conn) { io.Copy(io.Discard, c) }

// pour writes until the sender gives up.
func pour(c net.Conn, chunk string) {
	for {
		if _, err := io.WriteString(c, chunk); err != nil {
			return
		}
	}
}

func then(text string, next func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		reply(text)(c)
		next(c)
	}
}

func reset(c net.Conn) {
	if tc, ok := c.(*tls.Conn); ok {
		c = tc.NetConn()
	}
	c.(interface{ SetLinger(int) error }).SetLinger(0)
	c.Close()
}

func bomb() string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(make([]byte, 16<<20))
	w.Close()
	return b.String()
}

func ok(headers, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s", len(body), headers, body)
}

var badReceivers = []badReceiver{
	// What is odd but right.
	{name: "204", serve: reply("HTTP/1.1 204 No Content\r\n\r\n"), status: 204, outcome: Succeeded},
	{name: "HTTP/1.0", serve: reply("HTTP/1.0 200 OK\r\n\r\nfine"), status: 200, outcome: Succeeded, body: "fine"},
	{name: "100 and 103 first", serve: reply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok("", "x")), status: 200, outcome: Succeeded, body: "x"},
	{name: "endless body", serve: then("HTTP/1.1 200 OK\r\n\r\n", func(c net.Conn) { pour(c, strings.Repeat("y", 1<<16)) }), status: 200, outcome: Succeeded, truncated: true, body: "yyyy"},
	{name: "endless chunks", serve: then("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", func(c net.Conn) { pour(c, "4\r\nzzzz\r\n") }), status: 200, outcome: Succeeded, truncated: true, body: "zzzz"},
	{name: "gzip bomb", serve: reply(ok("Content-Encoding: gzip\r\n", bomb())), status: 200, outcome: Succeeded, truncated: true, body: "\x1f\uFFFD\b\uFFFD"},
	{name: "NUL and broken UTF-8", serve: reply(ok("", "a\x00b\xff\xfec")), status: 200, outcome: Succeeded, body: "a\uFFFDb\uFFFDc"},
	{name: "body of just the limit", serve: reply(ok("", strings.Repeat("a", BodyLimit))), status: 200, outcome: Succeeded, body: strings.Repeat("a", BodyLimit)},
	{name: "body of one more", serve: reply(ok("", strings.Repeat("a", BodyLimit+1))), status: 200, outcome: Succeeded, truncated: true, body: strings.Repeat("a", BodyLimit)},

	// Statuses.
	{name: "500", serve: reply("HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\nstack"), status: 500, class: ClassStatus, outcome: Retry, body: "stack"},
	{name: "400", serve: reply("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), status: 400, class: ClassStatus, outcome: Retry},
	{name: "410", serve: reply("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"), status: 410, class: ClassStatus, outcome: Gone},
	{name: "410 and a broken body", serve: reply("HTTP/1.1 410 Gone\r\nContent-Length: 9\r\n\r\nbye"), status: 410, class: ClassStatus, outcome: Gone, body: "bye"},
	{name: "429 in seconds", serve: reply("HTTP/1.1 429 Slow\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n"), status: 429, class: ClassStatus, outcome: Retry, after: 90 * time.Second},
	{name: "429 with an odd Retry-After", serve: reply("HTTP/1.1 429 Slow\r\nRetry-After: -1; later\r\nContent-Length: 0\r\n\r\n"), status: 429, class: ClassStatus, outcome: Retry},
	{name: "503 until the end of time", serve: reply("HTTP/1.1 503 Down\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n"), status: 503, class: ClassStatus, outcome: Retry, after: maxRetryAfter},
	{name: "redirect to a metadata address", serve: reply("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n"), status: 302, class: ClassRedirect, outcome: Retry},
	{name: "308 to itself", serve: reply("HTTP/1.1 308 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), status: 308, class: ClassRedirect, outcome: Retry},
	{name: "101", serve: then("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", hang), status: 101, class: ClassStatus, outcome: Retry},
	{name: "status 999", serve: reply("HTTP/1.1 999 Why\r\nContent-Length: 0\r\n\r\n"), status: 999, class: ClassStatus, outcome: Retry},

	// Time.
	{name: "never answers", serve: then("", hang), cfg: shorten, class: ClassTimeout, outcome: Retry},
	{name: "half a header", serve: then("HTTP/1.1 200 OK\r\nX-A", hang), cfg: shorten, class: ClassTimeout, outcome: Retry},
	{name: "stops in the body", serve: then("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", hang), cfg: shorten, status: 200, class: ClassTimeout, outcome: Retry, body: "abc"},
	{name: "drips", serve: then("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", drip), cfg: shorten, status: 200, class: ClassTimeout, outcome: Retry},
	{name: "never reads", holds: true, cfg: shorten, class: ClassTimeout, outcome: Retry},
	{name: "never shakes hands", raw: hang, cfg: func(c *Config) { c.TLSTimeout = short / 4 }, class: ClassTimeout, outcome: Retry},

	// Breaking off.
	{name: "closes without answering", serve: reply(""), class: ClassReset, outcome: Retry},
	{name: "closes at once", raw: func(net.Conn) {}, class: ClassReset, outcome: Retry},
	{name: "resets in the handshake", raw: reset, class: ClassReset, outcome: Retry},
	{name: "resets after the request", serve: then("", reset), class: ClassReset, outcome: Retry},
	{name: "closes in the body", serve: reply("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), status: 200, class: ClassReset, outcome: Retry, body: "abc"},
	{name: "closes in a chunk", serve: reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"), status: 200, class: ClassReset, outcome: Retry, body: "abc"},

	// No HTTP.
	{name: "garbage", serve: reply("\x00\x01\x02 hello\r\n\r\n"), class: ClassBadResponse, outcome: Retry},
	{name: "SSH banner", serve: reply("SSH-2.0-OpenSSH_9.6\r\n"), class: ClassBadResponse, outcome: Retry},
	{name: "two lengths", serve: reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), class: ClassBadResponse, outcome: Retry},
	{name: "bad chunk", serve: reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), status: 200, class: ClassBadResponse, outcome: Retry},
	{name: "huge header", serve: then("HTTP/1.1 200 OK\r\nX-A: ", func(c net.Conn) { pour(c, strings.Repeat("a", 1<<16)) }), class: ClassBadResponse, outcome: Retry},
	{name: "endless headers", serve: then("HTTP/1.1 200 OK\r\n", func(c net.Conn) { pour(c, strings.Repeat("X-A: b\r\n", 1000)) }), class: ClassBadResponse, outcome: Retry},
	{name: "flood of 1xx", serve: then("", func(c net.Conn) { pour(c, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 100)) }), class: ClassBadResponse, outcome: Retry},

	// TLS.
	{name: "plain HTTP", raw: func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); hang(c) }, class: ClassTLS, outcome: Retry},
	{name: "TLS 1.1", tls: func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }, class: ClassTLS, outcome: Retry},
	{name: "HTTP/2 unasked", serve: reply("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64"), class: ClassBadResponse, outcome: Retry},
	{name: "wants a client certificate", tls: func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }, serve: hang, class: ClassTLS, outcome: Retry},
	{name: "other host", host: "other.example", serve: reply(ok("", "")), class: ClassCertificate, outcome: Retry},
	{name: "expired", leaf: func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, class: ClassCertificate, outcome: Retry},
	{name: "not yet valid", leaf: func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }, class: ClassCertificate, outcome: Retry},
	{name: "not for servers", leaf: func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, class: ClassCertificate, outcome: Retry},
	{name: "unknown authority", cfg: func(c *Config) { c.Roots = x509.NewCertPool() }, class: ClassCertificate, outcome: Retry},
}

// drip sends a byte each time the clock of the machine lets it, for ever.
func drip(c net.Conn) {
	tick := time.NewTicker(short / 50)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(c, "1\r\n.\r\n"); err != nil {
			return
		}
	}
}

func TestMisbehavingReceivers(t *testing.T) {
	ca := newAuthority(t)
	for _, tt := range badReceivers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sent := new(counter)
			serverTLS := &tls.Config{Certificates: []tls.Certificate{ca.leaf(t, tt.leaf)}}
			if tt.tls != nil {
				tt.tls(serverTLS)
			}
			end := make(chan struct{})
			serve := tt.raw
			switch {
			case tt.holds:
				serve = overTLS(serverTLS, func(net.Conn) { <-end })
			case tt.serve != nil:
				serve = overTLS(serverTLS, tt.serve)
			case serve == nil:
				serve = overTLS(serverTLS, hang)
			}
			addr := listen(t, "127.0.0.1:0", func(c net.Conn) { serve(sent.wrap(c)) })
			t.Cleanup(func() { close(end) })
			host := hookHost
			if tt.host != "" {
				host = tt.host
			}
			s := newTestSender(t, ca, tt.cfg)

			got := s.Send(t.Context(), Request{
				URL: fmt.Sprintf("https://%s:%d/", host, addr.Port), ID: "msg_1",
				Body: bytes.Repeat([]byte("b"), 256<<10), Secrets: []Secret{NewSecret()},
			})
			if got.Status != tt.status || got.Class != tt.class || got.Outcome != tt.outcome ||
				got.Truncated != tt.truncated || got.RetryAfter != tt.after || !strings.HasPrefix(got.Body, tt.body) {
				t.Errorf("Send = status %d, class %q, %s, truncated %v, after %v, body %.40q;\nwant status %d, class %q, %s, truncated %v, after %v, body %.40q",
					got.Status, got.Class, got.Outcome, got.Truncated, got.RetryAfter, got.Body,
					tt.status, tt.class, tt.outcome, tt.truncated, tt.after, tt.body)
			}
			if !utf8.ValidString(got.Body) || strings.Contains(got.Body, "\x00") || len(got.Body) > BodyLimit {
				t.Errorf("a body of %d bytes that cannot be stored: %.40q", len(got.Body), got.Body)
			}
			if (got.Class == ClassNone) != (got.Outcome == Succeeded) {
				t.Errorf("class %q with outcome %s", got.Class, got.Outcome)
			}
			// What was written and not read lies in socket buffers, which the
			// kernel bounds; a sender that read it all would have no end.
			if n := sent.n.Load(); n > 32<<20 {
				t.Errorf("the receiver could send %d bytes", n)
			}
		})
	}
}
