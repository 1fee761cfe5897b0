package store

import (
	"context"

	"heed/internal/feedback"
)

// Keys lists the live keys of an account, newest first.
func (tx *Tx) Keys(ctx context.Context, account feedback.AccountID, limit int) ([]feedback.Key, error) {
	out, err := collect(ctx, tx, `
		SELECT id, account_id, site_id, name, scopes, start, last4, created_by, created_at, last_used_at, expires_at, revoked_at
		FROM   api_keys
		WHERE  account_id = $1 AND revoked_at IS NULL
		ORDER  BY id DESC
		LIMIT  $2 + 0`, []any{account, limit}, func(r rows, k *feedback.Key) error {
		var scopes string
		err := r.Scan(&k.ID, &k.AccountID, &k.SiteID, &k.Name, &scopes, &k.Start, &k.Last4, &k.CreatedBy, at(&k.CreatedAt),
			at(&k.LastUsed), at(&k.ExpiresAt), at(&k.RevokedAt))
		k.Scopes = splitScopes(scopes)
		return err
	})
	return out, wrap("keys", err)
}

// EndKey revokes a live key of an account and reports whether there is one.
func (tx *Tx) EndKey(ctx context.Context, account feedback.AccountID, id feedback.KeyID) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE api_keys SET revoked_at = $1
		WHERE  account_id = $2 AND id = $3 AND revoked_at IS NULL`, micros(tx.Now), account, id)
	return n > 0, wrap("end key", err)
}
