package store

import (
	"context"
	"math"
	"time"

	"heed/internal/feedback"
)

// PostVector is the meaning of a post under a model.
type PostVector struct {
	Post    feedback.PostID
	Version int64  // rises; given by PutVectors
	Hash    string // of the text it was made of
	Vector  []byte
}

// PostText is what a post says, with its vector under some model if there is
// one.
type PostText struct {
	ID          feedback.PostID
	Title, Body string // the body only so far as it is read for its meaning
	CreatedAt   time.Time
	Hash        string // of the text the vector was made of; empty: there is none
	Vector      []byte
}

// postTextColumns read as much of a body as [feedback.Meant] does.
const postTextColumns = `p.id, p.title, substr(p.body, 1, 1000), p.created_at`

// PostTexts lists the posts of a site, newest first, below the id given, with
// their vectors under a model. Archived posts are among them; it leaves out
// merged and held ones.
func (tx *Tx) PostTexts(ctx context.Context, site feedback.SiteID, model string, below feedback.PostID, limit int) ([]PostText, error) {
	out, err := collect(ctx, tx, `
		SELECT `+postTextColumns+`, v.hash, v.vector
		FROM   posts p
		LEFT JOIN post_vectors v ON v.site_id = p.site_id AND v.model = $1 AND v.post_id = p.id
		WHERE  p.site_id = $2 AND p.id < $3 AND p.merged_into IS NULL AND NOT p.held
		ORDER  BY p.id DESC
		LIMIT  $4 + 0`, []any{model, site, below, limit}, func(r rows, p *PostText) error {
		var hash *string
		err := r.Scan(&p.ID, &p.Title, &p.Body, at(&p.CreatedAt), &hash, &p.Vector)
		if hash != nil {
			p.Hash = *hash
		}
		return err
	})
	return out, wrap("post texts", err)
}

// UnknownPosts lists the posts of a site above the id given that have no vector
// under a model, oldest first, or only those of the ids given if there are any,
// whether they have one or not.
func (tx *Tx) UnknownPosts(ctx context.Context, site feedback.SiteID, model string, above feedback.PostID, only []feedback.PostID, limit int) ([]PostText, error) {
	query, args := `
		SELECT `+postTextColumns+`
		FROM   posts p
		WHERE  p.site_id = $1 AND p.id > $2 AND p.merged_into IS NULL AND NOT p.held
		AND    NOT EXISTS (
			SELECT 1 FROM post_vectors v
			WHERE  v.site_id = p.site_id AND v.model = $3 AND v.post_id = p.id)
		ORDER  BY p.id
		LIMIT  $4 + 0`, []any{site, int64(above), model, limit}
	if len(only) > 0 {
		places, list := idList([]any{site}, only)
		query, args = `
		SELECT `+postTextColumns+`
		FROM   posts p`+tx.d.byID()+`
		WHERE  p.site_id = $1 AND p.id IN (`+places+`) AND p.merged_into IS NULL AND NOT p.held
		ORDER  BY p.id`, list
	}
	out, err := collect(ctx, tx, query, args, func(r rows, p *PostText) error {
		return r.Scan(&p.ID, &p.Title, &p.Body, at(&p.CreatedAt))
	})
	return out, wrap("unknown posts", err)
}

// PutVectors stores vectors of posts under a model, in place of older ones.
func (tx *Tx) PutVectors(ctx context.Context, site feedback.SiteID, model string, vectors []PostVector) error {
	for _, v := range vectors {
		_, err := tx.exec(ctx, `
			INSERT INTO post_vectors (site_id, model, post_id, version, hash, vector)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (site_id, model, post_id) DO UPDATE
			SET    version = excluded.version, hash = excluded.hash, vector = excluded.vector`,
			site, model, v.Post, tx.NextID(), v.Hash, v.Vector)
		if err != nil {
			return wrap("put vectors", err)
		}
	}
	return nil
}

