//go:build unix

package worker_test

import (
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/insights"
	"heed/internal/worker"
)

// BenchmarkSimilarPosts asks for posts like one that somebody types, on a site of
// 100,000: loading the site first, then each question.
func BenchmarkSimilarPosts(b *testing.B) {
	const posts = 100_000
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			url := "sqlite:" + filepath.Join(b.TempDir(), "heed.db")
			if engine == "postgres" {
				url = feedbacktest.PostgresURL(b)
			}
			// An hour ago, so that none of it counts as just written.
			a := feedbacktest.NewApp(b, feedbacktest.OpenURL(b, url, func() time.Time { return time.Now().Add(-time.Hour) }))
			o := feedbacktest.OpenAccount(b, a, "Similar", feedback.Studio)
			site := o.Site.ID.String()
			if err := a.Fill(b.Context(), app.FillOptions{Site: site, Posts: posts, Votes: 0, Comments: 0, Seed: 1}); err != nil {
				b.Fatal(err)
			}
			giveVectors(b, a, site)
			m := worker.NewMeanings(a, nil, slog.New(slog.DiscardHandler))
			a.UseMeanings(m)
			begun := time.Now()
			for {
				near, err := m.Nearest(b.Context(), o.Site.ID, "dark mode", 10)
				if err != nil {
					b.Fatal(err)
				}
				if len(near) > 0 {
					break
				}
			}
			b.Logf("loaded in %v", time.Since(begun))
			actor := &app.Actor{Source: feedback.FromAPI, Account: &o.Account, Key: &o.Key}
			before := cpuTime()
			defer func() { b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op") }()
			for b.Loop() {
				err := a.Read(b.Context(), actor, app.Target{Site: site}, func(tx *app.Tx) error {
					_, err := tx.SimilarPosts(b.Context(), "Export the monthly report to a spreadsheet", 5)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// cpuTime is what the process has used of the CPU: on a busy machine it says more
// than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// giveVectors gives every post of a site a vector: that they mean nothing costs a
// question no less.
func giveVectors(b *testing.B, a *app.App, site string) {
	b.Helper()
	work, err := a.BeginInsights(b.Context(), site, true)
	if err != nil {
		b.Fatal(err)
	}
	known, err := insights.Embed(b.Context(), []string{"dark mode"})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float32, 384)
	for below := feedback.PostID(0); ; {
		batch, err := work.Posts(b.Context(), insights.ModelID, below)
		if err != nil {
			b.Fatal(err)
		}
		if len(batch) == 0 {
			break
		}
		rows := make([]app.PostVector, len(batch))
		for i, p := range batch {
			v[0] = 4 // all have something in common, as real ones do
			for j := 1; j < len(v); j++ {
				v[j] = float32(rng.NormFloat64())
			}
			vector := insights.NewVector(v)
			if below == 0 && i == 0 {
				vector = known[0] // one that can be found
			}
			raw, err := vector.MarshalBinary()
			if err != nil {
				b.Fatal(err)
			}
			rows[i] = app.PostVector{Post: p.ID, Hash: "x", Vector: raw}
		}
		if err := work.SaveVectors(b.Context(), insights.ModelID, rows); err != nil {
			b.Fatal(err)
		}
		below = batch[len(batch)-1].ID
	}
	if err := work.Stop(b.Context(), feedback.InsightCancelled, ""); err != nil {
		b.Fatal(err)
	}
}
