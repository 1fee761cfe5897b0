package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
)

// maxFrame bounds what one row may take: far above what any text may.
const maxFrame = 1 << 28

// ErrBackup is the error for a file that is not a whole, unaltered backup.
var ErrBackup = errors.New("the backup is not whole: it was cut short or altered; use another copy")

// ErrNotEmpty is the error for a database that holds something already.
var ErrNotEmpty = errors.New("the database is not empty; restore into a new file or a new, empty database")

// Restore reads what [DB.Backup] wrote, of either database, into this one, which
// must be empty; it is migrated first. Rows become visible all at once, when the
// whole backup has been read and found unaltered: a Restore that fails leaves
// the database empty. The search index is built anew at the end.
//
// A backup of an earlier version is restored into the tables of that version,
// which are then migrated with all that is in them.
func (db *DB) Restore(ctx context.Context, r io.Reader, progress Progress) error {
	in, header, err := openBackup(r)
	if err != nil {
		return err
	}
	// Before it is migrated: a database that is refused is left alone.
	err = db.Read(ctx, func(tx *Tx) error {
		_, err := tx.emptyTables(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if err := db.migrateTo(ctx, header.Schema); err != nil {
		return err
	}
	// Not Write: fn must not run again, for what it has read is gone.
	load := func(tx *Tx) error { return tx.restore(ctx, in, header, progress) }
	if db.writer != nil {
		err = db.writer.do(ctx, load)
	} else {
		err = db.writePostgres(ctx, load)
	}
	if err != nil {
		return err
	}
	if err := db.Migrate(ctx); err != nil {
		return fmt.Errorf("the rows are restored, but not brought up to date: %w", err)
	}
	if header.Schema < shelfSchema {
		if err := db.reshelve(ctx); err != nil {
			return fmt.Errorf("the rows are restored, but not what the portal lists: %w", err)
		}
	}
	if err := db.reindex(ctx, false, progress); err != nil {
		return fmt.Errorf("the rows are restored, but not the search index: %w", err)
	}
	progress.tell("done", header.total(), header.total())
	return nil
}

// openBackup reads the beginning of a backup.
func openBackup(r io.Reader) (*frameReader, *backupHeader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	magic := make([]byte, len(backupMagic))
	if _, err := io.ReadFull(br, magic); err != nil || !bytes.Equal(magic, []byte(backupMagic)) {
		return nil, nil, errors.New("this is not a backup of Heed; name a file that heed backup has written")
	}
	zip, err := gzip.NewReader(br)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (%w)", ErrBackup, err)
	}
	zip.Multistream(false) // nothing may follow
	in := &frameReader{r: bufio.NewReaderSize(zip, 1<<16), after: br, hash: sha256.New()}
	kind, content, err := in.frame()
	if err != nil {
		return nil, nil, err
	}
	header := &backupHeader{}
	if kind != headerFrame || json.Unmarshal(content, header) != nil {
		return nil, nil, ErrBackup
	}
	kind, content, err = in.frame()
	if err != nil {
		return nil, nil, err
	}
	if kind != sumFrame || !bytes.Equal(content, in.sum) {
		return nil, nil, ErrBackup
	}
	if header.Format > backupVersion {
		return nil, nil, errNewer
	}
	return in, header, nil
}

var errNewer = errors.New("the backup was made by a newer version of Heed; restore it with that version or a later one")

// migrateTo brings an empty database to the schema of a backup. One that is
// ahead already stays so: its columns must then be able to do without.
func (db *DB) migrateTo(ctx context.Context, schema int64) error {
	p, err := db.provider()
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer db.closeProvider(p)
	sources := p.ListSources()
	if len(sources) == 0 || schema > sources[len(sources)-1].Version {
		return errNewer
	}
	at, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if at >= schema {
		return nil
	}
	if _, err := p.UpTo(ctx, schema); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// setupLinks is the table in which a server that was started on an empty database
// has left the link to set it up, which belongs to nobody. It counts as empty.
const setupLinks = "one_time_links"

// emptyTables returns the tables that rows may be restored into, by name, or
// ErrNotEmpty.
func (tx *Tx) emptyTables(ctx context.Context) (map[string]*table, error) {
	all, err := tx.tables(ctx)
	byName := make(map[string]*table, len(all))
	for i := range all {
		t := &all[i]
		byName[t.Name] = t
		query := `SELECT 1 FROM ` + t.Name + ` LIMIT 1`
		if t.Name == setupLinks {
			query = `SELECT 1 FROM ` + t.Name + ` WHERE member_id IS NOT NULL LIMIT 1`
		}
		var one int
		found, err := tx.row(ctx, query, nil, &one)
		if err != nil {
			return nil, wrap("look into "+t.Name, err)
		}
		if found {
			return nil, fmt.Errorf("table %s has rows: %w", t.Name, ErrNotEmpty)
		}
	}
	return byName, err
}

func (tx *Tx) restore(ctx context.Context, in *frameReader, header *backupHeader, progress Progress) error {
	live, err := tx.emptyTables(ctx)
	if err != nil {
		return err
	}
	if live[setupLinks] != nil {
		if _, err := tx.exec(ctx, `DELETE FROM `+setupLinks); err != nil {
			return wrap("end links", err)
		}
	}
	into := map[string]*restored{}
	for i := range header.Tables {
		t := &header.Tables[i].table
		if into[t.Name], err = tx.restored(t, live[t.Name]); err != nil {
			return err
		}
	}
	var current *restored
	done, total := int64(0), header.total()
	for {
		kind, content, err := in.frame()
		// The writer of SQLite does not look at ctx once it has begun.
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		switch kind {
		case tableFrame:
			if err := current.flush(ctx); err != nil {
				return in.blame(err)
			}
			if current = into[string(content)]; current == nil {
				return ErrBackup
			}
			progress.tell(current.table, done, total)
		case rowFrame:
			if current == nil {
				return ErrBackup
			}
			if err := current.add(ctx, content); err != nil {
				return in.blame(err)
			}
			if done++; done%every == 0 {
				progress.tell(current.table, done, total)
			}
		case trailerFrame:
			if err := current.flush(ctx); err != nil {
				return err
			}
			return in.end(content, into)
		default:
			return ErrBackup
		}
	}
}

// restored is a table whose rows are being read from a backup.
type restored struct {
	*bulk
	table string
	kinds []columnKind
	row   []any
	rows  int64
}

// restored matches the columns of a backup with those of the live table.
func (tx *Tx) restored(from, live *table) (*restored, error) {
	const fix = "restore into a database that this version of Heed has not touched yet"
	if live == nil {
		return nil, fmt.Errorf("the backup has a table %s, and the database has none: %s", from.Name, fix)
	}
	r := &restored{table: from.Name, bulk: tx.bulk(from.Name, from.names()...), row: make([]any, len(from.Columns))}
	for _, c := range from.Columns {
		l := live.column(c.Name)
		if l == nil || l.Kind != c.Kind {
			return nil, fmt.Errorf("the backup has a column %s.%s for %s, and the database has none: %s", from.Name, c.Name, c.Kind, fix)
		}
		r.kinds = append(r.kinds, c.Kind)
	}
	for _, c := range live.Columns {
		if from.column(c.Name) == nil && c.notNull && !c.hasDefault {
			return nil, fmt.Errorf("the backup does not have the column %s.%s, which may not be empty: %s", from.Name, c.Name, fix)
		}
	}
	return r, nil
}

func (r *restored) add(ctx context.Context, content []byte) (err error) {
	for i := range r.row {
		if r.row[i], content, err = value(content); err != nil {
			return ErrBackup
		}
		if !r.kinds[i].fits(r.row[i]) {
			return ErrBackup
		}
	}
	if len(content) > 0 {
		return ErrBackup
	}
	r.rows++
	return r.bulk.add(ctx, r.row...)
}

func (r *restored) flush(ctx context.Context) error {
	if r == nil {
		return nil
	}
	return r.bulk.flush(ctx)
}

// fits reports whether a value may stand in a column of this kind.
func (k columnKind) fits(v any) bool {
	switch v.(type) {
	case nil:
		return true
	case int64:
		return k == intColumn
	case bool:
		return k == boolColumn
	case string:
		return k == textColumn
	case []byte:
		return k == bytesColumn
	case float64:
		return k == floatColumn
	}
	return false
}

// frameReader reads what frameWriter wrote.
type frameReader struct {
	r     *bufio.Reader
	after *bufio.Reader // the file, behind what is compressed
	hash  hash.Hash
	sum   []byte // of the frames before the last that is not a row
	buf   []byte
}

func (f *frameReader) frame() (kind byte, content []byte, err error) {
	if kind, err = f.r.ReadByte(); err != nil {
		return 0, nil, whole(err)
	}
	n, err := binary.ReadUvarint(f.r)
	if err != nil {
		return 0, nil, whole(err)
	}
	if n > maxFrame {
		return 0, nil, ErrBackup
	}
	// Grown by what is there, not by what a damaged length claims.
	b := bytes.NewBuffer(f.buf[:0])
	if _, err := io.CopyN(b, f.r, int64(n)); err != nil {
		return 0, nil, whole(err)
	}
	f.buf = b.Bytes()
	if kind != rowFrame {
		f.sum = f.hash.Sum(f.sum[:0])
	}
	f.hash.Write(appendUvarint([]byte{kind}, n))
	f.hash.Write(f.buf)
	return kind, f.buf, nil
}

// blame reads on to see whether a row that the database refused is one that the
// file does not really hold, and returns what is to blame.
func (f *frameReader) blame(refused error) error {
	for {
		kind, content, err := f.frame()
		if err != nil {
			return err
		}
		if kind == trailerFrame {
			var trailer backupTrailer
			if json.Unmarshal(content, &trailer) != nil || !bytes.Equal(trailer.SHA256, f.sum) {
				return ErrBackup
			}
			return refused
		}
	}
}

// end compares what was read with the trailer and sees that nothing follows.
func (f *frameReader) end(content []byte, into map[string]*restored) error {
	var trailer backupTrailer
	if json.Unmarshal(content, &trailer) != nil || !bytes.Equal(trailer.SHA256, f.sum) || len(trailer.Rows) != len(into) {
		return ErrBackup
	}
	for name, r := range into {
		if n, ok := trailer.Rows[name]; !ok || n != r.rows {
			return ErrBackup
		}
	}
	if _, err := f.r.ReadByte(); err != io.EOF { // also compares gzip's own checksum
		return whole(err)
	}
	if _, err := f.after.ReadByte(); err != io.EOF {
		return whole(err)
	}
	return nil
}

// whole says of an error while reading what it means. nil is that of more data
// than there may be.
func whole(err error) error {
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return ErrBackup
	}
	return fmt.Errorf("%w (%w)", ErrBackup, err)
}
