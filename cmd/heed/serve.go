package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"

	"heed/internal/api"
	"heed/internal/apiref"
	"heed/internal/config"
	"heed/internal/dashboard"
	"heed/internal/feedback"
	"heed/internal/mcp"
	"heed/internal/portal"
	"heed/internal/ratelimit"
	"heed/internal/server"
	"heed/internal/web"
	"heed/internal/worker"
)

type serveCmd struct {
	settings
	config.Server
	config.AI
	config.Mail
	config.SignOn
}

// Run serves until ctx ends.
func (c *serveCmd) Run(ctx context.Context, io stdio) error {
	if err := c.mistakes(); err != nil {
		return err
	}
	log := c.logger(io)
	o, err := c.open(ctx, log)
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, o, log, io, nil), o.close())
}

// mistakes are all that can be found in the settings before anything is opened.
func (c *serveCmd) mistakes() error {
	_, rules := c.rules()
	_, rates := c.rates()
	_, ai := providerOf(c.AI)
	_, mail := worker.NewSender(c.SMTPURL, c.MailFrom)
	base := checkBaseURL(c.BaseURL)
	var signOn error
	if base == nil {
		_, signOn = signOnOf(c.SignOn, cmp.Or(strings.TrimRight(c.BaseURL, "/"), "http://127.0.0.1"))
	}
	return errors.Join(rules, rates, base, ai, mail, signOn)
}

func (c *serveCmd) logger(io stdio) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // one of the enum
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(io.err, opts))
	}
	return slog.New(slog.NewTextHandler(io.err, opts))
}

// serve serves an opened database. started, if set, is told the address as soon
// as requests are taken.
func (c *serveCmd) serve(ctx context.Context, o *opened, log *slog.Logger, io stdio, started func(baseURL string)) error {
	// The service keeps little in memory and makes garbage with every request:
	// collecting it less often costs a few tens of megabytes and saves a good
	// part of the CPU. GOGC in the environment has the last word.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	rates, err := c.rates()
	if err != nil {
		return err
	}
	themes, err := insightsOf(o, c.AI, log)
	if err != nil {
		return err
	}
	smtp, err := worker.NewSender(c.SMTPURL, c.MailFrom)
	if err != nil {
		return err
	}
	if smtp != nil {
		o.app.UseMailServer(c.mailServer(smtp))
	}
	themes.Engine = engines(log)
	meanings := worker.NewMeanings(o.app, themes.Engine, log)
	o.app.UseMeanings(meanings)
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	base := c.baseURL(l.Addr())
	o.app.SetBaseURL(base)
	signOn, err := signOnOf(c.SignOn, base)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	o.app.UseSignOn(signOn)
	metrics := server.NewMetrics(o.stats)
	rest := api.New(api.Config{
		App: o.app, BaseURL: base, Rates: rates, CursorKey: o.master.Derive("cursors"), Log: log,
		OnRateLimited: metrics.RateLimited,
	})
	reference := apiref.Handler("/api/openapi.json")
	faces := map[string]http.Handler{
		"/api/": rest, "/docs/": rest, "/assets/": web.Secure(web.Assets()),
		apiref.Path: reference, apiref.Path + "/": reference,
	}
	agents, err := mcp.New(api.Describe(o.kinds, base), server.Observe(rest, metrics, log))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	faces[mcp.Path] = agents
	portals := portal.New(portal.Config{App: o.app, Log: log})
	faces["/p/"] = portals
	dash := dashboard.New(dashboard.Config{App: o.app, BaseURL: base, Version: version, Log: log})
	for _, pattern := range dashboard.Mounts() {
		faces[pattern] = dash
	}
	faces["GET /{$}"] = http.RedirectHandler("/dash", http.StatusSeeOther)
	s := server.New(server.Config{API: rest, Faces: faces, Wrap: portals.ByHost, Ready: o.app.Ready, Metrics: metrics, Log: log})

	send, err := c.deliveries(o, log, metrics)
	if err != nil {
		return errors.Join(err, l.Close())
	}

	// The workers stop after the last request: what it recorded is theirs.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan struct{})
	go func() {
		tasks := append(worker.Sweeps(o.app), send, meanings.Task(), worker.Scheduled(o.app))
		tasks = append(tasks, worker.Mail{App: o.app, Sender: smtp, Log: log}.Tasks()...)
		worker.Run(work, log, worker.Watched(o.app, append(tasks, themes.Tasks()...)...)...)
		close(stopped)
	}()
	if err := printSetup(ctx, o, base, io); err != nil {
		stopWork()
		return err
	}
	log.Info("serving", "address", l.Addr().String(), "url", base, "version", version)
	if started != nil {
		started(base)
	}
	err = s.Serve(ctx, l)
	stopWork()
	<-stopped
	return err
}

// printSetup prints the link to set up an installation that nobody has set up
// yet. It works once.
func printSetup(ctx context.Context, o *opened, base string, io stdio) error {
	token, err := o.app.SetupLink(ctx)
	if err == nil && token != "" {
		fmt.Fprintf(io.out, "\nSet up Heed here, once:\n\n  %s/setup/%s\n\n", base, token)
	}
	return err
}

// rates reads the rate limits by plan.
func (c *serveCmd) rates() (map[string]ratelimit.Rate, error) {
	rates, err := ratelimit.ParseRates(c.RateLimits)
	for name := range rates {
		if plan := feedback.Plan(name); !plan.Valid() {
			err = errors.Join(err, fmt.Errorf("rate of %q: want a plan of %s", name, strings.Join(plan.Values(), ", ")))
		}
	}
	return rates, err
}

// checkBaseURL returns an error for what links cannot begin with. Empty is left
// to the address.
func checkBaseURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("base URL %q: want http:// or https:// and a host, such as https://feedback.example.com", s)
	}
	return nil
}

// baseURL is how the outside reaches the service.
func (c *serveCmd) baseURL(listening net.Addr) string {
	if c.BaseURL != "" {
		return strings.TrimRight(c.BaseURL, "/")
	}
	host, port, err := net.SplitHostPort(listening.String())
	if err != nil {
		return "http://" + listening.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func (o *opened) stats() server.DatabaseStats {
	s := o.db.Stats()
	return server.DatabaseStats{
		OpenConnections: s.Pool.Open, ConnectionsInUse: s.Pool.InUse, ConnectionWaits: s.Pool.Waits,
		WriteQueue: s.WriteQueue, WriteBatches: s.WriteBatches, Writes: s.WriteCalls,
	}
}
