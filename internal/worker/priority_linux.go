package worker

import "syscall"

// yieldToOthers gives the calling thread the lowest priority. On Linux that is a
// property of the thread, not of the process.
func yieldToOthers() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), 19) // it is a courtesy
}
