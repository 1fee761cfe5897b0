package worker

import (
	"context"
	"errors"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/insights"
	"heed/internal/insights/provider"
)

const (
	// maxWritten is how many labels a run asks a provider for, those of the
	// largest themes first. The next run asks for more.
	maxWritten = 40

	// A label is written anew once a theme has grown, or shrunk, by this much.
	rewriteGrowth = 1.5
)

// describe makes themes of what the engine has found: it counts trends and, with
// a provider, has labels and summaries written.
func (r *search) describe(ctx context.Context, found *insights.Result, past *app.InsightHistory) ([]feedback.Theme, error) {
	run := r.work.Run()
	themes := make([]feedback.Theme, len(found.Themes))
	for i, t := range found.Themes {
		theme := feedback.Theme{
			ID: feedback.ThemeID(t.ID), SiteID: run.SiteID, Label: t.Label, PostCount: len(t.Members),
		}
		if t.Summary != "" {
			theme.Summary = &t.Summary
		}
		if t.Sentiment != insights.Unclear {
			s := feedback.Sentiment(t.Sentiment)
			theme.Sentiment = &s
		}
		created := make([]time.Time, len(t.Members))
		for k, key := range t.Members {
			created[k] = r.created[key]
		}
		trend, delta := insights.TrendAt(run.StartedAt, created, t.Minted)
		theme.Trend, theme.TrendDelta = feedback.Trend(trend), delta
		themes[i] = theme
	}
	if r.Provider.Names() {
		return themes, r.write(ctx, themes, found, past)
	}
	return themes, nil
}

// write has the provider name themes that are new or have changed much. Those it
// has named before keep their names. When it does not answer, ours stand.
func (r *search) write(ctx context.Context, themes []feedback.Theme, found *insights.Result, past *app.InsightHistory) error {
	before := make(map[feedback.ThemeID]*feedback.Theme, len(past.Themes))
	for i := range past.Themes {
		before[past.Themes[i].ID] = &past.Themes[i]
	}
	texts := make(map[int64]string, len(r.posts))
	for _, p := range r.posts {
		texts[p.Key] = p.Text
	}
	asked, silent := 0, false
	for i := range themes {
		t := &themes[i]
		r.at("label", i, len(themes))
		old := before[t.ID]
		written := old != nil && old.WrittenPosts > 0
		if written && unchanged(old.WrittenPosts, t.PostCount) || written && silent {
			t.Label, t.Summary, t.WrittenPosts = old.Label, old.Summary, old.WrittenPosts
			continue
		}
		if silent || asked == maxWritten {
			continue
		}
		asked++
		var typical []string
		for _, key := range found.Themes[i].Members[:min(len(found.Themes[i].Members), provider.MaxPosts)] {
			typical = append(typical, texts[key])
		}
		label, summary, err := r.name(ctx, typical)
		_, outage := errors.AsType[*provider.Error](err)
		switch {
		case outage:
			r.Log.Warn("AI provider does not answer; labels are our own", "site", t.SiteID, "err", err)
			silent = true
			if written {
				t.Label, t.Summary, t.WrittenPosts = old.Label, old.Summary, old.WrittenPosts
			}
			continue
		case errors.Is(err, provider.ErrUngrounded):
			// Ours stands, and the question is not paid for again tomorrow.
		case err != nil:
			return err
		default:
			t.Label = label
			if summary != "" {
				t.Summary = &summary
			}
		}
		t.WrittenPosts = t.PostCount
	}
	return nil
}

// unchanged reports whether a theme of so many posts is still much what it was.
func unchanged(was, is int) bool {
	return float64(is) < rewriteGrowth*float64(was) && float64(was) < rewriteGrowth*float64(is)
}

// name asks the provider, within the quota. An answer that is no good has been
// paid for; no answer has not.
func (r *search) name(ctx context.Context, posts []string) (label, summary string, err error) {
	refund, err := r.work.Reserve(ctx, feedback.UnitsPerLabel, r.MonthlyUnits)
	if err != nil {
		return "", "", err
	}
	label, summary, err = r.Provider.Name(ctx, posts)
	if err != nil && !errors.Is(err, provider.ErrUngrounded) {
		err = errors.Join(err, refund())
	}
	return label, summary, err
}
