package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

// Attempt counts a try at what a hash names. It returns zero if the pace allows
// it, and else how long to wait; what is refused is not counted. All nodes count
// together.
func (tx *Tx) Attempt(ctx context.Context, hash []byte, p feedback.Pace) (wait time.Duration, err error) {
	now, every, rest := tx.Now.UnixMicro(), p.Every.Microseconds(), p.Rest().Microseconds()
	// A debt beyond a whole burst is that of a clock which has since been put
	// back: it is forgiven.
	n, err := tx.exec(ctx, `
		INSERT INTO attempts (hash, paid_at)
		VALUES ($1, $2)
		ON CONFLICT (hash) DO UPDATE
		SET    paid_at = CASE WHEN attempts.paid_at < $3 OR attempts.paid_at > $4 THEN $2 ELSE attempts.paid_at + $5 END
		WHERE  attempts.paid_at <= $6 OR attempts.paid_at > $4`,
		hash, now+every, now, now+rest, every, now+rest-every)
	if err != nil || n > 0 {
		return 0, wrap("attempt", err)
	}
	var paid int64
	if _, err := tx.row(ctx, `SELECT paid_at FROM attempts WHERE hash = $1`, []any{hash}, &paid); err != nil {
		return 0, wrap("attempt", err)
	}
	return max(time.Microsecond, time.Duration(paid+every-rest-now)*time.Microsecond), nil
}

// SpendChallenge notes that a challenge was answered and reports whether it had
// not been. It need not be remembered once it has expired.
func (tx *Tx) SpendChallenge(ctx context.Context, hash []byte, expires time.Time) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO spent_challenges (hash, expires_at)
		VALUES ($1, $2)
		ON CONFLICT (hash) DO NOTHING`, hash, micros(expires))
	return n > 0, wrap("spend challenge", err)
}

// PurgeAccess forgets attempts that are paid off and challenges that have
// expired.
func (tx *Tx) PurgeAccess(ctx context.Context) error {
	if _, err := tx.exec(ctx, `DELETE FROM attempts WHERE paid_at < $1`, micros(tx.Now)); err != nil {
		return wrap("purge attempts", err)
	}
	_, err := tx.exec(ctx, `DELETE FROM spent_challenges WHERE expires_at < $1`, micros(tx.Now))
	return wrap("purge challenges", err)
}

// ResetRequest is a wish for a new password, by whoever has an address.
type ResetRequest struct {
	ID      int64
	Email   string
	Address string // where the wish came from
}

// InsertResetRequest keeps a wish for a new password until it is looked at.
func (tx *Tx) InsertResetRequest(ctx context.Context, r *ResetRequest) error {
	_, err := tx.exec(ctx, `
		INSERT INTO reset_requests (id, email, address, created_at)
		VALUES ($1, $2, $3, $4)`, r.ID, r.Email, r.Address, micros(tx.Now))
	return wrap("insert reset request", err)
}

// TakeResetRequest takes the oldest wish for a new password, or returns nil.
func (tx *Tx) TakeResetRequest(ctx context.Context) (*ResetRequest, error) {
	r, err := first(collect(ctx, tx, `
		DELETE FROM reset_requests
		WHERE  id = (SELECT id FROM reset_requests ORDER BY id LIMIT 1`+tx.d.claim("reset_requests")+`)
		RETURNING id, email, address`, nil, func(r rows, q *ResetRequest) error {
		return r.Scan(&q.ID, &q.Email, &q.Address)
	}))
	return r, wrap("take reset request", err)
}

// PasskeyRecord is a passkey with what it is recognised by, sealed.
type PasskeyRecord struct {
	feedback.Passkey
	Credential []byte
	Record     []byte
}

const passkeyColumns = `id, member_id, credential, record, name, created_at, used_at`

func scanPasskey(r rows, p *PasskeyRecord) error {
	return r.Scan(&p.ID, &p.MemberID, &p.Credential, &p.Record, &p.Name, at(&p.CreatedAt), at(&p.UsedAt))
}

// InsertPasskey stores a new passkey and reports whether nobody had it before.
func (tx *Tx) InsertPasskey(ctx context.Context, p *PasskeyRecord) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO passkeys (id, member_id, credential, record, name, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (credential) DO NOTHING`, p.ID, p.MemberID, p.Credential, p.Record, p.Name, micros(p.CreatedAt))
	return n > 0, wrap("insert passkey", err)
}

