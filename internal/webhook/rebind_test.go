package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
)

// hangingNames resolves nothing until the context ends.
type hangingNames struct{}

func (hangingNames) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// silent is a listener nobody may connect to.
type silent struct {
	net.Listener
	addr string
	port int
}

func newSilent(t *testing.T, addr string) *silent {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skipf("this machine has no second loopback address: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	return &silent{l, l.Addr().String(), l.Addr().(*net.TCPAddr).Port}
}

// wantNobody connects itself. Connections are accepted in the order in which
// they were made, so anybody who came before would be accepted first.
func (s *silent) wantNobody(t *testing.T) {
	t.Helper()
	own, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := s.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if first.RemoteAddr().String() != own.LocalAddr().String() {
		t.Errorf("somebody connected to %s", s.addr)
	}
}

// The forbidden receiver listens on 127.0.0.1 and the allowed one on the same
// port of 127.0.0.2, which alone is on the allow-list.
func forbiddenAndAllowed(t *testing.T, ca *authority) *silent {
	t.Helper()
	forbidden := newSilent(t, "127.0.0.1:0")
	cert := ca.leaf(t, nil)
	listen(t, fmt.Sprintf("127.0.0.2:%d", forbidden.port),
		overTLS(&tls.Config{Certificates: []tls.Certificate{cert}}, reply(ok("Connection: close\r\n", "allowed"))))
	return forbidden
}

func TestRebindingNeverConnects(t *testing.T) {
	ca := newAuthority(t)
	forbidden := forbiddenAndAllowed(t, ca)
	// The name behaves while it is looked at and turns with every look-up.
	turns := [][]string{
		{"127.0.0.2"}, {"127.0.0.1"}, {"127.0.0.2"}, {"::ffff:127.0.0.1"}, {"::1"}, {"0.0.0.0"}, {"::"}, {"169.254.169.254"},
		{"64:ff9b::7f00:1"}, {"2002:7f00:1::"}, {"::127.0.0.1"}, {"fe80::1%lo"}, {"10.0.0.1", "127.0.0.1", "::1"},
	}
	turn := 0
	s := newTestSender(t, ca, func(c *Config) {
		c.Guard = allow("127.0.0.2/32")
		c.Resolver = names(func(host string) ([]netip.Addr, error) {
			list, _ := always(turns[turn]...)(host)
			return list, nil
		})
	})
	for turn = range turns {
		want := ClassAddressRefused
		if turns[turn][0] == "127.0.0.2" {
			want = ClassNone
		}
		a := s.Send(t.Context(), Request{URL: hook(forbidden.port), ID: "m", Body: []byte("{}")})
		if a.Class != want {
			t.Errorf("resolved to %v: class %q; want %q", turns[turn], a.Class, want)
		}
		if want != ClassNone && (a.Body != "" || a.Status != 0) {
			t.Errorf("resolved to %v: the attempt says %+v", turns[turn], a)
		}
	}
	forbidden.wantNobody(t)
}

func TestMixedAnswersSkipRefused(t *testing.T) {
	ca := newAuthority(t)
	forbidden := forbiddenAndAllowed(t, ca)
	for _, answer := range [][]string{
		{"127.0.0.1", "127.0.0.2"}, {"127.0.0.2", "127.0.0.1"},
		{"::1", "::ffff:127.0.0.1", "127.0.0.1", "10.0.0.1", "169.254.169.254", "::", "127.0.0.2"},
	} {
		s := newTestSender(t, ca, func(c *Config) { c.Guard, c.Resolver = allow("127.0.0.2/32"), always(answer...) })
		if a := s.Send(t.Context(), Request{URL: hook(forbidden.port), ID: "m", Body: []byte("{}")}); a.Outcome != Succeeded || a.Body != "allowed" {
			t.Errorf("resolved to %v: %+v; want the allowed receiver", answer, a)
		}
	}
	forbidden.wantNobody(t)
}

// A host that is down after others were refused is down, not refused: only
// addresses we may speak of are spoken of.
func TestMixedAnswersWithDeadHost(t *testing.T) {
	forbidden := newSilent(t, "127.0.0.1:0")
	s := newTestSender(t, newAuthority(t), func(c *Config) {
		c.Guard, c.Resolver = allow("127.0.0.3/32"), always("127.0.0.1", "127.0.0.3")
	})
	if a := s.Send(t.Context(), Request{URL: hook(forbidden.port), ID: "m"}); a.Class != ClassConnectRefused {
		t.Errorf("Send = %+v; want class %q", a, ClassConnectRefused)
	}
	forbidden.wantNobody(t)
}

// The socket's own check holds even if everything before it were passed by.
func TestControlIsTheLastWord(t *testing.T) {
	forbidden := newSilent(t, "127.0.0.1:0")
	d := &dialer{guard: &Guard{}, connectTimeout: short}
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	for _, addr := range []string{forbidden.addr, fmt.Sprintf("[::ffff:127.0.0.1]:%d", forbidden.port), fmt.Sprintf("0.0.0.0:%d", forbidden.port)} {
		conn, err := d.dialFirst(ctx, []netip.AddrPort{netip.MustParseAddrPort(addr)})
		var ce *classError
		if conn != nil || !errors.As(err, &ce) || ce.class != ClassAddressRefused || ce.Error() != "address_refused" {
			t.Errorf("dial %s = %v, %v; want address_refused", addr, conn, err)
		}
	}
	forbidden.wantNobody(t)
}

func TestAlternateFamilies(t *testing.T) {
	in := func(texts ...string) (list []netip.AddrPort) {
		for _, s := range texts {
			list = append(list, netip.AddrPortFrom(netip.MustParseAddr(s), 443))
		}
		return list
	}
	for _, tt := range []struct{ have, want []netip.AddrPort }{
		{in("2a00::1", "2a00::2", "2a00::3", "2a00::4", "2a00::5", "1.1.1.1"), in("2a00::1", "1.1.1.1", "2a00::2", "2a00::3")},
		{in("1.1.1.1", "2a00::1", "2a00::2"), in("1.1.1.1", "2a00::1", "2a00::2")},
		{in("1.1.1.1"), in("1.1.1.1")},
	} {
		if got := alternate(tt.have); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("alternate(%v) = %v; want %v", tt.have, got, tt.want)
		}
	}
}
