package dashboard

import (
	"net/http"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// automationView is the queue and the newest runs.
type automationView struct {
	Stages   []stageView
	Withheld []feedback.QueueItem
	Runs     []feedback.Run
	Next     string
	Kinds    feedback.AgentKinds
	Post     string         // to start a run on
	About    *feedback.Post // the same, nil if it is none
	Title    string
}

type stageView struct {
	Stage feedback.Stage
	Title string
	Items []feedback.QueueItem
}

// shownOfStage is how many requests of a stage the page shows.
const shownOfStage = 6

// stages in the order work goes through them.
var stages = []stageView{
	{Stage: feedback.StageQueued, Title: "Queued"}, {Stage: feedback.StageBuilding, Title: "Building"},
	{Stage: feedback.StagePROpen, Title: "Pull request"}, {Stage: feedback.StageNeedsReview, Title: "Needs review"},
	{Stage: feedback.StageShipped, Title: "Shipped"},
}

func (c *call) automation() error {
	return c.showAutomation(http.StatusOK, automationView{Post: c.r.URL.Query().Get("post")})
}

func (c *call) showAutomation(status int, v automationView) error {
	v.Kinds = c.cfg.App.AgentKinds()
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: 20}
	err := c.read(func(tx *app.Tx) error {
		items, err := tx.Queue(c.ctx)
		if err != nil {
			return err
		}
		for _, s := range stages {
			for _, item := range items {
				if item.Stage == s.Stage {
					s.Items = append(s.Items, item)
				}
			}
			v.Stages = append(v.Stages, s)
		}
		if v.Withheld, err = tx.Withheld(c.ctx); err != nil {
			return err
		}
		if about, err := tx.Post(c.ctx, v.Post); err == nil {
			v.About = about
		} else if !feedback.IsNotFound(err) {
			return err
		}
		page, err := tx.Runs(c.ctx, w)
		v.Runs, v.Next = page.Items, nextPage(c.r, page.Next)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(status, automationPage(c.chrome("Automation", "automation"), v))
}

func (c *call) startRun() error {
	v := automationView{Post: strings.TrimSpace(c.form("postId")), Title: c.form("title")}
	var r *feedback.Run
	err := c.change("run.started", v.Post, func(tx *app.Tx) (err error) {
		mode := feedback.Manual
		r, err = tx.StartRun(c.ctx, feedback.NewRun{
			Site: feedback.Ref(c.r.PathValue("site")), Kind: feedback.AgentKind(c.form("agentKind")), Post: ref(v.Post),
			Repo: optional[feedback.Repo](c.form("repo")), Title: optional[feedback.RunTitle](v.Title), Mode: &mode,
		})
		return err
	})
	if c.again(err) {
		return c.showAutomation(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return c.refused(c.here("automation"), err)
	}
	return c.done(c.here("automation", r.ID.String()), "The run is queued.")
}

// runView is the page of a run.
type runView struct {
	lists
	Run     *feedback.Run
	Steps   []feedback.Step
	Next    string
	Kind    string
	Post    *feedback.Post
	Entries []feedback.Entry
}

func (c *call) showOneRun() error { return c.showRun(http.StatusOK) }

func (c *call) showRun(status int) error {
	var v runView
	run := c.r.PathValue("run")
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.MaxLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Run, err = tx.Run(c.ctx, run); err != nil {
			return err
		}
		page, err := tx.Steps(c.ctx, run, w)
		if err != nil {
			return err
		}
		v.Steps, v.Next = page.Items, nextPage(c.r, page.Next)
		if v.Run.PostID != 0 {
			if v.Post, err = tx.Post(c.ctx, v.Run.PostID.String()); err != nil {
				return err
			}
		}
		if v.Statuses, err = tx.AllStatuses(c.ctx); err != nil {
			return err
		}
		entries, err := tx.Changelog(c.ctx, feedback.Window{Limit: 20})
		v.Entries = entries.Items
		return err
	})
	if err != nil {
		return err
	}
	v.Kind = c.cfg.App.AgentKinds()[v.Run.Kind]
	ch := c.chrome(v.Run.Title, "automation")
	v.colors(ch)
	return c.render(status, runPage(ch, v))
}

func (c *call) completeRun() error {
	run, outcome := c.r.PathValue("run"), feedback.Outcome(c.form("outcome"))
	in := feedback.Completion{Outcome: outcome}
	if feedback.RunStatus(outcome) == feedback.Shipped {
		in.Entry, in.DoneStatus = ref(c.form("changelogEntryId")), ref(c.form("doneStatusId"))
	}
	err := c.change("run.completed", run+" "+string(outcome), func(tx *app.Tx) error {
		_, err := tx.CompleteRun(c.ctx, run, in)
		return err
	})
	if err != nil {
		return c.refused(c.here("automation", run), err)
	}
	return c.done(c.here("automation", run), "The run is completed.")
}
