package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"heed/internal/config"
	"heed/internal/store"
)

type checkCmd struct {
	settings
	asJSON
}

// Run compares what the database holds with itself and fails if anything
// disagrees.
func (c *checkCmd) Run(ctx context.Context, io stdio) error {
	return c.with(ctx, func(o *opened) error {
		p := showProgress(io, "Checking:")
		wrong, err := o.app.Check(ctx, func(check string, done, total int) {
			p.what = "Checking " + check + ":"
			p.at(done, total)
		})
		if err != nil {
			return err
		}
		p.end()
		lines := make([]string, len(wrong))
		for i, d := range wrong {
			lines[i] = d.String()
		}
		text := "Everything agrees."
		if len(wrong) > 0 {
			text = strings.Join(lines, "\n")
		}
		if err := c.print(io.out, map[string]any{"ok": len(wrong) == 0, "discrepancies": lines}, text); err != nil {
			return err
		}
		switch len(wrong) {
		case 0:
			return nil
		case 1:
			return errors.New("1 thing disagrees")
		}
		return fmt.Errorf("%d things disagree", len(wrong))
	})
}

type backupCmd struct {
	config.Database
	File string `arg:"" help:"Where to write the backup. It must not exist yet."`
}

// Run writes a backup. The file appears under its name when it is whole.
func (c *backupCmd) Run(ctx context.Context, io stdio) (err error) {
	if _, err := os.Stat(c.File); err == nil {
		return fmt.Errorf("%s exists already: choose another name, or remove it", c.File)
	}
	if err := mustExist(c.DB); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(c.File), ".heed-backup-*")
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer os.Remove(f.Name()) // gone already if all went well
	p := showProgress(io, "Backup:")
	err = withDB(ctx, store.Options{URL: c.DB}, func(db *store.DB) error { return db.Backup(ctx, f, p.rows) })
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := os.Rename(f.Name(), c.File); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	p.end()
	_, err = fmt.Fprintf(io.out, "%s\nKeep the secret key with it: webhook secrets stay encrypted under it.\n", c.File)
	return err
}

// rows shows the progress of a backup or a restore.
func (p *progress) rows(what string, done, total int64) {
	p.what = p.title + " " + what + ","
	p.at(int(done), int(total))
}

type restoreCmd struct {
	config.Database
	File string `arg:"" help:"The backup to read."`
}

// Run reads a backup into an empty database.
func (c *restoreCmd) Run(ctx context.Context, io stdio) error {
	f, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer f.Close()
	p := showProgress(io, "Restore:")
	if err := withDB(ctx, store.Options{URL: c.DB}, func(db *store.DB) error { return db.Restore(ctx, f, p.rows) }); err != nil {
		return err
	}
	p.end()
	_, err = fmt.Fprintln(io.out, "Restored. Run heed check to see that everything agrees.")
	return err
}
