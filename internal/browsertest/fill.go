package browsertest

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// Replace empties a field and types into it.
func (p *Page) Replace(selector, text string) {
	p.t.Helper()
	p.Wait(selector)
	Eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%q).value = ""; return true })()`, selector))
	p.Type(selector, text)
}

// Choose chooses the option of a select that has a value.
func (p *Page) Choose(selector, value string) {
	p.t.Helper()
	p.Wait(selector)
	found := Eval[bool](p, fmt.Sprintf(`(() => {
		const s = document.querySelector(%q);
		s.value = %q;
		s.dispatchEvent(new Event("change", {bubbles: true}));
		return s.value === %q;
	})()`, selector, value, value))
	if !found {
		p.t.Fatalf("%s has no option %q", selector, value)
	}
}

// Upload puts files into a field that takes them.
func (p *Page) Upload(selector string, files ...string) {
	p.t.Helper()
	p.await("put files into "+selector, chromedp.SetUploadFiles(chromedp.CSS(selector), files))
}

// Confirm says yes to every question that the page asks from here on. The answer
// holds until the page is left.
func (p *Page) Confirm() {
	p.t.Helper()
	Eval[bool](p, `(() => { window.confirm = () => true; return true })()`)
}
