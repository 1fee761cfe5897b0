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
