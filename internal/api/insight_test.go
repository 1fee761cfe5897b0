package api_test

import (
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
)

// testInsights reads what a run has published: objects with exactly the members
// of the document, null where there is nothing to say, the largest theme first.
func testInsights(t *testing.T, w *world) {
	p := w.newPlace(t)
	begin := func() *app.InsightWork {
		t.Helper()
		work, err := w.app.BeginInsights(t.Context(), p.id, true)
		if err != nil {
			t.Fatal(err)
		}
		return work
	}
	read := func(want object) {
		t.Helper()
		w.call(t, "GET", p.path+"/insights", nil).want(t, 200, want)
	}
	work := begin()
	site := work.Run().SiteID
	summary, positive, negative := "“Dark mode, please.”", feedback.Sentiment("positive"), feedback.Sentiment("negative")
	_, err := work.Publish(t.Context(), app.InsightResult{Model: "m", Full: true, Themes: []feedback.Theme{
		{ID: work.NewTheme(), SiteID: site, Label: "Dark mode", Summary: &summary, Sentiment: &positive, PostCount: 12, Trend: "up", TrendDelta: 4},
		{ID: work.NewTheme(), SiteID: site, Label: "Sign-in fails", Sentiment: &negative, PostCount: 7, Trend: "down", TrendDelta: -3},
		{ID: work.NewTheme(), SiteID: site, Label: "検索機能", PostCount: 3, Trend: "new", TrendDelta: 3, WrittenPosts: 3},
	}})
	if err != nil {
		t.Fatal(err)
	}
	theme := func(label string, summary, sentiment any, posts int, trend string, delta int) object {
		return object{"clusterId": anID("thm"), "siteId": p.id, "label": label, "summary": summary, "sentiment": sentiment,
			"postCount": posts, "trend": trend, "trendDelta": delta}
	}
	themes := []any{
		theme("Dark mode", summary, "positive", 12, "up", 4), theme("Sign-in fails", nil, "negative", 7, "down", -3),
		theme("検索機能", nil, nil, 3, "new", 3),
	}
	read(object{"hasInsights": true, "lastRunAt": aTime, "quotaPaused": false, "themes": themes})

	// While another runs, and when it is paused, the last result is answered.
	work = begin()
	read(object{"hasInsights": true, "lastRunAt": aTime, "quotaPaused": false, "themes": themes})
	if err := work.Stop(t.Context(), feedback.InsightPaused, ""); err != nil {
		t.Fatal(err)
	}
	read(object{"hasInsights": true, "lastRunAt": aTime, "quotaPaused": true, "themes": themes})

	// A run that finds nothing is a run.
	if _, err := begin().Publish(t.Context(), app.InsightResult{Model: "m"}); err != nil {
		t.Fatal(err)
	}
	read(object{"hasInsights": false, "lastRunAt": aTime, "quotaPaused": false, "themes": []any{}})
}
