package dashboard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// Every setting is changed in a browser, and the portal looks it.
func TestSettingsInABrowser(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	p := w.walk(t)
	p.signIn(ownerEmail, password)
	p.at(site(o, "settings"))
	p.Fill("#intro", "Tell us what to build.")
	p.ClickText("main button", "Save")
	p.told("The settings are saved")

	// A colour that is too pale is told before it is saved.
	p.ClickText(".list-nav a", "Look")
	p.WaitText("h2", "Colours")
	p.Fill("#accent", "#ffee00")
	p.WaitFor(`document.querySelector("#pick").value === "#ffee00"`)
	p.ClickText("main button", "Try it first")
	p.WaitText(".note", "This is how it would look")
	p.WaitText(".reading.light", "less than a reader needs")
	p.CheckAccessibility()
	p.Shot("look-tried")
	p.Fill("#accent", "teal")
	p.Expect("422")
	p.ClickText("main button", "Save")
	p.WaitText(".error", "must be a colour such as #0f766e")
	p.CheckAccessibility()
	p.Fill("#accent", "#0f766e")
	p.Click(`input[name="scheme"][value="dark"]`)
	p.ClickText("main button", "Save")
	p.told("The look is saved")

	bad, good := filepath.Join(t.TempDir(), "bad.png"), filepath.Join(t.TempDir(), "logo.png")
	for name, data := range map[string][]byte{bad: []byte("<svg></svg>"), good: picture(t, 64, 64)} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Upload("#logo", bad)
	p.ClickText("main button", "Upload")
	p.WaitText(".error", "must be a PNG, JPEG, GIF or WebP picture")
	p.Upload("#logo", good)
	p.ClickText("main button", "Upload")
	p.told("The logo is changed")
	p.WaitFor(`document.querySelector("img.logo-preview").naturalWidth === 64`)
	p.Shot("look-saved")

	p.ClickText(".list-nav a", "Languages")
	p.WaitText("h2", "Languages")
	p.Click(`input[value="de"]`)
	p.ClickText("main button", "Save")
	p.told("The language is saved")

	p.ClickText(".list-nav a", "Posting")
	p.WaitText("h2", "Posting")
	p.Click(`input[name="moderation"]`)
	p.ClickText("main button", "Save")
	p.told("The rules are saved")

	p.ClickText(".list-nav a", "Widget")
	p.WaitText("h2", "Put it on your page")
	p.Fill("#widgetOrigins", "https://app.example.com\nhttps://*.example.com")
	p.ClickText("main button", "Save")
	p.WaitText(".error", "cannot be “https://*.example.com”")
	p.Fill("#widgetOrigins", "https://app.example.com")
	p.ClickText("main button", "Save")
	p.told("may show the widget are saved")

	p.at("/p/" + o.Site.Slug + "/")
	p.Wait("img.logo")
	p.WaitText("p", "Tell us what to build.")
	if got := browsertest.Eval[string](p.Page, `document.documentElement.dataset.theme`); got != "dark" {
		t.Errorf("the portal has the scheme %q; want dark", got)
	}
	p.at(site(o, "settings", "look"))
	p.Confirm("Remove the logo?")
	p.ClickText("main button", "Remove the logo")
	p.told("The logo is removed")

	// Last: from here on links begin with the name.
	p.ClickText(".list-nav a", "Host name")
	p.WaitText("h2", "Host name")
	p.Type("#host", "feedback.northwind.example")
	p.ClickText("main button", "Save")
	p.told("The host name is saved")
	p.WaitText("h2", "Make it lead here")
	w.hosts = map[string][]string{"feedback.northwind.example": {"127.0.0.1"}}
	p.ClickText("main button", "Check the record")
	p.WaitText(".note.good", "It leads to this service")
}

