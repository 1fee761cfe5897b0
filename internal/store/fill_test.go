package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/ids"
	"heed/internal/store"
)

func TestFill(t *testing.T) {
	now := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	contents := map[string][2]string{} // of both databases and two runs
	feedbacktest.EachDB(t, func(t *testing.T, _ *store.DB) {
		engine := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		for i := range 2 {
			url := "sqlite:" + t.TempDir() + "/heed.db"
			if engine == "postgres" {
				url = feedbacktest.PostgresURL(t)
			}
			db := feedbacktest.OpenURL(t, url, func() time.Time { return now })
			a := feedbacktest.NewApp(t, db)
			o := feedbacktest.OpenAccount(t, a, "Fill", feedback.Studio)
			last, total := 0, 0
			err := a.Fill(t.Context(), app.FillOptions{
				Site: o.Site.ID.String(), Posts: 700, Votes: 5000, Comments: 900, Seed: 42,
				Progress: func(d, n int) {
					if d <= last {
						t.Errorf("progress goes from %d to %d", last, d)
					}
					last, total = d, n
				},
			})
			if err != nil {
				t.Fatalf("Fill: %v", err)
			}
			if last != total {
				t.Errorf("progress ends at %d of %d", last, total)
			}
			for _, line := range discrepancies(t, a) {
				t.Error(line)
			}
			for query, want := range map[string]int64{
				`SELECT COUNT(*) FROM posts`:                                            700,
				`SELECT COUNT(*) FROM votes`:                                            5000,
				`SELECT SUM(vote_count) FROM posts`:                                     5000,
				`SELECT COUNT(*) FROM comments`:                                         900,
				`SELECT COUNT(*) FROM events`:                                           0,
				`SELECT COUNT(*) FROM notices`:                                          0,
				`SELECT COUNT(*) FROM posts WHERE id / 2097152 <> created_at / 1000`:    0,
				`SELECT COUNT(*) FROM comments WHERE id / 2097152 <> created_at / 1000`: 0,
				`SELECT COUNT(*) FROM comments c JOIN posts p ON p.id = c.post_id AND p.created_at > c.created_at`:                                                    0,
				`SELECT COUNT(*) FROM comments c JOIN comments p ON p.id = c.parent_id AND (p.id >= c.id OR p.post_id <> c.post_id OR p.internal AND NOT c.internal)`: 0,
				`SELECT COUNT(DISTINCT status_id) FROM posts`: 5,
				`SELECT COUNT(DISTINCT board_id) FROM posts`:  2,
			} {
				if got := number(t, db, query); got != want {
					t.Errorf("%s = %d; want %d", query, got, want)
				}
			}
			for query, min := range map[string]int64{
				`SELECT COUNT(*) FROM comments WHERE parent_id IS NOT NULL`:                                       50,
				`SELECT COUNT(*) FROM comments WHERE internal`:                                                    20,
				`SELECT COUNT(DISTINCT tag_id) FROM post_tags`:                                                    15,
				`SELECT COUNT(*) FROM posts WHERE archived`:                                                       1,
				`SELECT MAX(vote_count) FROM posts`:                                                               70, // ten times the mean
				`SELECT COUNT(*) FROM posts WHERE vote_count < 5`:                                                 300,
				`SELECT COUNT(*) FROM posts WHERE created_at < ` + fmt.Sprint(now.AddDate(-1, -9, 0).UnixMicro()): 1,
			} {
				if got := number(t, db, query); got < min {
					t.Errorf("%s = %d; want at least %d", query, got, min)
				}
			}
			sums := contents[engine]
			sums[i] = dump(t, db, o.Site.ID)
			contents[engine] = sums
		}
	})
	want := contents["sqlite"][0]
	for engine, sums := range contents {
		for i, got := range sums {
			if got != want {
				t.Errorf("run %d on %s made up other rows than the first on sqlite for the same seed", i+1, engine)
			}
		}
	}
}

