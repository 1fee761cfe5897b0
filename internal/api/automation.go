package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

func insightOperations() []operation {
	return []operation{
		reads(operation{
			id: "getInsights", path: "/v1/sites/{siteId}/insights", scope: feedback.InsightsRead, target: siteInPath, tag: "Insights",
			summary:     "Get insights",
			description: "The themes of the site's feedback, as last published.",
		}, func(ctx context.Context, tx *app.Tx, _ *call) (wire.InsightsSummary, error) {
			insights, err := tx.Insights(ctx)
			return object(wire.InsightsSummaryOf, insights, err)
		}),
	}
}

var siteParam = param{name: "siteId", typ: reflect.TypeFor[feedback.Ref](), required: true, doc: "The site."}

func automationOperations(kinds feedback.AgentKinds) []operation {
	runOf := wire.AgentRunOf(kinds)
	return []operation{
		reads(operation{
			id: "getAutopilotQueue", path: "/v1/automation/queue", scope: feedback.AutomationRead, target: siteInQuery, tag: "Automation",
			summary:     "Get the queue",
			description: "The open requests with the most votes, the oldest first among equals, and those that shipped in the last days.",
			query:       []param{siteParam},
		}, func(ctx context.Context, tx *app.Tx, c *call) (wire.AutopilotQueue, error) {
			if err := c.siteGiven().Err(); err != nil {
				return wire.AutopilotQueue{}, err
			}
			items, err := tx.Queue(ctx)
			return wire.AutopilotQueueOf(items), err
		}),
		writes(operation{
			id: "startAgentRun", method: http.MethodPost, path: "/v1/automation/runs", status: http.StatusCreated,
			scope: feedback.AutomationWrite, tag: "Automation",
			target: func(c *call) app.Target {
				return app.Target{Site: string(c.decoded.(*StartAgentRunRequest).SiteID), Field: "siteId"}
			},
			summary:     "Start an agent run",
			description: "Records that an agent sets to work. There is one unfinished run for a post at a time.",
		}, func(ctx context.Context, tx *app.Tx, _ *call, b StartAgentRunRequest, in feedback.Input) (wire.AgentRun, error) {
			run, err := tx.StartRun(ctx, feedback.NewRun{
				Input: in, Site: b.SiteID, Kind: b.AgentKind, Post: b.PostID, Repo: b.Repo, Mode: b.Mode, Title: b.Title,
			})
			return object(runOf, run, err)
		}),
		writes(operation{
			id: "appendAgentRunStep", method: http.MethodPost, path: "/v1/automation/runs/{runId}/steps", status: http.StatusCreated,
			scope: feedback.AutomationWrite, target: runInPath, tag: "Automation",
			summary:     "Append a step to a run",
			description: "Records what the agent did. The run is at work from its first step on, and again after a review.",
		}, func(ctx context.Context, tx *app.Tx, c *call, b AppendAgentRunStepRequest, in feedback.Input) (wire.AgentRunStep, error) {
			step, err := tx.AppendStep(ctx, c.path("runId"), feedback.NewStep{
				Input: in, Tone: b.Tone, Label: b.Label, Detail: b.Detail, Code: b.Code, LabelMeta: b.LabelMeta,
				At: (*time.Time)(b.At), CIResult: b.CIResult, PRURL: b.PRURL, PRNumber: b.PRNumber, Repo: b.Repo,
			})
			return object(wire.AgentRunStepOf, step, err)
		}),
		writes(operation{
			id: "completeAgentRun", method: http.MethodPost, path: "/v1/automation/runs/{runId}/complete", status: http.StatusOK,
			scope: feedback.AutomationWrite, target: runInPath, tag: "Automation",
			summary: "Complete a run",
			description: "Ends the agent's work. With SHIPPED, the post moves to doneStatusId, the changelog entry is linked to it and published, " +
				"and its voters are told once; if the post was merged by then, the surviving one is meant.",
		}, func(ctx context.Context, tx *app.Tx, c *call, b CompleteAgentRunRequest, in feedback.Input) (wire.AgentRun, error) {
			run, err := tx.CompleteRun(ctx, c.path("runId"), feedback.Completion{
				Input: in, Outcome: b.Outcome, Entry: b.ChangelogEntryID, DoneStatus: b.DoneStatusID,
			})
			return object(runOf, run, err)
		}),
		extension(lists(operation{
			id: "listAgentRuns", path: "/v1/automation/runs", scope: feedback.AutomationRead, target: siteInQuery,
			summary:     "List agent runs",
			description: "The runs of the site, newest first.",
			query:       []param{siteParam},
		}, runOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Run], error) {
			w := c.window()
			if missing := c.siteGiven(); missing != nil {
				w.Malformed = append(missing, w.Malformed...)
				return feedback.Page[feedback.Run]{}, w.Check()
			}
			return tx.Runs(ctx, w)
		})),
		extension(reads(operation{
			id: "getAgentRun", path: "/v1/automation/runs/{runId}", scope: feedback.AutomationRead, target: runInPath,
			summary: "Get an agent run",
		}, func(ctx context.Context, tx *app.Tx, c *call) (wire.AgentRun, error) {
			run, err := tx.Run(ctx, c.path("runId"))
			return object(runOf, run, err)
		})),
		extension(lists(operation{
			id: "listAgentRunSteps", path: "/v1/automation/runs/{runId}/steps", scope: feedback.AutomationRead, target: runInPath,
			summary:     "List the steps of a run",
			description: "What the agent did, in order.",
		}, wire.AgentRunStepOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Step], error) {
			return tx.Steps(ctx, c.path("runId"), c.window())
		})),
	}
}

