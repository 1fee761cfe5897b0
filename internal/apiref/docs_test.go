package apiref_test

import (
	"strings"
	"testing"

	"heed/internal/browsertest"
)

// The page of the error codes is the API's, but is read beside the reference and
// looked at in the same browser.
func TestErrorPage(t *testing.T) {
	url, _ := serve(t)
	for name, options := range looks {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, options...)
			p.Go(url + "/docs/errors#POST_LOCKED")
			p.CheckAccessibility()
			p.CheckWidth()
			if shift := p.LayoutShift(); shift != 0 {
				t.Errorf("layout shift %v", shift)
			}
			p.Shot("errors-" + name) // after the measure: a picture of all of a phone's page moves it
			ground := browsertest.Eval[string](p, `getComputedStyle(document.body).backgroundColor`)
			if dark := ground == "rgb(14, 15, 18)"; dark != strings.Contains(name, "dark") {
				t.Errorf("the ground is %s", ground)
			}
			marked := browsertest.Eval[string](p, `document.querySelector("section:target").id`)
			if marked != "POST_LOCKED" {
				t.Errorf("marked is %q", marked)
			}
			p.ClickText("nav a", "RATE_LIMITED")
			if got := p.Location(); !strings.HasSuffix(got, "/docs/errors#RATE_LIMITED") {
				t.Errorf("from the contents to %s", got)
			}
		})
	}
}
