package dashboard

import (
	"net/http"
	"strconv"
	"strings"
	"time"

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
	PublishAt          string          // in UTC, as the field for it spells a time
	Linked             []feedback.Post // ticked: the posts the entry answers
	Find               string          // words of posts to link
	Found              []feedback.Post
}

// entryForm is what the editor sends.
type entryForm struct {
	entryView
	in feedback.NewEntry
	// do is what to do beyond saving the draft: publish, schedule; or, instead
	// of saving it, preview or search.
	do string
	at feedback.Schedule
}

const (
	doPublish  = "publish"
	doSchedule = "schedule"
	doPreview  = "preview"
	doSearch   = "search"
)

// entryForm reads the editor.
func (c *call) entryForm() entryForm {
	f := entryForm{entryView: entryView{
		Title: c.form("title"), Body: c.form("body"), Label: strings.TrimSpace(c.form("label")), Find: strings.TrimSpace(c.form("find")),
	}}
	f.in = feedback.NewEntry{
		Title: feedback.EntryTitle(f.Title), Body: feedback.EntryBody(f.Body), Label: optional[feedback.EntryLabel](f.Label),
	}
	for _, id := range c.r.PostForm["linked"] {
		f.in.Posts = append(f.in.Posts, feedback.Ref(id))
	}
	for _, do := range []string{doPublish, doSchedule, doPreview, doSearch} {
		if c.form(do) != "" {
			f.do = do
		}
	}
	f.readTime(c.form("publishAt"), c.form("offset"))
	return f
}

// dateTime is how the field for a date and a time spells them.
const dateTime = "2006-01-02T15:04"

// readTime reads when to publish. offset is by how many minutes the reader's
// clock is behind UTC; without JavaScript there is none, and the field is UTC.
func (f *entryForm) readTime(text, offset string) {
	f.PublishAt = text
	if text == "" {
		return
	}
	at, err := time.Parse(dateTime, text)
	minutes := 0
	if err == nil && offset != "" {
		minutes, err = strconv.Atoi(offset)
	}
	if err != nil || minutes < -24*60 || minutes > 24*60 {
		f.at.Malformed.Add("publishAt", feedback.RuleFormat, "must be a date and a time such as 2026-05-04T09:00")
		return
	}
	f.at.At = at.Add(time.Duration(minutes) * time.Minute)
	f.PublishAt = f.at.At.Format(dateTime)
}

// then does what is to be done with a saved entry.
func (f *entryForm) then(c *call, tx *app.Tx, entry string) error {
	var err error
	switch f.do {
	case doPublish:
		_, err = tx.PublishEntry(c.ctx, entry, feedback.Input{})
	case doSchedule:
		_, err = tx.ScheduleEntry(c.ctx, entry, f.at)
	}
	return err
}

// action is what the record calls what was done; saved is for no more than that.
func (f *entryForm) action(saved string) string {
	switch f.do {
	case doPublish:
		return "changelog.published"
	case doSchedule:
		return "changelog.scheduled"
	}
	return saved
}

