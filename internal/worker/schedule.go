package worker

import (
	"context"
	"time"

	"heed/internal/app"
)

// Scheduled publishes what was to be published by itself, once its time has come.
func Scheduled(a *app.App) Task {
	return Task{Name: "publish scheduled entries", Every: 10 * time.Second, Run: func(ctx context.Context) error {
		for ctx.Err() == nil {
			if more, err := a.PublishNext(ctx); err != nil || !more {
				return err
			}
		}
		return nil
	}}
}
