package app_test

import (
	"fmt"
	"testing"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// BenchmarkComment is the cost of a write that tells of itself, by how many
// listen: the difference between none and a write without events is the price of
// webhooks for those who do not use them.
func BenchmarkComment(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, endpoints := range []int{0, 1, 10} {
			b.Run(fmt.Sprintf("%s/endpoints=%d", engine, endpoints), func(b *testing.B) {
				a := feedbacktest.NewApp(b, feedbacktest.OpenDB(b, engine))
				o := feedbacktest.OpenAccount(b, a, "Northwind", feedback.Studio)
				as := feedbacktest.ByKey(b, a, o)
				post := as.Post("Dark mode")
				for i := range endpoints {
					as.Endpoint(fmt.Sprintf("https://hooks.example.com/%d", i))
				}
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						as.Comment(post, "Thank you, we are looking into it.")
					}
				})
			})
		}
	}
}
