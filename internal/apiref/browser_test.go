package apiref_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"heed/internal/api"
	"heed/internal/apiref"
	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// serve starts a server with the API and its reference and returns its URL and
// an account with a key. The page knows nothing of databases, so one kind is enough. The base
// URL is another than the browser uses, as behind a proxy.
func serve(t *testing.T) (url string, account *app.Opened) {
	t.Helper()
	a := feedbacktest.NewApp(t, feedbacktest.OpenDB(t, "sqlite"))
	account = feedbacktest.OpenAccount(t, a, "Northwind", feedback.Studio)
	mux := http.NewServeMux()
	mux.Handle("/", api.New(api.Config{App: a, BaseURL: "https://heed.example", CursorKey: []byte("for cursors")}))
	reference := apiref.Handler("/api/openapi.json")
	mux.Handle(apiref.Path, reference)
	mux.Handle(apiref.Path+"/", reference)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL, account
}

// summaries returns those of all operations of the document, sorted.
func summaries(t *testing.T, url string) []string {
	t.Helper()
	res, err := http.Get(url + "/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	if err := json.Unmarshal(b, &document); err != nil {
		t.Fatal(err)
	}
	var all []string
	for operations := range maps.Values(document.Paths) {
		for operation := range maps.Values(operations) {
			all = append(all, operation.Summary)
		}
	}
	slices.Sort(all)
	return all
}

// looks are how the page is seen: what it is for must work in all of them.
var looks = map[string][]browsertest.Option{
	"light":       nil,
	"dark":        {browsertest.Dark},
	"phone-light": {browsertest.Phone},
	"phone-dark":  {browsertest.Phone, browsertest.Dark},
}

func TestEveryOperationIsListed(t *testing.T) {
	url, _ := serve(t)
	p := browsertest.Open(t)
	p.Go(url + apiref.Path)
	p.Wait("h1")
	want := summaries(t, url)
	if len(want) < 21 {
		t.Fatalf("the document has only %d operations", len(want))
	}
	listed := browsertest.Eval[string](p, `document.querySelector("aside").innerText`)
	for _, summary := range want {
		if !strings.Contains(listed, "\n"+summary+"\n") {
			t.Errorf("the list has no %q", summary)
		}
	}
	for _, r := range p.Requests() {
		if !strings.HasPrefix(r.URL, url+"/api") {
			t.Errorf("to show the page takes %s %s", r.Method, r.URL)
		}
	}
}

func TestTryIt(t *testing.T) {
	url, account := serve(t)
	for name, options := range looks {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, options...)
			p.Go(url + apiref.Path)
			p.Wait("h1")
			p.CheckWidth()
			p.ShotOfWindow("apiref-" + name)
			p.Type("input[placeholder=Token]", account.Secret)
			p.Click("button.show-api-client-button[method=get]")
			p.ClickText("[role=dialog] button", "Send")
			p.WaitFor(`document.querySelector("[role=dialog]").innerText.includes("200 OK")`)
			p.WaitFor(`document.querySelector("[role=dialog]").innerText.includes('"Northwind"')`)
			p.ShotOfWindow("apiref-" + name + "-tried")
			dark := browsertest.Eval[bool](p, `document.body.classList.contains("dark-mode")`)
			if dark != strings.Contains(name, "dark") {
				t.Errorf("dark is %v", dark)
			}
			if kept := browsertest.Eval[string](p, `JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage}) + document.cookie`); strings.Contains(kept, account.Secret) {
				t.Errorf("the key is kept: %s", kept)
			}
		})
	}
}

// A write takes a path parameter and the body that the document has as its
// example, as it stands.
func TestTryAWrite(t *testing.T) {
	url, account := serve(t)
	p := browsertest.Open(t)
	p.Go(url + apiref.Path)
	p.Wait("h1")
	p.Type("input[placeholder=Token]", account.Secret)
	p.ClickText("aside a, aside button", "Create a status")
	p.ClickText("button.show-api-client-button[method=post]", "(post /v1/sites/{siteId}/statuses)")
	p.Click("[role=dialog] [data-placeholder=Value]") // the first one: siteId
	p.Press(account.Site.ID.String())
	p.ClickText("[role=dialog] button", "Send")
	p.WaitFor(`document.querySelector("[role=dialog]").innerText.includes("201 Created")`)
	p.WaitFor(`document.querySelector("[role=dialog]").innerText.includes('"sts_')`)
	p.ShotOfWindow("apiref-write")
	want := browsertest.Request{Method: "POST", URL: url + "/v1/sites/" + account.Site.ID.String() + "/statuses"}
	if sent := p.Requests(); !slices.Contains(sent, want) {
		t.Errorf("the requests are %v; want one to be %v", sent, want)
	}
}

// The policy is what keeps a text in the document, or a fault of Scalar's, from
// reaching another host or putting a style sheet over the page.
func TestPolicy(t *testing.T) {
	url, _ := serve(t)
	p := browsertest.Open(t)
	p.Go(url + apiref.Path)
	p.Wait("h1")
	p.Expect("style-src-elem")
	p.Expect("connect-src")
	p.Expect("https://other.example/")
	got := browsertest.Eval[string](p, `(async () => {
		const div = document.createElement("div")
		div.innerHTML = "<style>h1 { display: none !important }</style>"
		document.body.append(div)
		const hidden = getComputedStyle(document.querySelector("h1")).display === "none"
		const reached = await fetch("https://other.example/").then(() => true, () => false)
		return "hidden " + hidden + ", reached " + reached
	})()`)
	if got != "hidden false, reached false" {
		t.Error(got)
	}
}

func TestWithoutJavaScript(t *testing.T) {
	url, _ := serve(t)
	p := browsertest.Open(t, browsertest.NoJavaScript)
	p.Go(url + apiref.Path)
	if got := p.Text("noscript"); !strings.Contains(got, "OpenAPI document") {
		t.Errorf("the page says %q", got)
	}
}
