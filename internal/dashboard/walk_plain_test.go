package dashboard_test

import (
	"fmt"
	"testing"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// What a team cannot do without works without JavaScript: set-up, sign-in,
// triage, a merge and its undoing, keys, the changelog and webhooks.
func TestWalkWithoutJavaScript(t *testing.T) {
	w := newWorld(t, "sqlite")
	token, err := w.app.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := w.walk(t, browsertest.NoJavaScript)
	b.at("/setup/" + token)
	b.Type("#email", ownerEmail)
	b.Type("#password", password)
	b.Type("#account", "Northwind")
	b.Type("#site", "Northwind feedback")
	b.ClickText("button", "Set up")
	b.WaitText("h1", "Northwind feedback is ready")
	b.Wait("#secret")
	if n := browsertest.Eval[int](b.Page, `[...document.querySelectorAll("[data-js]")].filter(e => e.checkVisibility()).length`); n != 0 {
		t.Errorf("%d things that need JavaScript are shown", n)
	}
	b.ClickText("a", "Open the dashboard")
	b.WaitText("main", "No feedback yet")
	b.Click("[aria-label='Sign out']")
	b.WaitText("h1", "Sign in")
	b.signIn(ownerEmail, password)

	log := func(title string) {
		t.Helper()
		b.ClickText("nav a", "Posts")
		b.WaitText("h1", "Posts")
		b.ClickText("main a", "New post")
		b.WaitText("h1", "New post")
		b.Select("#boardId", "Bugs")
		b.Type("#title", title)
		b.Type("#onBehalfVisitorId", "user-1")
		b.ClickText("button", "Log the post")
		b.told("The post is logged")
		b.WaitText("h1", title)
	}
	log("Exports time out")
	log("Exports lose a row")
	b.Type("#body", "We look into it.")
	b.ClickText(".check", "Internal")
	b.ClickText("button", "Comment")
	b.WaitText(".comment.internal", "We look into it.")
	b.Select("[name=statusId]", "Planned")
	b.ClickText("button", "Change status")
	b.told("The status is changed")
	b.button("/flags", "Pin")
	b.told("The post is pinned")

	b.ClickText("main a", "Merge")
	b.WaitText("h1", "Merge into another post")
	b.Type("#q", "exports")
	b.ClickText("button", "Search")
	b.WaitText("td", "Exports time out")
	b.ClickText("td a", "Choose")
	b.WaitText(".facts", "After the merge")
	b.button("/merge", "Merge")
	b.told("The posts are merged")
	b.WaitText("h1", "Exports time out")
	b.ClickText("button", "Undo")
	b.told("The merge is undone")
	b.WaitText("h1", "Exports lose a row")

	b.ClickText("nav a", "Posts")
	b.WaitText("h1", "Posts")
	b.Select("[name=status]", "Planned")
	b.ClickText(".filters button", "Apply")
	b.WaitGone("tbody tr:nth-child(2)")
	b.Click("tbody .tick input")
	b.Select("[name=act]", "Set to Done")
	b.ClickText(".bulk button", "Apply")
	b.told("1 post changed")
	b.WaitText("main h2", "No posts here")

	b.ClickText("nav a", "Statuses")
	b.WaitText("h1", "Statuses")
	b.Click("[aria-label='Move Planned up']")
	b.WaitText("tbody tr:first-child .pill", "Planned")

	b.ClickText("nav a", "API keys")
	b.WaitText("h1", "API keys")
	b.Type("#name", "Robot")
	b.ClickText("button", "Create key")
	b.told("“Robot” is ready")
	if _, err := w.app.Authenticate(t.Context(), b.Text("#secret"), ""); err != nil {
		t.Errorf("the new key: %v", err)
	}
	b.Click("[aria-label='Revoke Robot']")
	b.told("The key is revoked")

	b.ClickText("nav a", "Changelog")
	b.WaitText("h1", "Changelog")
	b.ClickText("main a", "New entry")
	b.WaitText("h1", "New entry")
	b.Type("#title", "Exports that arrive")
	b.Type("#body", "They are **quick** now.")
	b.ClickText("button", "Publish")
	b.told("The entry is published")
	b.WaitText("tr:has(.pill.good) td", "Exports that arrive")

	b.ClickText("nav a", "Webhooks")
	b.WaitText("h1", "Webhooks")
	b.Type("#url", "https://hooks.example.com/heed")
	b.ClickText("button", "Add endpoint")
	b.told("The signing secret")
	b.button("/test", "Send a test")
	b.told("A sample is on its way")
	b.WaitText("main", "None yet")
}

// longName has no place where a line may break.
const longName = "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrentenauszahlung"

// Names as long and odd as names may be break no page, narrow or wide.
func TestWalkOddNames(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, longName, ownerEmail, feedback.Studio)
	b := w.walk(t, browsertest.Phone)
	b.signIn(ownerEmail, password)
	odd := `<script>alert(1)</script> مرحبا ` + longName
	b.at(site(o, "posts", "new"))
	b.Type("#title", odd)
	b.Type("#body", longName)
	b.Type("#onBehalfVisitorId", longName)
	b.ClickText("button", "Log the post")
	b.told("The post is logged")
	b.WaitText("h1", odd)
	post := browsertest.Eval[string](b.Page, "location.pathname")
	b.Type("[name=name]", longName[:40])
	b.button("/tags", "Add")
	b.WaitText(".tag", longName[:40])
	b.Type("#body", longName)
	b.ClickText("button", "Comment")
	b.WaitText(".comment", longName)
	b.at(site(o, "boards"))
	b.Type("#name", longName[:50])
	b.button("/boards", "Add board")
	b.told("The board is added")
	b.at(site(o, "statuses"))
	b.Type("#name", longName[:30])
	b.button("/statuses", "Add status")
	b.told("The status is added")
	b.at("/dash/keys")
	b.Type("#name", longName[:60])
	b.ClickText("button", "Create key")
	b.told("is ready")
	for i, path := range []string{
		post, post + "/edit", post + "/voters", post + "/merge", site(o), site(o, "posts"), site(o, "boards"), site(o, "statuses"), site(o, "tags"),
		"/dash/keys", "/dash/members", "/dash/plan", "/dash/audit", "/dash/operator", "/dash/profile", site(o, "automation"), site(o, "settings"),
	} {
		b.at(path)
		b.CheckWidth()
		b.Shot(fmt.Sprintf("odd-%02d-phone", i))
		browsertest.Desk(b.Page)
		b.CheckWidth()
		b.Shot(fmt.Sprintf("odd-%02d-wide", i))
		browsertest.Phone(b.Page)
	}
}
