package store

import (
	"context"

	"heed/internal/feedback"
)

func scanSession(r rows, s *feedback.Session) error {
	return r.Scan(&s.ID, &s.MemberID, at(&s.CreatedAt), at(&s.SeenAt), at(&s.ProvenAt), at(&s.ExpiresAt), &s.Address, &s.Agent)
}

const memberColumns = `id, account_id, email, name, role, created_at, totp IS NOT NULL`

func scanMember(r rows, m *feedback.Member) error {
	return r.Scan(&m.ID, &m.AccountID, &m.Email, &m.Name, &m.Role, at(&m.CreatedAt), &m.Factor)
}

// AccountsExist reports whether anybody has opened an account yet.
func (tx *Tx) AccountsExist(ctx context.Context) (bool, error) {
	found, err := tx.row(ctx, `SELECT 1 FROM accounts LIMIT 1`, nil, new(int))
	return found, wrap("accounts", err)
}

// Login is a member as signing in sees one.
type Login struct {
	Member      feedback.Member
	AccountName string
	Hash        string // of the password
}

// Logins returns the members of all accounts who have an address.
func (tx *Tx) Logins(ctx context.Context, email string, limit int) ([]Login, error) {
	out, err := collect(ctx, tx, `
		SELECT m.id, m.account_id, m.email, m.name, m.role, m.created_at, m.password_hash, a.name
		FROM   members m
		JOIN   accounts a ON a.id = m.account_id
		WHERE  m.email = $1 AND m.left_at IS NULL
		ORDER  BY m.id
		LIMIT  $2 + 0`, []any{email, limit}, func(r rows, l *Login) error {
		m := &l.Member
		return r.Scan(&m.ID, &m.AccountID, &m.Email, &m.Name, &m.Role, at(&m.CreatedAt), &l.Hash, &l.AccountName)
	})
	return out, wrap("logins", err)
}

// Member returns a member of an account, or nil.
func (tx *Tx) Member(ctx context.Context, account feedback.AccountID, id feedback.MemberID) (*feedback.Member, error) {
	m, err := first(collect(ctx, tx, `
		SELECT `+memberColumns+`
		FROM   members
		WHERE  account_id = $1 AND id = $2 AND left_at IS NULL`+tx.d.forUpdate(), []any{account, id}, scanMember))
	return m, wrap("member", err)
}

// MemberByID returns a member of any account, or nil.
func (tx *Tx) MemberByID(ctx context.Context, id feedback.MemberID) (*feedback.Member, error) {
	m, err := first(collect(ctx, tx, `
		SELECT `+memberColumns+`
		FROM   members
		WHERE  id = $1 AND left_at IS NULL`+tx.d.forUpdate(), []any{id}, scanMember))
	return m, wrap("member", err)
}

// Members lists the members of an account by creation, after the one given.
func (tx *Tx) Members(ctx context.Context, account feedback.AccountID, after feedback.MemberID, limit int) ([]feedback.Member, error) {
	out, err := collect(ctx, tx, `
		SELECT `+memberColumns+`
		FROM   members
		WHERE  account_id = $1 AND id > $2 AND left_at IS NULL
		ORDER  BY id
		LIMIT  $3 + 0`, []any{account, int64(after), limit}, scanMember)
	return out, wrap("members", err)
}

// OwnerCount counts the owners of an account.
func (tx *Tx) OwnerCount(ctx context.Context, account feedback.AccountID) (n int, err error) {
	_, err = tx.row(ctx, `
		SELECT COUNT(*) FROM members
		WHERE  account_id = $1 AND role = $2 AND left_at IS NULL`, []any{account, feedback.Owner}, &n)
	return n, wrap("count owners", err)
}

// SetRole changes a member's role.
func (tx *Tx) SetRole(ctx context.Context, account feedback.AccountID, id feedback.MemberID, role feedback.Role) error {
	_, err := tx.exec(ctx, `UPDATE members SET role = $1 WHERE account_id = $2 AND id = $3`, role, account, id)
	return wrap("set role", err)
}

// SetMemberName changes a member's name.
func (tx *Tx) SetMemberName(ctx context.Context, id feedback.MemberID, name string) error {
	_, err := tx.exec(ctx, `UPDATE members SET name = $1 WHERE id = $2`, name, id)
	return wrap("set name", err)
}

