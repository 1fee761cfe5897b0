package store

import (
	"context"

	"heed/internal/feedback"
)

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

// TagPost puts a tag on a post. It may be repeated.
func (tx *Tx) TagPost(ctx context.Context, site feedback.SiteID, post feedback.PostID, tag feedback.TagID) error {
	_, err := tx.exec(ctx, `
		INSERT INTO post_tags (site_id, post_id, tag_id)
		VALUES ($1, $2, $3)
		ON CONFLICT (site_id, post_id, tag_id) DO NOTHING`, site, post, tag)
	return wrap("tag post", err)
}
