package dashboard_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth/signon"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// provider is an OpenID Connect provider where everybody is who a test says. It
// keeps to the protocol: codes work once, and only with their verifier.
type provider struct {
	t   testing.TB
	srv *httptest.Server
	key *rsa.PrivateKey
	now func() time.Time

	mu     sync.Mutex
	claims map[string]any // of the next token, beside those every token has
	signer *rsa.PrivateKey
	codes  map[string]url.Values // what was asked for, by code
	asked  url.Values            // what was asked for last
}

const (
	clientID     = "heed-client"
	clientSecret = "s3cret & more"
)

func newProvider(t testing.TB, now func() time.Time) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{t: t, key: key, signer: key, now: now, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	p.srv = httptest.NewServer(mux)
	t.Cleanup(p.srv.Close)
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": p.srv.URL, "authorization_endpoint": p.srv.URL + "/authorize", "token_endpoint": p.srv.URL + "/token",
			"jwks_uri": p.srv.URL + "/keys", "userinfo_endpoint": p.srv.URL + "/userinfo",
			"id_token_signing_alg_values_supported": []string{"RS256"}, "response_types_supported": []string{"code"},
			"subject_types_supported": []string{"public"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		raw, err := p.redeem(r)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]any{"error": "invalid_grant", "error_description": err.Error()})
			return
		}
		answer(w, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": raw})
	})
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer access" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer(w, p.claims["userinfo"])
	})
	return p
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// authorize sends the browser back at once: whoever comes is whom the test says.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.mu.Lock()
	p.asked = q
	code := rand.Text()
	p.codes[code] = q
	p.mu.Unlock()
	back := q.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back, http.StatusFound)
}

// redeem makes an ID token of a code.
func (p *provider) redeem(r *http.Request) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	if s, err := url.QueryUnescape(secret); id != clientID || err != nil || s != clientSecret {
		return "", fmt.Errorf("client %q is not known", id)
	}
	asked := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case asked == nil:
		return "", fmt.Errorf("no such code")
	case asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") != b64(sum[:]):
		return "", fmt.Errorf("the verifier does not match")
	case asked.Get("redirect_uri") != r.PostFormValue("redirect_uri"):
		return "", fmt.Errorf("another redirect")
	}
	claims := map[string]any{
		"iss": p.srv.URL, "aud": clientID, "sub": "subject-1", "iat": p.now().Unix(), "exp": p.now().Add(5 * time.Minute).Unix(),
		"nonce": asked.Get("nonce"), "email_verified": true,
	}
	for k, v := range p.claims {
		if v == nil {
			delete(claims, k)
		} else if k != "userinfo" {
			claims[k] = v
		}
	}
	head, _ := json.Marshal(map[string]string{"alg": "RS256", "kid": "1", "typ": "JWT"})
	body, _ := json.Marshal(claims)
	text := b64(head) + "." + b64(body)
	digest := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, p.signer, crypto.SHA256, digest[:])
	return text + "." + b64(sig), err
}

