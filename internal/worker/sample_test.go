package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
	"heed/internal/worker"
)

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

func (c *clock) add(d time.Duration) { c.set(c.Now().Add(d)) }

// start is a moment in the middle of a month.
var start = time.Date(2026, 5, 15, 12, 0, 0, 0, time.UTC)

// site is a site to try things on.
type site struct {
	t      *testing.T
	url    string
	clock  *clock
	db     *store.DB
	app    *app.App
	opened *app.Opened
	board  feedback.Ref
	id     string
}

// eachSite runs test on a fresh site of each kind of database.
func eachSite(t *testing.T, test func(*testing.T, *site)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := &site{t: t, clock: &clock{now: start}}
			if engine == "sqlite" {
				s.url = "sqlite:" + filepath.Join(t.TempDir(), "heed.db")
			} else {
				s.url = feedbacktest.PostgresURL(t)
			}
			s.db = feedbacktest.OpenURL(t, s.url, s.clock.Now)
			s.app = feedbacktest.NewApp(t, s.db)
			s.opened = feedbacktest.OpenAccount(t, s.app, "Themes", feedback.Studio)
			s.id = s.opened.Site.ID.String()
			s.read(func(tx *app.Tx) error {
				boards, err := tx.Boards(t.Context(), feedback.Window{Limit: 1})
				s.board = feedback.Ref(boards.Items[0].ID.String())
				return err
			})
			test(t, s)
		})
	}
}

func (s *site) actor() *app.Actor {
	return &app.Actor{Source: feedback.FromAPI, Account: &s.opened.Account, Key: &s.opened.Key}
}

func (s *site) read(fn func(*app.Tx) error) {
	s.t.Helper()
	if err := s.app.Read(s.t.Context(), s.actor(), app.Target{Site: s.id}, fn); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) write(fn func(*app.Tx) error) {
	s.t.Helper()
	_, err := s.app.Write(s.t.Context(), s.actor(), app.Target{Site: s.id}, app.Once{}, func(tx *app.Tx) (app.Response, error) {
		return app.Response{}, fn(tx)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// post writes posts at the present moment and returns their ids.
func (s *site) post(titles ...string) (ids []string) {
	s.t.Helper()
	s.write(func(tx *app.Tx) error {
		ids = nil
		for _, title := range titles {
			p, err := tx.CreatePost(s.t.Context(), feedback.NewPost{Board: s.board, Title: feedback.PostTitle(title), Visitor: "ada"})
			if err != nil {
				return err
			}
			ids = append(ids, p.ID.String())
		}
		return nil
	})
	return ids
}

func (s *site) insights() (out *feedback.Insights) {
	s.t.Helper()
	s.read(func(tx *app.Tx) (err error) {
		out, err = tx.Insights(s.t.Context())
		return err
	})
	return out
}

func (s *site) lastRun() (out *feedback.InsightRun) {
	s.t.Helper()
	s.read(func(tx *app.Tx) (err error) {
		out, err = tx.InsightRun(s.t.Context())
		return err
	})
	return out
}

func (s *site) units() (n int) {
	s.t.Helper()
	s.read(func(tx *app.Tx) (err error) {
		n, err = tx.AIUnits(s.t.Context())
		return err
	})
	return n
}

// members returns the titles of a theme's posts.
func (s *site) members(theme feedback.ThemeID) (titles []string) {
	s.t.Helper()
	s.read(func(tx *app.Tx) error {
		page, err := tx.ThemePosts(s.t.Context(), theme.String(), feedback.Window{Limit: 100})
		for _, p := range page.Items {
			titles = append(titles, p.Title)
		}
		return err
	})
	return titles
}

func (s *site) searcher() *worker.Insights {
	return &worker.Insights{App: s.app, MonthlyUnits: 1000, Log: slog.New(slog.DiscardHandler)}
}

// run does a run that must succeed.
func (s *site) run(n *worker.Insights) feedback.InsightRun {
	s.t.Helper()
	run, err := n.Run(s.t.Context(), s.id, worker.RunOptions{Asked: true})
	if err != nil {
		s.t.Fatalf("Run: %v", err)
	}
	return run
}

// cancelAt returns a context and options that cut a run off at a stage.
func cancelAt(ctx context.Context, stage string) (context.Context, worker.RunOptions) {
	ctx, cancel := context.WithCancel(ctx)
	return ctx, worker.RunOptions{Asked: true, Progress: func(s string, _, _ int) {
		if s == stage {
			cancel()
		}
	}}
}

// Four subjects with eight posts each.
var (
	darkMode = []string{
		"Dark mode for the dashboard", "Please add a dark theme", "Night mode, the white screen hurts my eyes",
		"Dark theme in the mobile app", "Dark mode that follows the system setting", "A darker colour scheme for late hours",
		"Support dark mode on every page", "Black background option instead of white"}
	csvExport = []string{
		"Export the report to CSV", "Download all data as a spreadsheet", "CSV export of every table",
		"Export results to Excel", "Let me export my data as CSV", "Bulk export to a spreadsheet file",
		"Excel download for monthly reports", "Export button for the list of customers"}
	signIn = []string{
		"Cannot log in since yesterday", "Login fails with an error", "Sign in page says wrong password but it is right",
		"I can't sign in to my account", "Login broken after the update", "Signing in does not work in Safari",
		"Locked out of my account, login error", "Password login keeps failing"}
	slowPages = []string{
		"Pages load very slowly", "The app is too slow", "Slow loading of the project list",
		"It takes ten seconds to load a page", "Performance is terrible, everything is slow", "Loading times are far too long",
		"Page load is slow on big projects", "Speed up the loading of the start page"}
)

func everything() []string {
	var all []string
	for _, s := range [][]string{darkMode, csvExport, signIn, slowPages} {
		all = append(all, s...)
	}
	return all
}

func idsOf(in *feedback.Insights) map[feedback.ThemeID]string {
	out := map[feedback.ThemeID]string{}
	for _, t := range in.Themes {
		out[t.ID] = fmt.Sprintf("%s (%d)", t.Label, t.PostCount)
	}
	return out
}
