package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// Secret is a signing key. Its zero value signs nothing and is refused
// everywhere. It prints as a placeholder: the one way to its text is Reveal.
type Secret struct {
	// A string keeps Secret comparable and its key out of reach of a caller
	// that would change the bytes after the fact.
	key string
}

// NewSecret returns a secret of 32 random bytes.
func NewSecret() Secret {
	b := make([]byte, secretBytes)
	rand.Read(b) // never fails: the runtime aborts the program first
	return Secret{key: string(b)}
}

// ParseSecret reads what Reveal wrote. The error says what is wrong with the
// form and never repeats the text.
func ParseSecret(s string) (Secret, error) {
	rest, ok := strings.CutPrefix(s, secretPrefix)
	if !ok {
		return Secret{}, errors.New("a signing secret starts with " + secretPrefix)
	}
	// Strict: otherwise several texts would name one key, through line breaks
	// or stray bits at the end.
	key, err := base64.StdEncoding.Strict().DecodeString(rest)
	if err != nil || strings.ContainsAny(rest, "\r\n") {
		return Secret{}, errors.New("a signing secret is " + secretPrefix + " followed by standard base64")
	}
	if len(key) != secretBytes {
		return Secret{}, errors.New("a signing secret holds 32 bytes")
	}
	return Secret{key: string(key)}, nil
}

// Reveal returns the text the receiver is given: whsec_ and base64.
func (s Secret) Reveal() string {
	return secretPrefix + base64.StdEncoding.EncodeToString([]byte(s.key))
}

// IsZero reports whether s is no secret at all.
func (s Secret) IsZero() bool { return s.key == "" }

// String hides the key.
func (s Secret) String() string { return secretPrefix + "[redacted]" }

// GoString hides the key from %#v, which would print the field otherwise.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the key from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the key from encoders: a secret that ends in a response
// or a file must have been asked for by name.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
