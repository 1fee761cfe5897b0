package app_test

import (
	"fmt"
	"testing"

	"heed/internal/app"
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
				actor := &app.Actor{Source: feedback.FromAPI, Account: &o.Account, Key: &o.Key}
				write := func(fn func(*app.Tx) error) {
					_, err := a.Write(b.Context(), actor, app.Target{Site: o.Site.ID.String()}, app.Once{}, func(tx *app.Tx) (app.Response, error) {
						return app.Response{}, fn(tx)
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				var post string
				write(func(tx *app.Tx) error {
					boards, err := tx.Boards(b.Context(), feedback.Window{Limit: 1})
					if err != nil {
						return err
					}
					p, err := tx.CreatePost(b.Context(), feedback.NewPost{
						Board: feedback.Ref(boards.Items[0].ID.String()), Title: "Dark mode", Visitor: "v",
					})
					post = p.ID.String()
					return err
				})
				for i := range endpoints {
					write(func(tx *app.Tx) error {
						_, _, err := tx.CreateEndpoint(b.Context(), feedback.NewEndpoint{
							URL: feedback.EndpointURL(fmt.Sprintf("https://hooks.example.com/%d", i)),
						})
						return err
					})
				}
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						write(func(tx *app.Tx) error {
							_, err := tx.CreateComment(b.Context(), post, feedback.NewComment{Body: "Thank you, we are looking into it."})
							return err
						})
					}
				})
			})
		}
	}
}
