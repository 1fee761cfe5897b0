package idempotency_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"heed/internal/idempotency"
)

func TestValidKey(t *testing.T) {
	for key, want := range map[string]bool{
		"": false, "a": true, "!": true, "~": true, strings.Repeat("k", 255): true, strings.Repeat("k", 256): false,
		"a b": false, " a": false, "a\t": false, "a\x00": false, "a\x7f": false, "é": false, "\xff": false,
		"9f1c0b52-2d53-4d0c-8f0e-3f2a6d1c9a55": true,
	} {
		if got := idempotency.ValidKey(key); got != want {
			t.Errorf("ValidKey(%.20q) = %v; want %v", key, got, want)
		}
	}
}

func fingerprint(t *testing.T, method, path, body string) idempotency.Fingerprint {
	t.Helper()
	f, err := idempotency.FingerprintOf(method, path, []byte(body))
	if err != nil {
		t.Fatalf("FingerprintOf(%q) = %v", body, err)
	}
	return f
}

func TestFingerprintSame(t *testing.T) {
	want := fingerprint(t, "POST", "/v1/posts", `{"a":1,"b":["x",null],"c":"é"}`)
	for _, body := range []string{
		` { "b" : [ "x" , null ] , "a" : 1 , "c" : "é" } `,
		`{"c":"\u00e9","a":1.0,"b":["\u0078",null]}`,
		`{"a":1e0,"b":["x",null],"c":"\u00E9"}`,
		`{"a":10e-1,"b":["x",null],"c":"\u00E9"}`,
	} {
		if got := fingerprint(t, "POST", "/v1/posts", body); got != want {
			t.Errorf("fingerprint of %s differs", body)
		}
	}
}

func TestFingerprintDiffers(t *testing.T) {
	base := fingerprint(t, "POST", "/v1/posts", `{"a":1}`)
	for _, body := range []string{``, `{}`, `null`, `{"a":2}`, `{"a":"1"}`, `{"A":1}`, `{"a":1,"b":null}`, `[{"a":1}]`} {
		got := fingerprint(t, "POST", "/v1/posts", body)
		if got.Body == base.Body || got.Operation != base.Operation {
			t.Errorf("body %q: body equal %v, operation equal %v; want false, true",
				body, got.Body == base.Body, got.Operation == base.Operation)
		}
	}
	// Whole numbers that a float cannot tell apart.
	if fingerprint(t, "POST", "/", `[9007199254740993]`) == fingerprint(t, "POST", "/", `[9007199254740992]`) {
		t.Error("two large numbers have one fingerprint")
	}
	for _, op := range [][2]string{{"PUT", "/v1/posts"}, {"POST", "/v1/post"}, {"POST/", "v1/posts"}, {"", "POST/v1/posts"}} {
		got := fingerprint(t, op[0], op[1], `{"a":1}`)
		if got.Operation == base.Operation || got.Body != base.Body {
			t.Errorf("%q: operation equal %v, body equal %v; want false, true",
				op, got.Operation == base.Operation, got.Body == base.Body)
		}
	}
}

func TestFingerprintRefuses(t *testing.T) {
	for _, body := range []string{" ", "{", "{}{}", `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, "\"\xff\"", `"\ud800"`, "{'a':1}", "01", strings.Repeat("[", 20000)} {
		if _, err := idempotency.FingerprintOf("POST", "/", []byte(body)); err == nil {
			t.Errorf("FingerprintOf(%.20q) = nil error", body)
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(`{"b":[1,2.50,"\u00e9"],"a":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		before := string(body)
		a, errA := idempotency.FingerprintOf("POST", "/", body)
		if string(body) != before {
			t.Fatalf("body changed from %q to %q", before, body)
		}
		b, errB := idempotency.FingerprintOf("POST", "/", []byte(" "+before+"\n"))
		if len(body) > 0 && ((errA == nil) != (errB == nil) || a != b) {
			t.Errorf("white space changes the fingerprint of %q (%v, %v)", before, errA, errB)
		}
	})
}

func TestTryLock(t *testing.T) {
	var l idempotency.Locks
	unlock, ok := l.TryLock("k")
	if !ok {
		t.Fatal("first TryLock = false")
	}
	if _, ok := l.TryLock("k"); ok {
		t.Error("second TryLock of a held key = true")
	}
	if other, ok := l.TryLock("other"); !ok {
		t.Error("TryLock of another key = false")
	} else {
		other()
	}
	unlock()
	again, ok := l.TryLock("k")
	if !ok {
		t.Fatal("TryLock after unlock = false")
	}
	unlock() // a second time, while somebody else holds the key
	if _, ok := l.TryLock("k"); ok {
		t.Error("a repeated unlock freed a key held by another")
	}
	again()
	if n := l.Len(); n != 0 {
		t.Errorf("%d keys held after all were given back", n)
	}
}

func TestTryLockExcludes(t *testing.T) {
	var l idempotency.Locks
	var inside [8]atomic.Int32
	var won atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for i := range 500 {
				k := i % len(inside)
				unlock, ok := l.TryLock(fmt.Sprint("key", k))
				if !ok {
					continue
				}
				won.Add(1)
				if n := inside[k].Add(1); n != 1 {
					t.Errorf("%d holders of key %d", n, k)
				}
				inside[k].Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	if won.Load() == 0 || l.Len() != 0 {
		t.Errorf("%d locks taken, %d left; want some and none", won.Load(), l.Len())
	}
}

func BenchmarkTryLock(b *testing.B) {
	var l idempotency.Locks
	b.ReportAllocs()
	for b.Loop() {
		unlock, _ := l.TryLock("key")
		unlock()
	}
}
