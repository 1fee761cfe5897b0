package store_test

import (
	"fmt"
	"testing"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// Posts carry the names of their boards, statuses and tags, also on a site with so
// many that a list reads only some of them in passing.
func TestLabels(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		const site, many = feedback.SiteID(1), 300
		err := db.Write(ctx, func(tx *store.Tx) error {
			for i := 1; i <= many; i++ {
				b := &feedback.Board{ID: feedback.BoardID(i), SiteID: site, Name: fmt.Sprint("board ", i), Slug: fmt.Sprint("b", i)}
				if _, err := tx.InsertBoard(ctx, b); err != nil {
					return err
				}
				s := &feedback.Status{ID: feedback.StatusID(i), SiteID: site, Name: fmt.Sprint("status ", i), Color: "#112233", Notify: feedback.Silent}
				if _, err := tx.InsertStatus(ctx, s); err != nil {
					return err
				}
				if _, err := tx.InsertTag(ctx, site, &feedback.Tag{ID: feedback.TagID(i), Name: fmt.Sprint("tag ", i), Color: "#445566"}); err != nil {
					return err
				}
			}
			for i := 1; i <= many; i++ {
				p := &feedback.Post{ID: feedback.PostID(i), SiteID: site, BoardID: feedback.BoardID(i), AuthorID: 1, Title: "t", CreatedAt: tx.Now}
				if i%2 == 0 {
					p.StatusID = feedback.StatusID(i)
				}
				if err := tx.InsertPost(ctx, p, ""); err != nil {
					return err
				}
				for _, tag := range []int{i, many + 1 - i} {
					if _, err := tx.AddTag(ctx, site, p.ID, feedback.TagID(tag)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{1, 7, many} {
			err := db.Read(ctx, func(tx *store.Tx) error {
				posts, err := tx.Posts(ctx, site, 0, many+1, limit)
				if err != nil {
					return err
				}
				if len(posts) != limit {
					t.Errorf("%d posts; want %d", len(posts), limit)
				}
				for _, p := range posts {
					status := "none"
					if p.StatusName != nil {
						status = *p.StatusName
					}
					want := "none"
					if p.ID%2 == 0 {
						want = fmt.Sprint("status ", int64(p.ID))
					}
					if p.BoardName != fmt.Sprint("board ", int64(p.ID)) || status != want || len(p.Tags) != 2 {
						t.Fatalf("post %d is on %q with status %q and tags %v", int64(p.ID), p.BoardName, status, p.Tags)
					}
					for _, tag := range p.Tags {
						if n := int64(tag.ID); n != int64(p.ID) && n != many+1-int64(p.ID) || tag.Name != fmt.Sprint("tag ", n) || tag.Color != "#445566" {
							t.Fatalf("post %d has the tag %v", int64(p.ID), tag)
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
