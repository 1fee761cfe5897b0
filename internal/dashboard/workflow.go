package dashboard

import (
	"net/http"
	"strconv"

	"heed/internal/app"
	"heed/internal/feedback"
)

// boardsView is the page of boards, and of one of them.
type boardsView struct {
	Boards []feedback.Board
	Board  *feedback.Board // the one that is changed
	// What was typed, to be shown again.
	Name, Slug, Description string
	Private                 bool
}

func (c *call) boards() error { return c.showBoards(http.StatusOK, boardsView{}) }

func (c *call) showBoards(status int, v boardsView) error {
	err := c.read(func(tx *app.Tx) (err error) {
		v.Boards, err = tx.AllBoards(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(status, boardsPage(c.chrome("Boards", "boards"), v))
}

func (c *call) createBoard() error {
	v := boardsView{Name: c.form("name"), Slug: c.form("slug"), Description: c.form("description"), Private: c.form("private") == "on"}
	err := c.change("board.created", v.Name, func(tx *app.Tx) error {
		_, err := tx.CreateBoard(c.ctx, feedback.NewBoard{
			Name: feedback.BoardName(v.Name), Description: optional[feedback.BoardDescription](v.Description),
			Private: v.Private, Slug: optional[feedback.Slug](v.Slug),
		})
		return err
	})
	if c.again(err) {
		return c.showBoards(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	return c.done(c.here("boards"), "The board is added.")
}

func (c *call) board() error {
	return c.showBoard(http.StatusOK, func(b *feedback.Board) boardsView {
		return boardsView{Name: b.Name, Description: deref(b.Description), Private: b.Private}
	})
}

// showBoard shows the board of the path with a form that view fills.
func (c *call) showBoard(status int, view func(*feedback.Board) boardsView) error {
	var all []feedback.Board
	err := c.read(func(tx *app.Tx) (err error) {
		all, err = tx.AllBoards(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	for i := range all {
		if b := &all[i]; b.ID.String() == c.r.PathValue("board") {
			v := view(b)
			v.Boards, v.Board = all, b
			return c.render(status, boardPage(c.chrome(b.Name, "boards"), v))
		}
	}
	return feedback.Missing("board", c.r.PathValue("board"))
}

func (c *call) saveBoard() error {
	err := c.change("board.changed", c.r.PathValue("board"), func(tx *app.Tx) error {
		_, err := tx.UpdateBoard(c.ctx, c.r.PathValue("board"), feedback.BoardEdit{
			Name: feedback.BoardName(c.form("name")), Description: optional[feedback.BoardDescription](c.form("description")),
			Private: c.form("private") == "on",
		})
		return err
	})
	if e, ok := asError(err); ok && e.Code == feedback.ValidationFailed && c.again(err) {
		return c.showBoard(http.StatusUnprocessableEntity, func(*feedback.Board) boardsView {
			return boardsView{Name: c.form("name"), Description: c.form("description"), Private: c.form("private") == "on"}
		})
	}
	if err != nil {
		return c.refused(c.here("boards"), err)
	}
	return c.done(c.here("boards"), "The board is changed.")
}

func (c *call) removeBoard() error {
	err := c.change("board.removed", c.r.PathValue("board"), func(tx *app.Tx) error {
		return tx.RemoveBoard(c.ctx, c.r.PathValue("board"), feedback.Removal{MoveTo: ref(c.form("moveTo"))})
	})
	if err != nil {
		return c.refused(c.here("boards"), err)
	}
	return c.done(c.here("boards"), "The board is removed. Its posts are moved.")
}

// statusForm is what the form of a status holds.
type statusForm struct {
	Name, Color   string
	Done, Roadmap bool
	Notify        string
}

func (c *call) statusForm() (statusForm, feedback.NewStatus) {
	f := statusForm{
		Name: c.form("name"), Color: c.form("color"), Done: c.form("doneFlag") == "on", Roadmap: c.form("showOnRoadmap") == "on",
		Notify: c.form("notifyMode"),
	}
	return f, feedback.NewStatus{
		Name: feedback.StatusName(f.Name), Color: optional[feedback.Color](f.Color), DoneFlag: f.Done, ShowOnRoadmap: f.Roadmap,
		Notify: optional[feedback.NotifyMode](f.Notify),
	}
}

// statusesView is the page of the workflow, and of one of its statuses.
type statusesView struct {
	Statuses []feedback.Status
	Form     statusForm
	Status   *feedback.Status // the one that is changed
}

func (c *call) statuses() error {
	return c.showStatuses(http.StatusOK, statusForm{Color: string(feedback.DefaultColor), Roadmap: true})
}

func (c *call) showStatuses(status int, f statusForm) error {
	v := statusesView{Form: f}
	err := c.read(func(tx *app.Tx) (err error) {
		v.Statuses, err = tx.AllStatuses(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	ch := c.chrome("Statuses", "statuses")
	for _, s := range v.Statuses {
		ch.color(s.Color)
	}
	return c.render(status, statusesPage(ch, v))
}

func (c *call) createStatus() error {
	f, in := c.statusForm()
	err := c.change("status.created", f.Name, func(tx *app.Tx) error {
		_, err := tx.CreateStatus(c.ctx, in)
		return err
	})
	if c.again(err) {
		return c.showStatuses(http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	return c.done(c.here("statuses"), "The status is added.")
}

func (c *call) status() error { return c.showStatus(http.StatusOK, nil) }

func (c *call) showStatus(code int, f *statusForm) error {
	var v statusesView
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Status, err = tx.Status(c.ctx, c.r.PathValue("status")); err != nil {
			return err
		}
		v.Statuses, err = tx.AllStatuses(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	v.Form = statusForm{v.Status.Name, v.Status.Color, v.Status.DoneFlag, v.Status.ShowOnRoadmap, string(v.Status.Notify)}
	if f != nil {
		v.Form = *f
	}
	return c.render(code, statusPage(c.chrome("Status", "statuses"), v))
}

func (c *call) saveStatus() error {
	f, in := c.statusForm()
	err := c.change("status.changed", c.r.PathValue("status"), func(tx *app.Tx) error {
		if c.form("isDefault") == "on" {
			if err := tx.SetDefaultStatus(c.ctx, c.r.PathValue("status")); err != nil {
				return err
			}
		}
		_, err := tx.UpdateStatus(c.ctx, c.r.PathValue("status"), in)
		return err
	})
	if e, ok := asError(err); ok && e.Code != feedback.NotFound && c.again(err) {
		return c.showStatus(http.StatusUnprocessableEntity, &f)
	}
	if err != nil {
		return err
	}
	return c.done(c.here("statuses"), "The status is changed.")
}

func (c *call) orderStatus() error {
	to, err := strconv.Atoi(c.form("to"))
	if err != nil {
		return &feedback.Error{Code: feedback.InvalidRequest, Msg: "The place is no number."}
	}
	err = c.change("status.ordered", c.form("id"), func(tx *app.Tx) error { return tx.PlaceStatus(c.ctx, c.form("id"), to) })
	if err != nil {
		return err
	}
	then := c.r.URL.Query().Get("then")
	if then != "up" && then != "down" {
		return c.redirect(c.here("statuses"))
	}
	return c.redirect(c.here("statuses") + "#" + then + "-" + queryEscape(c.form("id")))
}

func (c *call) removeStatus() error {
	err := c.change("status.removed", c.r.PathValue("status"), func(tx *app.Tx) error {
		return tx.RemoveStatus(c.ctx, c.r.PathValue("status"), feedback.Removal{MoveTo: ref(c.form("moveTo"))})
	})
	if err != nil {
		return c.refused(c.here("statuses", c.r.PathValue("status")), err)
	}
	return c.done(c.here("statuses"), "The status is removed.")
}

// tagsView is the page of tags.
type tagsView struct {
	Tags        []feedback.Tag
	Name, Color string
}

func (c *call) tags() error {
	return c.showTags(http.StatusOK, tagsView{Color: string(feedback.DefaultColor)})
}

func (c *call) showTags(status int, v tagsView) error {
	err := c.read(func(tx *app.Tx) (err error) {
		v.Tags, err = tx.Tags(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	ch := c.chrome("Tags", "tags")
	for _, t := range v.Tags {
		ch.color(t.Color)
	}
	return c.render(status, tagsPage(ch, v))
}

func (c *call) tagForm() feedback.NewTag {
	return feedback.NewTag{Name: feedback.TagName(c.form("name")), Color: optional[feedback.Color](c.form("color"))}
}

func (c *call) createTag() error {
	in := c.tagForm()
	err := c.change("tag.created", string(in.Name), func(tx *app.Tx) error {
		_, err := tx.CreateTag(c.ctx, in)
		return err
	})
	if c.again(err) {
		return c.showTags(http.StatusUnprocessableEntity, tagsView{Name: c.form("name"), Color: c.form("color")})
	}
	if err != nil {
		return err
	}
	return c.done(c.here("tags"), "The tag is added.")
}

func (c *call) saveTag() error {
	err := c.change("tag.changed", c.r.PathValue("tag"), func(tx *app.Tx) error {
		_, err := tx.UpdateTag(c.ctx, c.r.PathValue("tag"), c.tagForm())
		return err
	})
	if err != nil {
		return c.refused(c.here("tags"), err)
	}
	return c.done(c.here("tags"), "The tag is changed.")
}

func (c *call) removeTag() error {
	err := c.change("tag.removed", c.r.PathValue("tag"), func(tx *app.Tx) error { return tx.RemoveTag(c.ctx, c.r.PathValue("tag")) })
	if err != nil {
		return err
	}
	return c.done(c.here("tags"), "The tag is removed from all posts.")
}
