package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heed/internal/auth"
	"heed/internal/feedback"
)

func TestSignIn(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.user(t)

		wrong := u.post("/signin", "email", ownerEmail, "password", "not the password")
		nobody := u.post("/signin", "email", "nobody@northwind.example", "password", "not the password")
		if wrong.status != http.StatusUnauthorized || nobody.status != wrong.status {
			t.Errorf("wrong password: %d, unknown address: %d; want 401 for both", wrong.status, nobody.status)
		}
		if strings.ReplaceAll(wrong.text(), ownerEmail, "") != strings.ReplaceAll(nobody.text(), "nobody@northwind.example", "") {
			t.Error("the page tells a wrong password from an unknown address")
		}

		in := u.post("/signin", "email", " Owner@Northwind.example", "password", password, "next", "/dash/keys?x=1")
		if in.status != http.StatusSeeOther || in.header.Get("Location") != "/dash/keys?x=1" {
			t.Fatalf("sign-in: %d to %q", in.status, in.header.Get("Location"))
		}
		cookie := in.header.Get("Set-Cookie")
		for _, part := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
			if !strings.Contains(strings.Join(in.header.Values("Set-Cookie"), "\n"), part) {
				t.Errorf("cookie %q lacks %s", cookie, part)
			}
		}
		u.page("/dash/keys")

		if away := u.post("/signin", "email", ownerEmail, "password", password, "next", "//evil.example/"); away.header.Get("Location") != "/dash" {
			t.Errorf("sign-in leads to %q", away.header.Get("Location"))
		}
		u.act2(t, "/dash/signout", "/signin")
		if a := u.get("/dash/keys"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/signin?next=%2Fdash%2Fkeys" {
			t.Errorf("after signing out: %d to %q; want the sign-in", a.status, a.header.Get("Location"))
		}
	})
}

// act2 sends a form and checks where it leads.
func (u *user) act2(t testing.TB, path, to string, fields ...string) {
	t.Helper()
	if a := u.post(path, fields...); a.status != http.StatusSeeOther || a.header.Get("Location") != to {
		t.Errorf("POST %s: %d to %q; want %q\n%s", path, a.status, a.header.Get("Location"), to, a.text())
	}
}

// A token that somebody planted in a browser opens nothing after a sign-in.
func TestSessionFixation(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	u := w.signedIn(t, ownerEmail)
	before := u.session(t)
	u.act2(t, "/signin", "/dash", "email", ownerEmail, "password", password)
	after := u.session(t)
	if before == after || after == "" {
		t.Errorf("token before %q, after %q; want a new one", before, after)
	}
	stranger := w.user(t)
	stranger.setSession(t, before)
	if a := stranger.get("/dash/profile"); a.status != http.StatusSeeOther {
		t.Errorf("the old token still works: %d", a.status)
	}
	stranger.setSession(t, "made-up")
	if a := stranger.get("/dash/profile"); a.status != http.StatusSeeOther {
		t.Errorf("a made-up token works: %d", a.status)
	}
}

func (u *user) session(t testing.TB) string {
	t.Helper()
	req := u.request(http.MethodGet, "/", nil)
	for _, c := range u.http.Jar.Cookies(req.URL) {
		if c.Name == "heed_session" {
			return c.Value
		}
	}
	return ""
}

func (u *user) setSession(t testing.TB, token string) {
	t.Helper()
	u.http.Jar.SetCookies(u.request(http.MethodGet, "/", nil).URL, []*http.Cookie{{Name: "heed_session", Value: token, Path: "/"}})
}

