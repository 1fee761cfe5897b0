package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/worker"
)

func TestPublish(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		if got := s.insights(); !got.LastRunAt.IsZero() || len(got.Themes) != 0 || got.QuotaPaused {
			t.Errorf("before any run: %+v", got)
		}
		s.post(everything()...)
		s.clock.add(time.Minute)
		run := s.run(s.searcher())
		if run.Status != feedback.InsightDone || !run.Full || run.Posts != 32 || run.FinishedAt.IsZero() {
			t.Errorf("run = %+v", run)
		}
		got := s.insights()
		if !got.LastRunAt.Equal(s.clock.Now()) || got.QuotaPaused || len(got.Themes) < 4 || len(got.Themes) > 8 {
			t.Fatalf("insights = %+v; want about four themes", got)
		}
		last := got.Themes[0].PostCount
		for _, theme := range got.Themes {
			if theme.Label == "" || theme.Summary == nil || theme.PostCount > last || theme.Trend != "new" || theme.SiteID != s.opened.Site.ID {
				t.Errorf("theme %+v", theme)
			}
			last = theme.PostCount
			members := s.members(theme.ID)
			if len(members) != theme.PostCount {
				t.Errorf("%s has %d posts; says %d", theme.Label, len(members), theme.PostCount)
			}
			// No theme mixes two subjects.
			for _, subject := range [][]string{darkMode, csvExport, signIn, slowPages} {
				if n := overlap(subject, members); n > 0 && n < len(members) {
					t.Errorf("%s mixes subjects: %q", theme.Label, members)
				}
			}
		}
		if r := s.lastRun(); r == nil || r.ID != run.ID || r.Status != feedback.InsightDone || r.Themes != len(got.Themes) {
			t.Errorf("last run = %+v; want %+v", r, run)
		}
		for _, line := range check(t, s.app) {
			t.Error(line)
		}
	})
}

func overlap(a, b []string) int {
	n := 0
	for _, x := range b {
		if slices.Contains(a, x) {
			n++
		}
	}
	return n
}

func check(t *testing.T, a *app.App) (lines []string) {
	t.Helper()
	found, err := a.Check(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines
}

func TestIDsAreStable(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.post(everything()...)
		s.run(s.searcher())
		before := s.insights()
		if again := s.run(s.searcher()); again.Full {
			t.Error("a run without a new post clustered all anew")
		}
		if diff := cmp.Diff(idsOf(before), idsOf(s.insights())); diff != "" {
			t.Errorf("themes changed without a new post:\n%s", diff)
		}
		// A twentieth more posts: they join, nothing is clustered anew.
		s.clock.add(time.Hour)
		s.post("Add a dark mode to the settings page", "CSV export for the project report")
		run := s.run(s.searcher())
		if run.Full || run.Posts != 34 {
			t.Errorf("run = %+v; want an incremental one of 34 posts", run)
		}
		after := idsOf(s.insights())
		for id, label := range idsOf(before) {
			if after[id] == "" {
				t.Errorf("theme %s is gone; there are %v", label, after)
			}
		}
		for _, theme := range s.insights().Themes {
			if theme.Trend == "new" {
				t.Errorf("%s is new; no subject is", theme.Label)
			}
		}
	})
}

func TestTrend(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		day := func(n int) { s.clock.set(start.Add(time.Duration(n) * 24 * time.Hour)) }
		day(-45)
		s.post(slowPages...)
		s.post(darkMode[:2]...)
		day(-40)
		s.post(csvExport[:4]...)
		day(-10)
		s.post(darkMode[2:]...)
		s.post(csvExport[4:]...)
		day(0)
		s.run(s.searcher())
		s.run(s.searcher()) // only a theme that was there before has a trend
		trends := map[string]feedback.Theme{}
		for _, theme := range s.insights().Themes {
			members := s.members(theme.ID)
			for name, subject := range map[string][]string{"dark": darkMode, "csv": csvExport, "slow": slowPages} {
				if overlap(subject, members) == len(subject) {
					trends[name] = theme
				}
			}
		}
		for name, want := range map[string]struct {
			trend feedback.Trend
			delta int
		}{"dark": {"up", 4}, "csv": {"flat", 0}, "slow": {"down", -8}} {
			if got, ok := trends[name]; !ok {
				t.Logf("%s has no theme of its own: %v", name, idsOf(s.insights()))
			} else if got.Trend != want.trend || got.TrendDelta != want.delta {
				t.Errorf("%s: %s, %d; want %s, %d", name, got.Trend, got.TrendDelta, want.trend, want.delta)
			}
		}
		if len(trends) < 2 {
			t.Errorf("too few themes to judge: %v", idsOf(s.insights()))
		}
	})
}

