package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"heed/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// pages serves a body under a path, with a policy that allows only what its own
// host sends.
func pages(t *testing.T, bodies map[string]string) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for path, body := range bodies {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasSuffix(path, ".js") {
				w.Header().Set("Content-Type", "text/javascript")
				fmt.Fprint(w, body)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src * data:")
			fmt.Fprint(w, `<!doctype html><html lang="en"><head><meta charset="utf-8">`+
				`<meta name="viewport" content="width=device-width"><title>Test</title></head><body><main><h1>Test</h1>`+
				body+`</main></body></html>`)
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// trial is a test inside a test: it keeps what it is told.
type trial struct {
	testing.TB
	mu       sync.Mutex
	errors   []string
	cleanups []func()
}

func (t *trial) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }
func (t *trial) Error(args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errors = append(t.errors, fmt.Sprint(args...))
}
func (t *trial) Errorf(format string, args ...any) { t.Error(fmt.Sprintf(format, args...)) }
func (t *trial) Fatal(args ...any)                 { t.Error(args...); runtime.Goexit() }
func (t *trial) Fatalf(format string, args ...any) { t.Fatal(fmt.Sprintf(format, args...)) }

// try runs test to its end and returns what it was failed for.
func try(t *testing.T, test func(testing.TB)) string {
	tr := &trial{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for i := len(tr.cleanups) - 1; i >= 0; i-- {
				tr.cleanups[i]()
			}
		}()
		test(tr)
	}()
	<-done
	return strings.Join(tr.errors, "\n")
}

func TestFindings(t *testing.T) {
	browsertest.Open(t) // skips everything where there is no browser
	for name, tc := range map[string]struct {
		body, script, want string
	}{
		"nothing":          {body: "<p>Hello</p>"},
		"a warning":        {script: `console.warn("hm")`},
		"a data URL":       {body: `<img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`},
		"a console error":  {script: `console.error("boom", {a: 1}, 2)`, want: "console error: boom Object 2"},
		"an exception":     {script: `null.boom`, want: "exception: Uncaught TypeError"},
		"a broken promise": {script: `Promise.reject(new Error("boom"))`, want: "exception: Uncaught (in promise) Error: boom"},
		"a missing file":   {body: `<img alt="" src="/none.png">`, want: "failed request: 404 for GET"},
		"a refused fetch":  {script: `fetch("http://other.example/x").catch(() => {})`, want: "other.example"},
		"another host":     {body: `<img alt="" src="http://other.example/x.png">`, want: "outside request: GET http://other.example/x.png"},
		"an inline style":  {body: `<p style="color:red">Red</p>`, want: "style-src"},
		"an inline script": {body: `<script>1</script>`, want: "script-src"},
		"a web socket":     {script: `new WebSocket("ws://127.0.0.1:9/")`, want: "127.0.0.1:9"},
	} {
		t.Run(name, func(t *testing.T) {
			url := pages(t, map[string]string{"/{$}": tc.body + `<script src="/x.js"></script>`, "/x.js": tc.script})
			got := try(t, func(t testing.TB) {
				p := browsertest.Open(t)
				p.Go(url)
			})
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %q; want %q", got, tc.want)
			}
		})
	}
	t.Run("what was expected", func(t *testing.T) {
		url := pages(t, map[string]string{"/{$}": `<img alt="" src="/none.png"><img alt="" src="/none.gif">`})
		got := try(t, func(t testing.TB) {
			p := browsertest.Open(t)
			p.Expect("404 for GET " + url + "/none.png")
			p.Go(url)
		})
		if strings.Contains(got, ".png") || !strings.Contains(got, "404 for GET "+url+"/none.gif") {
			t.Errorf("got %q; want only the one that was not expected", got)
		}
	})
	t.Run("an expectation that is not met", func(t *testing.T) {
		url := pages(t, map[string]string{"/{$}": ""})
		got := try(t, func(t testing.TB) {
			p := browsertest.Open(t)
			p.Expect("418")
			p.Go(url)
		})
		if !strings.Contains(got, `expected to report "418"`) {
			t.Errorf("got %q", got)
		}
	})
}

