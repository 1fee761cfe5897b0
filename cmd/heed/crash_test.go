package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/feedbacktest"
)

// TestCrashDuringDeliveries kills a real server in the middle of writes and
// deliveries and starts it again: every event of an acknowledged write arrives at
// least once, and an id stands for one body.
func TestCrashDuringDeliveries(t *testing.T) {
	heed := filepath.Join(t.TempDir(), "heed")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", heed, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			db := "sqlite:" + filepath.Join(t.TempDir(), "heed.db")
			if engine == "postgres" {
				db = feedbacktest.PostgresURL(t)
			}
			testCrash(t, heed, db)
		})
	}
}

func testCrash(t *testing.T, heed, db string) {
	in := &arrivals{bodies: map[string]string{}}
	in.changed = sync.NewCond(&in.mu)
	srv := httptest.NewTLSServer(in)
	defer srv.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, heed: heed, env: append(os.Environ(),
		"HEED_DB="+db, "HEED_SECRET_KEY=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "HEED_RATE_LIMITS=off", "HEED_LOG_LEVEL=warn",
		"HEED_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "HEED_WEBHOOK_EXTRA_CA="+ca)}
	p.init()
	p.start()
	var endpoint struct{ ID string }
	p.must("POST", p.site+"/webhook-endpoints", fmt.Sprintf(`{"url":%q,"eventTypes":["post.created"]}`, srv.URL), &endpoint)

	var acknowledged []string // titles
	for round := range 3 {
		var mu sync.Mutex
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for w := range 4 {
			wg.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					title := fmt.Sprintf("post %d %d %d", round, w, i)
					if p.post(ctx, title) {
						mu.Lock()
						acknowledged = append(acknowledged, title)
						mu.Unlock()
					}
				}
			})
		}
		in.wait(func() bool { return len(in.bodies) >= 50*(round+1) })
		p.kill()
		cancel()
		wg.Wait()
		if strings.HasPrefix(db, "postgres") {
			// What a dead process held is free when its lease has run out.
			feedbacktest.Rows(t, db, `UPDATE webhook_endpoints SET leased_until = 0`)
		}
		p.start()
	}
	in.wait(func() bool {
		for _, title := range acknowledged {
			if !in.titles(title) {
				return false
			}
		}
		return true
	})
	p.kill()
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.wrong) > 0 {
		t.Errorf("ids that stood for two bodies: %v", in.wrong)
	}
	t.Logf("%d writes acknowledged, %d messages in %d arrivals over three crashes", len(acknowledged), len(in.bodies), in.n)
}

// arrivals is a receiver that remembers what it was told.
type arrivals struct {
	mu      sync.Mutex
	changed *sync.Cond
	n       int
	bodies  map[string]string // by message
	seen    map[string]bool   // titles
	wrong   []string
}

func (in *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var e struct {
		Data struct{ Post struct{ Title string } }
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.n++
	id := r.Header.Get("webhook-id")
	if old, again := in.bodies[id]; again && old != string(b) || json.Unmarshal(b, &e) != nil {
		in.wrong = append(in.wrong, id)
	}
	in.bodies[id] = string(b)
	if in.seen == nil {
		in.seen = map[string]bool{}
	}
	in.seen[e.Data.Post.Title] = true
	in.changed.Broadcast()
}

// titles reports whether a post of this title was told of. The lock is held.
func (in *arrivals) titles(title string) bool { return in.seen[title] }

func (in *arrivals) wait(until func() bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for !until() {
		in.changed.Wait()
	}
}

// process is a server that can be killed and started again on the same address.
type process struct {
	t    *testing.T
	heed string
	env  []string
	cmd  *exec.Cmd

	url, key, site, board string
}

func (p *process) init() {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.heed, "init", "--email", "o@example.com", "--password", "correct horse battery",
		"--account", "Crash", "--site", "Crash", "--json")
	cmd.Env = p.env
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("init: %v", err)
	}
	var made struct{ SiteID, APIKey string }
	if err := json.Unmarshal(out, &made); err != nil {
		p.t.Fatal(err)
	}
	p.key, p.site = made.APIKey, "/v1/sites/"+made.SiteID
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	p.url = "http://" + l.Addr().String()
	l.Close()
}

// start returns when the server answers.
func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.heed, "serve", "--addr", strings.TrimPrefix(p.url, "http://"))
	p.cmd.Env, p.cmd.Stderr = p.env, p.t.Output()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	cmd := p.cmd
	p.t.Cleanup(func() { cmd.Process.Kill() })
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if res, err := http.Get(p.url + "/readyz"); err == nil {
			res.Body.Close()
			break
		}
	}
	if p.board == "" {
		var boards struct{ Data []struct{ ID string } }
		p.must("GET", p.site+"/boards", "", &boards)
		p.board = boards.Data[0].ID
	}
}

// kill ends the server as a power cut would.
func (p *process) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	p.cmd.Wait()
}

// post creates a post and reports whether that was acknowledged.
func (p *process) post(ctx context.Context, title string) bool {
	status, _, err := p.do(ctx, "POST", p.site+"/posts", fmt.Sprintf(`{"boardId":%q,"title":%q,"onBehalfVisitorId":"v"}`, p.board, title))
	return err == nil && status == http.StatusCreated
}

func (p *process) must(method, path, body string, v any) {
	p.t.Helper()
	status, b, err := p.do(p.t.Context(), method, path, body)
	if err != nil || status/100 != 2 || json.Unmarshal(b, v) != nil {
		p.t.Fatalf("%s %s: %d %s %v", method, path, status, b, err)
	}
}

func (p *process) do(ctx context.Context, method, path, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, b, err
}
