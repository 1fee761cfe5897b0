package webhook

import (
	"net/netip"
	"testing"
)

func TestGuardPermitsAddresses(t *testing.T) {
	tests := []struct {
		addr string
		want bool
	}{
		// Public hosts.
		{"1.1.1.1", true}, {"8.8.8.8", true}, {"93.184.215.14", true}, {"223.255.255.254", true},
		{"9.255.255.255", true}, {"11.0.0.0", true}, {"172.15.255.255", true}, {"172.32.0.0", true},
		{"192.167.255.255", true}, {"192.169.0.0", true}, {"100.63.255.255", true}, {"100.128.0.0", true},
		{"169.253.255.255", true}, {"169.255.0.0", true}, {"198.17.255.255", true}, {"198.20.0.0", true},
		{"168.63.129.15", true}, {"126.255.255.255", true}, {"128.0.0.0", true}, {"192.0.1.0", true},
		{"2606:4700:4700::1111", true}, {"2a00:1450:4001:800::200e", true}, {"2001:4860:4860::8888", true},
		{"64:ff9b::808:808", true}, // a public IPv4 host seen through NAT64

		// Unspecified and this network.
		{"0.0.0.0", false}, {"0.0.0.1", false}, {"0.255.255.255", false}, {"::", false},
		// Loopback.
		{"127.0.0.1", false}, {"127.0.0.2", false}, {"127.255.255.255", false}, {"::1", false},
		// Private and unique local.
		{"10.0.0.0", false}, {"10.255.255.255", false}, {"172.16.0.1", false}, {"172.31.255.255", false},
		{"192.168.0.1", false}, {"192.168.255.255", false}, {"fc00::1", false}, {"fd12:3456::1", false},
		// Link-local and site-local.
		{"169.254.0.1", false}, {"fe80::1", false}, {"fe80::1%eth0", false}, {"febf::1", false}, {"fec0::1", false}, {"feff::1", false},
		// Metadata services.
		{"169.254.169.254", false}, {"169.254.170.2", false}, {"100.100.100.200", false}, {"192.0.0.192", false},
		{"168.63.129.16", false}, {"fd00:ec2::254", false}, {"fd20:ce::254", false},
		// Carrier-grade NAT.
		{"100.64.0.0", false}, {"100.127.255.255", false},
		// Documentation, benchmarks, assignments.
		{"192.0.2.1", false}, {"198.51.100.7", false}, {"203.0.113.255", false}, {"198.18.0.1", false}, {"198.19.255.255", false},
		{"192.0.0.8", false}, {"192.88.99.1", false}, {"192.31.196.1", false}, {"192.52.193.1", false}, {"192.175.48.1", false},
		{"2001:db8::1", false}, {"3fff::1", false}, {"3fff:fff::1", false}, {"2001:2::1", false}, {"2001:10::1", false},
		{"2001:20::1", false}, {"2001:1ff::1", false}, {"2620:4f:8000::1", false}, {"100::1", false}, {"5f00::1", false},
		// Multicast, reserved, broadcast.
		{"224.0.0.1", false}, {"239.255.255.255", false}, {"240.0.0.1", false}, {"255.255.255.255", false},
		{"ff02::1", false}, {"ff0e::1", false}, {"4000::1", false}, {"8000::1", false},
		// IPv4 in other clothes.
		{"::ffff:127.0.0.1", false}, {"::ffff:10.0.0.1", false}, {"::ffff:8.8.8.8", false}, {"::ffff:a9fe:a9fe", false},
		{"::127.0.0.1", false}, {"::7f00:1", false}, {"::8.8.8.8", false}, {"::ffff:0:127.0.0.1", false},
		{"64:ff9b::7f00:1", false}, {"64:ff9b::10.0.0.1", false}, {"64:ff9b::a9fe:a9fe", false}, {"64:ff9b::", false},
		{"64:ff9b:1::808:808", false}, {"64:ff9b:1:ffff::10.0.0.1", false}, {"64:ff9b::1:808:808", false},
		{"2002:7f00:1::", false}, {"2002:a9fe:a9fe::1", false}, {"2002:808:808::1", false},
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", false}, {"2001::1", false},
		{"2606:4700::5efe:a00:1", false}, {"2606:4700::200:5efe:127.0.0.1", false},
	}
	if len(tests) < 60 {
		t.Fatalf("only %d addresses", len(tests))
	}
	g := &Guard{}
	for _, tt := range tests {
		a := netip.MustParseAddr(tt.addr)
		for _, port := range []uint16{443, 8443} {
			if got := g.Permits(netip.AddrPortFrom(a, port)); got != tt.want {
				t.Errorf("Permits(%s, %d) = %v; want %v", a, port, got, tt.want)
			}
		}
		for _, port := range []uint16{0, 22, 80, 442, 444, 8080, 65535} {
			if g.Permits(netip.AddrPortFrom(a, port)) {
				t.Errorf("Permits(%s, %d) = true; want false", a, port)
			}
		}
	}
	if g.Permits(netip.AddrPort{}) {
		t.Error("the zero address is permitted")
	}
}

func TestGuardAllowList(t *testing.T) {
	list, err := ParseCIDRs("10.1.0.0/16, 192.168.1.7,fd00:1::/32")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGuard(list)
	for s, want := range map[string]bool{
		"10.1.2.3:9000": true, "10.1.2.3:443": true, "10.2.0.1:443": false, "192.168.1.7:80": true, "192.168.1.8:443": false,
		"[fd00:1::5]:9000": true, "[fd00:2::5]:443": false, "8.8.8.8:443": true, "8.8.8.8:9000": false,
		"[::ffff:10.1.2.3]:443": false, "[64:ff9b::10.1.2.3]:443": false, "[2002:a01:203::]:443": false, "[fd00:1::5%lo]:443": false,
		"127.0.0.1:443": false,
	} {
		if got := g.Permits(netip.MustParseAddrPort(s)); got != want {
			t.Errorf("Permits(%s) = %v; want %v", s, got, want)
		}
	}
}

func TestParseCIDRs(t *testing.T) {
	for _, s := range []string{"", "  ", "10.0.0.0/8", "10.0.0.1", "::1", "fd00::/8,10.0.0.0/8", "0.0.0.0/0"} {
		if _, err := ParseCIDRs(s); err != nil {
			t.Errorf("ParseCIDRs(%q) = %v; want nil", s, err)
		}
	}
	for _, s := range []string{",", "10.0.0.0/8,", "10.0.0.1/8", "10.0.0.0/33", "example.com", "fe80::1%eth0", "::ffff:10.0.0.0/104", "10.0.0.0-10.0.0.9", "10/8"} {
		if got, err := ParseCIDRs(s); err == nil {
			t.Errorf("ParseCIDRs(%q) = %v; want an error", s, got)
		}
	}
}
