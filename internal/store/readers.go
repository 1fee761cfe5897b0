package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// readers are the connections that read a SQLite file. Each query takes one and
// gives it back with its last row, so that nobody holds one while waiting for
// another.
type readers struct {
	path  string
	slots chan struct{} // one for each connection that may be in use

	mu     sync.Mutex
	idle   []*conn // the last used is the first to be used again: it is warm
	opened int
	closed bool

	waits atomic.Int64
}

func newReaders(path string, n int) *readers {
	return &readers{path: path, slots: make(chan struct{}, n)}
}

func (r *readers) take(ctx context.Context) (*conn, error) {
	select {
	case r.slots <- struct{}{}:
	default:
		r.waits.Add(1)
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c, err := r.pop()
	if c == nil && err == nil {
		// Not under the lock: it may have to wait for another process.
		if c, err = openConn(r.path, "query_only(1)"); err == nil {
			r.mu.Lock()
			r.opened++
			r.mu.Unlock()
		}
	}
	if err != nil {
		<-r.slots
	}
	return c, err
}

// pop returns an idle connection, or nil if there is none.
func (r *readers) pop() (*conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if last := len(r.idle) - 1; last >= 0 {
		c := r.idle[last]
		r.idle = r.idle[:last]
		return c, nil
	}
	return nil, nil
}

func (r *readers) put(c *conn) {
	r.mu.Lock()
	if r.closed {
		c.close()
		r.opened--
	} else {
		r.idle = append(r.idle, c)
	}
	r.mu.Unlock()
	<-r.slots
}

// close closes the connections that are idle, and the others when they are.
func (r *readers) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	for _, c := range r.idle {
		errs = append(errs, c.close())
	}
	r.opened -= len(r.idle)
	r.idle = nil
	return errors.Join(errs...)
}

func (r *readers) exec(ctx context.Context, query string, args ...any) (int64, error) {
	c, err := r.take(ctx)
	if err != nil {
		return 0, err
	}
	defer r.put(c)
	return c.exec(ctx, query, args...)
}

func (r *readers) query(ctx context.Context, query string, args ...any) (rows, error) {
	c, err := r.take(ctx)
	if err != nil {
		return nil, err
	}
	all, err := c.start(query, args)
	if err != nil {
		r.put(c)
		return nil, err
	}
	all.pool = r
	return all, nil
}

// snapshot runs fn with a connection that sees the file as it is now.
func (r *readers) snapshot(ctx context.Context, fn func(*conn) error) error {
	c, err := r.take(ctx)
	if err != nil {
		return err
	}
	defer r.put(c)
	if _, err := c.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	defer c.exec(ctx, "ROLLBACK")
	return fn(c)
}

func (r *readers) stats() PoolStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return PoolStats{Open: r.opened, InUse: r.opened - len(r.idle), Waits: r.waits.Load()}
}
