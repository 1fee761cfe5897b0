package main

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// sink is a receiver that answers at once, or not at all.
type sink struct {
	server *httptest.Server
	dir    string
	ca     string // PEM file of its authority

	mu      sync.Mutex
	changed *sync.Cond
	n       int
	last    time.Time
	held    chan struct{} // nil: requests are answered
}

func newSink() (*sink, error) {
	s := &sink{}
	s.changed = sync.NewCond(&s.mu)
	var err error
	if s.dir, err = os.MkdirTemp("", "benchhooks"); err != nil {
		return nil, err
	}
	s.server = httptest.NewTLSServer(s)
	s.ca = filepath.Join(s.dir, "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw})
	return s, os.WriteFile(s.ca, ca, 0o600)
}

func (s *sink) close() {
	s.letGo()
	s.server.Close()
	os.RemoveAll(s.dir)
}

// ServeHTTP takes a delivery.
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	now := time.Now()
	s.mu.Lock()
	s.n++
	s.last = now
	held := s.held
	s.changed.Broadcast()
	s.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *sink) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n = 0
}

func (s *sink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *sink) lastArrival() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// hold leaves requests without an answer until letGo.
func (s *sink) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.held = 0, make(chan struct{})
}

func (s *sink) letGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}

// wait returns when n deliveries have arrived, and fails when none arrives for
// half a minute.
func (s *sink) wait(n int) error {
	stuck := false
	timer := time.AfterFunc(30*time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		stuck = true
		s.changed.Broadcast()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.n < n && !stuck {
		s.changed.Wait()
		timer.Reset(30 * time.Second)
	}
	if s.n < n {
		return fmt.Errorf("%d of %d deliveries arrived", s.n, n)
	}
	return nil
}
