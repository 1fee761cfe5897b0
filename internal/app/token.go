package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"heed/internal/feedback"
)

// Tokens are numbers that only this service can have written: for links in
// mails and for cookies of visitors who have not signed in. They say what they
// are for, so that one cannot be used for another.

const tokenMAC = 16

func (a *App) sign(purpose string, site feedback.SiteID, numbers ...int64) string {
	var b []byte
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	return base64.RawURLEncoding.EncodeToString(append(b, a.tokenMAC(purpose, site, b)...))
}

// verify returns the numbers of a token that sign wrote for the same purpose and
// site, or nil.
func (a *App) verify(purpose string, site feedback.SiteID, token string, count int) []int64 {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) < tokenMAC {
		return nil
	}
	b, mac := b[:len(b)-tokenMAC], b[len(b)-tokenMAC:]
	if !hmac.Equal(mac, a.tokenMAC(purpose, site, b)) {
		return nil
	}
	var numbers []int64
	for len(b) > 0 {
		n, size := binary.Varint(b)
		if size <= 0 {
			return nil
		}
		numbers, b = append(numbers, n), b[size:]
	}
	if len(numbers) != count {
		return nil
	}
	return numbers
}

func (a *App) tokenMAC(purpose string, site feedback.SiteID, b []byte) []byte {
	m := hmac.New(sha256.New, a.cfg.Master.Derive("portal tokens"))
	m.Write(binary.AppendVarint(nil, int64(site)))
	m.Write([]byte(purpose + "\x00"))
	m.Write(b)
	return m.Sum(nil)[:tokenMAC]
}

// SignText appends to a text the proof that this service wrote it, for a cookie.
func (a *App) SignText(purpose string, site feedback.SiteID, text string) string {
	return text + "." + base64.RawURLEncoding.EncodeToString(a.tokenMAC("text "+purpose, site, []byte(text)))
}

// VerifyText returns the text that SignText signed for the same purpose and
// site.
func (a *App) VerifyText(purpose string, site feedback.SiteID, signed string) (text string, ok bool) {
	for i := len(signed) - 1; i >= 0; i-- {
		if signed[i] == '.' {
			mac, err := base64.RawURLEncoding.Strict().DecodeString(signed[i+1:])
			text = signed[:i]
			return text, err == nil && hmac.Equal(mac, a.tokenMAC("text "+purpose, site, []byte(text)))
		}
	}
	return "", false
}
