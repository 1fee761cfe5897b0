package app

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"heed/internal/feedback"
	"heed/internal/letter"
	"heed/internal/store"
)

// secretMail are the kinds of letters that hold what signs somebody in, and how
// long it does. Nobody reads those but whom they are for; see [Tx.ReadMail].
var secretMail = map[string]time.Duration{
	letter.KindSignIn: challengeTime, letter.KindSubscribe: subscribeTime, letter.KindInvite: feedback.InvitationLife,
	letter.KindReset: mailedResetLife,
}

// MailServer is the server that mail is sent by.
type MailServer struct {
	Name string // without its password
	// Try sends a test message and writes the conversation with the server.
	Try func(ctx context.Context, w io.Writer, to string) error
}

// UseMailServer says by what mail is sent. Without, it stays in the outbox.
func (a *App) UseMailServer(m MailServer) { a.mailServer.Store(&m) }

// MailServer is what UseMailServer said; ok is false where mail stays in the
// outbox.
func (a *App) MailServer() (m MailServer, ok bool) {
	if p := a.mailServer.Load(); p != nil {
		return *p, true
	}
	return m, false
}

// KeptMail is a mail as its operator sees it.
type KeptMail struct {
	feedback.Mail
	Secret bool // what it says is withheld
	// Readable: it can be shown all the same, by [Tx.ReadMail].
	Readable bool
	// Resendable: it can be sent anew, by [Tx.ResendMail].
	Resendable bool
}

// kept is a mail without what only its reader may know.
func (a *App) kept(m feedback.Mail, now time.Time) KeptMail {
	k := KeptMail{Mail: m, Resendable: m.CheckResend() == nil}
	if life, secret := secretMail[m.Kind]; secret {
		_, sends := a.MailServer()
		k.Secret, k.Readable = true, !sends && m.Text != ""
		k.Subject, k.Text, k.HTML = "", "", ""
		k.Resendable = k.Resendable && now.Before(m.CreatedAt.Add(life))
	}
	return k
}

// AllMail lists the outbox of the installation, newest first. It is for the
// operator: whoever calls has seen to that.
func (a *App) AllMail(ctx context.Context, f feedback.MailFilter, w feedback.Window) (feedback.Page[KeptMail], error) {
	var page feedback.Page[KeptMail]
	if err := errors.Join(f.Check(), w.Check()); err != nil {
		return page, err
	}
	err := a.db.Read(ctx, func(s *store.Tx) error {
		all, err := s.AllMails(ctx, f.State, feedback.MailID(at(w, 0, newest)), w.Limit+1)
		if err != nil {
			return err
		}
		kept := make([]KeptMail, len(all))
		for i := range all {
			kept[i] = a.kept(all[i], s.Now)
		}
		page = feedback.PageOf(kept, w.Limit, func(m *KeptMail) feedback.Position { return feedback.Position{int64(m.ID)} })
		return nil
	})
	return page, err
}

func (tx *Tx) findMail(ctx context.Context, mail string) (*feedback.Mail, error) {
	return find("", "mail", mail, func(id feedback.MailID) (*feedback.Mail, error) { return tx.s.MailByID(ctx, id) })
}

// OneMail returns a mail of the outbox, without what only its reader may know.
// It is for the operator.
func (tx *Tx) OneMail(ctx context.Context, mail string) (*KeptMail, error) {
	m, err := tx.findMail(ctx, mail)
	if err != nil {
		return nil, err
	}
	k := tx.app.kept(*m, tx.s.Now)
	return &k, nil
}

// ReadMail returns a mail with everything it says. What signs somebody in is
// shown only where no server sends mail: there the operator is the only way by
// which it can reach whom it is for. It is for the operator, and to be recorded.
func (tx *Tx) ReadMail(ctx context.Context, mail string) (*KeptMail, error) {
	m, err := tx.findMail(ctx, mail)
	if err != nil {
		return nil, err
	}
	k := tx.app.kept(*m, tx.s.Now)
	if k.Secret && !k.Readable {
		return nil, &feedback.Error{
			Code: feedback.InvalidTransition, Msg: "What this message says is for its reader alone.",
			Hint: "Mail is sent by a server here, so nobody needs to hand it over.",
		}
	}
	k.Mail = *m
	return &k, nil
}

// ResendMail has a mail that failed, or that may not have arrived, sent anew. One
// whose link has ended meanwhile would help nobody. It is for the operator.
func (tx *Tx) ResendMail(ctx context.Context, mail string) (*KeptMail, error) {
	m, err := tx.findMail(ctx, mail)
	if err != nil {
		return nil, err
	}
	if err := m.CheckResend(); err != nil {
		return nil, err
	}
	k := tx.app.kept(*m, tx.s.Now)
	if !k.Resendable {
		return nil, &feedback.Error{
			Code: feedback.InvalidTransition, Msg: "The link in this message has ended.", Hint: "Whoever needs it asks for a new one.",
		}
	}
	k.State, k.Attempts, k.NextAttempt, k.Error = feedback.MailPending, 0, tx.s.Now, ""
	tx.s.AfterCommit(tx.app.mailWaits)
	return &k, tx.s.SettleMail(ctx, &k.Mail)
}

// CheckTryMail returns nil if a test message can be sent to an address.
func (a *App) CheckTryMail(to string) error {
	var p feedback.Problems
	feedback.CheckEmail(&p, "to", strings.TrimSpace(to))
	if err := p.Err(); err != nil {
		return err
	}
	if _, ok := a.MailServer(); !ok {
		return &feedback.Error{
			Code: feedback.InvalidTransition, Msg: "No mail server is set.",
			Hint: "Set HEED_SMTP_URL and HEED_MAIL_FROM and start the service again. Until then mail stays in the outbox.",
		}
	}
	return nil
}

// tryMailTime is how long a test message may take: less than a request may.
const tryMailTime = 45 * time.Second

// TryMail sends a test message and returns the conversation with the server,
// which ends with what came of it: that it failed is an answer, not an error. It
// opens no transaction, since a server may take its time. It is for the operator.
func (a *App) TryMail(ctx context.Context, to string) (dialogue string, err error) {
	if err := a.CheckTryMail(to); err != nil {
		return "", err
	}
	server, _ := a.MailServer()
	var out strings.Builder
	ctx, cancel := context.WithTimeout(ctx, tryMailTime)
	defer cancel()
	if err := server.Try(ctx, &out, strings.TrimSpace(to)); err != nil && out.Len() == 0 {
		out.WriteString("* " + err.Error() + "\n")
	}
	return out.String(), nil
}
