package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	netmail "net/mail"
	"net/url"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/mail"
)

// Mail is what sending mail needs.
type Mail struct {
	App *app.App
	// Sender is nil where no server is set up: then notices still become
	// messages, which stay in the outbox to be read there.
	Sender *mail.Sender
	Log    *slog.Logger
}

// NewSender reads the settings of mail: the URL of a server and the address mail
// comes from. Without a URL it returns nil, and mail stays in the outbox.
func NewSender(smtpURL, from string) (*mail.Sender, error) {
	if smtpURL == "" {
		return nil, nil
	}
	server, err := mail.ParseURL(smtpURL)
	if err != nil {
		return nil, fmt.Errorf("HEED_SMTP_URL: %w", err)
	}
	address, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("HEED_MAIL_FROM, the address mail comes from: %w", err)
	}
	return mail.NewSender(mail.Config{Server: server, From: address})
}

// TryMail sends a test message with the settings of mail and writes the whole
// conversation with the server to w.
func TryMail(ctx context.Context, w io.Writer, smtpURL, from, to string) error {
	if smtpURL == "" {
		return errors.New("no mail server is set: give HEED_SMTP_URL, such as smtp://user:password@mail.example:587")
	}
	sender, err := NewSender(smtpURL, from)
	if err != nil {
		return err
	}
	address, err := mail.ParseAddress(to)
	if err != nil {
		return fmt.Errorf("the address to write to: %w", err)
	}
	return sender.Dialogue(ctx, w, address)
}

// How mails are taken from the outbox. A lease outlives the longest exchange
// with a server, so that no two workers hold the same mail.
const (
	mailBatch = 20
	mailLease = 10 * time.Minute
)

// Tasks turns notices into messages and sends what is in the outbox.
func (m Mail) Tasks() []Task {
	return []Task{
		{Name: "mail", Every: 15 * time.Second, Wake: m.App.MailWaits(), Run: m.Run},
		{Name: "forget mails and sessions", Every: time.Hour, Run: m.App.SweepPortal},
	}
}

// Run does what is due now: it answers those who want a new password, tells every
// notice, then sends every mail.
func (m Mail) Run(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = m.App.AnswerReset(ctx); err != nil {
			return fmt.Errorf("answer wishes for a new password: %w", err)
		}
	}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = m.App.TellNext(ctx); err != nil {
			return fmt.Errorf("tell notices: %w", err)
		}
	}
	if m.Sender == nil {
		return nil
	}
	for ctx.Err() == nil {
		n, err := m.sendSome(ctx)
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// sendSome sends a batch, one message after the other, and returns how many it
// took. Each message is marked before it is handed over and settled as soon as
// the server has answered: whatever stops the worker, at most one message is in
// doubt, and that one is not sent again.
func (m Mail) sendSome(ctx context.Context) (int, error) {
	due, err := m.App.ClaimMails(ctx, mailBatch, mailLease)
	if err != nil {
		return 0, fmt.Errorf("claim mails: %w", err)
	}
	for i := range due {
		if ctx.Err() != nil {
			break // what is left is due again when the lease ends
		}
		if err := m.send(ctx, &due[i]); err != nil {
			return i, err
		}
	}
	return len(due), nil
}

func (m Mail) send(ctx context.Context, out *feedback.Mail) error {
	send, err := m.App.HandOver(ctx, out, mailLease)
	if err != nil || !send {
		return err
	}
	// A server that has the message must be heard out, also while stopping.
	failed := m.Sender.Send(context.WithoutCancel(ctx), m.message(out))
	o := outcome(failed)
	if failed != nil {
		m.Log.Warn("mail not sent", "mail", out.ID, "kind", out.Kind, "state", o.State, "err", failed)
	}
	return m.App.Settle(context.WithoutCancel(ctx), out, o)
}

// outcome says what an attempt means for a mail.
func outcome(err error) app.Outcome {
	if err == nil {
		return app.Outcome{State: feedback.MailSent}
	}
	e, ok := errors.AsType[*mail.Error](err)
	if !ok {
		return app.Outcome{State: feedback.MailPending, Reason: err.Error()}
	}
	o := app.Outcome{State: feedback.MailPending, Reason: strings.TrimSpace(e.Error() + " " + e.Reply)}
	switch {
	case e.MaybeSent:
		o.State = feedback.MailUnsure
	case e.Kind == mail.Permanent:
		o.State = feedback.MailFailed
	case e.Kind == mail.Misconfigured:
		o.NotCounted = true
	}
	return o
}

// message is a mail as it is handed over. Its id is the same at every attempt.
func (m Mail) message(out *feedback.Mail) mail.Message {
	host := "localhost"
	if u, err := url.Parse(m.App.BaseURL()); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	return mail.Message{
		To: netmail.Address{Name: out.ToName, Address: out.ToEmail}, Subject: out.Subject, Text: out.Text, HTML: out.HTML,
		MessageID: out.ID.String() + "@" + host, Date: out.CreatedAt, Unsubscribe: out.Unsubscribe, Automatic: true,
	}
}
