package dashboard

import (
	"net/url"
	"strconv"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// postFilter reads the filters of an address.
func postFilter(q url.Values) feedback.PostFilter {
	days, err := strconv.Atoi(q.Get("days"))
	if err != nil || days < 0 || days > feedback.MaxFilterDays {
		days = 0
	}
	return feedback.PostFilter{
		Board: ref(q.Get("board")), Status: ref(q.Get("status")), Tag: ref(q.Get("tag")), Days: days,
		Archived: q.Get("show") == "archived", ByVotes: q.Get("sort") == "votes",
		Query: feedback.SearchQuery(strings.TrimSpace(q.Get("q"))),
	}
}

// filterParams writes filters into an address. The same filters are always
// written the same way.
func filterParams(f feedback.PostFilter) url.Values {
	q := url.Values{}
	set := func(name, value string, on bool) {
		if on {
			q.Set(name, value)
		}
	}
	for name, r := range map[string]*feedback.Ref{"board": f.Board, "status": f.Status, "tag": f.Tag} {
		if r != nil {
			q.Set(name, string(*r))
		}
	}
	set("show", "archived", f.Archived)
	set("days", strconv.Itoa(f.Days), f.Days > 0)
	set("sort", "votes", f.ByVotes)
	set("q", string(f.Query), f.Query != "")
	return q
}

// sameFilter reports whether two filters ask for the same.
func sameFilter(a, b feedback.PostFilter) bool {
	return filterParams(a).Encode() == filterParams(b).Encode()
}

// current is the view that the page shows, or nil.
func (v *postsView) current() *feedback.View {
	for i := range v.Views {
		if sameFilter(v.Views[i].Filter, v.Filter) {
			return &v.Views[i]
		}
	}
	return nil
}

// plain reports whether nothing is filtered, searched or sorted.
func (v *postsView) plain() bool { return sameFilter(v.Filter, feedback.PostFilter{}) }

// sentFilter is the filter of the list that a form about views was sent from.
func (c *call) sentFilter() (f feedback.PostFilter, err error) {
	q, err := url.ParseQuery(c.form("back"))
	if err != nil {
		return f, &feedback.Error{Code: feedback.InvalidRequest, Msg: "The filters could not be read.", Hint: "Open the list of posts and try again."}
	}
	return postFilter(q), nil
}

// saveView keeps the filters of the list under a name.
func (c *call) saveView() error {
	filter, err := c.sentFilter()
	if err != nil {
		return err
	}
	in := feedback.NewView{Name: feedback.ViewName(strings.TrimSpace(c.form("name"))), Shared: c.form("shared") == "on", Filter: filter}
	err = c.change("view.saved", string(in.Name), func(tx *app.Tx) error {
		_, err := tx.SaveView(c.ctx, in)
		return err
	})
	if err != nil {
		return c.refused(c.back("posts"), err)
	}
	return c.done(c.here("posts")+"?"+filterParams(in.Filter).Encode(), "The view is saved.")
}

// changeView has a view show what the list shows. Which one is a field: it is
// chosen from all.
func (c *call) changeView() error {
	filter, err := c.sentFilter()
	if err != nil {
		return err
	}
	var v *feedback.View
	err = c.change("view.changed", c.form("view"), func(tx *app.Tx) (err error) {
		v, err = tx.ChangeView(c.ctx, c.form("view"), feedback.ViewChange{Filter: filter})
		return err
	})
	if e, ok := asError(err); ok && e.Code == feedback.NotFound && e.Details["field"] == nil {
		c.flash("bad", "That view is gone. Save the filter as a new one.")
		return c.redirect(c.back("posts"))
	}
	if err != nil {
		return c.refused(c.back("posts"), err)
	}
	return c.done(c.here("posts")+"?"+filterParams(filter).Encode(), "“"+v.Name+"” shows this from now on.")
}

func (c *call) renameView() error {
	view, name := c.r.PathValue("view"), strings.TrimSpace(c.form("name"))
	err := c.change("view.renamed", view, func(tx *app.Tx) error {
		return tx.RenameView(c.ctx, view, feedback.ViewEdit{Name: feedback.ViewName(name)})
	})
	if err != nil {
		return c.refused(c.back("posts"), err)
	}
	return c.done(c.back("posts"), "The view is renamed.")
}

func (c *call) deleteView() error {
	view := c.r.PathValue("view")
	err := c.change("view.deleted", view, func(tx *app.Tx) error { return tx.DeleteView(c.ctx, view) })
	if err != nil {
		return c.refused(c.here("posts"), err)
	}
	return c.done(c.here("posts"), "The view is deleted. The posts are where they were.")
}
