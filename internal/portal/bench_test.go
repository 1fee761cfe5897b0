package portal_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/portal"
)

// The board of fifty posts: for a reader who is nobody in particular, for a
// visitor, and what net/http itself costs.
func BenchmarkBoard(b *testing.B) {
	for _, posts := range []int{100, 20_000} {
		s := newScene(b, "sqlite", feedback.Studio)
		if err := s.app.Fill(b.Context(), app.FillOptions{Site: s.o.Site.ID.String(), Posts: posts, Votes: -1, Comments: -1}); err != nil {
			b.Fatal(err)
		}
		h := portal.New(portal.Config{App: s.app, Unlimited: true})
		visitor := &http.Cookie{Name: "heed_visitor", Value: s.app.SignText("visitor", s.o.Site.ID, "anon:bench")}
		for _, who := range []string{"nobody", "visitor"} {
			for _, sort := range []string{"trending", "top", "new"} {
				b.Run(fmt.Sprintf("posts=%d/%s/%s", posts, who, sort), func(b *testing.B) {
					for b.Loop() {
						r := httptest.NewRequest("GET", "/p/northwind/?sort="+sort, nil)
						if who == "visitor" {
							r.AddCookie(visitor)
						}
						w := httptest.NewRecorder()
						h.ServeHTTP(w, r)
						if w.Code != http.StatusOK || w.Body.Len() < 20_000 {
							b.Fatalf("GET / = %d with %d bytes", w.Code, w.Body.Len())
						}
					}
				})
			}
		}
	}
}
