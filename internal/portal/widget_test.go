package portal_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// customer serves a page of a customer that includes the widget. Its policy is as
// strict as such a page can have it.
func customer(t *testing.T, s *scene, token string) (origin string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self'; script-src "+s.base+"; frame-src "+s.base)
		fmt.Fprintf(w, `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body><main><h1>Shop</h1></main>
			<script src="%s/widget.js" data-token="%s" async></script></body></html>`, s.url, token)
	}))
	t.Cleanup(srv.Close)
	// Another site than that of the portal, which is at 127.0.0.1.
	return strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
}

// The widget on a page of another site: it opens the portal in a frame, where the
// visitor is signed in by the token of that site's own application, and can post
// and vote. No cookie is set anywhere, so none can be missing.
func TestWidgetOnAForeignPage(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	posts := s.lively()
	s.settings(func(*feedback.NewSettings) {}) // a secret needs settings
	var secret string
	s.write(func(tx *app.Tx) (err error) {
		secret, err = tx.NewSSOSecret(t.Context())
		return err
	})
	token := jwt(secret, map[string]any{"alg": "HS256", "typ": "JWT"}, map[string]any{
		"sub": "user-7", "email": "ada@example.com", "name": "Ada Lovelace", "aud": "northwind", "jti": "once", "exp": time.Now().Add(10 * time.Minute).Unix(),
	})
	origin := customer(t, s, token)
	s.settings(func(in *feedback.NewSettings) { in.Anonymous, in.WidgetOrigins = false, []string{origin} })

	p := browsertest.Open(t)
	p.Go(s.url + "/roadmap") // so that the portal is no outside host
	p.Go(origin + "/")
	p.ClickText("button", "Feedback")
	id := posts[1].ID.String()
	p.WaitInFrame(`document.querySelector("#` + id + ` .vote b")?.textContent === "38"`)
	if where := browsertest.InFrame[string](p, "location.pathname"); !strings.HasPrefix(where, "/p/northwind/~") {
		t.Errorf("the frame is at %s; want a path that says who looks", where)
	}
	// htmx votes; the page stays.
	browsertest.InFrame[bool](p, `(document.querySelector("#`+id+` .vote button").click(), true)`)
	p.WaitInFrame(`document.querySelector("#` + id + ` .vote:not(.htmx-request) button[aria-pressed=true] b")?.textContent === "39"`)
	if n := voteCount(t, s, posts[1]); n != 39 {
		t.Errorf("votes = %d; want 39", n)
	}
	browsertest.InFrame[bool](p, `(document.querySelector("a[data-new]").click(), true)`)
	p.WaitInFrame(`document.querySelector("#title")`)
	browsertest.InFrame[bool](p, `(document.querySelector("#title").value = "From the shop", document.querySelector("#body").value = "Hello", document.querySelector("button.pri").click(), true)`)
	p.WaitInFrame(`document.querySelector(".one h1")?.textContent === "From the shop" || document.querySelector("#similar .pick")`)
	var who string
	if err := s.sql.QueryRow(`SELECT v.ref FROM posts p JOIN visitors v ON v.id = p.author_id WHERE p.title = 'From the shop'`).Scan(&who); err != nil || who != "user-7" {
		t.Errorf("the post is by %q, %v; want user-7", who, err)
	}
	if got := p.Cookies(); len(got) > 0 {
		t.Errorf("the browser holds cookies: %v", got)
	}
	p.Shot("widget")
	// Escape closes it, pressed in the page or in the frame, and so does its
	// button; then the page is the customer's again.
	closed := `!document.querySelector("iframe").checkVisibility() && document.activeElement.textContent === "Feedback"`
	browsertest.InFrame[bool](p, `(document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})), true)`)
	p.WaitFor(closed)
	p.ClickText("button", "Feedback")
	browsertest.Eval[bool](p, `(document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})), true)`)
	p.WaitFor(closed)
	p.See(browsertest.Phone)
	p.ClickText("button", "Feedback")
	p.ShotOfWindow("widget-phone")
	p.CheckAccessibility("iframe")
	p.Click(`[role=dialog] button[aria-label="Close"]`)
	p.WaitFor(closed)
}

// A page whose origin is not allowed shows nothing of the portal.
func TestWidgetIsRefusedElsewhere(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	s.lively()
	origin := customer(t, s, "")
	s.settings(func(in *feedback.NewSettings) { in.WidgetOrigins = []string{"https://app.northwind.example"} })
	p := browsertest.Open(t)
	p.Go(s.url + "/roadmap") // so that the portal is no outside host
	p.Go(origin + "/")
	p.Expect("frame-ancestors https://app.northwind.example")
	p.Expect("ERR_BLOCKED_BY_RESPONSE")
	p.ClickText("button", "Feedback")
	p.WaitInFrame(`location.href.startsWith("chrome-error:")`)
	if text := browsertest.InFrame[string](p, "document.body.innerText"); strings.Contains(text, "Single sign-on") {
		t.Error("the portal is shown in a frame of a page that is not allowed")
	}
}
