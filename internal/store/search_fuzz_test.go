package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// FuzzSearch holds that no text makes the index or a search fail, and that a
// post is found by its own title.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{
		"Dark mode", "E-mail digest", "CSV検索機能をExportする", "x検y", "x検索y", "한국어abc지원", "a-b-c-d", "don't", "''''", `"(OR*`, "Łódź straße ﷺ",
		"नमस्ते", "ไทยabc", "\u0301", "e\u0301\u0301", "𝔘𝔫𝔦", "½ ²", "٣٤", "検\u3099索", "か\u3099く", "ｶﾞｷﾞ", strings.Repeat("検索", 100), strings.Repeat("a-", 99),
		strings.Repeat("x", 200), "A\u00adB", "İ", "ŉ", "ǆ", "a\u200db", "क्षab", "東京-大阪", "東京-abc", "abc-東京", "①②", "㌀", "\U0001F600",
	} {
		f.Add(s, s)
	}
	f.Add("title", "body")
	var dbs []*store.DB
	for _, engine := range []string{"sqlite", "postgres"} {
		dbs = append(dbs, feedbacktest.OpenDB(f, engine))
	}
	const site, board, post = feedback.SiteID(1), feedback.BoardID(2), feedback.PostID(3)
	ctx := context.Background()
	for _, db := range dbs {
		err := db.Write(ctx, func(tx *store.Tx) error {
			if _, err := tx.InsertBoard(ctx, &feedback.Board{ID: board, SiteID: site, Name: "B", Slug: "b"}); err != nil {
				return err
			}
			return tx.InsertPost(ctx, &feedback.Post{ID: post, SiteID: site, BoardID: board, AuthorID: 4, Title: "t", CreatedAt: tx.Now}, "")
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, title, query string) {
		if !utf8.ValidString(title) || !utf8.ValidString(query) {
			return
		}
		for _, db := range dbs {
			var own, other []feedback.SearchResult
			err := db.Write(ctx, func(tx *store.Tx) (err error) {
				if err := tx.IndexPost(ctx, site, post, title, query); err != nil {
					return err
				}
				if own, _, err = tx.Search(ctx, site, title, store.SearchPosition{}, 10); err != nil {
					return err
				}
				other, _, err = tx.Search(ctx, site, query, store.SearchPosition{}, 10)
				return err
			})
			if err != nil {
				t.Fatalf("%q, %q: %v", title, query, err)
			}
			found := func(all []feedback.SearchResult) bool {
				return slices.ContainsFunc(all, func(r feedback.SearchResult) bool { return r.PostID == post })
			}
			if store.Findable(title) != found(own) {
				t.Errorf("embedded %v: the title %q is not found by itself", db.Embedded(), title)
			}
			if store.Findable(query) != found(other) {
				t.Errorf("embedded %v: the body %q is not found by itself", db.Embedded(), query)
			}
		}
	})
}
