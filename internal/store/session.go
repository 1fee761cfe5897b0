package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

// InsertSession stores a new session by the hash of its token.
func (tx *Tx) InsertSession(ctx context.Context, s *feedback.Session, hash []byte) error {
	_, err := tx.exec(ctx, `
		INSERT INTO sessions (id, member_id, hash, created_at, seen_at, proven_at, expires_at, address, agent)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		s.ID, s.MemberID, hash, micros(s.CreatedAt), micros(s.SeenAt), micros(s.ProvenAt), micros(s.ExpiresAt),
		s.Address, s.Agent)
	return wrap("insert session", err)
}

// SignedIn is a session with everything that belongs to it.
type SignedIn struct {
	Session  feedback.Session
	Member   feedback.Member
	Account  feedback.Account
	TOTP     bool // the member has a second factor
	Password bool // the member has a password
	Operator bool // the account is the first of the installation
}

// SessionByHash returns the session with this hash, or nil. Every page asks, so
// it is one query.
func (tx *Tx) SessionByHash(ctx context.Context, hash []byte) (*SignedIn, error) {
	var v SignedIn
	s, m, a := &v.Session, &v.Member, &v.Account
	found, err := tx.row(ctx, `
		SELECT s.id, s.member_id, s.created_at, s.seen_at, s.proven_at, s.expires_at, s.address, s.agent,
		       m.email, m.name, m.role, m.created_at, m.totp IS NOT NULL, m.password_hash <> '',
		       a.id, a.name, a.plan, a.created_at, a.id = (SELECT MIN(id) FROM accounts)
		FROM   sessions s
		JOIN   members m  ON m.id = s.member_id
		JOIN   accounts a ON a.id = m.account_id
		WHERE  s.hash = $1`, []any{hash},
		&s.ID, &s.MemberID, at(&s.CreatedAt), at(&s.SeenAt), at(&s.ProvenAt), at(&s.ExpiresAt), &s.Address, &s.Agent,
		&m.Email, &m.Name, &m.Role, at(&m.CreatedAt), &v.TOTP, &v.Password,
		&a.ID, &a.Name, &a.Plan, at(&a.CreatedAt), &v.Operator)
	if err != nil || !found {
		return nil, wrap("session", err)
	}
	m.ID, m.AccountID = s.MemberID, a.ID
	return &v, nil
}

// Sessions lists the sessions of a member, the one used last first.
func (tx *Tx) Sessions(ctx context.Context, member feedback.MemberID, limit int) ([]feedback.Session, error) {
	out, err := collect(ctx, tx, `
		SELECT id, member_id, created_at, seen_at, proven_at, expires_at, address, agent
		FROM   sessions
		WHERE  member_id = $1 AND expires_at > $2
		ORDER  BY seen_at DESC, id
		LIMIT  $3 + 0`, []any{member, micros(tx.Now), limit}, scanSession)
	return out, wrap("sessions", err)
}

// TouchSession notes that a session was used, and from where.
func (tx *Tx) TouchSession(ctx context.Context, id feedback.SessionID, address string) error {
	_, err := tx.exec(ctx, `UPDATE sessions SET seen_at = $1, address = $2 WHERE id = $3`, micros(tx.Now), address, id)
	return wrap("touch session", err)
}

// ProveSession notes that the member of a session has shown who they are.
func (tx *Tx) ProveSession(ctx context.Context, id feedback.SessionID) error {
	_, err := tx.exec(ctx, `UPDATE sessions SET proven_at = $1 WHERE id = $2`, micros(tx.Now), id)
	return wrap("prove session", err)
}

// DeleteSession ends a session of a member and reports whether there was one.
func (tx *Tx) DeleteSession(ctx context.Context, member feedback.MemberID, id feedback.SessionID) (bool, error) {
	n, err := tx.exec(ctx, `DELETE FROM sessions WHERE member_id = $1 AND id = $2`, member, id)
	return n > 0, wrap("delete session", err)
}

// DeleteSessions ends all sessions of a member but one; zero spares none.
func (tx *Tx) DeleteSessions(ctx context.Context, member feedback.MemberID, but feedback.SessionID) (int64, error) {
	n, err := tx.exec(ctx, `DELETE FROM sessions WHERE member_id = $1 AND id <> $2`, member, int64(but))
	return n, wrap("delete sessions", err)
}

// PurgeSessions forgets sessions and links that ended before a time.
func (tx *Tx) PurgeSessions(ctx context.Context, before time.Time) error {
	if _, err := tx.exec(ctx, `DELETE FROM sessions WHERE expires_at < $1`, micros(before)); err != nil {
		return wrap("purge sessions", err)
	}
	_, err := tx.exec(ctx, `DELETE FROM one_time_links WHERE expires_at < $1`, micros(before))
	return wrap("purge links", err)
}

// InsertLink stores a link that works once, by the hash of its token.
func (tx *Tx) InsertLink(ctx context.Context, kind string, member feedback.MemberID, hash []byte, expires time.Time) error {
	_, err := tx.exec(ctx, `
		INSERT INTO one_time_links (hash, kind, member_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5)`, hash, kind, member, micros(tx.Now), micros(expires))
	return wrap("insert link", err)
}

// DeleteLinks ends all links of a kind, of one member or of none in particular.
func (tx *Tx) DeleteLinks(ctx context.Context, kind string, member feedback.MemberID) error {
	query, args := `DELETE FROM one_time_links WHERE kind = $1 AND member_id IS NULL`, []any{kind}
	if member != 0 {
		query, args = `DELETE FROM one_time_links WHERE kind = $1 AND member_id = $2`, []any{kind, member}
	}
	_, err := tx.exec(ctx, query, args...)
	return wrap("delete links", err)
}

// LinkOpen reports whether a link still works.
func (tx *Tx) LinkOpen(ctx context.Context, kind string, hash []byte) (open bool, err error) {
	open, err = tx.row(ctx, `
		SELECT 1 FROM one_time_links
		WHERE  hash = $1 AND kind = $2 AND used_at IS NULL AND expires_at > $3`, []any{hash, kind, micros(tx.Now)}, new(int))
	return open, wrap("link", err)
}

// UseLink takes a link that works once and reports whether it was there to be
// taken, and whose it was. Of two who come at once, one gets it.
func (tx *Tx) UseLink(ctx context.Context, kind string, hash []byte) (member feedback.MemberID, used bool, err error) {
	used, err = tx.row(ctx, `
		UPDATE one_time_links SET used_at = $1
		WHERE  hash = $2 AND kind = $3 AND used_at IS NULL AND expires_at > $1
		RETURNING member_id`, []any{micros(tx.Now), hash, kind}, &member)
	return member, used, wrap("use link", err)
}
