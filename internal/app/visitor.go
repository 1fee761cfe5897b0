package app

import (
	"context"
	"crypto/rand"
	"slices"

	"heed/internal/feedback"
	"heed/internal/wire"
)

// NewVisitorRef is what somebody who has never written will be known by.
func NewVisitorRef() feedback.VisitorRef {
	return feedback.VisitorRef(feedback.AnonymousRef + rand.Text())
}

// writer returns the visitor who writes, made if they never did, or an error if
// the site wants them to sign in or does not want them at all.
func (tx *Tx) writer(ctx context.Context) (*feedback.Visitor, error) {
	var v *feedback.Visitor
	var err error
	if tx.actor.Visitor != 0 {
		v, err = tx.s.VisitorByID(ctx, tx.site.ID, tx.actor.Visitor)
	} else if tx.actor.VisitorRef != "" {
		v, err = tx.s.VisitorByRef(ctx, tx.site.ID, tx.actor.VisitorRef)
	}
	if err != nil {
		return nil, err
	}
	if !v.Known() && !tx.actor.portal.Settings.Anonymous {
		return nil, feedback.ErrSignInRequired()
	}
	if v == nil {
		if tx.actor.VisitorRef == "" {
			return nil, feedback.ErrSignInRequired()
		}
		id, err := tx.s.Visitor(ctx, tx.site.ID, tx.actor.VisitorRef)
		if err != nil {
			return nil, err
		}
		if v, err = tx.s.VisitorByID(ctx, tx.site.ID, id); err != nil {
			return nil, err
		}
	}
	blocked, err := tx.s.Blocked(ctx, tx.site.ID, v.ID, v.Email)
	if err != nil {
		return nil, err
	}
	if blocked {
		return nil, feedback.ErrBlocked()
	}
	tx.actor.Visitor = v.ID
	return v, nil
}

// CastVote casts or withdraws the visitor's vote and returns the post as it is
// then. Both may be repeated.
func (tx *Tx) CastVote(ctx context.Context, post string, on bool) (*feedback.PublicPost, error) {
	p, err := tx.lockPublic(ctx, post)
	if err != nil {
		return nil, err
	}
	v, err := tx.writer(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.TakesReactions(); err != nil {
		return nil, err
	}
	if on {
		_, _, err = tx.s.AddVote(ctx, tx.site.ID, p.ID, v.ID)
	} else {
		_, _, err = tx.s.TakeVote(ctx, tx.site.ID, p.ID, v.ID)
	}
	if err != nil {
		return nil, err
	}
	now, _, err := tx.publicPost(ctx, p.ID.String())
	return now, err
}

// lockPublic finds a post that the public sees and keeps it from changing until
// the operation is over.
func (tx *Tx) lockPublic(ctx context.Context, post string) (*feedback.Post, error) {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return nil, err
	}
	if p.Held || p.Archived && p.MergedInto == 0 || tx.actor.portal.Board(p.BoardID) == nil {
		return nil, feedback.Missing("post", post)
	}
	return p, nil
}

// Said is something a visitor writes: who they want to be called goes with it.
type Said struct {
	feedback.NewComment
	Name feedback.VisitorName
}

