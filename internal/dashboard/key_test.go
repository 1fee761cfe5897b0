package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"heed/internal/feedback"
)

var secretKey = regexp.MustCompile(`heed_[0-9A-Za-z]{42}`)

func TestKeys(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		page := u.page("/dash/keys")
		if n := strings.Count(page.body, " checked"); n != len(feedback.ReadScopes()) {
			t.Errorf("%d scopes are ticked on a new key; want the %d that read", n, len(feedback.ReadScopes()))
		}
		if a := u.post("/dash/keys", "name", " ", "expires", "soon"); a.status != http.StatusUnprocessableEntity || strings.Count(a.body, `class="error"`) != 3 {
			t.Errorf("bad input: %d with %d errors; want 422 with 3", a.status, strings.Count(a.body, `class="error"`))
		}
		u.post("/dash/keys", "name", "Old", "scope", "posts:read", "expires", "2020-01-01").has(t, "must lie in the future")

		made := u.post("/dash/keys", "name", "Robot <b>", "scope", "posts:read", "scope", "votes:write", "scope", "root", "site", o.Site.ID.String(), "expires", "2030-01-01")
		made.has(t, "is ready", "votes:write", "1 Jan 2030")
		if made.header.Get("Cache-Control") != "no-store" {
			t.Errorf("a secret is sent with Cache-Control %q", made.header.Get("Cache-Control"))
		}
		secret := secretKey.FindString(made.body)
		if strings.Count(made.body, secret) != 1 {
			t.Errorf("the secret stands %d times in the page; want once", strings.Count(made.body, secret))
		}
		actor, err := w.app.Authenticate(t.Context(), secret, "")
		if err != nil {
			t.Fatalf("the new key: %v", err)
		}
		if len(actor.Key.Scopes) != 2 || actor.Key.SiteID != o.Site.ID || actor.Key.ExpiresAt.Year() != 2030 {
			t.Errorf("the new key is %+v", actor.Key)
		}
		// Nothing shows it again: no page, not the record, not the logs of it.
		for _, path := range []string{"/dash/keys", "/dash/audit", "/dash/audit.csv"} {
			u.page(path).lacks(t, secret, secret[9:38])
		}
		u.act("/dash/keys/"+actor.Key.ID.String()+"/revoke").has(t, "is revoked")
		if _, err := w.app.Authenticate(t.Context(), secret, ""); feedback.CodeOf(err) != feedback.Unauthenticated {
			t.Errorf("a revoked key: %v; want UNAUTHENTICATED", err)
		}
	})
}

func TestKeysNeedAPlan(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Free)
	u := w.signedIn(t, ownerEmail)
	u.page("/dash/keys").has(t, "does not include API access", "Move the account to the PRO plan")
	if a := u.post("/dash/keys", "name", "Robot", "scope", "posts:read"); a.status != http.StatusPaymentRequired {
		t.Errorf("a key on FREE: %d; want 402", a.status)
	}
	if a := u.post("/dash/sites", "name", "Second"); a.status != http.StatusPaymentRequired || !strings.Contains(a.text(), "allows 1 site") {
		t.Errorf("a second site on FREE: %d; want 402\n%s", a.status, a.text())
	}
	u.post("/dash/members/invite", "email", "one@example.com", "role", "member").has(t, "Invitation for one@example.com")
	if a := u.post("/dash/members/invite", "email", "two@example.com", "role", "member"); a.status != http.StatusPaymentRequired {
		t.Errorf("a third seat on FREE: %d; want 402", a.status)
	}
	u.page("/dash/members").has(t, "2 of 2 seats", "revoke a pending invitation")
	u.page("/dash/plan").has(t, "your plan", "Move the account to the PRO plan")
}
