package dashboard_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"heed/internal/auth"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// named is the same installation, reached by a name: at bare addresses browsers
// offer no passkeys.
func (w *world) named(t testing.TB) *world {
	t.Helper()
	other := *w
	mux := http.NewServeMux()
	other.srv = httptest.NewServer(mux)
	t.Cleanup(other.srv.Close)
	other.srv.URL = strings.Replace(other.srv.URL, "127.0.0.1", "localhost", 1)
	other.app.SetBaseURL(other.srv.URL)
	other.mount(mux, other.srv.URL)
	return &other
}

// enterBrowser signs in by the form.
func enterBrowser(p *browsertest.Page, w *world, email string) {
	p.Go(w.srv.URL + "/signin")
	p.Type("#email", email)
	p.Type("#password", password)
	p.Click(`form[action="/signin"] button`)
	p.Wait("nav.nav")
}

// Passkeys are added, sign in without password and code, prove who somebody is,
// and are removed, in a browser with a device that holds them.
func TestPasskeys(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w = w.named(t)
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		totp := w.withSecondFactor(t, ownerEmail)
		p := browsertest.Open(t)
		device := p.AddAuthenticator()
		p.Go(w.srv.URL + "/signin")
		p.Type("#email", ownerEmail)
		p.Type("#password", password)
		p.Click(`form[action="/signin"] button`)
		p.Wait(`form[action="/signin/enter"]`)
		p.Type("#code", totp.Code(totp.Step(w.clock.Now())))
		p.Click("form button.pri")
		p.Wait("nav.nav")

		p.Go(w.srv.URL + "/dash/profile")
		p.Click(`form[action="/dash/profile/passkeys/new"] button`)
		p.Wait("#passkey-name")
		p.CheckAccessibility()
		p.Shot("passkey-new")
		p.Type("#passkey-name", "Laptop <of mine>")
		p.ClickText(`form[action="/dash/profile/passkeys"] button`, "Go on")
		p.WaitText(".note.good", "The passkey is added")
		p.WaitText("td", "Laptop <of mine>")
		p.WaitText("td", "not used yet")
		p.Shot("passkeys")
		if n := device.Keys(); n != 1 {
			t.Fatalf("the device holds %d passkeys; want 1", n)
		}

		// The same device says that it has one.
		p.Click(`form[action="/dash/profile/passkeys/new"] button`)
		p.Wait("#passkey-name")
		p.Type("#passkey-name", "Again")
		p.ClickText(`form[action="/dash/profile/passkeys"] button`, "Go on")
		p.WaitText("[data-passkey-said]", "has a passkey for you already")

		// Signing in with it asks for nothing else.
		p.Click(`form[action="/dash/signout"] button`)
		p.Wait(`form[action="/signin/passkey"] button`)
		p.CheckAccessibility()
		p.Shot("signin-passkey")
		p.Click(`form[action="/signin/passkey"] button`)
		p.Wait("nav.nav")
		p.Go(w.srv.URL + "/dash/profile")
		p.WaitText("td", "used just now")

		// It proves who somebody is, and the form is not lost.
		w.clock.pass(feedback.ProofLife + time.Minute)
		p.Expect("403") // the page that asks
		p.Go(w.srv.URL + "/dash/keys")
		p.Type("#name", "Night job")
		p.Click(`form[action="/dash/keys"] input[name="scope"]`)
		p.Click(`form[action="/dash/keys"] button.pri`)
		p.Wait(`form[data-passkey] button`)
		p.Shot("proof-passkey")
		p.Click(`form[data-passkey] button`)
		p.WaitText(".note.good", "is ready")

		// A device that lies is not let in.
		p.Expect("401")
		for _, lie := range [][2]bool{{true, false}, {false, true}} {
			device.Forge(lie[0], lie[1])
			p.Go(w.srv.URL + "/dash/profile")
			p.Click(`form[action="/dash/signout"] button`)
			p.Wait(`form[action="/signin/passkey"] button`)
			p.Click(`form[action="/signin/passkey"] button`)
			p.WaitText(".note.bad", "The passkey was not accepted")
			device.Forge(false, false)
			p.Click(`form[action="/signin/passkey"] button`)
			p.Wait("nav.nav")
		}

		p.Go(w.srv.URL + "/dash/profile")
		p.Confirm("It does not sign you in any more")
		p.Click(`form[action$="/remove"] button`)
		p.WaitText(".note.good", "The passkey is removed")
		p.Click(`form[action="/dash/signout"] button`)
		p.Wait(`form[action="/signin/passkey"] button`)
		p.Click(`form[action="/signin/passkey"] button`)
		p.WaitText(".note.bad", "The passkey was not accepted")
	})
}