// PasswordHash returns the hash of a member's password, or "".
func (tx *Tx) PasswordHash(ctx context.Context, id feedback.MemberID) (hash string, err error) {
	_, err = tx.row(ctx, `SELECT password_hash FROM members WHERE id = $1`, []any{id}, &hash)
	return hash, wrap("password hash", err)
}

// SetPasswordHash changes a member's password.
func (tx *Tx) SetPasswordHash(ctx context.Context, id feedback.MemberID, hash string) error {
	_, err := tx.exec(ctx, `UPDATE members SET password_hash = $1 WHERE id = $2`, hash, id)
	return wrap("set password", err)
}

// RemoveMember takes a member from an account, with everything to sign in with,
// and frees the address. The row stays: what the member did keeps its author.
func (tx *Tx) RemoveMember(ctx context.Context, account feedback.AccountID, id feedback.MemberID) error {
	for _, query := range []string{
		`DELETE FROM sessions WHERE member_id = $1`,
		`DELETE FROM one_time_links WHERE member_id = $1`,
		`DELETE FROM recovery_codes WHERE member_id = $1`,
		`DELETE FROM passkeys WHERE member_id = $1`,
		`DELETE FROM identities WHERE member_id = $1`,
	} {
		if _, err := tx.exec(ctx, query, id); err != nil {
			return wrap("remove member", err)
		}
	}
	_, err := tx.exec(ctx, `
		UPDATE members SET left_at = $1, email = $2, password_hash = '', totp = NULL
		WHERE  account_id = $3 AND id = $4`, micros(tx.Now), id.String(), account, id)
	return wrap("remove member", err)
}

// MemberNames returns the names of all who are or were members of an account.
func (tx *Tx) MemberNames(ctx context.Context, account feedback.AccountID, limit int) (map[feedback.MemberID]string, error) {
	all, err := collect(ctx, tx, `
		SELECT `+memberColumns+`
		FROM   members
		WHERE  account_id = $1
		ORDER  BY id DESC
		LIMIT  $2 + 0`, []any{account, limit}, scanMember)
	names := make(map[feedback.MemberID]string, len(all))
	for _, m := range all {
		names[m.ID] = m.Name
	}
	return names, wrap("member names", err)
}

const invitationColumns = `id, account_id, email, role, invited_by, created_at, expires_at, ended_at`

func scanInvitation(r rows, i *feedback.Invitation) error {
	return r.Scan(&i.ID, &i.AccountID, &i.Email, &i.Role, &i.InvitedBy, at(&i.CreatedAt), at(&i.ExpiresAt), at(&i.EndedAt))
}

// InsertInvitation stores a new invitation by the hash of its token and reports
// whether the address has no other open one.
func (tx *Tx) InsertInvitation(ctx context.Context, i *feedback.Invitation, hash []byte) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO invitations (id, account_id, email, role, hash, invited_by, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account_id, email) WHERE ended_at IS NULL DO NOTHING`,
		i.ID, i.AccountID, i.Email, i.Role, hash, i.InvitedBy, micros(i.CreatedAt), micros(i.ExpiresAt))
	return n > 0, wrap("insert invitation", err)
}

// Invitations lists the open invitations of an account, newest first.
func (tx *Tx) Invitations(ctx context.Context, account feedback.AccountID, limit int) ([]feedback.Invitation, error) {
	out, err := collect(ctx, tx, `
		SELECT `+invitationColumns+`
		FROM   invitations
		WHERE  account_id = $1 AND ended_at IS NULL AND expires_at > $2
		ORDER  BY id DESC
		LIMIT  $3 + 0`, []any{account, micros(tx.Now), limit}, scanInvitation)
	return out, wrap("invitations", err)
}

// InvitationByHash returns the invitation with this hash and the name of its
// account, or nil.
func (tx *Tx) InvitationByHash(ctx context.Context, hash []byte) (*feedback.Invitation, string, error) {
	var i feedback.Invitation
	var account string
	found, err := tx.row(ctx, `
		SELECT i.id, i.account_id, i.email, i.role, i.invited_by, i.created_at, i.expires_at, i.ended_at, a.name
		FROM   invitations i
		JOIN   accounts a ON a.id = i.account_id
		WHERE  i.hash = $1`, []any{hash},
		&i.ID, &i.AccountID, &i.Email, &i.Role, &i.InvitedBy, at(&i.CreatedAt), at(&i.ExpiresAt), at(&i.EndedAt), &account)
	if err != nil || !found {
		return nil, "", wrap("invitation", err)
	}
	return &i, account, nil
}

// EndInvitation ends an open invitation and reports whether it was open. Of two
// who come at once, one ends it.
func (tx *Tx) EndInvitation(ctx context.Context, account feedback.AccountID, id feedback.InvitationID) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE invitations SET ended_at = $1
		WHERE  account_id = $2 AND id = $3 AND ended_at IS NULL`, micros(tx.Now), account, id)
	return n > 0, wrap("end invitation", err)
}

