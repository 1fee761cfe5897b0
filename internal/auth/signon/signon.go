// Package signon has an OpenID Connect provider say who somebody is: it finds the
// provider by its issuer, sends browsers there with state, nonce and PKCE, and
// checks what comes back. It knows no member and no database: whether the person
// may enter is for the caller to say, who also keeps the [Trip] between leaving
// and coming back.
package signon

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Config names a provider and who we are there.
type Config struct {
	Issuer   string
	ClientID string
	Secret   string
	Name     string // what people call it; the host of the issuer when empty
	Now      func() time.Time
}

// Provider is a provider of single sign-on. It is safe for concurrent use.
type Provider struct {
	cfg      Config
	callback string
	client   *http.Client

	mu    sync.Mutex
	found *oidc.Provider // nil: not looked for yet, or not found
}

// patience is how long the provider may take to answer us.
const patience = 10 * time.Second

// Check reports what is wrong with the settings, without asking the provider. It
// returns nil for those of an installation that has none.
func (c Config) Check() error {
	if c.Issuer+c.ClientID+c.Secret == "" {
		return nil
	}
	var wrong []error
	need := func(name, value string) {
		if value == "" {
			wrong = append(wrong, fmt.Errorf("%s is missing", name))
		}
	}
	need("HEED_OIDC_ISSUER", c.Issuer)
	need("HEED_OIDC_CLIENT_ID", c.ClientID)
	need("HEED_OIDC_CLIENT_SECRET", c.Secret)
	if c.Issuer != "" {
		u, err := url.Parse(c.Issuer)
		if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && !isLocal(u) {
			wrong = append(wrong, fmt.Errorf("HEED_OIDC_ISSUER: want an https URL such as https://login.example.com, not %q", c.Issuer))
		}
	}
	return errors.Join(wrong...)
}

// isLocal reports whether a URL stays on this machine, where nobody listens in.
func isLocal(u *url.URL) bool {
	a, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && a.IsLoopback())
}

// New returns the provider of a configuration, or nil if there is none. callback
// is the address at which browsers come back; the provider must know it to the
// letter.
func New(c Config, callback string) (*Provider, error) {
	if err := c.Check(); err != nil || c.Issuer == "" {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if u, err := url.Parse(c.Issuer); c.Name == "" && err == nil {
		c.Name = u.Hostname()
	}
	return &Provider{cfg: c, callback: callback, client: &http.Client{Timeout: patience}}, nil
}

// Name is what people call the provider.
func (p *Provider) Name() string { return p.cfg.Name }

// Issuer is what the provider calls itself.
func (p *Provider) Issuer() string { return p.cfg.Issuer }

// Callback is the address the provider must send browsers back to.
func (p *Provider) Callback() string { return p.callback }

// ErrUnreachable says that the provider does not answer, or not as one.
var ErrUnreachable = errors.New("the provider of single sign-on does not answer")

// Discover finds the provider, once. One that could not be found is looked for
// again at the next call: it may have been down.
func (p *Provider) Discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	// The keys are fetched later, when this call is long over: the context may
	// not be the caller's.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.cfg.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	p.found = found
	return found, nil
}

// Trip is what must be kept, secret from others, while a browser is away.
type Trip struct {
	State, Nonce, Verifier string
	// Fresh: the provider was to ask again who it is, though it may know.
	Fresh bool
}

// Leave returns where to send a browser.
func (p *Provider) Leave(ctx context.Context, fresh bool) (to string, t Trip, err error) {
	found, err := p.Discover(ctx)
	if err != nil {
		return "", t, err
	}
	t = Trip{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Fresh: fresh}
	options := []oauth2.AuthCodeOption{oidc.Nonce(t.Nonce), oauth2.S256ChallengeOption(t.Verifier)}
	if fresh {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return p.oauth(found).AuthCodeURL(t.State, options...), t, nil
}

func (p *Provider) oauth(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.cfg.ClientID, ClientSecret: p.cfg.Secret, Endpoint: found.Endpoint(), RedirectURL: p.callback,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// Person is who the provider says somebody is.
type Person struct {
	Subject  string // the provider's own name for them, which never changes
	Email    string
	Verified bool // the provider has seen that the address is theirs
	Name     string
	// ProvenAt is when they showed the provider who they are; zero if it does
	// not say.
	ProvenAt time.Time
}

// claims are what we read of an ID token, and of what the provider says besides.
type claims struct {
	Email    string  `json:"email"`
	Verified boolish `json:"email_verified"`
	Name     string  `json:"name"`
	AuthTime int64   `json:"auth_time"`
	Party    string  `json:"azp"`
}

// boolish is a truth that some providers spell as a text.
type boolish bool

func (b *boolish) UnmarshalJSON(text []byte) error {
	*b = boolish(strings.Trim(string(text), `"`) == "true")
	return nil
}

// ErrRefused is returned for an answer that proves nothing. What is wrong with it
// is for the log.
var ErrRefused = errors.New("the answer of the provider does not hold")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// Return checks what a browser brought back from a trip and returns who it is.
func (p *Provider) Return(ctx context.Context, t Trip, answer url.Values) (*Person, error) {
	if subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(t.State)) != 1 || t.State == "" {
		return nil, refused("the state is another")
	}
	if iss := answer.Get("iss"); iss != "" && iss != p.cfg.Issuer {
		return nil, refused("the answer is of issuer %q", iss)
	}
	if e := answer.Get("error"); e != "" {
		return nil, refused("the provider says %q %q", e, answer.Get("error_description"))
	}
	found, err := p.Discover(ctx)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.oauth(found).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(t.Verifier))
	if err != nil {
		if _, said := errors.AsType[*oauth2.RetrieveError](err); said {
			return nil, refused("exchange the code: %w", err)
		}
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := found.Verifier(&oidc.Config{ClientID: p.cfg.ClientID, Now: p.cfg.Now}).Verify(ctx, raw)
	if err != nil {
		return nil, refused("ID token: %w", err)
	}
	var c claims
	if err := id.Claims(&c); err != nil {
		return nil, refused("claims: %w", err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(t.Nonce)) != 1:
		return nil, refused("the nonce is another")
	case c.Party != "" && c.Party != p.cfg.ClientID:
		return nil, refused("the token is for %q", c.Party)
	case id.Subject == "":
		return nil, refused("the token names nobody")
	}
	if c.Email == "" {
		if err := p.ask(ctx, found, token, id.Subject, &c); err != nil {
			return nil, err
		}
	}
	person := &Person{Subject: id.Subject, Email: c.Email, Verified: bool(c.Verified), Name: c.Name}
	if c.AuthTime > 0 {
		person.ProvenAt = time.Unix(c.AuthTime, 0).UTC()
	}
	return person, nil
}

// ask asks the provider for what its token leaves out.
func (p *Provider) ask(ctx context.Context, found *oidc.Provider, token *oauth2.Token, subject string, c *claims) error {
	if found.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	var said json.RawMessage
	if info.Subject != subject || info.Claims(&said) != nil {
		return refused("the provider speaks of %q where its token is of %q", info.Subject, subject)
	}
	proven, party := c.AuthTime, c.Party
	if err := json.Unmarshal(said, c); err != nil {
		return refused("claims: %w", err)
	}
	c.AuthTime, c.Party = proven, party // those of the token count
	return nil
}