// The secret of single sign-on is shown once, and blocks come and go.
func TestSecretsAndBlocksInABrowser(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	p := w.walk(t)
	p.signIn(ownerEmail, password)
	w.clock.pass(time.Hour)
	p.at(site(o, "settings", "sso"))
	p.Expect("403")
	p.ClickText("main button", "Make a secret")
	p.WaitText("h1", "Confirm that it is you")
	p.Type(`input[type="password"]`, password)
	p.Click("form button.pri")
	p.Wait("#secret")
	secret := p.Text("#secret")
	p.CheckAccessibility()
	p.Shot("sso-secret")
	w.enter(t, o, strings.TrimSpace(secret), "ada", "ada@example.com", "Ada")
	p.at(site(o, "settings", "sso"))
	p.WaitText("button", "Make a new secret")
	if strings.Contains(browsertest.Eval[string](p.Page, "document.documentElement.outerHTML"), secret) {
		t.Error("the secret is shown again")
	}
	p.Confirm("Turn single sign-on off?")
	p.ClickText("main button", "Turn it off")
	p.told("Single sign-on is off")

	p.ClickText(".list-nav a", "Block list")
	p.WaitText("h2", "Nobody is blocked")
	p.Select("#kind", "All addresses of a domain")
	p.Type("#value", "two words")
	p.Expect("422")
	p.ClickText("main button", "Block")
	p.WaitText(".error", "must be a domain such as example.com")
	p.Fill("#value", "spam.example")
	p.ClickText("main button", "Block")
	p.told("They cannot write any more")
	p.WaitText("td", "spam.example")
	p.ClickText("td button", "Unblock")
	p.told("They can write again")
}

// A visitor is found, looked at, blocked, let go, exported and deleted.
func TestVisitorInABrowser(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	posts := lively(t, w, o)
	secret := w.ssoSecret(t, o)
	ada := w.enter(t, o, secret, "crm-7", "ada@example.com", "Ada Moreno")
	ada.share(o, w.lists(t, o).boards["Bugs"], "Lonely idea", "")
	ada.post("/p/"+o.Site.Slug+"/posts/"+posts[0].String()+"/comments", "body", "Said by Ada")
	p := w.walk(t)
	p.signIn(ownerEmail, password)

	// From a comment to the person.
	p.at(site(o, "posts", posts[0]))
	p.ClickText(".comment a", "Ada Moreno")
	p.WaitText("h1", "Ada Moreno")
	p.ClickText(".nav a", "Visitors")
	p.WaitText("h1", "Visitors")
	p.Type("#q", "moren\r")
	p.Wait("tbody tr:only-child")
	p.ClickText("td a", "Ada Moreno")
	p.WaitText("h2", "About")
	p.WaitText("td a", "Lonely idea")
	p.ClickText(".seg a", "Votes")
	p.WaitText(".seg a[aria-current]", "Votes (1)")
	p.ClickText(".seg a", "Comments")
	p.WaitText(".said", "Said by Ada")

	p.ClickText("aside button", "Block")
	p.told("They cannot write any more")
	p.WaitText("aside", "ada@example.com")
	p.Shot("visitor-blocked")
	p.CheckAccessibility()
	p.ClickText("aside button", "Unblock")
	p.told("They can write again")

	// The download, as the button asks for it.
	export := browsertest.Eval[string](p.Page, `(async () => {
		const f = document.querySelector("form[action$='/export']");
		const r = await fetch(f.action, {method: "POST", body: new URLSearchParams(new FormData(f))});
		return r.headers.get("Content-Disposition") + " " + await r.text();
	})()`)
	if !strings.HasPrefix(export, "attachment") || !strings.Contains(export, "ada@example.com") || !strings.Contains(export, "Lonely idea") {
		t.Errorf("the export is %s", export)
	}

	p.ClickText("aside button", "Delete the visitor")
	p.WaitText(".note.bad", "Tick the box")
	w.clock.pass(time.Hour)
	p.Click(`input[name="sure"]`)
	p.Expect("403")
	p.ClickText("aside button", "Delete the visitor")
	p.WaitText("h1", "Confirm that it is you")
	p.Type(`input[type="password"]`, password)
	p.Click("form button.pri")
	p.told("The visitor is deleted")
	if strings.Contains(p.Text("main"), "Ada") {
		t.Error("the visitor is still in the list")
	}
}

// waitingRoom has four posts wait for approval.
func waitingRoom(t *testing.T, w *world, o *app.Opened) {
	t.Helper()
	w.moderate(t, o)
	v := w.user(t)
	for _, title := range []string{"First idea", "Second idea", "Third idea", "Fourth idea"} {
		v.share(o, w.lists(t, o).boards["Bugs"], title, "In some words.")
	}
}

