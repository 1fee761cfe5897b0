package api_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"heed/internal/api"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// Every error's docs member points to this page.
func TestErrorPage(t *testing.T) {
	a := api.New(api.Config{App: feedbacktest.NewApp(t, feedbacktest.OpenDB(t, "sqlite")), BaseURL: "https://heed.example"})
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	w := get("/docs/errors")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	page := w.Body.String()
	for _, code := range []feedback.Code{
		feedback.Internal, feedback.Unavailable, feedback.InvalidJSON, feedback.InvalidRequest, feedback.InvalidCursor,
		feedback.IdempotencyBadKey, feedback.Unauthenticated, feedback.UpgradeRequired, feedback.ScopeRequired,
		feedback.SiteForbidden, feedback.NotFound, feedback.RouteNotFound, feedback.MethodNotAllowed,
		feedback.IdempotencyBusy, feedback.IdempotencyReused, feedback.ValidationFailed, feedback.NoteRequired,
		feedback.SlugTaken, feedback.NameTaken, feedback.PostLocked, feedback.InvalidTransition, feedback.RunActive,
		feedback.EndpointDisabled, feedback.LimitReached, feedback.RateLimited,
	} {
		if n := strings.Count(page, `<section id="`+string(code)+`">`); n != 1 {
			t.Errorf("%s has %d sections", code, n)
		}
		if n := strings.Count(page, `<dd><a href="#`+string(code)+`">`) + strings.Count(page, `</a> <a href="#`+string(code)+`">`); n != 1 {
			t.Errorf("%s is in the contents %d times", code, n)
		}
	}
	if !strings.Contains(page, "<code>details.offset</code> says where") {
		t.Error("names in the text are not marked")
	}
	if w := get("/docs/docs.css"); w.Code != 200 || w.Header().Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("the style sheet: %d %v", w.Code, w.Header())
	}
}
