package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"heed/internal/insights"
	"heed/internal/worker"
)

// TestInsightsTry needs no database: it names one that does not exist.
func TestInsightsTry(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	in := &installation{bin: bin, env: []string{"HEED_DB=postgres://nobody@127.0.0.1:1/none"}}
	file := filepath.Join(t.TempDir(), "posts.txt")
	text := "Dark mode for the dashboard\nExport to CSV\n\nPlease add a dark theme\r\n   \nCSV export of all data\nDark mode in the app <b>\nzzz"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := in.run(t, "insights", "try", file)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	type line struct {
		Line      int
		Theme     *int
		Label     *string
		Sentiment *string
	}
	var lines []line
	for s := bufio.NewScanner(strings.NewReader(out)); s.Scan(); {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		if l.Line != len(lines)+1 {
			t.Errorf("line %d is numbered %d", len(lines)+1, l.Line)
		}
		if (l.Theme == nil) != (l.Label == nil) {
			t.Errorf("%q has a theme without a label, or the other way round", s.Text())
		}
		lines = append(lines, l)
	}
	if len(lines) != 8 || lines[2].Theme != nil || lines[4].Theme != nil {
		t.Fatalf("%d lines, of which the blank ones have %+v, %+v; want 8 and no theme:\n%s", len(lines), lines[2], lines[4], out)
	}
	dark, csv := lines[0].Theme, lines[1].Theme
	if dark == nil || csv == nil || *dark == *csv || lines[3].Theme == nil || *lines[3].Theme != *dark || lines[5].Theme == nil || *lines[5].Theme != *csv {
		t.Errorf("two subjects came out as\n%s", out)
	}
	if again, _, _ := in.run(t, "insights", "try", file); again != out {
		t.Errorf("the same file gave\n%s\nand then\n%s", out, again)
	}
	if _, errs, code := in.run(t, "insights", "try", file+".none"); code != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("a file that is not there: exit code %d, %q", code, errs)
	}
}

// TestInsightsRun runs beside a server and is seen by it.
func TestInsightsRun(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		in.must(t, nil, "fill", "--site", account.SiteID, "--posts", "60", "--votes", "10", "--comments", "0")
		s := in.serve(t)
		var run struct {
			SiteID, RunID, Status string
			Posts, Themes         int
			Full                  bool
		}
		in.must(t, &run, "insights", "run", "--json", "--site", account.SiteID)
		if run.SiteID != account.SiteID || run.Status != "done" || run.Posts != 60 || run.Themes == 0 || !run.Full {
			t.Errorf("insights run printed %+v", run)
		}
		code, _, body, err := request("GET", s.url+"/v1/sites/"+account.SiteID+"/insights", account.APIKey, "", "")
		var got struct {
			HasInsights bool
			Themes      []struct{ ClusterID, Label string }
		}
		if err != nil || code != 200 || json.Unmarshal([]byte(body), &got) != nil || !got.HasInsights || len(got.Themes) != run.Themes {
			t.Errorf("getInsights = %d %s, %v; want %d themes", code, body, err, run.Themes)
		}
		in.must(t, nil, "check")

		_, errs, code := in.run(t, "insights", "run", "--site", "site_0000000000001")
		if code != 1 || !strings.Contains(errs, "no site") {
			t.Errorf("a site that is not there: exit code %d, %q", code, errs)
		}
		_, errs, code = in.run(t, "insights", "run", "--site", account.SiteID, "--ai-key", "sk-hush")
		if code != 1 || !strings.Contains(errs, "HEED_AI_URL is not set") || strings.Contains(errs, "sk-hush") {
			t.Errorf("a key without an address: exit code %d, %q", code, errs)
		}
		// Nothing may be spent: paused, and what is published stays.
		out, errs, code := in.run(t, "insights", "run", "--json", "--site", account.SiteID,
			"--ai-url", "http://127.0.0.1:1/v1", "--ai-embed-model", "m", "--ai-monthly-units", "0")
		if code != 1 || !strings.Contains(errs, "quota") || !strings.Contains(out, `"paused"`) {
			t.Errorf("without units: exit code %d, %q, printed %q", code, errs, out)
		}
		_, _, body, _ = request("GET", s.url+"/v1/sites/"+account.SiteID+"/insights", account.APIKey, "", "")
		if !strings.Contains(body, `"quotaPaused":true`) || !strings.Contains(body, got.Themes[0].ClusterID) {
			t.Errorf("getInsights after a pause = %s", body)
		}
	})
}

// TestEngine has a process of its own compute, as a server does: the answers are
// those of this process, and a question that is given up ends it.
func TestEngine(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	e := &worker.Child{Command: func() *exec.Cmd { return exec.Command(bin, "insights", "engine") }}
	defer e.Close()
	texts := []string{"Dark mode for the dashboard", "Please add a dark theme", "Export to CSV", "CSV export of all data", ""}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := insights.Embed(t.Context(), texts)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the vectors differ from those made here (%v)", err)
	}
	posts := make([]insights.Post, len(texts))
	for i, text := range texts {
		posts[i] = insights.Post{Key: int64(i), Text: text, Vector: got[i]}
	}
	found, err := e.Find(t.Context(), posts, insights.State{})
	if err != nil {
		t.Fatal(err)
	}
	id := int64(0)
	here, err := insights.Find(t.Context(), posts, insights.State{}, func() int64 { id--; return id })
	if err != nil || len(found.Themes) != 2 || !reflect.DeepEqual(found.Of, here.Of) || found.Themes[0].Label != here.Themes[0].Label {
		t.Errorf("found %+v; want %+v (%v)", found, here, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed given up = %v; want context.Canceled", err)
	}
	if _, err := e.Embed(t.Context(), texts); err != nil {
		t.Errorf("Embed after that = %v; want a new process to answer", err)
	}
	broken := &worker.Child{Command: func() *exec.Cmd { return exec.Command(bin, "version") }}
	if _, err := broken.Embed(t.Context(), texts); err == nil {
		t.Error("a program that is no engine answered")
	}
}
