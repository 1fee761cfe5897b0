package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"heed/internal/feedback"
	"heed/internal/i18n"
	"heed/internal/web"
)

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMessagesAreComplete(t *testing.T) {
	for _, wrong := range i18n.MustLoad(web.Messages()).Problems() {
		t.Error(wrong)
	}
}

// What is taken from elsewhere is what it was when it was looked at.
func TestVendored(t *testing.T) {
	for name, want := range map[string]string{
		"htmx-4.0.0.min.js":   "e484d9171a9db30a39c8f16e3d709d4137f3211c659f8e6125816635033d593f",
		"inter-latin-4.woff2": "532ff68885ab712fafe49e1250c53c37427570f05de4ea504b5d03babfc3f4d4",
	} {
		b, err := os.ReadFile(filepath.Join("static/vendored", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want {
			t.Errorf("sha256 of %s = %x; want %s", name, sum, want)
		}
	}
}

// rules are what no template may hold. Each is the pattern of the offence.
var rules = map[string]*regexp.Regexp{
	"a style attribute":                  regexp.MustCompile(`(?i)\sstyle\s*[=?{]`),
	"a style element":                    regexp.MustCompile(`(?i)<style`),
	"an inline script":                   regexp.MustCompile(`(?i)<script(\s[^>]*)?>\s*[^<\s]`),
	"an event attribute":                 regexp.MustCompile(`(?i)\son[a-z]+\s*=`),
	"script that htmx evaluates":         regexp.MustCompile(`(?i)hx-on|hx-vals=["']js:|hx-trigger="[^"]*\[`),
	"HTML that nobody has sanitised":     regexp.MustCompile(`templ\.Raw|@templ\.Unsafe`),
	"an address of another host":         regexp.MustCompile(`(?i)(src|href)="(https?:)?//`),
	"a user's address without web.Link":  regexp.MustCompile(`templ\.SafeURL\([^)]*\.(PRURL|LogoURL|Website)\b`),
	"a limit that feedback owns":         regexp.MustCompile(`(?i)m(ax|in)length="\d|\bMax:\s*\d|FieldError\("[^"]*", [1-9]`),
	"a picture that is not our own path": regexp.MustCompile(`<img[^>]*src="http`),
}

func TestTemplatesKeepTheRules(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		generated := strings.HasSuffix(path, "_templ.go")
		if err != nil || d.IsDir() || (!strings.HasSuffix(path, ".templ") && !strings.HasSuffix(path, ".go")) || generated || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for name, rule := range rules {
			if strings.HasSuffix(path, ".go") && name != "HTML that nobody has sanitised" {
				continue
			}
			if filepath.Base(path) == "markdown.go" || strings.HasSuffix(path, ".go") && strings.Contains(path, "/web/doc.go") {
				continue
			}
			if m := rule.FindString(string(b)); m != "" {
				t.Errorf("%s holds %s: %q", path, name, m)
			}
		}
		if strings.HasSuffix(path, ".templ") {
			seen++
		}
		return nil
	})
	if err != nil || seen < 2 {
		t.Errorf("read %d templates, %v", seen, err)
	}
}

func TestRulesFindOffences(t *testing.T) {
	for text, rule := range map[string]string{
		`<p style="color:red">`:                        "a style attribute",
		`<p style={ x }>`:                              "a style attribute",
		`<script>alert(1)</script>`:                    "an inline script",
		`<b onclick="x()">`:                            "an event attribute",
		`@templ.Raw(body)`:                             "HTML that nobody has sanitised",
		`<img src="https://evil.example/x">`:           "an address of another host",
		`<a href={ templ.SafeURL(run.PRURL) }>`:        "a user's address without web.Link",
		`<input maxlength="200"/>`:                     "a limit that feedback owns",
		`web.Field{Name: "host", Max: 253}`:            "a limit that feedback owns",
		`<i hx-trigger="input[target.value.length]"/>`: "script that htmx evaluates",
	} {
		if !rules[rule].MatchString(text) {
			t.Errorf("%q is not found to hold %s", text, rule)
		}
	}
}

