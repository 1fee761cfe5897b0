package store_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// lively returns an app and an account whose site has some of everything.
func lively(t *testing.T, db *store.DB) (*app.App, *app.Opened) {
	t.Helper()
	a := feedbacktest.NewApp(t, db)
	o := feedbacktest.OpenAccount(t, a, "Check", feedback.Studio)
	if err := a.Fill(t.Context(), app.FillOptions{Site: o.Site.ID.String(), Posts: 40, Votes: 200, Comments: 60, Seed: 1}); err != nil {
		t.Fatalf("Fill: %v", err)
	}
	actor := &app.Actor{Source: feedback.FromAPI, Account: &o.Account, Key: &o.Key}
	_, err := a.Write(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, app.Once{}, func(tx *app.Tx) (app.Response, error) {
		ctx := t.Context()
		boards, err := tx.Boards(ctx, feedback.Window{Limit: 1})
		if err != nil {
			return app.Response{}, err
		}
		var posts []*feedback.Post
		for _, title := range []string{"First", "Second"} {
			p, err := tx.CreatePost(ctx, feedback.NewPost{
				Board: feedback.Ref(boards.Items[0].ID.String()), Title: feedback.PostTitle(title), Visitor: "ada",
			})
			if err != nil {
				return app.Response{}, err
			}
			posts = append(posts, p)
		}
		if _, err := tx.CreateComment(ctx, posts[0].ID.String(), feedback.NewComment{Body: "We look into it."}); err != nil {
			return app.Response{}, err
		}
		if _, err := tx.MergePosts(ctx, posts[0].ID.String(), feedback.NewMerge{Winner: feedback.Ref(posts[1].ID.String())}); err != nil {
			return app.Response{}, err
		}
		post := feedback.Ref(posts[1].ID.String())
		for _, about := range []*feedback.Ref{nil, &post} {
			r, err := tx.StartRun(ctx, feedback.NewRun{
				Site: feedback.Ref(o.Site.ID.String()), Kind: feedback.AgentKind(a.AgentKinds()[0]), Post: about,
			})
			if err != nil {
				return app.Response{}, err
			}
			if _, err := tx.AppendStep(ctx, r.ID.String(), feedback.NewStep{Tone: "DONE", Label: "Read the post"}); err != nil {
				return app.Response{}, err
			}
		}
		return app.Response{}, nil
	})
	if err != nil {
		t.Fatalf("make a lively site: %v", err)
	}
	return a, o
}

func exec(t *testing.T, db *store.DB, query string, args ...any) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.Exec(t.Context(), query, args...) })
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func number(t *testing.T, db *store.DB, query string, args ...any) int64 {
	t.Helper()
	n, err := db.Number(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func discrepancies(t *testing.T, a *app.App) []string {
	t.Helper()
	found, err := a.Check(t.Context(), nil)
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	lines := make([]string, len(found))
	for i, d := range found {
		lines[i] = d.String()
	}
	return lines
}

func TestCheckFindsNothingWrong(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a, _ := lively(t, db)
		for _, line := range discrepancies(t, a) {
			t.Error(line)
		}
		last, steps := "", 0
		if _, err := a.Check(t.Context(), func(check string, done, total int) {
			last, steps = check, steps+1
			if check == "done" && done != total {
				t.Errorf("progress ends at %d of %d", done, total)
			}
		}); err != nil || last != "done" || steps < 10 {
			t.Errorf("Check = %v after %d steps, the last %q; want nil, many, done", err, steps, last)
		}
	})
}

