package app

import (
	"sync"

	"heed/internal/feedback"
)

// hints tell whoever sends in this process for which endpoints something was
// committed. They are no more than hints: whoever sends looks at the rows
// anyway, and at all of them every second. A process that sends nothing keeps at
// most one for each endpoint.
type hints struct {
	mu     sync.Mutex
	fresh  map[feedback.EndpointKey]bool // whether the endpoint itself was changed
	signal chan struct{}
}

// hintChanged has whoever sends in this process look at an endpoint again as soon
// as the operation is committed: it is not what it was.
func (tx *Tx) hintChanged(e *feedback.Endpoint) {
	tx.s.AfterCommit(func() { tx.app.hints.add([]feedback.Endpoint{*e}, true) })
}

// hintDue has whoever sends in this process look at endpoints as soon as the
// operation is committed: something is due for them.
func (tx *Tx) hintDue(all []feedback.Endpoint) {
	tx.s.AfterCommit(func() { tx.app.hints.add(all, false) })
}

func (h *hints) add(all []feedback.Endpoint, changed bool) {
	h.mu.Lock()
	for i := range all {
		k := all[i].Key()
		h.fresh[k] = h.fresh[k] || changed
	}
	h.mu.Unlock()
	select {
	case h.signal <- struct{}{}:
	default: // one is enough for all that is there
	}
}

// Hint says that something was committed for an endpoint.
type Hint struct {
	Endpoint feedback.EndpointKey
	Changed  bool // the endpoint itself is not what it was
}

// Hinted is signalled when there is something for [App.TakeHints].
func (a *App) Hinted() <-chan struct{} { return a.hints.signal }

// TakeHints returns the endpoints for which something was committed in this
// process since it was last asked.
func (a *App) TakeHints() []Hint {
	a.hints.mu.Lock()
	defer a.hints.mu.Unlock()
	all := make([]Hint, 0, len(a.hints.fresh))
	for k, changed := range a.hints.fresh {
		all = append(all, Hint{k, changed})
	}
	clear(a.hints.fresh)
	return all
}
