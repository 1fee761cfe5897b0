package app

import (
	"context"
	"time"

	"heed/internal/feedback"
	"heed/internal/wire"
)

// What the service keeps about a visitor: handed out, and taken away. A visitor
// asks for their own in the portal, and the team for anybody's in the dashboard;
// both do the same.

// Export is everything the service keeps about a visitor.
type Export struct {
	ID           string          `json:"id"`
	ExternalID   *string         `json:"externalId"` // by which the site's own programs know them
	Name         string          `json:"name"`
	Email        string          `json:"email"`
	Language     string          `json:"language"`
	CreatedAt    wire.Time       `json:"createdAt"`
	MailStatus   bool            `json:"mailAboutStatus"`
	MailReplies  bool            `json:"mailAboutReplies"`
	MailChanges  bool            `json:"mailAboutChangelog"`
	Subscribed   bool            `json:"subscribedToChangelog"`
	Posts        []ExportPost    `json:"posts"`
	Comments     []ExportComment `json:"comments"`
	VotedPostIDs []string        `json:"votedPostIds"`
}

// ExportPost is a post in an Export.
type ExportPost struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	CreatedAt wire.Time `json:"createdAt"`
}

// ExportComment is a comment in an Export.
type ExportComment struct {
	PostID    string    `json:"postId"`
	Body      string    `json:"body"`
	CreatedAt wire.Time `json:"createdAt"`
}

const maxExport = 100_000

// ExportMine returns everything the service keeps about the visitor who asks.
func (tx *Tx) ExportMine(ctx context.Context) (*Export, error) {
	v, err := tx.myself(ctx)
	if err != nil {
		return nil, err
	}
	return tx.export(ctx, v)
}

// ExportVisitor returns everything the service keeps about a visitor.
func (tx *Tx) ExportVisitor(ctx context.Context, visitor string) (*Export, error) {
	v, err := tx.visitor(ctx, visitor)
	if err != nil {
		return nil, err
	}
	return tx.export(ctx, v)
}

// myself is the visitor who acts.
func (tx *Tx) myself(ctx context.Context) (*feedback.Visitor, error) {
	v, err := tx.s.VisitorByID(ctx, tx.site.ID, tx.actor.Visitor)
	if err == nil && v == nil {
		err = feedback.ErrSignInRequired()
	}
	return v, err
}

func (tx *Tx) export(ctx context.Context, v *feedback.Visitor) (*Export, error) {
	out := &Export{
		ID: v.ID.String(), Name: v.Name, Email: v.Email, Language: v.Locale, CreatedAt: wire.At(v.CreatedAt),
		MailStatus: v.Mail.Status, MailReplies: v.Mail.Replies, MailChanges: v.Mail.Changelog, Subscribed: v.Mail.Subscribed,
		Posts: []ExportPost{}, Comments: []ExportComment{}, VotedPostIDs: []string{},
	}
	if !v.Ref.Ours() {
		ref := string(v.Ref)
		out.ExternalID = &ref
	}
	posts, err := tx.s.VisitorWriting(ctx, tx.site.ID, v.ID, maxExport)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		out.Posts = append(out.Posts, ExportPost{ID: p.ID.String(), Title: p.Title, Body: p.Body, CreatedAt: wire.At(p.CreatedAt)})
	}
	comments, err := tx.s.VisitorComments(ctx, tx.site.ID, v.ID, newest, maxExport)
	if err != nil {
		return nil, err
	}
	for _, c := range comments {
		out.Comments = append(out.Comments, ExportComment{PostID: c.PostID.String(), Body: c.Body, CreatedAt: wire.At(c.CreatedAt)})
	}
	votes, err := tx.s.VisitorVotes(ctx, tx.site.ID, v.ID, newest, maxExport)
	for _, id := range votes {
		out.VotedPostIDs = append(out.VotedPostIDs, id.String())
	}
	return out, err
}

// DeleteMine forgets the visitor who asks for it.
func (tx *Tx) DeleteMine(ctx context.Context) error {
	v, err := tx.myself(ctx)
	if err != nil {
		return err
	}
	return tx.forget(ctx, v)
}

// DeleteVisitor forgets a visitor. One that was deleted already is NOT_FOUND.
func (tx *Tx) DeleteVisitor(ctx context.Context, visitor string) error {
	v, err := tx.visitor(ctx, visitor)
	if err != nil {
		return err
	}
	return tx.forget(ctx, v)
}

// forget forgets a visitor: name, address and sessions go, votes are withdrawn,
// comments are emptied. A post that others voted for or talked about stays,
// without its author; any other is emptied too.
func (tx *Tx) forget(ctx context.Context, v *feedback.Visitor) error {
	votes, err := tx.s.VisitorVotes(ctx, tx.site.ID, v.ID, newest, maxExport)
	if err != nil {
		return err
	}
	for _, post := range votes {
		if _, _, err := tx.s.TakeVote(ctx, tx.site.ID, post, v.ID); err != nil {
			return err
		}
	}
	if err := tx.s.EmptyComments(ctx, tx.site.ID, v.ID); err != nil {
		return err
	}
	posts, err := tx.s.VisitorPosts(ctx, tx.site.ID, v.ID, newest, maxExport)
	if err != nil {
		return err
	}
	for _, post := range posts {
		others, err := tx.s.OthersOn(ctx, tx.site.ID, post, v.ID)
		if err != nil {
			return err
		}
		if others {
			continue
		}
		if err := tx.s.EmptyPost(ctx, tx.site.ID, post); err != nil {
			return err
		}
	}
	if err := tx.s.DeleteVisitorSessions(ctx, tx.site.ID, v.ID); err != nil {
		return err
	}
	if err := tx.s.ForgetMails(ctx, tx.site.ID, v.ID); err != nil {
		return err
	}
	v.Ref, v.Name, v.Email, v.Mail = feedback.VisitorRef(feedback.DeletedRef+v.ID.String()), "", "", feedback.MailWishes{}
	v.VerifiedAt = time.Time{}
	return tx.s.UpdateVisitor(ctx, v)
}
