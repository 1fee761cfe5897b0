package feedback

import (
	"fmt"
	"strings"
	"time"
)

// Visitor is somebody who tells a site what they want.
type Visitor struct {
	ID         VisitorID
	SiteID     SiteID
	Ref        VisitorRef
	Name       string // empty: none chosen
	Email      string // empty: unknown. Never shown to anybody else
	VerifiedAt time.Time
	Locale     string
	Mail       MailWishes
	CreatedAt  time.Time
}

// Known reports whether the visitor has proved who they are.
func (v *Visitor) Known() bool { return v != nil && !v.VerifiedAt.IsZero() }

// MailWishes are the kinds of mail a visitor wants.
type MailWishes struct {
	Status     bool // of posts they voted for or wrote
	Replies    bool // to what they wrote
	Changelog  bool // about posts they voted for or wrote
	Subscribed bool // to every changelog entry
}

// BlockKind says what a block is about.
type BlockKind string

// What can be blocked: one address, every address of a domain, one visitor.
const (
	BlockEmail   BlockKind = "email"
	BlockDomain  BlockKind = "domain"
	BlockVisitor BlockKind = "visitor"
)

// Values lists the kinds.
func (BlockKind) Values() []string { return []string{"email", "domain", "visitor"} }

// Block keeps somebody from writing to a site.
type Block struct {
	Kind      BlockKind
	Value     string
	CreatedAt time.Time
}

// Fits reports whether a block is about a visitor.
func (b *Block) Fits(v *Visitor) bool {
	_, domain, _ := strings.Cut(v.Email, "@")
	switch b.Kind {
	case BlockVisitor:
		return b.Value == v.ID.String()
	case BlockEmail:
		return v.Email != "" && b.Value == v.Email
	case BlockDomain:
		return domain != "" && b.Value == domain
	}
	return false
}

// NewBlock is what it takes to block somebody.
type NewBlock struct {
	Input
	Kind  BlockKind
	Value string
}

// Clean returns the block as it is compared and kept: a domain also without the
// @ that people write before it.
func (in NewBlock) Clean() NewBlock {
	in.Value = NormalEmail(in.Value)
	if in.Kind == BlockDomain {
		in.Value = strings.TrimPrefix(in.Value, "@")
	}
	return in
}

// Check returns a VALIDATION_FAILED error that names every field at fault. That
// a visitor is one of the site's is for the caller to see.
func (in NewBlock) Check() error {
	p := in.problems()
	checkEnum(&p, "kind", in.Kind)
	switch {
	case in.Value == "":
		p.Add("value", RuleRequired, "must name whom to block")
	case strings.ContainsRune(in.Value, 0) || len(in.Value) > MaxEmail:
		p.Add("value", RuleFormat, fmt.Sprintf("must be at most %d characters of plain text", MaxEmail))
	case in.Kind == BlockEmail:
		checkEmail(&p, "value", in.Value)
	case in.Kind == BlockDomain && !hostName(in.Value):
		p.Add("value", RuleFormat, "must be a domain such as example.com")
	}
	return p.Err()
}

// The beginnings of the ids of visitors that no caller gave: of somebody without
// a name, of somebody who signed in by mail, and of somebody deleted.
const (
	AnonymousRef = "anon:"
	PortalRef    = "portal:"
	DeletedRef   = "deleted:"
)

// OurRefs are the beginnings of the ids that are of our own making.
func OurRefs() []string { return []string{AnonymousRef, PortalRef, DeletedRef} }

// Ours reports whether an id is of our own making, and so tells nobody anything.
func (r VisitorRef) Ours() bool {
	for _, own := range OurRefs() {
		if strings.HasPrefix(string(r), own) {
			return true
		}
	}
	return false
}

// Deleted reports whether the visitor was deleted: only what others need of what
// they wrote is left.
func (v *Visitor) Deleted() bool { return strings.HasPrefix(string(v.Ref), DeletedRef) }

// CallName is what the team calls a visitor: the name they chose, else their
// address, else the id the caller gave them. Without addresses no address is
// told, also where it serves as an id.
func (v *Visitor) CallName(addresses bool) string {
	switch {
	case v.Name != "":
		return v.Name
	case v.Deleted():
		return "Deleted visitor"
	case addresses && v.Email != "":
		return v.Email
	case strings.HasPrefix(string(v.Ref), AnonymousRef):
		return "Anonymous visitor"
	case v.Ref.Ours() || !addresses && strings.Contains(string(v.Ref), "@"):
		return "Visitor"
	}
	return string(v.Ref)
}

// MaxCounted is where counting what a visitor did ends.
const MaxCounted = 1000

// VisitorCounts are how much a visitor did, each up to MaxCounted.
type VisitorCounts struct {
	Visitor                VisitorID
	Posts, Votes, Comments int
	LastSeen               time.Time // zero: nothing tells
}

// VisitorFilter asks for some of a site's visitors. The zero filter asks for all,
// newest first.
type VisitorFilter struct {
	Query VisitorQuery // the beginning of a name, an address or an own id
	Known bool         // only those who proved who they are
}

// VisitorQuery is what somebody types to find a visitor.
type VisitorQuery string

func (VisitorQuery) Rule() Text { return Text{Max: 200} }

// WrittenPost is a post of a visitor with its text.
type WrittenPost struct {
	ID          PostID
	Title, Body string
	CreatedAt   time.Time
}

// QueuedPost is a post that waits for approval, or was rejected, with all that a
// moderator reads.
type QueuedPost struct {
	ID          PostID
	BoardID     BoardID
	BoardName   string
	Title, Body string
	AuthorID    VisitorID
	Note        string // why it was rejected
	CreatedAt   time.Time
}

// MaxWaiting is where counting the posts that wait ends.
const MaxWaiting = 100

// ErrNotWaiting is the error for judging a post that is not up for it.
func ErrNotWaiting(p *Post) error {
	msg := fmt.Sprintf("“%s” does not wait for approval.", p.Title)
	if p.Held {
		msg = fmt.Sprintf("“%s” was deleted by its author.", p.Title)
	}
	return &Error{
		Code: InvalidTransition, Msg: msg, Hint: "Somebody else may have been faster. Reload the queue.",
		Details: map[string]any{"postId": p.ID.String()},
	}
}

// ErrHeld is the error for what can only be done to a post that is part of the
// site.
func ErrHeld(p *Post) error {
	return &Error{
		Code: InvalidTransition, Msg: "The post waits for approval.", Hint: "Approve or reject it first.",
		Details: map[string]any{"postId": p.ID.String(), "reason": "held"},
	}
}

// Judgeable returns nil if the post waits for approval or was rejected, so that a
// moderator may say yes or no to it.
func (p *Post) Judgeable() error {
	if !p.Held || p.Archived && p.Locked {
		return ErrNotWaiting(p)
	}
	return nil
}

// MailedCodeDigits is the length of the code that signs a visitor in by mail.
const MailedCodeDigits = 6
