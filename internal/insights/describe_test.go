package insights

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Don't use C++ or C#!", []string{"don't", "use", "c++", "or", "c#"}},
		{"  'quoted'  (twice)", []string{"quoted", "twice"}},
		{"暗いモード and more", []string{"暗い", "いモ", "モー", "ード", "and", "more"}},
		{"ok👍👍", []string{"ok", "👍", "👍"}},
		{"naïve café über", []string{"naïve", "café", "über"}},
		{"", nil},
	} {
		if got := words(c.text); !slices.Equal(got, c.want) {
			t.Errorf("words(%q) = %q; want %q", c.text, got, c.want)
		}
	}
}

func TestPhrases(t *testing.T) {
	for _, c := range []struct {
		text      string
		has, lack []string
	}{
		{"Why is my transfer still pending?", []string{"transfer pending", "transfer"}, []string{"is my transfer"}},
		{"My card isn't working", []string{"card not working"}, []string{"card working"}},
		{"open an account", []string{"open an account"}, []string{"open an"}},
		{"Top-up failed. Log in again", []string{"Top-up failed", "Log in"}, []string{"failed Log"}},
		{"設定を表示する", []string{"設定", "表示", "設定を表示"}, []string{"を表示", "表示す", "設"}},
		{"ダークモード", []string{"ダークモード"}, []string{"ダーク", "モード", "ダ"}},
		{"1234 56", nil, []string{"1234", "1234 56"}},
	} {
		var got []string
		phrases(c.text, stop, func(p phrase) { got = append(got, p.surface) })
		for _, w := range c.has {
			if !slices.Contains(got, w) {
				t.Errorf("phrases(%q) = %q; want %q among them", c.text, got, w)
			}
		}
		for _, w := range c.lack {
			if slices.Contains(got, w) {
				t.Errorf("phrases(%q) has %q", c.text, w)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	texts := []string{
		"Please add dark mode", "dark mode for the dashboard", "I need Dark mode at night", "dark mode!!",
		"Export invoices as CSV", "CSV export of invoices", "need a csv export", "CSV export please",
		"iPhone widget", "an iPhone widget would be great", "widget for iPhone", "iPhone widget please",
		"請求書をダウンロードできない", "請求書のダウンロード", "請求書がない",
	}
	members := [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14}}
	got, err := label(t.Context(), texts, texts, slices.Repeat([]int{1}, len(texts)), members, make([]Vector, len(members)))
	want := []string{"Dark mode", "CSV export", "iPhone widget", "請求書"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("labels = %q, %v; want %q", got, err, want)
	}
}

// Of phrases that are as common the one names a theme that means the same, and of
// those in bodies one that a title has, too.
func TestLabelsMean(t *testing.T) {
	posts := []Post{
		{Title: "Dark mode", Text: "Dark mode. Kind regards from Oslo, the white screen hurts at night"},
		{Title: "A dark mode", Text: "A dark mode. Kind regards from Oslo, black background please"},
		{Title: "dark mode!", Text: "dark mode! Kind regards from Oslo, my eyes are tired in the evening"},
	}
	var texts, titles []string
	for _, p := range posts {
		texts, titles = append(texts, p.Text), append(titles, p.Title)
	}
	about, err := Embed(t.Context(), []string{"a black theme for the eyes at night"})
	if err != nil {
		t.Fatal(err)
	}
	weight, members := []int{1, 1, 1}, [][]int{{0, 1, 2}}
	for name, c := range map[string]struct {
		titles  []string
		meaning Vector
	}{"by meaning": {texts, about[0]}, "by title": {titles, Vector{}}} {
		if got, err := label(t.Context(), texts, c.titles, weight, members, []Vector{c.meaning}); err != nil || !slices.Equal(got, []string{"Dark mode"}) {
			t.Errorf("label %s = %q, %v; want Dark mode", name, got, err)
		}
	}
	if got, _ := label(t.Context(), texts, texts, weight, members, []Vector{{}}); slices.Equal(got, []string{"Dark mode"}) {
		t.Errorf("without either the label is %q, too: the cases show nothing", got)
	}
}

func TestLabelsAreDistinct(t *testing.T) {
	s := sampleSet(t)
	seen := make(map[string]int64)
	for _, th := range find(t, s.posts, State{}, minter(0)).Themes {
		name := strings.ToLower(th.Label)
		if other, ok := seen[name]; ok {
			t.Errorf("themes %d and %d are both called %q", other, th.ID, th.Label)
		}
		seen[name] = th.ID
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"two\n  lines", "two lines"},
		{"one two three four five", "one two three four…"},
		{"a\x00b\u202e c\xff", "ab c"},
		{strings.Repeat("漢", 30), strings.Repeat("漢", 19) + "…"},
	} {
		if got := excerpt(c.text, 20); got != c.want {
			t.Errorf("excerpt(%q) = %q; want %q", c.text, got, c.want)
		}
	}
}

func TestSentimentOfThemes(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  Sentiment
	}{
		{"praise", []string{"I love the new editor", "The new editor is great", "Awesome editor, thank you!", "editor works beautifully"}, Positive},
		{"anger", []string{"The export is broken again", "Export crashes, terrible", "I hate how slow the export is", "export fails with an error"}, Negative},
		{"questions", []string{"Where is the export?", "How does the export work?", "export of posts", "Which export formats are there?"}, Unclear},
		{"too few", []string{"I love it", "I love it so much"}, Unclear},
		{"german", []string{"die App war so", "das war die beste", "die die war", "es war nicht die"}, Unclear},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &run{collection: collection{texts: c.texts, weight: slices.Repeat([]int{1}, len(c.texts))}}
			members := make([]int, len(c.texts))
			for i := range members {
				members[i] = i
			}
			if got := r.sentiment(members); got != c.want {
				t.Errorf("sentiment = %q; want %q", got, c.want)
			}
		})
	}
}
