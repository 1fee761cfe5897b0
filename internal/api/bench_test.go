package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"heed/internal/api"
	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// BenchmarkAPI measures what one request costs inside the process: time and
// allocations, without a network. `make bench` measures the whole.
func BenchmarkAPI(b *testing.B) {
	a := feedbacktest.NewApp(b, feedbacktest.OpenDB(b, "sqlite"))
	o := feedbacktest.OpenAccount(b, a, "Bench", feedback.Studio)
	h := api.New(api.Config{App: a, BaseURL: "http://heed.example", CursorKey: []byte("bench")})
	site := "/v1/sites/" + o.Site.ID.String()
	last := fillBench(b, a, o, 5000)
	n := 0
	for _, c := range []struct {
		name, method, path string
		body               func() string
		want               int
	}{
		{"list50", "GET", site + "/posts", nil, 200},
		{"get", "GET", site + "/posts/" + last, nil, 200},
		{"searchRare", "GET", site + "/search?q=unicorn", nil, 200},
		{"searchCommon", "GET", site + "/search?q=post", nil, 200},
		{"vote", "POST", site + "/posts/" + last + "/votes", func() string {
			n++
			return fmt.Sprintf(`{"onBehalfVisitorId":"voter %d"}`, n)
		}, 201},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpuTime()
			defer func() { b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op") }()
			for b.Loop() {
				body := ""
				if c.body != nil {
					body = c.body()
				}
				r := httptest.NewRequest(c.method, c.path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+o.Secret)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != c.want {
					b.Fatalf("%s %s = %d: %s", c.method, c.path, w.Code, w.Body)
				}
			}
		})
	}
}

// cpuTime is what the process has used of the CPU: on a busy machine it says more
// than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// fillBench creates posts, a few of them with a rare word, and returns the last.
func fillBench(b *testing.B, a *app.App, o *app.Opened, posts int) (last string) {
	b.Helper()
	actor, err := a.Authenticate(b.Context(), o.Secret, "")
	if err != nil {
		b.Fatal(err)
	}
	_, err = a.Write(b.Context(), actor, app.Target{Site: o.Site.ID.String()}, app.Once{}, func(tx *app.Tx) (app.Response, error) {
		boards, err := tx.Boards(b.Context(), feedback.Window{Limit: 1})
		if err != nil {
			return app.Response{}, err
		}
		for i := range posts {
			title := fmt.Sprintf("A post about number %d and dark mode", i)
			if i%500 == 0 {
				title += " for unicorns"
			}
			p, err := tx.CreatePost(b.Context(), feedback.NewPost{
				Board: feedback.Ref(boards.Items[0].ID.String()), Title: feedback.PostTitle(title), Body: "This post has a body.",
				Visitor: feedback.VisitorRef(fmt.Sprintf("author %d", i%100)),
			})
			if err != nil {
				return app.Response{}, err
			}
			last = p.ID.String()
		}
		return app.Response{Status: http.StatusOK}, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return last
}
