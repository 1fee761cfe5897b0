package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite"
)

// Two folders with the same numbers. A test holds their tables and columns
// against each other.
//
//go:embed migrations
var migrations embed.FS

// provider returns the migrations of this database and the pool to run them on.
func (db *DB) provider() (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations/"+db.d.name())
	if err != nil {
		return nil, err
	}
	if db.Embedded() {
		// goose speaks to package sql only, for which SQLite has this driver.
		dsn := sqliteURI(db.path) + "?_txlock=immediate&_pragma=" + strings.Join(sqlitePragmas, "&_pragma=")
		pool, err := sql.Open("sqlite", dsn)
		if err != nil {
			return nil, err
		}
		pool.SetMaxOpenConns(1)
		return goose.NewProvider(goose.DialectSQLite3, pool, dir)
	}
	// Nodes that start together wait for the one that migrates.
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db.pool, dir, goose.WithSessionLocker(locker))
}

// closeProvider closes the pool that provider opened, and none that it borrowed.
func (db *DB) closeProvider(p *goose.Provider) {
	if db.Embedded() {
		p.Close()
	}
}

// Migrate brings the schema up to date, and logs each step of a database that is
// in use: a large one may take minutes. It may be called again, and by several
// nodes at once.
func (db *DB) Migrate(ctx context.Context) error {
	p, err := db.provider()
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer db.closeProvider(p)
	at, err := p.GetDBVersion(ctx)
	if err == nil && at == 0 {
		_, err = p.Up(ctx)
		return wrap("migrate", err)
	}
	// Words are folded in Go, which a migration cannot do. A process takes no later
	// step before it has done so, and whoever finds the schema there, or sees another
	// node take it further, does it too: one that is killed leaves nothing undone.
	unfolded := at <= visitorWordsVersion
	for err == nil {
		if unfolded && at >= visitorWordsVersion {
			if err = db.indexVisitors(ctx); err != nil {
				break
			}
			unfolded = false
		}
		next := slices.IndexFunc(p.ListSources(), func(s *goose.Source) bool { return s.Version > at })
		if next < 0 {
			return nil
		}
		db.log.Info("migrating the database", "step", path.Base(p.ListSources()[next].Path))
		var done *goose.MigrationResult
		if done, err = p.UpByOne(ctx); errors.Is(err, goose.ErrNoNextVersion) {
			return nil // another node was faster
		} else if err == nil {
			at = done.Source.Version
		}
	}
	return wrap("migrate", err)
}

// visitorWordsVersion is the migration that brought the words of visitors.
const visitorWordsVersion = 6

// Migration is one step of the schema.
type Migration struct {
	Version int64
	Name    string
	Applied bool
}

// Migrations lists the steps of the schema, oldest first.
func (db *DB) Migrations(ctx context.Context) ([]Migration, error) {
	p, err := db.provider()
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	defer db.closeProvider(p)
	all, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	out := make([]Migration, len(all))
	for i, s := range all {
		out[i] = Migration{s.Source.Version, s.Source.Path, s.State == goose.StateApplied}
	}
	return out, nil
}
