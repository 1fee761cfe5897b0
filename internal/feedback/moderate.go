package feedback

import (
	"fmt"
	"time"
)

// PostFlag is something about a post that is on or off.
type PostFlag string

// The flags a team can set.
const (
	Pinned   PostFlag = "pinned"
	Archived PostFlag = "archived"
	Locked   PostFlag = "locked"
	Withheld PostFlag = "withheld" // from agents
)

// Values lists the flags.
func (PostFlag) Values() []string { return []string{"pinned", "archived", "locked", "withheld"} }

// Check returns a VALIDATION_FAILED error for what is no flag.
func (f PostFlag) Check() error {
	var p Problems
	checkEnum(&p, "flag", f)
	return p.Err()
}

// Of returns whether the flag is set on a post.
func (f PostFlag) Of(p *Post) bool {
	switch f {
	case Pinned:
		return p.Pinned
	case Archived:
		return p.Archived
	case Withheld:
		return p.Withheld
	}
	return p.Locked
}

// Changeable returns nil if the team may change the post, and else a POST_LOCKED
// error: what was merged away is changed by undoing the merge.
func (p *Post) Changeable() error {
	if p.MergedInto == 0 {
		return nil
	}
	return &Error{
		Code: PostLocked,
		Msg:  "The post was merged into another and cannot be changed.",
		Hint: "Change the surviving post, or undo the merge.",
		Details: map[string]any{
			"postId": p.ID.String(), "reason": "merged", "mergedInto": p.MergedInto.String(),
		},
	}
}

// Workable returns nil if the post may change its status and be worked on, and
// else an error: one that waits for approval is not part of the site yet, and
// what was merged away goes on as the surviving post.
func (p *Post) Workable() error {
	if p.Held {
		return ErrHeld(p)
	}
	return p.Changeable()
}

// PostEdit is what it takes to reword a post.
type PostEdit struct {
	Input
	Title PostTitle
	Body  PostBody
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in PostEdit) Check() error {
	p := in.problems()
	checkText(&p, "title", in.Title)
	checkText(&p, "body", in.Body)
	return p.Err()
}

// MaxPostTags is how many tags a post may have.
const MaxPostTags = 20

// Voter is somebody who wants a post.
type Voter struct {
	ID      VisitorID
	Ref     VisitorRef
	Name    *string
	Email   *string
	VotedAt time.Time
}

// PostChange is one entry in the history of a post.
type PostChange struct {
	ID        int64
	Kind      string // status, moved, merged, unmerged, pinned, ...
	From, To  string // what changed, in words; "" is none
	Note      string
	ActorKind string
	ActorName string
	At        time.Time
}

// MergePreview says what a merge would move.
type MergePreview struct {
	Loser, Winner *Post
	Votes         int // of the loser
	NewVotes      int // of those, by visitors who have not voted for the winner
	Comments      int
	NewTags       []Tag
	Reason        MergeReason // why it would be refused; "" if it would not
}

// BoardEdit is what it takes to change a board.
type BoardEdit struct {
	Input
	Name        BoardName
	Description *BoardDescription
	Private     bool
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in BoardEdit) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	checkOptional(&p, "description", in.Description)
	return p.Err()
}

// NewTag is what it takes to make or change a tag.
type NewTag struct {
	Input
	Name  TagName
	Color *Color
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewTag) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	checkOptional(&p, "color", in.Color)
	return p.Err()
}

// Removal is what it takes to remove something that posts stand at: where to
// move them.
type Removal struct {
	Input
	MoveTo *Ref
}

// MaxMoved is how many posts one removal moves. Each of them is an event.
const MaxMoved = 10_000

// ErrTooMany is the error for a removal that would move more.
func ErrTooMany(what string) error {
	return &Error{
		Code: LimitReached,
		Msg:  fmt.Sprintf("More than %d posts stand at this %s.", MaxMoved, what),
		Hint: "Move some of them first.",
	}
}

// ErrLast is the error for removing the last of something a site needs.
func ErrLast(what string) error {
	return &Error{
		Code: InvalidTransition,
		Msg:  fmt.Sprintf("A site needs at least one %s.", what),
		Hint: fmt.Sprintf("Add another %s first.", what),
	}
}

// MergedPost is a post that was folded into another, and the action to undo it
// by.
type MergedPost struct {
	Action ActionID
	Loser  PostID
	Title  string
	At     time.Time
}