// withSecondFactor turns a second factor on and lets its first code pass.
func (w *world) withSecondFactor(t testing.TB, email string) auth.TOTP {
	t.Helper()
	u := w.signedIn(t, email)
	secret := hidden(t, u.post("/dash/profile/totp/new"), "secret")
	totp, err := auth.ParseTOTP(secret)
	if err != nil {
		t.Fatal(err)
	}
	u.post("/dash/profile/totp", "secret", secret, "code", totp.Code(totp.Step(w.clock.Now()))).has(t, "The second factor is on")
	w.clock.pass(time.Minute)
	return totp
}

var optionsOf = regexp.MustCompile(`data-options="([^"]*)"`)

// An answer counts once, for what was asked, for a while.
func TestPasskeyAnswers(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w = w.named(t)
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		w.join(t, o, "ada@northwind.example", feedback.Viewer)
		u := w.signedIn(t, ownerEmail)
		p := browsertest.Open(t)
		p.AddAuthenticator()
		p.Go(w.srv.URL + "/signin")
		// answer has the browser answer what a page asks.
		answer := func(page answer, verb, kind string) (state, said string) {
			t.Helper()
			options := html.UnescapeString(optionsOf.FindStringSubmatch(page.body)[1])
			return hidden(t, page, "state"), browsertest.Eval[string](p, `navigator.credentials.`+verb+
				`({publicKey: PublicKeyCredential.parse`+kind+`OptionsFromJSON(`+options+`)}).then(k => JSON.stringify(k.toJSON()))`)
		}
		asked := u.post("/dash/profile/passkeys/new")
		state, said := answer(asked, "create", "Creation")
		if asked.header.Get("Cache-Control") != "no-store" {
			t.Errorf("the question has Cache-Control %q", asked.header.Get("Cache-Control"))
		}
		u.post("/dash/profile/passkeys", "passkey-name", " ", "state", state, "answer", said).has(t, "Please fill this in")
		other := w.signedIn(t, "ada@northwind.example")
		other.post("/dash/profile/passkeys", "passkey-name", "Stolen", "state", state, "answer", said)
		other.page("/dash/profile").has(t, "The passkey was not accepted")
		u.act("/dash/profile/passkeys", "passkey-name", "Laptop", "state", state, "answer", said).has(t, "Laptop")
		u.post("/dash/profile/passkeys", "passkey-name", "Again", "state", state, "answer", said)
		u.page("/dash/profile").has(t, "The passkey was not accepted")

		refused := func(what string, fields ...string) {
			t.Helper()
			if a := w.user(t).post("/signin/passkey", fields...); a.status != http.StatusUnauthorized {
				t.Errorf("%s: %d; want 401", what, a.status)
			}
		}
		page := w.user(t).page("/signin")
		state, said = answer(page, "get", "Request")
		_, later := answer(page, "get", "Request")
		refused("nothing")
		refused("no answer", "state", state)
		refused("nonsense", "state", state, "answer", `{"id":"x"}`)
		refused("another question", "state", hidden(t, w.user(t).page("/signin"), "state"), "answer", said)
		in := w.user(t)
		in.act2(t, "/signin/passkey", "/dash", "state", state, "answer", said)
		in.page("/dash/profile").has(t, ownerEmail)
		refused("the same answer again", "state", state, "answer", said)
		refused("another answer to the same question", "state", state, "answer", later)

		state, said = answer(w.user(t).page("/signin"), "get", "Request")
		w.clock.pass(time.Hour + time.Minute)
		refused("after an hour", "state", state, "answer", said)

		// A sign-in's answer is no proof, and another member's passkey is not
		// one's own to remove.
		state, said = answer(w.user(t).page("/signin"), "get", "Request")
		u.post("/dash/keys", "name", "x", "scope", "posts:read", "_state", state, "_answer", said).has(t, "The passkey was not accepted")
		id := regexp.MustCompile(`pk_\w+`).FindString(u.page("/dash/profile").body)
		w.clock.pass(time.Minute)
		other = w.signedIn(t, "ada@northwind.example")
		if a := other.post("/dash/profile/passkeys/" + id + "/remove"); a.status != http.StatusNotFound {
			t.Errorf("removing another member's passkey: %d; want 404", a.status)
		}
	})
}

// Where browsers offer no passkeys, no page speaks of them but to say why.
func TestNoPasskeysHere(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	w.user(t).page("/signin").lacks(t, "passkey")
	u := w.signedIn(t, ownerEmail)
	u.page("/dash/profile").has(t, "Browsers offer passkeys only where")
	u.post("/dash/profile/passkeys/new")
	u.page("/dash/profile").has(t, "Browsers offer no passkeys at")
}
