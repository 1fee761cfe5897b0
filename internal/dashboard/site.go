package dashboard

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
)

// siteView is the form of a new site.
type siteView struct {
	Name string
	Full error // the plan allows no more
}

func (c *call) newSite() error { return c.showNewSite(http.StatusOK, siteView{}) }

func (c *call) showNewSite(status int, v siteView) error {
	v.Full = c.cfg.App.PlanLimits().Allow(c.who.Account.Plan, feedback.Sites, len(c.who.Sites))
	return c.render(status, newSitePage(c.chrome("New site", "sites"), v))
}

func (c *call) createSite() error {
	v := siteView{Name: c.form("name")}
	var s *feedback.Site
	err := c.cfg.App.Change(c.ctx, c.who.Actor, app.Target{}, "site.created", v.Name, func(tx *app.Tx) (err error) {
		s, err = tx.CreateSite(c.ctx, feedback.NewSite{Name: feedback.SiteName(v.Name)})
		return err
	})
	if c.again(err) {
		return c.showNewSite(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	return c.done(sitePath(s.ID), "The site is open, with its first boards and statuses.")
}
