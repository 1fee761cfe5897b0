package store

import (
	"fmt"
	"strings"

	"heed/internal/feedback"
)

// references says which table a column points into, by the name of the column:
// every table spells a thing the same way. A test holds it against the schema.
var references = map[string]string{
	"account_id":     "accounts",
	"action_id":      "actions",
	"author_id":      "visitors",
	"board_id":       "boards",
	"comment_id":     "comments",
	"created_by":     "members",
	"endpoint_id":    "webhook_endpoints",
	"entry_id":       "entries",
	"loser_id":       "posts",
	"member_id":      "members",
	"merged_into":    "posts",
	"message_id":     "events",
	"notice_id":      "notices",
	"parent_id":      "comments",
	"post_id":        "posts",
	"run_id":         "runs",
	"site_id":        "sites",
	"status_id":      "statuses",
	"tag_id":         "tags",
	"visitor_id":     "visitors",
	"winner_id":      "posts",
	"insight_run_id": "insight_runs",
}

// pointsAnywhere are the columns named like a reference that are none, with the
// reason.
var pointsAnywhere = map[string]string{
	"mails.site_id":                 "zero for a mail about an account",
	"delivery_attempts.delivery_id": "found by its endpoint too, which a check of its own does",
	"notices.endpoint_id":           "the endpoint may have been deleted since",
	"post_changes.actor_id":         "whom it names depends on actor_kind, and they may be gone",
	"post_changes.from_id":          "what it names depends on kind, and it may be gone",
	"post_changes.to_id":            "what it names depends on kind, and it may be gone",
	"theme_posts.theme_id":          "the rows of a run that is not published name themes that are not either",
	"post_tags.board_id":            "a copy of the post's, and a check of its own compares",
	"post_tags.status_id":           "likewise; zero for a post without a status",
	"audit.actor_id":                "whom it names depends on actor_kind, and they may be gone",
}

// spellings write ids as the API does, so that a line of a check can be looked
// up.
var spellings = map[string]func(int64) string{
	"accounts":          func(n int64) string { return feedback.AccountID(n).String() },
	"actions":           func(n int64) string { return feedback.ActionID(n).String() },
	"api_keys":          func(n int64) string { return feedback.KeyID(n).String() },
	"boards":            func(n int64) string { return feedback.BoardID(n).String() },
	"deliveries":        func(n int64) string { return feedback.DeliveryID(n).String() },
	"webhook_endpoints": func(n int64) string { return feedback.EndpointID(n).String() },
	"comments":          func(n int64) string { return feedback.CommentID(n).String() },
	"entries":           func(n int64) string { return feedback.EntryID(n).String() },
	"events":            func(n int64) string { return feedback.MessageID(n).String() },
	"members":           func(n int64) string { return feedback.MemberID(n).String() },
	"posts":             func(n int64) string { return feedback.PostID(n).String() },
	"runs":              func(n int64) string { return feedback.RunID(n).String() },
	"sites":             func(n int64) string { return feedback.SiteID(n).String() },
	"statuses":          func(n int64) string { return feedback.StatusID(n).String() },
	"tags":              func(n int64) string { return feedback.TagID(n).String() },
	"visitors":          func(n int64) string { return feedback.VisitorID(n).String() },
	"insight_runs":      func(n int64) string { return feedback.InsightRunID(n).String() },
	"saved_views":       func(n int64) string { return feedback.ViewID(n).String() },
	"themes":            func(n int64) string { return feedback.ThemeID(n).String() },
}

func spell(table string, id int64) string {
	if f := spellings[table]; f != nil {
		return f(id)
	}
	return fmt.Sprint(id)
}

// row spells the key of a row of t.
func (t *table) row(key []int64) string {
	if len(key) == 0 {
		return t.Name
	}
	parts := make([]string, 0, len(key))
	for i, k := range t.intKey() {
		into := references[k]
		if k == "id" {
			into = t.Name
		}
		if k == "site_id" && len(key) > 1 {
			continue // the others say which site
		}
		parts = append(parts, spell(into, key[i]))
	}
	return t.Name + " " + strings.Join(parts, "/")
}

// intKey returns the columns of the primary key that hold numbers.
func (t *table) intKey() []string {
	var all []string
	for _, k := range t.key {
		if t.column(k).Kind == intColumn {
			all = append(all, k)
		}
	}
	return all
}

// referenceChecks look for rows that point at nothing, or at a row of another
// site or account.
func referenceChecks(tables []table) []Check {
	byName := map[string]*table{}
	for i := range tables {
		byName[tables[i].Name] = &tables[i]
	}
	var all []Check
	for i := range tables {
		t := &tables[i]
		for _, c := range t.Columns {
			target := byName[references[c.Name]]
			if target == nil || pointsAnywhere[t.Name+"."+c.Name] != "" {
				continue
			}
			all = append(all, referenceCheck(t, c.Name, target))
		}
	}
	return all
}

func referenceCheck(t *table, col string, target *table) Check {
	owner, of := "", ""
	switch {
	case col == "site_id" && t.column("account_id") != nil:
		owner, of = ` AND r.account_id = t.account_id`, " of the same account"
	case col == "site_id" || col == "account_id":
	case target.column("site_id") != nil:
		owner, of = ` AND r.site_id = t.site_id`, " of the same site"
	case target.column("account_id") != nil && t.column("account_id") != nil:
		owner, of = ` AND r.account_id = t.account_id`, " of the same account"
	case target.column("account_id") != nil && t.column("site_id") != nil:
		owner, of = ` AND r.account_id = (SELECT s.account_id FROM sites s WHERE s.id = t.site_id)`, " of the site's account"
	}
	keys := t.intKey()
	selected := "t." + col
	for _, k := range keys {
		selected += ", t." + k
	}
	return Check{
		Name: "references",
		query: `
		SELECT ` + selected + `
		FROM   ` + t.Name + ` t
		WHERE  t.` + col + ` IS NOT NULL
		AND    NOT EXISTS (SELECT 1 FROM ` + target.Name + ` r WHERE r.id = t.` + col + owner + `)`,
		width: 1 + len(keys),
		line: func(v []int64) string {
			return fmt.Sprintf("%s: %s names %s, and there is no such row in %s%s",
				t.row(v[1:]), col, spell(target.Name, v[0]), target.Name, of)
		},
	}
}
