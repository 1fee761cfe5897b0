package dashboard_test

import (
	"testing"
	"time"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// The pages of signing in, with all ways there are, and the profile with what one
// signs in with: clean and accessible, wide and narrow, light and dark.
func TestGatePages(t *testing.T) {
	w := newWorld(t, "sqlite").named(t)
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	idp := w.useProvider(t)
	w.user(t).post("/signin/forgot", "email", ownerEmail)
	reset := w.mailedReset(t, o)
	w.invite(t, o, "grace@northwind.example", feedback.Admin)
	for name, options := range map[string][]browsertest.Option{
		"wide-light": nil, "wide-dark": {browsertest.Dark}, "phone-light": {browsertest.Phone}, "phone-dark": {browsertest.Phone, browsertest.Dark},
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, options...)
			p.Visits(idp.srv.URL)
			p.AddAuthenticator()
			look := func(page string) {
				t.Helper()
				p.CheckAccessibility()
				p.CheckWidth()
				p.Shot("gate-" + page + "-" + name)
			}
			p.Go(w.srv.URL + "/signin")
			p.Wait(`form[action="/signin/passkey"] button`)
			look("signin")
			p.Go(w.srv.URL + "/signin/forgot")
			look("forgot")
			p.Go(w.srv.URL + reset)
			look("reset")
			idp.is(map[string]any{"email": "grace@northwind.example", "sub": "grace"})
			p.Go(w.srv.URL + "/signin/oidc")
			p.Wait(`form[action="/signin/join"] button`)
			look("join")
			idp.is(map[string]any{"email": ownerEmail, "auth_time": w.clock.Now().Unix()})
			p.Go(w.srv.URL + "/signin/oidc?next=/dash/profile")
			p.Wait("#identity")
			p.Click(`form[action="/dash/profile/passkeys/new"] button`)
			p.Wait("#passkey-name")
			look("passkey-new")
			p.Type("#passkey-name", "The old laptop with stickers that lives in the drawer, "+name[:4])
			p.ClickText(`form[action="/dash/profile/passkeys"] button`, "Go on")
			p.WaitText(".note.good", "The passkey is added")
			look("profile")
			w.clock.pass(feedback.ProofLife + time.Minute)
			p.Expect("403")
			p.Click(`form[action="/dash/profile/passkeys/new"] button`)
			p.Wait(`form[data-passkey="get"] button`)
			look("proof")
		})
	}
}
