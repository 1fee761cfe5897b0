package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/store"
)

// What goes between the rows and whoever makes sense of texts.
type (
	PostText   = store.PostText
	PostVector = store.PostVector
	ThemePost  = store.ThemePost
)

const (
	// insightLease is how long a run is another's to do once its holder has
	// fallen silent. The holder reports several times in that time.
	insightLease = time.Minute

	// maxInsightAttempts is how often a run is begun. One that takes the
	// process down with it must not do so for ever.
	maxInsightAttempts = 3

	// keepInsightRuns is how long a finished run can be looked at.
	keepInsightRuns = 90 * 24 * time.Hour

	insightBatch = 2000 // rows in a transaction: others get to write in between
)

// ErrInsightLost is returned by the methods of [InsightWork] once the run is
// no longer this process's to do.
var ErrInsightLost = errors.New("the run was given to another process")

// InsightWork is a run that this process does. Its methods may be used by
// several goroutines, but for Publish, Stop and Release, of which one ends it.
type InsightWork struct {
	app     *App
	run     feedback.InsightRun
	account feedback.AccountID
	holder  int64
	posts   int // in lists when it began
	newest  feedback.PostID
	themes  ids.Source
}

// Run returns the run as it was when it began.
func (w *InsightWork) Run() feedback.InsightRun { return w.run }

