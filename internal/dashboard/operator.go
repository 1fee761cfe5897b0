package dashboard

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
)

// operatorView is the page of whoever runs the installation.
type operatorView struct {
	*app.Installation
	More    string
	Version string
	SignOn  signOnView
}

func (c *call) operator() error {
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.DefaultLimit}
	in, err := c.cfg.App.Installation(c.ctx, w)
	if err != nil {
		return err
	}
	v := operatorView{Installation: in, More: nextPage(c.r, in.Next), Version: c.cfg.Version, SignOn: c.signOn()}
	return c.render(http.StatusOK, operatorPage(c.chrome("Operator", "operator"), v))
}

func (c *call) setPlan() error {
	account, plan := c.r.PathValue("account"), feedback.Plan(c.form("plan"))
	err := c.change("account.plan_changed", account+" to "+string(plan), func(tx *app.Tx) error {
		return tx.ChangePlan(c.ctx, account, plan)
	})
	if err != nil {
		return c.refused("/dash/operator", err)
	}
	return c.done("/dash/operator", "The plan is changed. It holds from the next request.")
}

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
	"password.reset_link", "second_factor.enabled", "second_factor.disabled", "session.opened", "session.ended", "site.created",
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
	_ = out.Write([]string{"time", "actor_kind", "actor", "action", "subject", "site", "address"})
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
				e.CreatedAt.UTC().Format(time.RFC3339), e.ActorKind, plain(e.ActorName), e.Action, plain(e.Subject), site, e.Address,
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
