package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxKeyBytes is the length of the longest key that is accepted.
const MaxKeyBytes = 255

// ValidKey reports whether key may be used: 1 to 255 visible ASCII characters.
// Spaces and control characters are refused because proxies may change them.
func ValidKey(key string) bool {
	if key == "" || len(key) > MaxKeyBytes {
		return false
	}
	for i := range len(key) {
		if key[i] < 0x21 || key[i] > 0x7e {
			return false
		}
	}
	return true
}

// Fingerprint tells whether two requests ask for the same thing. Operation and
// Body are apart so that a refusal can say which of them differs.
type Fingerprint struct{ Operation, Body [32]byte }

// FingerprintOf returns the fingerprint of a request. The body is compared as
// JSON in the canonical form of RFC 8785 but for large whole numbers, so a retry whose members come in
// another order or with other white space is the same request. An empty body is
// allowed and differs from every other. It fails when the body is not JSON, has
// a member twice, or is not UTF-8; body is not changed.
func FingerprintOf(method, path string, body []byte) (Fingerprint, error) {
	var f Fingerprint
	op := binary.AppendUvarint(nil, uint64(len(method)))
	op = append(append(op, method...), path...)
	f.Operation = sha256.Sum256(op)
	if len(body) > 0 {
		v := jsontext.Value(bytes.Clone(body))
		// RFC 8785 rounds whole numbers to what a float can hold, and two large
		// ones would be one.
		if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
			return Fingerprint{}, fmt.Errorf("canonical form of the body: %w", err)
		}
		body = v
	}
	f.Body = sha256.Sum256(body)
	return f, nil
}
