package app_test

import (
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// A post that waits for approval is not part of the site: the team approves or
// rejects it before anything else is done to it, and no listener hears of it.
func TestHeldPostWaits(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		ctx := t.Context()
		shown := o.Post("Exports time out")
		held := &feedback.Post{SiteID: o.Site, Title: "Exports are slow", Held: true}
		db := feedbacktest.OpenURL(t, o.url, o.clock.Now)
		var done feedback.Ref
		o.Do(func(tx *app.Tx) error {
			boards, err := tx.AllBoards(ctx)
			if err != nil {
				return err
			}
			held.BoardID = boards[0].ID
			statuses, err := tx.Statuses(ctx, feedback.Window{Limit: 50})
			for _, s := range statuses.Items {
				if s.DoneFlag {
					done = feedback.Ref(s.ID.String())
				}
			}
			return err
		})
		err := db.Write(ctx, func(tx *store.Tx) (err error) {
			held.ID, held.CreatedAt = feedback.PostID(tx.NextID()), tx.Now
			if held.AuthorID, err = tx.Visitor(ctx, o.Site, "visitor-2"); err != nil {
				return err
			}
			return tx.InsertPost(ctx, held, "")
		})
		if err != nil {
			t.Fatal(err)
		}
		events := len(feedbacktest.Rows(t, o.url, `SELECT id FROM events`))
		id := held.ID.String()
		for what, act := range map[string]func(*app.Tx) error{
			"status": func(tx *app.Tx) error {
				_, err := tx.ChangePostStatus(ctx, id, feedback.StatusChange{Status: &done})
				return err
			},
			"merge": func(tx *app.Tx) error {
				_, err := tx.MergePosts(ctx, id, feedback.NewMerge{Winner: feedback.Ref(shown)})
				return err
			},
			"merge into it": func(tx *app.Tx) error {
				_, err := tx.MergePosts(ctx, shown, feedback.NewMerge{Winner: feedback.Ref(id)})
				return err
			},
			"preview": func(tx *app.Tx) error {
				_, err := tx.MergePreview(ctx, id, shown)
				return err
			},
			"comment": func(tx *app.Tx) error {
				_, err := tx.CreateComment(ctx, id, feedback.NewComment{Body: "Thank you."})
				return err
			},
			"vote": func(tx *app.Tx) error {
				_, err := tx.Vote(ctx, id, feedback.NewVote{Visitor: "visitor-3"})
				return err
			},
			"run": func(tx *app.Tx) error {
				ref := feedback.Ref(id)
				_, err := tx.StartRun(ctx, feedback.NewRun{Site: feedback.Ref(o.Site.String()), Kind: "KIND_A", Post: &ref})
				return err
			},
		} {
			refused(t, what, o.Try(act), feedback.InvalidTransition, "waits for approval")
		}
		if n := len(feedbacktest.Rows(t, o.url, `SELECT id FROM events`)); n != events {
			t.Errorf("%d events; want %d as before", n, events)
		}
		o.sound()
		// The team sees it, and approved it is like any other.
		o.Do(func(tx *app.Tx) error {
			_, err := tx.PostContent(ctx, id)
			return err
		})
		o.Do(func(tx *app.Tx) error {
			_, err := tx.ReleasePost(ctx, id)
			return err
		})
		o.Do(func(tx *app.Tx) error {
			got, err := tx.MergePosts(ctx, id, feedback.NewMerge{Winner: feedback.Ref(shown)})
			if err == nil && got.Reason != "" {
				t.Errorf("refused: %s", got.Reason)
			}
			return err
		})
		o.sound()
	})
}
