package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// with returns the installation with more in its environment.
func (in *installation) with(env ...string) *installation {
	more := *in
	more.env = append(slices.Clone(in.env), env...)
	return &more
}

// TestSettingsHold sets what is allowed and sees it hold: plans, counts, rates
// and the names of the agents.
func TestSettingsHold(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		in = in.with("HEED_DEFAULT_PLAN=FREE", "HEED_PLAN_LIMITS=PRO=2/10", "HEED_RATE_LIMITS=PRO=60/min:4", "HEED_AGENT_KINDS=ROBIN,WREN,LARK")
		account := in.init(t)
		s := in.serve(t)
		ask := func(s *running, method, path, body string, want int, says string) {
			t.Helper()
			status, _, answer, err := request(method, s.url+path, account.APIKey, "", body)
			if err != nil || status != want || !strings.Contains(answer, says) {
				t.Errorf("%s %s %s = %d, %v, %s; want %d and %s", method, path, body, status, err, answer, want, says)
			}
		}
		ask(s, "GET", "/v1/sites", "", 402, `"currentPlan":"FREE"`)
		in.must(t, nil, "account", "set-plan", account.AccountID, "PRO")
		ask(s, "POST", "/v1/automation/runs", `{"siteId":"`+account.SiteID+`","agentKind":"WREN"}`, 201, `"agentKind":"WREN"`)
		ask(s, "POST", "/v1/automation/runs", `{"siteId":"`+account.SiteID+`","agentKind":"KIND_B"}`, 422, "ROBIN, WREN, LARK")
		ask(s, "GET", "/api/openapi.json", "", 200, `"WREN"`)
		ask(s, "GET", "/v1/sites", "", 200, "northwind") // the fourth with the key: one found the plan wanting
		ask(s, "GET", "/v1/sites", "", 429, `"limit":60`)

		in.must(t, nil, "site", "create", "--account", account.AccountID, "--name", "Second")
		if _, errs, code := in.run(t, "site", "create", "--account", account.AccountID, "--name", "Third"); code != 1 || !strings.Contains(errs, "allows 2 sites") {
			t.Errorf("a third site of two: exit code %d, %q", code, errs)
		}
		if code := s.stop(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
		// The names are spelled as they are set, also those of old runs.
		s = in.with("HEED_AGENT_KINDS=A,B,C").serve(t)
		ask(s, "GET", "/v1/automation/runs?siteId="+account.SiteID, "", 200, `"agentKind":"B"`)
	})
}

// TestSetupLink holds that an empty database is set up behind a link that the
// server prints, and one with an account is not.
func TestSetupLink(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		s := in.serve(t)
		s.stop(t)
		link := regexp.MustCompile(`http\S+/setup/\S+`).FindString(s.out.String())
		if link == "" || !strings.HasPrefix(link, s.url) {
			t.Fatalf("a server on an empty database printed %q; want a link to set it up", s.out.String())
		}
		in.init(t)
		s = in.serve(t)
		token := link[strings.LastIndex(link, "/"):]
		if status, _, _, err := request("GET", s.url+"/setup"+token, "", "", ""); err != nil || status != 404 {
			t.Errorf("the link after an account was opened = %d, %v; want 404", status, err)
		}
		s.stop(t)
		if s.out.Len() != 0 {
			t.Errorf("a server on a database with an account printed %q; want nothing", s.out.String())
		}
	})
}

// TestDemo runs the first command of the README and the line it prints.
func TestDemo(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	cmd := exec.Command(bin, "demo", "--addr", "127.0.0.1:0")
	cmd.Env = append(cmd.Environ(), "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "nothing is kept") {
			break
		}
	}
	line := regexp.MustCompile(`curl -H "Authorization: Bearer (\S+)" "(\S+)"`).FindStringSubmatch(said.String())
	if line == nil {
		t.Fatalf("heed demo said %q; want a line to try", said.String())
	}
	if status, _, answer, err := request("GET", line[2], line[1], "", ""); err != nil || status != 200 || strings.Count(answer, `"id":"post_`) != 3 {
		t.Errorf("%s = %d, %v, %s; want three posts", line[0], status, err, answer)
	}
	for _, what := range []string{"Portal", "Dashboard", "API reference"} {
		address := regexp.MustCompile(what + ` +(http\S+)`).FindStringSubmatch(said.String())
		if address == nil {
			t.Errorf("heed demo does not name the %s:\n%s", what, said.String())
			continue
		}
		res, err := http.Get(address[1])
		if err != nil || res.StatusCode != 200 {
			t.Errorf("%s %s = %v, %v; want 200", what, address[1], res, err)
			continue
		}
		res.Body.Close()
	}
	if address := regexp.MustCompile(`For agents +(http\S+)`).FindStringSubmatch(said.String()); address == nil {
		t.Error("heed demo does not say where agents go")
	} else if answer, err := askTool(address[1], line[1], "listSites"); err != nil || !strings.Contains(answer, "northwind") {
		t.Errorf("listSites at %s = %s, %v", address[1], answer, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("heed demo, stopped: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); left != nil {
		t.Errorf("heed demo left %v behind", left)
	}
}

// askTool calls a tool without arguments, as an agent does.
func askTool(url, key, tool string) (string, error) {
	r, err := http.NewRequest("POST", url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{}}}`))
	if err != nil {
		return "", err
	}
	r.Header = http.Header{
		"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-06-18"},
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return string(answer), err
}