func TestPage(t *testing.T) {
	url := pages(t, map[string]string{
		"/{$}":   `<label>Name <input id="name"></label><button type="button">No</button><button type="button" id="go">Go</button><p id="out"></p><script src="/x.js"></script>`,
		"/x.js":  `document.getElementById("go").onclick = () => out.textContent = "Hello " + document.getElementById("name").value; localStorage.seen = 1`,
		"/other": `<p id="seen"></p><script src="/y.js"></script>`,
		"/y.js":  `seen.textContent = "seen: " + localStorage.seen`,
	})
	t.Run("use", func(t *testing.T) {
		p := browsertest.Open(t)
		p.Go(url)
		p.Type("#name", "Ada")
		p.Press(" L")
		p.ClickText("button", "Go")
		p.WaitFor(`out.textContent != ""`)
		if got, want := p.Text("#out"), "Hello Ada L"; got != want {
			t.Errorf("#out is %q; want %q", got, want)
		}
		if got := p.Requests(); len(got) < 2 || got[0].URL != url+"/" {
			t.Errorf("Requests() = %v", got)
		}
		p.Go(url + "/other")
		if got := p.Text("#seen"); got != "seen: 1" {
			t.Errorf("storage of the same page: %q", got)
		}
	})
	t.Run("forms, keys and questions", func(t *testing.T) {
		url := pages(t, map[string]string{
			"/{$}": `<label>When <input id="day" type="date"></label><label>Which <select id="which"><option>One<option>Other</select></label>` +
				`<label>Find <input id="words"></label><button type="button" id="ask">Ask</button><button type="button" id="copy">Copy</button><p id="out"></p><script src="/x.js"></script>`,
			"/x.js": `which.onchange = () => out.textContent += which.value + day.value;
				onkeydown = e => { if (e.key === "/") { e.preventDefault(); words.focus() } if (e.ctrlKey && e.key === "k") out.textContent += " palette" };
				ask.onclick = () => { out.textContent += confirm("Really all of it?") ? " yes" : " no" };
				copy.onclick = () => navigator.clipboard.writeText("secret").then(() => { out.textContent += " copied" })`,
		})
		p := browsertest.Open(t)
		p.Confirm("Really")
		p.Go(url)
		p.Fill("#day", "2026-05-04")
		p.Select("#which", "Other")
		p.Press("/x/")
		p.PressControl("k")
		p.Click("#ask")
		p.Click("#copy")
		p.WaitText("#out", "copied")
		if got, want := p.Text("#out"), "Other2026-05-04 palette yes copied"; got != want {
			t.Errorf("#out is %q; want %q", got, want)
		}
		if got := browsertest.Eval[string](p, "words.value"); got != "x" {
			t.Errorf("the field holds %q; want x", got)
		}
		if got := p.Copied(); got != "secret" {
			t.Errorf("the clipboard holds %q", got)
		}
		got := try(t, func(t testing.TB) {
			p := browsertest.Open(t)
			p.Confirm("Something else")
			p.Go(url)
			p.Click("#ask")
			p.WaitText("#out", "no")
		})
		for _, want := range []string{"question: Really all of it?", `expected to ask "Something else"`} {
			if !strings.Contains(got, want) {
				t.Errorf("a question that was not announced: %q; want %s", got, want)
			}
		}
	})
	t.Run("a page of its own", func(t *testing.T) {
		p := browsertest.Open(t)
		p.Go(url + "/other")
		if got := p.Text("#seen"); got != "seen: undefined" {
			t.Errorf("storage is shared: %q", got)
		}
	})
	t.Run("as it is seen", func(t *testing.T) {
		const seen = `innerWidth + " " + matchMedia("(prefers-color-scheme: dark)").matches`
		p := browsertest.Open(t)
		p.Go(url)
		if got := browsertest.Eval[string](p, seen); got != "1280 false" {
			t.Errorf("by default: %s", got)
		}
		p = browsertest.Open(t, browsertest.Phone, browsertest.Dark)
		p.Go(url)
		if got := browsertest.Eval[string](p, seen); got != "390 true" {
			t.Errorf("on a phone in the dark: %s", got)
		}
	})
	t.Run("without JavaScript", func(t *testing.T) {
		p := browsertest.Open(t, browsertest.NoJavaScript)
		p.Go(url)
		p.Click("button")
		if got := browsertest.Eval[string](p, `document.getElementById("out").textContent`); got != "" {
			t.Errorf("a script ran: %q", got)
		}
	})
}

func TestChecks(t *testing.T) {
	browsertest.Open(t)
	url := pages(t, map[string]string{
		"/good": `<p>Hello</p>`,
		"/bad":  `<img src="/favicon.ico"><button type="button"></button>`,
		"/wide": `<table><tr><td>` + strings.Repeat("wide", 400) + `</td></tr></table>`,
	})
	check := func(path string, f func(*browsertest.Page)) string {
		return try(t, func(t testing.TB) {
			p := browsertest.Open(t, browsertest.Phone)
			p.Go(url + path)
			f(p)
		})
	}
	if got := check("/good", func(p *browsertest.Page) { p.CheckAccessibility(); p.CheckWidth() }); got != "" {
		t.Errorf("a good page: %s", got)
	}
	plain := check("/bad", func(p *browsertest.Page) { p.See(browsertest.NoJavaScript); p.Go(url + "/bad"); p.CheckAccessibility() })
	if !strings.Contains(plain, "(image-alt)") {
		t.Errorf("a bad page without JavaScript: %s", plain)
	}
	got := check("/bad", func(p *browsertest.Page) { p.CheckAccessibility() })
	for _, want := range []string{"(image-alt)", "(button-name)", `<img src="/favicon.ico">`} {
		if !strings.Contains(got, want) {
			t.Errorf("a bad page: %q; want %s", got, want)
		}
	}
	if got := check("/bad", func(p *browsertest.Page) { p.CheckAccessibility("img", "button") }); got != "" {
		t.Errorf("what is bad left out: %s", got)
	}
	if got := check("/wide", func(p *browsertest.Page) { p.CheckWidth() }); !strings.Contains(got, "window of 390 px") {
		t.Errorf("a wide page: %q", got)
	}
	var still, moved float64
	check("/good", func(p *browsertest.Page) { still = p.LayoutShift() })
	check("/good", func(p *browsertest.Page) {
		p.WaitFor(`performance.getEntriesByType("paint").length > 0`)
		browsertest.Eval[bool](p, `document.body.prepend(Object.assign(document.createElement("h2"), {textContent: "Late"})), true`)
		moved = p.LayoutShift()
	})
	if still != 0 || moved == 0 {
		t.Errorf("layout shift %v and %v; want 0 and more", still, moved)
	}
}

func TestShot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shots")
	t.Setenv("HEED_SHOTS", dir)
	p := browsertest.Open(t)
	p.Go(pages(t, map[string]string{"/{$}": strings.Repeat("<p>Line</p>", 100)}))
	p.Shot("whole")
	p.ShotOfWindow("window")
	for _, name := range []string{"whole.png", "window.png"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}
