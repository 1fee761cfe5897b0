package webhook

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// MaxURLLength is the longest URL, in bytes, that is accepted.
const MaxURLLength = 2048

// URLError says why a URL cannot be an endpoint. Rule is a word for programs,
// Msg a sentence for the person who typed the URL.
type URLError struct{ Rule, Msg string }

func (e *URLError) Error() string { return e.Msg }

// The rules a URLError can name.
const (
	RuleRequired = "required"
	RuleLength   = "max_length"
	RuleSyntax   = "syntax"
	RuleHTTPS    = "https"
	RuleUserinfo = "userinfo"
	RuleFragment = "fragment"
	RuleHost     = "host"
	RulePort     = "port"
	RuleAddress  = "address"
)

func refuse(rule, format string, args ...any) error {
	return &URLError{Rule: rule, Msg: fmt.Sprintf(format, args...)}
}

// CheckURL reports, as a *URLError, what would keep a message from ever being
// sent to this URL. It resolves no names: nil means that the URL is well
// formed, not that its host will pass the guard when it is connected to.
func (g *Guard) CheckURL(raw string) error {
	_, err := g.parseURL(raw)
	return err
}

func (g *Guard) parseURL(raw string) (*url.URL, error) {
	switch {
	case raw == "":
		return nil, refuse(RuleRequired, "enter a URL that starts with https://")
	case len(raw) > MaxURLLength:
		return nil, refuse(RuleLength, "the URL is longer than %d bytes", MaxURLLength)
	case strings.ContainsFunc(raw, unwelcome):
		// Browsers and libraries disagree on what these mean in a URL, and
		// what two readers read differently can name two hosts.
		return nil, refuse(RuleSyntax, "the URL contains a space, a backslash or a control character; percent-encode it")
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's text repeats the URL, which may hold a password.
		return nil, refuse(RuleSyntax, "this is not a readable URL; it should look like https://example.com/hooks")
	}
	switch {
	case u.Scheme != "https":
		return nil, refuse(RuleHTTPS, "the URL must start with https://")
	case u.User != nil:
		return nil, refuse(RuleUserinfo, "leave the user name and password out of the URL; verify the signature instead")
	case strings.Contains(raw, "#"):
		return nil, refuse(RuleFragment, "leave out the part from # on; it is never sent to a server")
	case u.Opaque != "", u.Hostname() == "":
		return nil, refuse(RuleHost, "the URL has no host; it should look like https://example.com/hooks")
	}
	port, err := urlPort(u)
	if err != nil {
		return nil, err
	}
	if err := g.checkHost(u.Hostname(), strings.HasPrefix(u.Host, "["), port); err != nil {
		return nil, err
	}
	return u, nil
}

func unwelcome(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f || r == '\uFFFD' }

func urlPort(u *url.URL) (uint16, error) {
	text := u.Port()
	if text == "" {
		if strings.HasSuffix(u.Host, ":") {
			return 0, refuse(RulePort, "there is no port after the colon; write one or leave the colon out")
		}
		return 443, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || text != strconv.FormatUint(n, 10) {
		return 0, refuse(RulePort, "the port must be a plain number from 1 to 65535")
	}
	return uint16(n), nil
}

func (g *Guard) checkHost(host string, bracketed bool, port uint16) error {
	if bracketed {
		return g.checkIPv6(host, port)
	}
	// A final dot is the same name, written in full.
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if err := checkName(name); err != nil {
		return err
	}
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	if isNumber(last) {
		// No top-level domain is a number, so this is meant as an IPv4 address:
		// 2130706433, 0x7f.1 and 0177.0.0.1 are all 127.0.0.1 to some library.
		a, err := netip.ParseAddr(name)
		if err != nil {
			return refuse(RuleAddress, "write the IPv4 address as four decimal numbers without leading zeros, or use a host name")
		}
		return g.checkLiteral(a, port)
	}
	if len(g.allow) > 0 {
		// Which addresses a local name has, and with them which ports are
		// open to it, is known only when it is connected to.
		return nil
	}
	switch {
	case last == "localhost", last == "local", last == "internal", strings.HasSuffix(name, ".home.arpa"):
		return refuse(RuleAddress, "%s is a name inside a network; use one that resolves on the public internet", name)
	case len(labels) == 1:
		return refuse(RuleAddress, "%s has no domain; use a full host name such as hooks.example.com", name)
	case !allowedPorts[port]:
		return refuse(RulePort, "port %d is not allowed; use 443 or 8443", port)
	}
	return nil
}

func (g *Guard) checkIPv6(host string, port uint16) error {
	a, err := netip.ParseAddr(host)
	switch {
	case err != nil || !a.Is6():
		return refuse(RuleHost, "what stands in brackets must be an IPv6 address")
	case a.Zone() != "":
		return refuse(RuleAddress, "an IPv6 address with a zone names a local network; use a public address or a host name")
	case a.Is4In6():
		return refuse(RuleAddress, "write the IPv4 address itself, as four decimal numbers")
	}
	return g.checkLiteral(a, port)
}

func (g *Guard) checkLiteral(a netip.Addr, port uint16) error {
	switch {
	case g.allowed(a):
		return nil
	case !isPublic(a):
		return refuse(RuleAddress, "%s is a private or reserved address; use one that is reachable on the public internet", a)
	case !allowedPorts[port]:
		return refuse(RulePort, "port %d is not allowed; use 443 or 8443", port)
	}
	return nil
}

// checkName holds a host to letters, digits, hyphens and underscores. Beyond
// ASCII, resolution maps characters to others: the full-width １２７ becomes
// 127 after every check here has passed.
func checkName(name string) error {
	if len(name) > 253 {
		return refuse(RuleHost, "the host name is longer than 253 characters")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return refuse(RuleHost, "each part of the host name, between the dots, must have 1 to 63 characters")
		}
		for _, c := range []byte(label) {
			switch {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			case c >= 0x80:
				return refuse(RuleHost, "write an international host name in its ASCII form, which starts with xn--")
			default:
				return refuse(RuleHost, "the host name may hold letters, digits, hyphens and dots only")
			}
		}
	}
	return nil
}

// isNumber reports whether a library might read the label as a number:
// decimal or octal digits, or hexadecimal after 0x.
func isNumber(label string) bool {
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		label, digits = hex, digits+"abcdef"
	}
	return strings.Trim(label, digits) == ""
}
