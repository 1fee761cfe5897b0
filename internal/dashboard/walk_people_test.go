package dashboard_test

import (
	"strings"
	"testing"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// People come, change and go; what the plan allows; who did what.
func TestWalkPeople(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	other := w.open(t, "Contoso", "owner@contoso.example", feedback.Free)
	b, guest := w.walk(t), w.walk(t)
	b.signIn(ownerEmail, password)

	b.at("/dash/members")
	b.Type("#email", "vera@northwind.example")
	b.Select("form[action$='/invite'] select", "viewer")
	b.button("/invite", "Invite")
	b.told("Invitation for vera@northwind.example")
	guest.Go(b.copies("#link"))
	guest.WaitText("main", "vera@northwind.example is invited as viewer")
	guest.CheckAccessibility()
	b.CheckAccessibility()
	guest.Type("#name", "Vera")
	guest.Type("#password", password)
	guest.ClickText("button", "Join")
	guest.Wait("nav.nav")
	if n := browsertest.Eval[int](guest.Page, `[...document.querySelectorAll(".nav a")].filter(a => /keys|audit|operator/i.test(a.href)).length`); n != 0 {
		t.Errorf("a viewer is shown %d places that only admins may see", n)
	}

	b.at("/dash/members")
	b.WaitText("td", "Vera")
	b.Select("select[aria-label='Role of Vera']", "admin")
	b.ClickText("form:has([aria-label='Role of Vera']) button", "Set")
	b.told("The role is changed")
	guest.at("/dash/keys")
	guest.WaitText("h1", "API keys")

	b.ClickText("tr:has([aria-label='Role of Vera']) button", "New password link")
	b.told("New password for vera@northwind.example")
	guest.Go(b.copies("#link"))
	guest.CheckAccessibility()
	guest.Type("#password", "a new one for Vera")
	guest.ClickText("button", "Save")
	guest.WaitText("h1", "Sign in")
	guest.signIn("vera@northwind.example", "a new one for Vera")

	b.Confirm("Remove Vera from Northwind?")
	b.ClickText("tr:has([aria-label='Role of Vera']) button", "Remove")
	b.told("The member is removed")
	guest.at("/dash")
	guest.WaitText("h1", "Sign in")

	b.Type("#email", "late@northwind.example")
	b.button("/invite", "Invite")
	b.told("Invitation for late@northwind.example")
	late := b.Text("#link")
	b.button("/revoke", "Revoke")
	b.told("The invitation is revoked")
	guest.Expect("404 for GET " + late)
	guest.Go(late)
	guest.WaitText("h1", "Not found")

	b.at("/dash/plan")
	b.WaitText("[aria-current=true]", "STUDIO")
	b.at("/dash/operator")
	plan := "[aria-label='Plan of Contoso']"
	b.Select(plan, "PRO")
	b.ClickText("form:has("+plan+") button", "Set")
	b.told("The plan is changed")
	if got := b.value(plan); got != "PRO" {
		t.Errorf("the plan of Contoso is %s; want PRO", got)
	}
	if _, err := w.app.Authenticate(t.Context(), other.Secret, ""); err != nil {
		t.Errorf("a key of Contoso on PRO: %v", err)
	}

	b.at("/dash/audit")
	b.WaitText("td", "member.removed")
	b.Select("[name=action]", "member.role_changed")
	b.Wait("a[download][href*='member.role_changed']")
	if n := browsertest.Eval[int](b.Page, `document.querySelectorAll("tbody tr").length`); n != 1 {
		t.Errorf("the filter leaves %d rows; want 1", n)
	}
	csv := browsertest.Eval[string](b.Page, `fetch(document.querySelector("a[download]").href).then(r => r.text())`)
	if strings.Count(csv, "\n") != 2 || !strings.Contains(csv, "member.role_changed") {
		t.Errorf("the export of what the page shows is %q", csv)
	}
}

// A site, and keys for it: read-only unless somebody says otherwise, shown once,
// revoked.
func TestWalkKeys(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	b := w.walk(t)
	b.signIn(ownerEmail, password)
	b.Click("nav details.menu summary")
	b.ClickText("nav a", "New site")
	b.WaitText("h1", "New site")
	b.Type("#name", "Mobile app")
	b.ClickText("button", "Open the site")
	b.told("The site is open")
	b.WaitText("h1", "Mobile app")

	b.PressControl("k")
	b.Wait("#palette[open]")
	b.Press("api\r")
	b.WaitText("h1", "API keys")
	if ticked := browsertest.Eval[[]string](b.Page, `[...document.querySelectorAll("[name=scope]:checked")].map(e => e.value)`); len(ticked) != len(feedback.ReadScopes()) {
		t.Errorf("a new key has %v; want what reads", ticked)
	}
	b.refuses("422", "/dash/keys")
	b.Type("#name", "Robot")
	b.Fill("#expires", "2020-01-01")
	b.Click("[value='votes:write']")
	b.Select("#site", "Mobile app")
	b.button("/keys", "Create key")
	b.WaitText("#expires-error", "future")
	b.Fill("#expires", "2030-01-01")
	b.button("/keys", "Create key")
	b.told("“Robot” is ready")
	b.CheckAccessibility()
	secret := b.copies("#secret")
	actor, err := w.app.Authenticate(t.Context(), secret, "")
	if err != nil {
		t.Fatalf("the new key: %v", err)
	}
	if n := len(actor.Key.Scopes); n != len(feedback.ReadScopes())+1 || actor.Key.SiteID == 0 || actor.Key.ExpiresAt.Year() != 2030 {
		t.Errorf("the new key is %+v", actor.Key)
	}
	b.at("/dash/keys")
	b.WaitText("td", "votes:write")
	if html := browsertest.Eval[string](b.Page, "document.documentElement.outerHTML"); strings.Contains(html, secret) {
		t.Error("the key is shown again")
	}
	b.Confirm("Revoke “Robot”?")
	b.Click("[aria-label='Revoke Robot']")
	b.told("The key is revoked")
	if _, err := w.app.Authenticate(t.Context(), secret, ""); feedback.CodeOf(err) != feedback.Unauthenticated {
		t.Errorf("a revoked key: %v", err)
	}
}
