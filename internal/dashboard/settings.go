package dashboard

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/i18n"
	"heed/internal/web"
)

// settingsView is a page of the settings of a site.
type settingsView struct {
	Tab        string // which page, as in its address
	Name, Slug string
	Now        *feedback.Settings   // as they are
	Form       feedback.NewSettings // as they are, or as somebody typed them
	Checked    bool                 // the look was tried, not saved

	NoWhiteLabel error  // the plan keeps the name of Heed in the footer
	OwnHost      string // of this service
	Portal       string // where the public finds the site
	Host         []app.HostCheck

	*app.BlockList
	Kind, Value string // of a block that somebody typed

	Secret string // of single sign-on, shown once
}

// settingsTabs are the pages of the settings.
var settingsTabs = []struct{ Key, Label string }{
	{"", "General"}, {"look", "Look"}, {"languages", "Languages"}, {"host", "Host name"}, {"posting", "Posting"},
	{"blocks", "Block list"}, {"sso", "Single sign-on"}, {"widget", "Widget"},
}

// languages are those that a portal speaks.
var languages = i18n.MustLoad(web.Messages()).Locales()

// showSettings shows a page of the settings; typed is what somebody typed and
// could not be saved, or nil.
func (c *call) showSettings(status int, v settingsView, typed *feedback.SettingsPatch) error {
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Now, err = tx.Settings(c.ctx); err != nil {
			return err
		}
		if v.Tab == "blocks" {
			v.BlockList, err = tx.Blocks(c.ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	if typed == nil {
		typed = &feedback.SettingsPatch{}
	}
	v.Form = typed.On(v.Now)
	v.OwnHost, v.NoWhiteLabel = c.cfg.App.OwnHost(), c.who.Account.Plan.Require(feedback.WhiteLabel)
	ch := c.chrome("Settings", "settings")
	ch.Problems = inOwnWords(ch.Problems)
	if v.Name == "" && len(ch.Problems) == 0 {
		v.Name, v.Slug = ch.Site.Name, ch.Site.Slug
	}
	if v.Portal = ch.Portal; v.Now.Host != "" {
		v.Portal = "https://" + v.Now.Host
	}
	for _, r := range web.Readings(v.Form.Accent) {
		ch.color(r.Shade)
	}
	return c.render(status, settingsPage(ch, v))
}

// inOwnWords has the rules of a field be told in their own words, which name an
// example, instead of those that fit every field.
func inOwnWords(all feedback.Problems) feedback.Problems {
	var out feedback.Problems
	for _, p := range all {
		switch p.Rule {
		case feedback.RuleMinLength, feedback.RuleRequired, feedback.RuleBlank, feedback.RulePattern:
		default:
			p.Rule = "own " + p.Rule
			if first := p.Message[:1]; first == strings.ToLower(first) {
				p.Message = "It " + p.Message + "."
			}
		}
		out = append(out, p)
	}
	return out
}

// saveSettings changes some settings and shows the page again, with what is
// wrong or as they are now.
func (c *call) saveSettings(tab string, in feedback.SettingsPatch, done string) error {
	err := c.change("settings."+tab+"_changed", c.r.PathValue("site"), func(tx *app.Tx) error {
		_, err := tx.PatchSettings(c.ctx, in)
		return err
	})
	if c.again(err) {
		return c.showSettings(http.StatusUnprocessableEntity, settingsView{Tab: tab}, &in)
	}
	if err != nil {
		return err
	}
	return c.done(c.here("settings", tab), done)
}

func (c *call) siteSettings() error {
	return c.showSettings(http.StatusOK, settingsView{}, nil)
}

// settingsTab shows one of the other pages.
func settingsTab(tab string) func(*call) error {
	return func(c *call) error { return c.showSettings(http.StatusOK, settingsView{Tab: tab}, nil) }
}

// hostTab asks the name servers only when told to: a page must not wait for them.
func (c *call) hostTab() error {
	v := settingsView{Tab: "host"}
	if c.r.URL.Query().Get("check") != "" {
		var host string
		err := c.read(func(tx *app.Tx) error {
			s, err := tx.Settings(c.ctx)
			if err == nil {
				host = s.Host
			}
			return err
		})
		if err != nil {
			return err
		}
		if host != "" {
			v.Host = c.cfg.App.CheckHost(c.ctx, host)
		}
	}
	return c.showSettings(http.StatusOK, v, nil)
}

func (c *call) saveSite() error {
	v := settingsView{Name: c.form("name"), Slug: c.form("slug")}
	intro := feedback.Intro(c.form("intro"))
	err := c.change("site.changed", c.r.PathValue("site"), func(tx *app.Tx) error {
		_, err := tx.UpdateSite(c.ctx, app.SiteEdit{Name: feedback.SiteName(v.Name), Slug: feedback.Slug(v.Slug)})
		if err != nil {
			return err
		}
		_, err = tx.PatchSettings(c.ctx, feedback.SettingsPatch{Intro: &intro})
		return err
	})
	if c.again(err) {
		return c.showSettings(http.StatusUnprocessableEntity, v, &feedback.SettingsPatch{Intro: &intro})
	}
	if err != nil {
		return err
	}
	return c.done(c.here("settings"), "The settings are saved.")
}

func (c *call) saveLook() error {
	accent, scheme := strings.TrimSpace(c.form("accent")), feedback.Scheme(c.form("scheme"))
	in := feedback.SettingsPatch{Accent: &accent, Scheme: &scheme}
	if c.form("act") == "check" {
		return c.showSettings(http.StatusOK, settingsView{Tab: "look", Checked: true}, &in)
	}
	return c.saveSettings("look", in, "The look is saved. The portal shows it from the next page on.")
}

// saveLogo stores the picture that was sent. What it may be is for the verb to
// say; here it is only read.
func (c *call) saveLogo() error {
	var data []byte
	f, _, err := c.r.FormFile("logo")
	switch {
	case err == nil:
		defer f.Close()
		if data, err = io.ReadAll(f); err != nil {
			return err
		}
	case !errors.Is(err, http.ErrMissingFile) && !errors.Is(err, http.ErrNotMultipart):
		return errForm()
	}
	if len(data) == 0 {
		c.problems.Add("logo", feedback.RuleRequired, "must be chosen")
		return c.showSettings(http.StatusUnprocessableEntity, settingsView{Tab: "look"}, nil)
	}
	err = c.change("settings.logo_changed", c.r.PathValue("site"), func(tx *app.Tx) error { return tx.SetLogo(c.ctx, data) })
	if c.again(err) {
		return c.showSettings(http.StatusUnprocessableEntity, settingsView{Tab: "look"}, nil)
	}
	if err != nil {
		return err
	}
	return c.done(c.here("settings", "look"), "The logo is changed.")
}

func (c *call) removeLogo() error {
	err := c.change("settings.logo_removed", c.r.PathValue("site"), func(tx *app.Tx) error { return tx.SetLogo(c.ctx, nil) })
	if err != nil {
		return err
	}
	return c.done(c.here("settings", "look"), "The logo is removed. The first letter of the name stands in its place.")
}

// logo shows the picture itself.
func (c *call) logo() error {
	var l *feedback.Logo
	err := c.read(func(tx *app.Tx) (err error) {
		l, err = tx.Logo(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", l.Type)
	h.Set("Cache-Control", "private, max-age=60")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, err = c.w.Write(l.Data)
	return err
}

func (c *call) saveLanguages() error {
	locale := c.form("locale")
	return c.saveSettings("languages", feedback.SettingsPatch{Locale: &locale}, "The language is saved.")
}

func (c *call) saveHost() error {
	host := c.form("host")
	done := "The host name is saved. Check below whether it leads here."
	if strings.TrimSpace(host) == "" {
		done = "The portal has no host name of its own any more."
	}
	return c.saveSettings("host", feedback.SettingsPatch{Host: &host}, done)
}

func (c *call) savePosting() error {
	moderation, anonymous := c.form("moderation") == "on", c.form("anonymous") == "on"
	return c.saveSettings("posting", feedback.SettingsPatch{Moderation: &moderation, Anonymous: &anonymous}, "The rules are saved. They hold from the next post on.")
}

func (c *call) saveWidget() error {
	origins := strings.Fields(c.form("widgetOrigins"))
	err := c.change("settings.widget_changed", c.r.PathValue("site"), func(tx *app.Tx) error {
		_, err := tx.PatchSettings(c.ctx, feedback.SettingsPatch{WidgetOrigins: &origins})
		return err
	})
	if c.again(err) {
		// The rules name an origin by its number; the form has one field.
		for i, p := range c.problems {
			var n int
			if _, err := fmt.Sscanf(p.Path, "widgetOrigins.%d", &n); err == nil && n < len(origins) {
				c.problems[i].Path = "widgetOrigins"
				c.problems[i].Message = "cannot be “" + cut(origins[n], 100) + "”: each line " + p.Message
			}
		}
		return c.showSettings(http.StatusUnprocessableEntity, settingsView{Tab: "widget"}, &feedback.SettingsPatch{WidgetOrigins: &origins})
	}
	if err != nil {
		return err
	}
	return c.done(c.here("settings", "widget"), "The pages that may show the widget are saved.")
}

func (c *call) addBlock() error {
	v := settingsView{Tab: "blocks", Kind: c.form("kind"), Value: c.form("value")}
	err := c.change("block.added", v.Kind, func(tx *app.Tx) error {
		_, err := tx.AddBlock(c.ctx, feedback.NewBlock{Kind: feedback.BlockKind(v.Kind), Value: v.Value})
		return err
	})
	if c.again(err) {
		return c.showSettings(http.StatusUnprocessableEntity, v, nil)
	}
	if err != nil {
		return err
	}
	return c.done(c.here("settings", "blocks"), "They cannot write any more. What they wrote before stays.")
}

func (c *call) removeBlock() error {
	kind := feedback.BlockKind(c.form("kind"))
	err := c.change("block.removed", string(kind), func(tx *app.Tx) error { return tx.RemoveBlock(c.ctx, kind, c.form("value")) })
	if err != nil {
		return c.refused(c.here("settings", "blocks"), err)
	}
	return c.done(c.here("settings", "blocks"), "They can write again.")
}

// newSSOSecret answers with the page itself: the secret is in this answer and
// nowhere else.
func (c *call) newSSOSecret() error {
	v := settingsView{Tab: "sso"}
	err := c.change("settings.sso_secret_made", c.r.PathValue("site"), func(tx *app.Tx) (err error) {
		v.Secret, err = tx.NewSSOSecret(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	c.secret()
	return c.showSettings(http.StatusOK, v, nil)
}

func (c *call) removeSSOSecret() error {
	err := c.change("settings.sso_secret_removed", c.r.PathValue("site"), func(tx *app.Tx) error { return tx.RemoveSSOSecret(c.ctx) })
	if err != nil {
		return err
	}
	return c.done(c.here("settings", "sso"), "Single sign-on is off. No token is taken any more.")
}

// cut shortens a text for a message.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
