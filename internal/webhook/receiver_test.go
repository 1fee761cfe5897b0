package webhook

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"
)

const hookHost = "hook.example"

// authority is a certificate authority made for one test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{}
	a.cert, a.key = issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}, nil)
	return a
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// leaf issues a certificate for a server; change may spoil it.
func (a *authority) leaf(t testing.TB, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	tmpl := &x509.Certificate{
		Subject: pkix.Name{CommonName: hookHost}, DNSNames: []string{hookHost},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	if change != nil {
		change(tmpl)
	}
	cert, key := issue(t, tmpl, a)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}
}

// issue signs with parent, or with the new key itself when parent is nil.
func issue(t testing.TB, tmpl *x509.Certificate, parent *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl.SerialNumber = big.NewInt(time.Now().UnixNano())
	signer := &authority{cert: tmpl, key: key}
	if parent != nil {
		signer = parent
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, signer.cert, &key.PublicKey, signer.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// listen accepts on a loopback address and hands every raw connection to
// serve. It ends with the test, and so do the connections.
func listen(t testing.TB, addr string, serve func(net.Conn)) *net.TCPAddr {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		conns []net.Conn
	)
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().(*net.TCPAddr)
}

// overTLS shakes hands first, as an honest server would.
func overTLS(cfg *tls.Config, serve func(net.Conn)) func(net.Conn) {
	return func(raw net.Conn) {
		c := tls.Server(raw, cfg)
		if c.Handshake() != nil {
			// Closing with bytes unread would reset the connection, and the
			// alert that says why could be lost with it.
			io.Copy(io.Discard, raw)
			return
		}
		serve(c)
		c.Close()
	}
}

// readRequest takes one request off the connection, body and all.
func readRequest(c net.Conn) (*http.Request, []byte, error) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(r.Body)
	return r, body, err
}

// reply answers each connection's one request with fixed bytes and closes.
func reply(text string) func(net.Conn) {
	return func(c net.Conn) {
		if _, _, err := readRequest(c); err == nil {
			io.WriteString(c, text)
		}
	}
}

// names is a resolver for tests: a function from host to addresses.
type names func(host string) ([]netip.Addr, error)

func (f names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) { return f(host) }

func always(addrs ...string) names {
	var list []netip.Addr
	for _, a := range addrs {
		list = append(list, netip.MustParseAddr(a))
	}
	return func(string) ([]netip.Addr, error) { return list, nil }
}

func allow(cidrs ...string) *Guard {
	var list []netip.Prefix
	for _, c := range cidrs {
		list = append(list, netip.MustParsePrefix(c))
	}
	return NewGuard(list)
}

// newTestSender trusts ca and may connect to loopback, where every name leads.
func newTestSender(t testing.TB, ca *authority, change func(*Config)) *Sender {
	t.Helper()
	cfg := Config{Guard: allow("127.0.0.0/8"), Roots: ca.pool(), Resolver: always("127.0.0.1")}
	if change != nil {
		change(&cfg)
	}
	s := NewSender(cfg)
	t.Cleanup(s.Close)
	return s
}
