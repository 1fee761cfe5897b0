package app

import (
	"runtime"
	"sync/atomic"
	"time"
)

// load says whether people crowd at the service, so that what runs behind can
// stand back for a while.
type load struct {
	underWay atomic.Int64
	crowded  atomic.Int64 // when there was last a crowd, in Unix nanoseconds
}

const (
	// crowd is how many operations at once, for each core, are one.
	crowd = 4
	// crowdLasts bridges the moments in which a shared commit has answered
	// everybody at once.
	crowdLasts = 50 * time.Millisecond
)

// enter counts an operation until the function it returns is called.
func (l *load) enter() (leave func()) {
	if l.underWay.Add(1) >= int64(crowd*runtime.GOMAXPROCS(0)) {
		l.crowded.Store(time.Now().UnixNano())
	}
	return func() { l.underWay.Add(-1) }
}

// Crowded reports whether many more operations are under way than there are
// cores to perform them.
func (a *App) Crowded() bool {
	return time.Since(time.Unix(0, a.load.crowded.Load())) < crowdLasts
}
