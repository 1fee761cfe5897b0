package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"heed/internal/feedback"
)

// InsertAudit adds to the record of who did what.
func (tx *Tx) InsertAudit(ctx context.Context, e *feedback.AuditEntry) error {
	_, err := tx.exec(ctx, `
		INSERT INTO audit (id, account_id, site_id, actor_kind, actor_id, actor_name, action, subject, name, address, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		e.ID, e.AccountID, e.SiteID, e.ActorKind, maybe(e.ActorID), e.ActorName, e.Action, e.Subject, e.Name, e.Address, micros(e.CreatedAt))
	return wrap("insert audit entry", err)
}

// Audit lists the record of an account, newest first, below the id given and not
// below the other; only an action, or only a member's, if asked for.
func (tx *Tx) Audit(ctx context.Context, account feedback.AccountID, action string, actor feedback.MemberID, below, least feedback.AuditID, limit int) ([]feedback.AuditEntry, error) {
	query, args := `
		SELECT id, account_id, site_id, actor_kind, actor_id, actor_name, action, subject, name, address, created_at
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
		err := r.Scan(&e.ID, &e.AccountID, &e.SiteID, &e.ActorKind, &actorID, &e.ActorName, &e.Action, &e.Subject, &e.Name,
			&e.Address, at(&e.CreatedAt))
		e.ActorID = actorID.Int64
		return err
	})
	return out, wrap("audit", err)
}

// auditNames selects the names of what the record speaks of, by the prefix of the
// ids, and only what is the account's. Mail, deliveries and accounts are not among
// them: they have no name, or none that is the reader's to know. Nor are the
// addresses of visitors.
var auditNames = []struct{ kind, query string }{
	{"post", `SELECT 'post', id, title FROM posts{byID} WHERE site_id IN {mine} AND id IN ({ids})`},
	{"cmt", `SELECT 'cmt', id, SUBSTR(body, 1, 200) FROM comments{byID} WHERE site_id IN {mine} AND id IN ({ids})`},
	{"chg", `SELECT 'chg', id, title FROM entries{byID} WHERE site_id IN {mine} AND id IN ({ids})`},
	{"brd", `SELECT 'brd', id, name FROM boards WHERE site_id IN {mine} AND id IN ({ids})`},
	{"sts", `SELECT 'sts', id, name FROM statuses WHERE site_id IN {mine} AND id IN ({ids})`},
	{"tag", `SELECT 'tag', id, name FROM tags WHERE site_id IN {mine} AND id IN ({ids})`},
	{"run", `SELECT 'run', id, title FROM runs WHERE site_id IN {mine} AND id IN ({ids})`},
	{"act", `
		SELECT 'act', a.id, p.title
		FROM   actions a JOIN posts p ON p.site_id = a.site_id AND p.id = a.loser_id
		WHERE  a.site_id IN {mine} AND a.id IN ({ids})`},
	{"we", `SELECT 'we', id, url FROM webhook_endpoints WHERE site_id IN {mine} AND id IN ({ids}) AND deleted_at IS NULL`},
	{"view", `SELECT 'view', id, name FROM saved_views WHERE site_id IN {mine} AND id IN ({ids})`},
	{"vis", `SELECT 'vis', id, COALESCE(name, '') FROM visitors WHERE site_id IN {mine} AND id IN ({ids})`},
	{"site", `SELECT 'site', id, name FROM sites WHERE account_id = $1 AND id IN ({ids})`},
	{"mem", `SELECT 'mem', id, name FROM members WHERE account_id = $1 AND id IN ({ids})`},
	{"key", `SELECT 'key', id, name FROM api_keys WHERE account_id = $1 AND id IN ({ids})`},
	{"inv", `SELECT 'inv', id, email FROM invitations WHERE account_id = $1 AND id IN ({ids})`},
	{"ses", `
		SELECT 'ses', s.id, s.agent
		FROM   sessions s JOIN members m ON m.id = s.member_id
		WHERE  m.account_id = $1 AND s.id IN ({ids})`},
	{"pk", `
		SELECT 'pk', k.id, k.name
		FROM   passkeys k JOIN members m ON m.id = k.member_id
		WHERE  m.account_id = $1 AND k.id IN ({ids})`},
}

// mine are the sites of the account.
const mine = `(SELECT id FROM sites WHERE account_id = $1)`

// NameAudit fills in the names that the things of entries of an account have now,
// all with one query. Those that are gone, or never had a name, keep what they
// have.
func (tx *Tx) NameAudit(ctx context.Context, account feedback.AccountID, entries []feedback.AuditEntry) error {
	wanted := map[string][]*feedback.AuditWord{}
	for i := range entries {
		for j := range entries[i].About {
			if w := &entries[i].About[j]; w.Kind != "" {
				wanted[w.Kind] = append(wanted[w.Kind], w)
			}
		}
	}
	query, args := tx.auditNamesQuery(account, wanted)
	if query == "" {
		return nil
	}
	type named struct {
		kind, name string
		id         int64
	}
	all, err := collect(ctx, tx, query, args, func(r rows, n *named) error { return r.Scan(&n.kind, &n.id, &n.name) })
	for _, n := range all {
		for _, w := range wanted[n.kind] {
			if w.ID == n.id {
				w.Text = n.name
			}
		}
	}
	return wrap("names of the audit log", err)
}

// auditNamesQuery is the query for the names of all that is wanted, "" where
// nothing is.
func (tx *Tx) auditNamesQuery(account feedback.AccountID, wanted map[string][]*feedback.AuditWord) (string, []any) {
	args := []any{account}
	var parts []string
	for _, n := range auditNames {
		words := wanted[n.kind]
		if len(words) == 0 {
			continue
		}
		places := make([]string, len(words))
		for i, w := range words {
			args = append(args, w.ID)
			places[i] = fmt.Sprintf("$%d", len(args))
		}
		parts = append(parts, strings.NewReplacer("{byID}", tx.d.byID(), "{mine}", mine, "{ids}", strings.Join(places, ", ")).Replace(n.query))
	}
	return strings.Join(parts, " UNION ALL "), args
}
