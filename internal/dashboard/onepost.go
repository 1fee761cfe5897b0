package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// postView is the page of a post.
type postView struct {
	lists
	*app.PostPage
	MoreComments string
	List         string            // where it was opened from
	Next         bool              // that list has an order to go on in
	ReplyTo      *feedback.Comment // the comment that the form answers, nil for none
	replyName    string
	// What was typed, to be shown again.
	Comment, Note, NoteFor string
	Internal               bool
	NoteError              string
}

func (c *call) post() error { return c.showPost(http.StatusOK, postView{}) }

func (c *call) showPost(status int, v postView) error {
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.MaxLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.PostPage, err = tx.PostPage(c.ctx, c.r.PathValue("post"), w); err != nil {
			return err
		}
		v.lists, err = c.lists(tx)
		return err
	})
	if err != nil {
		return err
	}
	v.MoreComments = nextPage(c.r, v.Comments.Next)
	v.ReplyTo = v.commentNamed(cmp.Or(v.replyName, c.r.URL.Query().Get("reply")))
	v.List, v.Next = c.toList(), c.lastList().Get("q") == ""
	ch := c.chrome(v.Post.Title, "posts")
	v.colors(ch)
	return c.render(status, postPage(ch, v))
}

// public reports whether the portal shows the post to everybody.
func (v *postView) public() bool {
	return slices.ContainsFunc(v.Boards, v.Post.Public)
}

// thisPost is the address of the post of the request.
func (c *call) thisPost(parts ...string) string {
	return c.here(append([]string{"posts", c.r.PathValue("post")}, parts...)...)
}