// Members see all: archived posts and private boards count. A merged post is not
// a post of its own, and one that waits for approval is not yet one.
func TestWhichPostsCount(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ids := s.post(darkMode...)
		s.write(func(tx *app.Tx) error {
			b, err := tx.CreateBoard(t.Context(), feedback.NewBoard{Name: "Team", Private: true})
			if err != nil {
				return err
			}
			_, err = tx.CreatePost(t.Context(), feedback.NewPost{
				Board: feedback.Ref(b.ID.String()), Title: "Internal: dark mode is wanted by all", Visitor: "ada"})
			if err != nil {
				return err
			}
			_, err = tx.MergePosts(t.Context(), ids[0], feedback.NewMerge{Winner: feedback.Ref(ids[1])})
			return err
		})
		run := s.run(s.searcher())
		if run.Posts != len(darkMode) { // one merged, one added
			t.Errorf("%d posts were looked at; want %d", run.Posts, len(darkMode))
		}
		var members []string
		for _, theme := range s.insights().Themes {
			members = append(members, s.members(theme.ID)...)
		}
		if slices.Contains(members, darkMode[0]) || !slices.Contains(members, "Internal: dark mode is wanted by all") {
			t.Errorf("posts in themes: %q", members)
		}
	})
}

// A run that is cut off, at whatever stage, leaves what is published, and the
// next one is not in its way.
func TestCutOff(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.post(everything()...)
		s.run(s.searcher())
		want := s.insights()
		s.clock.add(time.Hour)
		s.post("Something new about invoices", "Invoices are wrong", "Wrong invoice amounts", "The invoice shows a wrong sum")
		for _, stage := range []string{"read", "embed", "cluster", "publish"} {
			ctx, o := cancelAt(t.Context(), stage)
			if _, err := s.searcher().Run(ctx, s.id, o); !errors.Is(err, context.Canceled) {
				t.Errorf("cut off at %s: %v; want context.Canceled", stage, err)
			}
			if diff := cmp.Diff(want, s.insights()); diff != "" {
				t.Errorf("cut off at %s, and something changed:\n%s", stage, diff)
			}
			if r := s.lastRun(); r.Status != feedback.InsightCancelled {
				t.Errorf("cut off at %s: the run is %s", stage, r.Status)
			}
		}
		if run := s.run(s.searcher()); run.Posts != 36 {
			t.Errorf("run = %+v; want 36 posts", run)
		}
		for _, line := range check(t, s.app) {
			t.Error(line)
		}
	})
}

// Of two that begin at once one does the run.
func TestOneAtATime(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.post(everything()...)
		nodes := []*app.App{s.app, feedbacktest.NewApp(t, s.db)}
		if strings.HasPrefix(s.url, "postgres") {
			nodes[1] = feedbacktest.NewApp(t, feedbacktest.OpenURL(t, s.url, s.clock.Now))
		}
		// Each waits, in the middle of its run, until the other has begun or
		// been refused.
		var wg, refused sync.WaitGroup
		refused.Add(1)
		errs := make([]error, len(nodes))
		for i, a := range nodes {
			wg.Go(func() {
				n := s.searcher()
				n.App = a
				_, errs[i] = n.Run(t.Context(), s.id, worker.RunOptions{Asked: true, Progress: func(stage string, _, _ int) {
					if stage == "cluster" {
						refused.Wait()
					}
				}})
				if errs[i] != nil {
					refused.Done()
				}
			})
		}
		wg.Wait()
		won, lost := errs[0], errs[1]
		if won != nil {
			won, lost = lost, won
		}
		if won != nil || feedback.CodeOf(lost) != feedback.RunActive {
			t.Errorf("two runs at once: %v and %v; want nil and RUN_ACTIVE", errs[0], errs[1])
		}
	})
}

