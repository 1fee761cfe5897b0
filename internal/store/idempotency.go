package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

// StoredResponse is the answer to a write that was sent with an idempotency
// key.
type StoredResponse struct {
	Operation, Body []byte // hashes of what was asked
	Status          int
	Response        []byte
	Sealed          bool // Response is encrypted: it holds a secret
}

// StoredResponse returns the answer kept under a key since a time, or nil.
func (tx *Tx) StoredResponse(ctx context.Context, account feedback.AccountID, key string, since time.Time) (*StoredResponse, error) {
	var s StoredResponse
	found, err := tx.row(ctx, `
		SELECT operation, body, status, response, sealed
		FROM   idempotency
		WHERE  account_id = $1 AND key = $2 AND created_at > $3`, []any{account, key, micros(since)},
		&s.Operation, &s.Body, &s.Status, &s.Response, &s.Sealed)
	if err != nil || !found {
		return nil, wrap("stored response", err)
	}
	return &s, nil
}

// StoreResponse keeps the answer to a write under a key, in place of one that
// has grown too old.
func (tx *Tx) StoreResponse(ctx context.Context, account feedback.AccountID, key string, s *StoredResponse) error {
	_, err := tx.exec(ctx, `
		INSERT INTO idempotency (account_id, key, operation, body, status, response, sealed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account_id, key) DO UPDATE
		SET    operation = excluded.operation, body = excluded.body, status = excluded.status,
		       response = excluded.response, sealed = excluded.sealed, created_at = excluded.created_at`,
		account, key, s.Operation, s.Body, s.Status, s.Response, s.Sealed, micros(tx.Now))
	return wrap("store response", err)
}

// PurgeResponses deletes up to limit answers kept since before a time, and
// returns how many there were.
func (tx *Tx) PurgeResponses(ctx context.Context, before time.Time, limit int) (int64, error) {
	n, err := tx.exec(ctx, `
		DELETE FROM idempotency
		WHERE  (account_id, key) IN (
			SELECT account_id, key FROM idempotency
			WHERE  created_at <= $1
			ORDER  BY created_at
			LIMIT  $2 + 0)`, micros(before), limit)
	return n, wrap("purge responses", err)
}
