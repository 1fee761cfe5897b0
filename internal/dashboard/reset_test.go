package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// answerResets does what the worker does behind the page.
func (w *world) answerResets(t testing.TB) {
	t.Helper()
	for {
		more, err := w.app.AnswerReset(t.Context())
		if err != nil {
			t.Fatalf("AnswerReset: %v", err)
		}
		if !more {
			return
		}
	}
}

// mails are all messages of the outbox with what they say, newest first.
func (w *world) mails(t testing.TB, o *app.Opened) []feedback.Mail {
	t.Helper()
	page, err := w.app.AllMail(t.Context(), feedback.MailFilter{}, feedback.Window{Limit: feedback.MaxLimit})
	if err != nil {
		t.Fatalf("AllMail: %v", err)
	}
	var all []feedback.Mail
	for _, m := range page.Items {
		err := w.app.Read(t.Context(), &app.Actor{Account: &o.Account}, app.Target{}, func(tx *app.Tx) error {
			whole, err := tx.ReadMail(t.Context(), m.ID.String())
			if err == nil {
				all = append(all, whole.Mail)
			}
			return err
		})
		if err != nil {
			t.Fatalf("ReadMail: %v", err)
		}
	}
	return all
}

var resetPath = regexp.MustCompile(`/reset/[\w-]+`)

// mailedReset is the path of the link in the newest mail.
func (w *world) mailedReset(t testing.TB, o *app.Opened) string {
	t.Helper()
	w.answerResets(t)
	mails := w.mails(t, o)
	if len(mails) == 0 || mails[0].Kind != "reset" {
		t.Fatalf("no mail with a link in %d mails", len(mails))
	}
	return resetPath.FindString(mails[0].Text)
}

func TestForgottenPassword(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		elsewhere := w.signedIn(t, ownerEmail)
		u := w.user(t)
		u.page("/signin").has(t, "Forgotten your password?")

		// The same answer for everybody, and nothing looked up before it.
		known := u.post("/signin/forgot", "email", " Owner@Northwind.example ")
		nobody := u.post("/signin/forgot", "email", "nobody@northwind.example")
		if known.status != http.StatusOK || nobody.status != http.StatusOK {
			t.Fatalf("asking: %d and %d; want 200", known.status, nobody.status)
		}
		if strings.ReplaceAll(known.body, ownerEmail, "") != strings.ReplaceAll(nobody.body, "nobody@northwind.example", "") {
			t.Error("the page tells a member from nobody")
		}
		if n := len(w.mails(t, o)); n != 0 {
			t.Errorf("%d mails before the worker has looked; want 0", n)
		}
		if a := u.post("/signin/forgot", "email", "nonsense"); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, `id="email-error"`) {
			t.Errorf("nonsense: %d\n%s", a.status, a.text())
		}

		link := w.mailedReset(t, o)
		mails := w.mails(t, o)
		if len(mails) != 1 || mails[0].ToEmail != ownerEmail || !strings.Contains(mails[0].Subject, "Northwind") {
			t.Fatalf("mails: %+v; want one to the owner", mails)
		}
		page := u.page(link)
		page.has(t, "Choose a new password")
		if page.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("the page of the link has Referrer-Policy %q", page.header.Get("Referrer-Policy"))
		}
		u.post(link, "password", "short").has(t, "at least 10")
		u.act2(t, link, "/signin", "password", "a wholly new one")
		if a := u.post(link, "password", "another new one"); a.status != http.StatusNotFound {
			t.Errorf("the link again: %d; want 404", a.status)
		}
		if a := elsewhere.get("/dash/profile"); a.status != http.StatusSeeOther {
			t.Errorf("a session from before: %d; want the sign-in", a.status)
		}
		if a := w.user(t).post("/signin", "email", ownerEmail, "password", password); a.status != http.StatusUnauthorized {
			t.Errorf("the old password: %d; want 401", a.status)
		}
		u.act2(t, "/signin", "/dash", "email", ownerEmail, "password", "a wholly new one")
		log := u.page("/dash/audit")
		log.has(t, "password.reset_mailed", "password.reset")
		log.lacks(t, strings.TrimPrefix(link, "/reset/"))
	})
}

