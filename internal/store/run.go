package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

const runColumns = `site_id, id, number, post_id, entry_id, title, kind, mode, status, ci_result, repo, pr_url, pr_number,
		       notified_count, step_count, created_at, completed_at`

func scanRun(r rows, v *feedback.Run) error {
	return r.Scan(&v.SiteID, &v.ID, &v.Number, &v.PostID, &v.EntryID, &v.Title, &v.Kind, &v.Mode, &v.Status, &v.CIResult,
		&v.Repo, &v.PRURL, &v.PRNumber, &v.NotifiedCount, &v.StepCount, at(&v.CreatedAt), at(&v.CompletedAt))
}

// NextRunNumber counts the runs of a site. The number is taken only if the
// transaction commits, so there are no gaps.
func (tx *Tx) NextRunNumber(ctx context.Context, site feedback.SiteID) (n int, err error) {
	_, err = tx.row(ctx, `
		UPDATE sites SET run_count = run_count + 1
		WHERE  id = $1
		RETURNING run_count`, []any{site}, &n)
	return n, wrap("next run number", err)
}

// InsertRun stores a new run.
func (tx *Tx) InsertRun(ctx context.Context, r *feedback.Run) error {
	_, err := tx.exec(ctx, `INSERT INTO run_sites (run_id, site_id) VALUES ($1, $2)`, r.ID, r.SiteID)
	if err != nil {
		return wrap("insert run", err)
	}
	_, err = tx.exec(ctx, `
		INSERT INTO runs (site_id, id, number, post_id, title, kind, mode, status, ci_result, repo,
		                  notified_count, step_count, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $11)`,
		r.SiteID, r.ID, r.Number, r.PostID, r.Title, r.Kind, r.Mode, r.Status, r.CIResult, r.Repo, micros(r.CreatedAt))
	return wrap("insert run", err)
}

// RunSite returns the site of a run if it is the account's, or nil.
func (tx *Tx) RunSite(ctx context.Context, account feedback.AccountID, id feedback.RunID) (*feedback.Site, error) {
	s, err := first(collect(ctx, tx, `
		SELECT s.id, s.account_id, s.name, s.slug, s.created_at
		FROM   run_sites r
		JOIN   sites s ON s.id = r.site_id
		WHERE  r.run_id = $1 AND s.account_id = $2`, []any{id, account}, scanSite))
	return s, wrap("site of run", err)
}

// Run returns a run, or nil.
func (tx *Tx) Run(ctx context.Context, site feedback.SiteID, id feedback.RunID) (*feedback.Run, error) {
	return tx.run(ctx, site, id, "")
}

// LockRun is Run for a run that must not change until the transaction is over.
func (tx *Tx) LockRun(ctx context.Context, site feedback.SiteID, id feedback.RunID) (*feedback.Run, error) {
	return tx.run(ctx, site, id, tx.d.forUpdate())
}

func (tx *Tx) run(ctx context.Context, site feedback.SiteID, id feedback.RunID, lock string) (*feedback.Run, error) {
	r, err := first(collect(ctx, tx, `
		SELECT `+runColumns+`
		FROM   runs
		WHERE  site_id = $1 AND id = $2`+lock, []any{site, id}, scanRun))
	return r, wrap("run", err)
}

// ActiveRun returns the unfinished run about a post, or zero.
func (tx *Tx) ActiveRun(ctx context.Context, site feedback.SiteID, post feedback.PostID) (id feedback.RunID, err error) {
	_, err = tx.row(ctx, `
		SELECT id FROM runs
		WHERE  site_id = $1 AND post_id = $2 AND status NOT IN ('SHIPPED', 'FAILED')`, []any{site, post}, &id)
	return id, wrap("active run", err)
}

// Runs lists the runs of a site, newest first, below the id given.
func (tx *Tx) Runs(ctx context.Context, site feedback.SiteID, below feedback.RunID, limit int) ([]feedback.Run, error) {
	out, err := collect(ctx, tx, `
		SELECT `+runColumns+`
		FROM   runs
		WHERE  site_id = $1 AND id < $2
		ORDER  BY id DESC
		LIMIT  $3 + 0`, []any{site, below, limit}, scanRun)
	return out, wrap("runs", err)
}

// UpdateRun stores what can change in a run.
func (tx *Tx) UpdateRun(ctx context.Context, r *feedback.Run) error {
	_, err := tx.exec(ctx, `
		UPDATE runs
		SET    status = $1, ci_result = $2, repo = $3, pr_url = $4, pr_number = $5, entry_id = $6,
		       notified_count = $7, step_count = $8, completed_at = $9
		WHERE  site_id = $10 AND id = $11`,
		r.Status, r.CIResult, r.Repo, r.PRURL, r.PRNumber, r.EntryID, r.NotifiedCount, r.StepCount, micros(r.CompletedAt),
		r.SiteID, r.ID)
	return wrap("update run", err)
}

