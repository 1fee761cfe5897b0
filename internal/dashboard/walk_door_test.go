package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heed/internal/auth"
	"heed/internal/feedback"
)

// From the link that the server prints to a key in the clipboard.
func TestWalkSetUp(t *testing.T) {
	w := newWorld(t, "sqlite")
	token, err := w.app.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := w.walk(t)
	b.at("/signin")
	b.told("Not set up yet")
	b.at("/setup/" + token)
	b.refuses("422", "/setup/"+token)
	b.Type("#email", ownerEmail)
	b.Type("#password", "short")
	b.Type("#account", "Northwind")
	b.Type("#site", "Northwind feedback")
	b.button("/setup/"+token, "Set up")
	b.WaitText("#password-error", "10")
	if got := b.value("#account"); got != "Northwind" {
		t.Errorf("a form that is shown again has lost what was typed: %q", got)
	}
	b.Fill("#password", password)
	b.button("/setup/"+token, "Set up")
	b.WaitText("h1", "Northwind feedback is ready")
	b.CheckAccessibility()
	secret := b.copies("#secret")
	if _, err := w.app.Authenticate(t.Context(), secret, ""); err != nil {
		t.Errorf("the key of the set-up: %v", err)
	}
	if curl := b.Text("#curl"); !strings.Contains(curl, secret) || !strings.Contains(curl, w.srv.URL+"/v1/sites/site_") {
		t.Errorf("the curl line is %q", curl)
	}
	b.ClickText("a", "Open the dashboard")
	b.WaitText("main", "No feedback yet")
}

// Sign-in and out, sessions, the name, the password and the second factor.
func TestWalkDoor(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	b := w.walk(t)

	b.at("/dash/profile")
	b.WaitText("h1", "Sign in")
	b.refuses("401", "/signin")
	b.Type("#email", ownerEmail)
	b.Type("#password", "not this one")
	b.button("/signin", "Sign in")
	b.WaitText(".note.bad", "wrong")
	if got := b.value("#email"); got != ownerEmail {
		t.Errorf("the address must be typed again after a wrong password: %q", got)
	}
	b.Type("#password", password)
	b.button("/signin", "Sign in")
	b.WaitText("h1", "Your profile") // where the way to the sign-in began

	b.Fill("#name", "Ada Lovelace")
	b.button("/dash/profile", "Save")
	b.told("Your name is changed")
	b.WaitText(".who", "Ada Lovelace")

	there, everywhere := w.signedIn(t, ownerEmail), w.signedIn(t, ownerEmail)
	b.at("/dash/profile")
	b.button("/end", "End")
	b.told("That session has ended")
	b.button("/sessions/end", "Sign out everywhere else")
	b.told("signed out everywhere else")
	for _, u := range []*user{there, everywhere} {
		if a := u.get("/dash/profile"); a.status != http.StatusSeeOther {
			t.Errorf("a session that was ended: %d; want the sign-in", a.status)
		}
	}

	b.refuses("401", "/dash/profile/password")
	b.Type("#_password", "not this one")
	b.Type("#password", "another long one")
	b.button("/profile/password", "Change password")
	b.WaitText(".note.bad", "wrong")
	b.Type("#_password", password)
	b.Type("#password", "another long one")
	b.button("/profile/password", "Change password")
	b.told("Your password is changed")

	// What can do harm asks again who it is, and goes on where it was.
	w.clock.pass(feedback.ProofLife + time.Minute)
	b.refuses("403", "/dash/profile/totp/new")
	b.button("/totp/new", "Set up an app")
	b.WaitText("h1", "Confirm that it is you")
	b.CheckAccessibility()
	b.Type("#_password", password)
	b.button("/totp/new", "Go on")
	b.WaitText(".note.bad", "The password is wrong")
	b.Type("#_password", "another long one")
	b.button("/totp/new", "Go on")
	b.WaitText("h2", "Set up your authenticator app")
	totp, err := auth.ParseTOTP(b.copies("#totp-secret"))
	if err != nil {
		t.Fatal(err)
	}
	code := func() string { return totp.Code(totp.Step(w.clock.Now())) }
	b.refuses("422", "/dash/profile/totp")
	b.Type("#code", "000000")
	b.button("/profile/totp", "Turn on")
	b.WaitText("#code-error", "does not match")
	b.CheckAccessibility()
	b.Fill("#code", code())
	b.button("/profile/totp", "Turn on")
	b.told("The second factor is on")
	b.CheckAccessibility()
	recovery := strings.Fields(b.copies("#codes"))

	enter := func(code string) {
		t.Helper()
		b.Click("[aria-label='Sign out']")
		b.WaitText("h1", "Sign in")
		b.Type("#email", ownerEmail)
		b.Type("#password", "another long one")
		b.button("/signin", "Sign in")
		b.WaitText("h1", "Second factor")
		b.CheckAccessibility()
		b.Type("#code", code)
		b.button("/signin/enter", "Sign in")
	}
	w.clock.pass(time.Minute)
	enter(code())
	b.Wait("nav.nav")
	w.clock.pass(time.Minute)
	enter(recovery[0])
	b.Wait("nav.nav")
	w.clock.pass(time.Minute)
	b.refuses("401", "/signin/enter")
	enter(recovery[0])
	b.WaitText(".note.bad", "code")
	b.Type("#code", recovery[1])
	b.button("/signin/enter", "Sign in")
	b.Wait("nav.nav")
	b.at("/dash/profile")
	b.WaitText("section", "You have 8 recovery codes left.")
	b.Confirm("The ones you have stop working")
	b.button("/totp/codes", "New recovery codes")
	b.told("You have new recovery codes")
	b.CheckAccessibility()
	if fresh := strings.Fields(b.copies("#codes")); len(fresh) != feedback.RecoveryCodes || fresh[0] == recovery[0] {
		t.Errorf("the new recovery codes are %d", len(fresh))
	}
	b.Confirm("without a second factor")
	b.button("/totp/off", "Turn off")
	b.told("The second factor is off")

	b.Click("[aria-label='Sign out']")
	b.WaitText("h1", "Sign in")
	b.at("/dash")
	b.WaitText("h1", "Sign in")
}