// dump spells the posts of a site with what hangs on them.
func dump(t *testing.T, db *store.DB, site feedback.SiteID) string {
	t.Helper()
	var b strings.Builder
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		posts, err := tx.Posts(t.Context(), site, 0, 1<<62, 1000)
		for _, p := range posts {
			b.WriteString(p.ID.String() + p.Title + p.CreatedAt.String() + fmt.Sprint(p.VoteCount) + *p.StatusName + p.BoardName)
			for _, tag := range p.Tags {
				b.WriteString(tag.Name)
			}
			cs, err := tx.Comments(t.Context(), site, p.ID, 0, 1000)
			if err != nil {
				return err
			}
			for _, c := range cs {
				b.WriteString(c.ID.String() + c.Body + c.VisitorID.String())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFillRefuses(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a := feedbacktest.NewApp(t, db)
		o := feedbacktest.OpenAccount(t, a, "Fill", feedback.Studio)
		for name, tc := range map[string]struct {
			o    app.FillOptions
			want feedback.Code
		}{
			"no posts":     {app.FillOptions{Site: o.Site.ID.String()}, feedback.ValidationFailed},
			"too many":     {app.FillOptions{Site: o.Site.ID.String(), Posts: 1 << 40}, feedback.ValidationFailed},
			"no such site": {app.FillOptions{Site: feedback.SiteID(ids.At(time.Now())).String(), Posts: 1}, feedback.NotFound},
			"no site":      {app.FillOptions{Site: "northwind", Posts: 1}, feedback.NotFound},
		} {
			if err := a.Fill(t.Context(), tc.o); feedback.CodeOf(err) != tc.want {
				t.Errorf("%s: Fill = %v; want %s", name, err, tc.want)
			}
		}
		// Even one post may have as many votes as it likes.
		if err := a.Fill(t.Context(), app.FillOptions{Site: o.Site.ID.String(), Posts: 1, Votes: 3000, Comments: -1}); err != nil {
			t.Fatalf("Fill: %v", err)
		}
		if got := number(t, db, `SELECT MAX(vote_count) FROM posts`); got != 3000 {
			t.Errorf("the one post has %d votes; want 3000", got)
		}
	})
}

// Filling takes turns with a server that works on the same database.
func TestFillBesideServer(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			url := "sqlite:" + filepath.Join(t.TempDir(), "heed.db")
			if engine == "postgres" {
				url = feedbacktest.PostgresURL(t)
			}
			server, operator := feedbacktest.OpenURL(t, url, nil), feedbacktest.OpenURL(t, url, nil)
			a := feedbacktest.NewApp(t, server)
			o := feedbacktest.OpenAccount(t, a, "Busy", feedback.Studio)
			filled := make(chan error, 1)
			go func() {
				filled <- feedbacktest.NewApp(t, operator).Fill(t.Context(), app.FillOptions{Site: o.Site.ID.String(), Posts: 1500, Votes: -1, Comments: -1})
			}()
			actor := &app.Actor{Source: feedback.FromAPI, Account: &o.Account, Key: &o.Key}
			written := 0
			for done := false; !done; {
				select {
				case err := <-filled:
					if err != nil {
						t.Fatalf("Fill: %v", err)
					}
					done = true
				default:
				}
				_, err := a.Write(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, app.Once{}, func(tx *app.Tx) (app.Response, error) {
					boards, err := tx.Boards(t.Context(), feedback.Window{Limit: 1})
					if err != nil {
						return app.Response{}, err
					}
					_, err = tx.CreatePost(t.Context(), feedback.NewPost{
						Board: feedback.Ref(boards.Items[0].ID.String()), Title: "Meanwhile", Visitor: "ada",
					})
					return app.Response{}, err
				})
				if err != nil {
					t.Fatalf("a write while the site is filled: %v", err)
				}
				written++
			}
			if n := number(t, server, `SELECT COUNT(*) FROM posts`); n != int64(1500+written) {
				t.Errorf("%d posts; want 1500 and the %d written meanwhile", n, written)
			}
			if written < 2 {
				t.Errorf("only %d writes came through meanwhile", written)
			}
			for _, line := range discrepancies(t, a) {
				t.Error(line)
			}
		})
	}
}
