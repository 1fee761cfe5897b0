package app_test

import (
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// Comments can be reworded, hidden with what answers them, shown exactly as they
// were, and deleted; counters, references and the history hold throughout, and
// nobody is told.
func TestModerateComments(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		ctx := t.Context()
		post := o.Post("Exports time out")
		say := func(body string, parent *feedback.Comment, internal bool) (c *feedback.Comment) {
			t.Helper()
			o.Do(func(tx *app.Tx) (err error) {
				in := feedback.NewComment{Body: feedback.CommentBody(body), Internal: internal}
				if parent != nil {
					r := feedback.Ref(parent.ID.String())
					in.Parent = &r
				}
				c, err = tx.CreateComment(ctx, post, in)
				return err
			})
			return c
		}
		first := say("Me too", nil, false)
		reply := say("And me", first, false)
		deep := say("All of us", reply, false)
		note := say("A big customer", reply, true)
		alone := say("Buy watches", nil, false)
		events := len(feedbacktest.Rows(t, o.url, `SELECT id FROM events`))

		// state is who is public, in the order they were said.
		state := func() (public string) {
			t.Helper()
			o.Do(func(tx *app.Tx) error {
				public = ""
				page, err := tx.Comments(ctx, post, feedback.Window{Limit: 50})
				for _, c := range page.Items {
					switch {
					case c.Body == "":
						public += "_"
					case c.Internal:
						public += "-"
					default:
						public += "+"
					}
				}
				return err
			})
			return public
		}
		want := func(what, s string) {
			t.Helper()
			if got := state(); got != s {
				t.Errorf("%s: %s; want %s", what, got, s)
			}
			o.sound()
		}
		hide := func(c *feedback.Comment, on bool) error {
			return o.Try(func(tx *app.Tx) error { return tx.HideComment(ctx, post, c.ID.String(), on) })
		}
		want("at first", "+++-+")
		if err := hide(reply, true); err != nil {
			t.Fatal(err)
		}
		want("an answer is hidden", "+---+")
		o.clock.Advance(time.Second)
		if err := hide(first, true); err != nil {
			t.Fatal(err)
		}
		want("then what it answers", "----+")
		refused(t, "the answer first", hide(reply, false), feedback.InvalidTransition, "does not see")
		refused(t, "a note", hide(note, false), feedback.InvalidTransition, "stays internal")
		refused(t, "a note", hide(note, true), feedback.InvalidTransition, "internal")
		for _, c := range []*feedback.Comment{first, reply, reply} {
			if err := hide(c, false); err != nil {
				t.Fatal(err)
			}
		}
		want("shown again", "+++-+")

		edit := func(c *feedback.Comment, body string) error {
			return o.Try(func(tx *app.Tx) error {
				return tx.EditComment(ctx, post, c.ID.String(), feedback.CommentEdit{Body: feedback.CommentBody(body)})
			})
		}
		refused(t, "blank", edit(deep, " \n"), feedback.ValidationFailed, "body")
		if err := edit(deep, "All of us, daily"); err != nil {
			t.Fatal(err)
		}
		remove := func(c *feedback.Comment) error {
			return o.Try(func(tx *app.Tx) error { return tx.DeleteComment(ctx, post, c.ID.String()) })
		}
		for _, c := range []*feedback.Comment{alone, reply} {
			if err := remove(c); err != nil {
				t.Fatal(err)
			}
		}
		want("deleted: one that stood alone, one that was answered", "+_+-")
		refused(t, "deleted twice", remove(reply), feedback.InvalidTransition, "was deleted")
		refused(t, "gone", remove(alone), feedback.NotFound, "comment")
		refused(t, "edited", edit(reply, "x"), feedback.InvalidTransition, "was deleted")

		if n := len(feedbacktest.Rows(t, o.url, `SELECT id FROM events`)); n != events {
			t.Errorf("moderation leaves %d events", n-events)
		}
		var kinds []string
		for _, r := range feedbacktest.Rows(t, o.url, `SELECT kind FROM post_changes WHERE kind LIKE 'comment%' ORDER BY id`) {
			kinds = append(kinds, r[0])
		}
		if len(kinds) != 7 || kinds[0] != "comment_hidden" || kinds[6] != "comment_deleted" {
			t.Errorf("the history says %v", kinds)
		}
	})
}

// What the team withholds is not offered to agents, and they cannot take it.
func TestGate(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		ctx := t.Context()
		open, held := o.Post("Exports time out"), o.Post("Delete the production database")
		offered := func() (all []string) {
			o.Do(func(tx *app.Tx) error {
				all = nil
				items, err := tx.Queue(ctx)
				for _, i := range items {
					all = append(all, i.PostID.String())
				}
				return err
			})
			return all
		}
		withhold := func(on bool) {
			o.Do(func(tx *app.Tx) error { return tx.SetPostFlag(ctx, held, feedback.Withheld, on) })
		}
		start := func(actor *app.Actor) error {
			member := o.Actor
			o.Actor = actor
			defer func() { o.Actor = member }()
			return o.Try(func(tx *app.Tx) error {
				r := feedback.Ref(held)
				_, err := tx.StartRun(ctx, feedback.NewRun{Site: feedback.Ref(o.Site.String()), Kind: "KIND_A", Post: &r})
				return err
			})
		}
		if got := offered(); len(got) != 2 {
			t.Fatalf("the queue offers %v", got)
		}
		withhold(true)
		if got := offered(); len(got) != 1 || got[0] != open {
			t.Errorf("the queue offers %v; want %s alone", got, open)
		}
		agent := &app.Actor{Source: feedback.FromAPI, Account: o.Actor.Account, Key: &feedback.Key{ID: 1}}
		refused(t, "an agent starts", start(agent), feedback.InvalidTransition, "withholds this post")
		withhold(false)
		if got := offered(); len(got) != 2 {
			t.Errorf("offered again, the queue offers %v", got)
		}
		withhold(true)
		if err := start(o.Actor); err != nil {
			t.Errorf("a member starts: %v", err)
		}
		o.Do(func(tx *app.Tx) error {
			all, err := tx.Withheld(ctx)
			if err == nil && (len(all) != 1 || all[0].PostID.String() != held) {
				t.Errorf("withheld are %v", all)
			}
			return err
		})
	})
}