func (c *call) changeStatus() error {
	v := postView{Note: c.form("note"), NoteFor: c.form("statusId")}
	var changed *feedback.StatusChanged
	err := c.change("post.status_changed", c.r.PathValue("post"), func(tx *app.Tx) (err error) {
		changed, err = tx.ChangePostStatus(c.ctx, c.r.PathValue("post"), feedback.StatusChange{
			Status: ref(v.NoteFor), Note: optional[feedback.Note](v.Note),
		})
		return err
	})
	if e, ok := asError(err); ok && e.Code == feedback.NoteRequired {
		v.NoteError = e.Msg
		return c.showPost(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	if changed.From == changed.To {
		return c.redirect(c.thisPost())
	}
	return c.done(c.thisPost(), "The status is changed.")
}

func (c *call) setFlag() error {
	flag, on := feedback.PostFlag(c.form("flag")), c.form("on") == "true"
	back := c.thisPost()
	if c.form("from") == "automation" {
		back = c.here("automation")
	}
	action := "post.changed"
	if flag.Check() == nil {
		action = "post." + flagKind(flag, on)
	}
	err := c.change(action, c.r.PathValue("post"), func(tx *app.Tx) error {
		return tx.SetPostFlag(c.ctx, c.r.PathValue("post"), flag, on)
	})
	if err != nil {
		return c.refused(back, err)
	}
	return c.done(back, "The post is "+flagText(flag, on)+".")
}

func (c *call) movePost() error {
	err := c.change("post.moved", c.r.PathValue("post"), func(tx *app.Tx) error {
		return tx.MovePost(c.ctx, c.r.PathValue("post"), feedback.Input{}, feedback.Ref(c.form("boardId")))
	})
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	return c.done(c.thisPost(), "The post is moved.")
}

// tagPost puts a tag on the post or takes it away; a name that no tag has makes
// one.
func (c *call) tagPost() error {
	on, tag, name := c.form("on") != "false", c.form("tagId"), strings.TrimSpace(c.form("name"))
	action := "post.tagged"
	if !on {
		action = "post.untagged"
	}
	err := c.change(action, c.r.PathValue("post"), func(tx *app.Tx) error {
		if tag == "" && name != "" {
			t, err := tx.TagNamed(c.ctx, feedback.TagName(name))
			if err != nil {
				return err
			}
			tag = t.ID.String()
		}
		return tx.TagPost(c.ctx, c.r.PathValue("post"), feedback.Input{}, feedback.Ref(tag), on)
	})
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	return c.redirect(c.thisPost())
}

// editView is the form to reword a post.
type editView struct {
	Post        *feedback.Post
	Title, Body string
}

func (c *call) editPost() error {
	var v editView
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Post, err = tx.Post(c.ctx, c.r.PathValue("post")); err != nil {
			return err
		}
		content, err := tx.PostContent(c.ctx, c.r.PathValue("post"))
		if err != nil {
			return err
		}
		v.Title, v.Body = v.Post.Title, content.Body
		return nil
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, editPostPage(c.chrome("Edit post", "posts"), v))
}

func (c *call) savePost() error {
	v := editView{Title: c.form("title"), Body: c.form("body")}
	err := c.change("post.edited", c.r.PathValue("post"), func(tx *app.Tx) error {
		return tx.EditPost(c.ctx, c.r.PathValue("post"), feedback.PostEdit{Title: feedback.PostTitle(v.Title), Body: feedback.PostBody(v.Body)})
	})
	if e, ok := asError(err); ok && e.Code == feedback.ValidationFailed && c.again(err) {
		err := c.read(func(tx *app.Tx) (err error) {
			v.Post, err = tx.Post(c.ctx, c.r.PathValue("post"))
			return err
		})
		if err != nil {
			return err
		}
		return c.render(http.StatusUnprocessableEntity, editPostPage(c.chrome("Edit post", "posts"), v))
	}
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	return c.done(c.thisPost(), "The post is changed.")
}

// votersView is who wants a post.
type votersView struct {
	Post   *feedback.Post
	Voters []feedback.Voter
	Next   string
}

func (c *call) voters() error {
	var v votersView
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.MaxLimit}
	err := c.read(func(tx *app.Tx) error {
		p, page, err := tx.Voters(c.ctx, c.r.PathValue("post"), w)
		v.Post, v.Voters, v.Next = p, page.Items, nextPage(c.r, page.Next)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, votersPage(c.chrome("Voters", "posts"), v))
}

func (c *call) vote() error {
	var res *feedback.VoteResult
	visitor := strings.TrimSpace(c.form("onBehalfVisitorId"))
	err := c.change("vote.added", c.r.PathValue("post"), func(tx *app.Tx) (err error) {
		res, err = tx.Vote(c.ctx, c.r.PathValue("post"), feedback.NewVote{Visitor: feedback.VisitorRef(visitor)})
		return err
	})
	if err != nil {
		return c.refused(c.thisPost(), err)
	}
	if !res.Created {
		return c.done(c.thisPost(), visitor+" has voted already.")
	}
	return c.done(c.thisPost(), "The vote of "+visitor+" is counted.")
}

// mergeView is what a merge would do, or the search for what to merge into.
type mergeView struct {
	lists
	Post    *feedback.Post
	Query   string
	Found   []feedback.Post
	Preview *feedback.MergePreview
}

func (c *call) mergePreview() error {
	q := c.r.URL.Query()
	v := mergeView{Query: strings.TrimSpace(q.Get("q"))}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Post, err = tx.Post(c.ctx, c.r.PathValue("post")); err != nil {
			return err
		}
		if v.Statuses, err = tx.AllStatuses(c.ctx); err != nil {
			return err
		}
		if into := q.Get("into"); into != "" {
			v.Preview, err = tx.MergePreview(c.ctx, c.r.PathValue("post"), into)
			return err
		}
		// Without words, what means something similar, or else what has the
		// words of the title.
		words := v.Query
		if words == "" {
			similar, err := tx.SimilarTo(c.ctx, v.Post.ID.String(), 10)
			if err != nil {
				return err
			}
			if len(similar) > 0 {
				v.Found, err = tx.FoundPosts(c.ctx, similar)
				return err
			}
			words = v.Post.Title
		}
		page, err := tx.Search(c.ctx, feedback.Search{
			Window: feedback.Window{Limit: 20}, Query: feedback.SearchQuery(words),
		})
		if err != nil {
			return err
		}
		v.Found, err = tx.FoundPosts(c.ctx, page.Items)
		v.Found = slices.DeleteFunc(v.Found, func(p feedback.Post) bool { return p.ID == v.Post.ID })
		return err
	})
	if err != nil {
		return err
	}
	ch := c.chrome("Merge", "posts")
	v.colors(ch)
	if v.Preview != nil {
		for _, t := range v.Preview.NewTags {
			ch.color(t.Color)
		}
	}
	return c.render(http.StatusOK, mergePage(ch, v))
}