// is says who the next person is.
func (p *provider) is(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

// useProvider has members sign in by a provider.
func (w *world) useProvider(t testing.TB) *provider {
	t.Helper()
	p := newProvider(t, w.clock.Now)
	s, err := signon.New(signon.Config{
		Issuer: p.srv.URL, ClientID: clientID, Secret: clientSecret, Name: "Northwind Login", Now: w.clock.Now,
	}, w.srv.URL+app.SignOnPath)
	if err != nil {
		t.Fatal(err)
	}
	w.app.UseSignOn(s)
	return p
}

// away goes to the provider and returns where it sends the browser back to.
func (u *user) away(query string) (back string) {
	u.t.Helper()
	a := u.get("/signin/oidc" + query)
	if a.status != http.StatusSeeOther {
		u.t.Fatalf("to the provider: %d\n%s", a.status, a.text())
	}
	req, err := http.NewRequestWithContext(u.t.Context(), http.MethodGet, a.header.Get("Location"), nil)
	if err != nil {
		u.t.Fatal(err)
	}
	there := u.do(req)
	return strings.TrimPrefix(there.header.Get("Location"), u.w.srv.URL)
}

// by signs in by the provider.
func (u *user) by(query string) answer {
	u.t.Helper()
	return u.get(u.away(query))
}

func TestSignOn(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.user(t).page("/signin").lacks(t, "/signin/oidc")
		if a := w.user(t).get("/signin/oidc"); a.status != http.StatusNotFound {
			t.Errorf("without a provider: %d; want 404", a.status)
		}
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		p := w.useProvider(t)
		u := w.user(t)
		u.page("/signin").has(t, "Sign in with Northwind Login")

		p.is(map[string]any{"email": "Owner@Northwind.example", "name": "Ada", "auth_time": w.clock.Now().Unix()})
		in := u.by("?next=%2Fdash%2Fprofile")
		if in.status != http.StatusSeeOther || in.header.Get("Location") != "/dash/profile" {
			t.Fatalf("by the provider: %d to %q\n%s", in.status, in.header.Get("Location"), in.text())
		}
		if got := p.asked.Get("redirect_uri"); got != w.srv.URL+"/signin/oidc/callback" {
			t.Errorf("the callback is %q", got)
		}
		for _, name := range []string{"state", "nonce", "code_challenge"} {
			if len(p.asked.Get(name)) < 20 {
				t.Errorf("%s is %q", name, p.asked.Get(name))
			}
		}
		u.page("/dash/profile").has(t, ownerEmail, "You have signed in with Northwind Login")
		u.page("/dash/operator").has(t, "Northwind Login", w.srv.URL+"/signin/oidc/callback")

		// Somebody else at the provider who got the address is not the member.
		p.is(map[string]any{"email": ownerEmail, "sub": "subject-2"})
		w.user(t).by("").has(t, "entered by another person")
		u.act("/dash/profile/identity/forget").has(t, "is forgotten")
		if a := w.user(t).by(""); a.status != http.StatusSeeOther {
			t.Errorf("after forgetting: %d", a.status)
		}
		if away := w.user(t).away("?next=%2F%2Fevil.example"); away == "" {
			t.Error("no way back")
		}
	})
}

