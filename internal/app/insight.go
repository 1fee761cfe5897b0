package app

import (
	"context"
	"time"

	"heed/internal/feedback"
	"heed/internal/store"
)

// Insights returns the themes of the site as last published.
func (tx *Tx) Insights(ctx context.Context) (*feedback.Insights, error) {
	return tx.s.Insights(ctx, tx.site.ID)
}

// ThemePosts lists the posts of a published theme, the most typical first. They
// may be archived or on a private board: it is for members of the account.
func (tx *Tx) ThemePosts(ctx context.Context, theme string, w feedback.Window) (feedback.Page[feedback.Post], error) {
	var page feedback.Page[feedback.Post]
	t, err := tx.Theme(ctx, theme)
	if err != nil {
		return page, err
	}
	if err := w.Check(); err != nil {
		return page, err
	}
	posts, places, err := tx.s.PostsOfTheme(ctx, tx.site.ID, t.ID, at(w, 0, -1), w.Limit+1)
	if err != nil {
		return page, err
	}
	page.Items = posts
	if len(posts) > w.Limit {
		page.Items, page.Next = posts[:w.Limit], feedback.Position{places[w.Limit-1]}
	}
	return page, nil
}

// InsightRun returns the newest search for the themes of the site, nil if there
// was none: while it is under way, how far it has come.
func (tx *Tx) InsightRun(ctx context.Context) (*feedback.InsightRun, error) {
	return tx.s.LastInsightRun(ctx, tx.site.ID)
}

// RequestInsights asks for a search for the themes of the site now. It returns
// the run that will do it, which may be one that is under way.
func (tx *Tx) RequestInsights(ctx context.Context) (*feedback.InsightRun, error) {
	run, err := queueInsights(ctx, tx.s, tx.site.ID, true)
	if err != nil {
		return nil, err
	}
	tx.s.AfterCommit(tx.app.insightsAsked.hint)
	return run, nil
}

// queueInsights returns the run of a site that is not finished, a new one if
// there is none.
func queueInsights(ctx context.Context, s *store.Tx, site feedback.SiteID, asked bool) (*feedback.InsightRun, error) {
	run := &feedback.InsightRun{
		ID: feedback.InsightRunID(s.NextID()), SiteID: site, Status: feedback.InsightQueued, Asked: asked, CreatedAt: s.Now,
	}
	isNew, err := s.InsertInsightRun(ctx, run)
	if err != nil || isNew {
		return run, err
	}
	last, err := s.LastInsightRun(ctx, site)
	if err == nil && (last == nil || !last.Status.Active()) {
		// It ended while we looked; its result is younger than the question.
		return last, nil
	}
	return last, err
}

// InsightsAsked is signalled when somebody asks for a run. It is a hint:
// [App.WaitingInsights] says for which site.
func (a *App) InsightsAsked() <-chan struct{} { return a.insightsAsked }

// WaitingInsights returns the runs that nobody does: they were asked for, or
// whoever did them has vanished.
func (a *App) WaitingInsights(ctx context.Context) (runs []feedback.InsightRun, err error) {
	err = a.db.Read(ctx, func(s *store.Tx) error {
		runs, err = s.QueuedInsightRuns(ctx, 100)
		return err
	})
	return runs, err
}

// AIUnits returns what the account has used of the AI provider this month.
func (tx *Tx) AIUnits(ctx context.Context) (int, error) {
	return tx.s.UsedUnits(ctx, tx.actor.Account.ID, monthOf(tx.s.Now))
}

// monthOf numbers the months in UTC, such as 202611.
func monthOf(t time.Time) int {
	t = t.UTC()
	return t.Year()*100 + int(t.Month())
}

