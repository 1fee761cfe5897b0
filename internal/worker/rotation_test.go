package worker_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"heed/internal/app"
	"heed/internal/feedback"
)

// verifier says whether a message is genuine, by somebody else's code.
type verifier func(t *testing.T, secret string, m received) bool

func goLibrary(t *testing.T, secret string, m received) bool {
	t.Helper()
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return wh.Verify([]byte(m.body), m.header) == nil
}

// npmLibrary verifies with the npm package standardwebhooks, where there is Node
// and the package can be had.
func npmLibrary(t *testing.T) verifier {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--silent", "standardwebhooks@1.1.1")
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("no npm package: %v\n%s", err, out)
	}
	script := filepath.Join(dir, "verify.cjs")
	err = os.WriteFile(script, []byte(`
const { Webhook } = require("standardwebhooks");
const { secret, body, headers } = JSON.parse(require("fs").readFileSync(0, "utf8"));
try { new Webhook(secret).verify(body, headers); console.log("genuine"); } catch (e) { console.log("refused: " + e.message); }
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, secret string, m received) bool {
		t.Helper()
		headers := map[string]string{}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			headers[name] = m.header.Get(name)
		}
		in, err := json.Marshal(map[string]any{"secret": secret, "body": m.body, "headers": headers})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), node, script)
		cmd.Stdin = strings.NewReader(string(in))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("node: %v\n%s", err, out)
		}
		return strings.TrimSpace(string(out)) == "genuine"
	}
}

// TestRotation: during the grace both secrets verify, the new one's signature
// stands first, and after it only the new one does.
func TestRotation(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine+"/go", func(t *testing.T) { testRotation(t, engine, goLibrary) })
	}
	t.Run("npm", func(t *testing.T) { testRotation(t, "sqlite", npmLibrary(t)) })
}

func testRotation(t *testing.T, engine string, genuine verifier) {
	h := newHooks(t, hooksConfig{engine: engine})
	// The libraries go by the clock of the machine.
	h.clock.Set(time.Now())
	in := newInbox()
	e, first := h.Endpoint(h.receive(in.ServeHTTP))
	h.start(nil)
	send := func() received {
		h.Post("Dark mode – with an accent: é, an emoji: 🌒 and a <tag>")
		m := <-in
		h.await(1)
		return m
	}
	rotate := func(grace feedback.GraceSeconds) (secret string) {
		h.Do(func(tx *app.Tx) (err error) {
			_, secret, err = tx.RotateSecret(t.Context(), e.ID.String(), feedback.Rotation{Grace: &grace})
			return err
		})
		return secret
	}
	check := func(when string, m received, secrets map[string]bool) {
		t.Helper()
		for secret, want := range secrets {
			if got := genuine(t, secret, m); got != want {
				t.Errorf("%s: verified %v, want %v (%s)", when, got, want, m.header.Get("webhook-signature"))
			}
		}
	}
	m := send()
	check("before", m, map[string]bool{first: true})
	tampered := m
	tampered.body += " "
	check("tampered with", tampered, map[string]bool{first: false})

	second := rotate(3600)
	m = send()
	check("in the grace", m, map[string]bool{first: true, second: true})
	if n := len(strings.Fields(m.header.Get("webhook-signature"))); n != 2 {
		t.Errorf("%d signatures in the grace, want 2", n)
	}
	newFirst := m
	newFirst.header = m.header.Clone()
	newFirst.header.Set("webhook-signature", strings.Fields(m.header.Get("webhook-signature"))[0])
	check("the first signature", newFirst, map[string]bool{first: false, second: true})

	h.clock.Set(time.Now().Add(-time.Minute)) // begin a short grace in the past
	third := rotate(30)
	h.clock.Set(time.Now())
	h.nudge(e)
	check("after the grace", send(), map[string]bool{first: false, second: false, third: true})
	fourth := rotate(0)
	check("without grace", send(), map[string]bool{third: false, fourth: true})
}

// TestRequest: what a receiver sees of a delivery beside the signature.
func TestRequest(t *testing.T) {
	h := newHooks(t, hooksConfig{})
	got := make(chan *http.Request, 1)
	in := newInbox()
	h.Endpoint(h.receive(func(w http.ResponseWriter, r *http.Request) {
		in.take(r)
		got <- r
	}))
	h.start(nil)
	h.Post("Dark mode")
	r, m := <-got, <-in
	if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept-Encoding") != "" ||
		!strings.HasPrefix(r.Header.Get("webhook-id"), "msg_") || r.ContentLength != int64(len(m.body)) {
		t.Errorf("%s %v", r.Method, r.Header)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(m.body), &members); err != nil || len(members) != 2 || members["type"] == nil || members["data"] == nil {
		t.Errorf("body %s; want exactly type and data", m.body)
	}
}
