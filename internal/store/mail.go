package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

const mailColumns = `site_id, id, kind, notice_id, visitor_id, to_email, to_name, subject, text_part, html_part, unsubscribe,
		       state, attempts, next_attempt_at, sent_at, error, created_at`

func scanMail(r rows, m *feedback.Mail) error {
	return r.Scan(&m.SiteID, &m.ID, &m.Kind, &m.NoticeID, &m.VisitorID, &m.ToEmail, &m.ToName, &m.Subject, &m.Text, &m.HTML,
		&m.Unsubscribe, &m.State, &m.Attempts, at(&m.NextAttempt), at(&m.SentAt), &m.Error, at(&m.CreatedAt))
}

// InsertMail puts a mail into the outbox. One that tells a visitor a notice they
// were told already changes nothing.
func (tx *Tx) InsertMail(ctx context.Context, m *feedback.Mail) error {
	_, err := tx.exec(ctx, `
		INSERT INTO mails (site_id, id, kind, notice_id, visitor_id, to_email, to_name, subject, text_part, html_part, unsubscribe,
		                   state, attempts, next_attempt_at, error, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, $13, '', $14)
		ON CONFLICT (site_id, notice_id, visitor_id) DO NOTHING`,
		int64(m.SiteID), m.ID, m.Kind, m.NoticeID, m.VisitorID, m.ToEmail, m.ToName, m.Subject, m.Text, m.HTML, m.Unsubscribe,
		feedback.MailPending, micros(tx.Now), micros(tx.Now))
	return wrap("insert mail", err)
}

// ClaimMails takes mails that are due for whoever asks, until a time: nobody
// else gets them meanwhile. Mails whose holder died before handing them over are
// due again.
func (tx *Tx) ClaimMails(ctx context.Context, until time.Time, limit int) ([]feedback.Mail, error) {
	due, err := collect(ctx, tx, `
		SELECT `+mailColumns+`
		FROM   mails
		WHERE  state = 'pending' AND next_attempt_at <= $1 AND (lease_until IS NULL OR lease_until < $1)
		ORDER  BY next_attempt_at, id
		LIMIT  $2 + 0`+tx.d.claim("mails"), []any{micros(tx.Now), limit}, scanMail)
	if err != nil {
		return nil, wrap("due mails", err)
	}
	for _, m := range due {
		_, err := tx.exec(ctx, `
			UPDATE mails SET lease_until = $1
			WHERE  site_id = $2 AND id = $3`, micros(until), int64(m.SiteID), m.ID)
		if err != nil {
			return nil, wrap("claim mail", err)
		}
	}
	return due, nil
}

