package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"heed/internal/feedback"
)

// searchIn says where a query must match.
type searchIn int

const (
	anywhere searchIn = iota
	inTitle
	notInTitle
)

// maxRanked is how many matches are ranked by how well their title answers.
// Above it a word is so common that ranking says little and costs much: those
// with the words in the title come first, newest first in each part.
const maxRanked = 256

// SearchPosition is where a page of a search begins. The zero value is the
// beginning.
type SearchPosition struct {
	Mode  int64           // 0: to be found out; then one of the constants below
	Snap  feedback.PostID // ranked: the newest post there was on the first page
	Score int64           // ranked: of the last result
	In    int64           // common: the part the last result is of
	Last  feedback.PostID // the last result
}

const (
	ranked = 1
	common = 2
)

// Search returns up to limit posts of a site that hold all words of text, most
// relevant first, and the position after them, nil at the end. Posts that are
// added or removed between two pages make neither repeat nor skip another.
func (tx *Tx) Search(ctx context.Context, site feedback.SiteID, text string, from SearchPosition, limit int) ([]feedback.SearchResult, *SearchPosition, error) {
	q := parseQuery(text)
	if len(q) == 0 {
		return nil, nil, nil
	}
	if from.Mode == 0 {
		n, newest, err := tx.countMatches(ctx, site, q, maxRanked+1)
		if err != nil {
			return nil, nil, err
		}
		from = SearchPosition{Mode: ranked, Snap: newest, Score: math.MaxInt64}
		if n > maxRanked {
			from = SearchPosition{Mode: common, In: int64(inTitle), Last: math.MaxInt64}
		}
	}
	if from.Mode == ranked {
		return tx.searchRanked(ctx, site, q, from, limit)
	}
	return tx.searchCommon(ctx, site, q, from, limit)
}

// countMatches counts the matches up to max and returns the newest.
func (tx *Tx) countMatches(ctx context.Context, site feedback.SiteID, q searchQuery, max int) (n int, newest feedback.PostID, err error) {
	sub, args := tx.d.matches(site, q, anywhere, math.MaxInt64, max)
	_, err = tx.row(ctx, `SELECT COUNT(*), MAX(id) FROM (`+sub+`) AS m`, args, &n, &newest)
	if err != nil {
		return 0, 0, fmt.Errorf("count matches: %w", err)
	}
	return n, newest, nil
}

func (tx *Tx) searchRanked(ctx context.Context, site feedback.SiteID, q searchQuery, from SearchPosition, limit int) ([]feedback.SearchResult, *SearchPosition, error) {
	if from.Snap == 0 {
		return nil, nil, nil
	}
	// There were no more than maxRanked on the first page. Posts that came back
	// since (a merge was undone) must not push out others.
	found, err := tx.found(ctx, site, q, anywhere, from.Snap+1, 2*maxRanked)
	if err != nil {
		return nil, nil, err
	}
	type scored struct {
		feedback.SearchResult
		score int64
	}
	var rest []scored
	for _, r := range found {
		s := scored{r, relevance(q, r.Title)}
		if s.score < from.Score || s.score == from.Score && r.PostID < from.Last {
			rest = append(rest, s)
		}
	}
	slices.SortFunc(rest, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.PostID, a.PostID))
	})
	var next *SearchPosition
	if len(rest) > limit {
		rest = rest[:limit]
		last := rest[limit-1]
		next = &SearchPosition{Mode: ranked, Snap: from.Snap, Score: last.score, Last: last.PostID}
	}
	page := make([]feedback.SearchResult, len(rest))
	for i, s := range rest {
		page[i] = s.SearchResult
	}
	return page, next, nil
}

func (tx *Tx) searchCommon(ctx context.Context, site feedback.SiteID, q searchQuery, from SearchPosition, limit int) ([]feedback.SearchResult, *SearchPosition, error) {
	in, below := searchIn(from.In), from.Last
	page, err := tx.found(ctx, site, q, in, below, limit+1)
	if err != nil {
		return nil, nil, err
	}
	titles := len(page)
	if in == inTitle && titles <= limit {
		more, err := tx.found(ctx, site, q, notInTitle, math.MaxInt64, limit+1-titles)
		if err != nil {
			return nil, nil, err
		}
		page = append(page, more...)
	}
	if len(page) <= limit {
		return page, nil, nil
	}
	page = page[:limit]
	next := &SearchPosition{Mode: common, In: int64(in), Last: page[limit-1].PostID}
	if in == inTitle && limit > titles {
		next.In = int64(notInTitle)
	}
	return page, next, nil
}

// found returns the newest matches below an id, newest first.
func (tx *Tx) found(ctx context.Context, site feedback.SiteID, q searchQuery, in searchIn, below feedback.PostID, limit int) ([]feedback.SearchResult, error) {
	sub, args := tx.d.matches(site, q, in, below, limit)
	out, err := collect(ctx, tx, fmt.Sprintf(`
		SELECT p.id, p.title, b.name, s.name, p.vote_count
		FROM   (%s) AS m
		JOIN   posts p ON p.site_id = $%d AND p.id = m.id
		JOIN   boards b ON b.site_id = p.site_id AND b.id = p.board_id
		LEFT JOIN statuses s ON s.site_id = p.site_id AND s.id = p.status_id
		ORDER  BY p.id DESC`, sub, len(args)+1), append(args, site),
		func(rows *sql.Rows, r *feedback.SearchResult) error {
			r.SiteID = site
			return rows.Scan(&r.PostID, &r.Title, &r.BoardName, &r.StatusName, &r.VoteCount)
		})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return out, nil
}

