package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"heed/internal/feedback"
)

// maxRanked is how many matches are ranked by how well their title answers.
// Above it words are so common that ranking says little and costs much: the
// newest come first.
const maxRanked = 250

// SearchPosition is where a page of a search begins. The zero value is the
// beginning.
type SearchPosition struct {
	Mode  int64           // one of the constants below; zero: to be found out
	Snap  feedback.PostID // ranked: the newest match there was on the first page
	Score int64           // ranked: of the last result
	Last  feedback.PostID // the last result
}

const (
	ranked   = 1 // by relevance
	newest   = 2 // too many for that
	complete = 3 // too many even of those where the last word does not go on
)

// Search returns up to limit posts of a site that hold all words of text, most
// relevant first, and the position after them, nil at the end. Posts that are
// added or removed between two pages make neither repeat nor skip another.
func (tx *Tx) Search(ctx context.Context, site feedback.SiteID, text string, from SearchPosition, limit int) ([]feedback.SearchResult, *SearchPosition, error) {
	q := parseQuery(text)
	if len(q) == 0 {
		return nil, nil, nil
	}
	switch from.Mode {
	case newest:
		return tx.newestMatches(ctx, site, q, from, limit)
	case complete:
		return tx.newestMatches(ctx, site, q.whole(), from, limit)
	case ranked:
		// There were no more than maxRanked on the first page. Posts that came
		// back since (a merge was undone) must not push out others.
		all, err := tx.matches(ctx, site, q, from.Snap+1, 2*maxRanked)
		if err != nil {
			return nil, nil, err
		}
		return tx.rankedPage(ctx, site, q, all, from, limit)
	}
	// Whole words first: their matches are read one by one, while the beginning
	// of a word has the database gather those of every word that begins so.
	all, err := tx.matches(ctx, site, q.whole(), math.MaxInt64, maxRanked+1)
	if err != nil {
		return nil, nil, err
	}
	if len(all) > maxRanked {
		return tx.newestPage(ctx, site, all, complete, limit)
	}
	if all, err = tx.matches(ctx, site, q, math.MaxInt64, maxRanked+1); err != nil || len(all) == 0 {
		return nil, nil, err
	}
	if len(all) > maxRanked {
		return tx.newestPage(ctx, site, all, newest, limit)
	}
	return tx.rankedPage(ctx, site, q, all, SearchPosition{Mode: ranked, Snap: all[0], Score: math.MaxInt64}, limit)
}

// matches returns the newest posts below one that match, newest first.
func (tx *Tx) matches(ctx context.Context, site feedback.SiteID, q searchQuery, below feedback.PostID, limit int) ([]feedback.PostID, error) {
	query, args := tx.d.matches(site, q, below, limit)
	var id feedback.PostID
	into := []any{&id} // one for all rows
	all, err := collectInto(ctx, tx, make([]feedback.PostID, 0, limit), query, tx.d.freshPlan(args), func(r rows, to *feedback.PostID) error {
		err := r.Scan(into...)
		*to = id
		return err
	})
	return all, wrap("match", err)
}

func (tx *Tx) newestMatches(ctx context.Context, site feedback.SiteID, q searchQuery, from SearchPosition, limit int) ([]feedback.SearchResult, *SearchPosition, error) {
	all, err := tx.matches(ctx, site, q, from.Last, limit+1)
	if err != nil {
		return nil, nil, err
	}
	return tx.newestPage(ctx, site, all, from.Mode, limit)
}

// newestPage returns the first of the matches, newest first.
func (tx *Tx) newestPage(ctx context.Context, site feedback.SiteID, all []feedback.PostID, mode int64, limit int) ([]feedback.SearchResult, *SearchPosition, error) {
	var next *SearchPosition
	if len(all) > limit {
		all = all[:limit]
		next = &SearchPosition{Mode: mode, Last: all[limit-1]}
	}
	page, err := tx.resultsOf(ctx, site, all)
	return page, next, err
}