// siteGiven returns what is wrong with the site in the query, if anything. A
// site that is given has been found before.
func (c *call) siteGiven() (p feedback.Problems) {
	c.checkOnce(&p)
	c.required(&p, "siteId")
	if rule, message := feedback.Ref("").Rule().Broken(c.query.Get("siteId")); rule != "" {
		p.Add("siteId", rule, message)
	}
	return p
}

// StartAgentRunRequest is the body of startAgentRun.
type StartAgentRunRequest struct {
	SiteID    feedback.Ref       `json:"siteId" example:"site_0c8e4w1a2b3d4"`
	AgentKind feedback.AgentKind `json:"agentKind"`
	PostID    *feedback.Ref      `json:"postId" doc:"The post the run is about." example:"post_0c8e4w1a2b3d4"`
	Repo      *feedback.Repo     `json:"repo" example:"northwind/app"`
	Mode      *feedback.RunMode  `json:"mode"`
	Title     *feedback.RunTitle `json:"title" doc:"Defaults to the title of the post." example:"Dark mode that follows the system"`
}

// AppendAgentRunStepRequest is the body of appendAgentRunStep.
type AppendAgentRunStepRequest struct {
	Tone      feedback.Tone      `json:"tone"`
	Label     feedback.StepLabel `json:"label" example:"Wrote a failing test"`
	Detail    *feedback.FreeText `json:"detail"`
	Code      *feedback.FreeText `json:"code"`
	LabelMeta *feedback.FreeText `json:"labelMeta"`
	At        *utcTime           `json:"at" doc:"When it happened, in UTC with a trailing Z; now when left out."`
	CIResult  *feedback.CIResult `json:"ciResult"`
	PRURL     *feedback.URI      `json:"prUrl" example:"https://git.example.com/northwind/app/pull/12"`
	PRNumber  *int64             `json:"prNumber" example:"12"`
	Repo      *feedback.FreeText `json:"repo" example:"northwind/app"`
}

// CompleteAgentRunRequest is the body of completeAgentRun.
type CompleteAgentRunRequest struct {
	Outcome          feedback.Outcome `json:"outcome"`
	ChangelogEntryID *feedback.Ref    `json:"changelogEntryId" doc:"Linked to the post and published when the run ships." example:"chg_0c8e4w1a2b3d4"`
	DoneStatusID     *feedback.Ref    `json:"doneStatusId" doc:"A done status the post moves to when the run ships." example:"sts_0c8e4w1a2b3d4"`
}
