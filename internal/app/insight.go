package app

import (
	"context"

	"heed/internal/feedback"
)

// Insights returns the themes of the site as last published.
func (tx *Tx) Insights(context.Context) (*feedback.Insights, error) {
	return &feedback.Insights{}, nil
}
