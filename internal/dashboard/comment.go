package dashboard

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
)

// comment adds a comment of the team, or an answer to one.
func (c *call) comment() error {
	v := postView{Comment: c.form("body"), Internal: c.form("internal") == "on"}
	parent := c.form("parentId")
	err := c.change("comment.created", c.r.PathValue("post"), func(tx *app.Tx) error {
		_, err := tx.CreateComment(c.ctx, c.r.PathValue("post"), feedback.NewComment{
			Body: feedback.CommentBody(v.Comment), Parent: ref(parent), Internal: v.Internal,
		})
		return err
	})
	if e, ok := asError(err); ok && e.Code == feedback.ValidationFailed && c.again(err) {
		v.replyName = parent
		return c.showPost(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	return c.done(c.thisPost()+"#comments", "The comment is added.")
}

// commentNamed is a comment that the page shows, or nil.
func (v *postView) commentNamed(name string) *feedback.Comment {
	for i := range v.Comments.Items {
		if v.Comments.Items[i].ID.String() == name {
			return &v.Comments.Items[i]
		}
	}
	return nil
}

// commentView is the form to reword a comment.
type commentView struct {
	Post    *feedback.Post
	Comment *feedback.Comment
	Body    string
}

func (c *call) editComment() error { return c.showComment(http.StatusOK, "") }

// showComment shows the form with what was typed, or with what the comment says.
func (c *call) showComment(status int, typed string) error {
	v := commentView{Body: typed}
	err := c.read(func(tx *app.Tx) (err error) {
		v.Post, v.Comment, err = tx.Comment(c.ctx, c.r.PathValue("post"), c.r.PathValue("comment"))
		return err
	})
	if err != nil {
		return err
	}
	if status == http.StatusOK {
		v.Body = v.Comment.Body
	}
	return c.render(status, commentPage(c.chrome("Edit comment", "posts"), v))
}

// thisComment is the address of the comment of the request on the page of its
// post.
func (c *call) thisComment() string { return c.thisPost() + "#" + c.r.PathValue("comment") }

func (c *call) saveComment() error {
	post, comment, body := c.r.PathValue("post"), c.r.PathValue("comment"), c.form("body")
	err := c.change("comment.edited", comment+" on "+post, func(tx *app.Tx) error {
		return tx.EditComment(c.ctx, post, comment, feedback.CommentEdit{Body: feedback.CommentBody(body)})
	})
	if e, ok := asError(err); ok && e.Code == feedback.ValidationFailed && c.again(err) {
		return c.showComment(http.StatusUnprocessableEntity, body)
	}
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	return c.done(c.thisComment(), "The comment is changed.")
}

func (c *call) hideComment() error {
	post, comment, hide := c.r.PathValue("post"), c.r.PathValue("comment"), c.form("on") != "false"
	action, text := "comment.hidden", "The public does not see the comment any more, nor the answers to it."
	if !hide {
		action, text = "comment.shown", "The public sees the comment again."
	}
	err := c.change(action, comment+" on "+post, func(tx *app.Tx) error { return tx.HideComment(c.ctx, post, comment, hide) })
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	return c.done(c.thisComment(), text)
}

func (c *call) deleteComment() error {
	post, comment := c.r.PathValue("post"), c.r.PathValue("comment")
	err := c.change("comment.deleted", comment+" on "+post, func(tx *app.Tx) error { return tx.DeleteComment(c.ctx, post, comment) })
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	return c.done(c.thisPost()+"#comments", "The comment is deleted.")
}

// maxSimilar is how many likely duplicates the page of a post suggests.
const maxSimilar = 5

// similarPosts answers with the part of a post's page that suggests duplicates:
// searching for them takes longer than the rest of the page.
func (c *call) similarPosts() error {
	var p *feedback.Post
	var found []feedback.Post
	err := c.read(func(tx *app.Tx) (err error) {
		if p, err = tx.Post(c.ctx, c.r.PathValue("post")); err != nil {
			return err
		}
		similar, err := tx.SimilarTo(c.ctx, p.ID.String(), maxSimilar)
		if err != nil {
			return err
		}
		found, err = tx.FoundPosts(c.ctx, similar)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, similarList(c.part(), p, found))
}
