package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	userAgent      = "Heed-Webhooks/1"
	maxHeaderBytes = 64 << 10

	// BodyLimit is how many bytes of a response are read and kept.
	BodyLimit = 4096
)

// Config is what a Sender needs to know. Its zero value is safe and complete:
// public addresses only, the system's certificate authorities, the limits of
// the documentation.
type Config struct {
	Guard *Guard         // nil allows public addresses only
	Roots *x509.CertPool // nil trusts the system's authorities

	ConnectTimeout time.Duration // name resolution and TCP; 5 s
	TLSTimeout     time.Duration // 5 s
	Timeout        time.Duration // the whole attempt; 15 s

	MaxIdle        int           // idle connections in all; 256
	MaxIdlePerHost int           // idle connections to one host; 64
	IdleTimeout    time.Duration // 4 s, see NewSender

	Resolver Resolver         // nil asks the system
	Now      func() time.Time // nil is time.Now
}

// Request is one message for one endpoint.
type Request struct {
	URL     string
	ID      string   // the same on every attempt: receivers know a repeat by it
	Body    []byte   // JSON; not kept after Send returns
	Secrets []Secret // newest first
}

// Sender makes attempts. It keeps connections open for a few seconds between
// attempts, bounded in number, and may be used by many goroutines at once.
type Sender struct {
	guard     *Guard
	transport *http.Transport
	timeout   time.Duration
	now       func() time.Time
}

// NewSender fills in what cfg leaves out.
func NewSender(cfg Config) *Sender {
	if cfg.Guard == nil {
		cfg.Guard = NewGuard(nil)
	}
	if cfg.Resolver == nil {
		cfg.Resolver = net.DefaultResolver
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	d := &dialer{
		guard:          cfg.Guard,
		resolver:       cfg.Resolver,
		connectTimeout: or(cfg.ConnectTimeout, 5*time.Second),
		tlsTimeout:     or(cfg.TLSTimeout, 5*time.Second),
		tls: &tls.Config{
			RootCAs:    cfg.Roots,
			MinVersion: tls.VersionTLS12,
			// HTTP/1.1 only: one attempt has one connection for itself, and
			// cutting it off cuts off nobody else's.
			NextProtos: []string{"http/1.1"},
		},
	}
	return &Sender{
		guard:   cfg.Guard,
		timeout: or(cfg.Timeout, 15*time.Second),
		now:     cfg.Now,
		transport: &http.Transport{
			Proxy:                  nil, // never the environment's: it would connect past the guard
			DialTLSContext:         d.dialTLS,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeaderBytes,
			MaxIdleConns:           or(cfg.MaxIdle, 256),
			MaxIdleConnsPerHost:    or(cfg.MaxIdlePerHost, 64),
			// Shorter than the 5 s after which common servers close an idle
			// connection: a POST that crosses such a close on the wire is lost
			// and cannot be repeated without risk of a double.
			IdleConnTimeout: or(cfg.IdleTimeout, 4*time.Second),
		},
	}
}

func or[T time.Duration | int](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// Close ends the idle connections. Attempts under way are not disturbed.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// Send makes one attempt and reports what came of it; it never panics on what
// a receiver sends and returns within Config.Timeout or when ctx ends,
// whichever is first. The timestamp and the signatures are made anew.
func (s *Sender) Send(ctx context.Context, r Request) Attempt {
	began, clock := s.now(), time.Now()
	a, err := s.attempt(ctx, r, began)
	a.StartedAt, a.Duration = began, time.Since(clock)
	if err == nil {
		return a
	}
	switch {
	case a.Outcome == Gone:
		// The answer broke off, but 410 has said all there is to say.
	case ctx.Err() != nil:
		a.Class, a.Outcome = ClassInterrupted, Interrupted
	default:
		// An answer that breaks off is no success, whatever its first line
		// said.
		a.Class, a.Outcome = exchangeClass(err), Retry
	}
	return a
}

// attempt returns an error where no whole answer came; what it knows of the
// answer is in the Attempt all the same.
func (s *Sender) attempt(ctx context.Context, r Request, at time.Time) (Attempt, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()

	// Checked again on every attempt: the settings may have become stricter
	// since the URL was accepted.
	u, err := s.guard.parseURL(r.URL)
	if err != nil {
		return Attempt{}, &classError{urlClass(err), err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Attempt{}, &classError{ClassInvalidURL, err}
	}
	req.Header = http.Header{
		"Content-Type":      {"application/json"},
		"User-Agent":        {userAgent},
		"Webhook-Id":        {r.ID},
		"Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)},
		"Webhook-Signature": {Sign(r.ID, at, r.Body, r.Secrets...)},
	}
	// The transport itself, not http.Client: a client follows redirects unless
	// told not to, and keeps state we do not want.
	resp, err := s.transport.RoundTrip(req)
	if err != nil {
		return Attempt{}, err
	}
	defer resp.Body.Close()
	return s.answer(resp)
}

func (s *Sender) answer(resp *http.Response) (a Attempt, err error) {
	a.Status = resp.StatusCode
	a.Class, a.Outcome = statusOutcome(a.Status)
	if d, ok := ParseRetryAfter(resp.Header.Get("Retry-After"), s.now()); ok {
		a.RetryAfter = d
	}
	if a.Status == http.StatusSwitchingProtocols {
		// Its body is the raw connection, which no deadline of ours ends.
		return a, nil
	}
	a.Body, a.Truncated, err = readSlice(resp.Body)
	return a, err
}

var sliceBuffers = sync.Pool{New: func() any { return new([BodyLimit + 1]byte) }}

// readSlice reads one byte more than it keeps, to know whether there was more.
// It reads no further: closing an unfinished body closes its connection, which
// costs less than finding out how long the body is.
func readSlice(r io.Reader) (text string, truncated bool, err error) {
	buf := sliceBuffers.Get().(*[BodyLimit + 1]byte)
	defer sliceBuffers.Put(buf)
	n := 0
	// Not io.ReadFull, which gives a body that ended and a body that broke
	// off the same error.
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	if err == io.EOF {
		err = nil
	}
	text, cut := cleanText(buf[:min(n, BodyLimit)], BodyLimit)
	return text, cut || n > BodyLimit, err
}
