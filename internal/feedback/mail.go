package feedback

import "time"

// MailState says where a mail stands.
type MailState string

// The states of a mail. A mail that was being handed over when its sender died
// is unsure: the server may have it, so it is not sent again by itself.
const (
	MailPending MailState = "pending"
	MailSending MailState = "sending"
	MailSent    MailState = "sent"
	MailFailed  MailState = "failed"
	MailUnsure  MailState = "unsure"
)

// Values lists the states.
func (MailState) Values() []string { return []string{"pending", "sending", "sent", "failed", "unsure"} }

// Mail is one message to one person, in the outbox.
type Mail struct {
	ID          MailID
	SiteID      SiteID // zero: about an account, not a site
	Kind        string // of letter
	NoticeID    NoticeID
	VisitorID   VisitorID
	ToEmail     string
	ToName      string
	Subject     string
	Text        string
	HTML        string
	Unsubscribe string // URL for one-click; empty: not a mail one subscribes to
	State       MailState
	Attempts    int
	NextAttempt time.Time
	SentAt      time.Time
	Error       string // of the last attempt, for the operator
	CreatedAt   time.Time
}

// MailFilter asks for some of the outbox.
type MailFilter struct {
	State MailState // "" for all
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (f MailFilter) Check() error {
	var p Problems
	if f.State != "" {
		checkEnum(&p, "state", f.State)
	}
	return p.Err()
}

// CheckResend returns nil if the mail may be sent anew: only one that is given up
// or in doubt is, since any other reaches its reader by itself, or has.
func (m *Mail) CheckResend() error {
	if m.State == MailFailed || m.State == MailUnsure {
		return nil
	}
	return &Error{
		Code: InvalidTransition, Msg: "Only a message that failed, or of which it is unsure whether it arrived, can be sent again.",
		Hint: "This one is " + string(m.State) + ".",
	}
}

// DaysKept is for how many days messages that are done with and deliveries of
// webhooks can be read.
const DaysKept = 30
