package insights

import (
	"fmt"
	"slices"
	"testing"
)

// majority returns the commonest class among posts.
func majority(s labelled, members []int64) string {
	count := make(map[string]int)
	best := ""
	for _, key := range members {
		c := s.classes[key]
		if count[c]++; count[c] > count[best] || count[c] == count[best] && c < best {
			best = c
		}
	}
	return best
}

// survivors checks a run against the one before: how many ids are still
// there, and that none of them means something else.
func survivors(t *testing.T, s labelled, before, after *Result) float64 {
	t.Helper()
	now := make(map[int64]Theme)
	for _, th := range after.Themes {
		if _, ok := now[th.ID]; ok {
			t.Errorf("two themes have id %d", th.ID)
		}
		now[th.ID] = th
	}
	kept := 0
	for _, old := range before.Themes {
		th, ok := now[old.ID]
		if !ok {
			continue
		}
		kept++
		if th.Minted {
			t.Errorf("theme %d says it is new", th.ID)
		}
		shared := 0
		for _, key := range old.Members {
			if slices.Contains(th.Members, key) {
				shared++
			}
		}
		if 2*shared < len(old.Members) && 2*shared < len(th.Members) {
			t.Errorf("theme %d (%s) has become %s: %d of %d posts are the same", old.ID, old.Label, th.Label, shared, len(old.Members))
		}
		if a, b := majority(s, old.Members), majority(s, th.Members); a != b && 2*shared < len(old.Members) {
			t.Errorf("theme %d was about %s and is about %s", old.ID, a, b)
		}
	}
	return float64(kept) / float64(len(before.Themes))
}

func TestIDsSurviveGrowth(t *testing.T) {
	s := sampleSet(t)
	for _, c := range []struct {
		percent int
		full    bool
		want    float64
	}{{5, false, 0.95}, {20, false, 0.95}, {40, true, 0.85}} {
		t.Run(fmt.Sprintf("%d percent", c.percent), func(t *testing.T) {
			n := len(s.posts) * 100 / (100 + c.percent)
			before := find(t, s.posts[:n], State{}, minter(0))
			after := find(t, s.posts, before.State, minter(1000))
			kept := survivors(t, s, before, after)
			precision, recall := pairs(after.Of, s.classes)
			t.Logf("%d of %d themes, %.0f %% of ids kept, full %v; precision %.3f recall %.3f", len(after.Themes), len(before.Themes), 100*kept, after.Full, precision, recall)
			if kept < c.want {
				t.Errorf("%.0f %% of ids survive; want %.0f %%", 100*kept, 100*c.want)
			}
			if after.Full != c.full {
				t.Errorf("Full = %v; want %v", after.Full, c.full)
			}
			if precision < 0.5 {
				t.Errorf("precision fell to %.3f", precision)
			}
		})
	}
}

func TestARunWithoutChangesChangesNothing(t *testing.T) {
	s := sampleSet(t)
	before := find(t, s.posts, State{}, minter(0))
	after := find(t, s.posts, before.State, func() int64 { t.Error("an id was minted"); return -1 })
	if survivors(t, s, before, after) != 1 {
		t.Error("ids were lost")
	}
	for i, p := range before.Of {
		if p >= 0 && before.Themes[p].ID != after.Themes[after.Of[i]].ID {
			t.Errorf("post %d moved from theme %d to %d", i, before.Themes[p].ID, after.Themes[after.Of[i]].ID)
		}
	}
}

func TestANewSubjectBecomesATheme(t *testing.T) {
	s := sampleSet(t)
	var old, fresh []Post
	const subject = "carry_on"
	for i, p := range s.posts {
		if s.classes[i] == subject {
			fresh = append(fresh, p)
		} else {
			old = append(old, p)
		}
	}
	before := find(t, old, State{}, minter(0))
	after := find(t, append(old, fresh...), before.State, minter(1000))
	if after.Full {
		t.Fatal("a handful of new posts led to a full clustering")
	}
	minted := 0
	for _, th := range after.Themes {
		if th.Minted && majority(s, th.Members) == subject {
			minted += len(th.Members)
		}
	}
	if 2*minted < len(fresh) {
		t.Errorf("%d of %d posts on %s are in a new theme; want most", minted, len(fresh), subject)
	}
}

func TestDeletedPostsLeaveNoTrace(t *testing.T) {
	s := sampleSet(t)
	before := find(t, s.posts, State{}, minter(0))
	gone := before.Themes[0]
	kept := slices.DeleteFunc(slices.Clone(s.posts), func(p Post) bool { return slices.Contains(gone.Members, p.Key) })
	after := find(t, kept, before.State, minter(1000))
	for _, th := range after.Themes {
		if th.ID == gone.ID {
			t.Errorf("theme %d outlived its posts", gone.ID)
		}
	}
}

// match is where splits and merges are decided.
func TestSplitsAndMerges(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, now []int
		want     []int64 // of each new theme; 0: a new id
	}{
		{"unchanged", []int{0, 0, 1, 1}, []int{0, 0, 1, 1}, []int64{100, 101}},
		{"the largest part keeps the id", []int{0, 0, 0, 0, 0}, []int{0, 0, 1, 1, 1}, []int64{0, 100}},
		{"the largest old theme gives it", []int{0, 0, 1, 1, 1}, []int{0, 0, 0, 0, 0}, []int64{101}},
		{"a minority does not take over", []int{0, 1, 1, 1, 1, 1}, []int{0, 0, 0, 1, 1, 1}, []int64{0, 101}},
		{"posts from outside do not count", []int{0, 0, outside, outside, outside}, []int{0, 0, 0, 0, 0}, []int64{100}},
		{"a theme of new posts is new", []int{outside, outside, 0}, []int{0, 0, 1}, []int64{0, 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := emptySpace(len(c.now), 16)
			weight := slices.Repeat([]int{1}, len(c.now))
			r := &run{collection: collection{weight: weight}, tally: s.tally(slices.Clone(c.now), weight)}
			r.match(c.old, State{Themes: []Known{{ID: 100}, {ID: 101}}})
			if !slices.Equal(r.id, c.want) {
				t.Errorf("ids = %v; want %v", r.id, c.want)
			}
		})
	}
}
