package portal

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
)

// roadmapPage is what the roadmap shows.
type roadmapPage struct {
	*visit
	lanes []app.Lane
}

func (v *visit) roadmap(w http.ResponseWriter, r *http.Request) error {
	p := &roadmapPage{visit: v}
	err := v.read(r, func(tx *app.Tx) (err error) {
		p.lanes, err = tx.Roadmap(r.Context())
		return err
	})
	if err != nil {
		return err
	}
	return v.render(w, r, http.StatusOK, roadmapView(p))
}

// entriesPage is what the changelog shows: all of it, or one entry.
type entriesPage struct {
	*visit
	entries []app.PublicEntry
	one     bool
	next    string
	flash   string
	email   string
	wrong   feedback.Problems
}

const entriesSize = 20

func (v *visit) changelog(w http.ResponseWriter, r *http.Request) error {
	p := &entriesPage{visit: v}
	if r.FormValue("done") == "subscribe" {
		p.flash = "portal.subscribe.sent"
	}
	if err := p.load(r); err != nil {
		return err
	}
	return v.render(w, r, http.StatusOK, changelogView(p))
}

func (p *entriesPage) load(r *http.Request) error {
	return p.read(r, func(tx *app.Tx) error {
		page, err := tx.PublicChangelog(r.Context(), feedback.Window{After: position(r.FormValue("after")), Limit: entriesSize})
		if err != nil {
			return err
		}
		p.entries = page.Items
		if page.Next != nil {
			p.next = p.url("changelog") + "?after=" + positionText(page.Next)
		}
		return nil
	})
}

func (v *visit) entry(w http.ResponseWriter, r *http.Request) error {
	p := &entriesPage{visit: v, one: true}
	err := v.read(r, func(tx *app.Tx) error {
		e, err := tx.PublicEntry(r.Context(), r.PathValue("entry"))
		if err == nil {
			p.entries = []app.PublicEntry{*e}
		}
		return err
	})
	if err != nil {
		return err
	}
	return v.render(w, r, http.StatusOK, changelogView(p))
}
