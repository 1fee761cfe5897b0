package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
)

// codesIn are the recovery codes that a page shows.
func codesIn(t testing.TB, a answer) []string {
	t.Helper()
	all := regexp.MustCompile(`(?s)id="codes"[^>]*>(.*?)</pre>`).FindStringSubmatch(a.body)
	if all == nil {
		t.Fatalf("no recovery codes: %d\n%s", a.status, a.text())
	}
	return strings.Fields(all[1])
}

// security are the notices in the outbox about how members sign in, newest first.
func (w *world) security(t testing.TB, o *app.Opened) (all []feedback.Mail) {
	t.Helper()
	for _, m := range w.mails(t, o) {
		if m.Kind == "security" {
			all = append(all, m)
		}
	}
	return all
}

// A member hears by mail of every change of what they sign in with, whoever made
// it; the mail holds no secret. What was refused tells nobody anything.
func TestSecurityNotices(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		n := 0
		told := func(want ...string) {
			t.Helper()
			all := w.security(t, o)
			if n++; len(all) != n {
				t.Fatalf("%d notices; want %d", len(all), n)
			}
			m := all[0]
			if m.ToEmail != ownerEmail || m.State != feedback.MailPending {
				t.Errorf("to %s, %s", m.ToEmail, m.State)
			}
			for _, text := range append(want, "127.0.0.1", "2026-05-", "/dash/profile", "/signin/forgot", "Northwind") {
				if !strings.Contains(m.Subject+m.Text, text) || !strings.Contains(m.Subject+m.HTML, text) {
					t.Errorf("%q is not in %s\n%s\n%s", text, m.Subject, m.Text, m.HTML)
				}
			}
		}
		silent := func() {
			t.Helper()
			if all := w.security(t, o); len(all) != n {
				t.Errorf("%d notices; want %d: %s", len(all), n, all[0].Subject)
			}
		}

		u.post("/dash/profile/password", "_password", "wrong", "password", "another long one")
		u.post("/dash/profile/password", "_password", password, "password", "short")
		silent()
		u.act("/dash/profile/password", "_password", password, "password", "another long one")
		told("Your password was changed")

		u.act("/dash/profile/totp/off") // there is none
		u.post("/dash/profile/totp/codes")
		u.page("/dash/profile").has(t, "You have no second factor.")
		silent()
		secret := hidden(t, u.post("/dash/profile/totp/new"), "secret")
		totp, err := auth.ParseTOTP(secret)
		if err != nil {
			t.Fatal(err)
		}
		u.post("/dash/profile/totp", "secret", secret, "code", "000000")
		silent()
		codes := codesIn(t, u.post("/dash/profile/totp", "secret", secret, "code", totp.Code(totp.Step(w.clock.Now()))))
		told("Your second factor was turned on")
		if m := w.security(t, o)[0]; strings.Contains(m.Text, secret) || strings.Contains(m.Text, codes[0]) {
			t.Errorf("the notice holds a secret:\n%s", m.Text)
		}
		u.page("/dash/profile").has(t, "You have 10 recovery codes left.")

		// Every code that is used is told of, and few that are left are too.
		w.clock.pass(20 * time.Minute)
		for i, code := range codes[:7] {
			u.post("/dash/keys", "name", "K", "scope", "posts:read", "_password", "another long one", "_code", code).has(t, "is ready")
			told("One of your recovery codes was used", "Codes left: "+string(rune('9'-i)))
			w.clock.pass(20 * time.Minute)
		}
		u.page("/dash/profile").has(t, "You have 3 recovery codes left.", "locks you out")
		if a := u.post("/dash/profile/totp/codes"); a.status != http.StatusForbidden {
			t.Errorf("new codes without a proof: %d; want to be asked", a.status)
		}
		a := u.post("/dash/profile/totp/codes", "_password", "another long one", "_code", codes[7])
		n++ // of the code that asked for them
		told("You have new recovery codes")
		fresh := codesIn(t, a)
		if len(fresh) != feedback.RecoveryCodes || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d new codes, %q", len(fresh), a.header.Get("Cache-Control"))
		}
		page := u.page("/dash/profile")
		page.has(t, "You have 10 recovery codes left.")
		page.lacks(t, fresh[0])
		w.clock.pass(20 * time.Minute)
		u.post("/dash/profile/totp/off", "_password", "another long one", "_code", codes[8]).has(t, "Confirm that it is you")
		silent()
		u.act("/dash/profile/totp/off", "_password", "another long one", "_code", fresh[0])
		n++
		told("Your second factor was turned off")

		u.post("/signin/forgot", "email", ownerEmail)
		link := w.mailedReset(t, o)
		u.post(link, "password", "a wholly new one")
		told("Your password was changed")
	})
}

// An admin takes the second factor from a member who has lost it; not from whom
// they do not manage.
func TestRemoveSecondFactor(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		w.join(t, o, "ada@northwind.example", feedback.Editor)
		w.join(t, o, "bo@northwind.example", feedback.Admin)
		w.withSecondFactor(t, "ada@northwind.example")
		w.withSecondFactor(t, ownerEmail)
		bo := w.signedIn(t, "bo@northwind.example")
		page := bo.page("/dash/members")
		form := regexp.MustCompile(`/dash/members/mem_\w+/factor/off`).FindAllString(page.body, -1)
		if len(form) != 1 {
			t.Fatalf("an admin is offered %d second factors; want that of the member", len(form))
		}
		bo.act(form[0]).has(t, "signs in without a second factor")
		if m := w.security(t, o)[0]; m.ToEmail != "ada@northwind.example" || !strings.Contains(m.Subject, "turned off") {
			t.Errorf("told: %s, %s", m.ToEmail, m.Subject)
		}
		w.signedIn(t, "ada@northwind.example").page("/dash/members").lacks(t, "second factor")
		bo.post(form[0])
		bo.page("/dash/members").has(t, "has no second factor")
		if a := bo.post("/dash/members/" + o.Member.ID.String() + "/factor/off"); a.status != http.StatusForbidden {
			t.Errorf("of an owner: %d; want 403", a.status)
		}
		bo.page("/dash/audit?action=second_factor.removed").has(t, "member")
	})
}
