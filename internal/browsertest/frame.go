package browsertest

import (
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
)

// frame is the first frame inside the page, or "" while there is none.
func (p *Page) frame() cdp.FrameID {
	p.t.Helper()
	if all := call(p, page.GetFrameTree, struct{}{}).FrameTree.ChildFrames; len(all) > 0 {
		return all[0].Frame.ID
	}
	return ""
}

// InFrame is Eval in the first frame inside the page, of whatever site it is. It
// sees the frame's document and none of its scripts' variables.
func InFrame[T any](p *Page, expression string) (value T) {
	p.t.Helper()
	frame := p.frame()
	if frame == "" {
		p.t.Fatalf("evaluate %s: the page holds no frame", shorten(expression, 200))
	}
	yes := true
	world := call(p, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame})
	got := call(p, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: world.ExecutionContextID, ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
	})
	if got.ExceptionDetails != nil {
		p.t.Fatalf("evaluate %s in the frame: %s", shorten(expression, 200), got.ExceptionDetails.Text)
	}
	if err := json.Unmarshal(got.Result.Value, &value); err != nil {
		p.t.Fatalf("evaluate %s in the frame: %v", shorten(expression, 200), err)
	}
	return value
}

// WaitInFrame returns when a JavaScript expression is true in the first frame
// inside the page, also if the frame goes from page to page meanwhile.
func (p *Page) WaitInFrame(expression string) {
	p.t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if frame := p.frame(); frame != "" && p.trueIn(frame, expression) {
			return
		}
		Eval[bool](p, `new Promise(done => setTimeout(done, 20, true))`) // of the page, which stays
	}
	p.t.Fatalf("waited to find true in the frame: %s\nThe frame is %s", expression,
		shorten(InFrame[string](p, `location.href + "\n" + (document.body ? document.body.innerText : "")`), 2000))
}

// trueIn asks a frame that may be on its way to another page.
func (p *Page) trueIn(frame cdp.FrameID, expression string) bool {
	world, err := tryCall(p, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame})
	if err != nil {
		return false
	}
	yes := true
	got, err := tryCall(p, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "!!(" + expression + ")", ContextID: world.ExecutionContextID, ReturnByValue: &yes,
	})
	return err == nil && got.ExceptionDetails == nil && string(got.Result.Value) == "true"
}

// Cookies names all that the browsing context of the page holds, of any site.
func (p *Page) Cookies() (names []string) {
	p.t.Helper()
	for _, c := range call(p, storage.GetCookies, storage.GetCookiesParams{}).Cookies {
		names = append(names, c.Domain+" "+c.Name)
	}
	return names
}
