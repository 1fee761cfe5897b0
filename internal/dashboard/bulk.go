package dashboard

import (
	"fmt"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// bulk does one thing to all posts that were ticked. All of it is done, or none.
func (c *call) bulk() error {
	back := c.back("posts")
	posts := c.r.PostForm["post"]
	switch {
	case len(posts) == 0:
		c.flash("bad", "No post is ticked. Tick some posts first.")
		return c.redirect(back)
	case len(posts) > feedback.MaxLimit:
		c.flash("bad", fmt.Sprintf("%d posts are ticked. Tick at most %d at once.", len(posts), feedback.MaxLimit))
		return c.redirect(back)
	}
	act, arg, _ := strings.Cut(c.form("act"), ":")
	each, action := c.bulkAct(act, arg)
	if each == nil {
		c.flash("bad", "Choose what to do with the ticked posts.")
		return c.redirect(back)
	}
	err := c.change(action, strings.Join(posts, " "), func(tx *app.Tx) error {
		for _, p := range posts {
			if err := each(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return c.refused(back, err)
	}
	return c.done(back, plural(len(posts), "post")+" changed.")
}

// back is the list that a form was sent from, with its filters.
func (c *call) back(parts ...string) string {
	to := c.here(parts...)
	if q := c.form("back"); q != "" {
		to += "?" + q
	}
	return to
}

// bulkAct is what to do to each post, and what it is called in the record.
func (c *call) bulkAct(act, arg string) (each func(*app.Tx, string) error, action string) {
	switch act {
	case "set", "unset":
		flag, on := feedback.PostFlag(arg), act == "set"
		if flag.Check() != nil {
			return nil, ""
		}
		return func(tx *app.Tx, p string) error { return tx.SetPostFlag(c.ctx, p, flag, on) }, "posts." + flagKind(flag, on)
	case "status":
		in := feedback.StatusChange{Status: ref(arg), Note: optional[feedback.Note](c.form("note"))}
		return func(tx *app.Tx, p string) error {
			_, err := tx.ChangePostStatus(c.ctx, p, in)
			return err
		}, "posts.status_changed"
	case "move":
		return func(tx *app.Tx, p string) error {
			return tx.MovePost(c.ctx, p, feedback.Input{}, feedback.Ref(arg))
		}, "posts.moved"
	case "tag", "untag":
		return func(tx *app.Tx, p string) error {
			return tx.TagPost(c.ctx, p, feedback.Input{}, feedback.Ref(arg), act == "tag")
		}, "posts." + act + "ged"
	}
	return nil, ""
}

// flagKind names the setting of a flag in the record: pinned, unpinned.
func flagKind(f feedback.PostFlag, on bool) string {
	if on {
		return string(f)
	}
	return "un" + string(f)
}

// flagText says what the setting of a flag has made of a post.
func flagText(f feedback.PostFlag, on bool) string {
	switch {
	case f == feedback.Withheld && on:
		return "withheld from agents"
	case f == feedback.Withheld:
		return "offered to agents"
	case f == feedback.Archived && !on:
		return "restored"
	}
	return flagKind(f, on)
}
