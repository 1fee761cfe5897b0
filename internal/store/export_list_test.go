package store

import (
	"context"
	"encoding/json"
	"fmt"

	"heed/internal/feedback"
)

// FillPosts fills site 1 with posts on 20 boards, at 5 statuses, with 4 tags. The
// newest ten thousand are archived, so that whoever looks for the others has to
// pass them, and most have no vote.
func (db *DB) FillPosts(ctx context.Context, n int) error {
	return db.Write(ctx, func(tx *Tx) error {
		for _, fill := range []string{
			fmt.Sprintf(`
			INSERT INTO posts (site_id, id, board_id, status_id, author_id, vote_count, comment_count, pinned, archived, locked, held, created_at, title, body)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			SELECT 1, i, 1 + i %% 20, 1 + (i / 7) %% 5, 1, CASE WHEN i %% 10 = 0 THEN i %% 97 ELSE 0 END, 0, FALSE,
			       i > %d OR i %% 11 = 0, FALSE, i %% 1009 = 0, 0, 'A post', 'A body' FROM n`, n, n-10_000),
			`INSERT INTO post_tags (site_id, post_id, tag_id)
			SELECT site_id, id, 1 + id % 4 FROM posts WHERE id % 3 = 0`,
			`ANALYZE`,
		} {
			if _, err := tx.exec(ctx, fill); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListCost is how a page of posts is found: the plans of its queries and, where
// the database tells, how many rows they visit.
type ListCost struct {
	Plans []string
	Rows  int
}

// ListCost asks the database how it would list a page.
func (db *DB) ListCost(ctx context.Context, site feedback.SiteID, f PostFilter, limit int) (c ListCost, err error) {
	s := f.scan(site)
	ask := func(query string, args []any) error {
		tx := db.tx(db.reader)
		if tx.d.name() == "sqlite" {
			plan, err := tx.plan(ctx, query, args...)
			c.Plans = append(c.Plans, plan)
			return err
		}
		var text string
		if _, err := tx.row(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+query, args, &text); err != nil {
			return err
		}
		var plans []struct{ Plan planNode }
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			return err
		}
		c.Plans = append(c.Plans, text)
		c.Rows += plans[0].Plan.visited()
		return nil
	}
	if f.Tag != 0 {
		args := []any{site, f.Tag, f.FromID, f.AfterID, tagBatch}
		if err := ask(taggedIDs, args); err != nil {
			return c, err
		}
		ids, err := db.tx(db.reader).idColumn(ctx, taggedIDs, args)
		if err != nil {
			return c, err
		}
		if err := ask(f.among(db.tx(db.reader).d, site, postIDs(ids))); err != nil {
			return c, err
		}
		c.Rows *= ListDepth / tagBatch
		return c, nil
	}
	if err := ask(s.page(limit)); err != nil || len(s.left) == 0 {
		return c, err
	}
	return c, ask(s.reached())
}

type planNode struct {
	Loops    float64    `json:"Actual Loops"`
	Rows     float64    `json:"Actual Rows"`
	Filtered float64    `json:"Rows Removed by Filter"`
	Recheck  float64    `json:"Rows Removed by Index Recheck"`
	Plans    []planNode `json:"Plans"`
}

// visited counts the rows that the leaves of a plan have read.
func (p planNode) visited() (n int) {
	for _, sub := range p.Plans {
		n += sub.visited()
	}
	if len(p.Plans) == 0 {
		n = int(p.Loops * (p.Rows + p.Filtered + p.Recheck))
	}
	return n
}
