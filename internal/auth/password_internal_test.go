package auth

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// With every place taken a sign-in must wait instead of allocating, and go on
// as soon as one is free.
func TestHashingIsBounded(t *testing.T) {
	if n := cap(hashing); n < 1 || n > 8 {
		t.Errorf("%d hashes at once; want 1 to 8", n)
	}
	synctest.Test(t, func(t *testing.T) {
		// A channel of the bubble's own, so that waiting for it can be seen.
		defer func(before chan struct{}) { hashing = before }(hashing)
		hashing = make(chan struct{}, 1)
		hashing <- struct{}{}

		var finished atomic.Int32
		for range 3 {
			go func() {
				CheckPassword("", "x")
				finished.Add(1)
			}()
		}
		synctest.Wait()
		if n := finished.Load(); n != 0 {
			t.Errorf("%d hashes were computed with every place taken", n)
		}
		<-hashing
		synctest.Wait()
		if n := finished.Load(); n != 3 {
			t.Errorf("%d of 3 went on when the place was free", n)
		}
	})
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
