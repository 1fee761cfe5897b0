package feedback

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Sentiment is how people feel about a theme.
type Sentiment string

// Values lists the sentiments.
func (Sentiment) Values() []string { return []string{"positive", "neutral", "negative"} }

// Trend says whether a theme grows.
type Trend string

// Values lists the trends.
func (Trend) Values() []string { return []string{"up", "down", "flat", "new"} }

// Theme is something many posts say.
type Theme struct {
	ID         ThemeID
	SiteID     SiteID
	Label      string
	Summary    *string
	Sentiment  *Sentiment
	PostCount  int
	Trend      Trend
	TrendDelta int
	// WrittenPosts is how many posts the theme had when a provider wrote its
	// label and summary; zero: they are our own.
	WrittenPosts int
}

// Insights are the themes of a site as last published.
type Insights struct {
	LastRunAt   time.Time // zero: never
	QuotaPaused bool
	Themes      []Theme
}

// InsightStatus is the state of a search for themes.
type InsightStatus string

// Only a run that is done has changed what is published.
const (
	InsightQueued    InsightStatus = "queued"
	InsightRunning   InsightStatus = "running"
	InsightDone      InsightStatus = "done"
	InsightPaused    InsightStatus = "paused" // stopped on the AI quota
	InsightFailed    InsightStatus = "failed"
	InsightCancelled InsightStatus = "cancelled"
)

// Active reports whether the run is still to be done.
func (s InsightStatus) Active() bool { return s == InsightQueued || s == InsightRunning }

// InsightFailure says why a run failed.
type InsightFailure string

// The reasons.
const (
	ProviderFailed InsightFailure = "provider"    // the AI provider did not answer, or not with what was asked
	Interrupted    InsightFailure = "interrupted" // whoever did it vanished, several times
	BrokeDown      InsightFailure = "internal"    // the log says more
)

// InsightRun is a search for the themes of a site.
type InsightRun struct {
	ID          InsightRunID
	SiteID      SiteID
	Status      InsightStatus
	Asked       bool   // a person waits for it
	Stage       string // what is being done: "read", "embed", "cluster", "label", "publish"
	Done, Total int    // of the stage
	Full        bool   // all posts were clustered anew
	Posts       int
	Themes      int
	Failure     InsightFailure // empty: none
	CreatedAt   time.Time
	StartedAt   time.Time // zero: not yet
	FinishedAt  time.Time // zero: not yet
}

// ErrInsightsRunning is the error for a run that cannot begin because another is
// under way.
func ErrInsightsRunning(site SiteID) *Error {
	return &Error{
		Code:    RunActive,
		Msg:     "A search for the themes of this site is under way.",
		Hint:    "Wait until it is done; its result will be published.",
		Details: map[string]any{"siteId": site.String()},
	}
}

// What a call of an AI provider takes of an account's monthly quota. The model in
// the binary takes nothing.
const (
	UnitsPerText  = 1 // made into a vector
	UnitsPerLabel = 5
)

// maxMeant is how much of a body is read for its meaning, in characters.
const maxMeant = 1000

// Meant is a post as a reader takes it in, title and body in one, shortened to
// what anybody would judge it by. What a post means is a function of this text.
func Meant(title, body string) string {
	title, body = strings.TrimSpace(title), strings.TrimSpace(shorten(body, maxMeant))
	if body == "" || title == "" {
		return title + body
	}
	// As two sentences: the words on either side of the border are no phrase.
	if r, _ := utf8.DecodeLastRuneInString(title); !unicode.IsPunct(r) {
		title += "."
	}
	return title + " " + body
}

func shorten(s string, runes int) string {
	for i := range s {
		if runes--; runes < 0 {
			return s[:i]
		}
	}
	return s
}
