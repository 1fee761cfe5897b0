package store

import (
	"context"
	"fmt"
)

// PeoplePlans fills the tables with visitors and with posts that wait or were
// rejected, and returns how lists of them are read.
func (db *DB) PeoplePlans(ctx context.Context) (all []DeliveryPlan, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
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
			`ANALYZE`,
		} {
			if _, err := tx.exec(ctx, fill); err != nil {
				return err
			}
		}
		visitors := "PRIMARY KEY"
		ref := "sqlite_autoindex_visitors"
		if tx.d.name() == "postgres" {
			visitors, ref = "visitors_pkey", "visitors_site_id_ref_key"
		}
		for _, q := range []struct {
			name, query, index string
			args               []any
		}{
			{"visitors", visitorsQuery(false), visitors, []any{1, 10000, 51}},
			{"known visitors", visitorsQuery(true), "visitors_known", []any{1, 10000, 51}},
			{"visitors with a word", visitorsByWord, "visitor_words", []any{1, "word99", "word99" + lastRune, 1000}},
			{"visitors with an id", visitorsByRef, ref, []any{1, "user-99", "user-99" + lastRune, 500}},
			{"waiting posts", heldPosts(false), "posts_waiting", []any{1, 0, 51}},
			{"rejected posts", heldPosts(true), "posts_rejected", []any{1, 0, 51}},
			{"the number of waiting posts", waitingPosts, "posts_waiting", []any{1, 100}},
		} {
			plan, err := tx.plan(ctx, q.query, q.args...)
			if err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
			all = append(all, DeliveryPlan{q.name, q.index, plan})
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
