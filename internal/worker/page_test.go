package worker_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"heed/internal/feedback"
	"heed/internal/webhook"
	"heed/internal/wire"
)

var update = flag.Bool("update", false, "write generated parts of the documentation anew")

const webhookPage = "../../docs/webhooks.md"

// TestWebhookPage keeps the page for receivers what the code does: its events are
// the types that are sent, its errors those that are logged.
func TestWebhookPage(t *testing.T) {
	b, err := os.ReadFile(webhookPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for name, text := range map[string]string{"events": eventsPart(t), "errors": errorsPart()} {
		part := regexp.MustCompile(`(?s)(<!-- ` + name + `: [^\n]*-->\n).*?(<!-- /` + name + ` -->)`)
		if !part.MatchString(page) {
			t.Fatalf("the page has no part for %s", name)
		}
		page = part.ReplaceAllStringFunc(page, func(old string) string {
			m := part.FindStringSubmatch(old)
			return m[1] + text + m[2]
		})
	}
	if page == string(b) {
		return
	}
	if !*update {
		t.Fatal("docs/webhooks.md is not what the code does: run go test ./internal/worker -run TestWebhookPage -update")
	}
	if err := os.WriteFile(webhookPage, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

func eventsPart(t *testing.T) string {
	t.Helper()
	var site feedback.SiteID
	if err := site.UnmarshalText([]byte("site_0c8e4w1a2b3d4")); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 15, 1, 34, 10, 123_000_000, time.UTC)
	samples := wire.Samples(site, at)
	var b strings.Builder
	b.WriteString("| Event | Sent when |\n|---|---|\n")
	for _, s := range samples {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", s.Type, anchor(s.Type), s.When)
	}
	for _, s := range samples {
		text, err := json.MarshalIndent(s.Event, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n### %s\n\n```json\n%s\n```\n", s.Type, text)
	}
	return b.String()
}

// anchor is how a heading is linked to.
func anchor(e feedback.EventType) string { return strings.ReplaceAll(string(e), ".", "") }

func errorsPart() string {
	var b strings.Builder
	b.WriteString("| Error | Meaning |\n|---|---|\n")
	for _, c := range webhook.Classes() {
		if c != webhook.ClassInterrupted { // is not counted, and so not logged
			fmt.Fprintf(&b, "| `%s` | %s |\n", c, c.Explain())
		}
	}
	return b.String()
}

// TestSamplesAreComplete: there is a sample of every event.
func TestSamplesAreComplete(t *testing.T) {
	var got []string
	for _, s := range wire.Samples(1, epoch) {
		got = append(got, string(s.Type))
	}
	if want := feedback.EventType("").Values(); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("samples of %v, want %v", got, want)
	}
}

// TestReceiversOfThePage runs the code of the page for receivers against a real
// delivery, in each language that is installed.
func TestReceiversOfThePage(t *testing.T) {
	b, err := os.ReadFile(webhookPage)
	if err != nil {
		t.Fatal(err)
	}
	code := func(language string) string {
		m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(string(b))
		if m == nil {
			t.Fatalf("the page has no code in %s", language)
		}
		return m[1]
	}
	h := newHooks(t, hooksConfig{})
	h.clock.Set(time.Now())
	in := newInbox()
	_, secret := h.Endpoint(h.receive(in.ServeHTTP))
	h.start(nil)
	h.Post("Dark mode: é 🌒")
	m := <-in
	message, err := json.Marshal(map[string]any{"secret": secret, "body": m.body, "headers": map[string]string{
		"webhook-id": m.header.Get("webhook-id"), "webhook-timestamp": m.header.Get("webhook-timestamp"),
		"webhook-signature": "v1,AAAA " + m.header.Get("webhook-signature"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	const twice = "true false"
	for _, tt := range []struct{ name, file, text, program string }{
		{"Go", "main.go", "package main\n\n" + strings.Replace(code("go"), "import (", "import (\n\t\"bytes\"\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"os\"", 1) + `
func main() {
	var m struct { Secret, Body string; Headers map[string]string }
	json.NewDecoder(os.Stdin).Decode(&m)
	for _, body := range []string{m.Body, m.Body + " "} {
		r, _ := http.NewRequest("POST", "/", bytes.NewReader([]byte(body)))
		for k, v := range m.Headers { r.Header.Set(k, v) }
		_, ok := verify(r, m.Secret)
		fmt.Print(ok, " ")
	}
}
`, "go run"},
		// Node before 22 reads no types, and there are some in one line only.
		{"TypeScript", "main.mjs", strings.Replace(code("ts"), "body: Buffer, headers: Record<string, string | undefined>, secret: string): boolean", "body, headers, secret)", 1) + `
import { readFileSync } from "node:fs";
const m = JSON.parse(readFileSync(0, "utf8"));
console.log([m.body, m.body + " "].map((b) => verify(Buffer.from(b), m.headers, m.secret)).join(" "));
`, "node"},
		{"Python", "main.py", code("python") + `
import json, sys
m = json.load(sys.stdin)
print(*[str(verify(b.encode(), m["headers"], m["secret"])).lower() for b in (m["body"], m["body"] + " ")])
`, "python3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			words := strings.Fields(tt.program)
			path, err := exec.LookPath(words[0])
			if err != nil {
				t.Skip(err)
			}
			file := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), path, append(words[1:], file)...)
			cmd.Stdin = strings.NewReader(string(message))
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != twice {
				t.Errorf("genuine and tampered with: %s %v; want %s", out, err, twice)
			}
		})
	}
}
