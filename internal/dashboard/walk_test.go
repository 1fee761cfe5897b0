package dashboard_test

import (
	"strings"
	"testing"

	"heed/internal/browsertest"
)

// walk is somebody at a real browser. Every action is followed by a wait for
// something that only the page after it has.
type walk struct {
	*browsertest.Page
	t testing.TB
	w *world
}

func (w *world) walk(t testing.TB, options ...browsertest.Option) *walk {
	t.Helper()
	return &walk{browsertest.Open(t, options...), t, w}
}

// at opens a path.
func (b *walk) at(path string) {
	b.t.Helper()
	b.Go(b.w.srv.URL + path)
}

// signIn signs in by the form.
func (b *walk) signIn(email, password string) {
	b.t.Helper()
	b.at("/signin")
	b.Type("#email", email)
	b.Type("#password", password)
	b.Click("form button.pri")
	b.Wait("nav.nav")
}

// button clicks the button of a form that goes to an address that ends like
// that.
func (b *walk) button(action, label string) {
	b.t.Helper()
	b.ClickText("form[action$='"+action+"'] button", label)
}

// told waits for what the page says after an action.
func (b *walk) told(text string) {
	b.t.Helper()
	b.WaitText(".note", text)
}

// value is what a field holds.
func (b *walk) value(selector string) string {
	b.t.Helper()
	return browsertest.Eval[string](b.Page, `document.querySelector("`+selector+`").value`)
}

// copies clicks a button that copies and checks that the clipboard has the text
// of an element.
func (b *walk) copies(selector string) string {
	b.t.Helper()
	b.Click("[data-copy='" + selector + "']")
	b.WaitText("#toasts", "Copied")
	text := strings.TrimSpace(b.Text(selector))
	if got := b.Copied(); got != text {
		b.t.Errorf("copying %s puts %q on the clipboard; want %q", selector, got, text)
	}
	return text
}

// refuses announces that a form is refused with a status.
func (b *walk) refuses(status, path string) {
	b.Expect(status + " for POST " + b.w.srv.URL + path)
}
