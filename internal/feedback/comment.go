package feedback

import "time"

// AuthorType says who wrote a comment.
type AuthorType string

// The kinds of authors.
const (
	ByVisitor AuthorType = "visitor"
	ByMember  AuthorType = "member"
)

// Values lists the kinds.
func (AuthorType) Values() []string { return []string{"visitor", "member"} }

// Comment is something said about a post.
type Comment struct {
	ID         CommentID
	SiteID     SiteID
	PostID     PostID
	ParentID   CommentID // zero: not a reply
	Body       string
	AuthorType AuthorType
	VisitorID  VisitorID // of a visitor's comment
	MemberID   MemberID  // of a member's comment, where the member is known
	Internal   bool      // for the team only
	CreatedAt  time.Time
	EditedAt   time.Time // zero: never
	HiddenAt   time.Time // of a public comment that was made internal; zero: not hidden
}

// NewComment is what it takes to comment.
type NewComment struct {
	Input
	Body     CommentBody
	Parent   *Ref
	Internal bool
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
// parent is the comment replied to, nil for none.
func (in NewComment) Check(parent *Comment) error {
	p := in.problems()
	checkText(&p, "body", in.Body)
	checkOptional(&p, "parentId", in.Parent)
	if parent != nil && parent.Internal && !in.Internal {
		// The portal would show an answer to something it hides.
		p.Add("internal", RuleParent, "must be true in a reply to an internal comment")
	}
	return p.Err()
}

// CommentEdit is what it takes to reword a comment.
type CommentEdit struct {
	Input
	Body CommentBody
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in CommentEdit) Check() error {
	p := in.problems()
	checkText(&p, "body", in.Body)
	if Blank(string(in.Body)) {
		p.Add("body", RuleBlank, "must not be only white space")
	}
	return p.Err()
}

// Moderable returns nil if the comment still says something, and else an
// INVALID_TRANSITION error.
func (c *Comment) Moderable() error {
	if c.Body != "" {
		return nil
	}
	return &Error{
		Code: InvalidTransition, Msg: "The comment was deleted.", Details: map[string]any{"commentId": c.ID.String(), "reason": "deleted"},
	}
}

// CanHide returns nil if the comment can be hidden from the public, and else an
// INVALID_TRANSITION error: what was written for the team was never shown.
func (c *Comment) CanHide() error {
	if !c.Internal || !c.HiddenAt.IsZero() {
		return c.Moderable()
	}
	return &Error{
		Code: InvalidTransition, Msg: "The comment is internal: the public does not see it.",
		Details: map[string]any{"commentId": c.ID.String(), "reason": "internal"},
	}
}

// CanShow returns nil if the comment was hidden and can be shown again, and else
// an INVALID_TRANSITION error. parent is the comment it answers, nil for none.
func (c *Comment) CanShow(parent *Comment) error {
	e := &Error{Code: InvalidTransition, Details: map[string]any{"commentId": c.ID.String()}}
	switch {
	case c.Internal && c.HiddenAt.IsZero():
		e.Msg, e.Hint = "The comment was written for the team and stays internal.", "Write a public comment instead."
		e.Details["reason"] = "internal"
	case parent != nil && parent.Internal:
		e.Msg, e.Hint = "The comment answers one that the public does not see.", "Show that one first."
		e.Details["reason"] = "parent"
	default:
		return nil
	}
	return e
}
