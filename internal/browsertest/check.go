package browsertest

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/vendored/axe.min.js
var axe string

// CheckAccessibility runs axe-core over the page and fails the test with a list
// of what breaks WCAG 2.2 AA or axe's best practices. Parts of the page that are
// not ours are left out by their selectors.
func (p *Page) CheckAccessibility(leftOut ...string) {
	p.t.Helper()
	var exclude []string
	for _, selector := range leftOut {
		exclude = append(exclude, "["+strconv.Quote(selector)+"]")
	}
	if p.noScripts {
		// axe waits for timers, and where scripts are off they never ring.
		Eval[bool](p, `window.setTimeout = f => (Promise.resolve().then(f), 1), true`)
	}
	if !Eval[bool](p, `typeof axe === "object"`) {
		Eval[bool](p, axe+`;true`) // once for each document: it is large
	}
	violations := Eval[[]struct {
		Rule, Impact, Help string
		Nodes              []struct{ Where, Why string }
	}](p, `axe.run({exclude: [`+strings.Join(exclude, ",")+`]}, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => r.violations.map(v => ({
		Rule: v.id, Impact: v.impact, Help: v.help,
		Nodes: v.nodes.map(n => ({Where: n.html, Why: n.failureSummary})),
	})))`)
	for _, v := range violations {
		var b strings.Builder
		fmt.Fprintf(&b, "accessibility, %s: %s (%s)", v.Impact, v.Help, v.Rule)
		for i, n := range v.Nodes {
			if i == 5 {
				fmt.Fprintf(&b, "\n  and %d more", len(v.Nodes)-i)
				break
			}
			fmt.Fprintf(&b, "\n  %s\n    %s", shorten(n.Where, 200), strings.ReplaceAll(n.Why, "\n", "\n    "))
		}
		p.t.Error(b.String())
	}
}

// Still is the layout shift below which nobody sees that anything moved: a tenth
// of what browsers call good. A letter that is painted in two steps on a busy
// machine stays far below it.
const Still = 0.01

// LayoutShift is by how much the page moved under its reader since it was
// opened, measured as browsers do (CLS): 0 when nothing did. Browsers forgive
// what moves within half a second of a click, and take the emulation of a phone
// for one; here everything counts, so measure before using the page.
func (p *Page) LayoutShift() float64 {
	p.t.Helper()
	return Eval[float64](p, `new Promise(done => {
		let sum = 0
		const add = entries => { for (const e of entries) sum += e.value }
		const o = new PerformanceObserver(list => add(list.getEntries()))
		o.observe({type: "layout-shift", buffered: true})
		// The buffered entries come in a task of their own, after a frame.
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { add(o.takeRecords()); done(sum) })))
	})`)
}

// CheckWidth fails the test when the page can be scrolled sideways.
func (p *Page) CheckWidth() {
	p.t.Helper()
	root := Eval[struct{ Wanted, Given int }](p, `({Wanted: document.documentElement.scrollWidth, Given: document.documentElement.clientWidth})`)
	if root.Wanted > root.Given {
		widest := Eval[string](p, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
			.slice(0, 3).map(e => e.outerHTML.slice(0, 150)).join("\n  ")`)
		p.t.Errorf("the page is %d px wide in a window of %d px:\n  %s", root.Wanted, root.Given, widest)
	}
}

// maxShot is the height above which a picture of a page is of no use.
const maxShot = 10_000

// Shot writes a picture of the whole page to a file of that name in the
// directory that HEED_SHOTS names; without HEED_SHOTS it does nothing.
func (p *Page) Shot(name string) {
	p.t.Helper()
	if os.Getenv("HEED_SHOTS") == "" {
		return
	}
	size := call(p, page.GetLayoutMetrics, struct{}{}).CSSContentSize
	beyond := true
	p.save(name, call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: &beyond,
		Clip:                  &page.Viewport{Width: size.Width, Height: min(size.Height, maxShot), Scale: 1},
	}).Data)
}

// ShotOfWindow is Shot for the part of the page that is in view.
func (p *Page) ShotOfWindow(name string) {
	p.t.Helper()
	if os.Getenv("HEED_SHOTS") == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatalf("screenshot: %v", err)
	}
	p.save(name, png)
}

func (p *Page) save(name string, png []byte) {
	p.t.Helper()
	dir := os.Getenv("HEED_SHOTS")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
