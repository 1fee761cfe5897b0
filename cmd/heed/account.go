package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"heed/internal/feedback"
)

// asJSON is embedded in commands that can answer a program.
type asJSON struct {
	JSON bool `name:"json" env:"HEED_JSON" help:"Print one JSON object and nothing else."`
}

// print writes v as JSON if that was asked for, and else the text.
func (j asJSON) print(w io.Writer, v any, text string) error {
	if !j.JSON {
		_, err := fmt.Fprintln(w, strings.TrimRight(text, "\n"))
		return err
	}
	return json.NewEncoder(w).Encode(v)
}

type initCmd struct {
	settings
	asJSON
	Email    string `required:"" env:"HEED_EMAIL" help:"E-mail address of the owner."`
	Password string `required:"" env:"HEED_PASSWORD" help:"Password of the owner, at least 10 characters."`
	Account  string `required:"" env:"HEED_ACCOUNT" help:"Name of the account."`
	Site     string `required:"" env:"HEED_SITE" help:"Name of its first site."`
	Plan     string `env:"HEED_PLAN" help:"FREE, PRO or STUDIO; the default plan when left out."`
}

// Run opens an account.
func (c *initCmd) Run(ctx context.Context, io stdio) error {
	return c.withNew(ctx, func(o *opened) error {
		n, err := o.app.OpenAccount(ctx, feedback.NewAccount{
			Name: feedback.AccountName(c.Account), Email: c.Email, Password: c.Password,
			Site: feedback.SiteName(c.Site), Plan: feedback.Plan(strings.ToUpper(c.Plan)),
		})
		if err != nil {
			return err
		}
		return c.print(io.out, map[string]any{
			"accountId": n.Account.ID, "memberId": n.Member.ID, "siteId": n.Site.ID, "siteSlug": n.Site.Slug, "apiKey": n.Secret,
		}, fmt.Sprintf("Account  %s  %s (%s)\nSite     %s  %s\nAPI key  %s\n\nThe key is shown this once.",
			n.Account.ID, n.Account.Name, n.Account.Plan, n.Site.ID, n.Site.Slug, n.Secret))
	})
}

type siteCmd struct {
	Create siteCreateCmd `cmd:"" help:"Open a site."`
}

type siteCreateCmd struct {
	settings
	asJSON
	Account string `required:"" env:"HEED_ACCOUNT" placeholder:"ID" help:"The account."`
	Name    string `required:"" env:"HEED_NAME" help:"Name of the site."`
}

// Run opens a site.
func (c *siteCreateCmd) Run(ctx context.Context, io stdio) error {
	return c.with(ctx, func(o *opened) error {
		s, err := o.app.CreateSite(ctx, c.Account, feedback.NewSite{Name: feedback.SiteName(c.Name)})
		if err != nil {
			return err
		}
		return c.print(io.out, map[string]any{"siteId": s.ID, "siteSlug": s.Slug}, fmt.Sprintf("Site  %s  %s", s.ID, s.Slug))
	})
}

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make an API key."`
	Revoke keyRevokeCmd `cmd:"" help:"End an API key."`
}

type keyCreateCmd struct {
	settings
	asJSON
	Account string `required:"" env:"HEED_ACCOUNT" placeholder:"ID" help:"The account."`
	Site    string `env:"HEED_SITE" placeholder:"ID" help:"Restrict the key to this site."`
	Scopes  string `env:"HEED_SCOPES" default:"read" help:"all, read, or a list such as posts:read,posts:write."`
	Name    string `env:"HEED_NAME" default:"API key" help:"What the key is for."`
}

// Run makes a key.
func (c *keyCreateCmd) Run(ctx context.Context, io stdio) error {
	scopes, err := feedback.ParseScopes(c.Scopes)
	if err != nil {
		return err
	}
	return c.with(ctx, func(o *opened) error {
		k, secret, err := o.app.CreateKey(ctx, c.Account, c.Site, feedback.NewKey{Name: feedback.KeyName(c.Name), Scopes: scopes})
		if err != nil {
			return err
		}
		site := any(nil)
		reach := "every site of the account"
		if k.SiteID != 0 {
			site, reach = k.SiteID, k.SiteID.String()
		}
		return c.print(io.out, map[string]any{"keyId": k.ID, "apiKey": secret, "scopes": k.Scopes, "siteId": site},
			fmt.Sprintf("Key      %s  for %s\nScopes   %v\nAPI key  %s\n\nThe key is shown this once.", k.ID, reach, k.Scopes, secret))
	})
}

type keyRevokeCmd struct {
	settings
	asJSON
	Key string `arg:"" help:"The id of the key: key_..."`
}

// Run ends a key.
func (c *keyRevokeCmd) Run(ctx context.Context, io stdio) error {
	return c.with(ctx, func(o *opened) error {
		if err := o.app.RevokeKey(ctx, c.Key); err != nil {
			return err
		}
		return c.print(io.out, map[string]any{"keyId": c.Key, "revoked": true}, "Revoked "+c.Key+".")
	})
}

type accountCmd struct {
	List    accountListCmd    `cmd:"" help:"List the accounts."`
	SetPlan accountSetPlanCmd `cmd:"" name:"set-plan" help:"Move an account to a plan."`
}

type accountListCmd struct {
	settings
	asJSON
}

// Run lists the accounts.
func (c *accountListCmd) Run(ctx context.Context, io stdio) error {
	return c.with(ctx, func(o *opened) error {
		all, err := o.app.Accounts(ctx)
		if err != nil {
			return err
		}
		rows := make([]map[string]any, len(all))
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ACCOUNT\tPLAN\tCREATED\tNAME")
		for i, a := range all {
			created := a.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z")
			rows[i] = map[string]any{"accountId": a.ID, "name": a.Name, "plan": a.Plan, "createdAt": created}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.ID, a.Plan, created[:10], a.Name)
		}
		w.Flush()
		return c.print(io.out, map[string]any{"accounts": rows}, text.String())
	})
}

type accountSetPlanCmd struct {
	settings
	asJSON
	Account string `arg:"" help:"The id of the account: acct_..."`
	Plan    string `arg:"" help:"FREE, PRO or STUDIO."`
}

// Run moves an account to a plan.
func (c *accountSetPlanCmd) Run(ctx context.Context, io stdio) error {
	plan := feedback.Plan(strings.ToUpper(c.Plan))
	return c.with(ctx, func(o *opened) error {
		if err := o.app.SetPlan(ctx, c.Account, plan); err != nil {
			return err
		}
		return c.print(io.out, map[string]any{"accountId": c.Account, "plan": plan}, fmt.Sprintf("%s is on %s.", c.Account, plan))
	})
}