// rankedPage returns those of all matches that come after a position, by
// relevance.
func (tx *Tx) rankedPage(ctx context.Context, site feedback.SiteID, q searchQuery, all []feedback.PostID, from SearchPosition, limit int) ([]feedback.SearchResult, *SearchPosition, error) {
	results, err := tx.resultsOf(ctx, site, all)
	if err != nil {
		return nil, nil, err
	}
	scores := make(map[feedback.PostID]int64, len(results))
	for _, r := range results {
		scores[r.PostID] = relevance(q, r.Title)
	}
	results = slices.DeleteFunc(results, func(r feedback.SearchResult) bool {
		return scores[r.PostID] > from.Score || scores[r.PostID] == from.Score && r.PostID >= from.Last
	})
	slices.SortFunc(results, func(a, b feedback.SearchResult) int {
		return cmp.Or(cmp.Compare(scores[b.PostID], scores[a.PostID]), cmp.Compare(b.PostID, a.PostID))
	})
	if len(results) <= limit {
		return results, nil, nil
	}
	last := results[limit-1].PostID
	return results[:limit], &SearchPosition{Mode: ranked, Snap: from.Snap, Score: scores[last], Last: last}, nil
}

// resultsOf returns what a search tells of posts, newest first.
func (tx *Tx) resultsOf(ctx context.Context, site feedback.SiteID, posts []feedback.PostID) ([]feedback.SearchResult, error) {
	return tx.resultsWhere(ctx, site, posts, "")
}

// resultsWhere is resultsOf for those posts of which a condition holds.
func (tx *Tx) resultsWhere(ctx context.Context, site feedback.SiteID, posts []feedback.PostID, and string) ([]feedback.SearchResult, error) {
	if len(posts) == 0 {
		return nil, nil
	}
	in, args := idList([]any{site}, posts)
	type ref struct {
		board  feedback.BoardID
		status feedback.StatusID
	}
	refs := make([]ref, 0, len(posts))
	out, err := collectInto(ctx, tx, make([]feedback.SearchResult, 0, len(posts)), `
		SELECT p.id, p.title, p.vote_count, p.board_id, p.status_id
		FROM   posts p`+tx.d.byID()+`
		WHERE  p.site_id = $1 AND p.id IN (`+in+`)`+and+`
		ORDER  BY p.id DESC`, args, func(r rows, to *feedback.SearchResult) error {
		to.SiteID = site
		var f ref
		err := r.Scan(&to.PostID, &to.Title, count{&to.VoteCount}, &f.board, &f.status)
		refs = append(refs, f)
		return err
	})
	if err != nil {
		return nil, wrap("search", err)
	}
	n := newNames()
	for _, f := range refs {
		n.boards[f.board] = ""
		n.statuses[f.status] = nil
	}
	if err := tx.look(ctx, site, n); err != nil {
		return nil, err
	}
	for i, f := range refs {
		out[i].BoardName, out[i].StatusName = n.boards[f.board], n.statuses[f.status]
	}
	return out, nil
}

// indexed is a post as the index sees it.
type indexed struct {
	post        feedback.PostID
	title, body []string
}

// IndexPost has searches find the post by its title and body, as they are now.
func (tx *Tx) IndexPost(ctx context.Context, site feedback.SiteID, post feedback.PostID, title, body string) error {
	if err := tx.d.index(ctx, tx, site, indexed{post, wordsOf(title), wordsOf(body)}); err != nil {
		return fmt.Errorf("index post: %w", err)
	}
	return nil
}

// UnindexPost has searches find the post no more.
func (tx *Tx) UnindexPost(ctx context.Context, site feedback.SiteID, post feedback.PostID) error {
	if err := tx.d.unindex(ctx, tx, site, post); err != nil {
		return fmt.Errorf("unindex post: %w", err)
	}
	return nil
}

// siteWord stands for a site in the index: in SQLite before every word, so that
// each site has words of its own and a search never reads another's matches; in
// PostgreSQL as a word of every post, which a GIN index can intersect cheaply and
// FTS5 cannot.
func siteWord(site feedback.SiteID) string { return site.String()[len("site_"):] }

func (sqliteDialect) index(ctx context.Context, tx *Tx, site feedback.SiteID, p indexed) error {
	_, err := tx.exec(ctx, `
		INSERT OR REPLACE INTO post_search (rowid, title, body)
		VALUES ($1, $2, $3)`, p.post, sitePhrase(site, p.title), sitePhrase(site, p.body))
	return err
}

func (sqliteDialect) indexAll(ctx context.Context, tx *Tx, site feedback.SiteID, posts []indexed) error {
	for _, p := range posts {
		_, err := tx.exec(ctx, `
			INSERT INTO post_search (rowid, title, body)
			VALUES ($1, $2, $3)`, p.post, sitePhrase(site, p.title), sitePhrase(site, p.body))
		if err != nil {
			return err
		}
	}
	return nil
}

// sitePhrase joins the words of a site as FTS5 is given them.
func sitePhrase(site feedback.SiteID, words []string) string {
	prefix := siteWord(site)
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(prefix)
		b.WriteString(w)
	}
	return b.String()
}