// AddComment adds a visitor's comment to a post.
func (tx *Tx) AddComment(ctx context.Context, post string, in Said) (*feedback.Comment, error) {
	p, err := tx.lockPublic(ctx, post)
	if err != nil {
		return nil, err
	}
	in.Internal = false
	var parent *feedback.Comment
	if in.Parent != nil {
		parent, err = find("parentId", "comment", string(*in.Parent), func(id feedback.CommentID) (*feedback.Comment, error) {
			return tx.s.Comment(ctx, tx.site.ID, p.ID, id)
		})
		if err == nil && parent.Internal {
			err = feedback.MissingIn("parentId", "comment", string(*in.Parent))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := checkSaid(in.NewComment.Check(parent), "name", in.Name, feedback.Blank(string(in.Body)), "body"); err != nil {
		return nil, err
	}
	v, err := tx.writer(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.TakesReactions(); err != nil {
		return nil, err
	}
	if err := tx.rename(ctx, v, in.Name); err != nil {
		return nil, err
	}
	c := &feedback.Comment{
		ID: feedback.CommentID(tx.s.NextID()), SiteID: tx.site.ID, PostID: p.ID, Body: string(in.Body),
		AuthorType: feedback.ByVisitor, VisitorID: v.ID, CreatedAt: tx.s.Now,
	}
	if parent != nil {
		c.ParentID = parent.ID
	}
	if err := tx.s.InsertComment(ctx, c); err != nil {
		return nil, err
	}
	if err := tx.notify(ctx, feedback.Notice{Kind: feedback.NoticeComment, PostID: p.ID, CommentID: c.ID}); err != nil {
		return nil, err
	}
	return c, emit(ctx, tx, feedback.CommentCreated, wire.CommentCreated{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), Comment: wire.CommentOf(c), PostID: p.ID, PostTitle: p.Title,
	})
}

// checkSaid adds to the problems of an input those of the name, and that a text
// of nothing but white space is none.
func checkSaid(err error, nameField string, name feedback.VisitorName, blank bool, bodyField string) error {
	problems, ok := problemsOf(err)
	if err != nil && !ok {
		return err
	}
	if rule, msg := name.Rule().Broken(string(name)); rule != "" {
		problems.Add(nameField, rule, msg)
	}
	if blank {
		problems.Add(bodyField, feedback.RuleBlank, "must not be only white space")
	}
	return problems.Err()
}

func problemsOf(err error) (feedback.Problems, bool) {
	if e, ok := err.(*feedback.Error); ok {
		p, ok := e.Details["fields"].(feedback.Problems)
		return p, ok
	}
	return nil, err == nil
}

// Idea is a post that a visitor writes.
type Idea struct {
	feedback.NewPost
	Name feedback.VisitorName
}

// Share adds a visitor's post to a public board, with their vote. On a site that
// moderates, the post waits for approval: it is nowhere until then, and nobody
// is told.
func (tx *Tx) Share(ctx context.Context, in Idea) (*feedback.Post, error) {
	board := (*feedback.Board)(nil)
	if in.Board != "" {
		b, err := find("boardId", "board", string(in.Board), func(id feedback.BoardID) (*feedback.Board, error) {
			return tx.actor.portal.Board(id), nil
		})
		if err != nil {
			return nil, err
		}
		board = b
	}
	in.Visitor = "checked below"
	if err := checkSaid(in.NewPost.Check(), "name", in.Name, false, ""); err != nil {
		return nil, err
	}
	v, err := tx.writer(ctx)
	if err != nil {
		return nil, err
	}
	if err := tx.rename(ctx, v, in.Name); err != nil {
		return nil, err
	}
	status, err := tx.s.DefaultStatus(ctx, tx.site.ID)
	if err != nil {
		return nil, err
	}
	p := &feedback.Post{
		ID: feedback.PostID(tx.s.NextID()), SiteID: tx.site.ID, BoardID: board.ID, BoardName: board.Name,
		Title: string(in.Title), AuthorID: v.ID, CreatedAt: tx.s.Now, Held: tx.actor.portal.Settings.Moderation,
	}
	if status != nil {
		p.StatusID, p.StatusName = status.ID, &status.Name
	}
	if err := tx.s.InsertPost(ctx, p, string(in.Body)); err != nil {
		return nil, err
	}
	tx.newWords(p.ID) // of a held post they are read when it is released
	if _, p.VoteCount, err = tx.s.AddVote(ctx, tx.site.ID, p.ID, v.ID); err != nil || p.Held {
		return p, err
	}
	return p, tx.emitCreated(ctx, p, v.Ref)
}

func (tx *Tx) emitCreated(ctx context.Context, p *feedback.Post, author feedback.VisitorRef) error {
	return emit(ctx, tx, feedback.PostCreated, wire.PostCreated{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), Post: wire.PostOf(p), VisitorID: string(author), Source: tx.actor.Source,
	})
}

// rename gives a visitor the name they chose, if they chose one.
func (tx *Tx) rename(ctx context.Context, v *feedback.Visitor, name feedback.VisitorName) error {
	if feedback.Blank(string(name)) || string(name) == v.Name {
		return nil
	}
	v.Name = string(name)
	return tx.s.UpdateVisitor(ctx, v)
}

// MyFeedback is what a visitor has done on a site.
type MyFeedback struct {
	Visitor *feedback.Visitor // nil: has never written
	Posts   []feedback.PublicPost
	Held    []feedback.HeldPost
	Votes   []feedback.PublicPost
	// Comments are those that the public sees.
	Comments []MyComment
}

// MyComment is a comment of the visitor and what it is about.
type MyComment struct {
	feedback.Comment
	Post feedback.PublicPost
}

const maxMine = 100

// MyFeedback returns what the visitor wrote and voted for, newest first.
func (tx *Tx) MyFeedback(ctx context.Context) (*MyFeedback, error) {
	mine := &MyFeedback{}
	id := tx.actor.Visitor
	if id == 0 {
		return mine, nil
	}
	var err error
	if mine.Visitor, err = tx.s.VisitorByID(ctx, tx.site.ID, id); err != nil || mine.Visitor == nil {
		return mine, err
	}
	posts, err := tx.s.VisitorPosts(ctx, tx.site.ID, id, newest, maxMine)
	if err != nil {
		return nil, err
	}
	if mine.Posts, err = tx.publicPosts(ctx, posts); err != nil {
		return nil, err
	}
	if mine.Held, err = tx.s.VisitorHeld(ctx, tx.site.ID, id, maxMine); err != nil {
		return nil, err
	}
	votes, err := tx.s.VisitorVotes(ctx, tx.site.ID, id, newest, maxMine)
	if err != nil {
		return nil, err
	}
	if mine.Votes, err = tx.publicPosts(ctx, votes); err != nil {
		return nil, err
	}
	mine.Comments, err = tx.myComments(ctx, id)
	return mine, err
}

func (tx *Tx) myComments(ctx context.Context, id feedback.VisitorID) ([]MyComment, error) {
	said, err := tx.s.VisitorComments(ctx, tx.site.ID, id, newest, maxMine)
	if err != nil {
		return nil, err
	}
	var on []feedback.PostID
	for _, c := range said {
		on = append(on, c.PostID)
	}
	slices.Sort(on)
	posts, err := tx.publicPosts(ctx, slices.Compact(on))
	if err != nil {
		return nil, err
	}
	var out []MyComment
	for _, c := range said {
		if p := pick(posts, func(p *feedback.PublicPost) bool { return p.ID == c.PostID }); p != nil && !c.Internal && c.Body != "" {
			out = append(out, MyComment{c, *p})
		}
	}
	return out, nil
}

// Profile is what a visitor can change about themselves.
type Profile struct {
	Name   feedback.VisitorName
	Locale string
	Mail   feedback.MailWishes
}

// SetProfile changes what a visitor is called and which mail they want. Only who
// proved an address can be subscribed to anything.
func (tx *Tx) SetProfile(ctx context.Context, in Profile) error {
	var p feedback.Problems
	if rule, msg := in.Name.Rule().Broken(string(in.Name)); rule != "" {
		p.Add("name", rule, msg)
	}
	if err := p.Err(); err != nil {
		return err
	}
	v, err := tx.writer(ctx)
	if err != nil {
		return err
	}
	v.Name, v.Mail = string(in.Name), in.Mail
	if feedback.Blank(v.Name) {
		v.Name = ""
	}
	if in.Locale != "" {
		v.Locale = in.Locale
	}
	if !v.Known() {
		v.Mail.Subscribed = false
	}
	return tx.s.UpdateVisitor(ctx, v)
}

// MutePost says whether the visitor wants mail about a post.
func (tx *Tx) MutePost(ctx context.Context, post string, mute bool) error {
	p, err := tx.lockPublic(ctx, post)
	if err != nil {
		return err
	}
	v, err := tx.writer(ctx)
	if err != nil {
		return err
	}
	return tx.s.SetMute(ctx, tx.site.ID, p.ID, v.ID, mute)
}
