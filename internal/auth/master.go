package auth

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"
)

const masterBytes = 32

// Master is the master secret of an installation. It encrypts and signs
// nothing itself: every use has its own derived key, so that a weakness in one
// use does not open another. The zero Master is not a secret, and using it
// panics rather than signing with a key that everybody knows.
//
// The secret is behind a function because fmt calls no method on a value in an
// unexported field, and with a wrong verb follows even a pointer; of a function
// it can print only the address.
type Master struct{ secret func() [masterBytes]byte }

func masterOf(secret [masterBytes]byte) Master {
	return Master{func() [masterBytes]byte { return secret }}
}

// NewMaster returns a fresh random master secret.
func NewMaster() Master {
	var secret [masterBytes]byte
	rand.Read(secret[:])
	return masterOf(secret)
}

// ParseMaster reads the base64 form of a master secret, with or without
// padding, in the standard or the URL alphabet. Its error never quotes the text.
func ParseMaster(text string) (Master, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return Master{}, errors.New("secret key is not base64")
	}
	if len(raw) != masterBytes {
		return Master{}, fmt.Errorf("secret key has %d bytes, must have %d", len(raw), masterBytes)
	}
	secret := [masterBytes]byte(raw)
	if secret == [masterBytes]byte{} {
		return Master{}, errors.New("secret key is all zeros")
	}
	return masterOf(secret), nil
}

// IsZero reports whether m was never set.
func (m Master) IsZero() bool { return m.secret == nil }

// Derive returns the 32-byte key for purpose. The same master and purpose
// always give the same key; two purposes give unrelated ones.
func (m Master) Derive(purpose string) []byte { return m.derive("key", purpose) }

// Sealer returns the encryption for purpose. Its key is unrelated to the one
// Derive returns for the same purpose.
func (m Master) Sealer(purpose string) *Sealer {
	aead, err := chacha20poly1305.NewX(m.derive("seal", purpose))
	if err != nil {
		panic("auth: " + err.Error()) // only a key of the wrong length
	}
	return &Sealer{aead}
}

func (m Master) derive(use, purpose string) []byte {
	if m.IsZero() {
		panic("auth: the master secret is not set")
	}
	secret := m.secret()
	key, err := hkdf.Key(sha256.New, secret[:], nil, "heed/v1/"+use+"/"+purpose, 32)
	if err != nil {
		panic("auth: " + err.Error()) // only a length beyond what HKDF can give
	}
	return key
}

const redacted = "[redacted]"

// Format writes a placeholder for every verb. String alone would leave %d and
// %x to print the bytes.
func (m Master) Format(f fmt.State, _ rune) { io.WriteString(f, redacted) }

// String returns a placeholder, never the secret.
func (m Master) String() string { return redacted }

// LogValue keeps the secret out of structured logs.
func (m Master) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText keeps the secret out of encoded configuration.
func (m Master) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Sealer encrypts and authenticates short values, such as a webhook's secret,
// for keeping in the database. It is safe for concurrent use.
type Sealer struct{ aead cipher.AEAD }

// sealVersion is the first byte of every sealed value, so that the algorithm
// can change while old values are still read. Version 1 is
// XChaCha20-Poly1305: its 24-byte nonce may be random without counting uses,
// which several nodes sharing one key could not do.
const sealVersion = 1

// ErrSealed is returned by Open for a value that was not sealed by this key
// for this context, or was changed since.
var ErrSealed = errors.New("sealed value does not open")

// Seal encrypts plain and binds it to context, which is not stored: naming the
// row a value belongs to keeps it from being moved to another row.
func (s *Sealer) Seal(plain, context []byte) []byte {
	head := 1 + s.aead.NonceSize()
	out := make([]byte, head, head+len(plain)+s.aead.Overhead())
	out[0] = sealVersion
	rand.Read(out[1:head])
	return s.aead.Seal(out, out[1:head], plain, bound(context))
}

// Open returns what was sealed under the same context, or ErrSealed.
func (s *Sealer) Open(sealed, context []byte) ([]byte, error) {
	head := 1 + s.aead.NonceSize()
	if len(sealed) < head || sealed[0] != sealVersion {
		return nil, ErrSealed
	}
	plain, err := s.aead.Open(nil, sealed[1:head], sealed[head:], bound(context))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// bound puts the version under authentication too, so that a value cannot be
// presented as one of another version.
func bound(context []byte) []byte {
	return append([]byte{sealVersion}, context...)
}