// Nothing that is not wholly right opens a session.
func TestSignOnRefuses(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		p := w.useProvider(t)
		another, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		late := w.clock.Now().Add(-time.Hour).Unix()
		for name, tc := range map[string]struct {
			claims map[string]any
			signer *rsa.PrivateKey
			says   string
		}{
			"wrong nonce":         {map[string]any{"email": ownerEmail, "nonce": "of another trip"}, nil, "did not work"},
			"no nonce":            {map[string]any{"email": ownerEmail, "nonce": nil}, nil, "did not work"},
			"wrong audience":      {map[string]any{"email": ownerEmail, "aud": "another-client"}, nil, "did not work"},
			"for another party":   {map[string]any{"email": ownerEmail, "aud": []string{clientID, "x"}, "azp": "x"}, nil, "did not work"},
			"wrong issuer":        {map[string]any{"email": ownerEmail, "iss": "https://evil.example"}, nil, "did not work"},
			"expired":             {map[string]any{"email": ownerEmail, "exp": late}, nil, "did not work"},
			"another key":         {map[string]any{"email": ownerEmail}, another, "did not work"},
			"unverified":          {map[string]any{"email": ownerEmail, "email_verified": false}, nil, "does not say that your e-mail address is yours"},
			"verified not told":   {map[string]any{"email": ownerEmail, "email_verified": nil}, nil, "does not say that your e-mail address is yours"},
			"no address":          {map[string]any{"userinfo": map[string]any{"sub": "subject-1"}}, nil, "does not say that your e-mail address is yours"},
			"userinfo of another": {map[string]any{"userinfo": map[string]any{"sub": "subject-9", "email": ownerEmail}}, nil, "did not work"},
			"unknown person":      {map[string]any{"email": "nobody@northwind.example"}, nil, "No account here has nobody@northwind.example"},
			"nobody":              {map[string]any{"email": ownerEmail, "sub": ""}, nil, "did not work"},
		} {
			t.Run(name, func(t *testing.T) {
				p.is(tc.claims)
				p.signer = p.key
				if tc.signer != nil {
					p.signer = tc.signer
				}
				u := w.user(t)
				a := u.by("")
				if a.status != http.StatusUnauthorized || a.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%d, Cache-Control %q; want 401 and no-store", a.status, a.header.Get("Cache-Control"))
				}
				a.has(t, tc.says)
				if u.session(t) != "" {
					t.Error("there is a session")
				}
				w.clock.pass(10 * time.Second) // each try counts
			})
		}
		p.signer = p.key
		p.is(map[string]any{"email": ownerEmail})

		u := w.user(t)
		back := u.away("")
		refused := func(what string, u *user, path string) {
			t.Helper()
			if a := u.get(path); a.status != http.StatusUnauthorized {
				t.Errorf("%s: %d; want 401\n%s", what, a.status, a.text())
			}
		}
		refused("an answer in another browser", w.user(t), back)
		refused("no answer", w.user(t), "/signin/oidc/callback")
		luggage := u.cookie("heed_signon")
		refused("another state", u, strings.Replace(back, "state=", "state=x", 1))
		u.setCookie("heed_signon", luggage)
		refused("a trip that has ended", u, back) // the try before has used it up

		u = w.user(t)
		back = u.away("")
		luggage = u.cookie("heed_signon")
		if a := u.get(back); a.status != http.StatusSeeOther {
			t.Fatalf("%d\n%s", a.status, a.text())
		}
		replay := w.user(t)
		replay.setCookie("heed_signon", luggage)
		refused("the same answer again", replay, back)
		replay.setCookie("heed_signon", "nonsense")
		refused("a cookie of nobody's", replay, back)

		u = w.user(t)
		back = u.away("")
		w.clock.pass(16 * time.Minute)
		refused("after a quarter of an hour", u, back)

		u = w.user(t)
		u.away("")
		a := u.get("/signin/oidc/callback?" + url.Values{"error": {"access_denied"}, "state": {p.asked.Get("state")}}.Encode())
		a.has(t, "did not work")
		p.srv.Close()
		fresh := w.user(t)
		w.app.UseSignOn(mustProvider(t, p, w))
		if a := fresh.get("/signin/oidc"); a.status != http.StatusServiceUnavailable {
			t.Errorf("a provider that is down: %d; want 503", a.status)
		}
	})
}

