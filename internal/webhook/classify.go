package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

// urlClass names why a URL that was once accepted is so no longer.
func urlClass(err error) Class {
	var ue *URLError
	if errors.As(err, &ue) && (ue.Rule == RuleAddress || ue.Rule == RulePort) {
		return ClassAddressRefused
	}
	return ClassInvalidURL
}

// connectClass names why no TCP connection came about.
func connectClass(err error) Class {
	var ce *classError
	switch {
	case errors.As(err, &ce):
		return ce.class
	case isTimeout(err):
		return ClassTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return ClassConnectRefused
	case isReset(err):
		return ClassReset
	}
	return ClassUnreachable
}

// tlsClass names why a handshake failed.
func tlsClass(err error) Class {
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return ClassCertificate
	case isTimeout(err):
		return ClassTimeout
	case isReset(err):
		return ClassReset
	}
	return ClassTLS
}

// exchangeClass names why, on a working connection, no whole answer came. The
// standard library tells malformed HTTP by text alone, so that is what is left
// when nothing else fits.
func exchangeClass(err error) Class {
	var ce *classError
	switch {
	case errors.As(err, &ce):
		return ce.class
	case isTimeout(err):
		return ClassTimeout
	case isAlert(err):
		return ClassTLS
	case isReset(err):
		return ClassReset
	}
	return ClassBadResponse
}

// isAlert reports a TLS failure after the handshake, such as the demand for a
// client certificate, which TLS 1.3 voices only with the first answer. The
// standard library marks it by the name of the operation alone.
func isAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error")
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func isReset(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, net.ErrClosed)
}

// statusOutcome judges a whole answer.
func statusOutcome(status int) (Class, Outcome) {
	switch {
	case status >= 200 && status < 300:
		return ClassNone, Succeeded
	case status == 410:
		return ClassStatus, Gone
	case status >= 300 && status < 400:
		return ClassRedirect, Retry
	}
	return ClassStatus, Retry
}
