package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// maxBatch bounds how many writes share one commit, and batchTime for how long
// a commit gathers them: the first of a batch waits for the last.
const (
	maxBatch  = 128
	batchTime = 20 * time.Millisecond
)

// writer is the one goroutine that writes to a SQLite file. Writes that arrive
// while it is busy share the next transaction, each in a savepoint of its own,
// and all are acknowledged by its one commit: the disk is asked to sync once for
// many of them.
type writer struct {
	db   *DB
	conn *conn
	jobs chan *job
	done chan struct{}

	mu     sync.RWMutex // held to send on jobs, and to close it
	closed bool

	batches, writes atomic.Int64
	broken          error // set when the transaction is gone; of the running batch
}

type job struct {
	ctx  context.Context
	fn   func(*Tx) error
	tx   *Tx
	err  error
	done chan struct{}
}

func newWriter(db *DB, c *conn) *writer {
	w := &writer{db: db, conn: c, jobs: make(chan *job, 1024), done: make(chan struct{})}
	go w.run()
	return w
}

// errClosed is returned for a write after Close.
var errClosed = errors.New("the database is closed: the service is stopping")

func (w *writer) do(ctx context.Context, fn func(*Tx) error) error {
	// A write that has begun is finished, whether its caller waits or not.
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	if err := w.send(j); err != nil {
		return err
	}
	<-j.done
	if j.err == nil {
		for _, f := range j.tx.afterCommit {
			f()
		}
	}
	return j.err
}

func (w *writer) send(j *job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.jobs <- j:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

func (w *writer) close() error {
	w.mu.Lock() // waits for those that wait for room: the writer makes some
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.jobs)
	w.mu.Unlock()
	<-w.done
	return w.conn.close()
}

func (w *writer) run() {
	defer close(w.done)
	batch := make([]*job, 0, maxBatch)
	for j := range w.jobs {
		batch = w.commit(append(batch[:0], j))
		w.batches.Add(1)
		w.writes.Add(int64(len(batch)))
		for _, j := range batch {
			close(j.done)
		}
	}
}

// commit runs the first job and those that queue up behind it in one
// transaction, and returns them all with their outcomes.
func (w *writer) commit(batch []*job) []*job {
	w.broken = nil
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		batch[0].err = fmt.Errorf("begin: %w", err)
		return batch
	}
	deadline := time.Now().Add(batchTime)
	w.apply(batch[0])
	for len(batch) < maxBatch && w.broken == nil && time.Now().Before(deadline) {
		select {
		case j, open := <-w.jobs:
			if open {
				batch = append(batch, j)
				w.apply(j)
				continue
			}
		default:
		}
		break
	}
	err := w.broken
	if err == nil {
		err = w.exec("COMMIT")
	}
	if err != nil {
		_ = w.exec("ROLLBACK") // fails if SQLite has rolled back by itself
		for _, j := range batch {
			j.err = errors.Join(j.err, fmt.Errorf("commit: %w", err))
		}
	}
	return batch
}

// apply runs one job in a savepoint, so that its failure undoes its own rows
// and no other's.
func (w *writer) apply(j *job) {
	if j.err = j.ctx.Err(); j.err != nil {
		return // its caller has gone
	}
	if err := w.exec("SAVEPOINT job"); err != nil {
		j.err, w.broken = err, err
		return
	}
	j.tx = w.db.tx(w.conn)
	if j.err = call(j.fn, j.tx); j.err != nil {
		if err := w.exec("ROLLBACK TO job"); err != nil {
			w.broken = err
			// SQLite rolls back by itself where the disk is full or fails, and
			// then that is what befell all who share the batch. What else went
			// wrong with a job is its own affair.
			if w.db.d.away(j.err) {
				w.broken = errors.Join(j.err, err)
			}
			return
		}
	}
	if err := w.exec("RELEASE job"); err != nil {
		w.broken = err
	}
}

// call turns a panic in fn into an error: one bad write must not take the
// writer, and so the service, with it.
func call(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

func (w *writer) exec(query string) error {
	_, err := w.conn.exec(context.Background(), query)
	return err
}

// Stats are what there is to see of a database at work.
type Stats struct {
	Pool                     PoolStats
	WriteQueue               int   // writes waiting; SQLite only
	WriteBatches, WriteCalls int64 // commits and the writes in them; SQLite only
}

// PoolStats count connections: on SQLite, those that read.
type PoolStats struct {
	Open, InUse int
	Waits       int64 // how often somebody had to wait for one
}

// Stats returns what there is to see now.
func (db *DB) Stats() Stats {
	if w := db.writer; w != nil {
		return Stats{db.readers.stats(), len(w.jobs), w.batches.Load(), w.writes.Load()}
	}
	p := db.pool.Stats()
	return Stats{Pool: PoolStats{p.OpenConnections, p.InUse, p.WaitCount}}
}
