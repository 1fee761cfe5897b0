package dashboard

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// visitorsView is the page of visitors.
type visitorsView struct {
	Visitors []app.SeenVisitor
	Filter   feedback.VisitorFilter
	Next     string
	First    bool // this is the first page
}

func (c *call) visitors() error {
	q := c.r.URL.Query()
	v := visitorsView{
		Filter: feedback.VisitorFilter{Query: feedback.VisitorQuery(strings.TrimSpace(q.Get("q"))), Known: q.Get("show") == "known"},
		First:  q.Get("after") == "",
	}
	w := feedback.Window{After: position(q.Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) error {
		page, err := tx.Visitors(c.ctx, v.Filter, w)
		v.Visitors, v.Next = page.Items, nextPage(c.r, page.Next)
		return err
	})
	status := http.StatusOK
	if c.again(err) {
		status = http.StatusUnprocessableEntity
	} else if err != nil {
		return err
	}
	return c.render(status, visitorsPage(c.chrome("Visitors", "visitors"), v))
}

// visitorView is the page of a visitor.
type visitorView struct {
	*app.VisitorPage
	lists
	Deed app.Deed
	More string // the address of the next page of what they did
}

func (c *call) visitor() error {
	q := c.r.URL.Query()
	v := visitorView{Deed: app.DeedPosts}
	if d := app.Deed(q.Get("show")); d == app.DeedVotes || d == app.DeedComments {
		v.Deed = d
	}
	w := feedback.Window{After: position(q.Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.VisitorPage, err = tx.VisitorPage(c.ctx, c.r.PathValue("visitor"), v.Deed, w); err != nil {
			return err
		}
		v.Statuses, err = tx.AllStatuses(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	v.More = nextPage(c.r, v.VisitorPage.Next)
	ch := c.chrome(v.CallName, "visitors")
	v.colors(ch)
	return c.render(http.StatusOK, visitorPage(ch, v))
}

// thisVisitor is the address of the visitor of the request.
func (c *call) thisVisitor() string { return c.here("visitors", c.r.PathValue("visitor")) }

func (c *call) blockVisitor() error {
	visitor := c.r.PathValue("visitor")
	err := c.change("visitor.blocked", visitor, func(tx *app.Tx) error {
		return tx.BlockVisitor(c.ctx, visitor, c.form("address") == "on")
	})
	if err != nil {
		return err
	}
	return c.done(c.thisVisitor(), "They cannot write any more. What they wrote before stays.")
}

func (c *call) unblockVisitor() error {
	visitor := c.r.PathValue("visitor")
	var still bool
	err := c.change("visitor.unblocked", visitor, func(tx *app.Tx) (err error) {
		still, err = tx.UnblockVisitor(c.ctx, visitor)
		return err
	})
	if err != nil {
		return err
	}
	if still {
		c.flash("bad", "Their whole domain is blocked. Only an admin can take that off the block list.")
		return c.redirect(c.thisVisitor())
	}
	return c.done(c.thisVisitor(), "They can write again.")
}

// exportVisitor sends everything that is kept about a visitor. It is recorded,
// hence no GET.
func (c *call) exportVisitor() error {
	visitor := c.r.PathValue("visitor")
	var all *app.Export
	err := c.change("visitor.exported", visitor, func(tx *app.Tx) (err error) {
		all, err = tx.ExportVisitor(c.ctx, visitor)
		return err
	})
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="visitor-`+url.PathEscape(visitor)+`.json"`)
	c.secret()
	web.Send(c.w, c.r, http.StatusOK, append(b, '\n'))
	return nil
}

func (c *call) deleteVisitor() error {
	visitor := c.r.PathValue("visitor")
	if c.form("sure") != "on" {
		// Who is not there is not there, also for somebody unsure.
		err := c.read(func(tx *app.Tx) error {
			_, err := tx.VisitorPage(c.ctx, visitor, app.DeedPosts, feedback.Window{Limit: 1})
			return err
		})
		if err != nil {
			return err
		}
		c.flash("bad", "Nothing is deleted. Tick the box to say that you are sure.")
		return c.redirect(c.thisVisitor())
	}
	err := c.change("visitor.deleted", visitor, func(tx *app.Tx) error { return tx.DeleteVisitor(c.ctx, visitor) })
	if err != nil {
		return err
	}
	return c.done(c.here("visitors"), "The visitor is deleted.")
}

// voterName is what to call somebody who voted.
func voterName(w feedback.Voter) string {
	v := feedback.Visitor{Ref: w.Ref, Name: deref(w.Name), Email: deref(w.Email)}
	return v.CallName(true)
}
