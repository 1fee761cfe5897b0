package feedback

import "time"

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
}

// Insights are the themes of a site as last published.
type Insights struct {
	LastRunAt   time.Time // zero: never
	QuotaPaused bool
	Themes      []Theme
}
