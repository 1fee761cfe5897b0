package dashboard_test

import (
	"strings"
	"testing"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// A team's day, in a real browser. The other tests send the same forms without
// one: nothing needs a script.
func TestADay(t *testing.T) {
	w := newWorld(t, "sqlite")
	token, err := w.app.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := browsertest.Open(t)
	p.Go(w.srv.URL + "/setup/" + token)
	p.Type("#email", ownerEmail)
	p.Type("#password", password)
	p.Type("#account", "Northwind")
	p.Type("#site", "Feedback")
	p.Click("form button.pri")
	p.Wait("#secret")
	p.CheckAccessibility()
	p.Shot("ready")
	if !strings.HasPrefix(p.Text("#secret"), "heed_") {
		t.Errorf("the first key is %q", p.Text("#secret"))
	}
	p.Click("a.btn.pri")
	p.Wait("nav.nav")

	// Two posts, a vote, a comment, a status.
	p.Click("main a[href$='/posts/new']")
	p.Type("#title", "Dark mode")
	p.Type("#onBehalfVisitorId", "ada")
	p.Click("main form button.pri")
	p.Wait(".note.good")
	p.Type("#body", "We are on it.")
	p.Click("#comments button.pri")
	p.Wait("#comments article")
	p.Type("input[name=onBehalfVisitorId]", "bob")
	p.ClickText("button", "Add a vote")
	p.Wait(".note.good")
	browsertest.Eval[bool](p, `document.querySelector("select[name=statusId]").selectedIndex = 2, true`)
	p.ClickText("button", "Change status")
	p.Wait("ol.line li:nth-child(2)")
	if got := p.Text("ol.line"); !strings.Contains(got, "changed the status from Open to Planned") {
		t.Errorf("the history says %q", got)
	}
	p.ClickText("button", "Pin")
	p.Wait("ol.line li:nth-child(3)")

	// A key.
	p.Go(w.srv.URL + "/dash/keys")
	p.Type("#name", "Robot")
	p.Click("input[value='posts:write']")
	p.ClickText("button", "Create key")
	p.Wait("#secret")
	p.CheckAccessibility()
	p.Shot("key-secret")

	// The order of statuses, by buttons.
	site := browsertest.Eval[string](p, `document.querySelector("nav a[href$='/statuses']").getAttribute("href")`)
	p.Go(w.srv.URL + site)
	p.Click("tbody tr:nth-child(2) .sort button")
	p.WaitText("tbody tr:first-child .pill", "Planned")

	// An invitation and a changelog entry.
	p.Go(w.srv.URL + "/dash/members")
	p.Type("#email", "new@northwind.example")
	p.ClickText("button", "Invite")
	p.Wait("#link")
	p.Shot("invited")
	p.Go(w.srv.URL + strings.TrimSuffix(site, "statuses") + "changelog/new")
	p.Type("#title", "Dark mode is here")
	p.Type("#body", "It **follows** the system.")
	p.WaitFor(`document.querySelector("#preview strong")?.textContent === "follows"`)
	p.Shot("editor")
	p.ClickText("button", "Publish")
	p.Wait(".pill.good")

	// Bulk actions.
	p.Go(w.srv.URL + strings.TrimSuffix(site, "statuses") + "posts")
	p.Click("input[name=post]")
	browsertest.Eval[bool](p, `document.querySelector("select[name=act]").value = "archive:", true`)
	p.ClickText(".bulk button", "Apply")
	p.Wait(".note.good")

	browsertest.Eval[bool](p, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true})), true`)
	p.Wait("#palette[open]")
	p.CheckAccessibility()
	p.Type("#palette input", "webh")
	p.ShotOfWindow("palette")
	browsertest.Eval[bool](p, `document.querySelector("#palette input").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true})), true`)
	p.Wait("nav a[aria-current][href$='/webhooks']")
	p.Click("form[action='/dash/signout'] button")
	p.Wait("#password")
}

// Rows of statuses can be dragged into another order.
func TestDrag(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	p := browsertest.Open(t)
	p.Go(w.srv.URL + "/signin")
	p.Type("#email", ownerEmail)
	p.Type("#password", password)
	p.Click("form button.pri")
	p.Wait("nav.nav")
	p.Go(w.srv.URL + site(o, "statuses"))
	browsertest.Eval[bool](p, `(() => {
		const rows = document.querySelectorAll("tbody tr"), data = new DataTransfer();
		const send = (type, to) => to.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
		send("dragstart", rows[3]); send("dragover", rows[0]); send("drop", rows[0]);
		return true;
	})()`)
	p.Wait("tbody tr:first-child[data-id='" + w.lists(t, o).statuses["Done"] + "']")
}
