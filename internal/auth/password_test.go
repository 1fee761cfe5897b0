package auth_test

import (
	"errors"
	"strings"
	"testing"

	"heed/internal/auth"
)

func TestPasswordRoundTrip(t *testing.T) {
	for _, pw := range []string{"", "correct horse battery staple", "pässwörd", "a\x00b", strings.Repeat("x", auth.MaxPasswordBytes)} {
		hash, err := auth.HashPassword(pw)
		if err != nil {
			t.Fatalf("HashPassword(%.20q) = %v", pw, err)
		}
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("HashPassword(%.20q) = %q; want PHC form", pw, hash)
		}
		if ok, rehash := auth.CheckPassword(hash, pw); !ok || rehash {
			t.Errorf("CheckPassword of the password itself = %v, %v; want true, false", ok, rehash)
		}
		if ok, _ := auth.CheckPassword(hash, pw[:len(pw)/2]+"!"); ok {
			t.Errorf("CheckPassword accepts another password than %.20q", pw)
		}
	}
}

func TestPasswordHashesAreSalted(t *testing.T) {
	a, _ := auth.HashPassword("same")
	b, _ := auth.HashPassword("same")
	if a == b {
		t.Errorf("two hashes of one password are equal: %q", a)
	}
}

func TestPasswordTooLong(t *testing.T) {
	long := strings.Repeat("x", auth.MaxPasswordBytes+1)
	if _, err := auth.HashPassword(long); !errors.Is(err, auth.ErrPasswordTooLong) {
		t.Errorf("HashPassword of %d bytes = %v; want ErrPasswordTooLong", len(long), err)
	}
	if ok, _ := auth.CheckPassword("", long); ok {
		t.Error("CheckPassword accepts a password that could never be set")
	}
}

// The vector is that of the reference implementation's test suite, so other
// programs' hashes are read too, and asked to be renewed.
func TestCheckPasswordReadsOtherParameters(t *testing.T) {
	const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, rehash := auth.CheckPassword(reference, "password"); !ok || !rehash {
		t.Errorf("CheckPassword(reference vector) = %v, %v; want true, true", ok, rehash)
	}
}

func TestCheckPasswordRefusesUnreadableHashes(t *testing.T) {
	const salt, sum = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for name, hash := range map[string]string{
		"empty":         "",
		"other kind":    "$argon2i$v=19$m=65536,t=2,p=1$" + salt + "$" + sum,
		"old version":   "$argon2id$v=16$m=65536,t=2,p=1$" + salt + "$" + sum,
		"huge memory":   "$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + sum,
		"huge time":     "$argon2id$v=19$m=8,t=4294967295,p=1$" + salt + "$" + sum,
		"no threads":    "$argon2id$v=19$m=65536,t=2,p=0$" + salt + "$" + sum,
		"no hash":       "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$",
		"no salt":       "$argon2id$v=19$m=65536,t=2,p=1$$" + sum,
		"missing field": "$argon2id$v=19$m=65536,t=2$" + salt + "$" + sum,
		"trailing":      "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$" + sum + "$",
	} {
		if ok, rehash := auth.CheckPassword(hash, "password"); ok || rehash {
			t.Errorf("%s: CheckPassword = %v, %v; want false, false", name, ok, rehash)
		}
	}
}

func BenchmarkCheckPassword(b *testing.B) {
	hash, _ := auth.HashPassword("correct horse battery staple")
	for b.Loop() {
		auth.CheckPassword(hash, "wrong")
	}
}
