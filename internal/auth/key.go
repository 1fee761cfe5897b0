package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
)

const (
	keyPrefix   = "heed_"
	keyRandom   = 36 // 62^36 is a little over 214 bits
	keyChecksum = 6  // 62^6 exceeds 2^32, so a CRC-32 always fits
	keyBody     = len(keyPrefix) + keyRandom
	keyLength   = keyBody + keyChecksum
	keyStart    = len(keyPrefix) + 4
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewKey returns a fresh API key. The prefix lets secret scanners recognise a
// leaked key, and the checksum at its end lets a server refuse a mistyped or
// invented one without asking the database.
func NewKey() string {
	key := make([]byte, 0, keyLength)
	key = append(key, keyPrefix...)
	var raw [keyRandom]byte
	for len(key) < keyBody {
		rand.Read(raw[:])
		for _, b := range raw {
			// 248 is the largest multiple of 62 in a byte: taking the
			// remainder of more would favour the first letters.
			if b < 248 && len(key) < keyBody {
				key = append(key, base62[b%62])
			}
		}
	}
	sum := checksum(string(key))
	return string(append(key, sum[:]...))
}

// WellFormed reports whether key has the shape of an API key and its checksum
// agrees. It says nothing about whether the key was ever issued. It does not
// allocate, so a flood of junk costs no memory.
func WellFormed(key string) bool {
	if len(key) != keyLength || key[:len(keyPrefix)] != keyPrefix {
		return false
	}
	for i := len(keyPrefix); i < keyBody; i++ {
		c := key[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	sum := checksum(key[:keyBody])
	return key[keyBody:] == string(sum[:])
}

// HashKey returns the SHA-256 of key, the only form in which a key is stored.
// A plain hash is enough: a key is random, so there is nothing to guess.
func HashKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// Preview returns what may be shown of a key afterwards, so that a person can
// tell two keys apart: its start and its last four characters. A text too
// short to be a key has no preview, since it would show most of itself.
func Preview(key string) (start, last4 string) {
	if len(key) < keyLength {
		return "", ""
	}
	return key[:keyStart], key[len(key)-4:]
}

// checksum is CRC-32 (IEEE) of s in base62, most significant digit first. The
// loop is written out because the library takes a byte slice that escapes.
func checksum(s string) [keyChecksum]byte {
	crc := ^uint32(0)
	for i := range len(s) {
		crc = crc32.IEEETable[byte(crc)^s[i]] ^ crc>>8
	}
	crc = ^crc
	var out [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		out[i] = base62[crc%62]
		crc /= 62
	}
	return out
}