// When a site gets a run by itself.
const (
	insightsEvery = 24 * time.Hour
	// retryFailed is for a provider that may be back, and retryPaused for a
	// quota that may have been raised: being refused costs nothing.
	retryFailed = time.Hour
	retryPaused = 6 * time.Hour

	// Fewer posts than this a person reads as quickly as their themes.
	fewestPosts = 5
	// A new site is left alone at first: whoever sets it up is still filling
	// it, or measuring.
	firstAfter = time.Hour
	// Trends look this far back, so they change for as long without a new post.
	trendMemory = 60 * 24 * time.Hour
)

// DueInsights returns the sites of all accounts whose daily run is due: those
// whose posts, or the trends of whose themes, may have changed.
func (a *App) DueInsights(ctx context.Context) (sites []feedback.SiteID, err error) {
	const page = 500
	err = a.db.Read(ctx, func(s *store.Tx) error {
		for after := feedback.SiteID(0); ; {
			found, err := s.DueSites(ctx, after, page)
			if err != nil {
				return err
			}
			for i := range found {
				if d := &found[i]; insightsDue(d, s.Now) {
					sites = append(sites, d.ID)
				}
				after = found[i].ID
			}
			if len(found) < page {
				return nil
			}
		}
	})
	return sites, err
}

func insightsDue(d *store.DueSite, now time.Time) bool {
	switch {
	case d.Posts < fewestPosts && d.State.PublishedAt.IsZero():
		return false
	case d.State.PublishedAt.IsZero():
		return now.Sub(d.CreatedAt) >= firstAfter
	case d.Posts != d.State.PostCount || d.Newest != d.State.NewestPost:
		return true
	}
	return d.State.PublishedAt.Sub(d.Newest.Time()) < trendMemory
}

// hint is a channel that says there is something to look for. Sending never
// waits, and several hints may be one.
type hint chan struct{}

func newHint() hint { return make(hint, 1) }

func (h hint) hint() {
	select {
	case h <- struct{}{}:
	default:
	}
}

// trendWeeks is how far back the trends of themes are drawn.
const trendWeeks = 12

// Trends are the new posts of themes week by week.
type Trends struct {
	Weeks []time.Time // when each begins
	Posts map[feedback.ThemeID][]int
}

// Of is the weeks of one theme.
func (t *Trends) Of(theme feedback.ThemeID) []int {
	if weeks := t.Posts[theme]; weeks != nil {
		return weeks
	}
	return make([]int, len(t.Weeks))
}

// Trends returns how many posts came to each theme in the last weeks. Weeks end
// now, so that the last is as long as the others.
func (tx *Tx) Trends(ctx context.Context) (*Trends, error) {
	const week = 7 * 24 * time.Hour
	first := tx.s.Now.Add(-trendWeeks * week)
	counts, err := tx.s.ThemeWeeks(ctx, tx.site.ID, first, week)
	if err != nil {
		return nil, err
	}
	out := &Trends{Posts: map[feedback.ThemeID][]int{}}
	for i := range trendWeeks {
		out.Weeks = append(out.Weeks, first.Add(time.Duration(i)*week))
	}
	for _, c := range counts {
		if out.Posts[c.Theme] == nil {
			out.Posts[c.Theme] = make([]int, trendWeeks)
		}
		out.Posts[c.Theme][min(c.Week, trendWeeks-1)] += c.Posts
	}
	return out, nil
}

// Theme returns a published theme of the site.
func (tx *Tx) Theme(ctx context.Context, theme string) (*feedback.Theme, error) {
	return find("", "theme", theme, func(id feedback.ThemeID) (*feedback.Theme, error) {
		return tx.s.Theme(ctx, tx.site.ID, id)
	})
}

// AI says what the installation has its themes found by.
type AI struct {
	Provider     bool // an outside one, which counts units; else the model in the binary
	MonthlyUnits int  // that an account may use in a month
}

// SetAI says what themes are found by. It may be called once that is known.
func (a *App) SetAI(ai AI) { a.ai.Store(&ai) }

// AI is what SetAI said.
func (a *App) AI() AI {
	if ai := a.ai.Load(); ai != nil {
		return *ai
	}
	return AI{}
}
