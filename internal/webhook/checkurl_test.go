package webhook

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

var urlTests = []struct{ url, rule string }{
	{"https://example.com", ""},
	{"https://example.com/", ""},
	{"HTTPS://Example.COM/Hook?x=1&y=%20", ""},
	{"https://example.com:443/a", ""},
	{"https://example.com:8443/a", ""},
	{"https://example.com./a", ""},
	{"https://a-b_c.xn--bcher-kva.example/ü?q=ü", ""},
	{"https://8.8.8.8/hook", ""},
	{"https://[2606:4700:4700::1111]:8443/hook", ""},
	{"https://0x7f.example.com/", ""}, // a name: its last label is no number
	{"https://123.com/", ""},
	{"https://1.2.3.4.example/", ""},

	{"", RuleRequired},
	{"https://example.com/" + strings.Repeat("a", MaxURLLength), RuleLength},
	{" https://example.com/", RuleSyntax},
	{"https://example.com/a b", RuleSyntax},
	{"https://example.com/\r\nHost: x", RuleSyntax},
	{"https://example.com/\x00", RuleSyntax},
	{"https://example.com\\@127.0.0.1/", RuleSyntax},
	{"https:\\\\example.com/", RuleSyntax},
	{"https://example.com/%zz", RuleSyntax},
	{"https://[::1/", RuleSyntax},
	{"https://exam%2fple.com/", RuleSyntax},
	{"http://example.com/", RuleHTTPS},
	{"ftp://example.com/", RuleHTTPS},
	{"file:///etc/passwd", RuleHTTPS},
	{"gopher://127.0.0.1:443/", RuleHTTPS},
	{"//example.com/", RuleHTTPS},
	{"example.com", RuleHTTPS},
	{"javascript:alert(1)", RuleHTTPS},
	{"https://user@example.com/", RuleUserinfo},
	{"https://user:hunter2@example.com/", RuleUserinfo},
	{"https://@example.com/", RuleUserinfo},
	{"https://example.com/#a", RuleFragment},
	{"https://example.com/#", RuleFragment},
	{"https://", RuleHost},
	{"https:///path", RuleHost},
	{"https:example.com", RuleHost},
	{"https://:443/", RuleHost},
	{"https://./", RuleHost},
	{"https://a..b/", RuleHost},
	{"https://.example.com/", RuleHost},
	{"https://" + strings.Repeat("a", 64) + ".com/", RuleHost},
	{"https://" + strings.Repeat("a.", 130) + "com/", RuleHost},
	{"https://bücher.example/", RuleHost},
	{"https://１２７.0.0.1/", RuleHost},
	{"https://127。0。0。1/", RuleHost},
	{"https://ex!ample.com/", RuleHost},
	{"https://[example.com]/", RuleSyntax},
	{"https://[127.0.0.1]/", RuleSyntax},
	{"https://example.com:/", RulePort},
	{"https://example.com:0/", RulePort},
	{"https://example.com:80/", RulePort},
	{"https://example.com:22/", RulePort},
	{"https://example.com:0443/", RulePort},
	{"https://example.com:65536/", RulePort},
	{"https://example.com:99999999999/", RulePort},
	{"https://8.8.8.8:8080/", RulePort},

	{"https://localhost/", RuleAddress},
	{"https://LOCALHOST./", RuleAddress},
	{"https://a.localhost/", RuleAddress},
	{"https://printer.local/", RuleAddress},
	{"https://metadata.google.internal/", RuleAddress},
	{"https://nas.home.arpa/", RuleAddress},
	{"https://intranet/", RuleAddress},
	{"https://127.0.0.1/", RuleAddress},
	{"https://127.0.0.1./", RuleAddress},
	{"https://127.1/", RuleAddress},
	{"https://127.0.1/", RuleAddress},
	{"https://127.0.0.1.0/", RuleAddress},
	{"https://2130706433/", RuleAddress},
	{"https://0x7f000001/", RuleAddress},
	{"https://0X7F000001/", RuleAddress},
	{"https://0x7f.0.0.1/", RuleAddress},
	{"https://0x/", RuleAddress},
	{"https://0177.0.0.1/", RuleAddress},
	{"https://017700000001/", RuleAddress},
	{"https://127.0.0.01/", RuleAddress},
	{"https://127.0.0.0x1/", RuleAddress},
	{"https://8.8.2056/", RuleAddress},
	{"https://256.256.256.256/", RuleAddress},
	{"https://0/", RuleAddress},
	{"https://0.0.0.0/", RuleAddress},
	{"https://10.0.0.1/", RuleAddress},
	{"https://169.254.169.254/latest/meta-data/", RuleAddress},
	{"https://[::1]/", RuleAddress},
	{"https://[::]/", RuleAddress},
	{"https://[::ffff:8.8.8.8]/", RuleAddress},
	{"https://[::ffff:7f00:1]/", RuleAddress},
	{"https://[::127.0.0.1]/", RuleAddress},
	{"https://[0:0:0:0:0:0:0:1]/", RuleAddress},
	{"https://[64:ff9b::7f00:1]/", RuleAddress},
	{"https://[64:ff9b:1::1]/", RuleAddress},
	{"https://[2002:7f00:1::]/", RuleAddress},
	{"https://[2001::1]/", RuleAddress},
	{"https://[fd00:ec2::254]/", RuleAddress},
	{"https://[fe80::1]/", RuleAddress},
	{"https://[fe80::1%25eth0]/", RuleAddress},
	{"https://[2606:4700::1%25eth0]/", RuleAddress},
}

