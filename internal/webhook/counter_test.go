package webhook

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// counter counts what a receiver writes to its raw connections.
type counter struct{ n atomic.Int64 }

func (c *counter) wrap(conn net.Conn) net.Conn {
	return &countedConn{TCPConn: conn.(*net.TCPConn), counter: c}
}

type countedConn struct {
	*net.TCPConn
	counter *counter
}

func (c *countedConn) Write(b []byte) (int, error) {
	n, err := c.TCPConn.Write(b)
	c.counter.n.Add(int64(n))
	return n, err
}

// connCount counts the connections an HTTP server sees come and go.
type connCount struct {
	opened atomic.Int64
	mu     sync.Mutex
	closed int
	change *sync.Cond
}

func newConnCount() *connCount {
	c := &connCount{}
	c.change = sync.NewCond(&c.mu)
	return c
}

func (c *connCount) note(_ net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.opened.Add(1)
	case http.StateClosed:
		c.closed++
		c.change.Broadcast()
	}
}

// waitClosed returns when n connections have been closed.
func (c *connCount) waitClosed(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.closed < n {
		c.change.Wait()
	}
}
