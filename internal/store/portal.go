package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"heed/internal/feedback"
)

// The posts that the public sees are found board by board: every index below
// begins with the board, private boards are simply not asked for, and the cost
// of a page is that of its rows, however many posts a site has. Each filter has
// an index for each order, but for tags: they have one for the newest, and the
// others are ranked from those.

// rank is a post and what a list is ordered by.
type rank struct {
	id  feedback.PostID
	key int64
}

// compare puts the greatest first.
func (a rank) compare(b rank) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(b.id, a.id)) }

// onShow is what every public listing asks of a post; the partial indexes say
// the same, word for word.
const onShow = `NOT held AND NOT archived AND merged_into IS NULL`

// orders are what each order sorts by, from the greatest down, then by id, and
// how the names of its indexes end. The newest have the greatest id.
var orders = map[feedback.Sort]struct{ key, index string }{
	feedback.Trending: {"trend", "trending"}, feedback.Top: {"vote_count", "top"}, feedback.Newest: {"", "newest"},
}

// RankedPosts returns the ids of the posts on the boards given that come after a
// position in an order, at most limit, and the position of each. statuses are
// those of the site: what is not of one status is looked up status by status.
func (tx *Tx) RankedPosts(ctx context.Context, site feedback.SiteID, boards []feedback.BoardID, statuses []feedback.StatusID, f feedback.PublicFilter, limit int) ([]feedback.PostID, []feedback.Position, error) {
	if f.Tag != 0 && f.Sort != feedback.Newest {
		return tx.rankTagged(ctx, site, boards, statuses, f, limit)
	}
	after := position(f)
	if f.Status != 0 {
		statuses = []feedback.StatusID{f.Status}
	} else {
		statuses = append(slices.Clone(statuses), 0) // and the posts without any
	}
	var found []rank
	for _, b := range boards {
		for _, s := range statuses {
			query, args := tx.rankQuery(site, b, s, f, after, limit)
			some, err := collect(ctx, tx, query, args, scanRank)
			if err != nil {
				return nil, nil, wrap("rank posts", err)
			}
			found = append(found, some...)
		}
	}
	ids, at := inOrder(found, limit)
	return ids, at, nil
}

// position is where a page begins.
func position(f feedback.PublicFilter) rank {
	if len(f.After) == 2 {
		return rank{id: feedback.PostID(f.After[1]), key: f.After[0]}
	}
	return rank{id: math.MaxInt64, key: math.MaxInt64}
}

// inOrder puts posts in their order and returns the first of them.
func inOrder(found []rank, limit int) ([]feedback.PostID, []feedback.Position) {
	slices.SortFunc(found, rank.compare)
	found = found[:min(len(found), limit)]
	ids, at := make([]feedback.PostID, len(found)), make([]feedback.Position, len(found))
	for i, r := range found {
		ids[i], at[i] = r.id, feedback.Position{r.key, int64(r.id)}
	}
	return ids, at
}

// tagDepth is how many posts of a tag are ranked by votes or by heat: its newest,
// which of most tags is all. tagFirst is how many of the first posts of the order
// are looked at beside them for a tag that has more. To know the place of every
// post of every tag would cost a write with every vote.
const (
	tagDepth = 500
	tagFirst = 200
)

