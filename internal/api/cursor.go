package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"heed/internal/feedback"
)

// cursors makes and reads the opaque positions of lists. A cursor holds the
// numbers of a position and a code that only this service can make for exactly
// this list, path, account and filter.
type cursors struct{ key []byte }

const macSize = 16

// issue spells a position, nil for none.
func (k cursors) issue(c *call, p feedback.Position) *string {
	if p == nil {
		return nil
	}
	var b []byte
	for _, n := range p {
		b = binary.AppendVarint(b, n)
	}
	s := base64.RawURLEncoding.EncodeToString(append(b, k.mac(c, b)...))
	return &s
}

// open reads what issue spelled, for the same list.
func (k cursors) open(c *call, s string) (feedback.Position, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	// The decoder passes over line breaks.
	if err != nil || len(b) <= macSize || strings.ContainsAny(s, "\r\n") {
		return nil, errCursor()
	}
	b, mac := b[:len(b)-macSize], b[len(b)-macSize:]
	if !hmac.Equal(mac, k.mac(c, b)) {
		return nil, errCursor()
	}
	var p feedback.Position
	for len(b) > 0 {
		n, size := binary.Varint(b)
		if size <= 0 {
			return nil, errCursor()
		}
		p, b = append(p, n), b[size:]
	}
	return p, nil
}

// mac binds a position to what it was issued for.
func (k cursors) mac(c *call, position []byte) []byte {
	m := hmac.New(sha256.New, k.key)
	fmt.Fprintf(m, "%s %d %q", c.op.id, int64(c.actor.Account.ID), c.r.URL.Path)
	for _, q := range c.op.query {
		if q.name != limitParam.name && q.name != cursorParam.name {
			fmt.Fprintf(m, " %q", c.query[q.name])
		}
	}
	m.Write([]byte{0})
	m.Write(position)
	return m.Sum(nil)[:macSize]
}

func errCursor() error {
	return &feedback.Error{
		Code:    feedback.InvalidCursor,
		Msg:     "The cursor was not issued for this list.",
		Hint:    "Begin again without a cursor, and keep the filters the same from page to page.",
		Details: map[string]any{"parameter": "cursor"},
	}
}
