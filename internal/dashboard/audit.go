package dashboard

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// auditView is the record of who did what.
type auditView struct {
	Entries []feedback.AuditEntry
	Members []feedback.Member
	Filter  feedback.AuditFilter
	Next    string
	Export  string
}

// auditActions are those a filter offers: the ones somebody looks for.
var auditActions = []string{
	"key.created", "key.revoked", "member.invited", "invitation.revoked", "member.role_changed", "member.removed", "password.changed",
	"password.reset_link", "second_factor.enabled", "second_factor.disabled", "second_factor.removed", "recovery_codes.made", "session.opened", "session.ended", "site.created",
	"site.changed", "status.changed", "status.removed", "board.removed", "post.status_changed", "post.merged", "merge.undone",
	"post.archived", "changelog.published", "run.completed", "account.plan_changed", "password.reset_mailed", "password.reset",
	"passkey.added", "passkey.removed", "identity.forgotten", "mail.read", "mail.resent", "mail.tested", "backup.downloaded",
}

func (c *call) auditFilter() feedback.AuditFilter {
	q := c.r.URL.Query()
	return feedback.AuditFilter{Action: q.Get("action"), Actor: q.Get("actor"), From: q.Get("from"), Until: q.Get("until")}
}

func (c *call) audit() error {
	v := auditView{Filter: c.auditFilter()}
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Members, err = tx.Members(c.ctx); err != nil {
			return err
		}
		page, err := tx.Audit(c.ctx, v.Filter, w)
		v.Entries, v.Next = page.Items, nextPage(c.r, page.Next)
		return err
	})
	status := http.StatusOK
	if c.again(err) {
		status, err = http.StatusUnprocessableEntity, nil
	}
	if err != nil {
		return err
	}
	v.Export = "/dash/audit.csv?" + c.r.URL.RawQuery
	return c.render(status, auditPage(c.chrome("Audit log", "audit"), v))
}

// maxExport bounds an export; who needs more filters.
const maxExport = 100_000

// auditExport writes the record as a table that spreadsheets read. Fields that a
// spreadsheet would take for a formula are made plain.
func (c *call) auditExport() error {
	f := c.auditFilter()
	if _, _, err := f.Span(); err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	c.w.Header().Set("Content-Disposition", `attachment; filename="audit.csv"`)
	c.w.Header().Set("Cache-Control", "no-store")
	out := csv.NewWriter(c.w)
	_ = out.Write([]string{"time", "actor_kind", "actor", "action", "subject", "site", "address", "about"})
	var after feedback.Position
	for n := 0; n < maxExport; {
		var page feedback.Page[feedback.AuditEntry]
		err := c.read(func(tx *app.Tx) (err error) {
			page, err = tx.Audit(c.ctx, f, feedback.Window{After: after, Limit: feedback.MaxLimit})
			return err
		})
		if err != nil {
			// The head of the answer is out: what is missing is better
			// seen as a broken download than taken for the whole.
			c.cfg.Log.Error("export audit log", "err", err)
			panic(http.ErrAbortHandler)
		}
		for _, e := range page.Items {
			site := ""
			if e.SiteID != 0 {
				site = e.SiteID.String()
			}
			_ = out.Write([]string{
				e.CreatedAt.UTC().Format(time.RFC3339), e.ActorKind, plain(e.ActorName), e.Action, plain(e.Subject), site, e.Address, plain(auditText(&e)),
			})
		}
		out.Flush()
		n += len(page.Items)
		if after = page.Next; after == nil || out.Error() != nil {
			break
		}
	}
	return nil
}

// plain keeps a spreadsheet from running what somebody called themselves.
func plain(s string) string {
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@' || s[0] == '\t' || s[0] == '\r') {
		return "'" + s
	}
	return s
}

// auditActor says who it was.
func auditActor(e feedback.AuditEntry) string {
	if e.ActorName != "" {
		return e.ActorName
	}
	return fmt.Sprintf("(%s)", e.ActorKind)
}

// auditKind is a kind of thing that the record speaks of: its noun, and where the
// dashboard shows one, below its site or not.
type auditKind struct {
	noun string
	path func(id string) (path string, ofSite bool)
}

func belowSite(folder string) func(string) (string, bool) {
	return func(id string) (string, bool) { return folder + "/" + id, true }
}

func onPage(path string, ofSite bool) func(string) (string, bool) {
	return func(string) (string, bool) { return path, ofSite }
}

// auditKinds are the kinds by the prefix of their ids.
var auditKinds = map[string]auditKind{
	"post": {"post", belowSite("posts")},
	"cmt":  {"comment", nil},
	"chg":  {"changelog entry", belowSite("changelog")},
	"brd":  {"board", belowSite("boards")},
	"sts":  {"status", belowSite("statuses")},
	"tag":  {"tag", onPage("tags", true)},
	"run":  {"run", belowSite("automation")},
	"act":  {"merge", nil},
	"we":   {"endpoint", belowSite("webhooks")},
	"dlv":  {"delivery", nil},
	"view": {"view", onPage("posts", true)},
	"vis":  {"visitor", belowSite("visitors")},
	"site": {"site", func(id string) (string, bool) { return "/dash/sites/" + id, false }},
	"mem":  {"member", onPage("/dash/members", false)},
	"key":  {"key", onPage("/dash/keys", false)},
	"inv":  {"invitation", nil},
	"ses":  {"session", nil},
	"pk":   {"passkey", nil},
	"acct": {"account", nil},
	"mail": {"message", nil},
}

// auditLink is where the thing can be seen, "" for nowhere: it is gone, or has no
// page of its own.
func auditLink(e *feedback.AuditEntry, w feedback.AuditWord) string {
	find := auditKinds[w.Kind].path
	if find == nil || w.Text == "" || strings.HasSuffix(e.Action, ".removed") || strings.HasSuffix(e.Action, ".deleted") {
		return ""
	}
	path, ofSite := find(w.Raw)
	if ofSite {
		path = sitePath(e.SiteID, path)
	}
	return path
}

// auditName is what a thing is called, "" for one that is gone or has no name.
func auditName(w feedback.AuditWord) string {
	switch {
	case w.Text == "":
		return ""
	case w.Kind == "ses":
		return browserName(w.Text)
	case w.Kind == "cmt":
		return "“" + web.Excerpt(w.Text, 60) + "”"
	}
	return web.Excerpt(w.Text, 80)
}

// auditNoun is what kind of thing it is.
func auditNoun(w feedback.AuditWord) string { return auditKinds[w.Kind].noun }

// auditText is what an entry is about, in one line.
func auditText(e *feedback.AuditEntry) string {
	if len(e.About) == 0 {
		return e.Subject
	}
	var b strings.Builder
	for i, w := range e.About {
		if i > 0 {
			if w.Kind != "" && e.About[i-1].Kind != "" {
				b.WriteString(",")
			}
			b.WriteString(" ")
		}
		switch name := auditName(w); {
		case w.Kind == "":
			b.WriteString(w.Text)
		case name != "":
			b.WriteString(name)
		default:
			b.WriteString(strings.TrimSpace(auditNoun(w) + " " + w.Raw))
		}
	}
	if e.More > 0 {
		fmt.Fprintf(&b, " and %d more", e.More)
	}
	return b.String()
}
