package store

import (
	"context"
	"fmt"
	"strings"

	"heed/internal/feedback"
)

// plan returns how a database would run a query with arguments like these.
func (tx *Tx) plan(ctx context.Context, query string, args ...any) (string, error) {
	explain, columns := "EXPLAIN ", 1
	if tx.d.name() == "sqlite" {
		explain, columns = "EXPLAIN QUERY PLAN ", 4
	}
	rows, err := tx.q.query(ctx, explain+query, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		into := make([]any, columns)
		for i := range into {
			into[i] = new(any)
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		fmt.Fprintln(&all, *into[len(into)-1].(*any))
	}
	return all.String(), rows.Err()
}

// DeliveryPlan is how a query about deliveries is run, and the index it should be
// run by.
type DeliveryPlan struct{ Name, Index, Plan string }

// DeliveryPlans fills the tables with a log and returns the plans.
func (db *DB) DeliveryPlans(ctx context.Context) (all []DeliveryPlan, err error) {
	failed, pending := feedback.DeliveryFailed, feedback.DeliveryPending
	err = db.Write(ctx, func(tx *Tx) error {
		for _, fill := range []string{
			`INSERT INTO webhook_endpoints (site_id, id, url, event_types, enabled, disabled_reason, consecutive_failures, secret, created_at, updated_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
			SELECT i % 5, i, '', '', TRUE, '', 0, '', 0, 0 FROM n`,
			`INSERT INTO deliveries (site_id, endpoint_id, id, message_id, type, cause, status, attempt_count, next_attempt_at, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT (1 + i % 50) % 5, 1 + i % 50, i, i, 'post.created', 'event',
			       CASE i % 37 WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' ELSE 'succeeded' END, 0, i, 0 FROM n`,
			`ANALYZE`,
		} {
			if _, err := tx.exec(ctx, fill); err != nil {
				return err
			}
		}
		for _, q := range []struct {
			name, query, index string
			args               []any
		}{
			{"waiting endpoints", waitingEndpoints, "deliveries_waiting", []any{100, 10}},
			{"due deliveries", dueDeliveries, "deliveries_waiting", []any{1, 11, -1, 0, 100000, 0, 64}},
			{"cancel deliveries", cancelDeliveries, "deliveries_waiting", []any{1, 1, 11, 100000, 500}},
			{"failed deliveries", deliveriesQuery(&failed, false), "deliveries_unsent", []any{1, 11, 100000, 50}},
			{"pending deliveries", deliveriesQuery(&pending, false), "deliveries_waiting", []any{1, 11, 100000, 50}},
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

// PublicListPlans fills the tables with posts and returns how each list of the
// portal is read, and the index it should be read from.
func (db *DB) PublicListPlans(ctx context.Context) (all []DeliveryPlan, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
		for _, fill := range []string{
			`INSERT INTO posts (site_id, id, board_id, status_id, author_id, vote_count, comment_count, pinned, archived, locked, held, created_at, title, body, trend)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
			SELECT 1 + i / 8 % 4, i, 1 + i % 2, CASE i / 2 % 2 WHEN 0 THEN 1 END, 1, i % 1009, 0, i % 997 = 0, i % 11 = 0, FALSE, FALSE, i, '', '', i % 7919 FROM n`,
			`INSERT INTO post_tags (site_id, post_id, tag_id, shown, board_id, status_id)
			SELECT site_id, id, 1 + id / 4 % 2, NOT archived, board_id, COALESCE(status_id, 0) FROM posts`,
			`ANALYZE`,
		} {
			if _, err := tx.exec(ctx, fill); err != nil {
				return err
			}
		}
		query, args := tx.pinnedQuery(1, []feedback.BoardID{1, 2}, 10)
		plan, err := tx.plan(ctx, query, args...)
		if err != nil {
			return err
		}
		all = append(all, DeliveryPlan{"pinned", "posts_pinned", plan})
		for _, sort := range []feedback.Sort{feedback.Trending, feedback.Top, feedback.Newest} {
			for _, tag := range []feedback.TagID{0, 2} {
				if tag != 0 && sort != feedback.Newest {
					continue // ranked from the newest
				}
				for _, status := range []feedback.StatusID{0, 1} {
					f := feedback.PublicFilter{Sort: sort, Tag: tag}
					query, args := tx.rankQuery(1, 2, status, f, rank{20000, 500}, 51)
					plan, err := tx.plan(ctx, query, args...)
					if err != nil {
						return err
					}
					table := "posts_listed_"
					if tag != 0 {
						table = "post_tags_"
					}
					all = append(all, DeliveryPlan{fmt.Sprintf("%s, status %d, tag %d", sort, status, tag), table + orders[sort].index, plan})
				}
			}
		}
		return nil
	})
	return all, err
}

// ShownPost is a post on show and what lists go by.
type ShownPost struct {
	ID           feedback.PostID
	Board        feedback.BoardID
	Status       feedback.StatusID
	Votes, Trend int64
	Tags         []feedback.TagID
}

// ShownPosts reads all posts of a site that are on show, by no index.
func (db *DB) ShownPosts(ctx context.Context, site feedback.SiteID) ([]ShownPost, error) {
	tx := db.tx(db.reader)
	all, err := collect(ctx, tx, `
		SELECT id, board_id, status_id, vote_count, trend
		FROM   posts
		WHERE  site_id = $1 AND `+onShow, []any{site}, func(r rows, p *ShownPost) error {
		return r.Scan(&p.ID, &p.Board, &p.Status, &p.Votes, &p.Trend)
	})
	for i := range all {
		tags, err := tx.idColumn(ctx, `SELECT tag_id FROM post_tags WHERE site_id = $1 AND post_id = $2`, []any{site, all[i].ID})
		if err != nil {
			return nil, err
		}
		for _, t := range tags {
			all[i].Tags = append(all[i].Tags, feedback.TagID(t))
		}
	}
	return all, err
}
