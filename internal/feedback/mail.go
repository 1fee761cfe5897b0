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
