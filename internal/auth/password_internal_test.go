package auth

import (
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
	wrong := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			CheckPassword(hash, "wrong")
		}
	}).AllocedBytesPerOp()
	none := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			CheckPassword("", "wrong")
		}
	}).AllocedBytesPerOp()
	// Memory stands in for time, which is not steady enough to judge.
	if none < wrong*9/10 || none > wrong*11/10 {
		t.Errorf("no account costs %d bytes, a wrong password %d", none, wrong)
	}
}
