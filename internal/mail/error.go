package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"syscall"
)

// Kind is what the caller can do about a failure.
type Kind int

const (
	// Temporary: the same message may pass later.
	Temporary Kind = iota
	// Permanent: this message to this person will never pass.
	Permanent
	// Misconfigured: the server refuses us, not the message. Trying again
	// helps after an operator has changed the settings, and not before.
	Misconfigured
)

func (k Kind) String() string {
	switch k {
	case Permanent:
		return "permanent"
	case Misconfigured:
		return "misconfigured"
	}
	return "temporary"
}

// Stage is how far the exchange had come.
type Stage string

const (
	StageCompose   Stage = "compose"
	StageConnect   Stage = "connect" // including TLS and authentication
	StageSender    Stage = "sender"
	StageRecipient Stage = "recipient"
	StageData      Stage = "data"
)

// Error is the only kind of error Send, SendAll and Dialogue report.
type Error struct {
	Kind  Kind
	Stage Stage
	Code  int // of the server's reply, 0 if there was none

	// Reply is what the server said. It is for the operator's eyes: servers
	// like to repeat addresses in it.
	Reply string

	// MaybeSent: the whole message was handed over and the connection ended
	// before the server said what it made of it. SMTP leaves it open whether
	// the message is on its way; sending it again may double it.
	MaybeSent bool

	Err error
}

// Error names stage, kind and code: safe for every log.
func (e *Error) Error() string {
	s := fmt.Sprintf("mail: %s: %s", e.Stage, e.Kind)
	if e.Code != 0 {
		s += fmt.Sprintf(" (%d)", e.Code)
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// fault classifies what went wrong at a stage.
func fault(stage Stage, err error) *Error {
	e := &Error{Stage: stage, Err: err}
	var reply *textproto.Error
	if errors.As(err, &reply) {
		e.Code, e.Reply = reply.Code, fmt.Sprintf("%d %s", reply.Code, reply.Msg)
		e.Kind = replyKind(stage, reply.Code)
		return e
	}
	if stage == StageConnect && !isPassing(err) {
		e.Kind = Misconfigured
	}
	return e
}

func replyKind(stage Stage, code int) Kind {
	switch {
	case code < 500:
		return Temporary
	case stage == StageConnect, stage == StageSender:
		return Misconfigured
	}
	switch code {
	case 530, 534, 535, 538: // "authenticate first", whatever it was said to
		return Misconfigured
	}
	return Permanent
}

// isPassing reports a fault of the network, which comes and goes, as against
// one of the settings: an unknown host, a certificate, a missing extension.
func isPassing(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	if errors.As(err, &cert) || errors.As(err, &record) {
		return false
	}
	var ne net.Error
	return errors.As(err, &ne) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
