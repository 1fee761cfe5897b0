package dashboard

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
)

// siteView is the form of a site.
type siteView struct {
	Name, Slug string
	Full       error // the plan allows no more
	Portal     string
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

func (c *call) siteSettings() error {
	var v siteView
	err := c.read(func(tx *app.Tx) error {
		v.Name, v.Slug = tx.Site().Name, tx.Site().Slug
		return nil
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, siteSettingsPage(c.chrome("Settings", "settings"), v))
}

func (c *call) saveSite() error {
	v := siteView{Name: c.form("name"), Slug: c.form("slug")}
	err := c.change("site.changed", c.r.PathValue("site"), func(tx *app.Tx) error {
		_, err := tx.UpdateSite(c.ctx, app.SiteEdit{Name: feedback.SiteName(v.Name), Slug: feedback.Slug(v.Slug)})
		return err
	})
	if c.again(err) {
		return c.render(http.StatusUnprocessableEntity, siteSettingsPage(c.chrome("Settings", "settings"), v))
	}
	if err != nil {
		return err
	}
	return c.done(c.here("settings"), "The settings are saved.")
}