// showEntry shows the editor with what was typed.
func (c *call) showEntry(status int, f entryForm, entry string) error {
	v, title := f.entryView, "New entry"
	err := c.read(func(tx *app.Tx) (err error) {
		if entry != "" {
			if v.Entry, _, err = tx.Entry(c.ctx, entry); err != nil {
				return err
			}
			title = v.Entry.Title
		}
		if v.Linked, err = c.linked(tx, f.in.Posts); err != nil || v.Find == "" {
			return err
		}
		v.Found, err = c.postsLike(tx, v.Find)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(status, entryPage(c.chrome(title, "changelog"), v))
}

// linked are the posts that the editor has ticked; those that are none are left
// out.
func (c *call) linked(tx *app.Tx, refs []feedback.Ref) ([]feedback.Post, error) {
	var found []feedback.SearchResult
	for _, r := range refs[:min(len(refs), feedback.MaxEntryPosts)] {
		var id feedback.PostID
		if id.UnmarshalText([]byte(r)) == nil {
			found = append(found, feedback.SearchResult{PostID: id})
		}
	}
	return tx.FoundPosts(c.ctx, found)
}

// postsLike finds posts to link: by their words, or by the id or the address
// that somebody pasted.
func (c *call) postsLike(tx *app.Tx, text string) ([]feedback.Post, error) {
	if i := strings.LastIndex(text, "post_"); i >= 0 {
		id, _, _ := strings.Cut(text[i:], "/")
		id, _, _ = strings.Cut(id, "?")
		return c.linked(tx, []feedback.Ref{feedback.Ref(id)})
	}
	page, err := tx.Search(c.ctx, feedback.Search{Window: feedback.Window{Limit: 8}, Query: feedback.SearchQuery(text)})
	if err != nil {
		return nil, err
	}
	return tx.FoundPosts(c.ctx, page.Items)
}

// findLinks answers with the posts that could be linked.
func (c *call) findLinks() error {
	f := c.entryForm()
	v := f.entryView
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Linked, err = c.linked(tx, f.in.Posts); err != nil || v.Find == "" {
			return err
		}
		v.Found, err = c.postsLike(tx, v.Find)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, linkChoices(v))
}

func (c *call) newEntry() error {
	var f entryForm
	if post := c.r.URL.Query().Get("post"); post != "" {
		f.in.Posts = []feedback.Ref{feedback.Ref(post)}
	}
	return c.showEntry(http.StatusOK, f, "")
}

func (c *call) createEntry() error {
	f := c.entryForm()
	if f.do == doPreview || f.do == doSearch {
		return c.showEntry(http.StatusOK, f, "")
	}
	var e *feedback.Entry
	err := c.change(f.action("changelog.drafted"), f.Title, func(tx *app.Tx) (err error) {
		if e, err = tx.CreateEntry(c.ctx, f.in); err != nil {
			return err
		}
		return f.then(c, tx, e.ID.String())
	})
	if c.linkProblems(err) {
		return c.showEntry(http.StatusUnprocessableEntity, f, "")
	}
	if err != nil {
		return err
	}
	return c.entryDone(f, e.ID.String(), "The draft is saved.")
}

// entryDone leads on after the editor has saved an entry.
func (c *call) entryDone(f entryForm, entry, saved string) error {
	switch f.do {
	case doPublish:
		return c.done(c.here("changelog"), "The entry is published.")
	case doSchedule:
		return c.done(c.here("changelog"), "The entry will be published on "+f.at.At.UTC().Format("2 January 2006 at 15:04")+" UTC.")
	}
	return c.done(c.here("changelog", entry), saved)
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
	if !v.Entry.PublishAt.IsZero() {
		v.PublishAt = v.Entry.PublishAt.Format(dateTime)
	}
	return c.render(http.StatusOK, entryPage(c.chrome(v.Title, "changelog"), v))
}

func (c *call) saveEntry() error {
	f, entry := c.entryForm(), c.r.PathValue("entry")
	if f.do == doPreview || f.do == doSearch {
		return c.showEntry(http.StatusOK, f, entry)
	}
	err := c.change(f.action("changelog.changed"), entry, func(tx *app.Tx) error {
		if _, err := tx.UpdateEntry(c.ctx, entry, f.in); err != nil {
			return err
		}
		return f.then(c, tx, entry)
	})
	if e, ok := asError(err); ok && (e.Code != feedback.NotFound || e.Details["field"] != nil) && c.linkProblems(err) {
		return c.showEntry(http.StatusUnprocessableEntity, f, entry)
	}
	if err != nil {
		return c.refused(c.here("changelog", entry), err)
	}
	return c.entryDone(f, entry, "The entry is saved.")
}

func (c *call) unscheduleEntry() error {
	entry := c.r.PathValue("entry")
	err := c.change("changelog.unscheduled", entry, func(tx *app.Tx) error {
		_, err := tx.UnscheduleEntry(c.ctx, entry)
		return err
	})
	if err != nil {
		return err
	}
	return c.done(c.here("changelog", entry), "The entry stays a draft until you publish it.")
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
