package portal

import (
	"net/http"
	"net/url"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

func query(s string) string { return url.QueryEscape(s) }

// postPage is what the page of a post shows.
type postPage struct {
	*visit
	*app.PublicPage
	draft    draft // a comment that was not taken
	draftFor string
	flash    string // what has just happened, a key of a message
	done     string // the draft that is done with
}

// draft is what somebody typed and what is wrong with it.
type draft struct {
	title, body, name, board string
	preview                  bool
	problems                 feedback.Problems
	similar                  []feedback.PublicPost
}

func (v *visit) post(w http.ResponseWriter, r *http.Request) error {
	p, moved, err := v.loadPost(r)
	if err != nil {
		return err
	}
	if moved != "" {
		http.Redirect(w, r, moved, http.StatusFound) // a merge can be undone
		return nil
	}
	switch r.FormValue("done") {
	case "comment":
		p.done = draftKey(&p.Post, r.FormValue("reply"))
	case "post":
		p.done, p.flash = "post", "portal.posted"
	}
	return v.render(w, r, http.StatusOK, postView(p))
}

func (v *visit) loadPost(r *http.Request) (p *postPage, moved string, err error) {
	p = &postPage{visit: v}
	var part app.Part // anything else is the beginning
	_ = part.After.UnmarshalText([]byte(r.FormValue("after")))
	_ = part.Around.UnmarshalText([]byte(r.FormValue("at")))
	err = v.read(r, func(tx *app.Tx) error {
		page, to, err := tx.PublicPost(r.Context(), r.PathValue("post"), part)
		if to != 0 {
			moved = v.url("posts", to.String())
		}
		p.PublicPage = page
		return err
	})
	return p, moved, err
}

// vote casts or withdraws a vote.
func (v *visit) vote(w http.ResponseWriter, r *http.Request) error {
	if err := v.limit(r, "write", writeRate, ""); err != nil {
		return err
	}
	on := r.FormValue("vote") != "off"
	v.introduce(w)
	var post *feedback.PublicPost
	err := v.write(r, func(tx *app.Tx) (err error) {
		post, err = tx.CastVote(r.Context(), r.PathValue("post"), on)
		return err
	})
	if err != nil {
		return err
	}
	back := v.back(r, v.url("posts", r.PathValue("post")))
	if web.Partial(r) {
		w.Header().Set("Cache-Control", "no-store")
		if on && v.visitor == nil && !v.frame {
			web.Toast(w, v.locale.T("portal.voted.first"))
		}
		return v.render(w, r, http.StatusOK, web.VoteButton(v.voteOf(post, r.FormValue("size") == "small", back)))
	}
	return v.redirect(w, r, back)
}

// comment adds a comment.
func (v *visit) comment(w http.ResponseWriter, r *http.Request) error {
	d := draft{body: clean(r.FormValue("body")), name: r.FormValue("name"), preview: r.FormValue("preview") != ""}
	parent := r.FormValue("parent")
	if d.preview {
		return v.commentAgain(w, r, d, parent, http.StatusOK)
	}
	if err := v.limit(r, "write", writeRate, ""); err != nil {
		return err
	}
	in := app.Said{Name: feedback.VisitorName(strings.TrimSpace(d.name))}
	in.Body = feedback.CommentBody(d.body)
	if parent != "" {
		in.Parent = (*feedback.Ref)(&parent)
	}
	v.introduce(w)
	var c *feedback.Comment
	err := v.write(r, func(tx *app.Tx) (err error) {
		c, err = tx.AddComment(r.Context(), r.PathValue("post"), in)
		return err
	})
	if problems, ok := web.ProblemsOf(err); ok && err != nil && feedback.CodeOf(err) == feedback.ValidationFailed {
		d.problems = problems
		return v.commentAgain(w, r, d, parent, http.StatusUnprocessableEntity)
	}
	if err != nil {
		return err
	}
	return v.redirect(w, r, v.url("posts", r.PathValue("post"))+"?done=comment&reply="+query(parent)+"&at="+c.ID.String()+"#"+c.ID.String())
}

// commentAgain shows the post with a comment that was not taken yet.
func (v *visit) commentAgain(w http.ResponseWriter, r *http.Request, d draft, parent string, status int) error {
	p, moved, err := v.loadPost(r)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.redirect(w, r, moved)
	}
	p.draft, p.draftFor = d, parent
	return v.render(w, r, status, postView(p))
}

