package insights

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever people write, every post is in at most one theme and what is shown
// of it can be stored and printed.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"", "a\na\na", "dark mode\ndark  mode\nDARK MODE", "\xff\x00\n\u202e\n👍\n👍", "ﷺ\nİ\nı\nŉ", "don't\ndon’t\n'''\n+#+#",
		strings.Repeat("x y z\n", 50), "ー\nーー\nาา", strings.Repeat("é", 3000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		var posts []Post
		for i, line := range strings.SplitN(input, "\n", 200) {
			p := Post{Key: int64(i), Text: line}
			if len(line) > 3 { // some posts have a vector, of sorts
				p.Vector = NewVector([]float32{float32(line[0]), float32(line[1]) - 100, float32(line[2]) - 50})
			}
			posts = append(posts, p)
		}
		first := find(t, posts, State{}, minter(0))
		again := find(t, posts, first.State, minter(1000))
		for _, r := range []*Result{first, again} {
			members := 0
			for _, th := range r.Themes {
				members += len(th.Members)
				for _, s := range []string{th.Label, th.Summary} {
					if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || s == "" {
						t.Errorf("%q cannot be shown", s)
					}
				}
			}
			for _, p := range r.Of {
				if p < -1 || p >= len(r.Themes) {
					t.Fatalf("theme %d of %d", p, len(r.Themes))
				}
				if p >= 0 {
					members--
				}
			}
			if members != 0 || len(r.Of) != len(posts) {
				t.Errorf("themes and posts disagree by %d", members)
			}
		}
	})
}
