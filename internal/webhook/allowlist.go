package webhook

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
)

// ParseCIDRs reads a list of address ranges separated by commas, such as
// "10.0.0.0/8, 192.168.1.7, fd00::/8". A bare address is a range of one; the
// empty text is the empty list. The error names every entry that is wrong.
func ParseCIDRs(s string) ([]netip.Prefix, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var (
		list []netip.Prefix
		errs []error
	)
	for part := range strings.SplitSeq(s, ",") {
		p, err := parsePrefix(strings.TrimSpace(part))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, p)
	}
	return list, errors.Join(errs...)
}

func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		a, aerr := netip.ParseAddr(s)
		if aerr != nil || a.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("%q is not an address range such as 10.0.0.0/8 or fd00::/8", s)
		}
		p = netip.PrefixFrom(a, a.BitLen())
	}
	if p.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q: write an IPv4 range in its own form", s)
	}
	// 10.0.0.1/8 is either a typing error or a wish for one address; guessing
	// would open more than was meant.
	if p != p.Masked() {
		return netip.Prefix{}, fmt.Errorf("%q has bits outside its mask; did you mean %s?", s, p.Masked())
	}
	return p, nil
}

// LoadRoots returns the system's certificate authorities and those of a PEM
// file. An empty path gives the system's alone.
func LoadRoots(path string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read system certificate authorities: %w", err)
	}
	if path == "" {
		return pool, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read extra certificate authority: %w", err)
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", path)
	}
	return pool, nil
}
