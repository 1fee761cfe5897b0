package store

import (
	"context"
	"fmt"

	"heed/internal/feedback"
)

// Check is one comparison of rows with other rows. Each is a single statement,
// so that writes that go on meanwhile cannot make it see a difference that is
// none, and each runs in little memory, whatever the number of rows.
type Check struct {
	Name  string
	query string // selects what disagrees, as integers
	args  []any
	width int
	line  func(v []int64) string
}

// Checks lists all comparisons that rows alone allow. They are for the operator
// and look at all sites.
func (tx *Tx) Checks(ctx context.Context) ([]Check, error) {
	tables, err := tx.tables(ctx)
	if err != nil {
		return nil, err
	}
	all := append(counterChecks(), referenceChecks(tables)...)
	all = append(all, ruleChecks()...)
	return append(all, tx.indexChecks()...), nil
}

// Compare returns a line for each row that disagrees, at most limit of them.
func (tx *Tx) Compare(ctx context.Context, c Check, limit int) ([]string, error) {
	rows, err := tx.q.query(ctx, fmt.Sprintf("%s\n\t\tLIMIT  %d", c.query, limit), c.args...)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", c.Name, err)
	}
	defer rows.Close()
	var lines []string
	v, into := make([]int64, c.width), make([]any, c.width)
	for i := range v {
		into[i] = &v[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("check %s: %w", c.Name, err)
		}
		lines = append(lines, c.line(v))
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("check %s: %w", c.Name, err)
	}
	return lines, nil
}

// counterChecks compare each counter with the rows it counts.
func counterChecks() []Check {
	counter := func(table, column, counted, what string) Check {
		return Check{
			Name: "counters",
			query: `
		SELECT id, counter, counted
		FROM   (SELECT t.id, t.` + column + ` AS counter, (` + counted + `) AS counted FROM ` + table + ` t) AS c
		WHERE  counter <> counted`,
			width: 3,
			line: func(v []int64) string {
				return fmt.Sprintf("%s %s: %s is %d, and it has %d %s", table, spell(table, v[0]), column, v[1], v[2], what)
			},
		}
	}
	return []Check{
		counter("posts", "vote_count", `
			SELECT COUNT(*) FROM votes v WHERE v.site_id = t.site_id AND v.post_id = t.id`, "votes"),
		counter("posts", "comment_count", `
			SELECT COUNT(*) FROM comments c WHERE c.site_id = t.site_id AND c.post_id = t.id AND NOT c.internal`,
			"public comments"),
		counter("boards", "post_count", `
			SELECT COUNT(*) FROM posts p
			WHERE  p.site_id = t.site_id AND p.board_id = t.id AND p.merged_into IS NULL AND NOT p.held`,
			"posts in its list"),
		counter("boards", "shown_count", `
			SELECT COUNT(*) FROM posts p
			WHERE  p.site_id = t.site_id AND p.board_id = t.id AND `+searchable, "posts on show"),
		counter("sites", "run_count", `
			SELECT COUNT(*) FROM runs r WHERE r.site_id = t.id`, "runs"),
		// Numbers are given out by the counter: with as many runs as that,
		// one too high means a gap.
		counter("sites", "run_count", `
			SELECT COALESCE(MAX(r.number), 0) FROM runs r WHERE r.site_id = t.id`, "as its highest run number"),
		counter("runs", "step_count", `
			SELECT COUNT(*) FROM run_steps s WHERE s.site_id = t.site_id AND s.run_id = t.id`, "steps"),
		counter("deliveries", "attempt_count", `
			SELECT COUNT(*) FROM delivery_attempts a
			WHERE  a.site_id = t.site_id AND a.endpoint_id = t.endpoint_id AND a.delivery_id = t.id`, "attempts in its log"),
	}
}

