package store

import (
	"context"
	"fmt"
	"strings"

	"heed/internal/feedback"
)

// plan returns how a database would run a query with arguments like these.
func (tx *Tx) plan(ctx context.Context, query string, args ...any) (string, error) {
	explain := "EXPLAIN "
	if tx.d.name() == "sqlite" {
		explain = "EXPLAIN QUERY PLAN "
	}
	rows, err := tx.q.QueryContext(ctx, explain+query, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for rows.Next() {
		into := make([]any, len(columns))
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