// Posts are approved and rejected one by one and together, and taken back.
func TestApprovalInABrowser(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	waitingRoom(t, w, o)
	p := w.walk(t)
	p.signIn(ownerEmail, password)
	p.WaitText(".nav .count", "4")
	p.ClickText(".nav a", "Approval")
	p.WaitText(".seg a", "Waiting (4)")
	p.Click(`button[aria-label="Approve First idea"]`)
	p.told("The post is approved")
	p.WaitText(".nav .count", "3")
	p.Type(`input[name="reason"]`, "Not for us.")
	p.Click(`button[aria-label="Reject Second idea"]`)
	p.told("The post is rejected")
	p.ClickText(".seg a", "Rejected")
	p.WaitText("li", "Rejected because: Not for us.")
	p.CheckAccessibility()
	p.Click(`button[aria-label="Put back Second idea"]`)
	p.told("The post is waiting again")

	// Together: a box ticks all of them.
	p.ClickText(".seg a", "Waiting")
	p.WaitText("h2", "Third idea")
	p.Click("[data-all]")
	p.WaitText("[data-count]", "3")
	p.Click(`input[aria-label="Tick Fourth idea"]`)
	p.WaitText("[data-count]", "2")
	p.ClickText("button", "Approve the ticked")
	p.told("2 posts are approved")

	// From the page of the post.
	p.ClickText("h2 a", "Fourth idea")
	p.WaitText(".note.warn", "This post waits for approval")
	p.CheckAccessibility()
	p.Shot("post-waiting")
	p.ClickText(".note button", "Reject")
	p.WaitText(".note.warn", "This post was rejected")
	p.ClickText(".note button", "Approve")
	p.told("The post is approved")
	p.WaitGone(".nav .count")
}

// What matters most works without a line of JavaScript.
func TestManageWithoutJavaScript(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	waitingRoom(t, w, o)
	secret := w.ssoSecret(t, o)
	w.enter(t, o, secret, "crm-7", "ada@example.com", "Ada Moreno").share(o, w.lists(t, o).boards["Bugs"], "From Ada", "")
	p := w.walk(t, browsertest.NoJavaScript, browsertest.Phone)
	p.signIn(ownerEmail, password)

	p.at(site(o, "settings", "look"))
	p.Type("#accent", "#0f766e")
	p.ClickText("main button", "Save")
	p.told("The look is saved")
	logo := filepath.Join(t.TempDir(), "logo.png")
	if err := os.WriteFile(logo, picture(t, 32, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Upload("#logo", logo)
	p.ClickText("main button", "Upload")
	p.told("The logo is changed")

	p.at(site(o, "queue"))
	p.Click(`input[aria-label="Tick First idea"]`)
	p.Click(`input[aria-label="Tick Third idea"]`)
	p.ClickText("button", "Approve the ticked")
	p.told("2 posts are approved")
	p.Click(`button[aria-label="Reject Second idea"]`)
	p.told("The post is rejected")
	p.Shot("queue-nojs")

	p.at(site(o, "visitors"))
	p.Type("#q", "ada")
	p.ClickText("button", "Apply")
	p.WaitText("td a", "Ada Moreno")
	p.ClickText("td a", "Ada Moreno")
	p.WaitText("h2", "Writing")
	p.ClickText("aside button", "Block")
	p.told("They cannot write any more")
	p.ClickText("aside button", "Unblock")
	p.told("They can write again")
	p.Click(`input[name="sure"]`)
	p.ClickText("aside button", "Delete the visitor")
	p.told("The visitor is deleted")

	p.at(site(o, "settings", "blocks"))
	p.Type("#value", "troll@example.com")
	p.ClickText("main button", "Block")
	p.told("They cannot write any more")
	p.at(site(o, "settings", "sso"))
	p.ClickText("main button", "Make a new secret")
	p.Wait("#secret")
	if got := w.settings(t, o); got.Accent != "#0f766e" || got.LogoHash == "" {
		t.Errorf("the settings are %+v", got)
	}
}