// IndexPost has searches find the post by its title and body, as they are now.
func (tx *Tx) IndexPost(ctx context.Context, site feedback.SiteID, post feedback.PostID, title, body string) error {
	if err := tx.d.index(ctx, tx, site, post, wordsOf(title), wordsOf(body)); err != nil {
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

// siteWord is a word that stands in every indexed post of a site and in no
// other, so that the index itself keeps sites apart. It has a column (or a
// weight) of its own that no query of a person looks into.
func siteWord(site feedback.SiteID) string { return strings.ReplaceAll(site.String(), "_", "") }

func (sqliteDialect) index(ctx context.Context, tx *Tx, site feedback.SiteID, post feedback.PostID, title, body []string) error {
	_, err := tx.exec(ctx, `
		INSERT OR REPLACE INTO post_search (rowid, site, title, body)
		VALUES ($1, $2, $3, $4)`,
		post, siteWord(site), strings.Join(title, " "), strings.Join(body, " "))
	return err
}

func (sqliteDialect) unindex(ctx context.Context, tx *Tx, _ feedback.SiteID, post feedback.PostID) error {
	_, err := tx.exec(ctx, `DELETE FROM post_search WHERE rowid = $1`, post)
	return err
}

func (sqliteDialect) matches(site feedback.SiteID, q searchQuery, in searchIn, below feedback.PostID, limit int) (string, []any) {
	terms := make([]string, len(q))
	for i, t := range q {
		// Words hold letters and digits only, so they need no escaping.
		terms[i] = `"` + strings.Join(t.words, " ") + `"`
		if t.prefix {
			terms[i] += "*"
		}
		if t.joined != "" {
			alone := `"` + t.joined + `"`
			if t.prefix {
				alone += "*"
			}
			terms[i] = "(" + terms[i] + " OR " + alone + ")"
		}
	}
	all := strings.Join(terms, " AND ")
	match := `site : "` + siteWord(site) + `" AND `
	switch in {
	case inTitle:
		match += `title : (` + all + `)`
	case notInTitle:
		match += `(({title body} : (` + all + `)) NOT (title : (` + all + `)))`
	default:
		match += `{title body} : (` + all + `)`
	}
	return `
			SELECT rowid AS id
			FROM   post_search
			WHERE  post_search MATCH $1 AND rowid < $2
			ORDER  BY rowid DESC
			LIMIT  $3`, []any{match, below, limit}
}

func (postgresDialect) index(ctx context.Context, tx *Tx, site feedback.SiteID, post feedback.PostID, title, body []string) error {
	_, err := tx.exec(ctx, `
		INSERT INTO post_search (site_id, id, words)
		VALUES ($1, $2, $3::tsvector)
		ON CONFLICT (site_id, id) DO UPDATE SET words = excluded.words`,
		site, post, tsvector(site, title, body))
	return err
}

// tsvector spells the words with their positions: A for the title, B for the
// body, D for the site. A gap keeps a phrase from running over from one to the
// other.
func tsvector(site feedback.SiteID, title, body []string) string {
	const lastPosition = 16383 // PostgreSQL counts no further
	var b strings.Builder
	fmt.Fprintf(&b, "'%s':1D", siteWord(site))
	pos := 2
	for _, part := range []struct {
		words  []string
		weight byte
	}{{title, 'A'}, {body, 'B'}} {
		for _, w := range part.words {
			fmt.Fprintf(&b, " '%s':%d%c", w, min(pos, lastPosition), part.weight)
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

func (postgresDialect) matches(site feedback.SiteID, q searchQuery, in searchIn, below feedback.PostID, limit int) (string, []any) {
	all := func(weights string) string {
		terms := make([]string, len(q))
		for i, t := range q {
			ws := make([]string, len(t.words))
			for k, w := range t.words {
				star := ""
				if t.prefix && k == len(t.words)-1 {
					star = "*"
				}
				ws[k] = "'" + w + "':" + star + weights
			}
			terms[i] = "(" + strings.Join(ws, " <-> ") + ")"
			if t.joined != "" {
				star := ""
				if t.prefix {
					star = "*"
				}
				terms[i] = "(" + terms[i] + " | '" + t.joined + "':" + star + weights + ")"
			}
		}
		return strings.Join(terms, " & ")
	}
	match := "'" + siteWord(site) + "':D & "
	switch in {
	case inTitle:
		match += "(" + all("A") + ")"
	case notInTitle:
		match += "(" + all("AB") + ") & !(" + all("A") + ")"
	default:
		match += "(" + all("AB") + ")"
	}
	return `
			SELECT id
			FROM   post_search
			WHERE  site_id = $1 AND words @@ $2::tsquery AND id < $3
			ORDER  BY id DESC
			LIMIT  $4`, []any{site, match, below, limit}
}
