package prose_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"heed/internal/prose"
)

func TestSameSeedSameTexts(t *testing.T) {
	a, b, other := prose.New(1), prose.New(1), prose.New(2)
	differ := false
	for range 100 {
		at, ab, _ := a.Post(prose.Feature)
		bt, bb, _ := b.Post(prose.Feature)
		if at != bt || ab != bb || a.Comment() != b.Comment() {
			t.Fatalf("seed 1 wrote %q and %q", at, bt)
		}
		ot, _, _ := other.Post(prose.Feature)
		other.Comment()
		differ = differ || ot != at
	}
	if !differ {
		t.Error("seeds 1 and 2 wrote the same hundred titles")
	}
}

// A site of a thousand posts must not look as if one person had written it.
func TestVariety(t *testing.T) {
	w := prose.New(7)
	titles := map[string]bool{}
	for i := range 1000 {
		title, _, _ := w.Post(prose.Kind(i % 2))
		titles[title] = true
	}
	if len(titles) < 950 {
		t.Errorf("%d different titles in 1000; want at least 950", len(titles))
	}
}

func TestTextsAreWhole(t *testing.T) {
	w := prose.New(3)
	known := map[string]bool{}
	for _, tag := range prose.Tags() {
		known[tag] = true
	}
	for i := range 20_000 {
		title, body, tags := w.Post(prose.Kind(i % 2))
		name, email := w.Person()
		for _, s := range []string{title, body, w.Comment(), w.Reply(), w.Official(), w.Internal(), name, email} {
			if strings.ContainsAny(s, "{}") || strings.Contains(s, "  ") || !utf8.ValidString(s) {
				t.Fatalf("unfinished text %q", s)
			}
		}
		if n := utf8.RuneCountInString(title); n < 8 || n > 200 {
			t.Fatalf("title %q has %d characters", title, n)
		}
		for _, tag := range tags {
			if !known[tag] {
				t.Fatalf("tag %q is not in Tags()", tag)
			}
		}
		if !strings.HasSuffix(email, ".example") || strings.Count(email, "@") != 1 || strings.Contains(email, "..") {
			t.Fatalf("address %q of %q", email, name)
		}
	}
}

func BenchmarkPost(b *testing.B) {
	w := prose.New(1)
	for b.Loop() {
		w.Post(prose.Feature)
	}
}
