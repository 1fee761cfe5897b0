package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"heed/internal/config"
	"heed/internal/demo"
	"heed/internal/store"
)

type demoCmd struct {
	config.Rules
	config.Server
	config.Webhooks
}

// Run serves a sample site on a database that is thrown away at the end.
func (c *demoCmd) Run(ctx context.Context, io stdio) (err error) {
	dir, err := os.MkdirTemp("", "heed-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	s := serveCmd{Server: c.Server}
	s.Rules, s.Webhooks, s.DB = c.Rules, c.Webhooks, "sqlite:"+filepath.Join(dir, "heed.db")
	s.Addr = freeAddress(ctx, c.Addr)
	if s.LogLevel == "info" {
		s.LogLevel = "warn" // a line for every request would hide what to look at
	}
	log := s.logger(io)
	if err := s.mistakes(); err != nil {
		return err
	}
	rules, err := s.rules()
	if err != nil {
		return err
	}
	if rules.Master, err = s.master(); err != nil {
		return err
	}
	if err := withDB(ctx, store.Options{URL: s.DB}, func(db *store.DB) error { return db.Migrate(ctx) }); err != nil {
		return err
	}
	p := showProgress(io, "Writing a sample site:")
	sample, err := demo.Fill(ctx, demo.Options{URL: s.DB, App: rules, Progress: p.at})
	if err != nil {
		return err
	}
	p.end()

	o, err := s.open(ctx, log)
	if err != nil {
		return err
	}
	if err := requestInsights(ctx, o, sample.Secret, sample.Site.ID.String()); err != nil {
		return errors.Join(err, o.close())
	}
	err = s.serve(ctx, o, log, io, func(base string) {
		fmt.Fprintf(io.out, `
  %[2]s, a sample site

  Portal         %[1]s/p/%[5]s
  Dashboard      %[1]s/dash
                 sign in as %[6]s with the password %[7]s
  API reference  %[1]s/api-reference
  For agents     %[1]s/mcp
  API key        %[3]s

  Try it:
    curl -H "Authorization: Bearer %[3]s" "%[1]s/v1/sites/%[4]s/posts?limit=3"

  Stop with Ctrl-C; nothing is kept.

`, base, sample.Site.Name, sample.Secret, sample.Site.ID, sample.Site.Slug, demo.Email, demo.Password)
	})
	return errors.Join(err, o.close())
}

// freeAddress returns addr, or any free port of the host if that is taken: two
// demos may run at once.
func freeAddress(ctx context.Context, addr string) string {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err == nil {
		l.Close()
		return addr
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // serving says what is wrong with it
	}
	return net.JoinHostPort(host, "0")
}
