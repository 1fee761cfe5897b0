package api_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"heed/internal/api"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
)

func TestSmoke(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		a := feedbacktest.NewApp(t, db)
		o := feedbacktest.OpenAccount(t, a, "Northwind", feedback.Studio)
		srv := httptest.NewServer(api.New(api.Config{App: a, BaseURL: "http://heed.example", CursorKey: []byte("k"), Log: slog.Default()}))
		defer srv.Close()
		do := func(method, path, body string) string {
			r, _ := http.NewRequest(method, srv.URL+path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+o.Secret)
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			fmt.Println(method, path, res.StatusCode, string(b)[:min(len(b), 700)])
			return string(b)
		}
		id := func(s string) string { _, s, _ = strings.Cut(s, `"id":"`); s, _, _ = strings.Cut(s, `"`); return s }
		site := "/v1/sites/" + o.Site.ID.String()
		do("GET", "/v1/sites", "")
		boards := do("GET", site+"/boards", "")
		do("GET", site+"/statuses", "")
		b := id(boards)
		p1 := id(do("POST", site+"/posts", `{"boardId":"`+b+`","title":"Dark-mode für Nacht","body":"検索機能が欲しい","onBehalfVisitorId":"u1"}`))
		p2 := id(do("POST", site+"/posts", `{"boardId":"`+b+`","title":"E-mail digest","onBehalfVisitorId":"u2"}`))
		do("POST", site+"/posts", `{"boardId":"`+b+`x","title":"","onBehalfVisitorId":3,"zip":1}`)
		do("POST", site+"/posts", `{"boardId":"`+b+`","title":"","onBehalfVisitorId":3,"zip":1}`)
		do("POST", site+"/posts/"+p1+"/votes", `{"onBehalfVisitorId":"u3"}`)
		do("POST", site+"/posts/"+p1+"/votes", `{"onBehalfVisitorId":"u3"}`)
		do("POST", site+"/posts/"+p2+"/votes", `{"onBehalfVisitorId":"u3"}`)
		do("POST", site+"/posts/"+p2+"/comments", `{"body":"hello"}`)
		for _, q := range []string{"dark", "mode", "darkmo", "fur", "%E6%A4%9C%E7%B4%A2", "%E8%83%BD", "email", "dig", "e-mail", "%22(OR*"} {
			do("GET", site+"/search?q="+q, "")
		}
		do("POST", site+"/posts/"+p1+"/merge", `{"winnerId":"`+p1+`"}`)
		m := do("POST", site+"/posts/"+p1+"/merge", `{"winnerId":"`+p2+`"}`)
		_, act, _ := strings.Cut(m, `"actionId":"`)
		act, _, _ = strings.Cut(act, `"`)
		do("GET", site+"/posts", "")
		do("GET", site+"/posts/"+p1, "")
		do("POST", site+"/actions/"+act+"/undo", "")
		do("POST", site+"/actions/"+act+"/undo", "")
		do("GET", site+"/posts?limit=1", "")
		run := id(do("POST", "/v1/automation/runs", `{"siteId":"`+o.Site.ID.String()+`","agentKind":"KIND_A","postId":"`+p2+`"}`))
		do("POST", "/v1/automation/runs/"+run+"/steps", `{"tone":"DONE","label":"x","prUrl":"https://a.b/c","at":"2026-02-28T10:00:00Z"}`)
		do("GET", "/v1/automation/queue?siteId="+o.Site.ID.String(), "")
		do("POST", "/v1/automation/runs/"+run+"/complete", `{"outcome":"SHIPPED"}`)
		do("GET", "/v1/automation/runs?siteId="+o.Site.ID.String(), "")
		do("GET", "/v1/automation/runs", "")
		do("DELETE", "/v1/sites", "")
		do("GET", "/v1//sites", "")
		do("GET", "/v1/nope", "")
	})
}
