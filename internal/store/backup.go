package store

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"
)

// A backup is a line that says what the file is, then, compressed by gzip,
// frames: a header and its SHA-256, for each table a begin and its rows, and a
// trailer with the number of rows of each table and a SHA-256 of all frames
// before it. It holds
// every table but the derived ones, and says of each value only what both
// databases say of it, so that it can be restored into either.
const (
	backupMagic   = "heed backup\n"
	backupVersion = 1
)

// The kinds of frames.
const (
	headerFrame  = 'H' // backupHeader
	sumFrame     = 'S' // the SHA-256 of all frames before it
	tableFrame   = 'T' // the name of the table whose rows follow
	rowFrame     = 'R' // values, in the order of the header's columns
	trailerFrame = 'E' // backupTrailer
)

type backupHeader struct {
	Format    int
	Schema    int64 // the last migration
	Engine    string
	CreatedAt time.Time
	Tables    []backupTable
}

type backupTable struct {
	table
	Rows int64
}

func (h *backupHeader) total() (n int64) {
	for _, t := range h.Tables {
		n += t.Rows
	}
	return n
}

type backupTrailer struct {
	Rows   map[string]int64
	SHA256 []byte
}

// Progress is told how far a long operation has come: what it works on, and how
// many rows of how many are done.
type Progress func(what string, done, total int64)

// every is how many rows pass between two calls of Progress.
const every = 5000

func (p Progress) tell(what string, done, total int64) {
	if p != nil {
		p(what, done, total)
	}
}

// Backup writes all that the database holds, as it is at one moment, whoever
// writes meanwhile. What is encrypted in the database stays encrypted: without
// the secret key of the installation a backup cannot give it back.
func (db *DB) Backup(ctx context.Context, w io.Writer, progress Progress) error {
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.WriteString(backupMagic); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	// Fast: the disk is worth less than the time in which a snapshot is held.
	zip, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	err = db.snapshot(ctx, func(tx *Tx) error {
		return tx.backup(ctx, &frameWriter{w: zip, hash: sha256.New()}, progress)
	})
	if err != nil {
		return err
	}
	if err := errors.Join(zip.Close(), out.Flush()); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return nil
}

func (tx *Tx) backup(ctx context.Context, f *frameWriter, progress Progress) error {
	header := backupHeader{Format: backupVersion, Engine: tx.d.name(), CreatedAt: tx.Now}
	_, err := tx.row(ctx, `SELECT MAX(version_id) FROM goose_db_version WHERE is_applied`, nil, &header.Schema)
	if err != nil {
		return fmt.Errorf("schema version: %w", err)
	}
	tables, err := tx.tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		bt := backupTable{table: t}
		if _, err := tx.row(ctx, `SELECT COUNT(*) FROM `+t.Name, nil, &bt.Rows); err != nil {
			return fmt.Errorf("count %s: %w", t.Name, err)
		}
		header.Tables = append(header.Tables, bt)
	}
	if err := f.json(headerFrame, &header); err != nil {
		return err
	}
	// The header is acted upon before the end is seen.
	if err := f.frame(sumFrame, f.hash.Sum(nil)); err != nil {
		return err
	}
	trailer := backupTrailer{Rows: map[string]int64{}}
	done, total := int64(0), header.total()
	for i := range header.Tables {
		t := &header.Tables[i].table
		progress.tell(t.Name, done, total)
		n, err := tx.backupTable(ctx, f, t, func(rows int64) { progress.tell(t.Name, done+rows, total) })
		if err != nil {
			return fmt.Errorf("back up %s: %w", t.Name, err)
		}
		trailer.Rows[t.Name] = n
		done += n
	}
	progress.tell("done", done, total)
	trailer.SHA256 = f.hash.Sum(nil)
	return f.json(trailerFrame, &trailer)
}

func (tx *Tx) backupTable(ctx context.Context, f *frameWriter, t *table, tell func(int64)) (n int64, err error) {
	if err := f.frame(tableFrame, []byte(t.Name)); err != nil {
		return 0, err
	}
	// In the order of the key: so it is restored fastest.
	query := `SELECT ` + strings.Join(t.names(), ", ") + ` FROM ` + t.Name
	if len(t.key) > 0 {
		query += ` ORDER BY ` + strings.Join(t.key, ", ")
	}
	rows, err := tx.q.query(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	values, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	var buf []byte
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		buf = buf[:0]
		for i := range values {
			if buf, err = appendValue(buf, t.Columns[i].Kind, values[i]); err != nil {
				return n, fmt.Errorf("column %s: %w", t.Columns[i].Name, err)
			}
		}
		if err := f.frame(rowFrame, buf); err != nil {
			return n, err
		}
		if n++; n%every == 0 {
			tell(n)
		}
	}
	return n, rows.Err()
}

// frameWriter writes frames: a kind, the length, the content.
type frameWriter struct {
	w    io.Writer
	hash hash.Hash
	head []byte
}

func (f *frameWriter) frame(kind byte, content []byte) error {
	f.head = appendUvarint(append(f.head[:0], kind), uint64(len(content)))
	for _, b := range [][]byte{f.head, content} {
		f.hash.Write(b)
		if _, err := f.w.Write(b); err != nil {
			return fmt.Errorf("write backup: %w", err)
		}
	}
	return nil
}

func (f *frameWriter) json(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return f.frame(kind, b)
}
