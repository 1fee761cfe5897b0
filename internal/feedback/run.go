package feedback

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// AgentKind is the wire name of an agent product. Which three there are is a
// setting: see [AgentKinds].
type AgentKind string

// AgentKinds are the three names in force, in their fixed order.
type AgentKinds [3]string

// DefaultAgentKinds are the names of an installation that sets none.
func DefaultAgentKinds() AgentKinds { return AgentKinds{"KIND_A", "KIND_B", "KIND_C"} }

var agentKindForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,39}$`)

// ParseAgentKinds reads three different upper-case names separated by commas.
func ParseAgentKinds(s string) (AgentKinds, error) {
	names := strings.Split(s, ",")
	var k AgentKinds
	if len(names) != len(k) {
		return k, fmt.Errorf("agent kinds %q: want three names separated by commas", s)
	}
	for i, n := range names {
		k[i] = strings.TrimSpace(n)
		if !agentKindForm.MatchString(k[i]) {
			return k, fmt.Errorf("agent kind %q: want upper-case letters, digits and underscores", n)
		}
	}
	if k[0] == k[1] || k[1] == k[2] || k[0] == k[2] {
		return k, errors.New("agent kinds: want three different names")
	}
	return k, nil
}

// Index returns the position of name, or -1. Positions are what is stored, so
// that renaming the kinds renames those of old runs too.
func (k AgentKinds) Index(name AgentKind) int {
	for i, n := range k {
		if n == string(name) {
			return i
		}
	}
	return -1
}

// RunStatus is the state of an agent run.
type RunStatus string

// The states of a run. Those after Running are also the outcomes a run can be
// completed with.
const (
	Queued      RunStatus = "QUEUED"
	Running     RunStatus = "RUNNING"
	NeedsReview RunStatus = "NEEDS_REVIEW"
	Blocked     RunStatus = "BLOCKED"
	Shipped     RunStatus = "SHIPPED"
	Failed      RunStatus = "FAILED"
)

// Values lists the states.
func (RunStatus) Values() []string {
	return []string{"QUEUED", "RUNNING", "NEEDS_REVIEW", "BLOCKED", "SHIPPED", "FAILED"}
}

// Final reports whether a run in this state is over for good.
func (s RunStatus) Final() bool { return s == Shipped || s == Failed }

// Outcome is what a run is completed with.
type Outcome string

// Values lists the outcomes.
func (Outcome) Values() []string { return []string{"SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"} }

// CIResult is what continuous integration said of a run's work.
type CIResult string

// Values lists the results.
func (CIResult) Values() []string { return []string{"NONE", "PENDING", "GREEN", "RED"} }

// NoCI is the result before there is any.
const NoCI CIResult = "NONE"

// Tone says how a step of a run is to be read.
type Tone string

// Values lists the tones.
func (Tone) Values() []string { return []string{"DONE", "BUILDING", "CLOSED", "FAILED"} }

// RunMode says who started a run.
type RunMode string

// The modes.
const (
	Autopilot RunMode = "AUTOPILOT"
	Manual    RunMode = "MANUAL"
)

// Values lists the modes.
func (RunMode) Values() []string { return []string{"AUTOPILOT", "MANUAL"} }

// Run records the work of a coding agent.
type Run struct {
	ID            RunID
	SiteID        SiteID
	Number        int // per site, from 1, without gaps
	PostID        PostID
	EntryID       EntryID
	Title         string
	Kind          int // index into AgentKinds
	Mode          RunMode
	Status        RunStatus
	CIResult      CIResult
	Repo          *string
	PRURL         *string
	PRNumber      *int64
	NotifiedCount int
	StepCount     int
	CreatedAt     time.Time
	CompletedAt   time.Time // zero: not yet
}

// Step is one thing an agent did in a run.
type Step struct {
	ID        StepID
	SiteID    SiteID
	RunID     RunID
	Seq       int // per run, from 1
	Tone      Tone
	Label     string
	Detail    *string
	Code      *string
	LabelMeta *string
	At        time.Time
}

// NewRun is what it takes to start a run.
type NewRun struct {
	Input
	Site  Ref
	Kind  AgentKind
	Post  *Ref
	Repo  *Repo
	Mode  *RunMode
	Title *RunTitle
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewRun) Check(kinds AgentKinds) error {
	p := in.problems()
	checkText(&p, "siteId", in.Site)
	if kinds.Index(in.Kind) < 0 {
		p.Add("agentKind", RuleEnum, "must be one of "+strings.Join(kinds[:], ", "))
	}
	checkOptional(&p, "postId", in.Post)
	checkOptional(&p, "repo", in.Repo)
	checkOptionalEnum(&p, "mode", in.Mode)
	checkOptional(&p, "title", in.Title)
	return p.Err()
}

// NewStep is what it takes to record a step.
type NewStep struct {
	Input
	Tone      Tone
	Label     StepLabel
	Detail    *FreeText
	Code      *FreeText
	LabelMeta *FreeText
	At        *time.Time
	CIResult  *CIResult
	PRURL     *URI
	PRNumber  *int64
	Repo      *FreeText
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewStep) Check() error {
	p := in.problems()
	checkEnum(&p, "tone", in.Tone)
	checkText(&p, "label", in.Label)
	checkOptional(&p, "detail", in.Detail)
	checkOptional(&p, "code", in.Code)
	checkOptional(&p, "labelMeta", in.LabelMeta)
	checkOptionalEnum(&p, "ciResult", in.CIResult)
	checkOptional(&p, "prUrl", in.PRURL)
	checkOptional(&p, "repo", in.Repo)
	return p.Err()
}

// TakesStep returns nil if a step may be added to the run, and else an
// INVALID_TRANSITION error.
func (r *Run) TakesStep() error {
	if !r.Status.Final() {
		return nil
	}
	return r.refuse(Running, "A finished run takes no more steps.")
}

// Completion is what it takes to complete a run.
type Completion struct {
	Input
	Outcome    Outcome
	Entry      *Ref
	DoneStatus *Ref
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
// done is the status that DoneStatus names, nil for none.
func (in Completion) Check(run *Run, done *Status) error {
	p := in.problems()
	checkEnum(&p, "outcome", in.Outcome)
	checkOptional(&p, "changelogEntryId", in.Entry)
	checkOptional(&p, "doneStatusId", in.DoneStatus)
	if done != nil && !done.DoneFlag {
		p.Add("doneStatusId", RuleDone, "must name a status whose doneFlag is true")
	}
	if done != nil && run.PostID == 0 && RunStatus(in.Outcome) == Shipped {
		p.Add("doneStatusId", RulePost, "must be left out for a run that is about no post")
	}
	return p.Err()
}

// Note returns what the voters are told with the move to done, if that wants a
// note: the title of the entry, or NOTE_REQUIRED where there is none. Both may
// be nil for none.
func (in Completion) Note(entry *Entry, done *Status) (string, error) {
	switch {
	case done == nil || done.Notify != NotifyWithNote:
		return "", nil
	case entry == nil:
		return "", errNoteRequired(done, "changelogEntryId",
			"Send changelogEntryId: the voters are told the title of the entry together with the new status.")
	}
	return entry.Title, nil
}

// CompletesTo returns nil if the run may move to the status of an outcome, and
// else an INVALID_TRANSITION error. again is true when it stands there already
// and nothing is left to do.
func (r *Run) CompletesTo(o Outcome) (again bool, err error) {
	to := RunStatus(o)
	switch {
	case r.Status == to:
		return true, nil
	case r.Status.Final():
		return false, r.refuse(to, "A finished run cannot be completed with another outcome.")
	}
	return false, nil
}

func (r *Run) refuse(to RunStatus, msg string) error {
	return &Error{
		Code: InvalidTransition, Msg: msg,
		Hint:    "Start a new run for further work.",
		Details: map[string]any{"runId": r.ID.String(), "from": string(r.Status), "to": string(to)},
	}
}

// ErrRunActive is the error for a second run on a post whose first goes on.
func ErrRunActive(active RunID) error {
	return &Error{
		Code:    RunActive,
		Msg:     "Another run is already at work on this post.",
		Hint:    "Complete that run first, or add steps to it.",
		Details: map[string]any{"runId": active.String()},
	}
}

// Stage is where a request stands in the queue of an agent.
type Stage string

// The stages.
const (
	StageShipped     Stage = "shipped"
	StagePROpen      Stage = "pr_open"
	StageBuilding    Stage = "building"
	StageQueued      Stage = "queued"
	StageNeedsReview Stage = "needs_review"
)

// Values lists the stages.
func (Stage) Values() []string {
	return []string{"shipped", "pr_open", "building", "queued", "needs_review"}
}

// StageOf returns the stage of a post whose newest run is r, nil for none.
func StageOf(r *Run) Stage {
	if r == nil {
		return StageQueued
	}
	switch r.Status {
	case Shipped:
		return StageShipped
	case NeedsReview, Blocked, Failed:
		return StageNeedsReview
	case Running:
		if r.PRURL != nil {
			return StagePROpen
		}
		return StageBuilding
	}
	return StageQueued
}

// The bounds of the queue.
const (
	MaxQueue       = 100
	ShippedForDays = 7 // how long a shipped request stays in the queue
)

// QueueItem is a request in the queue.
type QueueItem struct {
	PostID PostID
	RunID  RunID // zero: no run yet
	Title  string
	Stage  Stage
	Votes  int
}

// ErrWithheld is the error for an agent that starts on a post it was not
// offered.
func ErrWithheld(p PostID) error {
	return &Error{
		Code: InvalidTransition, Msg: "The team withholds this post from agents.",
		Hint:    "Choose a post from the queue, or ask the team to offer this one in the dashboard.",
		Details: map[string]any{"postId": p.String(), "reason": "withheld"},
	}
}