// Vectors lists the vectors of a site under a model in the order in which they
// were stored, after the version given.
func (tx *Tx) Vectors(ctx context.Context, site feedback.SiteID, model string, after int64, limit int) ([]PostVector, error) {
	out, err := collect(ctx, tx, `
		SELECT post_id, version, vector
		FROM   post_vectors
		WHERE  site_id = $1 AND model = $2 AND version > $3
		ORDER  BY version
		LIMIT  $4 + 0`, []any{site, model, after, limit}, func(r rows, v *PostVector) error {
		return r.Scan(&v.Post, &v.Version, &v.Vector)
	})
	return out, wrap("vectors", err)
}

// NewestVectors lists the vectors of a site under a model, the one stored last
// first, below the version given.
func (tx *Tx) NewestVectors(ctx context.Context, site feedback.SiteID, model string, below int64, limit int) ([]PostVector, error) {
	out, err := collect(ctx, tx, `
		SELECT post_id, version, vector
		FROM   post_vectors
		WHERE  site_id = $1 AND model = $2 AND version < $3
		ORDER  BY version DESC
		LIMIT  $4 + 0`, []any{site, model, below, limit}, func(r rows, v *PostVector) error {
		return r.Scan(&v.Post, &v.Version, &v.Vector)
	})
	return out, wrap("newest vectors", err)
}

// SitesToEmbed lists the sites that have posts above the id up to which they
// were seen for their meaning, or above start if they never were.
func (tx *Tx) SitesToEmbed(ctx context.Context, start feedback.PostID, after feedback.SiteID, limit int) ([]feedback.SiteID, error) {
	out, err := collect(ctx, tx, `
		SELECT s.id
		FROM   sites s
		LEFT JOIN site_insights i ON i.site_id = s.id
		WHERE  s.id > $1
		AND    (SELECT MAX(p.id) FROM posts p WHERE p.site_id = s.id) > COALESCE(i.embedded_to, $2)
		ORDER  BY s.id
		LIMIT  $3 + 0`, []any{int64(after), int64(start), limit}, func(r rows, id *feedback.SiteID) error {
		return r.Scan(id)
	})
	return out, wrap("sites to embed", err)
}

// SetEmbeddedTo notes that the posts of a site up to an id were seen for their
// meaning.
func (tx *Tx) SetEmbeddedTo(ctx context.Context, site feedback.SiteID, to feedback.PostID) error {
	_, err := tx.exec(ctx, `
		INSERT INTO site_insights (site_id, quota_paused, model, full_posts, post_count, newest_post, embedded_to)
		VALUES ($1, FALSE, '', 0, 0, 0, $2)
		ON CONFLICT (site_id) DO UPDATE
		SET    embedded_to = excluded.embedded_to
		WHERE  site_insights.embedded_to < excluded.embedded_to`, site, to)
	return wrap("set embedded", err)
}

// FindPosts returns those posts of a site that a search may find, as it finds
// them, in the order of ids.
func (tx *Tx) FindPosts(ctx context.Context, site feedback.SiteID, ids []feedback.PostID) ([]feedback.SearchResult, error) {
	found, err := tx.resultsWhere(ctx, site, ids, ` AND `+searchable)
	if err != nil {
		return nil, err
	}
	byID := make(map[feedback.PostID]feedback.SearchResult, len(found))
	for _, f := range found {
		byID[f.PostID] = f
	}
	out := found[:0]
	for _, id := range ids {
		if f, ok := byID[id]; ok {
			out = append(out, f)
		}
	}
	return out, nil
}

// PostsWith returns the newest posts of a site that a search for a word finds, at
// most limit. It does not rank them, and so costs little whatever the word.
func (tx *Tx) PostsWith(ctx context.Context, site feedback.SiteID, word string, limit int) ([]feedback.PostID, error) {
	q := parseQuery(word)
	if len(q) == 0 {
		return nil, nil
	}
	return tx.matches(ctx, site, q, math.MaxInt64, limit)
}
