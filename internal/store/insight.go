package store

import (
	"context"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
)

// Insights returns what is published of a site's themes, the largest first. It
// is one query, so that the themes are those of the run whose time is given.
func (tx *Tx) Insights(ctx context.Context, site feedback.SiteID) (*feedback.Insights, error) {
	rows, err := tx.q.query(ctx, `
		SELECT i.published_at, i.quota_paused,
		       t.id, t.label, t.summary, t.sentiment, t.post_count, t.trend, t.trend_delta, t.written_posts
		FROM   site_insights i
		LEFT JOIN themes t ON t.site_id = i.site_id
		WHERE  i.site_id = $1
		ORDER  BY t.position, t.id`, site)
	if err != nil {
		return nil, wrap("insights", err)
	}
	defer rows.Close()
	out := &feedback.Insights{}
	for rows.Next() {
		t := feedback.Theme{SiteID: site}
		var label, trend *string
		var count, delta, written *int
		err := rows.Scan(at(&out.LastRunAt), &out.QuotaPaused, &t.ID, &label, &t.Summary, &t.Sentiment, &count, &trend, &delta, &written)
		if err != nil {
			return nil, wrap("insights", err)
		}
		if t.ID == 0 {
			continue // no themes
		}
		t.Label, t.PostCount, t.Trend, t.TrendDelta = *label, *count, feedback.Trend(*trend), *delta
		if written != nil {
			t.WrittenPosts = *written
		}
		out.Themes = append(out.Themes, t)
	}
	return out, wrap("insights", rows.Err())
}

// InsightState is what a run must know of those before it.
type InsightState struct {
	Run         feedback.InsightRunID // the published one; zero: none
	PublishedAt time.Time             // zero: never
	QuotaPaused bool
	Model       string
	FullPosts   int             // posts when all were clustered anew
	PostCount   int             // posts when last published
	NewestPost  feedback.PostID // the newest of them
	NextRunAt   time.Time       // not before; zero: any time
	EmbeddedTo  feedback.PostID // posts up to here have been seen for their meaning
}

const stateOfInsights = `insight_run_id, published_at, quota_paused, model, full_posts, post_count, newest_post, next_run_at, embedded_to`

func (s *InsightState) fields() []any {
	return []any{&s.Run, at(&s.PublishedAt), &s.QuotaPaused, &s.Model, &s.FullPosts, &s.PostCount, &s.NewestPost,
		at(&s.NextRunAt), &s.EmbeddedTo}
}

// InsightState returns the state of a site, nil if there was no run.
func (tx *Tx) InsightState(ctx context.Context, site feedback.SiteID) (*InsightState, error) {
	var s InsightState
	found, err := tx.row(ctx, `
		SELECT `+stateOfInsights+`
		FROM   site_insights
		WHERE  site_id = $1`, []any{site}, s.fields()...)
	if err != nil || !found {
		return nil, wrap("insight state", err)
	}
	return &s, nil
}

