package browsertest

import (
	"fmt"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Fill puts a value into a field in place of what it holds, as a person does who
// pastes it or picks a date or a colour.
func (p *Page) Fill(selector, value string) {
	p.t.Helper()
	p.Wait(selector)
	Eval[bool](p, fmt.Sprintf(`(e => {
		e.focus()
		e.value = %q
		for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, {bubbles: true}))
		return true
	})(document.querySelector(%q))`, value, selector))
}

// Select chooses the first option that shows text.
func (p *Page) Select(selector, text string) {
	p.t.Helper()
	p.Wait(selector)
	found := Eval[bool](p, fmt.Sprintf(`(e => {
		const option = [...e.options].find(o => o.text.includes(%q))
		if (!option) return false
		e.focus()
		option.selected = true
		for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, {bubbles: true}))
		return true
	})(document.querySelector(%q))`, text, selector))
	if !found {
		p.t.Fatalf("%s offers no %q", selector, text)
	}
}

// Press types where the focus is, as a keyboard does: a page that takes a key
// for itself keeps its character from being typed. Keys without a character are
// those of package kb of chromedp: "\r" is Enter.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.press(keys)
}

// PressControl presses a key together with Ctrl.
func (p *Page) PressControl(key string) {
	p.t.Helper()
	p.press(key, chromedp.KeyModifiers(kb.ModifierCtrl))
}

func (p *Page) press(keys string, options ...chromedp.KeyOption) {
	p.t.Helper()
	for _, r := range keys {
		var down, up input.DispatchKeyEventParams
		for _, k := range kb.Encode(r) {
			for _, option := range options {
				option(k)
			}
			switch k.Type {
			case kb.KeyDown:
				down, up = *k, *k
			case kb.KeyChar:
				if len(options) == 0 {
					// In one event with the key, not after it: only then
					// can the page refuse it.
					down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.Text, k.UnmodifiedText
				}
			}
		}
		up.Type = kb.KeyUp
		call(p, input.DispatchKeyEvent, down)
		call(p, input.DispatchKeyEvent, up)
	}
}

// Copied is what the clipboard holds.
func (p *Page) Copied() string {
	p.t.Helper()
	allow := permissions.SetPermissionParams{
		Permission: &permissions.PermissionDescriptor{Name: "clipboard-read"}, Setting: permissions.PermissionSettingGranted,
		BrowserContextID: cdp.BrowserContextID(chromedp.FromContext(p.ctx).BrowserContextID),
	}
	if _, err := chromedp.Call(p.ctx, permissions.SetPermission, allow); err != nil {
		p.t.Fatalf("permission to read the clipboard: %v", err)
	}
	return Eval[string](p, "navigator.clipboard.readText()")
}

// Upload puts files into a field that takes them.
func (p *Page) Upload(selector string, files ...string) {
	p.t.Helper()
	p.await("put files into "+selector, chromedp.SetUploadFiles(chromedp.CSS(selector), files))
}
