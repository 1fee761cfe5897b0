package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"heed/internal/feedbacktest"
)

// binary builds the program once for all tests that need a process of its own.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "heed-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "heed")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// installation is a database and the environment that names it.
type installation struct {
	bin, engine string
	url         string // of the database
	env         []string
}

// eachInstallation runs test on a fresh database of each kind.
func eachInstallation(t *testing.T, test func(*testing.T, *installation)) {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			test(t, newInstallation(t, bin, engine))
		})
	}
}

func newInstallation(t *testing.T, bin, engine string) *installation {
	t.Helper()
	in := &installation{bin: bin, engine: engine, env: append(os.Environ(), "HEED_RATE_LIMITS=off", "HEED_ADDR=127.0.0.1:0")}
	if engine == "sqlite" {
		in.url = "sqlite:" + filepath.Join(t.TempDir(), "heed.db")
	} else {
		in.url = feedbacktest.PostgresURL(t)
		in.env = append(in.env, "HEED_SECRET_KEY=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	}
	in.env = append(in.env, "HEED_DB="+in.url)
	return in
}

// otherKind is a fresh installation on the other kind of database.
func otherKind(t *testing.T, in *installation) *installation {
	t.Helper()
	if in.engine == "sqlite" {
		return newInstallation(t, in.bin, "postgres")
	}
	return newInstallation(t, in.bin, "sqlite")
}

// run runs a command to its end and returns what it printed.
func (in *installation) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(in.bin, args...)
	cmd.Env = in.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("heed %v: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// must runs a command that must succeed and decodes the JSON it prints.
func (in *installation) must(t *testing.T, into any, args ...string) {
	t.Helper()
	out, errs, code := in.run(t, args...)
	if code != 0 {
		t.Fatalf("heed %v: exit code %d\n%s", args, code, errs)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("heed %v printed %q: %v", args, out, err)
	}
}

// exec changes rows behind the back of the program.
func (in *installation) exec(t *testing.T, query string) {
	t.Helper()
	driver, url := "pgx", in.url
	if path, embedded := sqliteFile(in.url); embedded {
		driver, url = "sqlite", path
	}
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// initResult is what heed init prints.
type initResult struct{ AccountID, MemberID, SiteID, SiteSlug, APIKey string }

func (in *installation) init(t *testing.T) (r initResult) {
	t.Helper()
	in.must(t, &r, "init", "--json", "--email", "owner@northwind.example", "--password", "correct horse battery",
		"--account", "Northwind", "--site", "Northwind")
	return r
}

// running is a server in a process of its own.
type running struct {
	cmd  *exec.Cmd
	out  bytes.Buffer // what it printed, once it has ended
	url  string
	done chan struct{}
}

// serve starts a server and returns when it takes requests.
func (in *installation) serve(t *testing.T) *running {
	t.Helper()
	s := &running{cmd: exec.Command(in.bin, "serve"), done: make(chan struct{})}
	s.cmd.Env, s.cmd.Stdout = in.env, &s.out
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	log := bufio.NewReader(stderr)
	var seen strings.Builder
	for s.url == "" {
		line, err := log.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended before it served:\n%s", seen.String())
		}
		seen.WriteString(line)
		if _, after, ok := strings.Cut(line, "msg=serving"); ok {
			_, after, _ = strings.Cut(after, " url=")
			s.url, _, _ = strings.Cut(after, " ")
		}
	}
	go func() {
		io.Copy(io.Discard, log)
		close(s.done)
	}()
	return s
}

// kill ends the server as a power cut would.
func (s *running) kill() {
	s.cmd.Process.Kill()
	<-s.done
	s.cmd.Wait()
}

// stop asks the server to end and returns its exit code.
func (s *running) stop(t *testing.T) int {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.done
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// request sends one request and returns the answer whole, or an error if it did
// not arrive whole.
func request(method, url, key, idempotencyKey, body string) (status int, replayed bool, answer string, err error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, false, "", err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, false, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, res.Header.Get("Idempotent-Replayed") == "true", string(b), err
}
