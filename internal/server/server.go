// Package server puts the faces on one address: it mounts them, names every
// request, logs and counts it, answers the questions of operators (is it alive,
// is it ready, how is it doing) and stops without dropping what is in flight. It
// knows nothing of what the faces do.
package server

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// Config is what a Server needs to know.
type Config struct {
	// API serves every path under /v1/.
	API http.Handler
	// Faces are mounted by their pattern.
	Faces map[string]http.Handler
	// Wrap, if set, wraps what serves the faces: for hosts that are a portal.
	Wrap func(http.Handler) http.Handler
	// Ready reports whether requests can be served.
	Ready   func(context.Context) error
	Metrics *Metrics
	Log     *slog.Logger
}

// Server serves the faces.
type Server struct {
	cfg      Config
	http     *http.Server
	stopping atomic.Bool
}

// New returns a Server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg}
	mux := http.NewServeMux()
	for pattern, face := range cfg.Faces {
		mux.Handle(pattern, face)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", cfg.Metrics.handler())
	faces := http.Handler(mux)
	if cfg.Wrap != nil {
		faces = cfg.Wrap(mux)
	}
	s.http = &http.Server{
		Handler: Observe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// The API comes before the mux, which would redirect a path
			// with an empty segment to another one.
			if r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/") {
				cfg.API.ServeHTTP(w, r)
				return
			}
			faces.ServeHTTP(w, r)
		}), cfg.Metrics, cfg.Log),
		// A client that sends or reads slowly must not hold a connection
		// for ever.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// Handler serves a request; it is what Serve serves, for tests.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// drainTime is how long a stop waits for requests in flight.
const drainTime = 30 * time.Second

// Serve serves on l until ctx ends, then takes no new requests, finishes those in
// flight, and returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.cfg.Log.Info("stopping: finishing what is in flight")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := s.http.Shutdown(drain); err != nil {
		return errors.Join(fmt.Errorf("stop: %w", err), s.http.Close())
	}
	return nil
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	switch err := s.cfg.Ready(ctx); {
	case s.stopping.Load():
		http.Error(w, "stopping", http.StatusServiceUnavailable)
	case err != nil:
		s.cfg.Log.Warn("not ready", "err", err)
		http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ready")
	}
}

// Observe names, counts and logs every request, and turns a panic in a face into
// a 500 instead of a dropped connection.
func Observe(next http.Handler, metrics *Metrics, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := requestID()
		w.Header().Set("Request-Id", id)
		rec := &recorder{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				log.Error("panic in a face", "request", id, "panic", p, "stack", string(debug.Stack()))
				rec.fail(id)
			}
			took := time.Since(start)
			metrics.request(r.Pattern, r.Method, rec.status(), took)
			log.Info("request", "request", id, "method", r.Method, "route", r.Pattern, "status", rec.status(),
				"bytes", rec.bytes, "took", took)
		}()
		next.ServeHTTP(rec, r)
	})
}

func requestID() string {
	var b [16]byte
	for i := range 2 {
		n := rand.Uint64()
		for k := range 8 {
			b[8*i+k] = byte(n >> (8 * k))
		}
	}
	return "req_" + hex.EncodeToString(b[:])
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	code  int
	bytes int
}

func (r *recorder) status() int {
	if r.code == 0 {
		return http.StatusOK
	}
	return r.code
}

func (r *recorder) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(b []byte) (int, error) {
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// fail answers a request whose handler panicked, if nothing was answered yet.
func (r *recorder) fail(id string) {
	if r.code != 0 || r.bytes > 0 {
		return
	}
	r.Header().Set("Content-Type", "application/json")
	r.WriteHeader(http.StatusInternalServerError)
	fmt.Fprintf(r, `{"error":{"code":"INTERNAL","message":"Something went wrong on our side.","details":{"requestId":%q}}}`, id)
}
