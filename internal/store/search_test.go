package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/ids"
	"heed/internal/store"
)

// library is a site whose posts a test adds by title and body.
type library struct {
	t    *testing.T
	db   *store.DB
	site feedback.SiteID
	day  time.Time
}

func newLibrary(t *testing.T, db *store.DB) *library {
	t.Helper()
	a := feedbacktest.NewApp(t, db)
	o := feedbacktest.OpenAccount(t, a, "Library", feedback.Studio)
	return &library{t, db, o.Site.ID, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// add adds posts, each a day younger than the last, title and body in turn.
func (l *library) add(texts ...string) {
	l.t.Helper()
	ctx := l.t.Context()
	b := store.NewBatch(l.site)
	err := l.db.Write(ctx, func(tx *store.Tx) error {
		boards, err := tx.Boards(ctx, l.site, 0, 1)
		if err != nil {
			return err
		}
		author, err := tx.Visitor(ctx, l.site, "ada")
		if err != nil {
			return err
		}
		for i := 0; i < len(texts); i += 2 {
			l.day = l.day.Add(24 * time.Hour)
			b.AddPost(&feedback.Post{
				ID: feedback.PostID(ids.At(l.day)), SiteID: l.site, BoardID: boards[0].ID, AuthorID: author,
				Title: texts[i], CreatedAt: l.day,
			}, texts[i+1])
		}
		return tx.InsertBatch(ctx, b)
	})
	if err != nil {
		l.t.Fatalf("add posts: %v", err)
	}
}

// page searches for one page of titles.
func (l *library) page(query string, from store.SearchPosition, limit int) (titles []string, next *store.SearchPosition) {
	l.t.Helper()
	err := l.db.Read(l.t.Context(), func(tx *store.Tx) error {
		found, n, err := tx.Search(l.t.Context(), l.site, query, from, limit)
		for _, r := range found {
			titles = append(titles, r.Title)
		}
		next = n
		return err
	})
	if err != nil {
		l.t.Fatalf("Search(%q): %v", query, err)
	}
	return titles, next
}

func TestSearchFinds(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		l := newLibrary(t, db)
		l.add(
			"Dark mode", "My eyes hurt at night.",
			"Export to Excel", "A button for e-mail digests, and a CSV file.",
			"Thème sombre pour l'éditeur", "Déjà vu !",
			"日本語UIのカレンダー", "祝日を表示してください",
			"다크 모드 지원", "밤에 눈이 아파요",
			"Darker colours", "Or lighter ones; don't care.",
			"Q&A: \"quoted\" (title) * ^ : NOT", "C++ AND C# OR else",
			"🐝", "",
		)
		for query, want := range map[string][]string{
			"dark mode":        {"Dark mode"},
			"DARK":             {"Dark mode", "Darker colours"},
			"mode dark":        {"Dark mode"},
			"dar":              {"Darker colours", "Dark mode"}, // equal: the newest first
			"ark":              nil,
			"dark night":       {"Dark mode"},
			"eyes hu":          {"Dark mode"},
			"email":            {"Export to Excel"},
			"e-mail":           {"Export to Excel"},
			"e mail":           {"Export to Excel"},
			"e-ma":             {"Export to Excel"},
			"theme":            {"Thème sombre pour l'éditeur"},
			"DEJA VU":          {"Thème sombre pour l'éditeur"},
			"léditeur":         {"Thème sombre pour l'éditeur"},
			"l'éditeur":        {"Thème sombre pour l'éditeur"},
			"dont":             {"Darker colours"},
			"本語":               {"日本語UIのカレンダー"},
			"語":                {"日本語UIのカレンダー"},
			"日本語UI":            {"日本語UIのカレンダー"},
			"ui カレンダー":         {"日本語UIのカレンダー"},
			"祝日":               {"日本語UIのカレンダー"},
			"日語":               nil,
			"모드":               {"다크 모드 지원"},
			`"quoted" (title)`: {"Q&A: \"quoted\" (title) * ^ : NOT"},
			"c++ and c#":       {"Q&A: \"quoted\" (title) * ^ : NOT"},
			"NOT dark":         nil,
			"dark OR export":   nil,
			`" OR 1=1; --`:     nil,
			"title:dark":       nil,
			"'":                nil,
			"*":                nil,
			"🐝":                nil,
			"":                 nil,
		} {
			got, next := l.page(query, store.SearchPosition{}, 50)
			if diff := cmp.Diff(want, got); diff != "" || next != nil {
				t.Errorf("Search(%q) (-want +got), next %v:\n%s", query, next, diff)
			}
		}
		other := newLibrary(t, db)
		if got, _ := other.page("dark", store.SearchPosition{}, 50); got != nil {
			t.Errorf("another site finds %q", got)
		}
		other.add("Dark matter", "")
		if got, _ := other.page("dark", store.SearchPosition{}, 50); len(got) != 1 {
			t.Errorf("the other site finds %q; want its own post alone", got)
		}
	})
}

