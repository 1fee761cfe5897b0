package feedbacktest

import (
	"path/filepath"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/store"
)

// EachDB runs test once on a fresh SQLite file and once on a fresh PostgreSQL
// database: an operation is not finished until it passes on both.
func EachDB(t *testing.T, test func(*testing.T, *store.DB)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, OpenDB(t, engine)) })
	}
}

// OpenDB returns a fresh, migrated database of an engine, closed when the test
// ends.
func OpenDB(t testing.TB, engine string) *store.DB {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "heed.db")
	if engine == "postgres" {
		url = PostgresURL(t)
	}
	return OpenURL(t, url, nil)
}

// OpenURL opens and migrates the database at url with a clock, closed when the
// test ends.
func OpenURL(t testing.TB, url string, now func() time.Time) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{URL: url, Now: now})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatalf("Migrate: %v", err)
	}
	return db
}

// NewApp returns an App on db with the settings of an installation that sets
// none, closed when the test ends.
func NewApp(t testing.TB, db *store.DB) *app.App {
	t.Helper()
	return NewAppWith(t, db, auth.NewMaster(), app.Webhooks{})
}

// NewAppWith is NewApp with a master secret, which apps on one database share,
// and settings of webhooks.
func NewAppWith(t testing.TB, db *store.DB, master auth.Master, hooks app.Webhooks) *app.App {
	t.Helper()
	a := app.New(db, app.Config{
		Master: master, AgentKinds: feedback.DefaultAgentKinds(), PlanLimits: feedback.DefaultPlanLimits(),
		DefaultPlan: feedback.Studio, Webhooks: hooks,
	})
	t.Cleanup(a.Close)
	return a
}

// OpenAccount opens an account with a site and a key that holds all scopes.
func OpenAccount(t testing.TB, a *app.App, site string, plan feedback.Plan) *app.Opened {
	t.Helper()
	o, err := a.OpenAccount(t.Context(), feedback.NewAccount{
		Name: "Northwind", Email: "owner@northwind.example", Password: "correct horse battery", Site: feedback.SiteName(site), Plan: plan,
	})
	if err != nil {
		t.Fatalf("OpenAccount: %v", err)
	}
	return o
}
