package store

import (
	"context"

	"heed/internal/feedback"
)

// postColumns are what every reader of posts needs; a list reads fifty of each,
// so there are no others, and three switches share one: a column costs more than a
// sum. stateColumns are for those who change a post.
const (
	postColumns = `p.id, p.board_id, p.title, p.status_id, p.vote_count, p.created_at,
		       CASE WHEN p.pinned THEN 1 ELSE 0 END + CASE WHEN p.archived THEN 2 ELSE 0 END + CASE WHEN p.locked THEN 4 ELSE 0 END`
	stateColumns = `p.held, p.withheld, p.merged_into, p.author_id`
)

func postFields(p *feedback.Post) []any {
	return []any{&p.ID, &p.BoardID, &p.Title, &p.StatusID, count{&p.VoteCount}, at(&p.CreatedAt), switches{&p.Pinned, &p.Archived, &p.Locked}}
}

func stateFields(p *feedback.Post) []any {
	return []any{&p.Held, &p.Withheld, &p.MergedInto, &p.AuthorID}
}

// InsertPost stores a new post, counts it on its board and has searches find
// it. A held post is stored and no more.
func (tx *Tx) InsertPost(ctx context.Context, p *feedback.Post, body string) error {
	_, err := tx.exec(ctx, `
		INSERT INTO posts (site_id, id, board_id, status_id, author_id, vote_count, comment_count,
		                   pinned, archived, locked, held, created_at, title, body, trend)
		VALUES ($1, $2, $3, $4, $5, 0, 0, FALSE, FALSE, FALSE, $6, $7, $8, $9, $10)`,
		p.SiteID, p.ID, p.BoardID, p.StatusID, p.AuthorID, p.Held, micros(p.CreatedAt), p.Title, body,
		int64(feedback.NewHeat(p.CreatedAt)))
	if err != nil || p.Held {
		return wrap("insert post", err)
	}
	if err := tx.addPosts(ctx, p.SiteID, p.BoardID, 1, one(p.Searchable())); err != nil {
		return err
	}
	return tx.IndexPost(ctx, p.SiteID, p.ID, p.Title, body)
}

// Post returns a post with the names and tags that belong to it, or nil. It is
// one query with a row for each tag: of one post there are few.
func (tx *Tx) Post(ctx context.Context, site feedback.SiteID, id feedback.PostID) (*feedback.Post, error) {
	rows, err := tx.q.query(ctx, `
		SELECT `+postColumns+`, `+stateColumns+`, b.name, s.name, t.id, t.name, t.color
		FROM   posts p
		JOIN   boards b ON b.site_id = p.site_id AND b.id = p.board_id
		LEFT JOIN statuses s ON s.site_id = p.site_id AND s.id = p.status_id
		LEFT JOIN post_tags pt ON pt.site_id = p.site_id AND pt.post_id = p.id
		LEFT JOIN tags t ON t.site_id = pt.site_id AND t.id = pt.tag_id
		WHERE  p.site_id = $1 AND p.id = $2`, site, id)
	if err != nil {
		return nil, wrap("post", err)
	}
	defer rows.Close()
	var found *feedback.Post
	for rows.Next() {
		p := &feedback.Post{SiteID: site}
		var tag feedback.TagID
		var name, color *string
		into := append(append(postFields(p), stateFields(p)...), &p.BoardName, &p.StatusName, &tag, &name, &color)
		if err := rows.Scan(into...); err != nil {
			return nil, wrap("post", err)
		}
		if found == nil {
			found = p
		}
		if tag != 0 {
			found.Tags = append(found.Tags, feedback.Tag{ID: tag, Name: *name, Color: *color})
		}
	}
	if found != nil {
		sortTags(found.Tags)
	}
	return found, wrap("post", rows.Err())
}

// LockPost returns a post without the names that belong to it, or nil, and
// keeps it from changing until the transaction is over. Writes that touch
// several posts lock the lower id first.
func (tx *Tx) LockPost(ctx context.Context, site feedback.SiteID, id feedback.PostID) (*feedback.Post, error) {
	return tx.plainPost(ctx, site, id, tx.d.forUpdate())
}

// PlainPost is LockPost without the lock.
func (tx *Tx) PlainPost(ctx context.Context, site feedback.SiteID, id feedback.PostID) (*feedback.Post, error) {
	return tx.plainPost(ctx, site, id, "")
}

