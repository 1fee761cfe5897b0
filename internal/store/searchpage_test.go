package store_test

import (
	"fmt"
	"slices"
	"testing"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// TestSearchPagesInMotion walks a search while posts come and go: those that match all
// the time appear once, however many there are and on whichever side of
// [store.MaxRanked] the walk begins.
func TestSearchPagesInMotion(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		var site feedback.SiteID
		var next feedback.PostID
		write := func(fn func(*store.Tx) error) {
			t.Helper()
			if err := db.Write(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		// add posts that hold a word, in the title or the body.
		add := func(tx *store.Tx, n int, word string) (ids []feedback.PostID, err error) {
			for range n {
				next++
				p := &feedback.Post{ID: next, SiteID: site, BoardID: 1, AuthorID: 1, CreatedAt: tx.Now, Title: "Something else"}
				body := "and " + word
				if next%3 > 0 {
					p.Title, body = fmt.Sprintf("%s %d", word, next), ""
				}
				if err := tx.InsertPost(t.Context(), p, body); err != nil {
					return nil, err
				}
				ids = append(ids, next)
			}
			return ids, nil
		}
		const many = store.MaxRanked
		for i, c := range []struct {
			name         string
			whole, begun int // posts with the word, and with one that begins so
			onlyWhole    bool
			perPage      int // added between two pages
			gone         int // of the oldest, removed between two pages
			back         int // older ones that come back after the first page
		}{
			{name: "ranked", whole: 150, begun: 150, perPage: 7, gone: 2},
			{name: "ranked to the last", whole: many / 2, begun: many / 2, back: 5},
			{name: "ranked and growing over the border", whole: many / 2, begun: many / 2, perPage: 50},
			{name: "newest", whole: 10, begun: many, perPage: 7, gone: 2},
			{name: "newest and shrinking under the border", whole: 10, begun: many, gone: 60},
			{name: "complete", whole: many + 1, begun: 30, onlyWhole: true, perPage: 7, gone: 2},
			{name: "complete and shrinking under the border", whole: many + 1, onlyWhole: true, gone: 60},
		} {
			t.Run(c.name, func(t *testing.T) {
				site = feedback.SiteID(i + 1)
				var all, older, whole []feedback.PostID
				write(func(tx *store.Tx) error {
					if _, err := tx.InsertBoard(t.Context(), &feedback.Board{ID: 1, SiteID: site, Name: "B", Slug: "b"}); err != nil {
						return err
					}
					first, err := add(tx, 10, "hay") // the oldest stay
					if err != nil {
						return err
					}
					if older, err = add(tx, c.back, "hay"); err != nil {
						return err
					}
					for _, id := range older {
						if err := tx.UnindexPost(t.Context(), site, id); err != nil {
							return err
						}
					}
					begun, err := add(tx, c.begun, "haystack")
					if err != nil {
						return err
					}
					if whole, err = add(tx, c.whole-10, "hay"); err != nil {
						return err
					}
					whole = append(whole, first...)
					all = append(slices.Clone(whole), begun...)
					return nil
				})
				stay := map[feedback.PostID]bool{}
				for _, id := range all {
					stay[id] = true
				}
				if c.onlyWhole {
					clear(stay)
					for _, id := range whole {
						stay[id] = true
					}
				}
				removable := slices.Sorted(slices.Values(all))[10:]
				times := map[feedback.PostID]int{}
				var from store.SearchPosition
				for page := 0; ; page++ {
					var found []feedback.SearchResult
					var to *store.SearchPosition
					err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
						found, to, err = tx.Search(t.Context(), site, "hay", from, 97)
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range found {
						if times[r.PostID]++; times[r.PostID] > 1 {
							t.Errorf("%s appears twice", r.PostID)
						}
					}
					if to == nil {
						break
					}
					if len(found) != 97 || page > 100 {
						t.Fatalf("page %d has %d posts, and more follow", page, len(found))
					}
					from = *to
					write(func(tx *store.Tx) error {
						if _, err := add(tx, c.perPage, "hay"); err != nil {
							return err
						}
						for _, id := range removable[:min(c.gone, len(removable))] {
							delete(stay, id)
							if err := tx.UnindexPost(t.Context(), site, id); err != nil {
								return err
							}
						}
						for _, id := range older {
							if err := tx.IndexPost(t.Context(), site, id, "hay is back", ""); err != nil {
								return err
							}
						}
						return nil
					})
					removable, older = removable[min(c.gone, len(removable)):], nil
				}
				missing := 0
				for id := range stay {
					if times[id] == 0 {
						missing++
					}
				}
				if missing > 0 {
					t.Errorf("%d of %d posts that matched all the time did not appear", missing, len(stay))
				}
				if len(stay) < 10 {
					t.Errorf("only %d posts stayed", len(stay))
				}
			})
		}
	})
}
