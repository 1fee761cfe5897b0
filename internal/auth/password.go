package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// MaxPasswordBytes bounds what HashPassword accepts. Nobody types more, and
// hashing is the most expensive thing a stranger can ask for.
const MaxPasswordBytes = 1024

// ErrPasswordTooLong is returned for a password above MaxPasswordBytes.
var ErrPasswordTooLong = errors.New("password is too long")

// argonParams are the cost parameters of argon2id; memory is in KiB.
type argonParams struct {
	memory, time uint32
	threads      uint8
}

// current is the first of the settings OWASP names as equal in strength. It
// is the one with one thread, so a sign-in costs one core and no more.
var current = argonParams{memory: 19 * 1024, time: 2, threads: 1}

// ceiling bounds what a stored hash may ask for, so that a damaged or planted
// row cannot make the server allocate without limit.
var ceiling = argonParams{memory: 256 * 1024, time: 16, threads: 4}

const (
	saltBytes = 16
	hashBytes = 32
)

// hashing holds a place for every hash being computed. Each takes 19 MiB, so
// without a bound a thousand sign-ins at once would take 19 GiB; with it they
// wait. More than a core each would only make all of them slower.
var hashing = make(chan struct{}, max(1, min(runtime.GOMAXPROCS(0), 8)))

// HashPassword returns the argon2id hash of password in PHC string form, with
// a salt of its own. It waits while too many hashes are being computed.
func HashPassword(password string) (string, error) {
	if len(password) > MaxPasswordBytes {
		return "", ErrPasswordTooLong
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	return phc{current, salt, derive(password, salt, current, hashBytes)}.String(), nil
}

// CheckPassword reports whether password is the one hash was made from, and
// whether the caller should store a new hash because the cost parameters have
// since changed. A hash that cannot be read, the empty one above all, costs
// as much as a wrong password and answers false: so a caller that found no
// account passes "", and an outsider cannot tell the two apart by time.
func CheckPassword(hash, password string) (ok, rehash bool) {
	if len(password) > MaxPasswordBytes {
		return false, false
	}
	h, err := parsePHC(hash)
	if err != nil {
		derive(password, make([]byte, saltBytes), current, hashBytes)
		return false, false
	}
	got := derive(password, h.salt, h.argonParams, len(h.hash))
	if subtle.ConstantTimeCompare(got, h.hash) != 1 {
		return false, false
	}
	return true, h.argonParams != current || len(h.hash) != hashBytes
}

func derive(password string, salt []byte, p argonParams, n int) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, p.time, p.memory, p.threads, uint32(n))
}

// phc is an argon2id hash as the password hashing competition writes it:
// $argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>, base64 without padding.
type phc struct {
	argonParams
	salt, hash []byte
}

func (h phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		h.memory, h.time, h.threads, b64.EncodeToString(h.salt), b64.EncodeToString(h.hash))
}

var errHashUnreadable = errors.New("not an argon2id hash in PHC form")

func parsePHC(s string) (h phc, err error) {
	part := strings.Split(s, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != "v="+strconv.Itoa(argon2.Version) {
		return h, errHashUnreadable
	}
	cost := strings.Split(part[3], ",")
	if len(cost) != 3 {
		return h, errHashUnreadable
	}
	var value [3]uint32
	limit := [3]uint32{ceiling.memory, ceiling.time, uint32(ceiling.threads)}
	for i, name := range []string{"m=", "t=", "p="} {
		digits, found := strings.CutPrefix(cost[i], name)
		n, err := strconv.ParseUint(digits, 10, 32)
		if !found || err != nil || n == 0 || n > uint64(limit[i]) {
			return h, errHashUnreadable
		}
		value[i] = uint32(n)
	}
	h.argonParams = argonParams{value[0], value[1], uint8(value[2])}
	b64 := base64.RawStdEncoding.Strict()
	if h.salt, err = b64.DecodeString(part[4]); err != nil || len(h.salt) < 8 || len(h.salt) > 64 {
		return h, errHashUnreadable
	}
	if h.hash, err = b64.DecodeString(part[5]); err != nil || len(h.hash) < 16 || len(h.hash) > 64 {
		return h, errHashUnreadable
	}
	return h, nil
}