func (tx *Tx) plainPost(ctx context.Context, site feedback.SiteID, id feedback.PostID, lock string) (*feedback.Post, error) {
	p, err := first(collect(ctx, tx, `
		SELECT `+postColumns+`, `+stateColumns+`
		FROM   posts p
		WHERE  p.site_id = $1 AND p.id = $2`+lock, []any{site, id}, func(r rows, p *feedback.Post) error {
		p.SiteID = site
		return r.Scan(append(postFields(p), stateFields(p)...)...)
	}))
	return p, wrap("plain post", err)
}

// Posts lists the posts of a site, or of one board if that is not zero, newest
// first, below the id given. It leaves out merged and held posts.
func (tx *Tx) Posts(ctx context.Context, site feedback.SiteID, board feedback.BoardID, below feedback.PostID, limit int) ([]feedback.Post, error) {
	query, args := `
		SELECT `+postColumns+`
		FROM   posts p
		WHERE  p.site_id = $1 AND p.id < $2 AND p.merged_into IS NULL AND NOT p.held
		ORDER  BY p.id DESC
		LIMIT  $3 + 0`, []any{site, below, limit}
	if board != 0 {
		query, args = `
		SELECT `+postColumns+`
		FROM   posts p
		WHERE  p.site_id = $1 AND p.board_id = $2 AND p.id < $3 AND p.merged_into IS NULL AND NOT p.held
		ORDER  BY p.id DESC
		LIMIT  $4 + 0`, []any{site, board, below, limit}
	}
	return tx.listPosts(ctx, site, query, args, limit, board == 0)
}

// listPosts gathers the posts that a query selects by postColumns. neighbours is
// for label.
func (tx *Tx) listPosts(ctx context.Context, site feedback.SiteID, query string, args []any, limit int, neighbours bool) ([]feedback.Post, error) {
	// One post is scanned over and over: fields for each would be most of what
	// a list allocates.
	var p feedback.Post
	fields := postFields(&p)
	posts, err := collectInto(ctx, tx, make([]feedback.Post, 0, limit), query, args, func(r rows, to *feedback.Post) error {
		err := r.Scan(fields...)
		p.SiteID = site
		*to = p
		return err
	})
	if err != nil {
		return nil, wrap("posts", err)
	}
	return posts, tx.label(ctx, site, posts, neighbours)
}

// PostContent returns what a post says, or nil.
func (tx *Tx) PostContent(ctx context.Context, site feedback.SiteID, id feedback.PostID) (*feedback.PostContent, error) {
	var c feedback.PostContent
	found, err := tx.row(ctx, `
		SELECT p.id, p.body, v.ref
		FROM   posts p
		JOIN   visitors v ON v.site_id = p.site_id AND v.id = p.author_id
		WHERE  p.site_id = $1 AND p.id = $2`, []any{site, id}, &c.PostID, &c.Body, &c.Author)
	if err != nil || !found {
		return nil, wrap("post content", err)
	}
	return &c, nil
}

// SetPostStatus moves a post to a status; zero is none.
func (tx *Tx) SetPostStatus(ctx context.Context, site feedback.SiteID, id feedback.PostID, to feedback.StatusID) error {
	_, err := tx.exec(ctx, `
		UPDATE posts SET status_id = $1
		WHERE  site_id = $2 AND id = $3`, to, site, id)
	if err != nil {
		return wrap("set status", err)
	}
	return tx.shelve(ctx, site, id)
}

// Change is an entry in the history of a post.
type Change struct {
	PostID    feedback.PostID
	Kind      string
	From, To  int64 // ids of what changed; zero: none
	Note      string
	ActorKind string
	ActorID   int64
}

// InsertChange adds to the history of a post.
func (tx *Tx) InsertChange(ctx context.Context, site feedback.SiteID, c Change) error {
	_, err := tx.exec(ctx, `
		INSERT INTO post_changes (site_id, id, post_id, kind, from_id, to_id, note, actor_kind, actor_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		site, tx.NextID(), c.PostID, c.Kind, maybe(c.From), maybe(c.To), c.Note, c.ActorKind, maybe(c.ActorID), micros(tx.Now))
	return wrap("insert change", err)
}
