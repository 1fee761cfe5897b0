package webhook

import (
	"encoding/binary"
	"net/netip"
)

// Ports a message may go to, unless the address is on the allow-list: the
// standard one and its usual stand-in. Any other port of a public address
// would make the service a scanner for whoever may enter a URL.
var allowedPorts = map[uint16]bool{443: true, 8443: true}

// refusedV4 is what the IANA special-purpose registry keeps from being a host
// on the public internet, and the addresses clouds answer metadata on.
var refusedV4 = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // carrier-grade NAT; a metadata service lives at 100.100.100.200
	"127.0.0.0/8",     // loopback
	"168.63.129.16",   // a cloud's host agent, on an address that looks public
	"169.254.0.0/16",  // link-local; most metadata services live at 169.254.169.254
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments; a metadata service lives at 192.0.0.192
	"192.0.2.0/24",    // documentation
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // automatic multicast tunnels
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"192.175.48.0/24", // AS112
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast
)

// publicV6 is the only part of IPv6 given out for public hosts. Starting from
// it refuses at one stroke loopback, unspecified, IPv4-compatible, unique
// local, link-local, site-local, discard-only, segment routing and multicast.
var publicV6 = netip.MustParsePrefix("2000::/3")

// refusedV6 is what must be taken out of publicV6 again.
var refusedV6 = prefixes(
	"2001::/23",         // protocol assignments: Teredo, benchmarks, ORCHID
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: carries any IPv4 address, through whoever relays
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// nat64 is how a network without IPv4 reaches IPv4 hosts, so it cannot simply
// be refused: what counts is the IPv4 address inside. The range for local use,
// 64:ff9b:1::/48, is outside publicV6 and stays refused.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Guard decides which addresses a message may be sent to. Its zero value
// allows public addresses on the allowed ports and nothing else.
type Guard struct{ allow []netip.Prefix }

// NewGuard returns a guard that also allows the given ranges, on every port.
func NewGuard(allow []netip.Prefix) *Guard {
	return &Guard{allow: allow}
}

// Permits reports whether a connection to this address and port may be made.
func (g *Guard) Permits(ap netip.AddrPort) bool {
	a := ap.Addr()
	if g.allowed(a) {
		return true
	}
	return allowedPorts[ap.Port()] && isPublic(a)
}

// allowed is deliberately literal: 10.0.0.0/8 on the list does not allow an
// IPv6 address that carries 10.0.0.1 inside.
func (g *Guard) allowed(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" || a.Is4In6() {
		return false
	}
	for _, p := range g.allow {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

func isPublic(a netip.Addr) bool {
	switch {
	case !a.IsValid(), a.Zone() != "", a.Is4In6():
		return false
	case a.Is4():
		return !within(a, refusedV4)
	case nat64.Contains(a):
		b := a.As16()
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	}
	return publicV6.Contains(a) && !within(a, refusedV6) && !isISATAP(a)
}

// isISATAP reports an interface identifier that a tunnel interface, where
// there is one, turns into the IPv4 address in its last four bytes.
func isISATAP(a netip.Addr) bool {
	b := a.As16()
	id := binary.BigEndian.Uint32(b[8:12])
	return id == 0x00005efe || id == 0x02005efe
}

func within(a netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// prefixes reads the tables above; a bare address is a range of one.
func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		p, err := parsePrefix(t)
		if err != nil {
			panic(err)
		}
		list[i] = p
	}
	return list
}
