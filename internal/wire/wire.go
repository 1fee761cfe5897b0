// Package wire holds the public objects of the service: what API responses and
// webhook payloads are made of, field by field. They are closed: a field that is
// not in a struct here cannot leave the service, and a test holds the structs
// against the document that describes them. Each has one function that makes it
// of a noun.
package wire

import (
	"time"

	"heed/internal/feedback"
)

// Time is a moment as the service writes it: RFC 3339 in UTC with milliseconds.
// It is spelled when it is made, which costs encoders less than a method would.
type Time string

// At makes a Time. Package time has a short way for RFC 3339 without fractions and
// a long one for any other layout, so the milliseconds are put in by hand.
func At(t time.Time) Time {
	t = t.UTC()
	b := t.AppendFormat(make([]byte, 0, len("2006-01-02T15:04:05.000Z")), time.RFC3339)
	ms := t.Nanosecond() / int(time.Millisecond)
	return Time(append(b[:len(b)-1], '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z'))
}

// MaybeAt makes a Time, nil for the zero time.
func MaybeAt(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	at := At(t)
	return &at
}

// List is a page of a list.
type List[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"nextCursor" doc:"Opaque cursor for the next page; null when the list is exhausted."`
}

// ListOf makes a page of nouns. It never holds a nil slice: an empty list is [].
func ListOf[N, T any](nouns []N, object func(*N) T, next *string) List[T] {
	data := make([]T, len(nouns))
	for i := range nouns {
		data[i] = object(&nouns[i])
	}
	return List[T]{data, next}
}

// Site is a feedback portal.
type Site struct {
	ID        feedback.SiteID `json:"id"`
	Name      string          `json:"name" example:"Northwind"`
	Slug      string          `json:"slug" example:"northwind"`
	CreatedAt Time            `json:"createdAt"`
}

// SiteOf makes a Site.
func SiteOf(s *feedback.Site) Site { return Site{s.ID, s.Name, s.Slug, At(s.CreatedAt)} }

// Board is a place on a site for one kind of post.
type Board struct {
	ID          feedback.BoardID `json:"id"`
	Name        string           `json:"name" example:"Feature requests"`
	Slug        string           `json:"slug" example:"feature-requests"`
	Description *string          `json:"description"`
	Private     bool             `json:"private" doc:"Hidden from the public portal."`
	PostCount   int              `json:"postCount" doc:"How many posts a listing of the board holds in all."`
}

// BoardOf makes a Board.
func BoardOf(b *feedback.Board) Board {
	return Board{b.ID, b.Name, b.Slug, b.Description, b.Private, b.PostCount}
}

// Tag is a label on a post.
type Tag struct {
	ID    feedback.TagID `json:"id"`
	Name  string         `json:"name" example:"mobile"`
	Color string         `json:"color" example:"#2563eb"`
}

// Post is an idea or a bug.
type Post struct {
	ID         feedback.PostID  `json:"id"`
	SiteID     feedback.SiteID  `json:"siteId"`
	BoardID    feedback.BoardID `json:"boardId"`
	BoardName  string           `json:"boardName" example:"Feature requests"`
	Title      string           `json:"title" example:"Dark mode that follows the system"`
	StatusName *string          `json:"statusName" doc:"null for a post without a status." example:"Planned"`
	VoteCount  int              `json:"voteCount" example:"42"`
	Pinned     bool             `json:"pinned" doc:"Kept at the top of its board."`
	Archived   bool             `json:"archived" doc:"Out of search, queue and portal."`
	Locked     bool             `json:"locked" doc:"Takes no more votes or comments."`
	Tags       []Tag            `json:"tags"`
	CreatedAt  Time             `json:"createdAt"`
}

// PostOf makes a Post.
func PostOf(p *feedback.Post) Post {
	tags := make([]Tag, len(p.Tags))
	for i, t := range p.Tags {
		tags[i] = Tag(t)
	}
	return Post{
		ID: p.ID, SiteID: p.SiteID, BoardID: p.BoardID, BoardName: p.BoardName, Title: p.Title,
		StatusName: p.StatusName, VoteCount: p.VoteCount, Pinned: p.Pinned, Archived: p.Archived,
		Locked: p.Locked, Tags: tags, CreatedAt: At(p.CreatedAt),
	}
}

// PostContent is what a post says.
type PostContent struct {
	PostID          feedback.PostID `json:"postId"`
	Body            string          `json:"body"`
	AuthorVisitorID string          `json:"authorVisitorId" doc:"The caller's own id of the person the feedback is logged for."`
}

// PostContentOf makes a PostContent.
func PostContentOf(c *feedback.PostContent) PostContent {
	return PostContent{c.PostID, c.Body, string(c.Author)}
}

// Comment is something said about a post.
type Comment struct {
	ID         feedback.CommentID  `json:"id"`
	PostID     feedback.PostID     `json:"postId"`
	ParentID   *feedback.CommentID `json:"parentId" doc:"The comment this one replies to."`
	Body       string              `json:"body"`
	AuthorType feedback.AuthorType `json:"authorType" doc:"visitor for a person in the portal, member for the team and for every comment made here."`
	Internal   bool                `json:"internal" doc:"For the team only; hidden from the public portal."`
	CreatedAt  Time                `json:"createdAt"`
}

// CommentOf makes a Comment.
func CommentOf(c *feedback.Comment) Comment {
	return Comment{c.ID, c.PostID, maybe(c.ParentID), c.Body, c.AuthorType, c.Internal, At(c.CreatedAt)}
}

// Status is a step of the workflow that a post can stand at.
type Status struct {
	ID            feedback.StatusID `json:"id"`
	Name          string            `json:"name" example:"Planned"`
	Color         string            `json:"color" example:"#2563eb"`
	Order         int               `json:"order" doc:"The place among the statuses, from 0."`
	DoneFlag      bool              `json:"doneFlag" doc:"Posts that stand here are done."`
	ShowOnRoadmap bool              `json:"showOnRoadmap" doc:"A column of the roadmap."`
	IsDefault     bool              `json:"isDefault" doc:"New posts get this status."`
}

// StatusOf makes a Status.
func StatusOf(s *feedback.Status) Status {
	return Status{s.ID, s.Name, s.Color, s.Order, s.DoneFlag, s.ShowOnRoadmap, s.IsDefault}
}

// ChangelogEntry tells users what is new.
type ChangelogEntry struct {
	ID          feedback.EntryID     `json:"id"`
	Title       string               `json:"title" example:"Dark mode is here"`
	Slug        string               `json:"slug" example:"dark-mode-is-here"`
	Body        string               `json:"body"`
	Label       *string              `json:"label" example:"New"`
	Status      feedback.EntryStatus `json:"status"`
	PublishedAt *Time                `json:"publishedAt" doc:"null for a draft."`
	CreatedAt   Time                 `json:"createdAt"`
}

// ChangelogEntryOf makes a ChangelogEntry.
func ChangelogEntryOf(e *feedback.Entry) ChangelogEntry {
	return ChangelogEntry{e.ID, e.Title, e.Slug, e.Body, e.Label, e.Status, MaybeAt(e.PublishedAt), At(e.CreatedAt)}
}

// SearchResult is a post as a search finds it.
type SearchResult struct {
	PostID     feedback.PostID `json:"postId"`
	SiteID     feedback.SiteID `json:"siteId"`
	Title      string          `json:"title" example:"Dark mode that follows the system"`
	BoardName  string          `json:"boardName" example:"Feature requests"`
	StatusName *string         `json:"statusName" doc:"null for a post without a status." example:"Planned"`
	VoteCount  int             `json:"voteCount" example:"42"`
}

// SearchResultOf makes a SearchResult.
func SearchResultOf(r *feedback.SearchResult) SearchResult { return SearchResult(*r) }

// ChangePostStatusResult is what came of a status change.
type ChangePostStatusResult struct {
	PostID           feedback.PostID    `json:"postId"`
	FromStatusID     *feedback.StatusID `json:"fromStatusId" doc:"null for none."`
	ToStatusID       *feedback.StatusID `json:"toStatusId" doc:"null for none."`
	EnteredDoneState bool               `json:"enteredDoneState" doc:"True when the post moves from a state that is not done into one that is."`
}

// ChangePostStatusResultOf makes a ChangePostStatusResult.
func ChangePostStatusResultOf(c *feedback.StatusChanged) ChangePostStatusResult {
	return ChangePostStatusResult{c.PostID, maybe(c.From), maybe(c.To), c.EnteredDone}
}

// MergeResult is what came of a merge.
type MergeResult struct {
	OK       bool                  `json:"ok" doc:"False when the merge is refused."`
	LoserID  feedback.PostID       `json:"loserId" doc:"The post that is folded in."`
	WinnerID feedback.PostID       `json:"winnerId" doc:"The surviving post."`
	ActionID *feedback.ActionID    `json:"actionId" doc:"The recorded action, for undoing it; null when refused."`
	Reason   *feedback.MergeReason `json:"reason" doc:"Why the merge is refused; null when it is done."`
}

// MergeResultOf makes a MergeResult.
func MergeResultOf(m *feedback.MergeResult) MergeResult {
	r := MergeResult{OK: m.Action != 0, LoserID: m.Loser, WinnerID: m.Winner, ActionID: maybe(m.Action)}
	if m.Reason != "" {
		r.Reason = &m.Reason
	}
	return r
}

// VoteResult is what came of a vote.
type VoteResult struct {
	PostID    feedback.PostID `json:"postId"`
	VisitorID string          `json:"visitorId" example:"user-4711"`
	Created   bool            `json:"created" doc:"False when the visitor had voted before."`
	VoteCount int             `json:"voteCount" example:"43"`
}

// VoteResultOf makes a VoteResult.
func VoteResultOf(v *feedback.VoteResult) VoteResult {
	return VoteResult{v.PostID, string(v.Visitor), v.Created, v.VoteCount}
}

// UndoResult is what came of undoing a merge.
type UndoResult struct {
	ActionID feedback.ActionID `json:"actionId"`
	LoserID  feedback.PostID   `json:"loserId" doc:"The post that stands on its own again."`
	WinnerID feedback.PostID   `json:"winnerId"`
	UndoneAt Time              `json:"undoneAt"`
}

// UndoResultOf makes an UndoResult.
func UndoResultOf(a *feedback.Action) UndoResult {
	return UndoResult{a.ID, a.Loser, a.Winner, At(a.UndoneAt)}
}

// maybe returns nil for the zero value, which stands for none.
func maybe[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
