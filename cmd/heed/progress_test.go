package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// A log file gets whole lines without control characters, and few of them.
func TestProgressInAFile(t *testing.T) {
	var b bytes.Buffer
	p := showProgress(stdio{err: &b}, "Filling:")
	for i := range 1000 {
		p.at(i, 1000)
	}
	if b.Len() > 0 {
		t.Errorf("a short command says %q", &b)
	}
	p.shown = time.Now().Add(-time.Minute)
	p.at(500, 1000)
	p.at(501, 1000)
	p.end()
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 3 || lines[0] != "Filling: 500 of 1000 (50 %)" || !strings.HasPrefix(lines[1], "Filling: done in ") || lines[2] != "" {
		t.Errorf("a long command says %q", lines)
	}
}
