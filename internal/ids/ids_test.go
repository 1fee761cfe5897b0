package ids_test

import (
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/ids"
)

type postKind struct{}

func (postKind) Prefix() string { return "post" }

type postID = ids.ID[postKind]

func TestSpellingRoundTrips(t *testing.T) {
	for _, id := range []postID{1, 31, 32, 1 << 40, math.MaxInt64} {
		s := id.String()
		if len(s) != len("post_")+13 || !strings.HasPrefix(s, "post_") {
			t.Errorf("String(%d) = %q; want post_ and 13 characters", int64(id), s)
		}
		if got, err := ids.Parse[postKind](s); err != nil || got != id {
			t.Errorf("Parse(%q) = %d, %v; want %d", s, got, err, id)
		}
		b, err := json.Marshal(id)
		if err != nil || string(b) != `"`+s+`"` {
			t.Errorf("Marshal(%d) = %s, %v; want %q", int64(id), b, err, s)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := postID(1 << 50).String()
	for name, s := range map[string]string{
		"empty":          "",
		"no prefix":      good[5:],
		"other prefix":   "brd_" + good[5:],
		"no underscore":  "post-" + good[5:],
		"short":          good[:len(good)-1],
		"long":           good + "0",
		"upper case":     "post_" + strings.ToUpper("a"+good[6:]),
		"letter u":       "post_000000000000u",
		"beyond 63 bits": "post_8000000000000",
		"zero":           "post_0000000000000",
		"not ASCII":      "post_00000000000é",
		"space":          "post_000000000000 ",
	} {
		if id, err := ids.Parse[postKind](s); err == nil {
			t.Errorf("%s: Parse(%q) = %d; want an error", name, s, id)
		}
	}
}

func TestNextRisesWhateverTheClockDoes(t *testing.T) {
	var s ids.Source
	now := time.Date(2026, 11, 15, 1, 34, 10, 0, time.UTC)
	last := int64(0)
	for i := range 10_000 {
		at := now.Add(time.Duration(i%7-3) * time.Second) // back and forth
		id := s.Next(at)
		if id <= last {
			t.Fatalf("Next #%d = %d after %d; want a greater one", i, id, last)
		}
		last = id
	}
	var fresh ids.Source
	if got := postID(fresh.Next(now)).Time(); !got.Equal(now) {
		t.Errorf("Time = %v; want %v", got, now)
	}
}

func TestNextIsUniqueUnderRace(t *testing.T) {
	var s ids.Source
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 2000 {
				id := s.Next(time.UnixMilli(1_800_000_000_000))
				mu.Lock()
				if seen[id] {
					t.Errorf("Next gave %d twice", id)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func FuzzParse(f *testing.F) {
	f.Add("post_0c8e4w1a2b3d4")
	f.Add("post_8000000000000")
	f.Add("post_")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ids.Parse[postKind](s)
		if err != nil {
			return
		}
		if id <= 0 || id.String() != s {
			t.Errorf("Parse(%q) = %d, spelled %q; want one spelling of a positive id", s, int64(id), id)
		}
	})
}