func TestCheckFindsDamage(t *testing.T) {
	const (
		ofSqlite   = "sqlite"
		ofPostgres = "postgres"
		endpoint   = `INSERT INTO webhook_endpoints (site_id, id, url, event_types, enabled, disabled_reason, consecutive_failures,
			secret, created_at, updated_at) VALUES ($site, 1, 'https://hooks.example.com/', '', TRUE, '', 0, '', 0, 0)`
	)
	for name, tc := range map[string]struct {
		engine string // "": both
		damage []string
		want   []string // each must stand in some line
		lines  int      // how many lines there are; 0: not said
	}{
		"a vote too many": {
			damage: []string{`UPDATE posts SET vote_count = vote_count + 1 WHERE id = $post`},
			want:   []string{"counters: posts $spelled: vote_count is"}, lines: 1},
		"a vote lost": {
			damage: []string{`DELETE FROM votes WHERE post_id = (SELECT MIN(post_id) FROM votes)`},
			want:   []string{"and it has 0 votes"}, lines: 1},
		"comments miscounted": {
			damage: []string{`UPDATE posts SET comment_count = 77 WHERE id = $post`},
			want:   []string{"comment_count is 77"}, lines: 1},
		"posts miscounted": {
			damage: []string{`UPDATE boards SET post_count = post_count - 3 WHERE slug = 'bugs'`},
			want:   []string{"counters: boards brd_", "posts in its list"}, lines: 1},
		"runs miscounted": {
			damage: []string{`UPDATE sites SET run_count = 9`},
			want:   []string{"run_count is 9, and it has 2 runs", "as its highest run number"}, lines: 2},
		"steps miscounted": {
			damage: []string{`UPDATE runs SET step_count = 5 WHERE number = 1`},
			want:   []string{"step_count is 5, and it has 1 steps"}, lines: 1},
		"a delivery that waits for ever": {
			damage: []string{endpoint, `INSERT INTO deliveries (site_id, endpoint_id, id, message_id, type, cause, status, attempt_count, created_at)
				SELECT $site, 1, 2, MIN(id), 'post.created', 'event', 'pending', 0, 0 FROM events WHERE site_id = $site`},
			want: []string{"webhooks: deliveries dlv_0000000000002: it waits"}, lines: 1},
		"attempts miscounted": {
			damage: []string{endpoint, `INSERT INTO deliveries (site_id, endpoint_id, id, message_id, type, cause, status, attempt_count, created_at, completed_at)
				SELECT $site, 1, 2, MIN(id), 'post.created', 'event', 'failed', 3, 0, 1 FROM events WHERE site_id = $site`},
			want: []string{"attempt_count is 3, and it has 0 attempts"}, lines: 1},
		"an attempt of nothing": {
			damage: []string{endpoint, `INSERT INTO delivery_attempts (site_id, endpoint_id, delivery_id, number, started_at, duration,
				response_status, response_truncated, error, response_body) VALUES ($site, 1, 2, 1, 0, 0, 200, FALSE, '', '')`},
			want: []string{"webhooks: delivery_attempts: they are about dlv_0000000000002"}, lines: 1},
		"a delivery of nothing": {
			damage: []string{endpoint, `INSERT INTO deliveries (site_id, endpoint_id, id, message_id, type, cause, status, attempt_count, created_at, completed_at)
				VALUES ($site, 1, 2, 3, 'post.created', 'event', 'failed', 0, 0, 1)`},
			want: []string{"message_id names msg_0000000000003"}, lines: 1},
		"a board that is gone": {
			damage: []string{`UPDATE posts SET board_id = 12345 WHERE id = $post`},
			want:   []string{"references: posts $spelled: board_id names brd_", "in boards of the same site"}},
		"a tag of another site": {
			damage: []string{
				`INSERT INTO tags (site_id, id, name, color, created_at) VALUES (42, 43, 'theirs', '#000000', 0)`,
				`INSERT INTO post_tags (site_id, post_id, tag_id) VALUES ($site, $post, 43)`},
			want: []string{"references: post_tags $spelled/tag_", "site_id names site_", "in sites", "tags: posts $spelled"}, lines: 3},
		"posts on show miscounted": {
			damage: []string{`UPDATE boards SET shown_count = shown_count + 1 WHERE slug = 'bugs'`},
			want:   []string{"counters: boards brd_", "posts on show"}, lines: 1},
		"a tag that lists a post elsewhere": {
			damage: []string{`UPDATE post_tags SET status_id = status_id + 1 WHERE post_id = $post`},
			want:   []string{"tags: posts $spelled: lists of its tag tag_"}, lines: 1},
		"a vote for a post that is gone": {
			damage: []string{`INSERT INTO votes (site_id, post_id, visitor_id, created_at)
				SELECT $site, 999, MIN(id), 0 FROM visitors`},
			want: []string{"references: votes post_", "post_id names post_"}, lines: 1},
		"a parent that is gone": {
			damage: []string{`UPDATE comments SET parent_id = 7 WHERE id = (SELECT MIN(id) FROM comments)`},
			want:   []string{"references: comments cmt_", "parent_id names cmt_"}, lines: 1},
		"a comment by a member of another account": {
			damage: []string{
				`INSERT INTO accounts (id, name, plan, created_at) VALUES (5, 'Other', 'FREE', 0)`,
				`INSERT INTO members (id, account_id, email, name, role, password_hash, created_at) VALUES (6, 5, 'x@y.example', 'X', 'owner', '', 0)`,
				`UPDATE comments SET member_id = 6 WHERE id = (SELECT MIN(id) FROM comments)`},
			want: []string{"member_id names mem_", "in members of the site's account"}, lines: 1},
		"a key for a site of another account": {
			damage: []string{
				`INSERT INTO sites (id, account_id, name, slug, run_count, created_at)
				SELECT 5, id, 'Other', 'other', 0, 0 FROM accounts`,
				`INSERT INTO accounts (id, name, plan, created_at) VALUES (5, 'Other', 'FREE', 0)`,
				`UPDATE sites SET account_id = 5 WHERE id = 5`,
				`UPDATE api_keys SET site_id = 5`},
			want: []string{"references: api_keys key_", "in sites of the same account"}, lines: 1},
		"a run that cannot be found": {
			damage: []string{`DELETE FROM run_sites`},
			want:   []string{"run_sites does not name its site"}, lines: 2},
		"two unfinished runs": {
			damage: []string{`DROP INDEX runs_active`, `UPDATE runs SET post_id = $post`},
			want:   []string{"runs: posts $spelled: 2 runs are unfinished"}, lines: 1},
		"two default statuses": {
			damage: []string{`UPDATE statuses SET is_default = TRUE WHERE name = 'Planned'`},
			want:   []string{"statuses: sites site_", "2 statuses are the default"}, lines: 1},
		"a merged post that is open": {
			damage: []string{`UPDATE posts SET locked = FALSE WHERE merged_into IS NOT NULL`},
			want:   []string{"merges: posts post_"}, lines: 1},
		"a post no search finds": {
			engine: ofPostgres,
			damage: []string{`DELETE FROM post_search WHERE id = $post`},
			want:   []string{"search: posts $spelled: no search can find it", "search: posts $spelled: a search for its title"}, lines: 2},
		"a post no search finds, ": {
			engine: ofSqlite,
			damage: []string{`DELETE FROM post_search WHERE rowid = $post`},
			want:   []string{"search: posts $spelled: no search can find it", "search: posts $spelled: a search for its title"}, lines: 2},
		"an archived post that is found": {
			damage: []string{`UPDATE posts SET archived = TRUE WHERE id = $post`},
			want:   []string{"search: posts $spelled: searches find it, and none should", "posts on show", "lists of its tag"}, lines: 3},
		"a post indexed by other words": {
			engine: ofSqlite,
			damage: []string{`INSERT OR REPLACE INTO post_search (rowid, title, body) VALUES ($post, 'x', 'y')`},
			want:   []string{"search: posts $spelled: a search for its title does not find it"}, lines: 1},
		"a post indexed by other words, ": {
			engine: ofPostgres,
			damage: []string{`UPDATE post_search SET words = 'x:1A' WHERE id = $post`},
			want:   []string{"search: posts $spelled: a search for its title does not find it"}, lines: 1},
		"an event that is no JSON": {
			damage: []string{`UPDATE events SET payload = '{"type":' WHERE type = 'comment.created'`},
			want:   []string{"events: events msg_", "not the JSON of an event"}, lines: 1},
		"an event of another type": {
			damage: []string{`UPDATE events SET type = 'post.moved' WHERE type = 'comment.created'`},
			want:   []string{`its type is "post.moved", and its payload says "comment.created"`}, lines: 1},
		"an event of no type": {
			damage: []string{`UPDATE events SET type = 'post.eaten' WHERE type = 'comment.created'`},
			want:   []string{`"post.eaten" is none of ours`}, lines: 1},
		"an event of another site": {
			damage: []string{`UPDATE events SET payload = REPLACE(payload, '"siteId":"site_', '"siteId":"site_1') WHERE type = 'comment.created'`},
			want:   []string{"events: events msg_"}, lines: 1},
		"more than anybody reads": {
			damage: []string{
				`INSERT INTO votes (site_id, post_id, visitor_id, created_at) SELECT $site, id + 1, author_id, 0 FROM posts`,
				`INSERT INTO votes (site_id, post_id, visitor_id, created_at) SELECT $site, id + 2, author_id, 0 FROM posts`,
				`INSERT INTO votes (site_id, post_id, visitor_id, created_at) SELECT $site, id + 3, author_id, 0 FROM posts`},
			want: []string{"more than the 100 above"}, lines: 101},
	} {
		t.Run(name, func(t *testing.T) {
			feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
				if tc.engine != "" && tc.engine != db.Engine() {
					t.Skip("the index is another on this database")
				}
				a, o := lively(t, db)
				post := number(t, db, `
					SELECT MIN(id) FROM posts
					WHERE  NOT archived AND merged_into IS NULL`)
				values := strings.NewReplacer("$site", strconv.FormatInt(int64(o.Site.ID), 10), "$post", strconv.FormatInt(post, 10))
				for _, d := range tc.damage {
					exec(t, db, values.Replace(d))
				}
				got := discrepancies(t, a)
				all := strings.Join(got, "\n")
				for _, want := range tc.want {
					want = strings.ReplaceAll(want, "$spelled", feedback.PostID(post).String())
					if !strings.Contains(all, want) {
						t.Errorf("found\n%s\nwant a line with %q", all, want)
					}
				}
				if tc.lines != 0 && len(got) != tc.lines {
					t.Errorf("found\n%s\nwant %d lines", all, tc.lines)
				}
			})
		})
	}
}

func TestCheckStopsWhenAsked(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a, _ := lively(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := a.Check(ctx, nil); err == nil {
			t.Error("Check with a cancelled context = nil; want an error")
		}
	})
}

// A column that looks like a reference must be known as one, or as none: else
// Check would pass over it.
func TestEveryReferenceIsKnown(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		tables, err := db.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		columns := map[string]bool{}
		for table, cols := range tables {
			for _, c := range cols {
				columns[c], columns[table+"."+c] = true, true
				if !strings.HasSuffix(c, "_id") || store.PointsAnywhere[table+"."+c] != "" {
					continue
				}
				if target, ok := store.References[c]; !ok || tables[target] == nil {
					t.Errorf("%s.%s: name the table it points into in references (reference.go), or say in pointsAnywhere why it points into none", table, c)
				}
			}
		}
		for c := range store.References {
			if !columns[c] {
				t.Errorf("references names %s, and no table has it", c)
			}
		}
		for c := range store.PointsAnywhere {
			if !columns[c] {
				t.Errorf("pointsAnywhere names %s, and there is no such column", c)
			}
		}
	})
}
