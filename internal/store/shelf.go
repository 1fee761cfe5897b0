package store

import (
	"context"

	"heed/internal/feedback"
)

// What the public sees of a post is counted by its board and copied to its tags.
// Whatever changes a post's board or status, or whether it is on show, goes
// through here; `heed check` compares.

// shelve copies to the tags of a post what lists by tag go by.
func (tx *Tx) shelve(ctx context.Context, site feedback.SiteID, post feedback.PostID) error {
	_, err := tx.exec(ctx, `
		UPDATE post_tags SET (shown, board_id, status_id) = (
			SELECT `+onShow+`, board_id, COALESCE(status_id, 0)
			FROM   posts
			WHERE  site_id = $1 AND id = $2)
		WHERE  site_id = $1 AND post_id = $2`, site, post)
	return wrap("shelve post", err)
}

// shelveBoth shelves the posts of a merge.
func (tx *Tx) shelveBoth(ctx context.Context, a *feedback.Action) error {
	if err := tx.shelve(ctx, a.SiteID, a.Loser); err != nil {
		return err
	}
	return tx.shelve(ctx, a.SiteID, a.Winner)
}

// showing runs a statement that may put a post on show or take it away, and has
// its board and its tags follow.
func (tx *Tx) showing(ctx context.Context, site feedback.SiteID, post feedback.PostID, query string, args ...any) error {
	_, was, err := tx.onShow(ctx, site, post)
	if err != nil {
		return err
	}
	if _, err := tx.exec(ctx, query, args...); err != nil {
		return err
	}
	board, is, err := tx.onShow(ctx, site, post)
	if err != nil || was == is {
		return err
	}
	if err := tx.addPosts(ctx, site, board, 0, one(is)-one(was)); err != nil {
		return err
	}
	return tx.shelve(ctx, site, post)
}

func (tx *Tx) onShow(ctx context.Context, site feedback.SiteID, post feedback.PostID) (board feedback.BoardID, is bool, err error) {
	_, err = tx.row(ctx, `
		SELECT board_id, `+onShow+`
		FROM   posts
		WHERE  site_id = $1 AND id = $2`, []any{site, post}, &board, &is)
	return board, is, wrap("on show", err)
}

// shelfSchema is the first schema in which boards and tags know what is on show.
const shelfSchema = 9

// reshelve counts and copies everything anew, for rows of an earlier schema that
// were restored into this one.
func (db *DB) reshelve(ctx context.Context) error {
	return db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(ctx, `
			UPDATE boards SET shown_count = (
				SELECT COUNT(*) FROM posts p
				WHERE  p.site_id = boards.site_id AND p.board_id = boards.id AND `+searchable+`)`)
		if err != nil {
			return wrap("count posts", err)
		}
		_, err = tx.exec(ctx, `
			UPDATE post_tags SET (shown, board_id, status_id) = (
				SELECT `+searchable+`, p.board_id, COALESCE(p.status_id, 0)
				FROM   posts p
				WHERE  p.site_id = post_tags.site_id AND p.id = post_tags.post_id)`)
		return wrap("shelve posts", err)
	})
}