// read turns pages until the end, and has between called after the first.
func (l *library) read(query string, limit int, between func()) (all []string, mode int64) {
	l.t.Helper()
	for from, pages := (store.SearchPosition{}), 1; ; pages++ {
		titles, next := l.page(query, from, limit)
		all = append(all, titles...)
		if next == nil {
			if len(titles) == 0 && pages > 1 {
				l.t.Errorf("Search(%q): page %d is empty", query, pages)
			}
			return all, from.Mode
		}
		if len(titles) != limit {
			l.t.Errorf("Search(%q): page %d has %d results; want %d", query, pages, len(titles), limit)
		}
		if pages == 1 {
			between()
		}
		from = *next
	}
}

// Pages neither repeat nor skip what was there throughout, whether results are
// ranked or too many for that.
func TestSearchPages(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		for _, tc := range []struct {
			name  string
			posts int
			query string
		}{
			{"ranked", 60, "calendar week"},
			{"many", store.MaxRanked + 50, "calendar week"},
			{"many beginnings", store.MaxRanked + 50, "calendar wee"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				l := newLibrary(t, db)
				var texts []string
				for i := range tc.posts {
					title := fmt.Sprintf("Calendar week %d", i)
					if i%3 == 0 {
						title = fmt.Sprintf("Number %d", i) // says it in the body only
					}
					texts = append(texts, title, "The calendar of this week.")
				}
				l.add(texts...)
				got, mode := l.read(tc.query, 33, func() { l.add("Calendar week of later", "") })
				seen := map[string]int{}
				for _, title := range got {
					seen[title]++
				}
				for i := 0; i < len(texts); i += 2 {
					if seen[texts[i]] != 1 {
						t.Errorf("%q is found %d times; want once", texts[i], seen[texts[i]])
					}
				}
				if seen["Calendar week of later"] > 0 {
					t.Error("a page holds what came after the first")
				}
				if many := tc.posts > store.MaxRanked; many != (mode != 1) {
					t.Errorf("%d matches are answered in mode %d", tc.posts, mode)
				}
				if mode == 1 && (!strings.HasPrefix(got[0], "Calendar") || !strings.HasPrefix(got[len(got)-1], "Number")) {
					t.Errorf("the first is %q and the last %q; want those first that say it in their titles", got[0], got[len(got)-1])
				}
			})
		}
	})
}

// What can no longer be found leaves no hole in the pages.
func TestSearchPagesWithoutRemoved(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		l := newLibrary(t, db)
		var texts []string
		for i := range 20 {
			texts = append(texts, fmt.Sprintf("Board %d", i), "")
		}
		l.add(texts...)
		got, _ := l.read("board", 5, func() {
			exec(t, db, `UPDATE posts SET archived = TRUE WHERE title = 'Board 10'`)
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				id, err := db.Number(t.Context(), `SELECT id FROM posts WHERE title = 'Board 10'`)
				if err != nil {
					return err
				}
				return tx.UnindexPost(t.Context(), l.site, feedback.PostID(id))
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		if len(got) != 19 {
			t.Errorf("%d posts are found; want all but the one removed: %q", len(got), got)
		}
	})
}