func (sqliteDialect) unindex(ctx context.Context, tx *Tx, _ feedback.SiteID, post feedback.PostID) error {
	_, err := tx.exec(ctx, `DELETE FROM post_search WHERE rowid = $1`, post)
	return err
}

func (sqliteDialect) terms(site feedback.SiteID, q searchQuery) string {
	terms := make([]string, len(q))
	for i, t := range q {
		star := ""
		if t.prefix {
			star = "*"
		}
		// Words hold letters and digits only, so they need no escaping.
		terms[i] = `"` + sitePhrase(site, t.words) + `"` + star
		if t.joined != "" {
			terms[i] = `(` + terms[i] + ` OR "` + sitePhrase(site, []string{t.joined}) + `"` + star + `)`
		}
	}
	return strings.Join(terms, " AND ")
}

func (d sqliteDialect) matches(site feedback.SiteID, q searchQuery, below feedback.PostID, limit int) (string, []any) {
	return `
			SELECT rowid AS id
			FROM   post_search
			WHERE  post_search MATCH $1 AND rowid < $2
			ORDER  BY rowid DESC
			LIMIT  $3 + 0`, []any{d.terms(site, q), below, limit}
}

func (d sqliteDialect) finds(site feedback.SiteID, q searchQuery, post feedback.PostID) (string, []any) {
	return `SELECT 1 FROM post_search WHERE post_search MATCH $1 AND rowid = $2`, []any{d.terms(site, q), post}
}

func (postgresDialect) index(ctx context.Context, tx *Tx, site feedback.SiteID, p indexed) error {
	_, err := tx.exec(ctx, `
		INSERT INTO post_search (site_id, id, words)
		VALUES ($1, $2, $3::tsvector)
		ON CONFLICT (site_id, id) DO UPDATE SET words = excluded.words`,
		site, p.post, tsvector(site, p.title, p.body))
	return err
}

func (postgresDialect) indexAll(ctx context.Context, tx *Tx, site feedback.SiteID, posts []indexed) error {
	rows := tx.bulk("post_search", "site_id", "id", "words")
	for _, p := range posts {
		if err := rows.add(ctx, site, p.post, tsvector(site, p.title, p.body)); err != nil {
			return err
		}
	}
	return rows.flush(ctx)
}

// tsvector spells the words with their positions. A gap keeps a phrase from
// running over from the title into the body. There are no weights: a query that
// asks for one has the index read every post of the site.
func tsvector(site feedback.SiteID, title, body []string) string {
	const lastPosition = 16383 // PostgreSQL counts no further
	var b strings.Builder
	fmt.Fprintf(&b, "'%s'", siteWord(site))
	pos := 1
	for _, words := range [][]string{title, body} {
		for _, w := range words {
			fmt.Fprintf(&b, " '%s':%d", w, min(pos, lastPosition))
			pos++
		}
		pos++
	}
	return b.String()
}

func (postgresDialect) unindex(ctx context.Context, tx *Tx, site feedback.SiteID, post feedback.PostID) error {
	_, err := tx.exec(ctx, `DELETE FROM post_search WHERE site_id = $1 AND id = $2`, site, post)
	return err
}

func (postgresDialect) terms(site feedback.SiteID, q searchQuery) string {
	terms := make([]string, len(q)+1)
	terms[0] = "'" + siteWord(site) + "'"
	for i, t := range q {
		star := ""
		if t.prefix {
			star = ":*"
		}
		words := "'" + strings.Join(t.words, "' <-> '") + "'" + star
		if t.joined != "" {
			words = "(" + words + ") | '" + t.joined + "'" + star
		}
		terms[i+1] = "(" + words + ")"
	}
	return strings.Join(terms, " & ")
}

func (d postgresDialect) matches(site feedback.SiteID, q searchQuery, below feedback.PostID, limit int) (string, []any) {
	return `
			SELECT id
			FROM   post_search
			WHERE  site_id = $1 AND words @@ $2::tsquery AND id < $3
			ORDER  BY id DESC
			LIMIT  $4 + 0`, []any{site, d.terms(site, q), below, limit}
}

func (d postgresDialect) finds(site feedback.SiteID, q searchQuery, post feedback.PostID) (string, []any) {
	return `SELECT 1 FROM post_search WHERE site_id = $1 AND id = $2 AND words @@ $3::tsquery`,
		[]any{site, post, d.terms(site, q)}
}
