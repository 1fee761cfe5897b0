//go:build unix

package minilm

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// cpu is the processor time this process has used, in milliseconds: unlike
// the clock, it does not depend on what else the machine is doing.
func cpu(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

func BenchmarkEmbed(b *testing.B) {
	const sentence = "The app crashes when I upload a photo from my phone. "
	for _, c := range []struct{ name, text string }{
		{"title", sentence},
		{"paragraph", strings.Repeat(sentence, 4)},
		{"longest", strings.Repeat(sentence, 20)},
	} {
		b.Run(c.name, func(b *testing.B) {
			texts := slices.Repeat([]string{c.text}, 16)
			load()
			start, n := cpu(b), 0
			for b.Loop() {
				if _, err := Embed(context.Background(), texts); err != nil {
					b.Fatal(err)
				}
				n += len(texts)
			}
			b.ReportMetric((cpu(b)-start)/float64(n), "cpu-ms/text")
		})
	}
}