// clean undoes what forms do to line ends.
func clean(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// mute says whether the visitor wants mail about a post.
func (v *visit) mute(w http.ResponseWriter, r *http.Request) error {
	if err := v.limit(r, "write", writeRate, ""); err != nil {
		return err
	}
	err := v.write(r, func(tx *app.Tx) error {
		return tx.MutePost(r.Context(), r.PathValue("post"), r.FormValue("mute") == "on")
	})
	if err != nil {
		return err
	}
	return v.redirect(w, r, v.url("posts", r.PathValue("post")))
}

// preview shows what a text will look like.
func (v *visit) preview(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	return v.render(w, r, http.StatusOK, previewOf(fit(clean(r.FormValue("body")), feedback.PostBody(""))))
}

// newPage is what the form for a post shows.
type newPage struct {
	*visit
	draft
}

func (v *visit) newPost(w http.ResponseWriter, r *http.Request) error {
	p := &newPage{visit: v, draft: draft{title: fit(r.FormValue("title"), feedback.PostTitle("")), name: v.name()}}
	if b := v.portal.BoardNamed(r.FormValue("board")); b != nil {
		p.draft.board = b.ID.String()
	}
	if len(v.portal.Boards) == 0 {
		return feedback.Missing("board", "any")
	}
	if !v.portal.Settings.Anonymous && !v.known() {
		return v.redirect(w, r, v.url("sign-in")+"?return="+query(v.url("posts", "new")))
	}
	if p.draft.title != "" { // of a search that found too little
		var err error
		if p.draft.similar, err = v.findSimilar(r, p.draft.title); err != nil {
			return err
		}
	}
	return v.render(w, r, http.StatusOK, newView(p))
}

// similar offers posts that may ask for the same.
func (v *visit) similar(w http.ResponseWriter, r *http.Request) error {
	title := fit(strings.TrimSpace(r.FormValue("title")), feedback.PostTitle(""))
	found, err := v.findSimilar(r, title)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return v.render(w, r, http.StatusOK, similarList(v, found, title != ""))
}

func (v *visit) findSimilar(r *http.Request, title string) (found []feedback.PublicPost, err error) {
	err = v.read(r, func(tx *app.Tx) error {
		found, err = tx.Similar(r.Context(), title, 4)
		return err
	})
	return found, err
}

// createPost takes a post. Without JavaScript nobody has been shown similar
// posts while typing: then they are shown once before the post is taken.
func (v *visit) createPost(w http.ResponseWriter, r *http.Request) error {
	d := draft{
		title: strings.TrimSpace(r.FormValue("title")), body: clean(r.FormValue("body")), name: strings.TrimSpace(r.FormValue("name")),
		board: r.FormValue("boardId"), preview: r.FormValue("preview") != "",
	}
	again := func(status int) error { return v.render(w, r, status, newView(&newPage{v, d})) }
	if d.preview {
		return again(http.StatusOK)
	}
	if r.FormValue("seen") == "" && d.title != "" {
		var err error
		if d.similar, err = v.findSimilar(r, fit(d.title, feedback.PostTitle(""))); err != nil {
			return err
		}
		if len(d.similar) > 0 {
			return again(http.StatusOK)
		}
	}
	if err := v.limit(r, "write", writeRate, ""); err != nil {
		return err
	}
	if err := v.limit(r, "post", postRate, ""); err != nil {
		return err
	}
	in := app.Idea{Name: feedback.VisitorName(d.name)}
	in.Board, in.Title, in.Body = feedback.Ref(d.board), feedback.PostTitle(d.title), feedback.PostBody(d.body)
	v.introduce(w)
	var post *feedback.Post
	err := v.write(r, func(tx *app.Tx) (err error) {
		post, err = tx.Share(r.Context(), in)
		return err
	})
	if problems, ok := web.ProblemsOf(err); ok && err != nil {
		d.problems = problems
		return again(http.StatusUnprocessableEntity)
	}
	if err != nil {
		return err
	}
	if post.Held {
		return v.redirect(w, r, v.url("me")+"?done=held")
	}
	return v.redirect(w, r, v.url("posts", post.ID.String())+"?done=post")
}

// draftKey names what somebody types below a post, or below a comment on it.
func draftKey(p *feedback.PublicPost, parent string) string {
	return "comment-" + p.ID.String() + parent
}

// commentURL is where a comment stands, however long the talk is.
func (v *visit) commentURL(p feedback.PostID, c feedback.CommentID) string {
	return v.url("posts", p.String()) + "?at=" + c.String() + "#" + c.String()
}

// remark is a comment and what it answers, if that is not plain from where it
// stands.
type remark struct {
	feedback.PublicComment
	to      *feedback.PublicComment // nil: nothing, or what it stands below
	earlier bool                    // what it answers stands on an earlier page
}

// thread is a comment with its answers.
type thread struct {
	remark
	replies []remark
}

// threads puts answers below what they answer. An answer to an answer stands
// beside it, and says whom it answers: deeper than two, nobody can follow on a
// phone.
func threads(all []feedback.PublicComment) []thread {
	var out []thread
	top, seen := map[feedback.CommentID]int{}, map[feedback.CommentID]*feedback.PublicComment{}
	for n, c := range all {
		seen[c.ID] = &all[n]
		i, ok := top[c.ParentID]
		if c.ParentID == 0 || !ok {
			top[c.ID] = len(out)
			out = append(out, thread{remark: remark{PublicComment: c, earlier: c.ParentID != 0}})
			continue
		}
		top[c.ID] = i
		r := remark{PublicComment: c}
		if c.ParentID != out[i].ID {
			r.to = seen[c.ParentID]
		}
		out[i].replies = append(out[i].replies, r)
	}
	return out
}

// author is what the author of a comment is called.
func (v *visit) author(c *feedback.PublicComment) string {
	switch {
	case c.Author != "":
		return c.Author
	case c.AuthorType == feedback.ByMember:
		return v.portal.Site.Name
	}
	return v.locale.T("portal.someone")
}

// tones are the class and the icon of a step.
func toneClass(t feedback.Tone) string {
	return map[feedback.Tone]string{"DONE": "good", "BUILDING": "busy", "FAILED": "bad"}[t]
}

func toneIcon(t feedback.Tone) string {
	switch t {
	case "DONE":
		return "check"
	case "BUILDING":
		return "dots"
	}
	return "x"
}
