package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"heed/internal/feedback"
)

func TestWebhooks(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		hooks := site(o, "webhooks")
		u.page(hooks).has(t, "No endpoints yet")
		for _, bad := range []string{"http://hooks.example.com/", "https://127.0.0.1/", "nonsense"} {
			if a := u.post(hooks, "url", bad); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, `id="url-error"`) {
				t.Errorf("%s: %d; want 422 at the address", bad, a.status)
			}
		}
		made := u.post(hooks, "url", "https://hooks.example.com/heed", "description", "Ours", "eventTypes", "post.created")
		secret := regexp.MustCompile(`whsec_[\w+/=]+`).FindString(made.body)
		if secret == "" || made.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("no secret, or one that is kept: %s", made.text())
		}
		id := regexp.MustCompile(`we_\w+`).FindString(made.body)
		page := u.page(hooks + "/" + id)
		page.has(t, "https://hooks.example.com/heed", "Nothing sent yet")
		for _, path := range []string{hooks, hooks + "/" + id, "/dash/audit"} {
			u.page(path).lacks(t, secret)
		}

		sent := u.act(hooks+"/"+id+"/test", "type", "post.created")
		sent.has(t, "post.created", "pending", "None yet")
		if !strings.Contains(sent.body, "&#34;type&#34;: &#34;post.created&#34;") {
			t.Errorf("the payload is not shown: %s", sent.body)
		}
		delivery := regexp.MustCompile(`dlv_\w+`).FindString(sent.body)
		u.act(hooks+"/"+id+"/"+delivery+"/redeliver").has(t, "on its way again")
		u.page(hooks+"/"+id+"?status=pending&type=post.created").has(t, "test", "redelivery")
		u.page(hooks+"/"+id+"?status=failed").has(t, "Nothing fits")

		again := u.post(hooks+"/"+id+"/rotate", "graceHours", "2")
		if second := regexp.MustCompile(`whsec_[\w+/=]+`).FindString(again.body); second == "" || second == secret {
			t.Errorf("rotating shows %q", second)
		}
		u.post(hooks+"/"+id+"/rotate", "graceHours", "999")
		u.page(hooks+"/"+id).has(t, "7 days")
		u.act(hooks+"/"+id, "url", "https://hooks.example.com/other", "description", "").has(t, "https://hooks.example.com/other")
		u.act(hooks+"/"+id+"/switch", "on", "false").has(t, "Off")
		u.post(hooks+"/"+id+"/test", "type", "post.created")
		u.page(hooks+"/"+id).has(t, "The webhook endpoint is disabled")
		u.act(hooks+"/"+id+"/switch", "on", "true").has(t, "On")
		w.clock.pass(feedback.ProofLife + time.Minute)
		u.post(hooks+"/"+id+"/remove").has(t, "Confirm that it is you")
		u.act(hooks+"/"+id+"/remove", "_password", password).has(t, "No endpoints yet")
	})
}

func TestWebhooksNeedAPlan(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Free)
	u := w.signedIn(t, ownerEmail)
	u.page(site(o, "webhooks")).has(t, "does not include webhooks")
	if a := u.post(site(o, "webhooks"), "url", "https://hooks.example.com/"); a.status != http.StatusPaymentRequired {
		t.Errorf("an endpoint on FREE: %d; want 402", a.status)
	}
}