// rankTagged is RankedPosts for those of a tag, by votes or by heat.
func (tx *Tx) rankTagged(ctx context.Context, site feedback.SiteID, boards []feedback.BoardID, statuses []feedback.StatusID, f feedback.PublicFilter, limit int) ([]feedback.PostID, []feedback.Position, error) {
	byAge := f
	byAge.Sort, byAge.After = feedback.Newest, nil
	all, _, err := tx.RankedPosts(ctx, site, boards, statuses, byAge, tagDepth+1)
	if err != nil {
		return nil, nil, err
	}
	if len(all) > tagDepth {
		untagged := f
		untagged.Tag, untagged.After = 0, nil
		leading, _, err := tx.RankedPosts(ctx, site, boards, statuses, untagged, tagFirst)
		if err != nil {
			return nil, nil, err
		}
		in, args := idList([]any{site, f.Tag}, leading)
		tagged, err := tx.idColumn(ctx, `
			SELECT post_id FROM post_tags
			WHERE  site_id = $1 AND tag_id = $2 AND post_id IN (`+in+`)`, args)
		if err != nil {
			return nil, nil, wrap("rank posts", err)
		}
		all = append(all, postIDs(tagged)...)
		slices.Sort(all)
		all = slices.Compact(all)
	}
	if len(all) == 0 {
		return nil, nil, nil
	}
	in, args := idList([]any{site}, all)
	found, err := collect(ctx, tx, `
		SELECT id, `+orders[f.Sort].key+`
		FROM   posts`+tx.d.byID()+`
		WHERE  site_id = $1 AND id IN (`+in+`)`, args, scanRank)
	if err != nil {
		return nil, nil, wrap("rank posts", err)
	}
	after := position(f)
	found = slices.DeleteFunc(found, func(r rank) bool { return r.compare(after) <= 0 })
	ids, at := inOrder(found, limit)
	return ids, at, nil
}

// rankQuery is the query for the first posts of one status (zero: of none) on
// one board, or of one tag among them, after a position. Posts without a status
// are all alike in that, but PostgreSQL uses the order of the index only if it is
// told so.
func (tx *Tx) rankQuery(site feedback.SiteID, board feedback.BoardID, status feedback.StatusID, f feedback.PublicFilter, after rank, limit int) (string, []any) {
	args := []any{site, board}
	place := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	table, index, id, where := "posts", "posts_listed_", "id", "site_id = $1 AND board_id = $2 AND "+onShow
	switch {
	case f.Tag != 0:
		table, index, id = "post_tags", "post_tags_", "post_id"
		where = "site_id = $1 AND board_id = $2 AND shown AND tag_id = " + place(f.Tag) + " AND status_id = " + place(int64(status))
	case status != 0:
		where += " AND status_id = " + place(status)
	default:
		where += " AND status_id IS NULL"
	}
	by := tx.d.by(index + orders[f.Sort].index)
	key := orders[f.Sort].key
	if key == "" {
		return `
		SELECT ` + id + `, ` + id + `
		FROM   ` + table + by + `
		WHERE  ` + where + ` AND ` + id + ` < ` + place(int64(after.id)) + `
		ORDER  BY status_id DESC, ` + id + ` DESC
		LIMIT  ` + place(limit) + ` + 0`, args
	}
	return `
		SELECT ` + id + `, ` + key + `
		FROM   ` + table + by + `
		WHERE  ` + where + ` AND (` + key + `, ` + id + `) < (` + place(after.key) + `, ` + place(int64(after.id)) + `)
		ORDER  BY status_id DESC, ` + key + ` DESC, ` + id + ` DESC
		LIMIT  ` + place(limit) + ` + 0`, args
}

func scanRank(r rows, k *rank) error { return r.Scan(&k.id, &k.key) }

// PinnedPosts returns the ids of the posts on the boards that are pinned, the
// newest first.
func (tx *Tx) PinnedPosts(ctx context.Context, site feedback.SiteID, boards []feedback.BoardID, limit int) ([]feedback.PostID, error) {
	if len(boards) == 0 {
		return nil, nil
	}
	query, args := tx.pinnedQuery(site, boards, limit)
	ids, err := tx.idColumn(ctx, query, args)
	return postIDs(ids), wrap("pinned posts", err)
}

// pinnedQuery names its index: SQLite would rather go through all posts on show,
// which need no sorting, than through the few that are pinned.
func (tx *Tx) pinnedQuery(site feedback.SiteID, boards []feedback.BoardID, limit int) (string, []any) {
	in, args := idList([]any{site}, boards)
	return fmt.Sprintf(`
		SELECT id
		FROM   posts%s
		WHERE  site_id = $1 AND pinned AND `+onShow+` AND board_id IN (`+in+`)
		ORDER  BY id DESC
		LIMIT  %d`, tx.d.by("posts_pinned"), limit), args
}