// mustProvider is the provider, not found yet.
func mustProvider(t testing.TB, p *provider, w *world) *signon.Provider {
	t.Helper()
	s, err := signon.New(signon.Config{Issuer: p.srv.URL, ClientID: clientID, Secret: clientSecret}, w.srv.URL+app.SignOnPath)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (u *user) cookie(name string) string {
	for _, c := range u.http.Jar.Cookies(u.request(http.MethodGet, "/", nil).URL) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func (u *user) setCookie(name, value string) {
	u.http.Jar.SetCookies(u.request(http.MethodGet, "/", nil).URL, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// A second factor is asked for whoever vouches, and what the provider does not
// say was shown lately must be shown for dangerous things.
func TestSignOnAndProof(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		p := w.useProvider(t)
		totp := w.withSecondFactor(t, ownerEmail)
		p.is(map[string]any{"email": ownerEmail})
		u := w.user(t)
		asked := u.by("")
		asked.has(t, "Second factor")
		u.act2(t, "/signin/enter", "/dash", "ticket", hidden(t, asked, "ticket"), "member", hidden(t, asked, "member"),
			"email", ownerEmail, "code", totp.Code(totp.Step(w.clock.Now())))

		key := []string{"name", "Night job", "scope", "posts:read"}
		u.post("/dash/keys", key...).has(t, "Confirm that it is you", "Sign in again with Northwind Login")
		p.is(map[string]any{"email": ownerEmail, "auth_time": w.clock.Now().Add(-time.Hour).Unix()})
		w.user(t).by("?fresh").has(t, "did not ask you to show who you are")
		if p.asked.Get("prompt") != "login" || p.asked.Get("max_age") != "0" {
			t.Errorf("prompt %q, max_age %q", p.asked.Get("prompt"), p.asked.Get("max_age"))
		}
		w.clock.pass(time.Minute)
		p.is(map[string]any{"email": ownerEmail, "auth_time": w.clock.Now().Unix()})
		asked = u.by("?fresh&next=%2Fdash%2Fkeys")
		u.act2(t, "/signin/enter", "/dash/keys", "ticket", hidden(t, asked, "ticket"), "member", hidden(t, asked, "member"),
			"next", "/dash/keys", "email", ownerEmail, "code", totp.Code(totp.Step(w.clock.Now())))
		u.post("/dash/keys", key...).has(t, "is ready")
	})
}

// An invitation can be accepted by whoever the provider says has the address.
func TestSignOnInvitation(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		p := w.useProvider(t)
		owner := w.signedIn(t, ownerEmail)
		owner.post("/dash/members/invite", "email", "grace@northwind.example", "role", "admin")
		p.is(map[string]any{"email": "grace@northwind.example", "name": "Grace Hopper", "sub": "grace", "auth_time": w.clock.Now().Unix()})
		u := w.user(t)
		page := u.by("")
		page.has(t, "grace@northwind.example is invited", "Join Northwind")
		ticket, invitation := hidden(t, page, "ticket"), hidden(t, page, "invitation")
		if a := w.user(t).post("/signin/join", "ticket", "00", "invitation", invitation); a.status != http.StatusUnauthorized {
			t.Errorf("joining without a ticket: %d; want 401", a.status)
		}
		owner.post("/dash/members/invite", "email", "eve@northwind.example", "role", "admin")
		other := attrOf(t, owner.page("/dash/members"), `invitations/`, `/revoke`)
		if other == invitation {
			other = attrOf(t, answer{body: strings.Replace(owner.page("/dash/members").body, "invitations/"+other, "", 1)}, `invitations/`, `/revoke`)
		}
		if a := w.user(t).post("/signin/join", "ticket", ticket, "invitation", other); a.status != http.StatusUnauthorized {
			t.Errorf("joining by another's invitation: %d; want 401", a.status)
		}
		u.act2(t, "/signin/join", "/dash", "ticket", ticket, "invitation", invitation, "email", "grace@northwind.example")
		u.page("/dash/profile").has(t, "grace@northwind.example · admin of Northwind", "You have none. To choose one", "Grace Hopper")
		if a := w.user(t).post("/signin/join", "ticket", ticket, "invitation", invitation); a.status == http.StatusSeeOther {
			t.Error("the invitation works twice")
		}
		if a := w.user(t).post("/signin", "email", "grace@northwind.example", "password", ""); a.status != http.StatusUnauthorized {
			t.Errorf("signing in without a password: %d; want 401", a.status)
		}
		if a := w.user(t).by(""); a.status != http.StatusSeeOther {
			t.Errorf("signing in again: %d", a.status)
		}
		w.clock.pass(feedback.ProofLife + time.Minute)
		u.post("/dash/keys", "name", "x", "scope", "posts:read").has(t, "You have no password", "Sign in again with Northwind Login")
	})
}

// attrOf is what stands between two texts of a page.
func attrOf(t testing.TB, a answer, before, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(a.body, before)
	if !ok {
		t.Fatalf("no %q", before)
	}
	value, _, _ := strings.Cut(rest, after)
	return value
}

// The whole way in a browser, without JavaScript: the policy of the page lets it
// leave and come back.
func TestSignOnInBrowser(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	idp := w.useProvider(t)
	idp.is(map[string]any{"email": ownerEmail})
	for name, options := range map[string][]browsertest.Option{"plain": nil, "without JavaScript": {browsertest.NoJavaScript}} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, options...)
			p.Visits(idp.srv.URL)
			p.Go(w.srv.URL + "/signin")
			p.Click(`a[href^="/signin/oidc"]`)
			p.Wait("nav.nav")
			if !strings.HasPrefix(p.Location(), w.srv.URL+"/dash") {
				t.Errorf("the browser is at %s", p.Location())
			}
		})
	}
}
