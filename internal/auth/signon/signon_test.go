package signon_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"heed/internal/auth/signon"
)

func TestCheck(t *testing.T) {
	whole := signon.Config{Issuer: "https://login.example.com/realms/a", ClientID: "heed", Secret: "s"}
	for name, tc := range map[string]struct {
		change func(*signon.Config)
		says   []string // none: it is right
	}{
		"whole":          {func(*signon.Config) {}, nil},
		"nothing":        {func(c *signon.Config) { *c = signon.Config{} }, nil},
		"a name alone":   {func(c *signon.Config) { *c = signon.Config{Name: "Login"} }, nil},
		"on this host":   {func(c *signon.Config) { c.Issuer = "http://127.0.0.1:8081" }, nil},
		"on localhost":   {func(c *signon.Config) { c.Issuer = "http://localhost:8081" }, nil},
		"no secret":      {func(c *signon.Config) { c.Secret = "" }, []string{"HEED_OIDC_CLIENT_SECRET"}},
		"a secret alone": {func(c *signon.Config) { *c = signon.Config{Secret: "s"} }, []string{"HEED_OIDC_ISSUER", "HEED_OIDC_CLIENT_ID"}},
		"plain http":     {func(c *signon.Config) { c.Issuer = "http://login.example.com" }, []string{"https URL"}},
		"no URL":         {func(c *signon.Config) { c.Issuer = "login.example.com" }, []string{"https URL"}},
		"with a query":   {func(c *signon.Config) { c.Issuer += "?x=1" }, []string{"https URL"}},
	} {
		c := whole
		tc.change(&c)
		err := c.Check()
		if (err != nil) != (len(tc.says) > 0) {
			t.Errorf("%s: Check() = %v", name, err)
			continue
		}
		for _, s := range tc.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: Check() = %q; want it to say %q", name, err, s)
			}
		}
	}
	if p, err := signon.New(signon.Config{}, "https://heed.example/callback"); p != nil || err != nil {
		t.Errorf("New without settings = %v, %v; want none", p, err)
	}
	p, err := signon.New(whole, "https://heed.example/callback")
	if err != nil || p.Name() != "login.example.com" || p.Callback() != "https://heed.example/callback" {
		t.Errorf("New = %v, %v; want the host of the issuer as its name", p, err)
	}
}

// A provider that is down, or that is another than it is called, is not found; it
// is looked for again.
func TestDiscover(t *testing.T) {
	issuer, up := "", false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up || r.URL.Path != "/.well-known/openid-configuration" {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"issuer":"` + issuer + `","authorization_endpoint":"` + issuer + `/a","token_endpoint":"` + issuer + `/t","jwks_uri":"` + issuer + `/k"}`))
	}))
	defer srv.Close()
	p, err := signon.New(signon.Config{Issuer: srv.URL, ClientID: "heed", Secret: "s"}, "https://heed.example/callback")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Discover(t.Context()); !errors.Is(err, signon.ErrUnreachable) {
		t.Errorf("while it is down: %v; want ErrUnreachable", err)
	}
	up, issuer = true, "https://evil.example"
	if _, err := p.Discover(t.Context()); !errors.Is(err, signon.ErrUnreachable) {
		t.Errorf("with another issuer: %v; want ErrUnreachable", err)
	}
	issuer = srv.URL
	to, trip, err := p.Leave(t.Context(), false)
	if err != nil || !strings.HasPrefix(to, srv.URL+"/a?") {
		t.Fatalf("Leave = %q, %v", to, err)
	}
	if strings.Contains(to, trip.Verifier) {
		t.Errorf("the address holds the verifier: %s", to)
	}
}
