package worker

import (
	"context"
	"time"

	"heed/internal/app"
)

// Sweeps are the tasks that forget what is no longer needed.
func Sweeps(a *app.App) []Task {
	return []Task{{
		Name: "forget idempotent responses", Every: time.Hour,
		Run: func(ctx context.Context) error {
			_, err := a.PurgeResponses(ctx)
			return err
		},
	}, {
		Name: "forget sessions that have ended", Every: time.Hour, Run: a.PurgeSessions,
	}, {
		Name: "finish the removal of webhook endpoints", Every: time.Minute, Run: a.SweepEndpoints,
	}, {
		Name: "forget old webhook deliveries", Every: time.Hour, Run: a.PurgeDeliveries,
	}}
}
