package dashboard

import (
	"net/http"
	"time"

	"heed/internal/feedback"
)

// setupView is what the page of the first set-up shows.
type setupView struct {
	Token                      string
	Email, Account, Site, Curl string
	Problems                   feedback.Problems
	Portal, Secret             string
}

// noReferrer keeps a link that is a secret from being told to the pages it leads
// to.
func (c *call) noReferrer() {
	c.w.Header().Set("Referrer-Policy", "no-referrer")
	c.secret()
}

func (c *call) showSetupHint() error {
	return c.redirect("/signin")
}

func (c *call) showSetup() error {
	c.noReferrer()
	token := c.r.PathValue("token")
	if err := c.cfg.App.CheckSetup(c.ctx, token); err != nil {
		return err
	}
	return c.render(http.StatusOK, setupPage(c.gate("Set up Heed"), setupView{Token: token}))
}

// setUp opens the first account. Its answer shows the first key, once.
func (c *call) setUp() error {
	c.noReferrer()
	v := setupView{
		Token: c.r.PathValue("token"), Email: c.form("email"), Account: c.form("account"), Site: c.form("site"),
	}
	o, session, err := c.cfg.App.SetUp(c.ctx, v.Token, feedback.NewAccount{
		Name: feedback.AccountName(v.Account), Email: v.Email, Password: c.form("password"), Site: feedback.SiteName(v.Site),
	}, c.client())
	if c.again(err) {
		v.Problems = c.problems
		return c.render(http.StatusUnprocessableEntity, setupPage(c.gate("Set up Heed"), v))
	}
	if err != nil {
		return err
	}
	c.knowDevice(v.Email)
	c.setCookie(c.sessionCookie(), session, int(feedback.SessionLife/time.Second))
	v.Portal, v.Secret = c.cfg.Portal(&o.Site), o.Secret
	v.Curl = "curl -H 'Authorization: Bearer " + o.Secret + "' \\\n  " + c.cfg.BaseURL + "/v1/sites/" + o.Site.ID.String() + "/posts"
	return c.render(http.StatusOK, readyPage(c.gate("Ready"), v))
}
