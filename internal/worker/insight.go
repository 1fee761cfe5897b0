package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/insights/provider"
)

// Insights searches for the themes of sites: it brings posts to the engine and
// what it finds back to the verbs.
type Insights struct {
	App *app.App
	// Provider, if not nil, takes the place of the model in the binary for
	// what it is configured for, as long as an account has used fewer than
	// MonthlyUnits this month.
	Provider     *provider.Client
	MonthlyUnits int
	// Engine, if not nil, returns what computes in place of this process. Each
	// run has one of its own.
	Engine func() Engine
	Log    *slog.Logger
}

// The times between looks. Requests are also hinted at.
const (
	askedEvery = 15 * time.Second
	dueEvery   = 5 * time.Minute
)

// Tasks are the runs that were asked for and those that are due.
func (n *Insights) Tasks() []Task {
	return []Task{
		{Name: "insights asked for", Every: askedEvery, Wake: n.App.InsightsAsked(), Run: n.runWaiting},
		{Name: "daily insights", Every: dueEvery, Run: n.runDue},
	}
}

func (n *Insights) runWaiting(ctx context.Context) error {
	runs, err := n.App.WaitingInsights(ctx)
	for _, r := range runs {
		err = errors.Join(err, n.inBackground(ctx, r.SiteID, r.Asked))
	}
	return err
}

func (n *Insights) runDue(ctx context.Context) error {
	sites, err := n.App.DueInsights(ctx)
	for _, site := range sites {
		err = errors.Join(err, n.inBackground(ctx, site, false))
	}
	return err
}

// inBackground does a run and logs what came of it. That another node does it is
// no error, nor is a quota.
func (n *Insights) inBackground(ctx context.Context, site feedback.SiteID, asked bool) error {
	if ctx.Err() != nil {
		return nil
	}
	run, err := n.Run(ctx, site.String(), RunOptions{Asked: asked, Resume: true})
	switch {
	case err == nil:
		n.Log.Info("insights published", "site", site, "posts", run.Posts, "themes", run.Themes, "full", run.Full,
			"seconds", run.FinishedAt.Sub(run.StartedAt).Seconds())
	case errors.Is(err, app.ErrQuota):
		n.Log.Warn("insights paused: the AI quota of this month is used up", "site", site)
	case feedback.CodeOf(err) == feedback.RunActive, errors.Is(err, app.ErrInsightLost), ctx.Err() != nil:
	default:
		return err
	}
	return nil
}

// RunOptions say how a run is done.
type RunOptions struct {
	// Asked says that a person waits: then it takes what it can get of one
	// processor. Else it rests three quarters of the time.
	Asked bool
	// Resume has a run that is cut off put back into the queue, for the next
	// process to do.
	Resume bool
	// Progress, if set, is told how far the run has come, often.
	Progress func(stage string, done, total int)
}

// Run searches for the themes of a site and publishes them. A run that fails or
// is cut off changes nothing that anybody sees; one that meets the quota is an
// [app.ErrQuota]; while another is under way it is a RUN_ACTIVE error.
func (n *Insights) Run(ctx context.Context, site string, o RunOptions) (feedback.InsightRun, error) {
	work, err := n.App.BeginInsights(ctx, site, o.Asked)
	if err != nil {
		return feedback.InsightRun{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &search{Insights: n, work: work, o: o, engine: inProcess{}}
	if n.Engine != nil {
		r.engine = n.Engine()
		defer r.engine.Close()
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		r.reportUntil(ctx, cancel)
	}()
	result, err := r.find(ctx)
	var run feedback.InsightRun
	if err == nil {
		r.at("publish", 0, 1)
		run, err = work.Publish(ctx, result)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	cancel(nil)
	<-stopped
	if err != nil {
		return work.Run(), errors.Join(err, r.end(err))
	}
	return run, nil
}

// end writes down why a run has no result.
func (r *search) end(err error) error {
	ctx := context.Background() // what ended the run must not keep us from saying so
	_, outage := errors.AsType[*provider.Error](err)
	switch {
	case errors.Is(err, app.ErrInsightLost):
		return nil
	case errors.Is(err, app.ErrQuota):
		return r.work.Stop(ctx, feedback.InsightPaused, "")
	case errors.Is(err, context.Canceled) && r.o.Resume:
		return r.work.Release(ctx)
	case errors.Is(err, context.Canceled):
		return r.work.Stop(ctx, feedback.InsightCancelled, "")
	case outage:
		return r.work.Stop(ctx, feedback.InsightFailed, feedback.ProviderFailed)
	}
	return r.work.Stop(ctx, feedback.InsightFailed, feedback.BrokeDown)
}

// reportEvery is how often a run is seen to be alive. Its lease lasts for many
// of these.
const reportEvery = 5 * time.Second

// reportUntil reports how far the run has come until ctx ends, and ends it if the
// run has become another's.
func (r *search) reportUntil(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := r.report(ctx)
		switch {
		case errors.Is(err, app.ErrInsightLost):
			cancel(err)
			return
		case err != nil && ctx.Err() == nil:
			r.Log.Warn("progress of insights not written down", "site", r.work.Run().SiteID, "err", err)
		}
	}
}
