package main

import (
	"context"
	"fmt"

	"heed/internal/app"
	"heed/internal/auth/signon"
	"heed/internal/config"
)

// signOnOf reads the settings of single sign-on. It returns nil where there are
// none.
func signOnOf(c config.SignOn, baseURL string) (*signon.Provider, error) {
	return signon.New(signon.Config{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, Secret: c.OIDCClientSecret, Name: c.OIDCName,
	}, baseURL+app.SignOnPath)
}

// checkSignOn asks the provider whether it is one, and says what it must know of
// us.
func checkSignOn(ctx context.Context, c config.SignOn, baseURL string) (what string, err error) {
	p, err := signOnOf(c, baseURL)
	if err != nil {
		return "single sign-on can be read", err
	}
	if p == nil {
		return "", nil
	}
	_, err = p.Discover(ctx)
	return fmt.Sprintf("single sign-on by %s, with the callback address %s", p.Name(), p.Callback()), err
}
