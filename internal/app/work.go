package app

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"heed/internal/store"
)

// TaskState is how a task behind the faces fares on this node.
type TaskState struct {
	Name    string
	Every   time.Duration
	Started time.Time // the last run; zero: none yet
	Took    time.Duration
	Running bool
	Failed  string // why the last run failed
}

// taskBoard is what is known of the tasks of this process.
type taskBoard struct {
	mu  sync.Mutex
	all map[string]TaskState
}

// TaskRuns notes that a task runs, and returns what to call when it has ended.
func (a *App) TaskRuns(name string, every time.Duration) (ended func(error)) {
	b, start := &a.tasks, a.db.Now()
	b.set(TaskState{Name: name, Every: every, Started: start, Running: true})
	return func(err error) {
		state := TaskState{Name: name, Every: every, Started: start, Took: a.db.Now().Sub(start)}
		if err != nil {
			state.Failed = err.Error()
		}
		b.set(state)
	}
}

func (b *taskBoard) set(s TaskState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[string]TaskState{}
	}
	b.all[s.Name] = s
}

// Work is what goes on behind the faces.
type Work struct {
	Queues map[string]store.Queue // by name
	Tasks  []TaskState            // of this node, by name
}

// MaxWaiting is where counting what waits ends.
const MaxWaiting = 10_000

// Work returns what goes on behind the faces. It is for the operator: whoever
// calls has seen to that.
func (a *App) Work(ctx context.Context) (*Work, error) {
	var w Work
	err := a.db.Read(ctx, func(s *store.Tx) (err error) {
		w.Queues, err = s.Queues(ctx, MaxWaiting)
		return err
	})
	a.tasks.mu.Lock()
	defer a.tasks.mu.Unlock()
	for _, t := range a.tasks.all {
		w.Tasks = append(w.Tasks, t)
	}
	slices.SortFunc(w.Tasks, func(x, y TaskState) int { return strings.Compare(x.Name, y.Name) })
	return &w, err
}

// Backup writes all that the database holds, in the form that heed restore reads,
// and records who took it before the first byte. It is for the operator.
func (a *App) Backup(ctx context.Context, actor *Actor, w io.Writer) error {
	if err := a.Change(ctx, actor, Target{}, "backup.downloaded", "", func(*Tx) error { return nil }); err != nil {
		return err
	}
	return a.db.Backup(ctx, w, nil)
}