// Passkeys lists the passkeys of a member by creation.
func (tx *Tx) Passkeys(ctx context.Context, member feedback.MemberID, limit int) ([]PasskeyRecord, error) {
	out, err := collect(ctx, tx, `
		SELECT `+passkeyColumns+`
		FROM   passkeys
		WHERE  member_id = $1
		ORDER  BY id
		LIMIT  $2 + 0`, []any{member, limit}, scanPasskey)
	return out, wrap("passkeys", err)
}

// PasskeyByCredential returns the passkey that a device names, or nil. Nobody
// else uses it until the transaction is over.
func (tx *Tx) PasskeyByCredential(ctx context.Context, credential []byte) (*PasskeyRecord, error) {
	p, err := first(collect(ctx, tx, `
		SELECT `+passkeyColumns+`
		FROM   passkeys
		WHERE  credential = $1`+tx.d.forUpdate(), []any{credential}, scanPasskey))
	return p, wrap("passkey", err)
}

// UsePasskey stores what using a passkey has changed.
func (tx *Tx) UsePasskey(ctx context.Context, id feedback.PasskeyID, record []byte) error {
	_, err := tx.exec(ctx, `UPDATE passkeys SET record = $1, used_at = $2 WHERE id = $3`, record, micros(tx.Now), id)
	return wrap("use passkey", err)
}

// DeletePasskey removes a passkey of a member and returns its name; found is
// false if there is none.
func (tx *Tx) DeletePasskey(ctx context.Context, member feedback.MemberID, id feedback.PasskeyID) (name string, found bool, err error) {
	found, err = tx.row(ctx, `
		DELETE FROM passkeys
		WHERE  member_id = $1 AND id = $2
		RETURNING name`, []any{member, id}, &name)
	return name, found, wrap("delete passkey", err)
}

// Identity returns who a member is at an issuer, or nil.
func (tx *Tx) Identity(ctx context.Context, member feedback.MemberID, issuer string) (*feedback.Identity, error) {
	i, err := first(collect(ctx, tx, `
		SELECT member_id, issuer, subject, created_at, used_at
		FROM   identities
		WHERE  member_id = $1 AND issuer = $2`, []any{member, issuer}, func(r rows, i *feedback.Identity) error {
		return r.Scan(&i.MemberID, &i.Issuer, &i.Subject, at(&i.CreatedAt), at(&i.UsedAt))
	}))
	return i, wrap("identity", err)
}

// UseIdentity notes that a member came by an issuer, as a subject, and reports
// whether they may: one who came as another subject before may not.
func (tx *Tx) UseIdentity(ctx context.Context, member feedback.MemberID, issuer, subject string) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO identities (member_id, issuer, subject, created_at, used_at)
		VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (member_id, issuer) DO UPDATE SET used_at = $4
		WHERE  identities.subject = $3`, member, issuer, subject, micros(tx.Now))
	return n > 0, wrap("use identity", err)
}

// DeleteIdentity forgets who a member is at an issuer and reports whether it was
// known.
func (tx *Tx) DeleteIdentity(ctx context.Context, member feedback.MemberID, issuer string) (bool, error) {
	n, err := tx.exec(ctx, `DELETE FROM identities WHERE member_id = $1 AND issuer = $2`, member, issuer)
	return n > 0, wrap("delete identity", err)
}

// Welcome is an open invitation with the name of its account.
type Welcome struct {
	Invitation feedback.Invitation
	Account    string
}

// InvitationsFor lists the open invitations of an address, to any account.
func (tx *Tx) InvitationsFor(ctx context.Context, email string, limit int) ([]Welcome, error) {
	out, err := collect(ctx, tx, `
		SELECT i.id, i.account_id, i.email, i.role, i.invited_by, i.created_at, i.expires_at, i.ended_at, a.name
		FROM   invitations i
		JOIN   accounts a ON a.id = i.account_id
		WHERE  i.email = $1 AND i.ended_at IS NULL AND i.expires_at > $2
		ORDER  BY i.id
		LIMIT  $3 + 0`, []any{email, micros(tx.Now), limit}, func(r rows, w *Welcome) error {
		i := &w.Invitation
		return r.Scan(&i.ID, &i.AccountID, &i.Email, &i.Role, &i.InvitedBy, at(&i.CreatedAt), at(&i.ExpiresAt), at(&i.EndedAt), &w.Account)
	})
	return out, wrap("invitations of an address", err)
}

// InvitationByID returns an invitation of any account, or nil.
func (tx *Tx) InvitationByID(ctx context.Context, id feedback.InvitationID) (*feedback.Invitation, error) {
	i, err := first(collect(ctx, tx, `
		SELECT `+invitationColumns+`
		FROM   invitations
		WHERE  id = $1`+tx.d.forUpdate(), []any{id}, scanInvitation))
	return i, wrap("invitation", err)
}
