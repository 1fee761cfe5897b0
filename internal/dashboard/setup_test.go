package dashboard_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestSetUp(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		u := w.user(t)
		u.page("/signin").has(t, "Not set up yet")
		token, err := w.app.SetupLink(t.Context())
		if err != nil || token == "" {
			t.Fatalf("SetupLink = %q, %v", token, err)
		}
		if a := u.get("/setup/made-up"); a.status != http.StatusNotFound {
			t.Errorf("a made-up link: %d; want 404", a.status)
		}
		u.page("/setup/"+token).has(t, "Set up Heed")
		bad := u.post("/setup/"+token, "email", "no address", "password", "short", "account", "", "site", " ")
		if bad.status != http.StatusUnprocessableEntity || strings.Count(bad.body, `class="error"`) != 4 {
			t.Errorf("bad input: %d with %d errors; want 422 with 4", bad.status, strings.Count(bad.body, `class="error"`))
		}
		ready := u.post("/setup/"+token, "email", ownerEmail, "password", password, "account", "Northwind", "site", "Feedback")
		ready.has(t, "Feedback is ready", "Your portal", "heed_", "curl")
		if ready.header.Get("Cache-Control") != "no-store" || ready.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("headers of the page with the key: %v", ready.header)
		}
		u.page("/dash/profile").has(t, ownerEmail, "owner of Northwind")
		u.page("/dash/keys").has(t, "First key")

		if a := u.get("/setup/" + token); a.status != http.StatusNotFound {
			t.Errorf("the link after it was used: %d; want 404", a.status)
		}
		if again, err := w.app.SetupLink(t.Context()); again != "" || err != nil {
			t.Errorf("SetupLink of an installation that is set up = %q, %v; want none", again, err)
		}
	})
}

// Of several who use the link at once, one opens the account.
func TestSetUpOnce(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		token, err := w.app.SetupLink(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		statuses := make([]int, 4)
		for i := range statuses {
			u := w.user(t)
			wg.Go(func() {
				statuses[i] = u.post("/setup/"+token, "email", ownerEmail, "password", password, "account", "Northwind", "site", "Feedback").status
			})
		}
		wg.Wait()
		opened := 0
		for _, s := range statuses {
			if s == http.StatusOK {
				opened++
			} else if s != http.StatusNotFound {
				t.Errorf("a late one gets %d; want 404", s)
			}
		}
		if accounts, err := w.app.Accounts(t.Context()); err != nil || len(accounts) != 1 || opened != 1 {
			t.Errorf("%d opened, %d accounts, %v; want 1 and 1", opened, len(accounts), err)
		}
	})
}
