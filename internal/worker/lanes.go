package worker

import "time"

// lanes bound how many attempts are made at once, so that endpoints that do not
// answer cannot use up what the others need. Endpoints that answered the last
// time, or were never tried, are served in the fast lane; one that did not answer
// well, or took long, in the slow lane. An attempt that turns out to take long
// moves over while it lasts. Who waits for
// a place in a lane gets it in the order of asking, one attempt for each endpoint:
// no endpoint gets two while another waits for one.
type lanes struct{ fast, slow chan struct{} }

// patience is how long an attempt may keep a place in the fast lane.
const patience = 500 * time.Millisecond

func newLanes(fast, slow int) *lanes {
	return &lanes{make(chan struct{}, fast), make(chan struct{}, slow)}
}

// of returns the lane for an endpoint: sending into it takes a place.
func (l *lanes) of(slow bool) chan struct{} {
	if slow {
		return l.slow
	}
	return l.fast
}

// drive runs an attempt that has a place in a lane, and gives the place back. It
// reports whether the attempt took long.
func (l *lanes) drive(lane chan struct{}, attempt func()) (long bool) {
	if lane == l.slow {
		began := time.Now()
		attempt()
		<-l.slow
		return time.Since(began) > patience
	}
	done, moved := make(chan struct{}), make(chan bool, 1)
	timer := time.AfterFunc(patience, func() {
		select {
		case l.slow <- struct{}{}:
			<-l.fast
			moved <- true
		case <-done:
			moved <- false
		}
	})
	attempt()
	if timer.Stop() {
		<-l.fast
		return false
	}
	close(done)
	if <-moved {
		<-l.slow
	} else {
		<-l.fast
	}
	return true
}