// InsertStep stores a new step.
func (tx *Tx) InsertStep(ctx context.Context, s *feedback.Step) error {
	_, err := tx.exec(ctx, `
		INSERT INTO run_steps (site_id, id, run_id, seq, tone, label, detail, code, label_meta, at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		s.SiteID, s.ID, s.RunID, s.Seq, s.Tone, s.Label, s.Detail, s.Code, s.LabelMeta, s.At.UnixMicro(), micros(tx.Now))
	return wrap("insert step", err)
}

// Steps lists the steps of a run in order, after the one given.
func (tx *Tx) Steps(ctx context.Context, site feedback.SiteID, run feedback.RunID, after int, limit int) ([]feedback.Step, error) {
	out, err := collect(ctx, tx, `
		SELECT site_id, id, run_id, seq, tone, label, detail, code, label_meta, at
		FROM   run_steps
		WHERE  site_id = $1 AND run_id = $2 AND seq > $3
		ORDER  BY seq
		LIMIT  $4 + 0`, []any{site, run, after, limit}, func(r rows, s *feedback.Step) error {
		return r.Scan(&s.SiteID, &s.ID, &s.RunID, &s.Seq, &s.Tone, &s.Label, &s.Detail, &s.Code, &s.LabelMeta, at(&s.At))
	})
	return out, wrap("steps", err)
}

// QueuePost is a post as the queue sees it.
type QueuePost struct {
	ID    feedback.PostID
	Title string
	Votes int
}

// OpenPosts returns the posts at one status (zero: none) with the most votes,
// the oldest first among equals. Archived, merged, held and withheld posts are
// not open.
// The index gives them in this order, so the cost is that of the page.
func (tx *Tx) OpenPosts(ctx context.Context, site feedback.SiteID, status feedback.StatusID, limit int) ([]QueuePost, error) {
	query, args := `
		SELECT id, title, vote_count
		FROM   posts
		WHERE  site_id = $1 AND status_id = $2 AND NOT archived AND merged_into IS NULL AND NOT held AND NOT withheld
		ORDER  BY vote_count DESC, id
		LIMIT  $3 + 0`, []any{site, status, limit}
	if status == 0 {
		query, args = `
		SELECT id, title, vote_count
		FROM   posts
		WHERE  site_id = $1 AND status_id IS NULL AND NOT archived AND merged_into IS NULL AND NOT held AND NOT withheld
		ORDER  BY vote_count DESC, id
		LIMIT  $2 + 0`, []any{site, limit}
	}
	out, err := collect(ctx, tx, query, args, scanQueuePost)
	return out, wrap("open posts", err)
}

// ShippedPosts returns the posts whose newest run shipped since a time, by
// votes.
func (tx *Tx) ShippedPosts(ctx context.Context, site feedback.SiteID, since time.Time, limit int) ([]QueuePost, error) {
	out, err := collect(ctx, tx, `
		SELECT DISTINCT p.id, p.title, p.vote_count
		FROM   runs r
		JOIN   posts p ON p.site_id = r.site_id AND p.id = r.post_id
		WHERE  r.site_id = $1 AND r.status = 'SHIPPED' AND r.completed_at >= $2
		AND    NOT p.archived AND p.merged_into IS NULL AND NOT p.held
		ORDER  BY p.vote_count DESC, p.id
		LIMIT  $3 + 0`, []any{site, micros(since), limit}, scanQueuePost)
	return out, wrap("shipped posts", err)
}

func scanQueuePost(r rows, p *QueuePost) error { return r.Scan(&p.ID, &p.Title, &p.Votes) }

// NewestRuns returns the newest run of each of the posts that has any.
func (tx *Tx) NewestRuns(ctx context.Context, site feedback.SiteID, posts []feedback.PostID) (map[feedback.PostID]*feedback.Run, error) {
	newest := make(map[feedback.PostID]*feedback.Run, len(posts))
	if len(posts) == 0 {
		return newest, nil
	}
	in, args := idList([]any{site}, posts)
	runs, err := collect(ctx, tx, `
		SELECT `+runColumns+`
		FROM   runs
		WHERE  site_id = $1 AND id IN (
			SELECT MAX(id) FROM runs
			WHERE  site_id = $1 AND post_id IN (`+in+`)
			GROUP  BY post_id)
		ORDER  BY id`, args, scanRun)
	if err != nil {
		return nil, wrap("newest runs", err)
	}
	for i := range runs {
		newest[runs[i].PostID] = &runs[i]
	}
	return newest, nil
}