// Guessing is slowed down, and whoever guesses cannot lock the member out of a
// browser that is known.
func TestThrottle(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	member := w.signedIn(t, ownerEmail)
	attacker := w.user(t)
	refused := 0
	for range 15 {
		if a := attacker.post("/signin", "email", ownerEmail, "password", "guess guess"); a.status == http.StatusTooManyRequests {
			refused++
			if a.header.Get("Retry-After") == "" {
				t.Error("429 without Retry-After")
			}
		}
	}
	if refused == 0 {
		t.Error("15 guesses in a moment are all heard")
	}
	if a := attacker.post("/signin", "email", ownerEmail, "password", password); a.status != http.StatusTooManyRequests {
		t.Errorf("the right password after too many guesses: %d; want 429", a.status)
	}
	member.act2(t, "/signin", "/dash", "email", ownerEmail, "password", password)
	w.clock.pass(10 * time.Minute)
	attacker.act2(t, "/signin", "/dash", "email", ownerEmail, "password", password)
}

func TestCrossSite(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	u := w.signedIn(t, ownerEmail)
	for _, headers := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"},
	} {
		req := u.request(http.MethodPost, "/dash/signout", nil)
		req.Header.Del("Origin")
		for k, v := range headers {
			req.Header.Set(k, v)
		}
		if a := u.do(req); a.status != http.StatusForbidden {
			t.Errorf("a sign-out with %v: %d; want 403", headers, a.status)
		}
	}
	u.page("/dash/profile")
}

func TestAccounts(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		second := w.open(t, "Contoso", ownerEmail, feedback.Studio)
		u := w.user(t)
		a := u.post("/signin", "email", ownerEmail, "password", password)
		a.has(t, "Choose an account", "Northwind", "Contoso")
		ticket := hidden(t, a, "ticket")
		u.act2(t, "/signin/enter", "/dash", "ticket", ticket, "member", second.Member.ID.String(), "email", ownerEmail)
		u.page("/dash/profile").has(t, "Contoso")

		// A ticket opens what it was made for, and for a while.
		other := w.open(t, "Other", "other@example.com", feedback.Studio)
		if a := w.user(t).post("/signin/enter", "ticket", ticket, "member", other.Member.ID.String()); a.status != http.StatusUnauthorized {
			t.Errorf("a ticket opens another account: %d", a.status)
		}
		w.clock.pass(11 * time.Minute)
		if a := w.user(t).post("/signin/enter", "ticket", ticket, "member", second.Member.ID.String()); a.status != http.StatusUnauthorized {
			t.Errorf("an old ticket: %d; want 401", a.status)
		}
	})
}

// hidden is the value of a hidden field of a page.
func hidden(t testing.TB, a answer, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(a.body, `name="`+name+`" value="`)
	if !ok {
		t.Fatalf("no field %s:\n%s", name, a.text())
	}
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func TestSessions(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		here, there := w.signedIn(t, ownerEmail), w.signedIn(t, ownerEmail)
		page := here.page("/dash/profile")
		page.has(t, "Where you are signed in", "this one")
		_, rest, ok := strings.Cut(page.body, "/dash/profile/sessions/ses_")
		if !ok {
			t.Fatalf("no other session: %s", page.text())
		}
		id, _, _ := strings.Cut(rest, "/")
		here.act("/dash/profile/sessions/ses_"+id+"/end").has(t, "has ended")
		if a := there.get("/dash/profile"); a.status != http.StatusSeeOther {
			t.Errorf("the ended session: %d; want the sign-in", a.status)
		}
		if a := here.post("/dash/profile/sessions/ses_" + id + "/end"); a.status != http.StatusNotFound {
			t.Errorf("ending it again: %d; want 404", a.status)
		}

		// A session ends when it is not used.
		w.clock.pass(feedback.SessionIdle + time.Hour)
		if a := here.get("/dash/profile"); a.status != http.StatusSeeOther {
			t.Errorf("an idle session: %d; want the sign-in", a.status)
		}
	})
}

