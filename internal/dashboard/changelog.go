package dashboard

import (
	"net/http"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// changelogView is the page of the changelog.
type changelogView struct {
	Entries []feedback.Entry
	Next    string
}

func (c *call) changelog() error {
	var v changelogView
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) error {
		page, err := tx.Changelog(c.ctx, w)
		v.Entries, v.Next = page.Items, nextPage(c.r, page.Next)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, changelogPage(c.chrome("Changelog", "changelog"), v))
}

// entryView is the editor of an entry.
type entryView struct {
	Entry              *feedback.Entry // nil: a new one
	Title, Body, Label string
	Linked             []feedback.Post
	Links              string // what was typed into the field of linked posts
}

// entryForm reads the editor.
func (c *call) entryForm() (entryView, feedback.NewEntry) {
	v := entryView{Title: c.form("title"), Body: c.form("body"), Label: strings.TrimSpace(c.form("label")), Links: c.form("postIds")}
	in := feedback.NewEntry{
		Title: feedback.EntryTitle(v.Title), Body: feedback.EntryBody(v.Body), Label: optional[feedback.EntryLabel](v.Label),
	}
	for _, id := range c.r.PostForm["linked"] {
		in.Posts = append(in.Posts, feedback.Ref(id))
	}
	for _, word := range strings.Fields(strings.ReplaceAll(v.Links, ",", " ")) {
		// People paste the address of a post as often as its id.
		if i := strings.LastIndex(word, "post_"); i >= 0 {
			word, _, _ = strings.Cut(word[i:], "/")
			word, _, _ = strings.Cut(word, "?")
		}
		in.Posts = append(in.Posts, feedback.Ref(word))
	}
	return v, in
}

func (c *call) newEntry() error {
	return c.render(http.StatusOK, entryPage(c.chrome("New entry", "changelog"), entryView{}))
}

func (c *call) createEntry() error {
	v, in := c.entryForm()
	var e *feedback.Entry
	publish := c.form("publish") != ""
	action := "changelog.drafted"
	if publish {
		action = "changelog.published"
	}
	err := c.change(action, v.Title, func(tx *app.Tx) (err error) {
		if e, err = tx.CreateEntry(c.ctx, in); err != nil || !publish {
			return err
		}
		_, err = tx.PublishEntry(c.ctx, e.ID.String(), feedback.Input{})
		return err
	})
	if c.linkProblems(err) {
		return c.render(http.StatusUnprocessableEntity, entryPage(c.chrome("New entry", "changelog"), v))
	}
	if err != nil {
		return err
	}
	if publish {
		return c.done(c.here("changelog"), "The entry is published.")
	}
	return c.done(c.here("changelog", e.ID.String()), "The draft is saved.")
}

// linkProblems is again for the editor, whose field of linked posts is one.
func (c *call) linkProblems(err error) bool {
	if !c.again(err) {
		return false
	}
	for i := range c.problems {
		if strings.HasPrefix(c.problems[i].Path, "postIds") {
			c.problems[i].Path = "postIds"
		}
	}
	return true
}

func (c *call) entry() error {
	var v entryView
	err := c.read(func(tx *app.Tx) (err error) {
		v.Entry, v.Linked, err = tx.Entry(c.ctx, c.r.PathValue("entry"))
		return err
	})
	if err != nil {
		return err
	}
	v.Title, v.Body, v.Label = v.Entry.Title, v.Entry.Body, deref(v.Entry.Label)
	return c.render(http.StatusOK, entryPage(c.chrome(v.Title, "changelog"), v))
}

func (c *call) saveEntry() error {
	v, in := c.entryForm()
	entry := c.r.PathValue("entry")
	publish := c.form("publish") != ""
	action := "changelog.changed"
	if publish {
		action = "changelog.published"
	}
	err := c.change(action, entry, func(tx *app.Tx) error {
		if _, err := tx.UpdateEntry(c.ctx, entry, in); err != nil || !publish {
			return err
		}
		_, err := tx.PublishEntry(c.ctx, entry, feedback.Input{})
		return err
	})
	if e, ok := asError(err); ok && (e.Code != feedback.NotFound || e.Details["field"] != nil) && c.linkProblems(err) {
		err := c.read(func(tx *app.Tx) (err error) {
			v.Entry, v.Linked, err = tx.Entry(c.ctx, entry)
			return err
		})
		if err != nil {
			return err
		}
		return c.render(http.StatusUnprocessableEntity, entryPage(c.chrome(v.Entry.Title, "changelog"), v))
	}
	if err != nil {
		return err
	}
	if publish {
		return c.done(c.here("changelog"), "The entry is published.")
	}
	return c.done(c.here("changelog", entry), "The entry is saved.")
}

// previewEntry answers with what the markdown of the editor looks like.
func (c *call) previewEntry() error {
	return c.render(http.StatusOK, entryPreview(c.form("title"), c.form("body")))
}

func (c *call) publishEntry() error {
	entry := c.r.PathValue("entry")
	err := c.change("changelog.published", entry, func(tx *app.Tx) error {
		_, err := tx.PublishEntry(c.ctx, entry, feedback.Input{})
		return err
	})
	if err != nil {
		return err
	}
	return c.done(c.here("changelog"), "The entry is published.")
}

func (c *call) unpublishEntry() error {
	entry := c.r.PathValue("entry")
	err := c.change("changelog.unpublished", entry, func(tx *app.Tx) error {
		_, err := tx.UnpublishEntry(c.ctx, entry)
		return err
	})
	if err != nil {
		return err
	}
	return c.done(c.here("changelog", entry), "The entry is a draft again.")
}
