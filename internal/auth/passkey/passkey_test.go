package passkey_test

import (
	"errors"
	"strings"
	"testing"

	"heed/internal/auth/passkey"
)

func TestPlaces(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://heed.example": true, "https://heed.example:8443": true, "http://localhost:8080": true,
		"http://heed.example": false, "http://127.0.0.1:8080": false, "https://192.0.2.1": false, "https://[::1]": false, "": false, ":": false,
	} {
		if _, err := passkey.New(url, "Heed"); (err == nil) != ok || err != nil && !errors.Is(err, passkey.ErrPlace) {
			t.Errorf("New(%q) = %v; want it to work: %v", url, err, ok)
		}
	}
}

func TestQuestions(t *testing.T) {
	p, err := passkey.New("https://heed.example", "Heed")
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Ask()
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Ask()
	if err != nil {
		t.Fatal(err)
	}
	if string(a.Options) == string(b.Options) {
		t.Error("two questions are the same")
	}
	for _, part := range []string{`"rpId":"heed.example"`, `"userVerification":"required"`} {
		if !strings.Contains(string(a.Options), part) {
			t.Errorf("the question lacks %s: %s", part, a.Options)
		}
	}
	r, err := p.Register(passkey.Holder{Handle: []byte("12345678"), Name: "ada@example.com", Display: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"residentKey":"required"`, `"userVerification":"required"`, `"attestation":"none"`} {
		if !strings.Contains(string(r.Options), part) {
			t.Errorf("the question lacks %s: %s", part, r.Options)
		}
	}
	for _, answer := range []string{"", "null", "{}", `{"id":"x","rawId":"x","type":"public-key","response":{}}`, "\x00"} {
		if _, err := passkey.Key([]byte(answer)); !errors.Is(err, passkey.ErrAnswer) {
			t.Errorf("Key(%q) = %v; want ErrAnswer", answer, err)
		}
		if _, _, err := p.Registered(passkey.Holder{Handle: []byte("12345678")}, r.State, []byte(answer)); !errors.Is(err, passkey.ErrAnswer) {
			t.Errorf("Registered(%q) = %v; want ErrAnswer", answer, err)
		}
	}
}
