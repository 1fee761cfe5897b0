package webhook

import (
	"net"
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