func TestAssets(t *testing.T) {
	h := web.Assets()
	get := func(path, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	url := web.Asset("app.css")
	for accept, want := range map[string]string{"br, gzip": "br", "gzip;q=0.5": "gzip", "br;q=0": "", "": ""} {
		w := get(url, accept)
		if w.Code != 200 || w.Header().Get("Content-Encoding") != want || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("GET app.css for %q = %d %q %q", accept, w.Code, w.Header().Get("Content-Encoding"), w.Header().Get("Cache-Control"))
		}
	}
	css := get(url, "").Body.String()
	if strings.Contains(css, "asset:") || !strings.Contains(css, "inter-latin-4.woff2") {
		t.Error("the stylesheet does not name its font by its URL")
	}
	if n := get(url, "br").Body.Len() + get(web.Asset("app.js"), "br").Body.Len() + get(web.Asset("vendored/htmx-4.0.0.min.js"), "br").Body.Len() + get(web.Asset("vendored/inter-latin-4.woff2"), "").Body.Len(); n > 56<<10 {
		t.Errorf("styles, scripts and font are %d bytes; a first visit has room for 56 KiB of them", n)
	}
	for _, path := range []string{"/assets/", "/assets/x/app.css", "/assets/../web.go", "/assets/palette/zz.css", "/assets/palette/" + strings.Repeat("ffffff-", 400) + "ffffff.css"} {
		if w := get(path, ""); w.Code != 404 {
			t.Errorf("GET %s = %d; want 404", path, w.Code)
		}
	}
}

func TestPalette(t *testing.T) {
	url := web.Palette("#FDE047", "#2563EB", "#2563eb", "red;}", "#16a34a")
	if want := "/assets/palette/afde047-16a34a-2563eb.css"; url != want {
		t.Fatalf("Palette = %q; want %q", url, want)
	}
	w := httptest.NewRecorder()
	web.Assets().ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, ".c-2563eb{--c:#2563eb}") || !strings.Contains(body, "--accent-dark:") {
		t.Errorf("palette = %d %q", w.Code, body)
	}
	if web.ColorClass("#2563EB") != "c-2563eb" || web.ColorClass(`"><script>`) != "" || web.Palette("") != "" {
		t.Error("a colour that is none becomes a class or a sheet")
	}
}

// Every accent that can be chosen is readable in both schemes, as text and under
// text.
func TestAccentContrast(t *testing.T) {
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				color := "#" + hex.EncodeToString([]byte{byte(r), byte(g), byte(b)})
				a := web.AccentOf(color)
				for _, pair := range [][2]string{{a.Light, "#ffffff"}, {a.Light, "#fafafb"}, {a.Dark, "#16181d"}, {a.Dark, "#0e0f12"}, {a.Light, a.OnLight}, {a.Dark, a.OnDark}} {
					if c := web.Contrast(pair[0], pair[1]); c < 4.5 {
						t.Fatalf("accent %s: %s on %s has contrast %.2f", color, pair[0], pair[1], c)
					}
				}
			}
		}
	}
	if a := web.AccentOf("#4f46e5"); a.Light != "#4f46e5" || a.Adjusted {
		t.Errorf("AccentOf(#4f46e5) = %+v; want it unchanged", a)
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"**a** _b_ `c`":                     "<p><strong>a</strong> <em>b</em> <code>c</code></p>",
		"[x](https://e.example/?a=1&b=2)":   `<p><a href="https://e.example/?a=1&amp;b=2" rel="nofollow noreferrer">x</a></p>`,
		"<script>alert(1)</script>hi":       "",
		"[x](javascript:alert(1))":          "<p>x</p>",
		"![x](https://track.example/1.gif)": "<p></p>",
	} {
		got := strings.TrimSpace(web.MarkdownHTML(in))
		if want == "" && (strings.Contains(got, "<script") || strings.Contains(got, "alert(1)</script")) || want != "" && got != want {
			t.Errorf("Markdown(%q) = %q; want %q", in, got, want)
		}
	}
}

// dangerous is what would run, load or restyle if it came through.
var dangerous = regexp.MustCompile(`(?i)<(script|style|iframe|object|embed|img|svg|math|form|input|base|link|meta|video|audio)|<[^>]*(\son\w+\s*=|(href|src)\s*=\s*["']?\s*(javascript|data|vbscript|//)|style\s*=)`)

