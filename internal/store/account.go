package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"heed/internal/feedback"
)

// InsertAccount stores a new account.
func (tx *Tx) InsertAccount(ctx context.Context, a *feedback.Account) error {
	_, err := tx.exec(ctx, `
		INSERT INTO accounts (id, name, plan, created_at)
		VALUES ($1, $2, $3, $4)`,
		a.ID, a.Name, a.Plan, micros(a.CreatedAt))
	return wrap("insert account", err)
}

// Account returns an account, or nil.
func (tx *Tx) Account(ctx context.Context, id feedback.AccountID) (*feedback.Account, error) {
	var a feedback.Account
	found, err := tx.row(ctx, `
		SELECT id, name, plan, created_at
		FROM   accounts
		WHERE  id = $1`, []any{id},
		&a.ID, &a.Name, &a.Plan, at(&a.CreatedAt))
	if err != nil || !found {
		return nil, wrap("account", err)
	}
	return &a, nil
}

// LockAccount keeps an account's counts from changing until the transaction is
// over, so that two cannot both take the last place of a plan.
func (tx *Tx) LockAccount(ctx context.Context, id feedback.AccountID) error {
	var one int
	_, err := tx.row(ctx, `SELECT 1 FROM accounts WHERE id = $1`+tx.d.forUpdate(), []any{id}, &one)
	return wrap("lock account", err)
}

// Accounts lists accounts by creation, after the one given.
func (tx *Tx) Accounts(ctx context.Context, after feedback.AccountID, limit int) ([]feedback.Account, error) {
	out, err := collect(ctx, tx, `
		SELECT id, name, plan, created_at
		FROM   accounts
		WHERE  id > $1
		ORDER  BY id
		LIMIT  $2 + 0`, []any{int64(after), limit},
		func(r rows, a *feedback.Account) error {
			return r.Scan(&a.ID, &a.Name, &a.Plan, at(&a.CreatedAt))
		})
	return out, wrap("accounts", err)
}

// SetPlan changes the plan of an account and reports whether there is one.
func (tx *Tx) SetPlan(ctx context.Context, id feedback.AccountID, p feedback.Plan) (bool, error) {
	n, err := tx.exec(ctx, `UPDATE accounts SET plan = $1 WHERE id = $2`, p, id)
	return n > 0, wrap("set plan", err)
}

// InsertMember stores a new member and reports whether the address was free in
// the account.
func (tx *Tx) InsertMember(ctx context.Context, m *feedback.Member, passwordHash string) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO members (id, account_id, email, name, role, password_hash, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (account_id, email) DO NOTHING`,
		m.ID, m.AccountID, m.Email, m.Name, m.Role, passwordHash, micros(m.CreatedAt))
	return n > 0, wrap("insert member", err)
}

// Team returns the first members of an account by creation, at most limit.
func (tx *Tx) Team(ctx context.Context, account feedback.AccountID, limit int) ([]feedback.Member, error) {
	out, err := collect(ctx, tx, `
		SELECT id, account_id, email, name, role, created_at
		FROM   members
		WHERE  account_id = $1 AND left_at IS NULL
		ORDER  BY id
		LIMIT  $2 + 0`, []any{account, limit}, func(r rows, m *feedback.Member) error {
		return r.Scan(&m.ID, &m.AccountID, &m.Email, &m.Name, &m.Role, at(&m.CreatedAt))
	})
	return out, wrap("team", err)
}

// RenameMember changes what a member of an account is called.
func (tx *Tx) RenameMember(ctx context.Context, account feedback.AccountID, id feedback.MemberID, name string) error {
	_, err := tx.exec(ctx, `
		UPDATE members SET name = $1
		WHERE  account_id = $2 AND id = $3`, name, account, id)
	return wrap("rename member", err)
}

// SeatCount counts the members of an account and its open invitations.
func (tx *Tx) SeatCount(ctx context.Context, id feedback.AccountID) (n int, err error) {
	_, err = tx.row(ctx, `
		SELECT (SELECT COUNT(*) FROM members WHERE account_id = $1 AND left_at IS NULL) +
		       (SELECT COUNT(*) FROM invitations WHERE account_id = $1 AND ended_at IS NULL AND expires_at > $2)`,
		[]any{id, micros(tx.Now)}, &n)
	return n, wrap("count seats", err)
}

// InsertKey stores a new API key by the hash of its secret.
func (tx *Tx) InsertKey(ctx context.Context, k *feedback.Key, hash []byte) error {
	_, err := tx.exec(ctx, `
		INSERT INTO api_keys (id, account_id, site_id, name, scopes, hash, start, last4, created_by, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		k.ID, k.AccountID, k.SiteID, k.Name, joinScopes(k.Scopes), hash, k.Start, k.Last4,
		k.CreatedBy, micros(k.CreatedAt), micros(k.ExpiresAt))
	return wrap("insert key", err)
}

// KeyByHash returns the key with this hash, its account, and the site of that
// account with the id given; nil for what there is not. Every request asks for
// all three, so it is one query.
func (tx *Tx) KeyByHash(ctx context.Context, hash []byte, site feedback.SiteID) (*feedback.Key, *feedback.Account, *feedback.Site, error) {
	var k feedback.Key
	var a feedback.Account
	var s feedback.Site
	var scopes string
	var name, slug *string
	found, err := tx.row(ctx, `
		SELECT k.id, k.account_id, k.site_id, k.scopes, k.last_used_at, k.expires_at, k.revoked_at, a.plan,
		       s.id, s.name, s.slug, s.created_at
		FROM   api_keys k
		JOIN   accounts a ON a.id = k.account_id
		LEFT JOIN sites s ON s.id = $1 AND s.account_id = k.account_id
		WHERE  k.hash = $2`, []any{int64(site), hash},
		&k.ID, &k.AccountID, &k.SiteID, &scopes, at(&k.LastUsed), at(&k.ExpiresAt), at(&k.RevokedAt), &a.Plan,
		&s.ID, &name, &slug, at(&s.CreatedAt))
	if err != nil || !found {
		return nil, nil, nil, wrap("key", err)
	}
	k.Scopes, a.ID = splitScopes(scopes), k.AccountID
	if s.ID == 0 {
		return &k, &a, nil, nil
	}
	s.AccountID, s.Name, s.Slug = k.AccountID, *name, *slug
	return &k, &a, &s, nil
}

// RevokeKey ends a key and reports whether there is one. A key that has ended
// stays as it is.
func (tx *Tx) RevokeKey(ctx context.Context, id feedback.KeyID) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE api_keys
		SET    revoked_at = COALESCE(revoked_at, $1)
		WHERE  id = $2`, micros(tx.Now), id)
	return n > 0, wrap("revoke key", err)
}

// TouchKey notes that a key was used.
func (tx *Tx) TouchKey(ctx context.Context, id feedback.KeyID, used time.Time) error {
	_, err := tx.exec(ctx, `UPDATE api_keys SET last_used_at = $1 WHERE id = $2`, micros(used), id)
	return wrap("touch key", err)
}

func joinScopes(scopes []feedback.Scope) string {
	s := make([]string, len(scopes))
	for i, sc := range scopes {
		s[i] = string(sc)
	}
	return strings.Join(s, " ")
}

func splitScopes(s string) []feedback.Scope {
	fields := strings.Fields(s)
	scopes := make([]feedback.Scope, len(fields))
	for i, f := range fields {
		scopes[i] = feedback.Scope(f)
	}
	return scopes
}

// wrap says what was being done when err happened, if it did.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
