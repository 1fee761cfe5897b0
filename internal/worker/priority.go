package worker

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// withLowPriority runs fn, which only computes, on a thread of its own that the
// operating system serves last, so that requests are answered as if it were not
// there. A panic in fn is an error.
func withLowPriority(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		// Never unlocked: the thread ends with the goroutine, as it should,
		// for a priority once given up cannot be had back.
		runtime.LockOSThread()
		yieldToOthers()
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		done <- fn()
	}()
	return <-done
}
