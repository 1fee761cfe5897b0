package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"heed/internal/feedback"
)

// bulk inserts rows into one table. On PostgreSQL, where a statement is a
// journey to the server and back, many go with each.
type bulk struct {
	tx      *Tx
	table   string
	columns []string
	rows    int // of a full statement
	args    []any
}

func (tx *Tx) bulk(table string, columns ...string) *bulk {
	b := &bulk{tx: tx, table: table, columns: columns, rows: 1}
	for b.rows*2*len(columns) <= tx.d.bulkArgs() {
		b.rows *= 2
	}
	b.args = make([]any, 0, b.rows*len(columns))
	return b
}

// bulkArgs: a statement of one row needs no journal of its own, with which
// SQLite could take back half of it; that costs more than the statements.
func (sqliteDialect) bulkArgs() int { return 0 }

func (postgresDialect) bulkArgs() int { return 512 }

// add inserts a row, now or with one of the next.
func (b *bulk) add(ctx context.Context, values ...any) error {
	b.args = append(b.args, values...)
	if len(b.args) < b.rows*len(b.columns) {
		return nil
	}
	return b.flush(ctx)
}

// flush inserts what waits, by powers of two, so that there are few texts to
// prepare.
func (b *bulk) flush(ctx context.Context) error {
	for args := b.args; len(args) > 0; {
		rows := b.rows
		for rows*len(b.columns) > len(args) {
			rows /= 2
		}
		n := rows * len(b.columns)
		if _, err := b.tx.exec(ctx, b.query(rows), args[:n]...); err != nil {
			return fmt.Errorf("insert %s: %w", b.table, err)
		}
		args = args[n:]
	}
	clear(b.args)
	b.args = b.args[:0]
	return nil
}

func (b *bulk) query(rows int) string {
	var q strings.Builder
	q.WriteString(`INSERT INTO ` + b.table + ` (` + strings.Join(b.columns, ", ") + `) VALUES `)
	for i := range rows {
		if i > 0 {
			q.WriteString(", ")
		}
		q.WriteString("(" + placeLists(i*len(b.columns), len(b.columns)) + ")")
	}
	return q.String()
}

// Batch is posts with all that hangs on them, made up elsewhere, to be inserted
// together. Texts are folded into words when they are added, so that the
// transaction is short.
type Batch struct {
	site     feedback.SiteID
	posts    []batchPost
	comments []feedback.Comment
	votes    []batchVote
	listed   map[feedback.BoardID]int
	shown    map[feedback.BoardID]int
}

type batchPost struct {
	*feedback.Post
	body     string
	comments int // those that count
	heat     feedback.Heat
	words    indexed
}

type batchVote struct {
	post    feedback.PostID
	visitor feedback.VisitorID
	at      time.Time
}

// NewBatch returns an empty batch for a site.
func NewBatch(site feedback.SiteID) *Batch {
	return &Batch{site: site, listed: map[feedback.BoardID]int{}, shown: map[feedback.BoardID]int{}}
}

// AddPost adds a post with the tags it has. Its votes and comments follow.
func (b *Batch) AddPost(p *feedback.Post, body string) {
	bp := batchPost{Post: p, body: body, heat: feedback.NewHeat(p.CreatedAt)}
	if p.Listed() {
		b.listed[p.BoardID]++
	}
	if p.Searchable() {
		b.shown[p.BoardID]++
		bp.words = indexed{p.ID, wordsOf(p.Title), wordsOf(body)}
	}
	b.posts = append(b.posts, bp)
}

// AddVote adds a visitor's vote to the post added last. A visitor votes once.
func (b *Batch) AddVote(v feedback.VisitorID, at time.Time) {
	p := &b.posts[len(b.posts)-1]
	p.VoteCount++
	p.heat = p.heat.Plus(at)
	b.votes = append(b.votes, batchVote{p.ID, v, at})
}

// AddComment adds a comment to the post added last.
func (b *Batch) AddComment(c feedback.Comment) {
	p := &b.posts[len(b.posts)-1]
	c.SiteID, c.PostID = b.site, p.ID
	if !c.Internal {
		p.comments++
	}
	b.comments = append(b.comments, c)
}

// InsertBatch stores the rows of a batch, with exact counters, and has searches
// find its posts. It records neither events nor notices.
func (tx *Tx) InsertBatch(ctx context.Context, b *Batch) error {
	posts := tx.bulk("posts", "site_id", "id", "board_id", "status_id", "author_id", "vote_count", "comment_count",
		"pinned", "archived", "locked", "held", "created_at", "title", "body", "trend")
	tags := tx.bulk("post_tags", "site_id", "post_id", "tag_id", "shown", "board_id", "status_id")
	var words []indexed
	for _, p := range b.posts {
		err := posts.add(ctx, b.site, p.ID, p.BoardID, p.StatusID, p.AuthorID, p.VoteCount, p.comments,
			p.Pinned, p.Archived, p.Locked, p.Held, micros(p.CreatedAt), p.Title, p.body, int64(p.heat))
		if err != nil {
			return err
		}
		for _, t := range p.Tags {
			if err := tags.add(ctx, b.site, p.ID, t.ID, p.Searchable(), int64(p.BoardID), int64(p.StatusID)); err != nil {
				return err
			}
		}
		if p.words.post != 0 {
			words = append(words, p.words)
		}
	}
	votes := tx.bulk("votes", "site_id", "post_id", "visitor_id", "created_at")
	for _, v := range b.votes {
		if err := votes.add(ctx, b.site, v.post, v.visitor, micros(v.at)); err != nil {
			return err
		}
	}
	comments := tx.bulk("comments", "site_id", "id", "post_id", "parent_id", "author_type", "visitor_id", "member_id",
		"internal", "created_at", "body")
	for _, c := range b.comments {
		err := comments.add(ctx, c.SiteID, c.ID, c.PostID, c.ParentID, c.AuthorType, c.VisitorID, c.MemberID,
			c.Internal, micros(c.CreatedAt), c.Body)
		if err != nil {
			return err
		}
	}
	for _, rows := range []*bulk{posts, tags, votes, comments} {
		if err := rows.flush(ctx); err != nil {
			return err
		}
	}
	if err := tx.d.indexAll(ctx, tx, b.site, words); err != nil {
		return fmt.Errorf("index posts: %w", err)
	}
	for board, n := range b.listed {
		if err := tx.addPosts(ctx, b.site, board, n, b.shown[board]); err != nil {
			return err
		}
	}
	return nil
}

// NamedVisitor is a visitor whose name and address are known. Either may be
// empty.
type NamedVisitor struct {
	ID          feedback.VisitorID
	Ref         feedback.VisitorRef
	Name, Email string
	CreatedAt   time.Time
}

// InsertVisitors stores visitors that a site does not have yet.
func (tx *Tx) InsertVisitors(ctx context.Context, site feedback.SiteID, all []NamedVisitor) error {
	rows := tx.bulk("visitors", "site_id", "id", "ref", "name", "email", "created_at")
	words := tx.bulk("visitor_words", "site_id", "word", "visitor_id")
	for _, v := range all {
		err := rows.add(ctx, site, v.ID, v.Ref, text(v.Name), text(v.Email), micros(v.CreatedAt))
		if err != nil {
			return err
		}
		for _, w := range visitorWords(v.Name, v.Email) {
			if err := words.add(ctx, site, w, v.ID); err != nil {
				return err
			}
		}
	}
	if err := rows.flush(ctx); err != nil {
		return err
	}
	return words.flush(ctx)
}

// text stores an empty text, which stands for none, as NULL.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