func TestPasswordAndProof(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u, other := w.signedIn(t, ownerEmail), w.signedIn(t, ownerEmail)
		if a := u.post("/dash/profile/password", "_password", "wrong", "password", "another long one"); a.status != http.StatusUnauthorized {
			t.Errorf("with a wrong password: %d; want 401", a.status)
		}
		u.post("/dash/profile/password", "_password", password, "password", "short").has(t, "at least 10")
		u.act("/dash/profile/password", "_password", password, "password", "another long one")
		if a := other.get("/dash/profile"); a.status != http.StatusSeeOther {
			t.Errorf("another session after a new password: %d; want the sign-in", a.status)
		}
		if a := w.user(t).post("/signin", "email", ownerEmail, "password", password); a.status != http.StatusUnauthorized {
			t.Errorf("the old password: %d; want 401", a.status)
		}

		// Something dangerous asks who it is, and loses nothing of the form.
		w.clock.pass(feedback.ProofLife + time.Minute)
		form := []string{"name", "Night <job>", "scope", "posts:read", "scope", "sites:read"}
		a := u.post("/dash/keys", form...)
		a.has(t, "Confirm that it is you")
		if strings.Count(a.body, `name="scope"`) != 2 || !strings.Contains(a.body, "Night &lt;job&gt;") {
			t.Errorf("the form is not kept: %s", a.body)
		}
		u.post("/dash/keys", append(form, "_password", "wrong")...).has(t, "The password is wrong")
		u.post("/dash/keys", append(form, "_password", "another long one")...).has(t, "is ready")
		u.post("/dash/keys", form...).has(t, "is ready")
	})
}

func TestSecondFactor(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		secret := hidden(t, u.post("/dash/profile/totp/new"), "secret")
		totp, err := auth.ParseTOTP(secret)
		if err != nil {
			t.Fatal(err)
		}
		u.post("/dash/profile/totp", "secret", secret, "code", "000000").has(t, "does not match")
		on := u.post("/dash/profile/totp", "secret", secret, "code", totp.Code(totp.Step(w.clock.Now())))
		on.has(t, "The second factor is on")
		if on.header.Get("Cache-Control") != "no-store" {
			t.Errorf("recovery codes are sent with Cache-Control %q", on.header.Get("Cache-Control"))
		}
		// Whoever finds the session open cannot put an app of their own in its place.
		again := u.post("/dash/profile/totp", "secret", secret, "code", totp.Code(totp.Step(w.clock.Now())))
		if again.status != http.StatusSeeOther || strings.Contains(again.body, `id="codes"`) {
			t.Errorf("a second factor while there is one: %d, %s", again.status, again.text())
		}
		u.page("/dash/profile").has(t, "Turn it off before")
		_, codes, _ := strings.Cut(on.body, `id="codes"`)
		_, codes, _ = strings.Cut(codes, ">")
		recovery := strings.Fields(codes)[0]

		enter := func(code string) answer {
			t.Helper()
			v := w.user(t)
			a := v.post("/signin", "email", ownerEmail, "password", password)
			a.has(t, "Second factor")
			return v.post("/signin/enter", "ticket", hidden(t, a, "ticket"), "member", hidden(t, a, "member"), "email", ownerEmail, "code", code)
		}
		if a := enter(totp.Code(totp.Step(w.clock.Now()))); a.status != http.StatusUnauthorized {
			t.Errorf("the code that turned it on works again: %d", a.status)
		}
		w.clock.pass(time.Minute)
		code := totp.Code(totp.Step(w.clock.Now()))
		if a := enter(code); a.status != http.StatusSeeOther {
			t.Errorf("a fresh code: %d; want to be in", a.status)
		}
		if a := enter(code); a.status != http.StatusUnauthorized {
			t.Errorf("the same code again: %d; want 401", a.status)
		}
		if a := enter(strings.ToUpper(recovery)); a.status != http.StatusSeeOther {
			t.Errorf("a recovery code %q: %d; want to be in", recovery, a.status)
		}
		if a := enter(recovery); a.status != http.StatusUnauthorized {
			t.Errorf("the recovery code again: %d; want 401", a.status)
		}
		u.act("/dash/profile/totp/off").has(t, "is off")
		w.clock.pass(10 * time.Minute)
		w.signedIn(t, ownerEmail)
	})
}
