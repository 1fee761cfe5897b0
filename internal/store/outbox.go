package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

// AllMails lists the outbox of the whole installation, newest first, below the id
// given; only those in a state, if one is asked for.
func (tx *Tx) AllMails(ctx context.Context, state feedback.MailState, below feedback.MailID, limit int) ([]feedback.Mail, error) {
	query, args := `
		SELECT `+mailColumns+`
		FROM   mails
		WHERE  id < $1`, []any{int64(below)}
	if state != "" {
		query, args = query+` AND state = $2 ORDER BY id DESC LIMIT $3 + 0`, append(args, state, limit)
	} else {
		query, args = query+` ORDER BY id DESC LIMIT $2 + 0`, append(args, limit)
	}
	out, err := collect(ctx, tx, query, args, scanMail)
	return out, wrap("all mails", err)
}

// MailByID returns a mail of any site, or nil. It does not change until the
// transaction is over.
func (tx *Tx) MailByID(ctx context.Context, id feedback.MailID) (*feedback.Mail, error) {
	m, err := first(collect(ctx, tx, `
		SELECT `+mailColumns+`
		FROM   mails
		WHERE  id = $1`+tx.d.forUpdate(), []any{id}, scanMail))
	return m, wrap("mail", err)
}

// EraseMail forgets what a mail said, and keeps that there was one.
func (tx *Tx) EraseMail(ctx context.Context, m *feedback.Mail) error {
	_, err := tx.exec(ctx, `
		UPDATE mails SET subject = '', text_part = '', html_part = ''
		WHERE  site_id = $1 AND id = $2`, int64(m.SiteID), m.ID)
	return wrap("erase mail", err)
}

// Queue is work that waits behind the faces.
type Queue struct {
	Name   string
	Count  int // up to the most that was asked for
	Oldest time.Time
}

// Queues counts what waits, each up to most, and since when the oldest of them
// does. It is one query, and none of its parts looks at what is done with.
func (tx *Tx) Queues(ctx context.Context, most int) (map[string]Queue, error) {
	const count = `COUNT(*), MIN(created_at) FROM (SELECT created_at FROM `
	all, err := collect(ctx, tx, `
		SELECT 'mails', `+count+`mails WHERE state = 'pending' ORDER BY id LIMIT $1 + 0) AS q
		UNION ALL
		SELECT 'mails being sent', `+count+`mails WHERE state = 'sending' ORDER BY id LIMIT $1 + 0) AS q
		UNION ALL
		SELECT 'mails failed', `+count+`mails WHERE state = 'failed' ORDER BY id LIMIT $1 + 0) AS q
		UNION ALL
		SELECT 'mails unsure', `+count+`mails WHERE state = 'unsure' ORDER BY id LIMIT $1 + 0) AS q
		UNION ALL
		SELECT 'notices', `+count+`notices WHERE done_at IS NULL ORDER BY id LIMIT $1 + 0) AS q
		UNION ALL
		SELECT 'resets', `+count+`reset_requests ORDER BY id LIMIT $1 + 0) AS q
		UNION ALL
		SELECT 'deliveries', `+count+`deliveries WHERE status = 'pending' LIMIT $1 + 0) AS q
		UNION ALL
		SELECT 'insight runs', `+count+`insight_runs WHERE status IN ('queued', 'running') LIMIT $1 + 0) AS q`,
		[]any{most}, func(r rows, q *Queue) error { return r.Scan(&q.Name, &q.Count, at(&q.Oldest)) })
	queues := make(map[string]Queue, len(all))
	for _, q := range all {
		queues[q.Name] = q
	}
	return queues, wrap("queues", err)
}

// Facts say which database it is.
type Facts struct {
	Engine  string
	Version string // of the engine
	Schema  int64  // the last migration
	Size    int64  // bytes
}

// Facts returns which database it is.
func (tx *Tx) Facts(ctx context.Context) (f Facts, err error) {
	f.Engine = tx.d.name()
	_, err = tx.row(ctx, tx.d.facts(), nil, &f.Version, &f.Size, &f.Schema)
	return f, wrap("facts", err)
}