// EndOldInvitations ends what nobody accepted in time, so that the address can
// be invited again.
func (tx *Tx) EndOldInvitations(ctx context.Context, account feedback.AccountID) error {
	_, err := tx.exec(ctx, `
		UPDATE invitations SET ended_at = expires_at
		WHERE  account_id = $1 AND ended_at IS NULL AND expires_at <= $2`, account, micros(tx.Now))
	return wrap("end invitations", err)
}

// TOTP returns a member's sealed second factor, nil for none, and the step of
// the last code that was taken.
func (tx *Tx) TOTP(ctx context.Context, id feedback.MemberID) (sealed []byte, step int64, err error) {
	_, err = tx.row(ctx, `SELECT totp, totp_step FROM members WHERE id = $1`+tx.d.forUpdate(), []any{id}, &sealed, &step)
	return sealed, step, wrap("second factor", err)
}

// SetTOTP stores a member's sealed second factor, nil for none, and forgets the
// recovery codes of the one before.
func (tx *Tx) SetTOTP(ctx context.Context, id feedback.MemberID, sealed []byte, step int64) error {
	if err := tx.DeleteRecoveryCodes(ctx, id); err != nil {
		return err
	}
	_, err := tx.exec(ctx, `UPDATE members SET totp = $1, totp_step = $2 WHERE id = $3`, sealed, step, id)
	return wrap("set second factor", err)
}

// TakeTOTPStep notes that the code of a step was taken and reports whether it
// had not been, nor a later one.
func (tx *Tx) TakeTOTPStep(ctx context.Context, id feedback.MemberID, step int64) (bool, error) {
	n, err := tx.exec(ctx, `UPDATE members SET totp_step = $1 WHERE id = $2 AND totp_step < $1`, step, id)
	return n > 0, wrap("take code", err)
}

// InsertRecoveryCode stores a code that stands in for the second factor once.
func (tx *Tx) InsertRecoveryCode(ctx context.Context, id feedback.MemberID, hash []byte) error {
	_, err := tx.exec(ctx, `INSERT INTO recovery_codes (member_id, hash) VALUES ($1, $2)`, id, hash)
	return wrap("insert recovery code", err)
}

// DeleteRecoveryCodes forgets all recovery codes of a member.
func (tx *Tx) DeleteRecoveryCodes(ctx context.Context, id feedback.MemberID) error {
	_, err := tx.exec(ctx, `DELETE FROM recovery_codes WHERE member_id = $1`, id)
	return wrap("clear recovery codes", err)
}

// RecoveryCodes counts the recovery codes that a member has left.
func (tx *Tx) RecoveryCodes(ctx context.Context, id feedback.MemberID) (n int, err error) {
	_, err = tx.row(ctx, `SELECT COUNT(*) FROM recovery_codes WHERE member_id = $1`, []any{id}, &n)
	return n, wrap("count recovery codes", err)
}

// UseRecoveryCode takes a recovery code and reports whether it was there.
func (tx *Tx) UseRecoveryCode(ctx context.Context, id feedback.MemberID, hash []byte) (bool, error) {
	n, err := tx.exec(ctx, `DELETE FROM recovery_codes WHERE member_id = $1 AND hash = $2`, id, hash)
	return n > 0, wrap("use recovery code", err)
}
