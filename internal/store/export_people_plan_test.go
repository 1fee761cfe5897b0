package store

import (
	"context"
	"fmt"

	"heed/internal/feedback"
)

// PeoplePlans fills the tables with visitors and with posts that wait or were
// rejected, and returns how lists of them are read.
func (db *DB) PeoplePlans(ctx context.Context) (all []DeliveryPlan, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
		bytes := "BLOB"
		if tx.d.name() == "postgres" {
			bytes = "BYTEA"
		}
		for _, fill := range []string{
			`INSERT INTO visitors (site_id, id, ref, name, created_at, verified_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT i % 5, i, 'user-' || i, 'Name', 0, CASE i % 37 WHEN 0 THEN 1 END FROM n`,
			`INSERT INTO visitor_words (site_id, word, visitor_id)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT i % 5, 'word' || i % 1000, i FROM n`,
			`INSERT INTO boards (site_id, id, name, slug, private, post_count, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
			SELECT i % 5, i, 'Board', 'b' || i, FALSE, 0, 0 FROM n`,
			`INSERT INTO posts (site_id, id, board_id, author_id, vote_count, comment_count, pinned, archived, locked, held, created_at, title, body)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT i % 5, i, 1 + i % 50, i, 0, 0, FALSE, i % 3 = 0, FALSE, i % 11 = 0, 0, 'Title', '' FROM n`,
			`UPDATE posts SET withheld = TRUE WHERE id % 97 = 0`,
			`INSERT INTO votes (site_id, post_id, visitor_id, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT i % 5, i, 1 + i % 5000, 0 FROM n`,
			`INSERT INTO comments (site_id, id, post_id, author_type, visitor_id, internal, created_at, body)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT i % 5, i, i, 'VISITOR', 1 + i % 5000, FALSE, 0, '' FROM n`,
			`INSERT INTO visitor_sessions (site_id, hash, visitor_id, created_at, expires_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT i % 5, CAST('hash ' || i AS ` + bytes + `), 1 + i % 5000, 0, 0 FROM n`,
			`INSERT INTO sites (id, account_id, name, slug, run_count, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
			SELECT i, i / 2, '', 's' || i, 0, 0 FROM n`,
		} {
			if _, err := tx.exec(ctx, fill); err != nil {
				return err
			}
		}
		visitors := "PRIMARY KEY"
		ref := "sqlite_autoindex_visitors"
		posts := "INTEGER PRIMARY KEY"
		if tx.d.name() == "postgres" {
			visitors, ref, posts = "visitors_pkey", "visitors_site_id_ref_key", "posts_pkey"
		}
		counts, of := visitorCounts(tx.d, 1, []feedback.VisitorID{6, 11, 16, 21})
		entries := []feedback.AuditEntry{{Subject: feedback.PostID(6).String() + " " + feedback.PostID(11).String()}, {Subject: feedback.BoardID(6).String()}}
		wanted := map[string][]*feedback.AuditWord{}
		for i := range entries {
			entries[i].Read()
			for j, w := range entries[i].About {
				wanted[w.Kind] = append(wanted[w.Kind], &entries[i].About[j])
			}
		}
		names, about := tx.auditNamesQuery(1, wanted)
		queries := []struct {
			name, query, index string
			args               []any
		}{
			{"visitors", visitorsQuery(tx.d, false), visitors, []any{1, 10000, 51}},
			{"known visitors", visitorsQuery(tx.d, true), "visitors_known", []any{1, 10000, 51}},
			{"visitors with a word", visitorsByWord, "visitor_words", []any{1, "word99", "word99" + lastRune, 1000}},
			{"visitors with an id", visitorsByRef, ref, []any{1, "user-99", "user-99" + lastRune, 500}},
			{"waiting posts", heldPosts(false), "posts_waiting", []any{1, 0, 51}},
			{"rejected posts", heldPosts(true), "posts_rejected", []any{1, 0, 51}},
			{"the number of waiting posts", waitingPosts, "posts_waiting", []any{1, 100}},
			{"withheld posts", withheldPosts(tx.d), "posts_withheld", []any{1, 51}},
			{"the posts of visitors", counts, "posts_author", of},
			{"the votes of visitors", counts, "votes_visitor", of},
			{"the comments of visitors", counts, "comments_visitor", of},
			{"the sessions of visitors", counts, "visitor_sessions_visitor", of},
			{"the posts that the audit log names", names, posts, about},
		}
		for _, known := range []bool{false, true} {
			switch {
			case known:
				if _, err := tx.exec(ctx, `ANALYZE`); err != nil {
					return err
				}
			case tx.d.name() == "postgres":
				continue // it gathers statistics by itself; SQLite has none until somebody asks
			}
			for _, q := range queries {
				plan, err := tx.plan(ctx, q.query, q.args...)
				if err != nil {
					return fmt.Errorf("%s: %w", q.name, err)
				}
				all = append(all, DeliveryPlan{q.name, q.index, plan})
			}
		}
		return nil
	})
	return all, err
}

// ForgetVisitorWords makes two visitors whom no word finds.
func (db *DB) ForgetVisitorWords(ctx context.Context) error {
	return db.Write(ctx, func(tx *Tx) error {
		err := tx.InsertVisitors(ctx, 1, []NamedVisitor{
			{ID: 1, Ref: "crm-1", Name: "Ada Moreno", Email: "ada@example.com", CreatedAt: tx.Now}, {ID: 2, Ref: "crm-2", Name: "Łukasz", CreatedAt: tx.Now},
		})
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `DELETE FROM visitor_words`)
		return err
	})
}
