package dashboard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/browsertest"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/letter"
	"heed/internal/store"
)

// settle has something become of the oldest mail that waits.
func (w *world) settle(t testing.TB, o app.Outcome) feedback.MailID {
	t.Helper()
	due, err := w.app.ClaimMails(t.Context(), 1, time.Minute)
	if err != nil || len(due) != 1 {
		t.Fatalf("ClaimMails = %d mails, %v; want 1", len(due), err)
	}
	if ok, err := w.app.HandOver(t.Context(), &due[0], time.Minute); err != nil || !ok {
		t.Fatalf("HandOver = %v, %v", ok, err)
	}
	if err := w.app.Settle(t.Context(), &due[0], o); err != nil {
		t.Fatalf("Settle: %v", err)
	}
	return due[0].ID
}

// useMailServer has mail be sent by a server that answers as a test wants.
func (w *world) useMailServer(try func(context.Context, io.Writer, string) error) {
	w.app.UseMailServer(app.MailServer{Name: "smtp://mail.example:587?tls=starttls", Try: try})
}

func TestOutbox(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		u.page("/dash/operator/mail").has(t, "No messages yet", "No mail server is set")
		u.post("/dash/operator/mail/test", "to", ownerEmail)
		u.page("/dash/operator/mail").has(t, "Set HEED_SMTP_URL")

		link := regexp.MustCompile(`/invite/[\w-]+`).FindString(u.post("/dash/members/invite", "email", "ada@example.com", "role", "admin").body)
		list := u.page("/dash/operator/mail")
		list.has(t, "Invitation", "ada@example.com", "Waiting")
		id := regexp.MustCompile(`mail_\w+`).FindString(list.body)
		path := "/dash/operator/mail/" + id

		kept, err := w.app.AllMail(t.Context(), feedback.MailFilter{}, feedback.Window{Limit: 1})
		if err != nil || len(kept.Items) != 1 || kept.Items[0].Subject+kept.Items[0].Text+kept.Items[0].HTML != "" {
			t.Errorf("the list holds what signs somebody in: %+v, %v", kept.Items, err)
		}

		// What signs somebody in is withheld; without a server the operator can
		// have it shown, after showing who they are, and it is recorded.
		page := u.page(path)
		page.lacks(t, link)
		page.has(t, "for its reader alone", "Show the message")
		w.clock.pass(feedback.ProofLife + time.Minute)
		u.post(path+"/read").has(t, "Confirm that it is you")
		shown := u.post(path+"/read", "_password", password)
		if !strings.Contains(shown.body, link) || shown.header.Get("Cache-Control") != "no-store" {
			t.Errorf("the message is not shown, or kept: %q\n%s", shown.header.Get("Cache-Control"), shown.text())
		}
		u.page(path).lacks(t, link)
		log := u.page("/dash/audit?action=mail.read")
		log.has(t, id)
		log.lacks(t, link)

		// With a server it goes to its reader alone.
		w.useMailServer(nil)
		page = u.page(path)
		page.lacks(t, link, "Show the message")
		u.post(path + "/read")
		u.page(path).has(t, "for its reader alone")

		// A message that waits is not sent again; one that failed is.
		u.post(path + "/resend")
		u.page(path).has(t, "Only a message that failed")
		w.settle(t, app.Outcome{State: feedback.MailFailed, Reason: "550 <no such> user"})
		u.page("/dash/operator/mail?state=failed").has(t, "ada@example.com", "550 &lt;no such&gt; user")
		u.page("/dash/operator/mail?state=sent").has(t, "No message is in this state")
		u.page("/dash/operator/work").has(t, "Messages that failed")
		u.act(path+"/resend").has(t, "will be sent again", "Waiting")
		w.settle(t, app.Outcome{State: feedback.MailUnsure, Reason: "the connection broke"})
		u.page(path).has(t, "It may have arrived")
		u.act(path + "/resend")
		w.settle(t, app.Outcome{State: feedback.MailSent})
		u.page(path).has(t, "Sent")
		if m := w.mail(t, id); m.Text != "" || m.HTML != "" || m.Subject != "" {
			t.Errorf("what signed somebody in is kept after it was sent: %q %q", m.Subject, m.Text)
		}
		u.page("/dash/audit?action=mail.resent").has(t, id)

		// A link that has ended is not sent any more.
		u.post("/signin/forgot", "email", ownerEmail)
		w.answerResets(t)
		reset := w.settle(t, app.Outcome{State: feedback.MailFailed, Reason: "550"})
		w.clock.pass(2 * time.Hour)
		u = w.signedIn(t, ownerEmail)
		u.page("/dash/operator/mail/"+reset.String()).lacks(t, "/resend")
		u.post("/dash/operator/mail/" + reset.String() + "/resend")
		u.page("/dash/operator/mail").has(t, "The link in this message has ended")

		if a := u.get("/dash/operator/mail?state=lost"); a.status != http.StatusUnprocessableEntity {
			t.Errorf("a state that is none: %d; want 422", a.status)
		}
		if a := u.get("/dash/operator/mail/mail_0zzzzzzzzzzzz"); a.status != http.StatusNotFound {
			t.Errorf("a message that is none: %d; want 404", a.status)
		}
	})
}

