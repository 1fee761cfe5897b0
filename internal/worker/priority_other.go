//go:build !linux

package worker

// yieldToOthers does nothing where a priority would be that of the process.
func yieldToOthers() {}
