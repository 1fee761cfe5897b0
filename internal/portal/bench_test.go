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

// The board of fifty posts: for a reader who is nobody in particular, and for a
// visitor who has voted for some of them; as it is, compressed as browsers ask
// for it, and right after somebody wrote something, so that nothing is kept.
func BenchmarkBoard(b *testing.B) {
	for _, posts := range []int{100, 20_000} {
		s := newScene(b, "sqlite", feedback.Studio)
		if err := s.app.Fill(b.Context(), app.FillOptions{Site: s.o.Site.ID.String(), Posts: posts, Votes: -1, Comments: -1}); err != nil {
			b.Fatal(err)
		}
		h := portal.New(portal.Config{App: s.app, Unlimited: true})
		visitor := &http.Cookie{Name: "heed_visitor", Value: s.app.SignText("visitor", s.o.Site.ID, "anon:bench")}
		get := func(b *testing.B, query, encoding string, cookie *http.Cookie) *httptest.ResponseRecorder {
			r := httptest.NewRequest("GET", "/p/northwind/?"+query, nil)
			if cookie != nil {
				r.AddCookie(cookie)
			}
			if encoding != "" {
				r.Header.Set("Accept-Encoding", encoding)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusOK || w.Body.Len() < 5_000 {
				b.Fatalf("GET /?%s = %d with %d bytes", query, w.Code, w.Body.Len())
			}
			return w
		}
		for i, id := range postLinks.FindAllStringSubmatch(get(b, "", "", nil).Body.String(), -1) {
			if i%7 == 0 {
				s.write(func(tx *app.Tx) error {
					_, err := tx.Vote(b.Context(), id[1], feedback.NewVote{Visitor: "anon:bench"})
					if feedback.CodeOf(err) == feedback.PostLocked {
						err = nil
					}
					return err
				})
			}
		}
		for _, c := range []struct {
			name, encoding string
			cookie         *http.Cookie
			written        bool
		}{
			{"nobody", "", nil, false}, {"visitor", "", visitor, false}, {"visitor br", "br", visitor, false}, {"visitor gzip", "gzip", visitor, false},
			{"visitor after a write", "", visitor, true},
		} {
			for _, sort := range []string{"trending", "top", "new"} {
				b.Run(fmt.Sprintf("posts=%d/%s/%s", posts, c.name, sort), func(b *testing.B) {
					for b.Loop() {
						if c.written {
							b.StopTimer()
							s.write(func(*app.Tx) error { return nil })
							b.StartTimer()
						}
						get(b, "sort="+sort, c.encoding, c.cookie)
					}
				})
			}
		}
	}
}
