package browsertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show what a test waits for. It is no
// measure of speed: it only makes a test that would wait forever say for what.
const patience = 2 * time.Minute

// The two widths every page is looked at.
const (
	Wide   = 1280
	Narrow = 390
)

// Page is a page in a browsing context of its own. Its methods end the test
// when they cannot do what they are asked to.
type Page struct {
	t         testing.TB
	ctx       context.Context
	noScripts bool

	mu       sync.Mutex
	inside   map[string]bool // hosts the test went to
	requests []Request
	sent     map[network.RequestID]Request
	findings []finding
	expected []*expectation
	answers  []*expectation // questions to be answered with yes
	readers  sync.WaitGroup
}

// Option is how a page is to be seen.
type Option func(*Page)

// Dark asks for the dark scheme; without it a page is asked for the light one.
func Dark(p *Page) { p.Scheme("dark") }

// Desk is the wide width, which a page has unless it is told otherwise.
func Desk(p *Page) { p.do(chromedp.EmulateViewport(Wide, 860)) }

// Light asks for the light scheme, likewise.
func Light(p *Page) { p.Scheme("light") }

// Phone is the narrow width, with a touch screen.
func Phone(p *Page) {
	p.do(chromedp.EmulateViewport(Narrow, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
}

// Language has the browser ask for a language.
func Language(tag string) Option {
	return func(p *Page) {
		call(p, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": tag}})
	}
}

// NoJavaScript switches the scripts of the page off. Eval and what is built on
// it, such as CheckAccessibility, still works.
func NoJavaScript(p *Page) {
	p.t.Helper()
	p.noScripts = true
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// Open returns an empty page, wide and light unless options say otherwise, which
// is closed and judged when the test ends. Without Chromium the test is skipped;
// it fails instead where CI or HEED_TEST_REQUIRE is set, so that nothing passes
// for having been left out.
func Open(t testing.TB, options ...Option) *Page {
	t.Helper()
	b, err := start()
	if errors.Is(err, errNoChromium) && !required() {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("browser for tests: %v", err)
	}
	ctx, closePage := chromedp.NewContext(b, chromedp.WithNewBrowserContext())
	p := &Page{t: t, ctx: ctx, inside: map[string]bool{}, sent: map[network.RequestID]Request{}}
	t.Cleanup(func() {
		t.Helper()
		// The answer to a last call comes after every event before it, and a
		// page that closes hands out what it still holds.
		if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			return target.Call(ctx, "Runtime.getIsolateId", nil, nil)
		})); err != nil {
			t.Errorf("last call to the page: %v", err)
		}
		closePage()
		p.readers.Wait()
		p.judge()
	})
	p.watch()
	p.See(append([]Option{Desk, Light}, options...)...)
	return p
}

// See has the page seen otherwise from now on.
func (p *Page) See(options ...Option) {
	p.t.Helper()
	for _, option := range options {
		option(p)
	}
}

// Scheme makes the page prefer "light" or "dark".
func (p *Page) Scheme(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"}, // so that nothing is seen halfway
	}})
}

// Go opens a URL and returns when the page has loaded. From then on its host is
// not an outside one.
func (p *Page) Go(url string) {
	p.t.Helper()
	p.mu.Lock()
	p.inside[hostOf(url)] = true
	p.mu.Unlock()
	p.await("load "+url, chromedp.Navigate(url))
}

// Visits says that a host is not an outside one, though the test does not go
// there by itself.
func (p *Page) Visits(url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside[hostOf(url)] = true
}

// Wait returns when an element that a CSS selector finds is visible.
func (p *Page) Wait(selector string) {
	p.t.Helper()
	p.await("see "+selector, chromedp.WaitVisible(chromedp.CSS(selector)))
}

// WaitGone returns when a selector finds nothing.
func (p *Page) WaitGone(selector string) {
	p.t.Helper()
	p.await("see no more of "+selector, chromedp.WaitNotPresent(chromedp.CSS(selector)))
}

// WaitFor returns when a JavaScript expression is true.
func (p *Page) WaitFor(expression string) {
	p.t.Helper()
	p.await("find true: "+expression, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Poll[bool]("!!("+expression+")",
			chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(20*time.Millisecond))(ctx, target)
		return err
	}))
}

// Click clicks the first visible element that a selector finds.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.await("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// ClickText clicks the first visible element that a selector finds and that
// shows text.
func (p *Page) ClickText(selector, text string) {
	p.t.Helper()
	found := fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => e.checkVisibility() && e.innerText.includes(%q))`, selector, text)
	p.await(fmt.Sprintf("click %s with the text %q", selector, text),
		chromedp.Click(chromedp.JSPath(found), chromedp.NodeVisible))
}

// WaitText returns when an element that a selector finds shows text and the page
// has loaded, also if it is left for another meanwhile.
func (p *Page) WaitText(selector, text string) {
	p.t.Helper()
	found := fmt.Sprintf(`document.readyState === "complete" ? [...document.querySelectorAll(%q)].find(e => e.checkVisibility() && e.innerText.includes(%q)) : undefined`, selector, text)
	p.await(fmt.Sprintf("see %s with the text %q", selector, text), chromedp.WaitVisible(chromedp.JSPath(found)))
}

// Type focuses an element and types into it.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.await("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// Text is what an element shows.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	text := ""
	p.await("read "+selector, chromedp.Func(func(ctx context.Context, target *chromedp.Target) (err error) {
		text, err = chromedp.Text(chromedp.CSS(selector), chromedp.NodeVisible)(ctx, target)
		return err
	}))
	return text
}

// Location is the URL of the page.
func (p *Page) Location() string {
	p.t.Helper()
	return Eval[string](p, "location.href")
}

// Eval returns the value of a JavaScript expression; that of a promise when it
// is kept. It is not bound by the page's content security policy.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", shorten(expression, 200), err)
	}
	return value
}

// await does what may have to wait for the page.
func (p *Page) await(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, action); err != nil {
		shown, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.href + "\n" + (document.body ? document.body.innerText : "")`))
		p.t.Fatalf("waited to %s: %v\nThe page is %s", what, err, shorten(shown, 2000))
	}
}

func (p *Page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
