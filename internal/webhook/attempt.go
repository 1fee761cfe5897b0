package webhook

import "time"

// Outcome is what the caller does with a delivery after an attempt.
type Outcome string

const (
	// Succeeded: the receiver answered 2xx and the answer could be read.
	Succeeded Outcome = "succeeded"
	// Retry: this attempt failed; another may not.
	Retry Outcome = "retry"
	// Gone: the receiver answered 410 and wants no more messages.
	Gone Outcome = "gone"
	// Interrupted: the caller's own context ended. The receiver may or may not
	// have seen the message; the attempt is not to be counted against it.
	Interrupted Outcome = "interrupted"
)

// Class says why an attempt did not succeed; it is empty exactly when the
// outcome is Succeeded. The set is closed and safe to show to the owner of
// the endpoint: no class tells one refused address from another.
type Class string

const (
	ClassNone           Class = ""
	ClassInvalidURL     Class = "invalid_url"
	ClassDNS            Class = "dns"
	ClassAddressRefused Class = "address_refused"
	ClassConnectRefused Class = "connect_refused"
	ClassUnreachable    Class = "unreachable"
	ClassTLS            Class = "tls"
	ClassCertificate    Class = "certificate"
	ClassTimeout        Class = "timeout"
	ClassReset          Class = "reset"
	ClassBadResponse    Class = "bad_response"
	ClassRedirect       Class = "redirect"
	ClassStatus         Class = "status"
	ClassInterrupted    Class = "interrupted"
)

// Classes is every class an unsuccessful attempt can have.
func Classes() []Class {
	return []Class{
		ClassInvalidURL, ClassDNS, ClassAddressRefused, ClassConnectRefused,
		ClassUnreachable, ClassTLS, ClassCertificate, ClassTimeout, ClassReset,
		ClassBadResponse, ClassRedirect, ClassStatus, ClassInterrupted,
	}
}

// Explain returns a sentence for the owner of the endpoint: what happened and,
// where there is one, the step that fixes it. It is empty for ClassNone and
// for a word that is no class.
func (c Class) Explain() string {
	switch c {
	case ClassInvalidURL:
		return "The endpoint's URL is not one we can send to; change it."
	case ClassDNS:
		return "The host name could not be resolved."
	case ClassAddressRefused:
		return "The host resolves to no address we may connect to: private and reserved addresses, and ports other than 443 and 8443, are refused."
	case ClassConnectRefused:
		return "The host refused the connection; check that the receiver is running."
	case ClassUnreachable:
		return "The host could not be reached."
	case ClassTLS:
		return "The TLS handshake failed; check that the receiver speaks HTTPS with TLS 1.2 or newer."
	case ClassCertificate:
		return "The receiver's certificate is not valid for this host; check its names, its dates and its chain."
	case ClassTimeout:
		return "The receiver did not answer in time; answer first, then do the work."
	case ClassReset:
		return "The connection was closed before the whole answer had arrived."
	case ClassBadResponse:
		return "The receiver's answer was not readable HTTP."
	case ClassRedirect:
		return "The receiver answered with a redirect, which is never followed; enter the final URL."
	case ClassStatus:
		return "The receiver answered with a status other than 2xx."
	case ClassInterrupted:
		return "The attempt was cut short on our side; it does not count."
	}
	return ""
}

// Attempt is all that is known after one attempt.
type Attempt struct {
	StartedAt time.Time
	Duration  time.Duration

	Status    int    // of the response, 0 if none arrived
	Body      string // its first bytes as valid UTF-8 without NUL
	Truncated bool   // whether the response went on after Body

	// RetryAfter is how long the receiver asked us to wait, 0 if it did not.
	// It is a wish: Schedule.Next decides what of it is granted.
	RetryAfter time.Duration

	Class   Class
	Outcome Outcome
}

// slowDown reports whether the failure looks like a receiver under load,
// which a quick retry would only make worse.
func (a Attempt) slowDown() bool {
	switch a.Status {
	case 429, 502, 504:
		return true
	}
	return a.Class == ClassTimeout
}
