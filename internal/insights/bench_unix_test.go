//go:build unix

package insights

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time this process has used, in seconds: unlike the
// clock, it does not depend on what else the machine is doing.
func cpu(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// heapPeak samples the heap in use until stop is called.
func heapPeak() (stop func() float64) {
	runtime.GC()
	var peak atomic.Uint64
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapInuse))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 {
		close(done)
		<-finished
		return float64(peak.Load()) / (1 << 20)
	}
}

// manyPosts makes n posts from the sample by splicing texts of one class, and
// moves their vectors as much as a paraphrase would.
func manyPosts(b *testing.B, n int) []Post {
	b.Helper()
	s := sampleSet(b)
	byClass := make(map[string][]int)
	for i, c := range s.classes {
		byClass[c] = append(byClass[c], i)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	out := make([]Post, n)
	for k := range out {
		i := rng.IntN(len(s.posts))
		same := byClass[s.classes[i]]
		j := same[rng.IntN(len(same))]
		a, c := strings.Fields(s.posts[i].Text), strings.Fields(s.posts[j].Text)
		text := append(slices.Clone(a[:1+rng.IntN(len(a))]), c[rng.IntN(len(c)):]...)
		v := make([]float32, len(s.posts[i].Vector.q))
		for d := range v {
			v[d] = float32(s.posts[i].Vector.q[d]) + float32(s.posts[j].Vector.q[d]) + float32(20*rng.NormFloat64())
		}
		out[k] = Post{Key: int64(k), Text: fmt.Sprintf("%s %d", strings.Join(text, " "), rng.IntN(n)), Vector: NewVector(v)}
	}
	return out
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{50, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			posts := manyPosts(b, n)
			stop := heapPeak()
			start, runs := cpu(b), 0
			var themes int
			for b.Loop() {
				r, err := Find(context.Background(), posts, State{}, minter(0))
				if err != nil {
					b.Fatal(err)
				}
				themes = len(r.Themes)
				runs++
			}
			b.ReportMetric((cpu(b)-start)/float64(runs), "cpu-s/op")
			b.ReportMetric(stop(), "MB-heap")
			b.ReportMetric(float64(themes), "themes")
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	posts := manyPosts(b, 10_000)
	before := find(b, posts[:9_500], State{}, minter(0))
	start, runs := cpu(b), 0
	for b.Loop() {
		find(b, posts, before.State, minter(0))
		runs++
	}
	b.ReportMetric((cpu(b)-start)/float64(runs), "cpu-s/op")
}

func BenchmarkSearch(b *testing.B) {
	x := NewIndex()
	vs := randomVectors(1000, 384)
	for i := range 100_000 {
		if err := x.Add(int64(i), vs[i%len(vs)]); err != nil {
			b.Fatal(err)
		}
	}
	start, runs := cpu(b), 0
	for b.Loop() {
		x.Search(vs[7], 10, 0.3)
		runs++
	}
	b.ReportMetric((cpu(b)-start)/float64(runs)*1000, "cpu-ms/op")
}
