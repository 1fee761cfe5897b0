package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"heed/internal/server"
)

// house is a server whose faces do as they are told.
type house struct {
	*server.Server
	log     bytes.Buffer // written before a request is answered
	metrics *server.Metrics
	down    error // of the database
}

func newHouse() *house {
	h := &house{metrics: server.NewMetrics(func() server.DatabaseStats {
		return server.DatabaseStats{OpenConnections: 3, WriteQueue: 2, WriteBatches: 5, Writes: 40}
	})}
	api := http.NewServeMux()
	api.HandleFunc("GET /v1/things/{id}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "thing "+r.PathValue("id")) })
	api.HandleFunc("GET /v1/panic", func(http.ResponseWriter, *http.Request) { panic("a secret of ours") })
	api.HandleFunc("GET /v1/late", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "begun")
		panic("too late")
	})
	h.Server = server.New(server.Config{
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "//") {
				http.Error(w, "the API was asked", http.StatusTeapot)
				return
			}
			api.ServeHTTP(w, r)
		}),
		Ready:   func(context.Context) error { return h.down },
		Metrics: h.metrics, Log: slog.New(slog.NewTextHandler(&h.log, nil)),
	})
	return h
}

func (h *house) get(path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Authorization", "Bearer heed_secret")
	h.Handler().ServeHTTP(w, r)
	return w
}

func TestRequests(t *testing.T) {
	h := newHouse()
	ids := map[string]bool{}
	for _, c := range []struct {
		path   string
		status int
		body   string
		logged string
	}{
		{"/healthz", 200, "ok\n", `route="GET /healthz" status=200`},
		{"/readyz", 200, "ready\n", `route="GET /readyz" status=200`},
		{"/v1/things/7?q=private", 200, "thing 7", `route="GET /v1/things/{id}" status=200 bytes=7`},
		{"/v1/nothing", 404, "404 page not found\n", `status=404`},
		{"/v1//things", 418, "the API was asked\n", `status=418`}, // and not redirected elsewhere
		{"/v1", 404, "404 page not found\n", `status=404`},
		{"/nothing", 404, "404 page not found\n", `status=404`},
		{"/v1/late", 200, "begun", `status=200`},
	} {
		h.log.Reset()
		w := h.get(c.path)
		id := w.Header().Get("Request-Id")
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("GET %s = %d %q; want %d %q", c.path, w.Code, w.Body, c.status, c.body)
		}
		if id == "" || ids[id] {
			t.Errorf("GET %s has the Request-Id %q; want one of its own", c.path, id)
		}
		ids[id] = true
		log := h.log.String()
		if !strings.Contains(log, "request="+id) || !strings.Contains(log, c.logged) {
			t.Errorf("GET %s is logged as %q; want request=%s and %s", c.path, log, id, c.logged)
		}
		if strings.Contains(log, "heed_secret") || strings.Contains(log, "private") {
			t.Errorf("GET %s: the log holds what was sent: %s", c.path, log)
		}
	}
}

// A panic is answered as every other fault of ours, and says nothing of itself.
func TestPanic(t *testing.T) {
	h := newHouse()
	w := h.get("/v1/panic")
	var body struct {
		Error struct {
			Code    string
			Message string
			Details map[string]string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != 500 || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("= %d %q %s, %v; want 500 in JSON", w.Code, w.Header().Get("Content-Type"), w.Body, err)
	}
	id := w.Header().Get("Request-Id")
	if body.Error.Code != "INTERNAL" || body.Error.Message == "" || body.Error.Details["requestId"] != id || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("= %s; want INTERNAL with the requestId %s and no more", w.Body, id)
	}
	if log := h.log.String(); !strings.Contains(log, "a secret of ours") || !strings.Contains(log, id) {
		t.Errorf("the log says %q; want the panic and %s", log, id)
	}
}

func TestReady(t *testing.T) {
	h := newHouse()
	h.down = errors.New("the password is 1234")
	if w := h.get("/readyz"); w.Code != 503 || strings.Contains(w.Body.String(), "1234") {
		t.Errorf("without a database = %d %q; want 503 and nothing of why", w.Code, w.Body)
	}
	if w := h.get("/healthz"); w.Code != 200 {
		t.Errorf("healthz without a database = %d; want 200: the process is alive", w.Code)
	}
	h.down = nil
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := h.Serve(ctx, l); err != nil {
		t.Errorf("Serve = %v; want nil after a stop", err)
	}
	if w := h.get("/readyz"); w.Code != 503 {
		t.Errorf("while stopping = %d; want 503", w.Code)
	}
}

func TestMetrics(t *testing.T) {
	h := newHouse()
	h.get("/v1/things/1")
	h.get("/v1/things/2")
	h.get("/v1/panic")
	h.get("/nothing")
	h.metrics.RateLimited()
	odd := httptest.NewRequest("BREW", "/v1/things/1", nil)
	h.Handler().ServeHTTP(httptest.NewRecorder(), odd)
	got := h.get("/metrics").Body.String()
	for _, line := range []string{
		`heed_http_requests_total{method="GET",route="GET /v1/things/{id}",status="200"} 2`,
		`heed_http_requests_total{method="GET",route="GET /v1/panic",status="500"} 1`,
		`heed_http_requests_total{method="GET",route="none",status="404"} 1`,
		`heed_http_requests_total{method="other",route="none",status="405"} 1`,
		`heed_http_request_duration_seconds_count{route="GET /v1/things/{id}"} 2`,
		`heed_rate_limit_refusals_total 1`,
		`heed_db_connections_open 3`, `heed_db_connections_in_use 0`, `heed_db_connection_waits_total 0`,
		`heed_db_write_queue 2`, `heed_db_write_batches_total 5`, `heed_db_writes_total 40`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}
