package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"heed/internal/feedback"
)

// Visitors are found by the beginnings of the words of their name and address,
// which a table of its own holds, and by the beginning of the id their site
// knows them by, which the visitors' own index finds. A name changes seldom and
// a vote through the API brings none, so a vote pays nothing for it.

// maxFound bounds what a search for visitors looks at.
const maxFound = 1000

// maxVisitorWords bounds the words that somebody is found by.
const maxVisitorWords = 40

// visitorWords are the words that a visitor is found by: those of the name, those
// of the address, and the address as a whole.
func visitorWords(name, email string) []string {
	words := append(wordsOf(name), wordsOf(email)...)
	words = words[:min(len(words), maxVisitorWords)]
	if email != "" {
		words = append(words, fold(email))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// indexVisitor has searches find a visitor by a name and an address, and by no
// others.
func (tx *Tx) indexVisitor(ctx context.Context, site feedback.SiteID, id feedback.VisitorID, name, email string) error {
	if err := tx.unindexVisitor(ctx, site, id); err != nil {
		return err
	}
	rows := tx.bulk("visitor_words", "site_id", "word", "visitor_id")
	for _, w := range visitorWords(name, email) {
		if err := rows.add(ctx, site, w, id); err != nil {
			return wrap("index visitor", err)
		}
	}
	return wrap("index visitor", rows.flush(ctx))
}

func (tx *Tx) unindexVisitor(ctx context.Context, site feedback.SiteID, id feedback.VisitorID) error {
	_, err := tx.exec(ctx, `DELETE FROM visitor_words WHERE site_id = $1 AND visitor_id = $2`, site, id)
	return wrap("unindex visitor", err)
}

// indexVisitors indexes every visitor with a name or an address anew.
func (db *DB) indexVisitors(ctx context.Context) error {
	const batch = 500
	var site feedback.SiteID
	var last feedback.VisitorID
	for {
		var all []feedback.Visitor
		err := db.Write(ctx, func(tx *Tx) (err error) {
			all, err = collect(ctx, tx, `
				SELECT `+visitorColumns+`
				FROM   visitors
				WHERE  (site_id, id) > ($1, $2) AND (name IS NOT NULL OR email IS NOT NULL)
				ORDER  BY site_id, id
				LIMIT  $3 + 0`+tx.d.forUpdate(), []any{int64(site), int64(last), batch}, scanVisitor)
			if err != nil {
				return err
			}
			for _, v := range all {
				if err := tx.indexVisitor(ctx, v.SiteID, v.ID, v.Name, v.Email); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(all) < batch {
			return wrap("index visitors", err)
		}
		site, last = all[batch-1].SiteID, all[batch-1].ID
	}
}

// FindVisitors returns the visitors of a site whose name, address or own id
// begins with what somebody typed, newest first; of several words each must be
// found. Without addresses, nobody is found by one. It looks at no more than a
// thousand that the rarest of the words finds.
func (tx *Tx) FindVisitors(ctx context.Context, site feedback.SiteID, typed string, addresses bool) ([]feedback.Visitor, error) {
	if typed = strings.TrimSpace(typed); strings.ContainsRune(typed, 0) || !utf8.ValidString(typed) {
		return nil, nil // nobody has such a name
	}
	var terms []string
	if strings.Contains(typed, "@") {
		terms = []string{fold(typed)}
	} else {
		for _, t := range parseQuery(typed) {
			terms = append(terms, t.words...)
		}
	}
	ids, err := tx.visitorsByWord(ctx, site, terms)
	if err != nil {
		return nil, err
	}
	byRef, err := tx.visitorsByRef(ctx, site, typed)
	if err != nil {
		return nil, err
	}
	ids = append(ids, byRef...)
	slices.Sort(ids)
	all, err := tx.visitorsByID(ctx, site, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(v feedback.Visitor) bool {
		email := v.Email
		if !addresses {
			email = ""
		}
		words := visitorWords(v.Name, email)
		named := len(terms) > 0
		for _, t := range terms {
			named = named && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, t) })
		}
		ref := string(v.Ref)
		return !named && (v.Ref.Ours() || !addresses && strings.Contains(ref, "@") || !strings.HasPrefix(ref, typed))
	})
	slices.SortFunc(all, func(a, b feedback.Visitor) int { return int(min(1, max(-1, int64(b.ID)-int64(a.ID)))) })
	return all, nil
}

// visitorsByWord returns whom the rarest of the words finds, or the first
// thousand of them.
func (tx *Tx) visitorsByWord(ctx context.Context, site feedback.SiteID, words []string) (found []feedback.VisitorID, err error) {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	for _, w := range words[:min(len(words), 4)] {
		ids, err := tx.idColumn(ctx, visitorsByWord, []any{site, w, w + lastRune, maxFound})
		if err != nil {
			return nil, wrap("find visitors", err)
		}
		if found == nil || len(ids) < maxFound {
			found = visitorIDs(ids)
		}
		if len(ids) < maxFound {
			break
		}
	}
	return found, nil
}

const (
	visitorsByWord = `
		SELECT visitor_id FROM visitor_words
		WHERE  site_id = $1 AND word >= $2 AND word < $3
		ORDER  BY word, visitor_id
		LIMIT  $4 + 0`
	visitorsByRef = `
		SELECT id FROM visitors
		WHERE  site_id = $1 AND ref >= $2 AND ref < $3
		ORDER  BY ref
		LIMIT  $4 + 0`
)

// lastRune ends the range of all texts with a beginning.
const lastRune = "\U0010ffff"

// visitorsByRef returns whom the site knows by an id with a beginning. The ids
// that are of our own making are stepped over, not read.
func (tx *Tx) visitorsByRef(ctx context.Context, site feedback.SiteID, typed string) (found []feedback.VisitorID, err error) {
	if typed == "" {
		return nil, nil
	}
	ranges := [][2]string{{typed, typed + lastRune}}
	for _, own := range feedback.OurRefs() {
		if strings.HasPrefix(own, typed) {
			ranges = [][2]string{{typed, own}, {own + lastRune, typed + lastRune}}
		}
	}
	for _, r := range ranges {
		ids, err := tx.idColumn(ctx, visitorsByRef, []any{site, r[0], r[1], maxFound / 2})
		if err != nil {
			return nil, wrap("find visitors", err)
		}
		found = append(found, visitorIDs(ids)...)
	}
	return found, nil
}

func visitorIDs(ids []int64) []feedback.VisitorID {
	out := make([]feedback.VisitorID, len(ids))
	for i, id := range ids {
		out[i] = feedback.VisitorID(id)
	}
	return out
}

func (tx *Tx) visitorsByID(ctx context.Context, site feedback.SiteID, ids []feedback.VisitorID) ([]feedback.Visitor, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, args := idList([]any{site}, ids)
	out, err := collect(ctx, tx, `
		SELECT `+visitorColumns+`
		FROM   visitors
		WHERE  site_id = $1 AND id IN (`+in+`)`, args, scanVisitor)
	return out, wrap("visitors", err)
}

// lostVisitorWords looks for words that find a visitor who is not there.
func lostVisitorWords() Check {
	return Check{
		Name: "search",
		query: `
		SELECT w.visitor_id
		FROM   visitor_words w
		WHERE  NOT EXISTS (SELECT 1 FROM visitors v WHERE v.site_id = w.site_id AND v.id = w.visitor_id)`,
		width: 1,
		line: func(v []int64) string {
			return "visitors " + spell("visitors", v[0]) + ": searches find them, and there is no such visitor"
		},
	}
}

func scanCount(r rows, c *feedback.VisitorCounts) error {
	var vote, post, comment, session sql.NullInt64
	if err := r.Scan(&c.Visitor, &c.Posts, &c.Votes, &c.Comments, &vote, &post, &comment, &session); err != nil {
		return err
	}
	if last := max(vote.Int64, post.Int64, comment.Int64, session.Int64); last > 0 {
		c.LastSeen = fromMicros(last)
	}
	return nil
}
