package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// NewToken returns a fresh secret for a session or a link: 256 random bits in
// characters that can stand in a URL and a cookie.
func NewToken() string {
	var raw [32]byte
	rand.Read(raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// HashToken is what is kept of a token. A token has more entropy than the hash
// has bits to lose, so no salt and no slow hash is needed.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
