package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Request is one that the page made.
type Request struct {
	Method, URL string
}

// finding is something that must not happen unannounced.
type finding struct {
	kind, text string
	request    network.RequestID // of what, if of a request
}

type expectation struct {
	text string
	met  bool
}

// Expect announces a finding that contains text: it must happen before the test
// ends, and may happen often.
func (p *Page) Expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, &expectation{text: text})
}

// Confirm announces a question that contains text, to be answered with yes; it
// must be asked before the test ends. Every other question is answered with no
// and is a finding.
func (p *Page) Confirm(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = append(p.answers, &expectation{text: text})
}

// Requests are those made so far, in order. Those for data: and the like, which
// go nowhere, are left out. They are heard of a moment after they are made: wait
// for what a request brings before looking for it.
func (p *Page) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// judge fails the test for every finding that was not expected and for every
// expectation that was not met.
func (p *Page) judge() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.findings {
		text := f.kind + ": " + f.text
		if f.request != "" {
			// Each kind of event has a reader of its own, so only now is it
			// sure that the request was read too.
			r := p.sent[f.request]
			text += " for " + r.Method + " " + shorten(r.URL, 200)
		}
		announced := false
		for _, e := range p.expected {
			if strings.Contains(text, e.text) {
				e.met, announced = true, true
			}
		}
		if !announced {
			p.t.Errorf("the browser reports: %s", text)
		}
	}
	for _, e := range p.expected {
		if !e.met {
			p.t.Errorf("the browser was expected to report %q and did not", e.text)
		}
	}
	for _, e := range p.answers {
		if !e.met {
			p.t.Errorf("the page was expected to ask %q and did not", e.text)
		}
	}
}

func (p *Page) found(kind, format string, args ...any) {
	p.findings = append(p.findings, finding{kind: kind, text: fmt.Sprintf(format, args...)})
}

// watch listens to everything that can be a finding.
func (p *Page) watch() {
	p.t.Helper()
	p.do() // makes the target
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, struct{}{})
	call(p, runtime.Enable, struct{}{})
	call(p, page.Enable, page.EnableParams{})
	on(p, network.RequestWillBeSent, p.onRequest)
	on(p, network.WebSocketCreated, func(e network.EventWebSocketCreated) { p.checkHost("GET", e.URL) })
	on(p, network.ResponseReceived, p.onResponse)
	on(p, network.LoadingFailed, p.onFailure)
	on(p, runtime.ExceptionThrown, p.onException)
	on(p, runtime.ConsoleAPICalled, p.onConsole)
	on(p, log.EntryAdded, p.onLog)
	on(p, page.JavascriptDialogOpening, p.onQuestion)
}

// on calls f for every event, until the page is closed.
func on[E any](p *Page, event cdp.Event[E], f func(E)) {
	// Not the context of the page: it ends before the last events are read.
	events := cdp.Events(context.Background(), chromedp.FromContext(p.ctx).Target, event)
	p.readers.Go(func() {
		for e, err := range events {
			p.mu.Lock()
			if err != nil {
				p.found("watching", "%v", err)
			} else {
				f(e)
			}
			p.mu.Unlock()
		}
	})
}

func call[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	res, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return res
}

func tryCall[P, R any](p *Page, command cdp.Command[P, R], params P) (R, error) {
	return chromedp.Call(p.ctx, command, params)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// checkHost finds fault with a request to a host the test never went to. It
// reports whether the request leaves the browser at all.
func (p *Page) checkHost(method, address string) bool {
	if u, err := url.Parse(address); err == nil && slices.Contains([]string{"data", "blob", "about", "chrome"}, u.Scheme) {
		return false
	}
	if !p.inside[hostOf(address)] {
		p.found("outside request", "%s %s", method, address)
	}
	return true
}

func (p *Page) onRequest(e network.EventRequestWillBeSent) {
	r := Request{e.Request.Method, e.Request.URL}
	p.sent[e.RequestID] = r
	if p.checkHost(r.Method, r.URL) {
		p.requests = append(p.requests, r)
	}
}

func (p *Page) onResponse(e network.EventResponseReceived) {
	if e.Response.Status >= 400 {
		p.findings = append(p.findings, finding{"failed request", fmt.Sprint(e.Response.Status), e.RequestID})
	}
}

func (p *Page) onFailure(e network.EventLoadingFailed) {
	// A request is given up when a page is left. One that was blocked counts as
	// given up too, but says why.
	if e.Canceled && e.BlockedReason == "" {
		return
	}
	p.findings = append(p.findings, finding{"failed request", strings.TrimSpace(e.ErrorText + " " + string(e.BlockedReason)), e.RequestID})
}

func (p *Page) onException(e runtime.EventExceptionThrown) {
	d := e.ExceptionDetails
	text := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		text += " " + d.Exception.Description
	}
	p.found("exception", "%s (%s:%d:%d)", shorten(text, 1000), d.URL, d.LineNumber+1, d.ColumnNumber+1)
}

func (p *Page) onConsole(e runtime.EventConsoleAPICalled) {
	if e.Type != runtime.ConsoleAPICalledTypeError && e.Type != runtime.ConsoleAPICalledTypeAssert {
		return
	}
	var words []string
	for _, arg := range e.Args {
		var s string
		switch {
		case jsonv2.Unmarshal(arg.Value, &s) == nil:
		case arg.Description != "":
			s = arg.Description
		default:
			s = string(arg.Value)
		}
		words = append(words, s)
	}
	p.found("console error", "%s", shorten(strings.Join(words, " "), 1000))
}

// onLog hears what the browser itself writes to the console, above all what the
// content security policy refused. What it says of failed requests, the network
// has told already.
func (p *Page) onLog(e log.EventEntryAdded) {
	if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
		p.found(string(e.Entry.Source)+" error", "%s (%s)", shorten(e.Entry.Text, 1000), e.Entry.URL)
	}
}

// onQuestion answers what the page asks in a dialog. It stands still until then.
func (p *Page) onQuestion(e page.EventJavascriptDialogOpening) {
	yes := false
	for _, a := range p.answers {
		if strings.Contains(e.Message, a.text) {
			a.met, yes = true, true
		}
	}
	if !yes {
		p.found("question", "%s", e.Message)
	}
	p.readers.Go(func() {
		if _, err := chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: yes}); err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.found("question", "%s could not be answered: %v", e.Message, err)
		}
	})
}
