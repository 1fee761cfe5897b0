package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"heed/internal/api"
	"heed/internal/config"
	"heed/internal/store"
)

type versionCmd struct{ asJSON }

// Run prints the version.
func (c *versionCmd) Run(io stdio) error {
	return c.print(io.out, map[string]any{"version": version, "go": runtime.Version()},
		fmt.Sprintf("heed %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
}

type openapiCmd struct {
	config.Rules
	BaseURL string `env:"HEED_BASE_URL" default:"http://127.0.0.1:8080" help:"The server the document names."`
}

// Run prints the document. It needs no database.
func (c *openapiCmd) Run(io stdio) error {
	rules, err := (&settings{Rules: c.Rules}).rules()
	if err != nil {
		return err
	}
	_, err = io.out.Write(api.Describe(rules.AgentKinds, strings.TrimRight(c.BaseURL, "/")))
	return err
}

type migrateCmd struct {
	Up     migrateUpCmd     `cmd:"" help:"Bring the schema up to date."`
	Status migrateStatusCmd `cmd:"" help:"List the steps of the schema."`
}

type migrateUpCmd struct{ config.Database }

// Run brings the schema up to date.
func (c *migrateUpCmd) Run(ctx context.Context, io stdio) error {
	log := slog.New(slog.NewTextHandler(io.err, nil))
	return withDB(ctx, store.Options{URL: c.DB, Log: log}, func(db *store.DB) error {
		if err := db.Migrate(ctx); err != nil {
			return err
		}
		return printMigrations(ctx, db, io)
	})
}

type migrateStatusCmd struct{ config.Database }

// Run lists the steps of the schema.
func (c *migrateStatusCmd) Run(ctx context.Context, io stdio) error {
	return withDB(ctx, store.Options{URL: c.DB}, func(db *store.DB) error { return printMigrations(ctx, db, io) })
}

func withDB(ctx context.Context, o store.Options, fn func(*store.DB) error) error {
	db, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}

func printMigrations(ctx context.Context, db *store.DB, io stdio) error {
	all, err := db.Migrations(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		state := "pending"
		if m.Applied {
			state = "applied"
		}
		fmt.Fprintf(io.out, "%04d  %-8s %s\n", m.Version, state, filepath.Base(m.Name))
	}
	return nil
}

type doctorCmd struct {
	settings
	config.SignOn
	asJSON
	BaseURL string `env:"HEED_BASE_URL" default:"http://127.0.0.1:8080" placeholder:"URL" help:"How the outside reaches the service."`
}

// finding is one thing the doctor looked at.
type finding struct {
	OK     bool   `json:"ok"`
	What   string `json:"what"`
	Advice string `json:"advice,omitempty"`
}

// Run looks at the settings, the secret, the database and its schema, and fails
// if anything needs mending. It changes nothing.
func (c *doctorCmd) Run(ctx context.Context, io stdio) error {
	var all []finding
	see := func(what string, err error, advice string) bool {
		f := finding{OK: err == nil, What: what}
		if err != nil {
			f.What, f.Advice = fmt.Sprintf("%s: %v", what, err), advice
		}
		all = append(all, f)
		return err == nil
	}
	_, err := c.rules()
	err = errors.Join(err, checkBaseURL(c.BaseURL))
	see("settings can be read", err, "Correct the settings named.")
	path, embedded := sqliteFile(c.DB)
	exists := true
	if embedded {
		_, err := os.Stat(path)
		exists = see("the database file exists", err, "Run heed serve or heed init once: they make it.")
	}
	if exists {
		see("the secret key can be read", c.secret(), "Set HEED_SECRET_KEY, or put the file back that lay beside the database.")
		err = withDB(ctx, store.Options{URL: c.DB}, func(db *store.DB) error { return checkSchema(ctx, db) })
		see("the database answers and its schema is current", err, "Start the database, or run heed migrate up.")
	}
	if what, err := checkSignOn(ctx, c.SignOn, strings.TrimRight(c.BaseURL, "/")); what != "" {
		see(what, err, "Correct HEED_OIDC_*, and see that the issuer is spelled as the provider spells it.")
	}
	failed := 0
	var text strings.Builder
	for _, f := range all {
		mark := "ok    "
		if !f.OK {
			mark = "MEND  "
			failed++
		}
		fmt.Fprintf(&text, "%s%s\n", mark, f.What)
		if f.Advice != "" {
			fmt.Fprintf(&text, "      %s\n", f.Advice)
		}
	}
	if err := c.print(io.out, map[string]any{"findings": all}, text.String()); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(all))
	}
	return nil
}

// secret reads the secret key, and does not make one where there is none.
func (c *doctorCmd) secret() error {
	if path, embedded := sqliteFile(c.DB); embedded && c.SecretKey == "" {
		if _, err := os.Stat(path + ".key"); err != nil {
			return err
		}
	}
	_, err := c.master()
	return err
}

func checkSchema(ctx context.Context, db *store.DB) error {
	if err := db.Ping(ctx); err != nil {
		return err
	}
	all, err := db.Migrations(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !m.Applied {
			return fmt.Errorf("step %d is pending", m.Version)
		}
	}
	return nil
}
