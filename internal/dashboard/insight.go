package dashboard

import (
	"net/http"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
)

// insightsView is the page of themes.
type insightsView struct {
	*feedback.Insights
	insightState
	Trends *app.Trends
}

// insightState is where the search for themes stands.
type insightState struct {
	Run   *feedback.InsightRun // the newest, nil for none
	AI    app.AI
	Units int // used this month
	Now   time.Time
}

func (c *call) readState(tx *app.Tx) (s insightState, err error) {
	s.AI, s.Now = c.cfg.App.AI(), c.cfg.Now()
	if s.Run, err = tx.InsightRun(c.ctx); err != nil || !s.AI.Provider {
		return s, err
	}
	s.Units, err = tx.AIUnits(c.ctx)
	return s, err
}

// insights shows the themes of the site.
func (c *call) insights() error {
	var v insightsView
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Insights, err = tx.Insights(c.ctx); err != nil {
			return err
		}
		if v.Trends, err = tx.Trends(c.ctx); err != nil {
			return err
		}
		v.insightState, err = c.readState(tx)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, insightsPage(c.chrome("Insights", "insights"), v))
}

// insightState answers with the part of the page that says how far the search
// has come. When it is over, the page is to be loaded anew.
func (c *call) insightState() error {
	var s insightState
	err := c.read(func(tx *app.Tx) (err error) {
		s, err = c.readState(tx)
		return err
	})
	if err != nil {
		return err
	}
	if s.Run == nil || !s.Run.Status.Active() {
		c.w.Header().Set("HX-Refresh", "true")
	}
	return c.render(http.StatusOK, runState(c.part(), s))
}

// runInsights asks for a search for themes now.
func (c *call) runInsights() error {
	err := c.change("insights.requested", c.r.PathValue("site"), func(tx *app.Tx) error {
		_, err := tx.RequestInsights(c.ctx)
		return err
	})
	if err != nil {
		return c.refused(c.here("insights"), err)
	}
	return c.done(c.here("insights"), "The search for themes is under way.")
}

// themeView is the page of a theme.
type themeView struct {
	lists
	Theme *feedback.Theme
	Weeks []time.Time
	New   []int // posts that came to it, by week
	Posts []feedback.Post
	Next  string
}

func (c *call) theme() error {
	var v themeView
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Theme, err = tx.Theme(c.ctx, c.r.PathValue("theme")); err != nil {
			return err
		}
		trends, err := tx.Trends(c.ctx)
		if err != nil {
			return err
		}
		v.Weeks, v.New = trends.Weeks, trends.Of(v.Theme.ID)
		if v.Statuses, err = tx.AllStatuses(c.ctx); err != nil {
			return err
		}
		page, err := tx.ThemePosts(c.ctx, v.Theme.ID.String(), w)
		v.Posts, v.Next = page.Items, nextPage(c.r, page.Next)
		return err
	})
	if err != nil {
		return err
	}
	ch := c.chrome(v.Theme.Label, "insights")
	v.colors(ch)
	for _, p := range v.Posts {
		for _, t := range p.Tags {
			ch.color(t.Color)
		}
	}
	return c.render(http.StatusOK, themePage(ch, v))
}

// all are the posts that came to any theme, by week.
func all(t *app.Trends) []int {
	sum := make([]int, len(t.Weeks))
	for _, weeks := range t.Posts {
		for i, n := range weeks {
			sum[i] += n
		}
	}
	return sum
}
