package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// process is a server under test.
type process struct {
	addr string
	cmd  *exec.Cmd
}

// startProcess starts a server and waits until it takes connections.
func startProcess(addr string, env []string, name string, args ...string) (*process, error) {
	p := &process{addr: addr, cmd: exec.Command(name, args...)}
	p.cmd.Env = env
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for range 400 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return p, nil
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.stop()
	return nil, fmt.Errorf("%s does not answer at %s", name, addr)
}

func (p *process) stop() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// cpu is the CPU time the process has used, where the system tells.
func (p *process) cpu() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	const ticksPerSecond = 100
	return time.Duration(user+system) * time.Second / ticksPerSecond
}

// result is what a load showed.
type result struct {
	rate          float64 // requests a second
	p50, p99, cpu time.Duration
}

// load sends requests over so many connections for a time, after a short run
// that warms caches up. The client is a plain one of our own: net/http's would
// use more CPU than the servers it measures.
func load(p *process, c testCase, conns int, d time.Duration, key string) (result, error) {
	if _, _, err := hammer(p.addr, c, conns, d/6, key); err != nil {
		return result{}, fmt.Errorf("%s: %w", c.name, err)
	}
	before := p.cpu()
	took, all, err := hammer(p.addr, c, conns, d, key)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", c.name, err)
	}
	slices.Sort(all)
	n := len(all)
	return result{
		rate: float64(n) / took.Seconds(), p50: all[n/2], p99: all[n*99/100], cpu: (p.cpu() - before) / time.Duration(n),
	}, nil
}

func hammer(addr string, c testCase, conns int, d time.Duration, key string) (time.Duration, []time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	start := time.Now()
	for range conns {
		wg.Go(func() {
			mine, err := one(addr, c, start.Add(d), key)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	if failed == nil && len(all) == 0 {
		failed = fmt.Errorf("no request was answered")
	}
	return time.Since(start), all, failed
}

func one(addr string, c testCase, until time.Time, key string) (took []time.Duration, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 64<<10)
	var w bytes.Buffer
	for {
		now := time.Now()
		if now.After(until) {
			return took, nil
		}
		method, path, body := c.next()
		w.Reset()
		fmt.Fprintf(&w, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, addr)
		if key != "" {
			fmt.Fprintf(&w, "Authorization: Bearer %s\r\n", key)
		}
		if c.header != nil {
			w.WriteString(c.header())
		}
		if body != "" {
			fmt.Fprintf(&w, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
		}
		w.WriteString("\r\n")
		w.WriteString(body)
		if _, err := conn.Write(w.Bytes()); err != nil {
			return took, err
		}
		status, err := readResponse(r)
		if err != nil {
			return took, err
		}
		if status != c.status {
			return took, fmt.Errorf("%s %s: status %d, want %d", method, path, status, c.status)
		}
		took = append(took, time.Since(now))
	}
}

// readResponse reads one response, of known length or in chunks, and returns its
// status.
func readResponse(r *bufio.Reader) (status int, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0, fmt.Errorf("no status line: %w", err)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length, chunked := 0, false
	for {
		if line, err = r.ReadSlice('\n'); err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(v))
		}
		chunked = chunked || string(line) == "Transfer-Encoding: chunked"
	}
	for chunked {
		if line, err = r.ReadSlice('\n'); err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 64)
		if err != nil {
			return 0, err
		}
		if _, err := io.CopyN(io.Discard, r, n+2); err != nil || n == 0 {
			return status, err
		}
	}
	_, err = r.Discard(length)
	return status, err
}
