package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// TOTP is the secret of a second factor that an authenticator app shares: six
// digits that change every 30 seconds, by RFC 6238 with SHA-1, which is what
// every such app speaks.
type TOTP []byte

const (
	totpPeriod = 30
	totpBytes  = 20
	// totpSlack is how many steps a clock may be off, either way.
	totpSlack = 1
)

var b32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTP returns a fresh secret.
func NewTOTP() TOTP {
	secret := make([]byte, totpBytes)
	rand.Read(secret)
	return secret
}

// String spells the secret as people type it into an app.
func (s TOTP) String() string { return b32.EncodeToString(s) }

// ParseTOTP reads what String wrote.
func ParseTOTP(text string) (TOTP, error) {
	raw, err := b32.DecodeString(strings.ToUpper(strings.ReplaceAll(text, " ", "")))
	if err != nil || len(raw) != totpBytes {
		return nil, fmt.Errorf("not the secret of a second factor")
	}
	return raw, nil
}

// URL is the secret in the form that apps read from a link or a picture.
func (s TOTP) URL(issuer, account string) string {
	return (&url.URL{
		Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + account,
		RawQuery: url.Values{"secret": {s.String()}, "issuer": {issuer}}.Encode(),
	}).String()
}

// Code is the six digits of a step.
func (s TOTP) Code(step int64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(step))
	mac := hmac.New(sha1.New, s)
	mac.Write(b[:])
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	n := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	return fmt.Sprintf("%06d", n%1_000_000)
}

// Step is the number of the period that now lies in.
func (TOTP) Step(now time.Time) int64 { return now.Unix() / totpPeriod }

// Check returns the step whose code was given, if it is now, or nearly. Whoever
// calls keeps the step, so that a code is taken once.
func (s TOTP) Check(code string, now time.Time) (step int64, ok bool) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	for d := int64(-totpSlack); d <= totpSlack; d++ {
		at := s.Step(now) + d
		if subtle.ConstantTimeCompare([]byte(s.Code(at)), []byte(code)) == 1 {
			step, ok = at, true
		}
	}
	return step, ok
}

// NewRecoveryCode returns a code that a person can write down and type once
// instead of a second factor.
func NewRecoveryCode() string {
	var raw [10]byte
	rand.Read(raw[:])
	s := strings.ToLower(b32.EncodeToString(raw[:]))
	return s[:4] + "-" + s[4:8] + "-" + s[8:12] + "-" + s[12:]
}

// HashRecoveryCode is what is kept of a recovery code, however it was typed.
func HashRecoveryCode(code string) []byte {
	clean := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(code))
	return HashToken(clean)
}
