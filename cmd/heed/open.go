package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/config"
	"heed/internal/feedback"
	"heed/internal/store"
	"heed/internal/webhook"
)

// settings are those of every command that works on the database.
type settings struct {
	config.Database
	config.Rules
	config.Webhooks
}

// opened is a database with the operations on it.
type opened struct {
	db     *store.DB
	app    *app.App
	master auth.Master
	kinds  feedback.AgentKinds
	guard  *webhook.Guard
}

// open opens the database, brings its schema up to date and wires the operations
// to it. All mistakes in the settings are reported at once.
func (s *settings) open(ctx context.Context, log *slog.Logger) (*opened, error) {
	rules, err := s.rules()
	if err != nil {
		return nil, err
	}
	master, err := s.master()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Options{URL: s.DB, Log: log})
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	rules.Master, rules.Log = master, log
	return &opened{db: db, app: app.New(db, rules), master: master, kinds: rules.AgentKinds, guard: rules.Webhooks.Guard}, nil
}

func (o *opened) close() error {
	o.app.Close()
	return o.db.Close()
}

// rules reads the settings that change what the service allows.
func (s *settings) rules() (cfg app.Config, err error) {
	kinds, errKinds := feedback.ParseAgentKinds(s.AgentKinds)
	limits, errLimits := feedback.ParsePlanLimits(s.PlanLimits)
	plan := feedback.Plan(s.DefaultPlan)
	var errPlan error
	if !plan.Valid() {
		errPlan = fmt.Errorf("default plan %q: want %s", s.DefaultPlan, strings.Join(plan.Values(), ", "))
	}
	hooks, errHooks := s.webhooks()
	return app.Config{AgentKinds: kinds, PlanLimits: limits, DefaultPlan: plan, Webhooks: hooks},
		errors.Join(errKinds, errLimits, errPlan, errHooks)
}

// master returns the secret that everything else is derived from. For a SQLite
// database it lies beside the file and is made with it.
func (s *settings) master() (auth.Master, error) {
	if s.SecretKey != "" {
		m, err := auth.ParseMaster(s.SecretKey)
		if err != nil {
			return m, fmt.Errorf("HEED_SECRET_KEY: %w", err)
		}
		return m, nil
	}
	path, embedded := sqliteFile(s.DB)
	if !embedded && !strings.HasPrefix(s.DB, "postgres") {
		return auth.NewMaster(), nil // there is no such database; opening it says so
	}
	if !embedded {
		return auth.Master{}, errors.New("HEED_SECRET_KEY is required with PostgreSQL, the same on every node: " +
			"make one with `openssl rand -base64 32`")
	}
	return auth.LoadOrCreateMaster(path + ".key")
}

// sqliteFile returns the file of an embedded database.
func sqliteFile(url string) (path string, embedded bool) {
	path, embedded = strings.CutPrefix(url, "sqlite:")
	return strings.TrimPrefix(path, "//"), embedded
}

// mustExist returns an error if the database is a file that is not there. What
// works on what is stored does not make a new one: it would find nothing wrong
// with it, or nothing to save, where only the name was mistaken.
func mustExist(url string) error {
	path, embedded := sqliteFile(url)
	if !embedded {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("there is no database: %w\n  Name it with --db or HEED_DB; heed serve and heed init make a new one", err)
	}
	return nil
}

// with opens a database that exists for one command and closes it again.
func (s *settings) with(ctx context.Context, fn func(*opened) error) error {
	if err := mustExist(s.DB); err != nil {
		return err
	}
	return s.withNew(ctx, fn)
}

// withNew is with for a command that makes the database where there is none.
func (s *settings) withNew(ctx context.Context, fn func(*opened) error) error {
	o, err := s.open(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(fn(o), o.close())
}