func postIDs(ids []int64) []feedback.PostID {
	out := make([]feedback.PostID, len(ids))
	for i, id := range ids {
		out[i] = feedback.PostID(id)
	}
	return out
}

// PublicPosts returns the posts with the ids that the public sees, in the order
// of the ids, without names of boards and statuses. Those that are not on one of
// the boards, or not on show, are left out.
func (tx *Tx) PublicPosts(ctx context.Context, site feedback.SiteID, boards []feedback.BoardID, ids []feedback.PostID) ([]feedback.PublicPost, error) {
	if len(ids) == 0 || len(boards) == 0 {
		return nil, nil
	}
	in, args := idList([]any{site}, ids)
	all, err := collect(ctx, tx, `
		SELECT p.id, p.board_id, p.title, p.status_id, p.vote_count, p.comment_count, p.pinned, p.locked,
		       p.author_id, p.created_at, SUBSTR(p.body, 1, 400), COALESCE(v.name, '')
		FROM   posts p`+tx.d.byID()+`
		LEFT JOIN visitors v ON v.site_id = p.site_id AND v.id = p.author_id
		WHERE  p.site_id = $1 AND p.id IN (`+in+`) AND NOT p.held AND NOT p.archived AND p.merged_into IS NULL`, args,
		func(r rows, p *feedback.PublicPost) error {
			p.SiteID = site
			return r.Scan(&p.ID, &p.BoardID, &p.Title, &p.StatusID, &p.VoteCount, &p.Comments, &p.Pinned, &p.Locked,
				&p.AuthorID, at(&p.CreatedAt), &p.Excerpt, &p.Author)
		})
	if err != nil {
		return nil, wrap("public posts", err)
	}
	place := make(map[feedback.PostID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	all = slices.DeleteFunc(all, func(p feedback.PublicPost) bool { return !slices.Contains(boards, p.BoardID) })
	slices.SortFunc(all, func(a, b feedback.PublicPost) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return all, tx.addPublicTags(ctx, site, all)
}

func (tx *Tx) addPublicTags(ctx context.Context, site feedback.SiteID, posts []feedback.PublicPost) error {
	plain := make([]feedback.Post, len(posts))
	for i := range posts {
		plain[i].ID = posts[i].ID
	}
	if err := tx.label(ctx, site, plain, false); err != nil {
		return err
	}
	for i := range posts {
		posts[i].Tags = plain[i].Tags
	}
	return nil
}

// StatusChanges lists the moves of a post from status to status, newest first.
func (tx *Tx) StatusChanges(ctx context.Context, site feedback.SiteID, post feedback.PostID, limit int) ([]feedback.StatusMove, error) {
	out, err := collect(ctx, tx, `
		SELECT from_id, to_id, note, created_at
		FROM   post_changes
		WHERE  site_id = $1 AND post_id = $2 AND kind = 'status'
		ORDER  BY id DESC
		LIMIT  $3 + 0`, []any{site, post, limit}, func(r rows, c *feedback.StatusMove) error {
		return r.Scan(&c.From, &c.To, &c.Note, at(&c.At))
	})
	return out, wrap("status changes", err)
}

// MergedInto lists the posts that were folded into a post, the oldest first.
// Held ones were never public and are left out.
func (tx *Tx) MergedInto(ctx context.Context, site feedback.SiteID, post feedback.PostID, limit int) ([]feedback.FoldedPost, error) {
	out, err := collect(ctx, tx, `
		SELECT id, board_id, title
		FROM   posts
		WHERE  site_id = $1 AND merged_into = $2 AND NOT held
		ORDER  BY id
		LIMIT  $3 + 0`, []any{site, post, limit}, func(r rows, m *feedback.FoldedPost) error { return r.Scan(&m.ID, &m.Board, &m.Title) })
	return out, wrap("merged posts", err)
}

// PublicComments lists the comments on a post that are not internal, oldest
// first, after the one given.
func (tx *Tx) PublicComments(ctx context.Context, site feedback.SiteID, post feedback.PostID, after feedback.CommentID, limit int) ([]feedback.PublicComment, error) {
	out, err := collect(ctx, tx, `
		SELECT c.site_id, c.id, c.post_id, c.parent_id, c.body, c.author_type, c.visitor_id, c.member_id, c.internal, c.created_at, c.edited_at,
		       COALESCE(v.name, m.name, '')
		FROM   comments c
		LEFT JOIN visitors v ON v.site_id = c.site_id AND v.id = c.visitor_id
		LEFT JOIN members m ON m.id = c.member_id
		WHERE  c.site_id = $1 AND c.post_id = $2 AND c.id > $3 AND NOT c.internal
		ORDER  BY c.id
		LIMIT  $4 + 0`, []any{site, post, int64(after), limit}, func(r rows, c *feedback.PublicComment) error {
		return r.Scan(&c.SiteID, &c.ID, &c.PostID, &c.ParentID, &c.Body, &c.AuthorType, &c.VisitorID, &c.MemberID,
			&c.Internal, at(&c.CreatedAt), at(&c.EditedAt), &c.Author)
	})
	return out, wrap("public comments", err)
}

// CommentBefore returns the public comment of a post that stands n places before
// the one given, or the first.
func (tx *Tx) CommentBefore(ctx context.Context, site feedback.SiteID, post feedback.PostID, id feedback.CommentID, n int) (feedback.CommentID, error) {
	all, err := collect(ctx, tx, `
		SELECT id
		FROM   comments
		WHERE  site_id = $1 AND post_id = $2 AND id <= $3 AND NOT internal
		ORDER  BY id DESC
		LIMIT  $4 + 0`, []any{site, post, int64(id), n + 1}, func(r rows, id *feedback.CommentID) error { return r.Scan(id) })
	if err != nil || len(all) == 0 {
		return 0, wrap("comment before", err)
	}
	return all[len(all)-1], nil
}

// PublishedEntries lists the public changelog entries, newest first, after the
// position given (when it was published, and its id).
func (tx *Tx) PublishedEntries(ctx context.Context, site feedback.SiteID, published int64, below feedback.EntryID, limit int) ([]feedback.Entry, error) {
	out, err := collect(ctx, tx, `
		SELECT `+entryColumns+`
		FROM   entries
		WHERE  site_id = $1 AND published_at IS NOT NULL AND (published_at, id) < ($2, $3)
		ORDER  BY published_at DESC, id DESC
		LIMIT  $4 + 0`, []any{site, published, int64(below), limit}, scanEntry)
	return out, wrap("published entries", err)
}

// PublishedEntry returns a public changelog entry by its slug, or nil.
func (tx *Tx) PublishedEntry(ctx context.Context, site feedback.SiteID, slug string) (*feedback.Entry, error) {
	e, err := first(collect(ctx, tx, `
		SELECT `+entryColumns+`
		FROM   entries
		WHERE  site_id = $1 AND slug = $2 AND published_at IS NOT NULL`, []any{site, slug}, scanEntry))
	return e, wrap("published entry", err)
}

// PostEntries lists the public entries that answer a post, newest first.
func (tx *Tx) PostEntries(ctx context.Context, site feedback.SiteID, post feedback.PostID, limit int) ([]feedback.Entry, error) {
	out, err := collect(ctx, tx, `
		SELECT e.site_id, e.id, e.title, e.slug, e.body, e.label, e.status, e.published_at, e.publish_at, e.created_at
		FROM   entry_posts ep
		JOIN   entries e ON e.site_id = ep.site_id AND e.id = ep.entry_id
		WHERE  ep.site_id = $1 AND ep.post_id = $2 AND e.published_at IS NOT NULL
		ORDER  BY e.id DESC
		LIMIT  $3 + 0`, []any{site, post, limit}, scanEntry)
	return out, wrap("entries of post", err)
}
