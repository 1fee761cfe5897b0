package store_test

import (
	"fmt"
	"strings"
	"testing"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// TestListCost: a page of a list of 100,000 posts costs the same with every
// filter, at its beginning and far down. On PostgreSQL the rows that were
// visited are counted; SQLite says by which index it goes, and that it sorts
// nothing but what the index has given.
func TestListCost(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 posts")
	}
	const posts, limit = 100_000, 51
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		if err := db.FillPosts(t.Context(), posts); err != nil {
			t.Fatal(err)
		}
		board, status, tag := feedback.BoardID(3), feedback.StatusID(2), feedback.TagID(1)
		for _, c := range []struct {
			name, index string
			filter      store.PostFilter
		}{
			{"all", "posts_current", store.PostFilter{}},
			{"of the last days", "posts_current", store.PostFilter{FromID: posts - 1000}},
			{"by votes", "posts_votes", store.PostFilter{ByVotes: true}},
			{"by votes, of the last days", "posts_votes", store.PostFilter{ByVotes: true, FromID: posts / 2}},
			{"board", "posts_board_current", store.PostFilter{Board: board}},
			{"board by votes", "posts_votes", store.PostFilter{Board: board, ByVotes: true}},
			{"status", "posts_status", store.PostFilter{Status: status}},
			{"status by votes", "posts_status_votes", store.PostFilter{Status: status, ByVotes: true}},
			{"board and status", "posts_listed_newest", store.PostFilter{Board: board, Status: status}},
			{"board and status by votes", "posts_listed_top", store.PostFilter{Board: board, Status: status, ByVotes: true}},
			{"tag", "post_tags_tag", store.PostFilter{Tag: tag}},
			{"tag and board", "post_tags_tag", store.PostFilter{Tag: tag, Board: board}},
			{"tag and status", "post_tags_tag", store.PostFilter{Tag: tag, Status: status}},
			{"a board that nothing tagged is on", "post_tags_tag", store.PostFilter{Tag: tag, Board: 999}},
			{"archived", "posts_archived", store.PostFilter{Archived: true}},
			{"archived on a board", "posts_archived", store.PostFilter{Archived: true, Board: board}},
			{"archived with a tag", "post_tags_tag", store.PostFilter{Archived: true, Tag: tag}},
		} {
			for place, after := range map[string]int64{"first page": 1 << 62, "far down": posts / 3} {
				t.Run(c.name+", "+place, func(t *testing.T) {
					f := c.filter
					f.AfterID, f.AfterVotes = after, after
					if place == "far down" {
						f.AfterVotes = 0 // the many without a vote
					}
					cost, err := db.ListCost(t.Context(), 1, f, limit)
					if err != nil {
						t.Fatal(err)
					}
					for i, plan := range cost.Plans {
						if i == 0 && db.Engine() == "sqlite" && !strings.Contains(plan, c.index) {
							t.Errorf("not found by %s:\n%s", c.index, plan)
						}
						if i == 1 && c.filter.Tag != 0 && db.Engine() == "sqlite" && !strings.Contains(plan, "INTEGER PRIMARY KEY") {
							t.Errorf("the posts with the tag are not looked up by their ids:\n%s", plan)
						}
						inner, _, _ := strings.Cut(plan, "SCAN p\n") // after that it looks at what it has
						if strings.Contains(inner, "SCAN posts") || strings.Contains(plan, "Seq Scan") || i == 0 && strings.Contains(inner, "TEMP B-TREE") {
							t.Errorf("reads every post, or sorts them:\n%s", plan)
						}
						if strings.Contains(plan, "post_tags_tag (site_id=? AND tag_id=?)") {
							t.Errorf("reads every post with the tag:\n%s", plan)
						}
					}
					// Each row is looked up once in the index and once in the
					// table, twice over: for the page, and for where it ended.
					if most := 4*store.ListDepth + 4*limit; cost.Rows > most {
						t.Errorf("visits %d rows; want at most %d:\n%s", cost.Rows, most, strings.Join(cost.Plans, "\n"))
					}
					if exact := len(cost.Plans) == 1; exact && cost.Rows > store.ListDepth {
						t.Errorf("visits %d rows for a page of %d:\n%s", cost.Rows, limit, cost.Plans[0])
					}
				})
			}
		}
		t.Run("every post is on one page", func(t *testing.T) { pageThrough(t, db) })
	})
}

// pageThrough goes through a list that has to look at more than a page holds, and
// sees that it misses nothing.
func pageThrough(t *testing.T, db *store.DB) {
	f := store.PostFilter{Tag: 2, Board: 6, AfterID: 1 << 62, AfterVotes: 1 << 62}
	seen := map[feedback.PostID]bool{}
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		for pages := 0; ; pages++ {
			if pages > 100 {
				return fmt.Errorf("no end after %d posts", len(seen))
			}
			posts, next, err := tx.FilteredPosts(t.Context(), 1, f, 51)
			if err != nil {
				return err
			}
			for _, p := range posts {
				if seen[p.ID] {
					t.Errorf("%s twice", p.ID)
				}
				seen[p.ID] = true
				next2 := feedback.Position{int64(p.VoteCount), int64(p.ID)}
				if len(posts) == 51 {
					next = next2
				}
			}
			if next == nil {
				return nil
			}
			f.AfterID = next[1]
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want, err := db.Number(t.Context(), `
		SELECT COUNT(*) FROM posts p JOIN post_tags t ON t.site_id = p.site_id AND t.post_id = p.id
		WHERE  p.site_id = 1 AND t.tag_id = 2 AND p.board_id = 6 AND NOT p.held AND NOT p.archived AND p.merged_into IS NULL`)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(seen)) != want || want == 0 {
		t.Errorf("the pages hold %d posts; want %d", len(seen), want)
	}
}