// PutInsightState stores the state of a site. EmbeddedTo is left as it is:
// [Tx.SetEmbeddedTo] moves it.
func (tx *Tx) PutInsightState(ctx context.Context, site feedback.SiteID, s *InsightState) error {
	_, err := tx.exec(ctx, `
		INSERT INTO site_insights (site_id, `+stateOfInsights+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (site_id) DO UPDATE
		SET    insight_run_id = excluded.insight_run_id, published_at = excluded.published_at,
		       quota_paused = excluded.quota_paused, model = excluded.model, full_posts = excluded.full_posts,
		       post_count = excluded.post_count, newest_post = excluded.newest_post,
		       next_run_at = excluded.next_run_at`,
		site, s.Run, micros(s.PublishedAt), s.QuotaPaused, s.Model, s.FullPosts, s.PostCount, int64(s.NewestPost),
		micros(s.NextRunAt), int64(s.EmbeddedTo))
	return wrap("put insight state", err)
}

// SetThemes replaces the published themes of a site, in the order given.
func (tx *Tx) SetThemes(ctx context.Context, site feedback.SiteID, themes []feedback.Theme) error {
	if _, err := tx.exec(ctx, `DELETE FROM themes WHERE site_id = $1`, site); err != nil {
		return wrap("clear themes", err)
	}
	rows := tx.bulk("themes", "site_id", "id", "position", "label", "summary", "sentiment", "post_count", "trend",
		"trend_delta", "written_posts")
	for i, t := range themes {
		var sentiment any
		if t.Sentiment != nil {
			sentiment = string(*t.Sentiment)
		}
		err := rows.add(ctx, site, t.ID, i, t.Label, t.Summary, sentiment, t.PostCount, string(t.Trend),
			t.TrendDelta, maybe(int64(t.WrittenPosts)))
		if err != nil {
			return err
		}
	}
	return rows.flush(ctx)
}

// ThemePost is a post as a run has placed it.
type ThemePost struct {
	Post     feedback.PostID
	Theme    feedback.ThemeID // zero: in none
	TextHash int64
}

// AddThemePosts writes down how a run has placed posts, at the positions that
// begin with first. Nobody sees them before the run is published.
func (tx *Tx) AddThemePosts(ctx context.Context, site feedback.SiteID, run feedback.InsightRunID, first int, posts []ThemePost) error {
	rows := tx.bulk("theme_posts", "site_id", "insight_run_id", "post_id", "theme_id", "position", "text_hash")
	for i, p := range posts {
		if err := rows.add(ctx, site, run, p.Post, p.Theme, first+i, p.TextHash); err != nil {
			return err
		}
	}
	return rows.flush(ctx)
}

// ThemePosts lists how a run placed the posts of a site, after the post given.
func (tx *Tx) ThemePosts(ctx context.Context, site feedback.SiteID, run feedback.InsightRunID, after feedback.PostID, limit int) ([]ThemePost, error) {
	out, err := collect(ctx, tx, `
		SELECT post_id, theme_id, text_hash
		FROM   theme_posts
		WHERE  site_id = $1 AND insight_run_id = $2 AND post_id > $3
		ORDER  BY post_id
		LIMIT  $4 + 0`, []any{site, run, int64(after), limit}, func(r rows, p *ThemePost) error {
		return r.Scan(&p.Post, &p.Theme, &p.TextHash)
	})
	return out, wrap("theme posts", err)
}

// PostsOfTheme lists the posts of a published theme, the most typical first, and
// the position of each, after the position given. Posts that were merged since
// are left out.
func (tx *Tx) PostsOfTheme(ctx context.Context, site feedback.SiteID, theme feedback.ThemeID, after int64, limit int) ([]feedback.Post, []int64, error) {
	var places []int64
	posts, err := collect(ctx, tx, `
		SELECT `+postColumns+`, m.position
		FROM   site_insights i
		JOIN   theme_posts m ON m.site_id = i.site_id AND m.insight_run_id = i.insight_run_id
		JOIN   posts p ON p.site_id = m.site_id AND p.id = m.post_id
		WHERE  i.site_id = $1 AND m.theme_id = $2 AND m.position > $3 AND p.merged_into IS NULL AND NOT p.held
		ORDER  BY m.position
		LIMIT  $4 + 0`, []any{site, theme, after, limit}, func(r rows, p *feedback.Post) error {
		var place int64
		p.SiteID = site
		err := r.Scan(append(postFields(p), &place)...)
		places = append(places, place)
		return err
	})
	if err != nil {
		return nil, nil, wrap("posts of theme", err)
	}
	return posts, places, tx.label(ctx, site, posts, false)
}

// Theme returns a published theme, or nil.
func (tx *Tx) Theme(ctx context.Context, site feedback.SiteID, id feedback.ThemeID) (*feedback.Theme, error) {
	all, err := tx.Insights(ctx, site)
	if err != nil {
		return nil, err
	}
	for i := range all.Themes {
		if all.Themes[i].ID == id {
			return &all.Themes[i], nil
		}
	}
	return nil, nil
}

// ForgetThemePosts deletes up to limit rows of runs that are neither published
// nor under way, and returns how many there were.
func (tx *Tx) ForgetThemePosts(ctx context.Context, site feedback.SiteID, limit int) (int64, error) {
	n, err := tx.exec(ctx, `
		DELETE FROM theme_posts
		WHERE  site_id = $1 AND (insight_run_id, post_id) IN (
			SELECT m.insight_run_id, m.post_id
			FROM   insight_runs r
			JOIN   theme_posts m ON m.site_id = r.site_id AND m.insight_run_id = r.id
			WHERE  r.site_id = $1 AND r.status NOT IN ('queued', 'running')
			AND    NOT EXISTS (SELECT 1 FROM site_insights i WHERE i.site_id = r.site_id AND i.insight_run_id = r.id)
			LIMIT  $2 + 0)`, site, limit)
	return n, wrap("forget theme posts", err)
}

// ForgetRunPosts deletes what a run has placed.
func (tx *Tx) ForgetRunPosts(ctx context.Context, site feedback.SiteID, run feedback.InsightRunID) error {
	_, err := tx.exec(ctx, `DELETE FROM theme_posts WHERE site_id = $1 AND insight_run_id = $2`, site, run)
	return wrap("forget run posts", err)
}

// DueSite is a site whose time for a run has come.
type DueSite struct {
	feedback.Site
	Posts  int             // in lists
	Newest feedback.PostID // the highest id; zero: none
	State  InsightState    // zero: no run yet
}

// DueSites lists the sites of all accounts whose next run may be now, after the
// site given.
func (tx *Tx) DueSites(ctx context.Context, after feedback.SiteID, limit int) ([]DueSite, error) {
	out, err := collect(ctx, tx, `
		SELECT s.id, s.account_id, s.created_at,
		       COALESCE((SELECT CAST(SUM(b.post_count) AS BIGINT) FROM boards b WHERE b.site_id = s.id), 0),
		       (SELECT MAX(p.id) FROM posts p WHERE p.site_id = s.id),
		       i.insight_run_id, i.published_at, COALESCE(i.quota_paused, FALSE), COALESCE(i.model, ''), COALESCE(i.full_posts, 0),
		       COALESCE(i.post_count, 0), i.newest_post, i.next_run_at, i.embedded_to
		FROM   sites s
		LEFT JOIN site_insights i ON i.site_id = s.id
		WHERE  s.id > $1 AND (i.next_run_at IS NULL OR i.next_run_at <= $2)
		ORDER  BY s.id
		LIMIT  $3 + 0`, []any{int64(after), micros(tx.Now), limit}, func(r rows, d *DueSite) error {
		return r.Scan(append([]any{&d.ID, &d.AccountID, at(&d.CreatedAt), &d.Posts, &d.Newest}, d.State.fields()...)...)
	})
	return out, wrap("due sites", err)
}

// SiteSize returns how many posts the lists of a site hold, and the newest of
// all its posts.
func (tx *Tx) SiteSize(ctx context.Context, site feedback.SiteID) (posts int, newest feedback.PostID, err error) {
	_, err = tx.row(ctx, `
		SELECT COALESCE((SELECT CAST(SUM(b.post_count) AS BIGINT) FROM boards b WHERE b.site_id = $1), 0),
		       (SELECT MAX(p.id) FROM posts p WHERE p.site_id = $1)`, []any{site}, &posts, &newest)
	return posts, newest, wrap("site size", err)
}

// ThemeWeek counts the posts of a theme in one of the weeks asked for, from 0.
type ThemeWeek struct {
	Theme feedback.ThemeID
	Week  int
	Posts int
}

// ThemeWeeks counts the posts of the published themes by when they were created,
// from a moment on, week by week. The time is in the id of a post.
func (tx *Tx) ThemeWeeks(ctx context.Context, site feedback.SiteID, from time.Time, week time.Duration) ([]ThemeWeek, error) {
	first := ids.Floor(from)
	out, err := collect(ctx, tx, `
		SELECT m.theme_id, (m.post_id - $1) / $2, COUNT(*)
		FROM   site_insights i
		JOIN   theme_posts m ON m.site_id = i.site_id AND m.insight_run_id = i.insight_run_id
		WHERE  i.site_id = $3 AND m.post_id >= $4 AND m.theme_id IS NOT NULL
		GROUP  BY m.theme_id, (m.post_id - $1) / $2
		ORDER  BY m.theme_id`, []any{first, ids.Floor(from.Add(week)) - first, site, first}, func(r rows, w *ThemeWeek) error {
		return r.Scan(&w.Theme, &w.Week, &w.Posts)
	})
	return out, wrap("weeks of themes", err)
}
