// Package ids makes and spells the identifiers of the service: inside, a 63-bit
// integer ordered by time; outside, a type prefix and 13 characters of
// Crockford's base32. It knows no noun: the prefix of an [ID] comes from its
// type parameter, so that identifiers of two nouns are two Go types and cannot
// be passed for each other.
package ids

import (
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

const (
	randomBits = 21
	randomMask = 1<<randomBits - 1
	// maxMillis is the last millisecond 42 bits can count: in the year 2109.
	maxMillis = 1<<42 - 1
)

// Kind names a family of identifiers. It is implemented by empty structs that
// exist only as type parameters.
type Kind interface {
	// Prefix is what stands before the underscore, as "post" in
	// post_0c8e4w1a2b3d4. It does not depend on the receiver.
	Prefix() string
}

// ID identifies one thing of kind K. Its integer order is the order of
// creation, to the millisecond between processes and exactly within one. The
// zero ID identifies nothing.
type ID[K Kind] int64

// Source makes identifiers that rise strictly, whatever the clock does. The
// zero Source is ready for use.
type Source struct {
	mu   sync.Mutex
	last int64
}

// Next returns an integer for the time t, greater than every one returned
// before. Two processes may make the same one in the same millisecond (one
// chance in two million for each pair): a primary key refuses the second, and
// its transaction runs again.
func (s *Source) Next(t time.Time) int64 {
	id := At(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if id <= s.last {
		// A small random step keeps the next one hard to guess without
		// using up the millisecond.
		id = s.last + 1 + rand.Int64N(64)
	}
	s.last = id
	return id
}

// At returns an integer whose time part is t, without regard to any other: for
// rows that are written today about a day long past.
func At(t time.Time) int64 { return Of(t, rand.Uint64()) }

// Of is [At] with the random bits given, for rows that must come out the same
// again.
func Of(t time.Time, random uint64) int64 {
	ms := min(max(t.UnixMilli(), 0), maxMillis)
	return ms<<randomBits | int64(random&randomMask)
}

// Floor returns the least integer whose time part is t: every id made earlier, to
// the millisecond, is below it.
func Floor(t time.Time) int64 {
	return min(max(t.UnixMilli(), 0), maxMillis) << randomBits
}

// Time returns the moment id was made for, to the millisecond.
func (id ID[K]) Time() time.Time { return time.UnixMilli(int64(id) >> randomBits).UTC() }

// alphabet is Crockford's: no i, l, o or u, so that an id read aloud or copied
// by hand survives.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const digits = 13

var values = func() (v [256]int8) {
	for i := range v {
		v[i] = -1
	}
	for i, c := range alphabet {
		v[c] = int8(i)
	}
	return v
}()

// String spells id with its prefix: "post_0c8e4w1a2b3d4".
func (id ID[K]) String() string {
	b, _ := id.AppendText(make([]byte, 0, 20))
	return string(b)
}

// AppendText appends the spelling of id to b. It never fails.
func (id ID[K]) AppendText(b []byte) ([]byte, error) {
	var k K
	var spelled [digits]byte
	for i, rest := digits-1, id; i >= 0; i, rest = i-1, rest>>5 {
		spelled[i] = alphabet[rest&31]
	}
	return append(append(append(b, k.Prefix()...), '_'), spelled[:]...), nil
}

// MarshalText spells id, so that encoders write it as a string.
func (id ID[K]) MarshalText() ([]byte, error) { return id.AppendText(make([]byte, 0, 20)) }

// ErrMalformed is returned for a text that is not the spelling of any ID of the
// wanted kind.
var ErrMalformed = errors.New("ids: not an identifier of this kind")

// UnmarshalText is the inverse of MarshalText. It accepts exactly one spelling
// of each id.
func (id *ID[K]) UnmarshalText(b []byte) error {
	v, err := Parse[K](string(b))
	if err == nil {
		*id = v
	}
	return err
}

// Parse reads the spelling of an ID of kind K. There is one spelling of each:
// upper case, another prefix or a value beyond 63 bits is ErrMalformed.
func Parse[K Kind](s string) (ID[K], error) {
	var k K
	p := k.Prefix()
	if len(s) != len(p)+1+digits || s[:len(p)] != p || s[len(p)] != '_' {
		return 0, ErrMalformed
	}
	n, err := number(s[len(p)+1:])
	return ID[K](n), err
}

// ParseAny reads the spelling of an ID of any kind: what stands before the
// underscore, and the integer.
func ParseAny(s string) (prefix string, n int64, err error) {
	prefix, rest, found := strings.Cut(s, "_")
	if !found || prefix == "" || len(rest) != digits {
		return "", 0, ErrMalformed
	}
	n, err = number(rest)
	return prefix, n, err
}

// number reads the digits of an ID.
func number(s string) (n int64, err error) {
	// 13 digits hold 65 bits; the first may use only three of its five.
	if values[s[0]] < 0 || values[s[0]] > 7 {
		return 0, ErrMalformed
	}
	for i := range digits {
		v := values[s[i]]
		if v < 0 {
			return 0, ErrMalformed
		}
		n = n<<5 | int64(v)
	}
	if n == 0 {
		return 0, ErrMalformed
	}
	return n, nil
}

// Value stores id as an integer, and the zero ID as NULL.
func (id ID[K]) Value() (driver.Value, error) {
	if id == 0 {
		return nil, nil
	}
	return int64(id), nil
}

// Int64 is id as it is stored. Zero stands for NULL.
func (id ID[K]) Int64() int64 { return int64(id) }

// SetInt64 makes id the one that is stored as n.
func (id *ID[K]) SetInt64(n int64) { *id = ID[K](n) }

// Scan reads an integer, or NULL as the zero ID.
func (id *ID[K]) Scan(src any) error {
	switch v := src.(type) {
	case int64:
		*id = ID[K](v)
	case nil:
		*id = 0
	default:
		return errors.New("ids: the column is not an integer")
	}
	return nil
}

// Prefix is that of the kind.
func (id ID[K]) Prefix() string {
	var k K
	return k.Prefix()
}
