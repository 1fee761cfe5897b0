package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"heed/internal/feedback"
	"heed/internal/ids"
)

// label fills in what is written on posts: the names of their boards and
// statuses, and their tags. A page of posts has few of each, so looking up every
// name once costs a fraction of joining it to every row. neighbours says that no
// other posts of the site, or few, lie between the first and the last.
func (tx *Tx) label(ctx context.Context, site feedback.SiteID, posts []feedback.Post, neighbours bool) error {
	if len(posts) == 0 {
		return nil
	}
	tagged, err := tx.tagged(ctx, site, posts, neighbours)
	if err != nil {
		return err
	}
	n := newNames()
	for i := range posts {
		n.boards[posts[i].BoardID] = ""
		n.statuses[posts[i].StatusID] = nil
	}
	for _, t := range tagged {
		n.tags[t.tag] = feedback.Tag{}
	}
	if err := tx.look(ctx, site, n); err != nil {
		return err
	}
	byID := make(map[feedback.PostID]*feedback.Post, len(posts))
	for i := range posts {
		p := &posts[i]
		p.BoardName, p.StatusName = n.boards[p.BoardID], n.statuses[p.StatusID]
		byID[p.ID] = p
	}
	for _, t := range tagged {
		// A tag may have been removed since, and a neighbour may be nobody's.
		if p, tag := byID[t.post], n.tags[t.tag]; p != nil && tag.ID != 0 {
			p.Tags = append(p.Tags, tag)
		}
	}
	for i := range posts {
		sortTags(posts[i].Tags)
	}
	return nil
}

type taggedPost struct {
	post feedback.PostID
	tag  feedback.TagID
}

// tagged lists which posts have which tags. Of neighbours it reads a stretch of
// the table instead of looking for every post.
func (tx *Tx) tagged(ctx context.Context, site feedback.SiteID, posts []feedback.Post, neighbours bool) ([]taggedPost, error) {
	all := make([]feedback.PostID, len(posts))
	for i := range posts {
		all[i] = posts[i].ID
	}
	var query string
	var args []any
	if neighbours {
		query = `
		SELECT post_id, tag_id
		FROM   post_tags
		WHERE  site_id = $1 AND post_id BETWEEN $2 AND $3`
		args = []any{site, slices.Min(all), slices.Max(all)}
	} else {
		var in string
		in, args = idList([]any{site}, all)
		query = `
		SELECT post_id, tag_id
		FROM   post_tags
		WHERE  site_id = $1 AND post_id IN (` + in + `)`
	}
	out, err := collectInto(ctx, tx, make([]taggedPost, 0, len(posts)), query, args, func(r rows, t *taggedPost) error {
		return r.Scan(&t.post, &t.tag)
	})
	return out, wrap("tags of posts", err)
}

// names are those of the boards, statuses and tags of some posts. Its keys say
// which are wanted.
type names struct {
	boards   map[feedback.BoardID]string
	statuses map[feedback.StatusID]*string
	tags     map[feedback.TagID]feedback.Tag
}

func newNames() names {
	return names{map[feedback.BoardID]string{}, map[feedback.StatusID]*string{}, map[feedback.TagID]feedback.Tag{}}
}

// stretch is how many tags look reads in passing.
const stretch = 128

// look looks up the names: of all three kinds at once, and the whole stretch from
// the first to the last, since finding each costs more than reading some too
// many. Tags that a long stretch leaves out are then looked for by themselves.
func (tx *Tx) look(ctx context.Context, site feedback.SiteID, n names) error {
	delete(n.statuses, 0)
	args := []any{site}
	args = append(args, firstAndLast(n.boards)...)
	args = append(args, firstAndLast(n.statuses)...)
	args = append(args, firstAndLast(n.tags)...)
	// Boards and statuses are a team's own and few; tags may be thousands.
	err := tx.lookUp(ctx, n, fmt.Sprintf(`
		SELECT 1, id, name, '' FROM boards WHERE site_id = $1 AND id BETWEEN $2 AND $3
		UNION ALL
		SELECT 2, id, name, '' FROM statuses WHERE site_id = $1 AND id BETWEEN $4 AND $5
		UNION ALL
		SELECT * FROM (SELECT 3, id, name, color FROM tags WHERE site_id = $1 AND id BETWEEN $6 AND $7 ORDER BY id LIMIT %d) AS t`,
		stretch), args)
	if err != nil {
		return err
	}
	var missing []feedback.TagID
	for id, tag := range n.tags {
		if tag.ID == 0 {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	in, args := idList([]any{site}, missing)
	return tx.lookUp(ctx, n, `SELECT 3, id, name, color FROM tags WHERE site_id = $1 AND id IN (`+in+`)`, args)
}

// firstAndLast returns the least and the greatest key of a map, or what no id is
// between.
func firstAndLast[K ids.Kind, V any](m map[ids.ID[K]]V) []any {
	first, last := ids.ID[K](math.MaxInt64), ids.ID[K](1)
	for id := range m {
		first, last = min(first, id), max(last, id)
	}
	return []any{first, last}
}

// lookUp adds the names that a query selects.
func (tx *Tx) lookUp(ctx context.Context, n names, query string, args []any) error {
	rows, err := tx.q.query(ctx, query, args...)
	if err != nil {
		return wrap("names", err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, id int64
		var name, color string
		if err := rows.Scan(&kind, &id, &name, &color); err != nil {
			return wrap("names", err)
		}
		switch kind {
		case 1:
			n.boards[feedback.BoardID(id)] = name
		case 2:
			n.statuses[feedback.StatusID(id)] = &name
		case 3:
			n.tags[feedback.TagID(id)] = feedback.Tag{ID: feedback.TagID(id), Name: name, Color: color}
		}
	}
	return wrap("names", rows.Err())
}

// sortTags sorts by name in Go: the databases do not agree on the alphabet.
func sortTags(tags []feedback.Tag) {
	slices.SortFunc(tags, func(a, b feedback.Tag) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
}

// count scans an integer column into an int. Package sql would take the way
// over its decimal digits.
type count struct{ n *int }

func (c count) Scan(src any) error {
	v, ok := src.(int64)
	if !ok {
		return fmt.Errorf("count column holds a %T", src)
	}
	c.SetInt64(v)
	return nil
}

func (c count) SetInt64(v int64) { *c.n = int(v) }

// switches scans the three switches of a post from the column they share.
type switches struct{ pinned, archived, locked *bool }

func (s switches) Scan(src any) error {
	v, ok := src.(int64)
	if !ok {
		return fmt.Errorf("switches column holds a %T", src)
	}
	s.SetInt64(v)
	return nil
}

func (s switches) SetInt64(v int64) { *s.pinned, *s.archived, *s.locked = v&1 != 0, v&2 != 0, v&4 != 0 }