// Asking is slowed down by address, and alike for members and others.
func TestForgottenPasswordThrottle(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.user(t)
		for _, email := range []string{ownerEmail, "nobody@northwind.example"} {
			for range feedback.PaceReset.Burst {
				if a := u.post("/signin/forgot", "email", email); a.status != http.StatusOK {
					t.Fatalf("asking for %s: %d", email, a.status)
				}
			}
			if a := u.post("/signin/forgot", "email", email); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
				t.Errorf("asking once too often for %s: %d; want 429", email, a.status)
			}
		}
		w.answerResets(t)
		if n := len(w.mails(t, o)); n != feedback.PaceReset.Burst {
			t.Errorf("%d mails; want %d", n, feedback.PaceReset.Burst)
		}
		w.clock.pass(feedback.PaceReset.Every)
		if a := u.post("/signin/forgot", "email", ownerEmail); a.status != http.StatusOK {
			t.Errorf("after a rest: %d", a.status)
		}
	})
}

// Of several who follow one link at once, one sets the password; afterwards every
// link of the member has ended, also the one that an admin handed over.
func TestResetRace(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		handed := resetPath.FindString(u.post("/dash/members/" + o.Member.ID.String() + "/reset").body)
		w.user(t).post("/signin/forgot", "email", ownerEmail)
		link := w.mailedReset(t, o)
		if a := w.user(t).get(handed); a.status != http.StatusOK {
			t.Errorf("asking by mail ended the link that was handed over: %d", a.status)
		}
		results := make([]int, 6)
		var wg sync.WaitGroup
		for i := range results {
			one := w.user(t)
			wg.Go(func() { results[i] = one.post(link, "password", "password number "+string(rune('a'+i))).status })
		}
		wg.Wait()
		won := -1
		for i, s := range results {
			switch {
			case s == http.StatusSeeOther && won < 0:
				won = i
			case s != http.StatusNotFound:
				t.Errorf("%v: want one 303 and else 404", results)
			}
		}
		if won < 0 {
			t.Fatalf("%v: nobody set the password", results)
		}
		w.user(t).act2(t, "/signin", "/dash", "email", ownerEmail, "password", "password number "+string(rune('a'+won)))
		if a := w.user(t).get(handed); a.status != http.StatusNotFound {
			t.Errorf("another link after the reset: %d; want 404", a.status)
		}

		w.user(t).post("/signin/forgot", "email", ownerEmail)
		link = w.mailedReset(t, o)
		w.clock.pass(time.Hour + time.Minute)
		if a := w.user(t).post(link, "password", "much too late now"); a.status != http.StatusNotFound {
			t.Errorf("after an hour: %d; want 404", a.status)
		}
	})
}

// A new password by mail leaves the second factor as it is.
func TestResetKeepsSecondFactor(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	u := w.signedIn(t, ownerEmail)
	secret := hidden(t, u.post("/dash/profile/totp/new"), "secret")
	totp, err := auth.ParseTOTP(secret)
	if err != nil {
		t.Fatal(err)
	}
	u.post("/dash/profile/totp", "secret", secret, "code", totp.Code(totp.Step(w.clock.Now()))).has(t, "The second factor is on")
	u.post("/signin/forgot", "email", ownerEmail)
	w.user(t).act2(t, w.mailedReset(t, o), "/signin", "password", "a wholly new one")
	w.user(t).post("/signin", "email", ownerEmail, "password", "a wholly new one").has(t, "Second factor")
}

// Attempts are counted together by all nodes on one database.
func TestThrottleIsShared(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		nodes := []*user{w.user(t), w.node(t).user(t)}
		refused := 0
		for i := range 2 * (feedback.PaceStranger.Burst + 1) {
			if a := nodes[i%2].post("/signin", "email", ownerEmail, "password", "guess guess"); a.status == http.StatusTooManyRequests {
				refused++
			}
		}
		if want := feedback.PaceStranger.Burst + 2; refused != want {
			t.Errorf("%d of the guesses on two nodes are refused; want %d", refused, want)
		}
		nodes[1].post("/signin", "email", ownerEmail, "password", password).has(t, "Too many attempts")
	})
}

// The whole way in a browser, without JavaScript.
func TestForgottenPasswordWithoutJavaScript(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	p := browsertest.Open(t, browsertest.NoJavaScript)
	p.Go(w.srv.URL + "/signin")
	p.Click(`a[href="/signin/forgot"]`)
	p.Wait(`form[action="/signin/forgot"]`)
	p.Type("#email", ownerEmail)
	p.Click("form button.pri")
	p.Wait(`a.btn[href="/signin"]`)
	p.Go(w.srv.URL + w.mailedReset(t, o))
	p.Wait(`form[action^="/reset/"]`)
	p.Type("#password", "a wholly new one")
	p.Click("form button.pri")
	p.Wait(`form[action="/signin"]`)
	p.Type("#email", ownerEmail)
	p.Type("#password", "a wholly new one")
	p.Click("form button.pri")
	p.Wait("nav.nav")
}
