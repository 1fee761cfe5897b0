package dashboard

import (
	"net/http"
	"strconv"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// queueView is the page of posts that wait for approval.
type queueView struct {
	*app.HeldList
	Rejected bool // those that were turned down instead
	Next     string
}

func (c *call) queue() error {
	v := queueView{Rejected: c.r.URL.Query().Get("show") == "rejected"}
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		v.HeldList, err = tx.HeldPosts(c.ctx, v.Rejected, w)
		return err
	})
	if err != nil {
		return err
	}
	v.Next = nextPage(c.r, v.Page.Next)
	return c.render(http.StatusOK, queuePage(c.chrome("Approval", "queue"), v))
}

// judge approves, rejects or takes up again the posts that were ticked, or the
// one whose button was pressed. All of it is done, or none.
func (c *call) judge() error {
	back, one := c.here("queue"), c.form("one")
	if c.form("back") == "rejected" {
		back += "?show=rejected"
	}
	act, posts := c.form("act"), c.r.PostForm["post"]
	if one != "" {
		verb, post, _ := strings.Cut(one, ":")
		act, posts = verb, []string{post}
	}
	if c.form("back") == "post" && len(posts) == 1 {
		back = c.here("posts", posts[0])
	}
	if len(posts) == 0 {
		c.flash("bad", "No post is ticked. Tick some posts first.")
		return c.redirect(back)
	}
	if len(posts) > feedback.MaxLimit {
		posts = posts[:feedback.MaxLimit]
	}
	each, action, done := c.judgement(act)
	if each == nil {
		c.flash("bad", "Choose whether to approve or to reject.")
		return c.redirect(back)
	}
	err := c.change("posts."+action, strings.Join(posts, " "), func(tx *app.Tx) error {
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
	what := "The post is "
	if len(posts) > 1 {
		what = strconv.Itoa(len(posts)) + " posts are "
	}
	return c.done(back, what+done)
}

// judgement is what to do to each post, what it is called in the record, and how
// to say that it is done.
func (c *call) judgement(act string) (each func(*app.Tx, string) error, action, done string) {
	switch act {
	case "approve":
		return func(tx *app.Tx, p string) error {
			_, err := tx.ReleasePost(c.ctx, p)
			return err
		}, "approved", "approved and in the portal."
	case "reject":
		return func(tx *app.Tx, p string) error {
			return tx.RejectPost(c.ctx, p, feedback.Note(c.form("reason")))
		}, "rejected", "rejected. You find it under Rejected, should you change your mind."
	case "requeue":
		return func(tx *app.Tx, p string) error { return tx.RequeuePost(c.ctx, p) }, "requeued", "waiting again."
	}
	return nil, "", ""
}