// ruleChecks look for rows that break a rule between rows.
func ruleChecks() []Check {
	return []Check{{
		Name: "webhooks",
		query: `
		SELECT d.id
		FROM   deliveries d
		WHERE  (d.status = 'pending') <> (d.next_attempt_at IS NOT NULL)
		OR     (d.status = 'pending') <> (d.completed_at IS NULL)`,
		width: 1,
		line: func(v []int64) string {
			return fmt.Sprintf("deliveries %s: it waits and will not be sent, or is over and will be", spell("deliveries", v[0]))
		},
	}, {
		Name: "webhooks",
		query: `
		SELECT a.delivery_id
		FROM   delivery_attempts a
		WHERE  NOT EXISTS (SELECT 1 FROM deliveries d
		                   WHERE  d.site_id = a.site_id AND d.endpoint_id = a.endpoint_id AND d.id = a.delivery_id)`,
		width: 1,
		line: func(v []int64) string {
			return fmt.Sprintf("delivery_attempts: they are about %s, and there is no such delivery", spell("deliveries", v[0]))
		},
	}, {
		Name: "runs",
		query: `
		SELECT post_id, COUNT(*)
		FROM   runs
		WHERE  post_id IS NOT NULL AND status NOT IN ('SHIPPED', 'FAILED')
		GROUP  BY site_id, post_id
		HAVING COUNT(*) > 1`,
		width: 2,
		line: func(v []int64) string {
			return fmt.Sprintf("posts %s: %d runs are unfinished, and one may be", spell("posts", v[0]), v[1])
		},
	}, {
		Name: "runs",
		query: `
		SELECT r.id
		FROM   runs r
		WHERE  NOT EXISTS (SELECT 1 FROM run_sites s WHERE s.run_id = r.id AND s.site_id = r.site_id)`,
		width: 1,
		line: func(v []int64) string {
			return fmt.Sprintf("runs %s: run_sites does not name its site, so it cannot be found by its id", spell("runs", v[0]))
		},
	}, {
		Name: "statuses",
		query: `
		SELECT site_id, COUNT(*)
		FROM   statuses
		WHERE  is_default
		GROUP  BY site_id
		HAVING COUNT(*) > 1`,
		width: 2,
		line: func(v []int64) string {
			return fmt.Sprintf("sites %s: %d statuses are the default, and one may be", spell("sites", v[0]), v[1])
		},
	}, {
		Name: "merges",
		query: `
		SELECT p.id, p.merged_into
		FROM   posts p
		JOIN   posts w ON w.site_id = p.site_id AND w.id = p.merged_into
		WHERE  NOT (p.archived AND p.locked) OR p.id = w.id`,
		width: 2,
		line: func(v []int64) string {
			return fmt.Sprintf("posts %s: merged into %s, but not archived and locked", spell("posts", v[0]), spell("posts", v[1]))
		},
	}, {
		Name: "tags",
		query: `
		SELECT t.post_id, t.tag_id
		FROM   post_tags t
		JOIN   posts p ON p.site_id = t.site_id AND p.id = t.post_id
		WHERE  t.shown <> (` + searchable + `) OR t.board_id <> p.board_id OR t.status_id <> COALESCE(p.status_id, 0)`,
		width: 2,
		line: func(v []int64) string {
			return fmt.Sprintf("posts %s: lists of its tag %s have it in another place", spell("posts", v[0]), feedback.TagID(v[1]))
		},
	}}
}

// searchable is [feedback.Post.Searchable] of posts p.
const searchable = `p.merged_into IS NULL AND NOT p.held AND NOT p.archived`

// indexChecks compare the search index with the posts that searches may find.
func (tx *Tx) indexChecks() []Check {
	index, same := tx.d.indexRows()
	return []Check{{
		Name: "search",
		query: `
		SELECT p.id
		FROM   posts p
		WHERE  ` + searchable + ` AND NOT EXISTS (SELECT 1 FROM ` + index + ` d WHERE ` + same + `)`,
		width: 1,
		line: func(v []int64) string {
			return fmt.Sprintf("posts %s: no search can find it, and one should", spell("posts", v[0]))
		},
	}, {
		Name: "search",
		query: `
		SELECT d.id
		FROM   ` + index + ` d
		WHERE  NOT EXISTS (SELECT 1 FROM posts p WHERE ` + same + ` AND ` + searchable + `)`,
		width: 1,
		line: func(v []int64) string {
			return fmt.Sprintf("posts %s: searches find it, and none should", spell("posts", v[0]))
		},
	}, lostVisitorWords()}
}

// Unfindable returns those of the newest posts of a site that a search for their
// own title does not find: they are indexed by other words, or for another site.
func (db *DB) Unfindable(ctx context.Context, site feedback.SiteID, newest int) (lost []feedback.PostID, err error) {
	// Posts and index must be seen at the same moment.
	err = db.snapshot(ctx, func(tx *Tx) error {
		posts, err := collect(ctx, tx, `
			SELECT id, title
			FROM   posts p
			WHERE  site_id = $1 AND `+searchable+`
			ORDER  BY id DESC
			LIMIT  $2 + 0`, []any{site, newest}, func(r rows, p *feedback.Post) error { return r.Scan(&p.ID, &p.Title) })
		if err != nil {
			return err
		}
		for _, p := range posts {
			q := parseQuery(p.Title).whole()
			if len(q) == 0 {
				continue
			}
			var one int
			query, args := tx.d.finds(site, q, p.ID)
			found, err := tx.row(ctx, query, args, &one)
			if err != nil {
				return err
			}
			if !found {
				lost = append(lost, p.ID)
			}
		}
		return nil
	})
	return lost, wrap("look for posts", err)
}

// indexRows: the index itself cannot be joined by rowid cheaply; the table that
// keeps the length of each text has a row for each.
func (sqliteDialect) indexRows() (table, samePost string) {
	return "post_search_docsize", "d.id = p.id"
}

func (postgresDialect) indexRows() (table, samePost string) {
	return "post_search", "d.site_id = p.site_id AND d.id = p.id"
}

// AllEvents lists what happened on all sites, by site and age, after the one
// given. It is for the operator.
func (tx *Tx) AllEvents(ctx context.Context, site feedback.SiteID, after feedback.MessageID, limit int) ([]feedback.Event, error) {
	out, err := collect(ctx, tx, `
		SELECT site_id, id, type, created_at, payload
		FROM   events
		WHERE  (site_id, id) > ($1, $2)
		ORDER  BY site_id, id
		LIMIT  $3 + 0`, []any{int64(site), int64(after), limit}, scanEvent)
	return out, wrap("events", err)
}