func (c *call) merge() error {
	winner := c.form("winnerId")
	var res *feedback.MergeResult
	err := c.change("post.merged", c.r.PathValue("post")+" into "+winner, func(tx *app.Tx) (err error) {
		res, err = tx.MergePosts(c.ctx, c.r.PathValue("post"), feedback.NewMerge{Winner: feedback.Ref(winner)})
		return err
	})
	if err != nil {
		return c.refused(c.thisPost("merge"), err)
	}
	if res.Reason != "" {
		c.flash("bad", mergeReason(res.Reason))
		return c.redirect(c.thisPost("merge"))
	}
	return c.done(c.here("posts", res.Winner.String()), "The posts are merged. You can undo it below.")
}

// mergeReason says why a merge is refused.
func mergeReason(r feedback.MergeReason) string {
	switch r {
	case feedback.SamePost:
		return "A post cannot be merged into itself."
	case feedback.LoserMerged:
		return "This post was merged already."
	case feedback.WinnerMerged:
		return "The other post was itself merged into a third. Merge into that one."
	}
	return "The other post is archived. Restore it first."
}

func (c *call) undo() error {
	var a *feedback.Action
	err := c.change("merge.undone", c.r.PathValue("action"), func(tx *app.Tx) (err error) {
		a, err = tx.UndoAction(c.ctx, c.r.PathValue("action"), feedback.Input{})
		return err
	})
	if err != nil {
		return c.refused(c.here("posts"), err)
	}
	return c.done(c.here("posts", a.Loser.String()), "The merge is undone. Votes, comments and tags are back.")
}

// changeText says in words what happened to a post.
func changeText(h feedback.PostChange) string {
	switch h.Kind {
	case "status":
		switch {
		case h.To == "":
			return "cleared the status"
		case h.From == "":
			return "set the status to " + h.To
		}
		return "changed the status from " + h.From + " to " + h.To
	case "moved":
		return "moved it from " + h.From + " to " + h.To
	case "merged":
		return "merged it into " + h.To
	case "unmerged":
		return "took the merge into " + h.From + " back"
	case "tagged":
		return "added the tag " + h.To
	case "untagged":
		return "removed the tag " + h.From
	case "edited":
		return "edited the text"
	case "withheld":
		return "withheld it from agents"
	case "unwithheld":
		return "offered it to agents"
	case "unarchived":
		return "restored it"
	case "comment_edited":
		return "edited a comment"
	case "comment_hidden":
		return "hid a comment from the public"
	case "comment_shown":
		return "showed a hidden comment again"
	case "comment_deleted":
		return "deleted a comment"
	case "requeued":
		return "put it back into the queue"
	}
	return h.Kind + " it"
}

// changeActor says who did it.
func changeActor(h feedback.PostChange) string {
	switch {
	case h.ActorName != "" && h.ActorKind == "key":
		return "API key " + h.ActorName
	case h.ActorName != "":
		return h.ActorName
	case h.ActorKind == "member":
		return "A former member"
	case h.ActorKind == "system":
		return "Heed"
	}
	return "Somebody"
}
