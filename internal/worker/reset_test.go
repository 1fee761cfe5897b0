package worker_test

import (
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/worker"
)

// Whoever asks for a new password gets a mail if they are a member, and what it
// said is forgotten once the server has it.
func TestMailNewPassword(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			f := newFixture(t, engine)
			server := startSMTP(t)
			sender, err := worker.NewSender(server.url, "Northwind <feedback@northwind.example>")
			if err != nil {
				t.Fatal(err)
			}
			for _, email := range []string{"nobody@northwind.example", "Owner@northwind.example"} {
				if err := f.app.AskReset(t.Context(), email, app.Client{Address: "192.0.2.1"}); err != nil {
					t.Fatalf("AskReset(%s): %v", email, err)
				}
			}
			if err := (worker.Mail{App: f.app, Sender: sender, Log: slog.New(slog.DiscardHandler)}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := server.all(t)
			if len(got) != 1 || got[0].To != "owner@northwind.example" {
				t.Fatalf("%d mails: %+v; want one to the owner", len(got), got)
			}
			text := strings.ReplaceAll(got[0].Data, "=\r\n", "")
			link := regexp.MustCompile(`https://heed\.example/reset/([\w-]{43})`).FindStringSubmatch(text)
			if link == nil {
				t.Fatalf("no link in\n%s", text)
			}
			page, err := f.app.AllMail(t.Context(), feedback.MailFilter{State: feedback.MailSent}, feedback.Window{Limit: 10})
			if err != nil || len(page.Items) != 1 || !page.Items[0].Secret || page.Items[0].Text != "" {
				t.Fatalf("the outbox: %+v, %v", page.Items, err)
			}
			if err := f.app.ResetPassword(t.Context(), link[1], feedback.NewPassword{Password: "a wholly new one"}, app.Client{}); err != nil {
				t.Errorf("ResetPassword: %v", err)
			}
			var read *app.KeptMail
			err = f.app.Read(t.Context(), f.team, app.Target{}, func(tx *app.Tx) (err error) {
				read, err = tx.ReadMail(t.Context(), page.Items[0].ID.String())
				return err
			})
			if err == nil {
				t.Errorf("a mail that was sent can be read: %+v", read)
			}
		})
	}
}