func TestHostileMarkdown(t *testing.T) {
	parts := []string{"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert`1`)", "[a](JaVaScRiPt:alert(1))",
		"[a](data:text/html;base64,PHNjcmlwdD4=)", "<a href='javascript:x'>y</a>", "<svg/onload=alert(1)>", "[a]: javascript:alert(1)\n\n[a]",
		"![a](\"onerror=\"alert(1))", "<iframe srcdoc='<script>'>", "`<script>`", "<style>*{display:none}</style>", "<div style=\"position:fixed\">",
		"[a](vbscript:x)", "<https://x.example\" onmouseover=\"alert(1)>", "<math><mtext></style><img src onerror=alert(1)>", "&#106;avascript:alert(1)",
		"[a](&#x6A;avascript:alert(1))", "[a](java\nscript:alert(1))", "<!--><script>alert(1)</script>-->", "[a](//evil.example)", "<base href=//evil.example>",
		"- [ ] <input onfocus=alert(1) autofocus>", "| a |\n|---|\n| <img src=x onerror=alert(1)> |", "~~<script>~~", "\x00<script>", "](javascript:x)[", "<form action=//evil.example>"}
	n := 0
	for _, a := range parts {
		for _, b := range parts {
			for _, form := range []string{a + b, "> " + a + "\n\n" + b, "**" + a + "**[" + b + "](" + a + ")", "```" + a + "\n" + b + "\n```", "# " + a + "\n1. " + b} {
				n++
				if got := web.MarkdownHTML(form); dangerous.MatchString(got) {
					t.Fatalf("Markdown(%q) = %q", form, got)
				}
			}
		}
	}
	if n < 3000 {
		t.Errorf("only %d inputs tried", n)
	}
}

func TestExcerpt(t *testing.T) {
	for in, want := range map[string]string{
		"# Title\n\nSome **bold** [link](http://x) text": "Title Some bold link text",
		"- a\n- b\n> c":             "a b c",
		"```go\ncode\n```":          "code",
		strings.Repeat("word ", 50): "word word word word word word word word…",
	} {
		if got := web.Excerpt(in, 40); got != want {
			t.Errorf("Excerpt(%q) = %q; want %q", in, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	for in, want := range map[string]string{
		"https://git.example/pull/1": "https://git.example/pull/1", "javascript:alert(1)": "#", "//evil.example": "#",
		" http://a.example ": "http://a.example", "data:text/html,x": "#", "": "#",
	} {
		if got := string(web.Link(in)); got != want {
			t.Errorf("Link(%q) = %q; want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"/p/x?a=1#b": "/p/x?a=1#b", "//evil.example": "/", "https://evil.example": "/", `/\evil.example`: "/", "x": "/", "/a\r\nB: c": "/",
	} {
		if got := web.Local(in, "/"); got != want {
			t.Errorf("Local(%q) = %q; want %q", in, got, want)
		}
	}
}

func TestFieldShowsItsProblem(t *testing.T) {
	problems, ok := web.ProblemsOf(feedback.Problems{{Path: "title", Rule: feedback.RuleMaxLength, Message: "x"}}.Err())
	if !ok {
		t.Fatal("ProblemsOf finds no problems in a validation error")
	}
	got := render(t, web.Input(web.Field{Name: "title", Label: "Title", Value: `"><script>`, Max: 200, Problems: problems}))
	for _, want := range []string{`aria-invalid="true"`, `aria-describedby="title-error"`, `id="title-error"`, "200 characters", "&lt;script&gt;"} {
		if !strings.Contains(got, want) {
			t.Errorf("the field is %q; want %q in it", got, want)
		}
	}
}

func TestRender(t *testing.T) {
	page := web.Document(web.Doc{Title: "T"})
	r := httptest.NewRequest("GET", "/", nil)
	w := httptest.NewRecorder()
	if err := web.Render(w, r, http.StatusOK, page); err != nil {
		t.Fatal(err)
	}
	tag := w.Header().Get("ETag")
	r.Header.Set("If-None-Match", tag)
	again := httptest.NewRecorder()
	if err := web.Render(again, r, http.StatusOK, page); err != nil {
		t.Fatal(err)
	}
	if tag == "" || again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("the same page again = %d with %d bytes; want 304 and none", again.Code, again.Body.Len())
	}
	w = httptest.NewRecorder()
	web.Toast(w, "Grüße “\n” 🎉")
	if got, want := w.Header().Get("HX-Trigger"), `{"toast":{"value":"Gr\u00fc\u00dfe \u201c\u000a\u201d \ud83c\udf89"}}`; got != want {
		t.Errorf("HX-Trigger = %s; want %s", got, want)
	}
}

func TestCharts(t *testing.T) {
	if got := render(t, web.LineChart("Votes <per> day", []web.Point{{Value: 3}, {Value: 9}}, 600, 200)); !strings.Contains(got, "&lt;per&gt;") || strings.Contains(got, "NaN") {
		t.Errorf("LineChart = %q", got)
	}
	for _, c := range []templ.Component{web.LineChart("none", nil, 10, 10), web.Sparkline("one", []int{1}, 10, 10), web.SplitChart(0, 0, 0, 10)} {
		if got := render(t, c); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
			t.Errorf("an empty chart holds %q", got)
		}
	}
}
