package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

const insightRunColumns = `site_id, id, status, asked, stage, done, total, is_full, post_count, theme_count, failure,
		       created_at, started_at, finished_at`

func scanInsightRun(r rows, v *feedback.InsightRun) error {
	var failure *feedback.InsightFailure
	err := r.Scan(&v.SiteID, &v.ID, &v.Status, &v.Asked, &v.Stage, &v.Done, &v.Total, &v.Full, &v.Posts, &v.Themes, &failure,
		at(&v.CreatedAt), at(&v.StartedAt), at(&v.FinishedAt))
	if failure != nil {
		v.Failure = *failure
	}
	return err
}

// InsertInsightRun queues a run and reports whether it could: a site has one
// that is not finished.
func (tx *Tx) InsertInsightRun(ctx context.Context, r *feedback.InsightRun) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO insight_runs (site_id, id, status, asked, attempts, stage, done, total, is_full, post_count, theme_count, created_at)
		VALUES ($1, $2, $3, $4, 0, '', 0, 0, FALSE, 0, 0, $5)
		ON CONFLICT (site_id) WHERE status IN ('queued', 'running') DO NOTHING`,
		r.SiteID, r.ID, string(r.Status), r.Asked, micros(r.CreatedAt))
	return n > 0, wrap("insert insight run", err)
}

// LastInsightRun returns the newest run of a site, or nil. The one that is not
// finished, if there is one, is the newest.
func (tx *Tx) LastInsightRun(ctx context.Context, site feedback.SiteID) (*feedback.InsightRun, error) {
	r, err := first(collect(ctx, tx, `
		SELECT `+insightRunColumns+`
		FROM   insight_runs
		WHERE  site_id = $1
		ORDER  BY id DESC
		LIMIT  1`, []any{site}, scanInsightRun))
	return r, wrap("last insight run", err)
}

// QueuedInsightRuns lists the runs of all sites that wait for somebody to do
// them: those that were queued, and those whose holder has not been heard of.
func (tx *Tx) QueuedInsightRuns(ctx context.Context, limit int) ([]feedback.InsightRun, error) {
	out, err := collect(ctx, tx, `
		SELECT `+insightRunColumns+`
		FROM   insight_runs
		WHERE  status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < $1)
		ORDER  BY id
		LIMIT  $2 + 0`, []any{micros(tx.Now), limit}, scanInsightRun)
	return out, wrap("queued insight runs", err)
}

// ClaimInsightRun gives a waiting run to holder until a time, and returns how
// often it has been given away, or 0 if it does not wait.
func (tx *Tx) ClaimInsightRun(ctx context.Context, r *feedback.InsightRun, holder int64, until time.Time) (attempts int, err error) {
	_, err = tx.row(ctx, `
		UPDATE insight_runs
		SET    status = 'running', holder = $1, lease_until = $2, attempts = attempts + 1, started_at = $3,
		       stage = '', done = 0, total = 0
		WHERE  site_id = $4 AND id = $5 AND status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < $6)
		RETURNING attempts`,
		[]any{holder, micros(until), micros(tx.Now), r.SiteID, r.ID, micros(tx.Now)}, &attempts)
	return attempts, wrap("claim insight run", err)
}

// TouchInsightRun writes down how far a run has come and prolongs its lease. It
// reports whether holder still has it.
func (tx *Tx) TouchInsightRun(ctx context.Context, r *feedback.InsightRun, holder int64, until time.Time) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE insight_runs
		SET    lease_until = $1, stage = $2, done = $3, total = $4
		WHERE  site_id = $5 AND id = $6 AND status = 'running' AND holder = $7`,
		micros(until), r.Stage, r.Done, r.Total, r.SiteID, r.ID, holder)
	return n > 0, wrap("touch insight run", err)
}

// FinishInsightRun ends a run. It reports whether holder still had it.
func (tx *Tx) FinishInsightRun(ctx context.Context, r *feedback.InsightRun, holder int64) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE insight_runs
		SET    status = $1, holder = NULL, lease_until = NULL, is_full = $2, post_count = $3, theme_count = $4,
		       failure = $5, finished_at = $6
		WHERE  site_id = $7 AND id = $8 AND status = 'running' AND holder = $9`,
		string(r.Status), r.Full, r.Posts, r.Themes, text(string(r.Failure)), micros(tx.Now), r.SiteID, r.ID, holder)
	return n > 0, wrap("finish insight run", err)
}

// ReleaseInsightRun puts a run back into the queue, as if it had not been begun.
func (tx *Tx) ReleaseInsightRun(ctx context.Context, r *feedback.InsightRun, holder int64) error {
	_, err := tx.exec(ctx, `
		UPDATE insight_runs
		SET    status = 'queued', holder = NULL, lease_until = NULL, attempts = attempts - 1, stage = '', done = 0, total = 0
		WHERE  site_id = $1 AND id = $2 AND status = 'running' AND holder = $3`, r.SiteID, r.ID, holder)
	return wrap("release insight run", err)
}

// ForgetInsightRuns deletes the runs of a site that ended before a time, but for
// the published one and those whose rows are still there.
func (tx *Tx) ForgetInsightRuns(ctx context.Context, site feedback.SiteID, before time.Time) error {
	_, err := tx.exec(ctx, `
		DELETE FROM insight_runs
		WHERE  site_id = $1 AND finished_at < $2
		AND    NOT EXISTS (
			SELECT 1 FROM site_insights i
			WHERE  i.site_id = insight_runs.site_id AND i.insight_run_id = insight_runs.id)
		AND    NOT EXISTS (
			SELECT 1 FROM theme_posts m
			WHERE  m.site_id = insight_runs.site_id AND m.insight_run_id = insight_runs.id)`, site, micros(before))
	return wrap("forget insight runs", err)
}

// ReserveUnits adds to what an account uses of the provider in a month, unless
// that would exceed the limit, and reports whether it did. It is one statement:
// of several nodes that ask for the last units one gets them.
func (tx *Tx) ReserveUnits(ctx context.Context, account feedback.AccountID, month, units, limit int) (bool, error) {
	if units > limit {
		return false, nil
	}
	n, err := tx.exec(ctx, `
		INSERT INTO ai_usage (account_id, month, units)
		VALUES ($1, $2, $3)
		ON CONFLICT (account_id, month) DO UPDATE
		SET    units = ai_usage.units + excluded.units
		WHERE  ai_usage.units + excluded.units <= $4`, account, month, units, limit)
	return n > 0, wrap("reserve units", err)
}

// RefundUnits gives units back to the month they were reserved in.
func (tx *Tx) RefundUnits(ctx context.Context, account feedback.AccountID, month, units int) error {
	_, err := tx.exec(ctx, `
		UPDATE ai_usage SET units = units - $1
		WHERE  account_id = $2 AND month = $3`, units, account, month)
	return wrap("refund units", err)
}

// UsedUnits returns what an account has used of the provider in a month.
func (tx *Tx) UsedUnits(ctx context.Context, account feedback.AccountID, month int) (n int, err error) {
	_, err = tx.row(ctx, `SELECT units FROM ai_usage WHERE account_id = $1 AND month = $2`, []any{account, month}, &n)
	return n, wrap("used units", err)
}