// mail is a message as it is kept.
func (w *world) mail(t testing.TB, id string) (m feedback.Mail) {
	t.Helper()
	var mail feedback.MailID
	if err := mail.UnmarshalText([]byte(id)); err != nil {
		t.Fatal(err)
	}
	err := w.db.Read(t.Context(), func(s *store.Tx) error {
		kept, err := s.MailByID(t.Context(), mail)
		if err == nil {
			m = *kept
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A mail of no secret is shown to the operator as it is, as text.
func TestOutboxPlainMail(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	w.useMailServer(nil)
	w.plainMail(t, o)
	u := w.signedIn(t, ownerEmail)
	id := regexp.MustCompile(`mail_\w+`).FindString(u.page("/dash/operator/mail").body)
	page := u.page("/dash/operator/mail/" + id)
	page.has(t, "Deliveries to https://hooks.example.com/&lt;b&gt; kept failing")
	page.lacks(t, "<b>kept", "hooks.example.com/<b>")
}

// plainMail puts a mail into the outbox that holds no secret.
func (w *world) plainMail(t testing.TB, o *app.Opened) {
	t.Helper()
	actor := &app.Actor{Source: feedback.FromDashboard, Account: &o.Account, Member: o.Member.ID, Role: feedback.Owner}
	err := w.app.Change(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) error {
		return tx.TellOwners(t.Context(), webhookLetter)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTestMail(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		var to string
		w.useMailServer(func(_ context.Context, out io.Writer, address string) error {
			to = address
			fmt.Fprintf(out, "S: 220 <mail.example>\nC: EHLO heed\n* failed: 535 no\n")
			return errors.New("535 no")
		})
		if a := u.post("/dash/operator/mail/test", "to", "nonsense"); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, `id="to-error"`) {
			t.Errorf("nonsense: %d\n%s", a.status, a.text())
		}
		a := u.post("/dash/operator/mail/test", "to", " ada@example.com ")
		a.has(t, "The conversation with the server", "220 &lt;mail.example&gt;", "failed: 535 no")
		if to != "ada@example.com" {
			t.Errorf("sent to %q", to)
		}
		u.page("/dash/audit?action=mail.tested").has(t, "ada@example.com")
		for range feedback.PaceTestMail.Burst {
			u.post("/dash/operator/mail/test", "to", "ada@example.com")
		}
		u.page("/dash/operator/mail").has(t, "Too many attempts")
	})
}

// The download is what heed restore reads, is recorded, and asks who it is.
func TestBackupDownload(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		lively(t, w, o)
		u := w.signedIn(t, ownerEmail)
		w.clock.pass(feedback.ProofLife + time.Minute)
		u.post("/dash/operator/backup").has(t, "Confirm that it is you")
		a := u.post("/dash/operator/backup", "_password", password)
		if a.status != http.StatusOK || a.header.Get("Cache-Control") != "no-store" ||
			!regexp.MustCompile(`^attachment; filename="heed-2026-05-04-\d{6}\.backup"$`).MatchString(a.header.Get("Content-Disposition")) {
			t.Errorf("%d %v", a.status, a.header)
		}
		u.page("/dash/audit?action=backup.downloaded").has(t, "backup.downloaded")

		fresh, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + t.TempDir() + "/restored.db"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { fresh.Close() })
		if err := fresh.Restore(t.Context(), bytes.NewReader([]byte(a.body)), nil); err != nil {
			t.Fatalf("Restore: %v", err)
		}
		restored := feedbacktest.NewApp(t, fresh)
		page, err := restored.Installation(t.Context(), feedback.Window{Limit: 10})
		if err != nil || len(page.Accounts) != 1 || page.Accounts[0].Posts != 10 {
			t.Errorf("restored: %+v, %v; want one account with 10 posts", page, err)
		}
	})
}

