package browsertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// errNoChromium means that there is no browser to test with, as opposed to one
// that does not work.
var errNoChromium = errors.New("no Chromium is installed: 'make test' installs it where it may; " +
	"or point HEED_TEST_CHROMIUM at its program")

// browser is the one of this test binary.
var browser struct {
	sync.Mutex
	managed bool // Main is there to end it
	ctx     context.Context
	err     error
	stop    []context.CancelFunc
}

// Main runs the tests of a package and ends their browser.
func Main(m *testing.M) {
	browser.Lock()
	browser.managed = true
	browser.Unlock()
	code := m.Run()
	browser.Lock()
	for _, stop := range browser.stop {
		stop()
	}
	browser.Unlock()
	os.Exit(code)
}

// start returns the browser, started by the first test that asks for it.
func start() (context.Context, error) {
	browser.Lock()
	defer browser.Unlock()
	if !browser.managed {
		return nil, errors.New("nobody would end the browser: call browsertest.Main from TestMain")
	}
	if browser.ctx == nil && browser.err == nil {
		browser.ctx, browser.err = launch()
	}
	return browser.ctx, browser.err
}

func launch() (context.Context, error) {
	program, err := findChromium()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), // its profile is a new directory, removed with it
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("font-render-hinting", "none"),
		// Another host is not reached even where there is a network, so that a
		// page that needs one breaks here and not at a customer's.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]"),
		chromedp.Flag("no-proxy-server", true),
		// A frame of another site stays in the process of its page, where it
		// is watched as the page is.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,IsolateOrigins,site-per-process"),
		chromedp.Flag("disable-site-isolation-trials", true),
	)
	allocated, stopProcess := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocated)
	browser.stop = []context.CancelFunc{stopBrowser, stopProcess}
	return ctx, chromedp.Do(ctx)
}

// findChromium knows the same names as scripts/test-setup.
func findChromium() (string, error) {
	if program := os.Getenv("HEED_TEST_CHROMIUM"); program != "" {
		return exec.LookPath(program)
	}
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errNoChromium
}

// required reports whether a test that cannot run must fail.
func required() bool {
	return os.Getenv("CI") != "" || os.Getenv("HEED_TEST_REQUIRE") != ""
}
