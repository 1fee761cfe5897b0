package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// service is the program under measurement and a client of its API.
type service struct {
	cmd    *exec.Cmd
	url    string
	key    string
	site   string
	other  string // a site without endpoints
	hook   string
	client *http.Client
}

func startService(ctx context.Context, heed string, sink *sink) (*service, error) {
	dir, err := os.MkdirTemp(sink.dir, "data")
	if err != nil {
		return nil, err
	}
	if heed == "" {
		heed = filepath.Join(dir, "heed")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", heed, "./cmd/heed").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	db := "sqlite:" + filepath.Join(dir, "heed.db")
	out, err := exec.CommandContext(ctx, heed, "init", "--db", db, "--email", "bench@example.com", "--password", "correct horse battery",
		"--account", "Bench", "--site", "Bench", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("init: %w", err)
	}
	var made struct{ AccountID, SiteID, APIKey string }
	if err := json.Unmarshal(out, &made); err != nil {
		return nil, err
	}
	out, err = exec.CommandContext(ctx, heed, "site", "create", "--db", db, "--account", made.AccountID, "--name", "Other", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("site create: %w", err)
	}
	var other struct{ SiteID string }
	if err := json.Unmarshal(out, &other); err != nil {
		return nil, err
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &service{
		url: "http://" + addr, key: made.APIKey, site: "/v1/sites/" + made.SiteID, other: "/v1/sites/" + other.SiteID, hook: sink.server.URL,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}},
	}
	s.cmd = exec.CommandContext(ctx, heed, "serve", "--db", db, "--addr", addr, "--rate-limits", "off", "--log-level", "warn",
		"--webhook-allow-cidrs", "127.0.0.0/8", "--webhook-extra-ca", sink.ca)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if res, err := s.client.Get(s.url + "/readyz"); err == nil {
			res.Body.Close()
			return s, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, fmt.Errorf("the service does not answer at %s", s.url)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (s *service) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
}

// cpu returns how much processor time the service has used, where the system
// tells it. On a machine with other work it says more than a clock.
func (s *service) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	// The fields after the name, which may hold anything but ends with the
	// last parenthesis: user and system time are the 12th and 13th.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var ticks time.Duration
	for _, f := range fields[11:13] {
		n, _ := strconv.Atoi(string(f))
		ticks += time.Duration(n)
	}
	return ticks * time.Second / 100
}

// do sends a request and decodes the answer into v, if v is not nil.
func (s *service) do(method, path, body string, v any) error {
	r, err := http.NewRequest(method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode/100 != 2:
		return fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, b)
	case v == nil:
		return nil
	}
	return json.Unmarshal(b, v)
}

type object struct{ ID string }

// createPost returns the path of a new post.
func (s *service) createPost(site string) (string, error) {
	var boards struct{ Data []object }
	if err := s.do("GET", site+"/boards", "", &boards); err != nil {
		return "", err
	}
	var post object
	err := s.do("POST", site+"/posts", fmt.Sprintf(`{"boardId":%q,"title":"Dark mode","onBehalfVisitorId":"v"}`, boards.Data[0].ID), &post)
	return site + "/posts/" + post.ID, err
}

const commentBody = `{"body":"Thank you, we are looking into it and will come back to you when there is something to see."}`

// comment writes comments for a while and returns how many and how long it took.
func (s *service) comment(post string, clients int, length time.Duration) (int, time.Duration, error) {
	var (
		n     atomic.Int64
		wg    sync.WaitGroup
		first = make(chan error, clients)
		began = time.Now()
		end   = began.Add(length)
	)
	for range clients {
		wg.Go(func() {
			for time.Now().Before(end) {
				if err := s.do("POST", post+"/comments", commentBody, nil); err != nil {
					first <- err
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	select {
	case err := <-first:
		return 0, 0, err
	default:
		return int(n.Load()), time.Since(began), nil
	}
}

func (s *service) addEndpoints(n int) error {
	for i := range n {
		if err := s.do("POST", s.site+"/webhook-endpoints", fmt.Sprintf(`{"url":"%s/%d"}`, s.hook, i), nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) deleteEndpoints() error {
	var all struct{ Data []object }
	if err := s.do("GET", s.site+"/webhook-endpoints", "", &all); err != nil {
		return err
	}
	for _, e := range all.Data {
		if err := s.do("DELETE", s.site+"/webhook-endpoints/"+e.ID, "", nil); err != nil {
			return err
		}
	}
	return nil
}

// latency writes one comment at a time, with a pause after each, and returns how
// long after the answer each was delivered; zero if it came before the answer.
func (s *service) latency(post string, sink *sink, times int) ([]time.Duration, error) {
	var all []time.Duration
	for range times {
		sink.reset()
		if err := s.do("POST", post+"/comments", commentBody, nil); err != nil {
			return nil, err
		}
		acknowledged := time.Now()
		if err := sink.wait(1); err != nil {
			return nil, err
		}
		all = append(all, max(0, sink.lastArrival().Sub(acknowledged)))
		time.Sleep(100 * time.Millisecond) // longer than an endpoint is held
	}
	return all, nil
}
