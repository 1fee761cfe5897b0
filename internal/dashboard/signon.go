package dashboard

import (
	"net/http"
	"net/url"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// signOnView is what pages say of the provider of single sign-on.
type signOnView struct {
	app.SignOn
	On bool
}

func (c *call) signOn() signOnView {
	s, on := c.cfg.App.SignOn()
	return signOnView{s, on}
}

// tripCookie holds what a browser brings back from the provider.
const tripCookie = "heed_signon"

// leaveForSignOn sends the browser to the provider. It is a link and no form: the
// policy of our pages has forms lead nowhere else.
func (c *call) leaveForSignOn() error {
	q := c.r.URL.Query()
	to, luggage, err := c.cfg.App.LeaveForSignOn(c.ctx, web.Local(q.Get("next"), "/dash"), q.Has("fresh"))
	if err != nil {
		return c.signInAgain(signInView{Next: web.Local(q.Get("next"), "/dash")}, err)
	}
	c.setCookie(tripCookie, luggage, 15*60)
	return c.redirect(to)
}

// returnFromSignOn is the callback.
func (c *call) returnFromSignOn() error {
	c.noReferrer()
	c.secret()
	if err := c.attempt(); err != nil {
		return c.signInAgain(signInView{Next: "/dash"}, err)
	}
	luggage := ""
	if k, err := c.r.Cookie(tripCookie); err == nil {
		luggage = k.Value
	}
	c.setCookie(tripCookie, "", -1)
	in, err := c.cfg.App.ReturnFromSignOn(c.ctx, luggage, c.r.URL.Query())
	if err != nil {
		return c.signInAgain(signInView{Next: "/dash"}, err)
	}
	v := signInView{Email: in.Email, Next: in.Next, Ticket: in.Ticket, Doors: in.Doors.Doors, Welcomes: in.Welcomes}
	if len(in.Welcomes) > 0 || len(v.Doors) > 1 {
		return c.render(http.StatusOK, choosePage(c.gate("Choose an account"), v))
	}
	v.Member = v.Doors[0].Member.String()
	return c.enterWith(v, "")
}

// join accepts an invitation of somebody who came by the provider.
func (c *call) join() error {
	v := signInView{Email: c.form("email"), Next: web.Local(c.form("next"), "/dash")}
	if err := c.attempt(); err != nil {
		return c.signInAgain(v, err)
	}
	token, err := c.cfg.App.Join(c.ctx, c.form("ticket"), c.form("invitation"), c.client())
	if err != nil {
		return c.signInAgain(v, err)
	}
	if v.Email != "" {
		c.knowDevice(v.Email)
	}
	return c.startSession(token, v.Next)
}

func (c *call) forgetIdentity() error {
	err := c.change("identity.forgotten", c.who.Member.Email, func(tx *app.Tx) error { return tx.ForgetIdentity(c.ctx) })
	if err != nil {
		return err
	}
	return c.done("/dash/profile", "The connection is forgotten. The next sign-in by the provider makes it anew.")
}

// cameFrom is the page of ours that a form was sent from.
func (c *call) cameFrom() string {
	u, err := url.Parse(c.r.Referer())
	if err != nil {
		return "/dash"
	}
	return web.Local(u.Path, "/dash")
}

// signInError reports whether a sign-in can be shown again with the error.
func signInError(e *feedback.Error) bool {
	return e.Code == feedback.Unauthenticated || e.Code == feedback.RateLimited || e.Code == feedback.Unavailable && e.Hint != ""
}