// BeginInsights takes over the run of a site that waits to be done, or a new one
// if there is none. Across all nodes one at a time does it; for the others it is
// a RUN_ACTIVE error. site is as the caller spelled it.
func (a *App) BeginInsights(ctx context.Context, site string, asked bool) (*InsightWork, error) {
	var w *InsightWork
	var gaveUp bool
	err := a.db.Write(ctx, func(s *store.Tx) error {
		w, gaveUp = nil, false
		owner, err := find("site", "site", site, func(id feedback.SiteID) (*feedback.Site, error) { return s.AnySite(ctx, id) })
		if err != nil {
			return err
		}
		run, err := queueInsights(ctx, s, owner.ID, asked)
		if err != nil {
			return err
		}
		if run == nil || !run.Status.Active() {
			return feedback.ErrInsightsRunning(owner.ID)
		}
		w = &InsightWork{app: a, run: *run, account: owner.AccountID, holder: rand.Int64N(math.MaxInt64)}
		attempts, err := s.ClaimInsightRun(ctx, run, w.holder, s.Now.Add(insightLease))
		if err != nil {
			return err
		}
		if attempts == 0 {
			return feedback.ErrInsightsRunning(owner.ID)
		}
		if gaveUp = attempts > maxInsightAttempts; gaveUp {
			return w.stop(ctx, s, feedback.InsightFailed, feedback.Interrupted)
		}
		w.run.Status, w.run.StartedAt = feedback.InsightRunning, s.Now
		w.posts, w.newest, err = s.SiteSize(ctx, owner.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if gaveUp {
		return nil, fmt.Errorf("insights of %s: given up after %d attempts that did not end", site, maxInsightAttempts)
	}
	return w, nil
}

// InsightHistory is what the runs before have published.
type InsightHistory struct {
	Model     string // of the vectors; empty: there was no run
	FullPosts int    // posts when all were clustered anew
	Themes    []feedback.Theme
	Placed    []ThemePost
}

// History returns what is published now.
func (w *InsightWork) History(ctx context.Context) (*InsightHistory, error) {
	h := &InsightHistory{}
	err := w.app.db.Read(ctx, func(s *store.Tx) error {
		state, err := s.InsightState(ctx, w.run.SiteID)
		if err != nil || state == nil || state.Run == 0 {
			return err
		}
		h.Model, h.FullPosts = state.Model, state.FullPosts
		now, err := s.Insights(ctx, w.run.SiteID)
		if err != nil {
			return err
		}
		h.Themes = now.Themes
		for after := feedback.PostID(0); ; {
			placed, err := s.ThemePosts(ctx, w.run.SiteID, state.Run, after, insightBatch)
			if err != nil {
				return err
			}
			h.Placed = append(h.Placed, placed...)
			if len(placed) < insightBatch {
				return nil
			}
			after = placed[len(placed)-1].Post
		}
	})
	return h, err
}

// Posts returns a batch of the site's posts, newest first, below the id given
// (zero: from the newest), with the vectors that are known of them under a
// model. Archived posts and those of private boards are among them; those merged
// into others are not posts of their own.
func (w *InsightWork) Posts(ctx context.Context, model string, below feedback.PostID) (posts []PostText, err error) {
	if below == 0 {
		below = math.MaxInt64
	}
	err = w.app.db.Read(ctx, func(s *store.Tx) error {
		posts, err = s.PostTexts(ctx, w.run.SiteID, model, below, insightBatch/4)
		return err
	})
	return posts, err
}

// SaveVectors keeps vectors of posts under a model. They stay, whatever becomes
// of the run.
func (w *InsightWork) SaveVectors(ctx context.Context, model string, vectors []PostVector) error {
	return w.app.saveVectors(ctx, w.run.SiteID, model, vectors)
}

func (a *App) saveVectors(ctx context.Context, site feedback.SiteID, model string, vectors []PostVector) error {
	return a.db.Write(ctx, func(s *store.Tx) error { return s.PutVectors(ctx, site, model, vectors) })
}

// NewTheme returns an id for a theme that there was not before.
func (w *InsightWork) NewTheme() feedback.ThemeID {
	return feedback.ThemeID(w.themes.Next(w.run.StartedAt))
}

// Report writes down what is being done and how far it has come, for others to
// see, and says that this process still does it.
func (w *InsightWork) Report(ctx context.Context, stage string, done, total int) error {
	run := w.run
	run.Stage, run.Done, run.Total = stage, done, total
	return w.app.db.Write(ctx, func(s *store.Tx) error {
		return held(s.TouchInsightRun(ctx, &run, w.holder, s.Now.Add(insightLease)))
	})
}

func held(ok bool, err error) error {
	if err == nil && !ok {
		return ErrInsightLost
	}
	return err
}

// ErrQuota is returned when a call of the provider would exceed what an account
// may use in a month.
var ErrQuota = errors.New("the AI quota of this month is used up")

// Reserve takes units of the account's quota for a call of the provider. The
// function it returns gives them back: it is for a call that failed.
func (w *InsightWork) Reserve(ctx context.Context, units, monthly int) (refund func() error, err error) {
	var month int
	var ok bool
	err = w.app.db.Write(ctx, func(s *store.Tx) (err error) {
		month = monthOf(s.Now)
		ok, err = s.ReserveUnits(ctx, w.account, month, units, monthly)
		return err
	})
	if err == nil && !ok {
		err = ErrQuota
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		// The units must come back also when the run was cancelled.
		ctx := context.WithoutCancel(ctx)
		return w.app.db.Write(ctx, func(s *store.Tx) error { return s.RefundUnits(ctx, w.account, month, units) })
	}, nil
}

// InsightResult is what a run has found.
type InsightResult struct {
	Model     string
	Full      bool // all posts were clustered anew
	FullPosts int  // posts when they last were
	Themes    []feedback.Theme
	Placed    []ThemePost // every post that was looked at; those of a theme in order
}

// Publish makes the result what [Tx.Insights] answers, in one transaction, and
// ends the run. What is written before that nobody sees.
func (w *InsightWork) Publish(ctx context.Context, r InsightResult) (feedback.InsightRun, error) {
	site := w.run.SiteID
	// Rows of an attempt that did not end would be in the way.
	if err := w.forget(ctx); err != nil {
		return w.run, err
	}
	for i := 0; i < len(r.Placed); i += insightBatch {
		batch := r.Placed[i:min(i+insightBatch, len(r.Placed))]
		err := w.app.db.Write(ctx, func(s *store.Tx) error { return s.AddThemePosts(ctx, site, w.run.ID, i, batch) })
		if err != nil {
			return w.run, err
		}
	}
	run := w.run
	run.Status, run.Full, run.Posts, run.Themes = feedback.InsightDone, r.Full, len(r.Placed), len(r.Themes)
	err := w.app.db.Write(ctx, func(s *store.Tx) error {
		if err := held(s.FinishInsightRun(ctx, &run, w.holder)); err != nil {
			return err
		}
		run.FinishedAt = s.Now
		if err := s.SetThemes(ctx, site, r.Themes); err != nil {
			return err
		}
		return s.PutInsightState(ctx, site, &store.InsightState{
			Run: run.ID, PublishedAt: s.Now, Model: r.Model, FullPosts: r.FullPosts,
			PostCount: w.posts, NewestPost: w.newest, NextRunAt: s.Now.Add(insightsEvery),
		})
	})
	if err != nil {
		return w.run, err
	}
	w.app.sweepInsights(ctx, site)
	return run, nil
}

// forget deletes what an earlier attempt at this run has placed.
func (w *InsightWork) forget(ctx context.Context) error {
	return w.app.db.Write(ctx, func(s *store.Tx) error { return s.ForgetRunPosts(ctx, w.run.SiteID, w.run.ID) })
}

// sweepInsights deletes what older runs of a site have left. It may be cut off:
// the next run sweeps again.
func (a *App) sweepInsights(ctx context.Context, site feedback.SiteID) {
	for {
		var n int64
		err := a.db.Write(ctx, func(s *store.Tx) (err error) {
			if n, err = s.ForgetThemePosts(ctx, site, insightBatch); err != nil || n > 0 {
				return err
			}
			return s.ForgetInsightRuns(ctx, site, s.Now.Add(-keepInsightRuns))
		})
		if err != nil {
			a.cfg.Log.Warn("what is left of older insights not deleted", "site", site, "err", err)
		}
		if err != nil || n == 0 {
			return
		}
	}
}

// Stop ends the run without a result: what is published stays. Paused says that
// it met the quota; then the site says so until a run is done.
func (w *InsightWork) Stop(ctx context.Context, status feedback.InsightStatus, why feedback.InsightFailure) error {
	return w.app.db.Write(ctx, func(s *store.Tx) error { return w.stop(ctx, s, status, why) })
}

func (w *InsightWork) stop(ctx context.Context, s *store.Tx, status feedback.InsightStatus, why feedback.InsightFailure) error {
	run := w.run
	run.Status, run.Failure = status, why
	if err := held(s.FinishInsightRun(ctx, &run, w.holder)); err != nil {
		return err
	}
	state, err := s.InsightState(ctx, run.SiteID)
	if err != nil {
		return err
	}
	if state == nil {
		state = &store.InsightState{}
	}
	switch status {
	case feedback.InsightPaused:
		state.QuotaPaused, state.NextRunAt = true, s.Now.Add(retryPaused)
	case feedback.InsightFailed:
		state.NextRunAt = s.Now.Add(retryFailed)
	default:
		return nil
	}
	return s.PutInsightState(ctx, run.SiteID, state)
}

// Release puts the run back into the queue: this process ends before it is done.
func (w *InsightWork) Release(ctx context.Context) error {
	return w.app.db.Write(ctx, func(s *store.Tx) error { return s.ReleaseInsightRun(ctx, &w.run, w.holder) })
}
