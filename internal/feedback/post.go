package feedback

import (
	"fmt"
	"time"
)

// Tag is a label that a team puts on posts.
type Tag struct {
	ID    TagID
	Name  string
	Color string
}

// Post is an idea or a bug that a visitor told the team about. Its body is not
// here: lists do not need it, and it can be long. See [PostContent].
type Post struct {
	ID         PostID
	SiteID     SiteID
	BoardID    BoardID
	BoardName  string
	Title      string
	StatusID   StatusID // zero: none
	StatusName *string
	VoteCount  int
	Pinned     bool
	Archived   bool
	Locked     bool
	Held       bool   // waits for a moderator; not yet part of the site
	Withheld   bool   // not offered to agents
	MergedInto PostID // zero: not merged
	AuthorID   VisitorID
	Tags       []Tag
	CreatedAt  time.Time
}

// PostContent is what a post says and who said it.
type PostContent struct {
	PostID PostID
	Body   string
	Author VisitorRef
}

// Source is the face through which something entered the service.
type Source string

// The faces.
const (
	FromAPI       Source = "api"
	FromPortal    Source = "portal"
	FromDashboard Source = "dashboard"
	FromImport    Source = "import"
)

// Values lists the sources.
func (Source) Values() []string { return []string{"api", "portal", "dashboard", "import"} }

// NewPost is what it takes to create a post.
type NewPost struct {
	Input
	Board   Ref
	Title   PostTitle
	Body    PostBody
	Visitor VisitorRef // the author
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewPost) Check() error {
	p := in.problems()
	checkText(&p, "boardId", in.Board)
	checkText(&p, "title", in.Title)
	checkText(&p, "body", in.Body)
	checkText(&p, "onBehalfVisitorId", in.Visitor)
	return p.Err()
}

// TakesReactions returns nil if the post takes votes and comments, and else a
// POST_LOCKED error that says why not, or INVALID_TRANSITION for one that waits
// for approval.
func (p *Post) TakesReactions() error {
	if p.Held {
		return ErrHeld(p)
	}
	details := map[string]any{"postId": p.ID.String()}
	var msg, hint string
	switch {
	case p.MergedInto != 0:
		msg = "The post was merged into another and takes no more votes or comments."
		hint = fmt.Sprintf("Use the surviving post %s.", p.MergedInto)
		details["reason"], details["mergedInto"] = "merged", p.MergedInto.String()
	case p.Archived:
		msg, hint = "The post is archived and takes no more votes or comments.", "Restore the post in the dashboard first."
		details["reason"] = "archived"
	case p.Locked:
		msg, hint = "The post is locked and takes no more votes or comments.", "Unlock the post in the dashboard first."
		details["reason"] = "locked"
	default:
		return nil
	}
	return &Error{Code: PostLocked, Msg: msg, Hint: hint, Details: details}
}

// Listed reports whether listings of posts hold this one.
func (p *Post) Listed() bool { return p.MergedInto == 0 && !p.Held }

// Searchable reports whether a search may find the post.
func (p *Post) Searchable() bool { return p.Listed() && !p.Archived }

// Public reports whether the public sees the post, which is on the board given.
func (p *Post) Public(on Board) bool { return p.Searchable() && on.ID == p.BoardID && !on.Private }

// SearchResult is a post as a search finds it.
type SearchResult struct {
	PostID     PostID
	SiteID     SiteID
	Title      string
	BoardName  string
	StatusName *string
	VoteCount  int
}

// VoteResult is what came of a vote.
type VoteResult struct {
	PostID    PostID
	Visitor   VisitorRef
	Created   bool // false: the visitor had voted before
	VoteCount int
}

// NewVote is what it takes to vote.
type NewVote struct {
	Input
	Visitor VisitorRef
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewVote) Check() error {
	p := in.problems()
	checkText(&p, "onBehalfVisitorId", in.Visitor)
	return p.Err()
}
