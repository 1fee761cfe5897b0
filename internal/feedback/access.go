package feedback

import (
	"fmt"
	"time"

	"heed/internal/ids"
)

// Pace is how often something may be tried: once in Every, and after a rest
// Burst times at once.
type Pace struct {
	Every time.Duration
	Burst int
}

// How often the ways into the dashboard may be tried. Guessing is slow from
// anywhere, and nobody can lock a member out by guessing: a browser that has
// signed in before is counted by itself.
var (
	PaceNetwork  = Pace{2 * time.Second, 30}  // from one network
	PaceStranger = Pace{30 * time.Second, 10} // with one address of mail, from browsers that nobody knows
	PaceDevice   = Pace{30 * time.Second, 10} // from a browser that has signed in before
	PaceReset    = Pace{20 * time.Minute, 3}  // mails with a link for a new password, to one address
	PaceTestMail = Pace{20 * time.Second, 5}  // test messages of one operator
)

// Rest is how long it takes until all of a burst is paid off.
func (p Pace) Rest() time.Duration { return time.Duration(p.Burst) * p.Every }

// ErrPace is the error for what was tried too often; wait is when it may be
// tried again.
func ErrPace(wait time.Duration) error {
	seconds := max(1, int(wait.Round(time.Second)/time.Second))
	return &Error{
		Code: RateLimited, Msg: "Too many attempts.", Hint: fmt.Sprintf("Try again in %d seconds.", seconds),
		Details: map[string]any{"retryAfterSeconds": seconds},
	}
}

// PasskeyID identifies a key on a member's device.
type PasskeyID = ids.ID[passkeyKind]

type passkeyKind struct{}

func (passkeyKind) Prefix() string { return "pk" }

// PasskeyName is what a member calls a passkey, to tell it from others.
type PasskeyName string

// Rule is that of the text.
func (PasskeyName) Rule() Text { return Text{Min: 1, Max: 60, NotBlank: true} }

// MaxPasskeys is how many passkeys a member may have.
const MaxPasskeys = 20

// Passkey is a key on a member's device that signs them in.
type Passkey struct {
	ID        PasskeyID
	MemberID  MemberID
	Name      string
	CreatedAt time.Time
	UsedAt    time.Time // zero: never
}

// NewPasskey is what it takes to add a passkey.
type NewPasskey struct {
	Input
	Name PasskeyName
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewPasskey) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	return p.Err()
}

// Identity is who a member is at a provider of single sign-on.
type Identity struct {
	MemberID  MemberID
	Issuer    string
	Subject   string
	CreatedAt time.Time
	UsedAt    time.Time
}
