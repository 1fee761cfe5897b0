package feedback

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"heed/internal/ids"
)

// The identifiers of what a team signs in with.
type (
	SessionID    = ids.ID[sessionKind]
	InvitationID = ids.ID[invitationKind]
	AuditID      = ids.ID[auditKind]
)

type (
	sessionKind    struct{}
	invitationKind struct{}
	auditKind      struct{}
)

func (sessionKind) Prefix() string    { return "ses" }
func (invitationKind) Prefix() string { return "inv" }
func (auditKind) Prefix() string      { return "aud" }

// roles from the one that may do least.
var roles = []Role{Viewer, Editor, Admin, Owner}

// AtLeast reports whether r may do all that least may. What is no role may do
// nothing.
func (r Role) AtLeast(least Role) bool {
	have := slices.Index(roles, r)
	return have >= 0 && have >= slices.Index(roles, least)
}

// Manages returns nil if a member with role r may give somebody the role given,
// or take it away: admins manage all roles below owner, owners all.
func (r Role) Manages(given Role) error {
	if r == Owner || r == Admin && given != Owner {
		return nil
	}
	return &Error{
		Code: Forbidden,
		Msg:  fmt.Sprintf("A member with the role %s cannot manage the role %s.", r, given),
		Hint: "Ask an owner of the account.",
	}
}

// ErrRole is the error for an act that needs a greater role.
func ErrRole(least Role) error {
	return &Error{
		Code: Forbidden,
		Msg:  fmt.Sprintf("This needs the role %s.", least),
		Hint: "Ask an owner or an admin of the account to do it, or to change your role.",
	}
}

// Session is a member's stay in the dashboard, on one device.
type Session struct {
	ID        SessionID
	MemberID  MemberID
	CreatedAt time.Time
	SeenAt    time.Time
	ProvenAt  time.Time // when the member last showed who they are
	ExpiresAt time.Time
	Address   string
	Agent     string // what the browser calls itself
}

// The lives of a session.
const (
	SessionIdle = 14 * 24 * time.Hour // without being used
	SessionLife = 90 * 24 * time.Hour // in any case
	// ProofLife is for how long a member who has shown who they are may do
	// dangerous things without showing it again.
	ProofLife = 15 * time.Minute
)

// Live reports whether the session may be used at now.
func (s *Session) Live(now time.Time) bool {
	return now.Before(s.ExpiresAt) && now.Sub(s.SeenAt) < SessionIdle
}

// Proven reports whether the member has lately shown who they are.
func (s *Session) Proven(now time.Time) bool { return now.Sub(s.ProvenAt) < ProofLife }

// CleanEmail spells an address as it is stored.
func CleanEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Invitation asks somebody to become a member.
type Invitation struct {
	ID        InvitationID
	AccountID AccountID
	Email     string
	Role      Role
	InvitedBy MemberID
	CreatedAt time.Time
	ExpiresAt time.Time
	EndedAt   time.Time // zero: open
}

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// Open reports whether the invitation can be accepted at now.
func (i *Invitation) Open(now time.Time) bool {
	return i.EndedAt.IsZero() && now.Before(i.ExpiresAt)
}

// NewInvitation is what it takes to invite somebody.
type NewInvitation struct {
	Input
	Email string
	Role  Role
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewInvitation) Check() error {
	p := in.problems()
	checkEmail(&p, "email", in.Email)
	checkEnum(&p, "role", in.Role)
	return p.Err()
}

// NewMember is what an invited person brings along.
type NewMember struct {
	Input
	Name     MemberName
	Password string
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewMember) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	checkPassword(&p, "password", in.Password)
	return p.Err()
}

// NewPassword is what it takes to change a password.
type NewPassword struct {
	Input
	Password string
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewPassword) Check() error {
	p := in.problems()
	checkPassword(&p, "password", in.Password)
	return p.Err()
}

// RecoveryCodes is how many codes a member gets for when the app of the second
// factor is lost. With FewCodes or fewer left it is time for new ones.
const (
	RecoveryCodes = 10
	FewCodes      = 3
)

// MaxPassword is the greatest length of a password.
const MaxPassword = 200

func checkPassword(p *Problems, path, s string) {
	if n := len([]rune(s)); n < MinPassword {
		p.Add(path, RuleTooShort, fmt.Sprintf("must have at least %d characters", MinPassword))
	} else if n > MaxPassword {
		p.Add(path, RuleMaxLength, fmt.Sprintf("must have at most %d characters", MaxPassword))
	}
}

// RuleTooShort is the rule for a text that is there and has too few characters.
const RuleTooShort = "tooShort"

// ErrLastOwner is the error for taking the last owner from an account.
func ErrLastOwner() error {
	return &Error{
		Code: InvalidTransition,
		Msg:  "The account needs at least one owner.",
		Hint: "Make another member an owner first.",
	}
}

// ErrEmailTaken is the error for an address that is a member's already, or is
// invited.
func ErrEmailTaken(email, what string) error {
	return &Error{
		Code:    NameTaken,
		Msg:     fmt.Sprintf("%s %s.", email, what),
		Details: map[string]any{"field": "email"},
	}
}

// ErrLinkEnded is the error for a link that works once and does so no more.
// Whether it was used, ran out or never was is not told.
func ErrLinkEnded() error {
	return &Error{
		Code: NotFound,
		Msg:  "This link does not work (any more).",
		Hint: "Ask for a new one. A link works once, and only for a while.",
	}
}
