package dashboard

import (
	"net/http"
	"net/url"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// outboxView is the page of all mail of the installation.
type outboxView struct {
	Mails    []app.KeptMail
	Filter   feedback.MailFilter
	Next     string
	Server   string // "" where mail stays in the outbox
	To       string // of a test message
	Dialogue string // of the test message that was sent
}

func (c *call) outbox() error {
	return c.showOutbox(http.StatusOK, outboxView{To: c.who.Member.Email})
}

func (c *call) showOutbox(status int, v outboxView) error {
	q := c.r.URL.Query()
	v.Filter = feedback.MailFilter{State: feedback.MailState(q.Get("state"))}
	page, err := c.cfg.App.AllMail(c.ctx, v.Filter, feedback.Window{After: position(q.Get("after")), Limit: feedback.DefaultLimit})
	if err != nil {
		return err
	}
	v.Mails, v.Next = page.Items, nextPage(c.r, page.Next)
	if server, ok := c.cfg.App.MailServer(); ok {
		v.Server = server.Name
	}
	return c.render(status, outboxPage(c.chrome("Outbox", "operator"), v))
}

// tryMail sends a test message and shows the conversation with the server. It is
// recorded before it is sent: a server may take longer than somebody waits.
func (c *call) tryMail() error {
	v := outboxView{To: c.form("to")}
	err := c.cfg.App.CheckTryMail(v.To)
	if err == nil {
		err = c.attempt(app.Attempt{Kind: "test mail", By: c.who.Member.ID.String(), Pace: feedback.PaceTestMail})
	}
	if err == nil {
		err = c.change("mail.tested", v.To, func(*app.Tx) error { return nil })
	}
	if err == nil {
		v.Dialogue, err = c.cfg.App.TryMail(c.ctx, v.To)
	}
	if c.again(err) {
		return c.showOutbox(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return c.refused("/dash/operator/mail", err)
	}
	c.secret()
	return c.showOutbox(http.StatusOK, v)
}

// mailView is one message.
type mailView struct {
	app.KeptMail
	Shown bool // with what it says, though that is a secret
}

func (c *call) mail() error {
	var v mailView
	err := c.read(func(tx *app.Tx) error {
		m, err := tx.OneMail(c.ctx, c.r.PathValue("mail"))
		if err == nil {
			v.KeptMail = *m
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, mailPage(c.chrome("Message", "operator"), v))
}

// readMail shows what signs somebody in, where nobody else can hand it over.
func (c *call) readMail() error {
	id := c.r.PathValue("mail")
	v := mailView{Shown: true}
	err := c.change("mail.read", id, func(tx *app.Tx) error {
		m, err := tx.ReadMail(c.ctx, id)
		if err == nil {
			v.KeptMail = *m
		}
		return err
	})
	if err != nil {
		return c.refused(mailPath(id), err)
	}
	c.secret()
	return c.render(http.StatusOK, mailPage(c.chrome("Message", "operator"), v))
}

func (c *call) resendMail() error {
	id := c.r.PathValue("mail")
	err := c.change("mail.resent", id, func(tx *app.Tx) error {
		_, err := tx.ResendMail(c.ctx, id)
		return err
	})
	if err != nil {
		return c.refused(mailPath(id), err)
	}
	return c.done(mailPath(id), "The message will be sent again.")
}

func mailPath(id string) string { return "/dash/operator/mail/" + url.PathEscape(id) }

// outboxTabs choose which mails are listed.
func outboxTabs(now feedback.MailState) []web.Tab {
	tabs := []web.Tab{{Label: "All", URL: "/dash/operator/mail", Current: now == ""}}
	for _, s := range now.Values() {
		tabs = append(tabs, web.Tab{Label: mailState(feedback.MailState(s)), URL: "/dash/operator/mail?state=" + s, Current: string(now) == s})
	}
	return tabs
}

// mailState says where a mail stands.
func mailState(s feedback.MailState) string {
	switch s {
	case feedback.MailPending:
		return "Waiting"
	case feedback.MailSending:
		return "Being sent"
	case feedback.MailSent:
		return "Sent"
	case feedback.MailFailed:
		return "Failed"
	case feedback.MailUnsure:
		return "Unsure"
	}
	return string(s)
}

// mailKinds say what letters are about.
var mailKinds = map[string]string{
	"sign_in": "Code to sign in", "subscribe": "Confirmation of a subscription", "status": "News of a post", "reply": "Answer",
	"changelog": "Changelog", "invitation": "Invitation", "webhook_disabled": "Webhook turned off", "reset": "New password",
}

func mailKind(kind string) string {
	if name := mailKinds[kind]; name != "" {
		return name
	}
	return kind
}

// mailSubject is what can be told of what a mail is about.
func mailSubject(m *app.KeptMail) string {
	if m.Subject == "" {
		return mailKind(m.Kind)
	}
	return m.Subject
}

// mailAbout says what kind of mail it is and whom it is for.
func mailAbout(m *app.KeptMail) string {
	if m.Subject == "" {
		return "to " + m.ToEmail
	}
	return mailKind(m.Kind) + ", to " + m.ToEmail
}
