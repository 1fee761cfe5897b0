package store_test

import (
	"strings"
	"testing"

	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// TestPeoplePlans: lists of visitors, of posts that wait and of posts withheld are
// read from an index that holds no others, what visitors did and what the audit log
// names by their ids; SQLite also reads them in order. (PostgreSQL sorts
// where its statistics promise few.)
func TestPeoplePlans(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		all, err := db.PeoplePlans(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			for _, bad := range []string{"TEMP B-TREE", "Seq Scan on posts", "Seq Scan on visitor", "Seq Scan on votes", "Seq Scan on comments", "SCAN p\n", "SCAN w\n", "SCAN c\n", "SCAN s\n", "SCAN posts", "SCAN visitor"} {
				if !strings.Contains(p.Plan, p.Index) || strings.Contains(p.Plan, bad) {
					t.Errorf("%s are not read from %s alone (%s):\n%s", p.Name, p.Index, bad, p.Plan)
					break
				}
			}
		}
	})
}

// TestVisitorWordsAreRebuilt: who has a name is found after the words were lost,
// and after the migration that brought them.
func TestVisitorWordsAreRebuilt(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		if err := db.ForgetVisitorWords(t.Context()); err != nil {
			t.Fatal(err)
		}
		find := func(typed string, addresses bool) int {
			t.Helper()
			n := 0
			err := db.Read(t.Context(), func(tx *store.Tx) error {
				all, err := tx.FindVisitors(t.Context(), 1, typed, addresses)
				n = len(all)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := find("ada", true); n != 0 {
			t.Fatalf("%d found without words", n)
		}
		if err := db.Reindex(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for typed, want := range map[string]int{"ada": 1, "MORENO": 1, "ada@ex": 1, "ada example.com": 1, "oreno": 0, "crm-": 2, "Łukasz": 1, "lukasz": 1, "": 0, "\x00": 0, "\xff": 0} {
			if n := find(typed, true); n != want {
				t.Errorf("%q finds %d; want %d", typed, n, want)
			}
		}
		if n := find("example", false); n != 0 {
			t.Errorf("%d found by an address that must not be told", n)
		}
	})
}
