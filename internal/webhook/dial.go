package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// Resolver finds the addresses of a host; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxDials bounds how many of a host's addresses one attempt tries, so that a
// name with a thousand addresses does not make us knock on all of them.
const maxDials = 4

// classError carries the class of a failure out of the transport, which knows
// only errors. The inner error is for errors.Is within this package and is
// not part of the text.
type classError struct {
	class Class
	inner error
}

func (e *classError) Error() string { return string(e.class) }
func (e *classError) Unwrap() error { return e.inner }

var errRefused = errors.New("address refused")

// dialer makes TLS connections to hosts whose addresses pass the guard.
type dialer struct {
	guard          *Guard
	resolver       Resolver
	tls            *tls.Config
	connectTimeout time.Duration
	tlsTimeout     time.Duration
}

func (d *dialer) dialTLS(ctx context.Context, _, hostport string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, &classError{ClassInvalidURL, err}
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &classError{ClassInvalidURL, err}
	}
	raw, err := d.connect(ctx, host, uint16(port))
	if err != nil {
		return nil, err
	}
	return d.handshake(ctx, raw, host)
}

// connect resolves the host itself instead of leaving it to net.Dialer, so
// that refused addresses are known to be refused and not mistaken for a host
// that is down.
func (d *dialer) connect(ctx context.Context, host string, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.connectTimeout)
	defer cancel()
	found, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	var open []netip.AddrPort
	for _, a := range found {
		// The resolver gives IPv4 addresses in their IPv6-mapped form too;
		// the kernel would connect to the IPv4 address, so that one is judged.
		ap := netip.AddrPortFrom(a.Unmap(), port)
		if d.guard.Permits(ap) {
			open = append(open, ap)
		}
	}
	if len(open) == 0 {
		return nil, &classError{ClassAddressRefused, errRefused}
	}
	return d.dialFirst(ctx, alternate(open))
}

func (d *dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	found, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, &classError{ClassDNS, err}
	}
	if len(found) == 0 {
		return nil, &classError{ClassDNS, nil}
	}
	return found, nil
}

// dialFirst tries the addresses in order, each with its share of the time
// that is left, and returns the first connection or the last error.
func (d *dialer) dialFirst(ctx context.Context, list []netip.AddrPort) (net.Conn, error) {
	nd := net.Dialer{Control: d.control, KeepAlive: -1}
	var last error
	for i, ap := range list {
		end, _ := ctx.Deadline()
		share := time.Until(end) / time.Duration(len(list)-i)
		one, cancel := context.WithTimeout(ctx, share)
		conn, err := nd.DialContext(one, "tcp", ap.String())
		cancel()
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, &classError{connectClass(last), last}
}

// control is the last word, between the making of the socket and its
// connection: it sees the address the kernel is about to be given. Everything
// above could be wrong and no refused address would be connected to.
func (d *dialer) control(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !d.guard.Permits(ap) {
		return &classError{ClassAddressRefused, errRefused}
	}
	return nil
}

func (d *dialer) handshake(ctx context.Context, raw net.Conn, host string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.tlsTimeout)
	defer cancel()
	cfg := d.tls.Clone()
	cfg.ServerName = host
	conn := tls.Client(raw, cfg)
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, &classError{tlsClass(err), err}
	}
	return &alertConn{Conn: conn}, nil
}

// alertConn remembers a TLS alert that was read. The transport closes the
// connection when it reads one; a write under way then fails with no more than
// "closed", and which of the two errors comes out is a matter of luck.
type alertConn struct {
	*tls.Conn
	alert atomic.Bool
}

func (c *alertConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && isAlert(err) {
		c.alert.Store(true)
	}
	return n, err
}

func (c *alertConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if err != nil && c.alert.Load() {
		err = &classError{ClassTLS, err}
	}
	return n, err
}

// alternate takes one address of each family in turn, at most maxDials in
// all, so that a family that leads nowhere does not use up every try.
func alternate(list []netip.AddrPort) []netip.AddrPort {
	var same, other []netip.AddrPort
	for _, ap := range list {
		if ap.Addr().Is4() == list[0].Addr().Is4() {
			same = append(same, ap)
		} else {
			other = append(other, ap)
		}
	}
	var out []netip.AddrPort
	for i := 0; len(out) < maxDials && (i < len(same) || i < len(other)); i++ {
		if i < len(same) {
			out = append(out, same[i])
		}
		if i < len(other) && len(out) < maxDials {
			out = append(out, other[i])
		}
	}
	return out
}
