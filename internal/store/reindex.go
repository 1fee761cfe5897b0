package store

import (
	"context"

	"heed/internal/feedback"
)

// Reindex has searches find every post by its title and body as they are now,
// and none that they should not find, and every visitor by name and address. It
// may run beside a working service, and again.
func (db *DB) Reindex(ctx context.Context, progress Progress) error {
	return db.reindex(ctx, true, progress)
}

// reindex is Reindex; clear says that posts may be in the index already.
func (db *DB) reindex(ctx context.Context, clear bool, progress Progress) error {
	const batch = 500
	var total, done int64
	err := db.Read(ctx, func(tx *Tx) error {
		_, err := tx.row(ctx, `SELECT COUNT(*) FROM posts`, nil, &total)
		return err
	})
	if err != nil {
		return wrap("count posts", err)
	}
	var last reindexed
	for more := true; more; {
		progress.tell("search index", done, total)
		var posts []reindexed
		err := db.Write(ctx, func(tx *Tx) (err error) {
			posts, err = tx.reindex(ctx, last, batch, clear)
			return err
		})
		if err != nil {
			return wrap("rebuild the search index", err)
		}
		done += int64(len(posts))
		if more = len(posts) == batch; more {
			last = posts[batch-1]
		}
	}
	return db.indexVisitors(ctx)
}

// reindexed is a post whose words are to be indexed.
type reindexed struct {
	site        feedback.SiteID
	id          feedback.PostID
	title, body string
	searchable  bool
}

// reindex indexes the posts after the one given, of all sites, and returns them.
func (tx *Tx) reindex(ctx context.Context, after reindexed, limit int, clear bool) ([]reindexed, error) {
	posts, err := collect(ctx, tx, `
		SELECT p.site_id, p.id, p.title, p.body, `+searchable+`
		FROM   posts p
		WHERE  (p.site_id, p.id) > ($1, $2)
		ORDER  BY p.site_id, p.id
		LIMIT  $3 + 0`+tx.d.forUpdate(), []any{int64(after.site), int64(after.id), limit}, func(r rows, p *reindexed) error {
		return r.Scan(&p.site, &p.id, &p.title, &p.body, &p.searchable)
	})
	if err != nil {
		return nil, err
	}
	bySite := map[feedback.SiteID][]indexed{}
	for _, p := range posts {
		if clear {
			if err := tx.UnindexPost(ctx, p.site, p.id); err != nil {
				return nil, err
			}
		}
		if p.searchable {
			bySite[p.site] = append(bySite[p.site], indexed{p.id, wordsOf(p.title), wordsOf(p.body)})
		}
	}
	for site, words := range bySite {
		if err := tx.d.indexAll(ctx, tx, site, words); err != nil {
			return nil, err
		}
	}
	return posts, nil
}
