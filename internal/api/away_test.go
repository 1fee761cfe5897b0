package api_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"heed/internal/api"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/portal"
)

// socket is the name of the socket that clients of PostgreSQL look for.
const socket = ".s.PGSQL.5432"

// wire carries bytes to a PostgreSQL server until it is cut.
type wire struct {
	l  net.Listener
	mu sync.Mutex
	// all that is open
	conns []net.Conn
}

func (w *wire) carry(to string) {
	for {
		in, err := w.l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("unix", to)
		if err != nil {
			in.Close()
			return
		}
		w.mu.Lock()
		w.conns = append(w.conns, in, out)
		w.mu.Unlock()
		go io.Copy(in, out)
		go io.Copy(out, in)
	}
}

func (w *wire) cut() {
	w.l.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
}

// TestDatabaseAway holds that while PostgreSQL cannot be reached requests are
// told to come again, and are served as soon as it is back.
func TestDatabaseAway(t *testing.T) {
	direct, err := url.Parse(feedbacktest.PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	query := direct.Query()
	server, dir := filepath.Join(query.Get("host"), socket), t.TempDir()
	connect := func() *wire {
		l, err := net.Listen("unix", filepath.Join(dir, socket))
		if err != nil {
			t.Fatal(err)
		}
		w := &wire{l: l}
		go w.carry(server)
		return w
	}
	line := connect()
	query.Set("host", dir)
	direct.RawQuery = query.Encode()
	a := feedbacktest.NewApp(t, feedbacktest.OpenURL(t, direct.String(), nil))
	o := feedbacktest.OpenAccount(t, a, "North", feedback.Studio)
	var log strings.Builder
	face := api.New(api.Config{App: a, BaseURL: baseURL, CursorKey: []byte("k"), Log: slog.New(slog.NewTextHandler(&log, nil))})
	send := func(method, body string) (*httptest.ResponseRecorder, object) {
		r := httptest.NewRequestWithContext(t.Context(), method, "/v1/sites/"+o.Site.ID.String()+"/boards", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+o.Secret)
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		rec.Header().Set("Request-Id", "r-1")
		face.ServeHTTP(rec, r)
		var answer object
		json.Unmarshal(rec.Body.Bytes(), &answer)
		e, _ := answer["error"].(object)
		return rec, e
	}
	want := object{
		"code": "UNAVAILABLE", "message": "The service cannot answer at the moment.", "hint": "Send the request again in a moment.",
		"details": object{"requestId": "r-1"}, "docs": baseURL + "/docs/errors#UNAVAILABLE",
	}
	if rec, _ := send("GET", ""); rec.Code != 200 {
		t.Fatalf("before = %d %s", rec.Code, rec.Body)
	}
	pages := portal.New(portal.Config{App: a, Log: slog.New(slog.DiscardHandler)})
	look := func(face http.Handler, url string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		face.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", url, nil))
		return rec
	}
	byHost := pages.ByHost(http.NotFoundHandler())
	if here := "/p/" + o.Site.Slug + "/"; look(pages, here).Code != 200 || look(byHost, "http://ideas.example.com/").Code != 404 {
		t.Fatalf("the portal before = %d", look(pages, here).Code)
	}
	line.cut()
	for url, face := range map[string]http.Handler{"/p/" + o.Site.Slug + "/?sort=new": pages, "http://ideas.example.com/": byHost} {
		if rec := look(face, url); rec.Code != 503 || rec.Header().Get("Retry-After") != "1" {
			t.Errorf("%s while it is away = %d %v", url, rec.Code, rec.Header())
		}
	}
	for range 3 { // on a connection that broke, and on none
		for method, body := range map[string]string{"GET": "", "POST": `{"name":"B"}`} {
			log.Reset()
			rec, e := send(method, body)
			if d := differences("error", any(e), want); rec.Code != 503 || d != nil || rec.Header().Get("Retry-After") != "1" {
				t.Errorf("%s while it is away = %d %v %s", method, rec.Code, d, rec.Body)
			}
			if strings.Count(log.String(), "request failed") != 1 {
				t.Errorf("the log says %q; want the cause, once", log.String())
			}
		}
	}
	defer connect().cut()
	for method, body := range map[string]string{"GET": "", "POST": `{"name":"B"}`} {
		if rec, _ := send(method, body); rec.Code >= 300 {
			t.Errorf("%s once it is back = %d %s", method, rec.Code, rec.Body)
		}
	}
}