// HandOver marks a claimed mail as on its way to the server, and reports whether
// it still was to be sent.
func (tx *Tx) HandOver(ctx context.Context, m *feedback.Mail, until time.Time) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE mails SET state = 'sending', lease_until = $1
		WHERE  site_id = $2 AND id = $3 AND state = 'pending'`, micros(until), int64(m.SiteID), m.ID)
	return n > 0, wrap("hand over mail", err)
}

// SettleMail stores what became of a mail that was handed over.
func (tx *Tx) SettleMail(ctx context.Context, m *feedback.Mail) error {
	_, err := tx.exec(ctx, `
		UPDATE mails SET state = $1, attempts = $2, next_attempt_at = $3, sent_at = $4, error = $5, lease_until = NULL
		WHERE  site_id = $6 AND id = $7`, m.State, m.Attempts, micros(m.NextAttempt), micros(m.SentAt), m.Error, int64(m.SiteID), m.ID)
	return wrap("settle mail", err)
}

// OrphanMails marks as unsure the mails whose holder died while handing them
// over, and returns how many.
func (tx *Tx) OrphanMails(ctx context.Context) (int64, error) {
	n, err := tx.exec(ctx, `
		UPDATE mails SET state = 'unsure', lease_until = NULL, error = 'the sender stopped while the message was being handed over'
		WHERE  lease_until < $1 AND state = 'sending'`, micros(tx.Now))
	return n, wrap("orphan mails", err)
}

// Mails lists the outbox of a site, newest first, below the id given.
func (tx *Tx) Mails(ctx context.Context, site feedback.SiteID, below feedback.MailID, limit int) ([]feedback.Mail, error) {
	out, err := collect(ctx, tx, `
		SELECT `+mailColumns+`
		FROM   mails
		WHERE  site_id = $1 AND id < $2
		ORDER  BY id DESC
		LIMIT  $3 + 0`, []any{site, int64(below), limit}, scanMail)
	return out, wrap("mails", err)
}

// Mail returns a mail of a site, or nil.
func (tx *Tx) Mail(ctx context.Context, site feedback.SiteID, id feedback.MailID) (*feedback.Mail, error) {
	m, err := first(collect(ctx, tx, `
		SELECT `+mailColumns+`
		FROM   mails
		WHERE  site_id = $1 AND id = $2`, []any{site, id}, scanMail))
	return m, wrap("mail", err)
}

// SweepMails forgets mails that were done with before a time.
func (tx *Tx) SweepMails(ctx context.Context, before time.Time) (int64, error) {
	n, err := tx.exec(ctx, `
		DELETE FROM mails
		WHERE  created_at < $1 AND state IN ('sent', 'failed', 'unsure')`, micros(before))
	return n, wrap("sweep mails", err)
}

// DueNotice returns the oldest notice that is still to be told and how far it
// has been told, or nil. Nobody else gets it until the transaction is over.
func (tx *Tx) DueNotice(ctx context.Context) (*feedback.Notice, feedback.VisitorID, error) {
	var n feedback.Notice
	var told int64
	found, err := tx.row(ctx, `
		SELECT site_id, id, kind, post_id, status_id, entry_id, comment_id, endpoint_id, note, created_at, told_until
		FROM   notices
		WHERE  done_at IS NULL
		ORDER  BY id
		LIMIT  1`+tx.d.claim("notices"), nil,
		&n.SiteID, &n.ID, &n.Kind, &n.PostID, &n.StatusID, &n.EntryID, &n.CommentID, &n.EndpointID, &n.Note, at(&n.CreatedAt), &told)
	if err != nil || !found {
		return nil, 0, wrap("due notice", err)
	}
	return &n, feedback.VisitorID(told), nil
}

// ToldNotice stores how far a notice has been told, or that it is done.
func (tx *Tx) ToldNotice(ctx context.Context, n *feedback.Notice, until feedback.VisitorID, done bool) error {
	var doneAt any
	if done {
		doneAt = micros(tx.Now)
	}
	_, err := tx.exec(ctx, `
		UPDATE notices SET told_until = $1, done_at = $2
		WHERE  site_id = $3 AND id = $4`, int64(until), doneAt, n.SiteID, n.ID)
	return wrap("told notice", err)
}

// Followers lists visitors with a proved address who voted for, wrote or
// commented on any of the posts, in the order of their ids, after the one given.
// Whoever muted a post does not follow it.
func (tx *Tx) Followers(ctx context.Context, site feedback.SiteID, posts []feedback.PostID, after feedback.VisitorID, limit int) ([]feedback.Visitor, error) {
	if len(posts) == 0 {
		return nil, nil
	}
	in, args := idList([]any{site, int64(after), limit}, posts)
	out, err := collect(ctx, tx, `
		SELECT `+visitorColumns+`
		FROM   visitors
		WHERE  site_id = $1 AND id IN (
			SELECT f.visitor_id
			FROM (
				SELECT visitor_id, post_id FROM votes WHERE site_id = $1 AND post_id IN (`+in+`)
				UNION
				SELECT author_id, id FROM posts`+tx.d.byID()+` WHERE site_id = $1 AND id IN (`+in+`)
				UNION
				SELECT visitor_id, post_id FROM comments WHERE site_id = $1 AND post_id IN (`+in+`) AND visitor_id IS NOT NULL
			) AS f
			WHERE f.visitor_id > $2 AND NOT EXISTS (
				SELECT 1 FROM post_mutes x
				WHERE  x.site_id = $1 AND x.post_id = f.post_id AND x.visitor_id = f.visitor_id))
		AND    verified_at IS NOT NULL AND email IS NOT NULL AND id > $2
		ORDER  BY id
		LIMIT  $3 + 0`, args, scanVisitor)
	return out, wrap("followers", err)
}

// Subscribers lists visitors who asked for every changelog entry, in the order
// of their ids, after the one given.
func (tx *Tx) Subscribers(ctx context.Context, site feedback.SiteID, after feedback.VisitorID, limit int) ([]feedback.Visitor, error) {
	out, err := collect(ctx, tx, `
		SELECT `+visitorColumns+`
		FROM   visitors
		WHERE  site_id = $1 AND subscribed_at IS NOT NULL AND verified_at IS NOT NULL AND email IS NOT NULL AND id > $2
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, int64(after), limit}, scanVisitor)
	return out, wrap("subscribers", err)
}

// OwnerEmails returns the addresses of an account's owners.
func (tx *Tx) OwnerEmails(ctx context.Context, account feedback.AccountID) ([]string, error) {
	out, err := collect(ctx, tx, `
		SELECT email FROM members
		WHERE  account_id = $1 AND role = 'owner'
		ORDER  BY id`, []any{account}, func(r rows, s *string) error { return r.Scan(s) })
	return out, wrap("owners", err)
}
