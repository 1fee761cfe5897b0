package store

import (
	"context"

	"heed/internal/feedback"
)

func scanTag(r rows, t *feedback.Tag) error { return r.Scan(&t.ID, &t.Name, &t.Color) }

// Tag returns a tag, or nil.
func (tx *Tx) Tag(ctx context.Context, site feedback.SiteID, id feedback.TagID) (*feedback.Tag, error) {
	t, err := first(collect(ctx, tx, `
		SELECT id, name, color FROM tags
		WHERE  site_id = $1 AND id = $2`, []any{site, id}, scanTag))
	return t, wrap("tag", err)
}

// Tags lists the tags of a site by name.
func (tx *Tx) Tags(ctx context.Context, site feedback.SiteID, limit int) ([]feedback.Tag, error) {
	out, err := collect(ctx, tx, `
		SELECT id, name, color FROM tags
		WHERE  site_id = $1
		ORDER  BY name, id
		LIMIT  $2 + 0`, []any{site, limit}, scanTag)
	return out, wrap("tags", err)
}

// TagCount counts the tags of a post.
func (tx *Tx) TagCount(ctx context.Context, site feedback.SiteID, post feedback.PostID) (n int, err error) {
	_, err = tx.row(ctx, `SELECT COUNT(*) FROM post_tags WHERE site_id = $1 AND post_id = $2`, []any{site, post}, &n)
	return n, wrap("count tags", err)
}

// InsertTag stores a new tag and reports whether the name was free.
func (tx *Tx) InsertTag(ctx context.Context, site feedback.SiteID, t *feedback.Tag) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO tags (site_id, id, name, color, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (site_id, name) DO NOTHING`, site, t.ID, t.Name, t.Color, micros(tx.Now))
	return n > 0, wrap("insert tag", err)
}

// UpdateTag changes a tag and reports whether its name was free.
func (tx *Tx) UpdateTag(ctx context.Context, site feedback.SiteID, t *feedback.Tag) (bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE tags SET name = $1, color = $2
		WHERE  site_id = $3 AND id = $4 AND NOT EXISTS (
			SELECT 1 FROM tags o WHERE o.site_id = $3 AND o.name = $1 AND o.id <> $4)`, t.Name, t.Color, site, t.ID)
	return n > 0, wrap("update tag", err)
}

// DeleteTag takes a tag from all posts, also from those that undoing a merge
// would put it back on, and removes it.
func (tx *Tx) DeleteTag(ctx context.Context, site feedback.SiteID, id feedback.TagID) error {
	for _, query := range []string{
		`DELETE FROM post_tags WHERE site_id = $1 AND tag_id = $2`,
		`DELETE FROM action_tags WHERE site_id = $1 AND tag_id = $2`,
		`UPDATE saved_views SET tag_id = NULL WHERE site_id = $1 AND tag_id = $2`,
	} {
		if _, err := tx.exec(ctx, query, site, id); err != nil {
			return wrap("delete tag", err)
		}
	}
	_, err := tx.exec(ctx, `DELETE FROM tags WHERE site_id = $1 AND id = $2`, site, id)
	return wrap("delete tag", err)
}

// TagNamed finds the tag of a site with this name, or makes one of this colour.
func (tx *Tx) TagNamed(ctx context.Context, site feedback.SiteID, name, color string) (feedback.Tag, error) {
	t := feedback.Tag{Name: name}
	_, err := tx.exec(ctx, `
		INSERT INTO tags (site_id, id, name, color, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (site_id, name) DO NOTHING`,
		site, tx.NextID(), name, color, micros(tx.Now))
	if err != nil {
		return t, wrap("insert tag", err)
	}
	_, err = tx.row(ctx, `
		SELECT id, color FROM tags
		WHERE  site_id = $1 AND name = $2`, []any{site, name}, &t.ID, &t.Color)
	return t, wrap("tag", err)
}
