package auth_test

import (
	"encoding/hex"
	"hash/crc32"
	"strings"
	"testing"

	"heed/internal/auth"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func TestNewKeyShape(t *testing.T) {
	seen := map[string]bool{}
	letters := map[rune]int{}
	for range 2000 {
		key := auth.NewKey()
		if len(key) != 47 || !strings.HasPrefix(key, "heed_") {
			t.Fatalf("NewKey() = %q; want heed_ and 42 characters", key)
		}
		if !auth.WellFormed(key) {
			t.Fatalf("WellFormed(%q) = false for a new key", key)
		}
		if seen[key] {
			t.Fatalf("NewKey() repeated %q", key)
		}
		seen[key] = true
		for _, c := range key[5:41] {
			letters[c]++
		}
	}
	// 72,000 draws of 62 letters: 1,161 each, standard deviation 34. A
	// remainder taken without rejection would give 1,125 and 1,406.
	for _, c := range base62 {
		if n := letters[c]; n < 900 || n > 1380 {
			t.Errorf("letter %q drawn %d times in 72000; want about 1161", c, n)
		}
	}
}

func TestChecksumIsCRC32InBase62(t *testing.T) {
	key := auth.NewKey()
	var n uint32
	for _, c := range key[41:] {
		n = n*62 + uint32(strings.IndexRune(base62, c))
	}
	if want := crc32.ChecksumIEEE([]byte(key[:41])); n != want {
		t.Errorf("checksum of %q is %d; want %d", key, n, want)
	}
}

func TestWellFormedRefuses(t *testing.T) {
	key := auth.NewKey()
	for i := range key {
		for _, c := range []byte{'!', '0', 'z', 0, 0xff} {
			changed := key[:i] + string([]byte{c}) + key[i+1:]
			if changed != key && auth.WellFormed(changed) {
				t.Errorf("WellFormed(%q) = true with character %d changed", changed, i)
			}
		}
	}
	for _, bad := range []string{"", "heed_", key[:46], key + "0", " " + key, strings.ToUpper(key), strings.Repeat("0", 47)} {
		if auth.WellFormed(bad) {
			t.Errorf("WellFormed(%q) = true", bad)
		}
	}
}

func TestWellFormedDoesNotAllocate(t *testing.T) {
	key := auth.NewKey()
	if n := testing.AllocsPerRun(100, func() { auth.WellFormed(key) }); n != 0 {
		t.Errorf("WellFormed allocates %v times", n)
	}
}

func TestHashKeyIsSHA256(t *testing.T) {
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := hex.EncodeToString(auth.HashKey("abc")); got != want {
		t.Errorf("HashKey(abc) = %s; want %s", got, want)
	}
}

func TestPreviewShowsLittle(t *testing.T) {
	key := auth.NewKey()
	start, last4 := auth.Preview(key)
	if start != key[:9] || last4 != key[43:] {
		t.Errorf("Preview(%q) = %q, %q", key, start, last4)
	}
	if start, last4 := auth.Preview("heed_short"); start != "" || last4 != "" {
		t.Errorf("Preview of a short text = %q, %q; want nothing", start, last4)
	}
}

func BenchmarkWellFormed(b *testing.B) {
	key := auth.NewKey()
	for b.Loop() {
		auth.WellFormed(key)
	}
}
