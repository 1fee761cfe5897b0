package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// shuffle changes posts of a site in every way that lists depend on: votes,
// statuses, tags, boards, archiving, holding, merging and undoing that.
func shuffle(t *testing.T, db *store.DB, a *app.App, o *app.Opened, r *rand.Rand) {
	t.Helper()
	ctx, site := t.Context(), o.Site.ID
	team := &app.Actor{Source: feedback.FromDashboard, Account: &o.Account, Member: o.Member.ID}
	write := func(fn func(*app.Tx) error) {
		t.Helper()
		_, err := a.Write(ctx, team, app.Target{Site: site.String()}, app.Once{}, func(tx *app.Tx) (app.Response, error) { return app.Response{}, fn(tx) })
		if err != nil {
			t.Fatal(err)
		}
	}
	var posts []feedback.PostID
	var boards []feedback.Board
	var statuses []feedback.Status
	var tags []feedback.Tag
	err := db.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.Posts(ctx, site, 0, 1<<62, 1000)
		for _, p := range list {
			posts = append(posts, p.ID)
		}
		if err == nil {
			boards, err = tx.Boards(ctx, site, 0, 100)
		}
		if err == nil {
			statuses, err = tx.Statuses(ctx, site, -1, 0, 100)
		}
		if err == nil {
			tags, err = tx.Tags(ctx, site, 100)
		}
		return err
	})
	if err != nil || len(posts) < 200 || len(tags) < 3 {
		t.Fatalf("%d posts, %d tags, %v", len(posts), len(tags), err)
	}
	var merges []feedback.ActionID
	for i := range 400 {
		post := posts[r.IntN(len(posts))]
		var p *feedback.Post
		if err := db.Read(ctx, func(tx *store.Tx) (err error) { p, err = tx.Post(ctx, site, post); return err }); err != nil {
			t.Fatal(err)
		}
		if p.MergedInto != 0 || p.Held && i%10 != 5 {
			continue // the team approves it first, but may merge it
		}
		name := post.String()
		switch i % 10 {
		case 0, 1:
			if p.Held { // it is approved or rejected instead
				continue
			}
			write(func(tx *app.Tx) error { return tx.SetPostFlag(ctx, name, feedback.Archived, !p.Archived) })
		case 2:
			write(func(tx *app.Tx) error {
				return tx.MovePost(ctx, name, feedback.Input{}, feedback.Ref(boards[r.IntN(len(boards))].ID.String()))
			})
		case 3:
			var to *feedback.Ref // none
			if s := r.IntN(len(statuses) + 1); s < len(statuses) {
				to = new(feedback.Ref)
				*to = feedback.Ref(statuses[s].ID.String())
			}
			write(func(tx *app.Tx) error {
				_, err := tx.ChangePostStatus(ctx, name, feedback.StatusChange{Status: to})
				return err
			})
		case 4:
			write(func(tx *app.Tx) error {
				return tx.TagPost(ctx, name, feedback.Input{}, feedback.Ref(tags[r.IntN(len(tags))].ID.String()), r.IntN(3) > 0)
			})
		case 5:
			winner := posts[r.IntN(len(posts))]
			write(func(tx *app.Tx) error {
				m, err := tx.MergePosts(ctx, name, feedback.NewMerge{Winner: feedback.Ref(winner.String())})
				if err == nil && m.Action != 0 {
					merges = append(merges, m.Action)
				}
				return err
			})
		case 6:
			if len(merges) > 0 && r.IntN(2) == 0 {
				last := merges[len(merges)-1]
				merges = merges[:len(merges)-1]
				write(func(tx *app.Tx) error { _, err := tx.UndoAction(ctx, last.String(), feedback.Input{}); return err })
			}
		case 7: // held and released: no verb holds what is there
			if p.Archived {
				continue
			}
			err := db.Write(ctx, func(tx *store.Tx) error {
				if err := tx.Exec(ctx, `UPDATE posts SET held = TRUE WHERE site_id = $1 AND id = $2`, int64(site), int64(post)); err != nil {
					return err
				}
				if err := tx.Exec(ctx, `
					UPDATE boards SET post_count = post_count - 1, shown_count = shown_count - 1
					WHERE  site_id = $1 AND id = $2`, int64(site), int64(p.BoardID)); err != nil {
					return err
				}
				if err := tx.Exec(ctx, `UPDATE post_tags SET shown = FALSE WHERE site_id = $1 AND post_id = $2`, int64(site), int64(post)); err != nil {
					return err
				}
				if r.IntN(2) == 0 {
					return tx.UnindexPost(ctx, site, post)
				}
				return tx.ReleasePost(ctx, site, post, p.BoardID)
			})
			if err != nil {
				t.Fatal(err)
			}
		default:
			if p.Archived || p.Locked || p.Held {
				continue
			}
			voter := feedback.VisitorRef(fmt.Sprint("shuffled", r.IntN(20)))
			write(func(tx *app.Tx) error {
				_, err := tx.Vote(ctx, name, feedback.NewVote{Visitor: voter})
				return err
			})
			if i%3 == 0 {
				err := db.Write(ctx, func(tx *store.Tx) error {
					v, err := tx.Visitor(ctx, site, voter)
					if err == nil {
						_, _, err = tx.TakeVote(ctx, site, post, v)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestPublicListsAreExact compares every list of the portal, page by page, with
// one made of all rows, after the posts were changed in every way there is.
func TestPublicListsAreExact(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a, o := lively(t, db)
		if err := a.Fill(t.Context(), app.FillOptions{Site: o.Site.ID.String(), Posts: 260, Votes: 900, Comments: 0, Seed: 2}); err != nil {
			t.Fatal(err)
		}
		shuffle(t, db, a, o, rand.New(rand.NewPCG(1, 2)))
		for _, line := range discrepancies(t, a) {
			t.Error(line)
		}
		ctx, site := t.Context(), o.Site.ID
		var boards []feedback.BoardID
		var statuses []feedback.StatusID
		var tags []feedback.TagID
		all, err := db.ShownPosts(ctx, site)
		if err != nil || len(all) < 100 {
			t.Fatalf("%d posts on show, %v", len(all), err)
		}
		err = db.Read(ctx, func(tx *store.Tx) error {
			b, err := tx.Boards(ctx, site, 0, 100)
			if err != nil {
				return err
			}
			for _, x := range b {
				boards = append(boards, x.ID)
				n := 0
				for _, p := range all {
					if p.Board == x.ID {
						n++
					}
				}
				if x.Shown != n {
					t.Errorf("board %s shows %d posts, and says %d", x.Name, n, x.Shown)
				}
			}
			s, err := tx.Statuses(ctx, site, -1, 0, 100)
			for _, x := range s {
				statuses = append(statuses, x.ID)
			}
			if err != nil {
				return err
			}
			g, err := tx.Tags(ctx, site, 100)
			for _, x := range g {
				tags = append(tags, x.ID)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		some := 0
		for _, sort := range []feedback.Sort{feedback.Trending, feedback.Top, feedback.Newest} {
			for _, on := range [][]feedback.BoardID{boards, boards[:1]} {
				for _, status := range append([]feedback.StatusID{0}, statuses...) {
					for _, tag := range append([]feedback.TagID{0}, tags[:3]...) {
						f := feedback.PublicFilter{Sort: sort, Status: status, Tag: tag}
						want := expected(all, on, f)
						if len(want) > 0 && status != 0 && tag != 0 {
							some++
						}
						var got []feedback.PostID
						for {
							err := db.Read(ctx, func(tx *store.Tx) error {
								ids, at, err := tx.RankedPosts(ctx, site, on, statuses, f, 17)
								got = append(got, ids...)
								f.After = nil
								if len(ids) == 17 {
									f.After = at[16]
								}
								return err
							})
							if err != nil {
								t.Fatal(err)
							}
							if f.After == nil {
								break
							}
						}
						if !slices.Equal(got, want) {
							t.Errorf("%s on %d boards, status %v, tag %v: %d posts; want %d\n%v\n%v", sort, len(on), status, tag, len(got), len(want), got, want)
						}
					}
				}
			}
		}
		if some < 10 {
			t.Errorf("only %d lists of a status and a tag hold anything", some)
		}
	})
}

func expected(all []store.ShownPost, boards []feedback.BoardID, f feedback.PublicFilter) []feedback.PostID {
	var some []store.ShownPost
	for _, p := range all {
		if slices.Contains(boards, p.Board) && (f.Status == 0 || p.Status == f.Status) && (f.Tag == 0 || slices.Contains(p.Tags, f.Tag)) {
			some = append(some, p)
		}
	}
	key := func(p store.ShownPost) int64 {
		switch f.Sort {
		case feedback.Trending:
			return p.Trend
		case feedback.Top:
			return p.Votes
		}
		return int64(p.ID)
	}
	slices.SortFunc(some, func(a, b store.ShownPost) int { return cmp.Or(cmp.Compare(key(b), key(a)), cmp.Compare(b.ID, a.ID)) })
	var ids []feedback.PostID
	for _, p := range some {
		ids = append(ids, p.ID)
	}
	return ids
}

// TestPublicListPlans: every list of the portal is read from an index that holds
// its posts in its order, so a page costs its rows and no more, however many
// posts there are: nothing is sorted, and nothing is read to be left out.
func TestPublicListPlans(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		all, err := db.PublicListPlans(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 9 {
			t.Fatalf("%d plans; want 9", len(all))
		}
		for _, p := range all {
			if !strings.Contains(p.Plan, " "+p.Index+" ") {
				t.Errorf("%s is not found by %s:\n%s", p.Name, p.Index, p.Plan)
			}
			for _, dear := range []string{"Sort", "TEMP B-TREE", "Filter", "Seq Scan", "SCAN posts", "SCAN post_tags", "Bitmap"} {
				// The few that are pinned may be gathered and sorted, and each be
				// asked whether it is on show.
				if p.Name == "pinned" && slices.Contains([]string{"Filter", "Sort", "Bitmap"}, dear) {
					continue
				}
				if strings.Contains(p.Plan, dear) {
					t.Errorf("%s: %s\n%s", p.Name, dear, p.Plan)
				}
			}
		}
	})
}
