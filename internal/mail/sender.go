package mail

import (
	"context"
	"crypto/x509"
	"net/mail"
	"os"
	"strings"
	"time"
)

// Config is what a Sender needs to know.
type Config struct {
	Server Server
	From   mail.Address   // for messages that name no sender of their own
	Roots  *x509.CertPool // nil trusts the system's authorities

	ConnectTimeout time.Duration // 15 s
	// Timeout bounds one message from its first command to the server's last
	// word. Servers may look for spam before they say it, and giving up on one
	// that has accepted the message doubles it: hence the generous 2 minutes.
	Timeout time.Duration
}

// Sender hands messages to one server. It keeps no connection between calls
// and may be used by many goroutines at once.
type Sender struct{ cfg Config }

// NewSender checks nothing over the network: a server that is down today must
// not keep a program from starting.
func NewSender(cfg Config) (*Sender, error) {
	if err := checkAddress("the sender's address", cfg.From); err != nil {
		return nil, err
	}
	if cfg.ConnectTimeout <= 0 {
		cfg.ConnectTimeout = 15 * time.Second
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = 2 * time.Minute
	}
	if cfg.Server.Helo == "" {
		cfg.Server.Helo = introduction(cfg.From.Address)
	}
	return &Sender{cfg: cfg}, nil
}

// Server names the server, without its password.
func (s *Sender) Server() string { return s.cfg.Server.String() }

// introduction is the machine's name if it is a full one. In a container it is
// not, and servers turn away what has no dot: then the sender's domain.
func introduction(from string) string {
	if name, err := os.Hostname(); err == nil && strings.Contains(name, ".") && isHostName(name) {
		return name
	}
	_, domain, _ := cutLast(from, "@")
	if isHostName(domain) {
		return domain
	}
	return "localhost"
}

// Send hands over one message on a connection of its own. The error, if any,
// is an *Error.
func (s *Sender) Send(ctx context.Context, m Message) error {
	var out error
	s.SendAll(ctx, []Message{m}, func(_ int, err error) { out = err })
	return out
}

// SendAll hands over messages one after the other on one connection, anew
// where that breaks, and calls done with each result as soon as it is known
// and before the next message is begun, so that a caller can write it down.
// done is called once for each message, in order, with nil or an *Error.
//
// When no connection can be had, or ctx ends, all that is left is reported as
// failed without trying: the reason is the server's and not the messages'.
func (s *Sender) SendAll(ctx context.Context, list []Message, done func(i int, err error)) {
	var (
		open *session
		down error
	)
	defer func() { open.close() }()
	for i, m := range list {
		if m.From == (mail.Address{}) {
			m.From = s.cfg.From
		}
		msg, err := m.compose()
		if err != nil {
			done(i, &Error{Kind: Permanent, Stage: StageCompose, Err: err})
			continue
		}
		if down == nil && open == nil {
			var fail *Error
			if open, fail = s.open(ctx, nil); fail != nil {
				down = fail
			}
		}
		if down != nil {
			done(i, down)
			continue
		}
		fail := open.send(m, msg)
		if fail == nil {
			done(i, nil)
			continue
		}
		// After a reply the connection is good for the next message, unless
		// the reply was that it is being closed.
		if fail.Code == 0 || fail.Code == 421 {
			open.close()
			open = nil
		}
		if ctx.Err() != nil {
			down = &Error{Stage: StageConnect, Err: ctx.Err()}
		}
		done(i, fail)
	}
}