func TestCheckURL(t *testing.T) {
	g := &Guard{}
	for _, tt := range urlTests {
		err := g.CheckURL(tt.url)
		var ue *URLError
		switch {
		case tt.rule == "" && err != nil:
			t.Errorf("CheckURL(%q) = %v; want nil", tt.url, err)
		case tt.rule != "" && !errors.As(err, &ue):
			t.Errorf("CheckURL(%q) = %v; want rule %s", tt.url, err, tt.rule)
		case tt.rule != "" && ue.Rule != tt.rule:
			t.Errorf("CheckURL(%.80q) = rule %s (%s); want %s", tt.url, ue.Rule, ue.Msg, tt.rule)
		case tt.rule != "" && strings.Contains(ue.Msg, "hunter2"):
			t.Errorf("CheckURL(%q): the message repeats the password: %s", tt.url, ue.Msg)
		}
	}
}

func TestCheckURLWithAllowList(t *testing.T) {
	g := NewGuard([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")})
	for u, rule := range map[string]string{
		"https://10.0.0.1:9000/": "", "https://[fd00::1]:9000/": "", "https://receiver:9000/": "", "https://nas.local/": "",
		"https://localhost/": "", // what it resolves to is judged at connect time
		"https://10.0.1/":    RuleAddress, "https://192.168.0.1/": RuleAddress, "https://[::ffff:10.0.0.1]/": RuleAddress,
		"https://8.8.8.8:9000/": RulePort, "http://10.0.0.1/": RuleHTTPS,
	} {
		var ue *URLError
		err := g.CheckURL(u)
		if got := errors.As(err, &ue); got != (rule != "") || (got && ue.Rule != rule) {
			t.Errorf("CheckURL(%q) = %v; want rule %q", u, err, rule)
		}
	}
}

// Whatever passes must mean the same host to every reader of the URL.
func FuzzCheckURL(f *testing.F) {
	for _, tt := range urlTests {
		f.Add(tt.url)
	}
	g := &Guard{}
	f.Fuzz(func(t *testing.T, raw string) {
		err := g.CheckURL(raw)
		if err != nil {
			var ue *URLError
			if !errors.As(err, &ue) || ue.Rule == "" || ue.Msg == "" {
				t.Fatalf("CheckURL(%q) = %#v; want a URLError with rule and message", raw, err)
			}
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || len(raw) > MaxURLLength {
			t.Fatalf("CheckURL accepted %q: %v, %v", raw, u, err)
		}
		host := u.Hostname()
		if p := u.Port(); p != "" && p != "443" && p != "8443" {
			t.Fatalf("CheckURL accepted port %s of %q", p, raw)
		}
		for _, c := range []byte(host) {
			if c >= 0x80 || c <= ' ' || c == '%' || c == '@' || c == '/' || c == '\\' {
				t.Fatalf("CheckURL accepted the host %q", host)
			}
		}
		if a, err := netip.ParseAddr(strings.TrimSuffix(host, ".")); err == nil && !g.Permits(netip.AddrPortFrom(a, 443)) {
			t.Fatalf("CheckURL accepted the refused address %s", a)
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host || g.CheckURL(u.String()) != nil && len(u.String()) <= MaxURLLength {
			t.Fatalf("%q is read as %q, which is read as %v, %v", raw, u, again, err)
		}
	})
}
