package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of Standard Webhooks.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

const signatureVersion = "v1,"

// Sign returns the value of the signature header: one signature for each
// secret, in the order given, separated by spaces. Callers give the newest
// secret first, so that a receiver that reads only one signature reads that
// of the secret it was last told. Zero secrets are left out.
func Sign(id string, at time.Time, body []byte, secrets ...Secret) string {
	var b strings.Builder
	for _, s := range secrets {
		if s.IsZero() {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(signatureVersion)
		b.WriteString(base64.StdEncoding.EncodeToString(s.mac(id, at.Unix(), body)))
	}
	return b.String()
}

func (s Secret) mac(id string, unix int64, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(s.key))
	h.Write([]byte(id))
	h.Write([]byte{'.'})
	h.Write(strconv.AppendInt(nil, unix, 10))
	h.Write([]byte{'.'})
	h.Write(body)
	return h.Sum(nil)
}

// Tolerance is how far a timestamp may lie from the receiver's clock, in both
// directions, before Verify takes the message for a replay.
const Tolerance = 5 * time.Minute

// What Verify can say. A receiver answers 400 to all of them.
var (
	ErrHeaders   = errors.New("webhook: a signature header is missing or unreadable")
	ErrTimestamp = errors.New("webhook: the timestamp is too far from now")
	ErrSignature = errors.New("webhook: no signature matches")
)

// Verify is the receiver's side of Sign: it reports whether one of the v1
// signatures in the headers was made over this body with this secret, at a
// time near now.
func Verify(h http.Header, body []byte, now time.Time, secret Secret) error {
	id, stamp, sigs := h.Get(HeaderID), h.Get(HeaderTimestamp), h.Get(HeaderSignature)
	unix, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || sigs == "" || secret.IsZero() {
		return ErrHeaders
	}
	// Compared as times, not as a difference: the subtraction of an absurd
	// timestamp would overflow into an acceptable one.
	at := time.Unix(unix, 0)
	if at.Before(now.Add(-Tolerance)) || at.After(now.Add(Tolerance)) {
		return ErrTimestamp
	}
	want := secret.mac(id, unix, body)
	for _, sig := range strings.Fields(sigs) {
		text, ok := strings.CutPrefix(sig, signatureVersion)
		if !ok {
			continue
		}
		got, err := base64.StdEncoding.DecodeString(text)
		if err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrSignature
}
