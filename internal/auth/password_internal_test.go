package auth

import (
	"runtime"
	"sync"
	"testing"
)

// With every place taken, a sign-in must wait instead of allocating, and go on
// as soon as one is free.
func TestHashingIsBounded(t *testing.T) {
	for range cap(hashing) {
		hashing <- struct{}{}
	}
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		wg.Go(func() { CheckPassword("", "x") })
	}
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
		t.Error("a hash was computed with every place taken")
	default:
	}
	if n := len(hashing); n != cap(hashing) {
		t.Errorf("%d of %d places taken", n, cap(hashing))
	}
	for range cap(hashing) {
		<-hashing
	}
	<-done
}

func TestUnreadableHashCostsAsMuchAsAWrongPassword(t *testing.T) {
	hash, err := HashPassword("right")
	if err != nil {
		t.Fatal(err)
	}
	wrong := allocated(func() { CheckPassword(hash, "wrong") })
	none := allocated(func() { CheckPassword("", "wrong") })
	// Memory stands in for time, which is not steady enough to judge.
	if none < wrong*9/10 || none > wrong*11/10 {
		t.Errorf("no account costs %d bytes, a wrong password %d", none, wrong)
	}
}

func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