// A process that vanishes does not block the site, and what it does afterwards
// does not count.
func TestVanished(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.post(everything()...)
		gone, err := s.app.BeginInsights(t.Context(), s.id, true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.searcher().Run(t.Context(), s.id, worker.RunOptions{Asked: true}); feedback.CodeOf(err) != feedback.RunActive {
			t.Errorf("Run beside another = %v; want RUN_ACTIVE", err)
		}
		s.clock.add(2 * time.Minute)
		waiting, err := s.app.WaitingInsights(t.Context())
		if err != nil || len(waiting) != 1 {
			t.Errorf("waiting = %v, %v; want the abandoned run", waiting, err)
		}
		run := s.run(s.searcher())
		if run.ID != gone.Run().ID {
			t.Errorf("run %s; want the abandoned %s", run.ID, gone.Run().ID)
		}
		if _, err := gone.Publish(t.Context(), app.InsightResult{Model: "x"}); !errors.Is(err, app.ErrInsightLost) {
			t.Errorf("Publish of the vanished = %v; want ErrInsightLost", err)
		}
		if err := gone.Report(t.Context(), "read", 1, 2); !errors.Is(err, app.ErrInsightLost) {
			t.Errorf("Report of the vanished = %v; want ErrInsightLost", err)
		}
		if got := s.insights(); len(got.Themes) != run.Themes {
			t.Errorf("%d themes; want %d", len(got.Themes), run.Themes)
		}
		// One that takes every process down with it is given up.
		s.clock.add(time.Hour)
		for range 3 {
			if _, err := s.app.BeginInsights(t.Context(), s.id, true); err != nil {
				t.Fatal(err)
			}
			s.clock.add(2 * time.Minute)
		}
		if _, err := s.app.BeginInsights(t.Context(), s.id, true); err == nil {
			t.Error("a run was begun a fourth time")
		}
		if r := s.lastRun(); r.Status != feedback.InsightFailed || r.Failure != feedback.Interrupted {
			t.Errorf("last run = %+v; want it failed and interrupted", r)
		}
	})
}

func TestWhenDue(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		due := func(when string, want bool) {
			t.Helper()
			sites, err := s.app.DueInsights(t.Context())
			if err != nil || len(sites) > 0 != want {
				t.Errorf("%s: due %v, %v; want %t", when, sites, err, want)
			}
		}
		due("no posts", false)
		s.post(everything()...)
		due("a site that is being set up", false)
		s.clock.add(2 * time.Hour)
		due("a site with posts", true)
		s.run(s.searcher())
		due("just done", false)
		s.clock.add(25 * time.Hour)
		due("a day later, trends move", true)
		s.clock.add(100 * 24 * time.Hour)
		s.run(s.searcher())
		s.clock.add(25 * time.Hour)
		due("nothing new for months", false)
		s.post("A new post")
		due("a new post", true)

		s.write(func(tx *app.Tx) error {
			asked, err := tx.RequestInsights(t.Context())
			if err != nil {
				return err
			}
			again, err := tx.RequestInsights(t.Context())
			if err == nil && again.ID != asked.ID {
				t.Errorf("asked twice: %s and %s; want one run", asked.ID, again.ID)
			}
			return err
		})
		select {
		case <-s.app.InsightsAsked():
		default:
			t.Error("nobody was told that a run was asked for")
		}
		for _, task := range s.searcher().Tasks() {
			if err := task.Run(t.Context()); err != nil {
				t.Errorf("%s: %v", task.Name, err)
			}
		}
		if r := s.lastRun(); r.Status != feedback.InsightDone || !r.Asked || r.Posts != 33 {
			t.Errorf("last run = %+v; want the one asked for, done", r)
		}
	})
}