func TestWorkPage(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		lively(t, w, o)
		u := w.signedIn(t, ownerEmail)
		u.page("/dash/operator/work").has(t, "Messages kept", "none", "No tasks here")
		u.post("/dash/members/invite", "email", "ada@example.com", "role", "admin")
		u.post("/signin/forgot", "email", ownerEmail)
		ended := w.app.TaskRuns("mail", time.Minute)
		w.app.TaskRuns("forget <things>", time.Hour)(errors.New("the disk is full"))
		w.clock.pass(3 * time.Hour)
		page := u.page("/dash/operator/work")
		page.has(t, "Messages kept", "Wishes for a new password", "3h ago", "running", "the disk is full", "forget &lt;things&gt;")
		ended(nil)
		u.page("/dash/operator/work").has(t, "done")
		u.page("/dash/operator").has(t, "schema ", "megabytes")
	})
}

func TestAuditSpan(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		for _, name := range []string{"alpha", "beta", "gamma"} {
			u.act(site(o, "tags"), "name", name)
			w.clock.pass(24 * time.Hour)
		}
		span := func(query string, want ...string) {
			t.Helper()
			page, csv := u.page("/dash/audit?action=tag.created&"+query), u.page("/dash/audit.csv?action=tag.created&"+query).body
			for _, name := range []string{"alpha", "beta", "gamma"} {
				in := strings.Contains(strings.Join(want, " "), name)
				if strings.Contains(page.text(), name) != in || strings.Contains(csv, name) != in {
					t.Errorf("%s: page or export disagree about %s; want %v", query, name, want)
				}
			}
		}
		span("", "alpha", "beta", "gamma")
		span("from=2026-05-05", "beta", "gamma")
		span("until=2026-05-05", "alpha", "beta")
		span("from=2026-05-05&until=2026-05-05", "beta")
		span("actor="+o.Member.ID.String()+"&until=2026-05-04", "alpha")
		span("from=2030-01-01")
		for _, query := range []string{"from=yesterday", "from=2026-05-05&until=2026-05-01"} {
			if a := u.get("/dash/audit?" + query); a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d; want 422", query, a.status)
			}
			if a := u.get("/dash/audit.csv?" + query); a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s exported: %d; want 422", query, a.status)
			}
		}
		u.get("/dash/audit?from=yesterday").has(t, "must be a day such as 2026-11-15")
	})
}

// The operator's pages in a browser, without JavaScript: a message is read and one
// that failed is sent again.
func TestOperatorWithoutJavaScript(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.open(t, "Northwind", ownerEmail, feedback.Studio)
	w.signedIn(t, ownerEmail).post("/dash/members/invite", "email", "ada@example.com", "role", "admin")
	w.settle(t, app.Outcome{State: feedback.MailFailed, Reason: "550 no such user"})
	p := browsertest.Open(t, browsertest.NoJavaScript)
	enterBrowser(p, w, ownerEmail)
	p.Go(w.srv.URL + "/dash/operator")
	p.Click(`.work .tabs a[href="/dash/operator/mail"]`)
	p.Wait(`td a[href^="/dash/operator/mail/"]`)
	p.Click(`td a[href^="/dash/operator/mail/"]`)
	p.Wait(`form[action$="/read"] button`)
	p.Click(`form[action$="/read"] button`)
	p.Wait("pre.codebox.wrap")
	if text := p.Text("pre.codebox.wrap"); !strings.Contains(text, "/invite/") {
		t.Errorf("the message says %q", text)
	}
	p.Click(`form[action$="/resend"] button`)
	p.Wait(".note.good")
	p.Click(`nav.nav a[href="/dash/operator"]`)
	p.Wait(`form[action="/dash/operator/backup"]`)
}

func webhookLetter(f letter.Frame) letter.Letter {
	return letter.WebhookDisabled(f, "https://hooks.example.com/<b>", "https://heed.example")
}
