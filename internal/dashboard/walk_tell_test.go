package dashboard_test

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
	"heed/internal/webhook"
	"heed/internal/worker"
)

// An entry of the changelog is written with its preview beside it, published and
// taken back; a run is started by hand and completed with it.
func TestWalkChangelog(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	posts := lively(t, w, o)
	b := w.walk(t)
	b.signIn(ownerEmail, password)

	b.at(site(o, "changelog"))
	b.WaitText("main h2", "Nothing told yet")
	b.Press("c")
	b.WaitText("h1", "New entry")
	b.Type("#title", "Exports that arrive")
	b.Type("#body", "They are **quick** now.")
	b.WaitText("#preview h3", "Exports that arrive")
	b.Wait("#preview strong")
	b.Type("#label", "Fixed")
	b.refuses("422", site(o, "changelog"))
	b.Type("#find", "time out")
	b.WaitText("#links .check", "Exports to CSV time out")
	b.Click("#links [name=linked]")
	b.Wait("#links :checked")
	b.Fill("#find", w.srv.URL+site(o, "posts", posts[5]))
	b.WaitText("#links .check:nth-child(2)", "Keyboard shortcuts")
	b.ClickText("button", "Schedule")
	b.WaitText(".error", "must be a date and a time")
	b.Wait("#links .check:first-child :checked")
	b.ClickText("button", "Save draft")
	b.told("The draft is saved")
	b.WaitText("#links .check", "Exports to CSV time out")
	b.Fill("#title", "Exports that always arrive")
	b.ClickText("button", "Save draft")
	b.told("The entry is saved")
	b.Confirm("told by mail, which cannot be taken back")
	b.ClickText("button", "Publish")
	b.told("The entry is published")
	b.WaitText("tr:has(.pill.good) td", "Exports that always arrive")
	b.at(site(o, "changelog", "new"))
	if got := b.value("#title"); got != "" {
		t.Errorf("an entry that was saved is offered again as a draft: %q", got)
	}
	b.at(site(o, "changelog"))
	b.Press("j")
	b.Press("\r")
	b.WaitText("h1", "Exports that always arrive")
	b.button("/unpublish", "Unpublish")
	b.told("The entry is a draft again")

	b.at(site(o, "automation"))
	b.Click(".lane a[href*='post=" + posts[4].String() + "']")
	b.Wait("#postId[value='" + posts[4].String() + "']")
	b.Type("#repo", "northwind/app")
	b.ClickText("#start button", "Start")
	b.told("The run is queued")
	b.WaitText("h1", "Exports to CSV time out above 10,000 rows")
	b.WaitText(".meta", "northwind/app")
	b.Select("[name=outcome]", "Shipped")
	b.Select("#doneStatusId", "Done")
	b.Select("#changelogEntryId", "Exports that always arrive")
	b.button("/complete", "Complete")
	b.told("The run is completed")
	b.WaitText(".pill.good", "Shipped")
	b.at(site(o, "posts", posts[4]))
	b.WaitText("aside", "Run #1")
	if got := browsertest.Eval[string](b.Page, `document.querySelector("[name=statusId]").selectedOptions[0].text.trim()`); got != "Done" {
		t.Errorf("the post of a run that shipped is %q; want Done", got)
	}
	b.at(site(o, "changelog"))
	b.WaitText("tr:has(.pill.good) td", "Exports that always arrive")
}

// receiver is an address of a customer's, and the worker that sends to it.
func receiver(t *testing.T) (*world, *httptest.Server, *atomic.Int32) {
	t.Helper()
	status := &atomic.Int32{}
	status.Store(http.StatusInternalServerError)
	srv := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		rw.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(rw, "<b>said the receiver</b>")
	}))
	t.Cleanup(srv.Close)
	guard := webhook.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	w := newWorld(t, "sqlite", func(cfg *app.Config) { cfg.Webhooks = app.Webhooks{Guard: guard} })
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	cfg := worker.DeliveryConfig{
		App: w.app, Sender: webhook.NewSender(webhook.Config{Guard: guard, Roots: roots, Now: w.clock.Now}), Log: slog.New(slog.DiscardHandler),
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		worker.Run(ctx, cfg.Log, worker.Deliveries(cfg))
		cfg.Sender.Close()
		close(done)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return w, srv, status
}

// An endpoint is made, tried, seen to fail and to work, switched, given a new
// secret and removed.
func TestWalkWebhooks(t *testing.T) {
	w, srv, status := receiver(t)
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	b := w.walk(t)
	b.signIn(ownerEmail, password)
	hooks := site(o, "webhooks")

	b.at(hooks)
	b.WaitText("main h2", "No endpoints yet")
	b.refuses("422", hooks)
	b.Type("#url", "http://example.com/plain")
	b.ClickText("button", "Add endpoint")
	b.WaitText("#url-error", "https")
	b.Fill("#url", srv.URL+"/heed")
	b.Type("#description", "Ours")
	b.Click("[value='post.created']")
	b.Click("[value='post.status_changed']")
	b.ClickText("button", "Add endpoint")
	b.told("The signing secret")
	b.CheckAccessibility()
	secret := b.copies("#secret")

	// A test that fails is seen to fail without a click.
	b.Select("[aria-label='Sample of']", "post.created")
	b.button("/test", "Send a test")
	b.told("A sample is on its way")
	b.WaitText("#attempts + .line", "Answered 500")
	b.WaitText("#attempts + .line pre", "<b>said the receiver</b>")
	b.CheckAccessibility()
	b.WaitText(".codebox", `"type": "post.created"`)
	status.Store(http.StatusNoContent)
	b.ClickText("button", "Send it again")
	b.told("It is on its way again")
	b.WaitText(".pill.good", "succeeded")
	b.ClickText("p a.link", srv.URL)
	b.WaitText("h2", "Deliveries")
	b.Select("[aria-label='State']", "succeeded")
	b.Wait(".filters:has([value=succeeded][selected])")
	b.WaitText("td .badge", "redelivery")
	b.Select("[aria-label='Event']", "post.status_changed")
	b.WaitText("main", "Nothing fits")

	b.Fill("#graceHours", "2")
	b.button("/rotate", "Rotate")
	b.told("The signing secret")
	if again := b.copies("#secret"); again == secret {
		t.Error("the new secret is the old one")
	}
	b.WaitText("form[action$='/rotate']", "signs too until")
	b.Fill("#url", srv.URL+"/other")
	b.ClickText("aside form button", "Save")
	b.told("The endpoint is changed")
	b.WaitText("h1", "/other")
	b.button("/switch", "Turn off")
	b.WaitText(".head .pill", "Off")
	b.button("/switch", "Turn on")
	b.WaitText(".head .pill", "On")
	b.Confirm("Remove the endpoint and its log?")
	b.button("/remove", "Remove the endpoint")
	b.told("The endpoint is removed")
	b.WaitText("main h2", "No endpoints yet")
}
