package store

import (
	"context"
	"database/sql"

	"heed/internal/feedback"
)

// InsertAudit adds to the record of who did what.
func (tx *Tx) InsertAudit(ctx context.Context, e *feedback.AuditEntry) error {
	_, err := tx.exec(ctx, `
		INSERT INTO audit (id, account_id, site_id, actor_kind, actor_id, actor_name, action, subject, address, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		e.ID, e.AccountID, e.SiteID, e.ActorKind, maybe(e.ActorID), e.ActorName, e.Action, e.Subject, e.Address, micros(e.CreatedAt))
	return wrap("insert audit entry", err)
}

// Audit lists the record of an account, newest first, below the id given and not
// below the other; only an action, or only a member's, if asked for.
func (tx *Tx) Audit(ctx context.Context, account feedback.AccountID, action string, actor feedback.MemberID, below, least feedback.AuditID, limit int) ([]feedback.AuditEntry, error) {
	query, args := `
		SELECT id, account_id, site_id, actor_kind, actor_id, actor_name, action, subject, address, created_at
		FROM   audit
		WHERE  account_id = $1 AND id < $2 AND id >= $3`, []any{account, int64(below), int64(least)}
	switch {
	case action != "" && actor != 0:
		query, args = query+` AND action = $4 AND actor_id = $5 ORDER BY id DESC LIMIT $6 + 0`, append(args, action, actor, limit)
	case action != "":
		query, args = query+` AND action = $4 ORDER BY id DESC LIMIT $5 + 0`, append(args, action, limit)
	case actor != 0:
		query, args = query+` AND actor_id = $4 ORDER BY id DESC LIMIT $5 + 0`, append(args, actor, limit)
	default:
		query, args = query+` ORDER BY id DESC LIMIT $4 + 0`, append(args, limit)
	}
	out, err := collect(ctx, tx, query, args, func(r rows, e *feedback.AuditEntry) error {
		var actorID sql.NullInt64
		err := r.Scan(&e.ID, &e.AccountID, &e.SiteID, &e.ActorKind, &actorID, &e.ActorName, &e.Action, &e.Subject,
			&e.Address, at(&e.CreatedAt))
		e.ActorID = actorID.Int64
		return err
	})
	return out, wrap("audit", err)
}
