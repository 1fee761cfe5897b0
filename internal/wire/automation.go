package wire

import "heed/internal/feedback"

// InsightsSummary is what the feedback of a site is about.
type InsightsSummary struct {
	HasInsights bool           `json:"hasInsights" doc:"Whether a run has published themes."`
	LastRunAt   *Time          `json:"lastRunAt" doc:"The latest clustering run."`
	QuotaPaused bool           `json:"quotaPaused" doc:"True when the latest run stopped on the AI quota."`
	Themes      []InsightTheme `json:"themes" doc:"The themes, as the latest run that was finished published them."`
}

// InsightTheme is something many posts say.
type InsightTheme struct {
	ClusterID  feedback.ThemeID    `json:"clusterId" doc:"Stays the same from run to run."`
	SiteID     feedback.SiteID     `json:"siteId"`
	Label      string              `json:"label" example:"Dark mode"`
	Summary    *string             `json:"summary" doc:"What the posts of the theme ask for; null when there is none."`
	Sentiment  *feedback.Sentiment `json:"sentiment" doc:"How the posts of the theme sound; null when that is not known."`
	PostCount  int                 `json:"postCount" doc:"How many posts belong to the theme."`
	Trend      feedback.Trend      `json:"trend" doc:"The posts of the last 30 days against the 30 before; new for a theme that the latest run found."`
	TrendDelta int                 `json:"trendDelta" doc:"By how many posts the last 30 days are ahead of the 30 before."`
}

// InsightsSummaryOf makes an InsightsSummary.
func InsightsSummaryOf(i *feedback.Insights) InsightsSummary {
	themes := make([]InsightTheme, len(i.Themes))
	for n, t := range i.Themes {
		themes[n] = InsightTheme{t.ID, t.SiteID, t.Label, t.Summary, t.Sentiment, t.PostCount, t.Trend, t.TrendDelta}
	}
	return InsightsSummary{
		HasInsights: !i.LastRunAt.IsZero() && len(themes) > 0,
		LastRunAt:   MaybeAt(i.LastRunAt), QuotaPaused: i.QuotaPaused, Themes: themes,
	}
}

// AutopilotQueue holds the open requests with the most votes.
type AutopilotQueue struct {
	Items []QueueItem `json:"items" doc:"At most 100 open posts, and those that shipped in the last 7 days."`
}

// QueueItem is a request in the queue.
type QueueItem struct {
	ID    feedback.PostID `json:"id" doc:"The post."`
	RunID *feedback.RunID `json:"runId,omitempty" doc:"The newest run about the post; absent when there is none."`
	Title string          `json:"title" example:"Dark mode that follows the system"`
	Stage feedback.Stage  `json:"stage" doc:"Where the newest run about the post stands; queued without one."`
	Votes int             `json:"votes" example:"42"`
}

// AutopilotQueueOf makes an AutopilotQueue.
func AutopilotQueueOf(items []feedback.QueueItem) AutopilotQueue {
	q := AutopilotQueue{Items: make([]QueueItem, len(items))}
	for n, i := range items {
		q.Items[n] = QueueItem{i.PostID, maybe(i.RunID), i.Title, i.Stage, i.Votes}
	}
	return q
}

// AgentRun records the work of a coding agent.
type AgentRun struct {
	ID            feedback.RunID     `json:"id"`
	RunNumber     int                `json:"runNumber" doc:"Counts the runs of a site from 1." example:"7"`
	Title         string             `json:"title" example:"Dark mode that follows the system"`
	AgentKind     feedback.AgentKind `json:"agentKind"`
	Status        feedback.RunStatus `json:"status" doc:"QUEUED until the first step, RUNNING from then on, and the outcome it was completed with."`
	CIResult      feedback.CIResult  `json:"ciResult" doc:"What continuous integration said last."`
	Repo          *string            `json:"repo" example:"northwind/app"`
	PRURL         *string            `json:"prUrl" example:"https://git.example.com/northwind/app/pull/12"`
	NotifiedCount int                `json:"notifiedCount" doc:"How many voters were told that the request shipped."`
}

// AgentRunOf returns the function that makes an AgentRun under the agent names
// in force.
func AgentRunOf(kinds feedback.AgentKinds) func(*feedback.Run) AgentRun {
	return func(r *feedback.Run) AgentRun {
		return AgentRun{
			ID: r.ID, RunNumber: r.Number, Title: r.Title, AgentKind: feedback.AgentKind(kinds[r.Kind]), Status: r.Status,
			CIResult: r.CIResult, Repo: r.Repo, PRURL: r.PRURL, NotifiedCount: r.NotifiedCount,
		}
	}
}

// AgentRunStep is one thing an agent did.
type AgentRunStep struct {
	ID    feedback.StepID `json:"id"`
	RunID feedback.RunID  `json:"runId"`
	Seq   int             `json:"seq" doc:"Counts the steps of a run from 1."`
	Tone  feedback.Tone   `json:"tone" doc:"How the step is to be read."`
	Label string          `json:"label" example:"Wrote a failing test"`
}

// AgentRunStepOf makes an AgentRunStep.
func AgentRunStepOf(s *feedback.Step) AgentRunStep {
	return AgentRunStep{s.ID, s.RunID, s.Seq, s.Tone, s.Label}
}
