package app_test

import (
	"fmt"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
)

// Views are the member's own or the team's, have a name and a limit, and follow
// what they show when that is removed.
func TestViews(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		ctx := t.Context()
		var boards []feedback.Board
		var tag *feedback.Tag
		o.Do(func(tx *app.Tx) (err error) {
			if tag, err = tx.TagNamed(ctx, "mobile"); err != nil {
				return err
			}
			boards, err = tx.AllBoards(ctx)
			return err
		})
		ref := func(s string) *feedback.Ref { r := feedback.Ref(s); return &r }
		save := func(in feedback.NewView) (v *feedback.View, err error) {
			err = o.Try(func(tx *app.Tx) (err error) {
				v, err = tx.SaveView(ctx, in)
				return err
			})
			return v, err
		}
		list := func() (all []feedback.View) {
			o.Do(func(tx *app.Tx) (err error) {
				all, err = tx.Views(ctx)
				return err
			})
			return all
		}
		filter := feedback.PostFilter{Board: ref(boards[1].ID.String()), Tag: ref(tag.ID.String()), Days: 30, Query: "crash \"x\""}
		mine, err := save(feedback.NewView{Name: "Mobile bugs", Filter: filter})
		if err != nil {
			t.Fatal(err)
		}
		ours, err := save(feedback.NewView{Name: "Mobile bugs", Shared: true, Filter: feedback.PostFilter{Archived: true, ByVotes: true}})
		if err != nil {
			t.Fatal(err)
		}
		if all := list(); len(all) != 2 || *all[0].Filter.Board != *filter.Board || all[0].Filter.Query != filter.Query || !all[1].Filter.Archived || !all[1].Filter.ByVotes || all[1].Member != 0 {
			t.Errorf("the views are %+v", all)
		}

		_, err = save(feedback.NewView{Name: "Mobile bugs", Filter: filter})
		refused(t, "twice", err, feedback.NameTaken, "already a view")
		_, err = save(feedback.NewView{Name: " ", Filter: filter})
		refused(t, "blank", err, feedback.ValidationFailed, "name")
		_, err = save(feedback.NewView{Name: "Old", Filter: feedback.PostFilter{Days: 1 << 40}})
		refused(t, "days", err, feedback.ValidationFailed, "days")
		_, err = save(feedback.NewView{Name: "Foreign", Filter: feedback.PostFilter{Board: ref("brd_0000000000000")}})
		refused(t, "board", err, feedback.NotFound, "board")
		err = o.Try(func(tx *app.Tx) error { return tx.RenameView(ctx, mine.ID.String(), feedback.ViewEdit{Name: "Phones"}) })
		if err != nil || list()[0].Name != "Phones" {
			t.Errorf("renamed: %v, %v", list()[0].Name, err)
		}

		// A colleague sees the team's, and not mine.
		me := o.Actor
		colleague := *me
		colleague.Member = me.Member + 1
		o.Actor = &colleague
		if all := list(); len(all) != 1 || all[0].ID != ours.ID {
			t.Errorf("a colleague sees %+v", all)
		}
		err = o.Try(func(tx *app.Tx) error { return tx.DeleteView(ctx, mine.ID.String()) })
		refused(t, "a colleague deletes mine", err, feedback.NotFound, "view")
		o.Do(func(tx *app.Tx) error { return tx.DeleteView(ctx, ours.ID.String()) })
		o.Actor = me

		// What is removed leaves no view that shows nothing.
		o.Do(func(tx *app.Tx) error {
			if err := tx.RemoveBoard(ctx, boards[1].ID.String(), feedback.Removal{MoveTo: ref(boards[0].ID.String())}); err != nil {
				return err
			}
			return tx.RemoveTag(ctx, tag.ID.String())
		})
		if f := list()[0].Filter; *f.Board != feedback.Ref(boards[0].ID.String()) || f.Tag != nil || f.Days != 30 {
			t.Errorf("after the removal the view shows %+v", f)
		}
		for i := len(list()); i < feedback.MaxViews; i++ {
			if _, err := save(feedback.NewView{Name: feedback.ViewName(fmt.Sprint("View ", i))}); err != nil {
				t.Fatal(err)
			}
		}
		_, err = save(feedback.NewView{Name: "One more"})
		refused(t, "one more", err, feedback.LimitReached, "views already")
		if _, err := save(feedback.NewView{Name: "One more", Shared: true}); err != nil {
			t.Errorf("the team's first: %v", err)
		}
		o.sound()
	})
}

// A search narrows to the filter beside it, and pages to its end.
func TestFilteredSearch(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		ctx := t.Context()
		var boards []feedback.Board
		want := map[feedback.PostID]bool{}
		o.Do(func(tx *app.Tx) (err error) {
			if boards, err = tx.AllBoards(ctx); err != nil {
				return err
			}
			clear(want)
			for i := range 260 {
				b := boards[min(1, i%13)]
				p, err := tx.CreatePost(ctx, feedback.NewPost{Board: feedback.Ref(b.ID.String()), Title: "Crash on start", Visitor: "ada"})
				if err != nil {
					return err
				}
				if b.ID == boards[0].ID {
					want[p.ID] = true
				}
			}
			return nil
		})
		board := feedback.Ref(boards[0].ID.String())
		seen := map[feedback.PostID]bool{}
		o.Do(func(tx *app.Tx) error {
			clear(seen)
			w := feedback.Window{Limit: 20}
			for pages := 0; ; pages++ {
				page, err := tx.PostList(ctx, feedback.PostFilter{Board: &board, Query: "crash"}, w)
				if err != nil {
					return err
				}
				for _, p := range page.Items {
					if seen[p.ID] || p.BoardID != boards[0].ID {
						t.Errorf("%s twice, or on another board", p.ID)
					}
					seen[p.ID] = true
				}
				if w.After = page.Next; w.After == nil || pages > 20 {
					return nil
				}
			}
		})
		if len(seen) != len(want) {
			t.Errorf("found %d posts; want %d", len(seen), len(want))
		}
	})
}
