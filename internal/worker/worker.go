// Package worker holds what runs behind the faces: work that was recorded in the
// transaction of a change and is done afterwards, and sweeps that keep tables
// small. A task may be run by several nodes at once and may be cut off at any
// point; what it has not finished is found and done by the next run. Nothing
// here is the only copy of anything.
package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"heed/internal/app"
)

// Task is one kind of work.
type Task struct {
	Name string
	// Every is how long to wait between two runs. Polling is the guarantee
	// that nothing is left lying.
	Every time.Duration
	// Wake, if set, starts a run at once: a hint that work is waiting.
	Wake <-chan struct{}
	// Run does what is due now. It returns when nothing is left, or when ctx
	// ends.
	Run func(ctx context.Context) error
}

// Run runs tasks until ctx ends and returns when all of them have stopped. A
// task that fails is logged and tried again at its next turn.
func Run(ctx context.Context, log *slog.Logger, tasks ...Task) {
	var wg sync.WaitGroup
	for _, t := range tasks {
		wg.Go(func() { t.loop(ctx, log) })
	}
	wg.Wait()
}

// Watched has the operator see how tasks fare.
func Watched(a *app.App, tasks ...Task) []Task {
	watched := make([]Task, len(tasks))
	for i, t := range tasks {
		watched[i] = t
		watched[i].Run = func(ctx context.Context) error {
			ended := a.TaskRuns(t.Name, t.Every)
			err := t.Run(ctx)
			ended(err)
			return err
		}
	}
	return watched
}

func (t Task) loop(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(t.Every)
	defer tick.Stop()
	for {
		if err := t.Run(ctx); err != nil && ctx.Err() == nil {
			log.Error("background work failed", "task", t.Name, "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-t.Wake:
		}
	}
}
