package dashboard

import (
	"net/http"
	"strconv"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// chrome is what stands around every page: where one is and where one can go.
type chrome struct {
	Title     string
	Current   string // the key of the place in the navigation
	Theme     string
	Who       *app.SignedIn
	Site      *feedback.Site // nil: the account has none
	Portal    string
	FlashKind string
	FlashText string
	DraftDone string // the draft of a form that was taken
	Colors    []string
	Problems  feedback.Problems
	Waiting   int // posts of the site that wait for approval
	routes    map[string]route
}

const siteCookie = "heed_site"

// chrome gathers what stands around a page. The site is that of the path, else
// the one visited last.
func (c *call) chrome(title, current string) *chrome {
	v := &chrome{Title: title, Current: current, Theme: web.Theme(c.r), Who: c.who, Problems: c.problems, routes: c.byPattern}
	v.FlashKind, v.FlashText, v.DraftDone = c.takeFlash()
	wanted := c.r.PathValue("site")
	last := ""
	if k, err := c.r.Cookie(siteCookie); err == nil {
		last = k.Value
	}
	for _, id := range []string{wanted, last} {
		for i := range c.who.Sites {
			if v.Site == nil && c.who.Sites[i].ID.String() == id {
				v.Site = &c.who.Sites[i]
			}
		}
	}
	if v.Site == nil && len(c.who.Sites) > 0 {
		v.Site = &c.who.Sites[0]
	}
	if v.Site != nil {
		v.Portal = c.cfg.Portal(v.Site)
		var err error
		if v.Waiting, err = c.cfg.App.Waiting(c.ctx, c.who.Actor, v.Site.ID.String()); err != nil {
			c.cfg.Log.Warn("dashboard: posts that wait are not counted", "site", v.Site.ID, "err", err)
		}
		if wanted == v.Site.ID.String() && wanted != last {
			c.setCookie(siteCookie, wanted, 365*24*3600)
		}
	}
	return v
}

// part is the chrome of a part of a page, which is asked for by the page itself:
// what the next page is to say is left for that.
func (c *call) part() *chrome {
	v := &chrome{Who: c.who, Problems: c.problems, routes: c.byPattern}
	for i := range c.who.Sites {
		if c.who.Sites[i].ID.String() == c.r.PathValue("site") {
			v.Site = &c.who.Sites[i]
		}
	}
	return v
}

// color has the page know a colour that somebody chose.
func (v *chrome) color(colors ...string) { v.Colors = append(v.Colors, colors...) }

// may reports whether the reader's role allows something. A page leaves out what
// would be refused.
func (v *chrome) may(least feedback.Role) bool { return v.Who.Member.Role.AtLeast(least) }

// path is an address below the site.
func (v *chrome) path(parts ...string) string {
	if v.Site == nil {
		return "/dash"
	}
	return sitePath(v.Site.ID, parts...)
}

func sitePath(site feedback.SiteID, parts ...string) string {
	return strings.Join(append([]string{"/dash/sites/" + site.String()}, parts...), "/")
}

// here is an address below the site of the request.
func (c *call) here(parts ...string) string {
	return strings.Join(append([]string{"/dash/sites/" + c.r.PathValue("site")}, parts...), "/")
}

// place is somewhere the navigation leads.
type place struct{ Key, Label, Icon, URL string }

type placeGroup struct {
	Title  string
	Places []place
}

// places are where the reader may go.
func (v *chrome) places() []placeGroup {
	var groups []placeGroup
	if v.Site != nil {
		feed := placeGroup{Title: "Feedback", Places: []place{
			{"overview", "Overview", "home", v.path()},
		}}
		for _, p := range sitePlaces {
			feed.Places = append(feed.Places, place{p.Key, p.Label, p.Icon, v.path(p.URL)})
		}
		if v.has("GET /dash/sites/{site}/settings") {
			feed.Places = append(feed.Places, place{"settings", "Settings", "gear", v.path("settings")})
		}
		groups = append(groups, feed)
	}
	for _, g := range accountPlaces {
		group := placeGroup{Title: g.Title}
		if g.Title == developers && v.Site != nil {
			group.Places = append(group.Places, place{"webhooks", "Webhooks", "hook", v.path("webhooks")})
		}
		for _, p := range g.Places {
			if v.has("GET " + p.URL) {
				group.Places = append(group.Places, p)
			}
		}
		if len(group.Places) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// developers is the group that webhooks, which belong to a site, stand in too.
const developers = "Developers"

// sitePlaces are below a site; accountPlaces are not.
var (
	sitePlaces = []place{
		{"posts", "Posts", "inbox", "posts"},
		{"queue", "Approval", "check", "queue"},
		{"visitors", "Visitors", "user", "visitors"},
		{"boards", "Boards", "board", "boards"},
		{"statuses", "Statuses", "flag", "statuses"},
		{"tags", "Tags", "tag", "tags"},
		{"changelog", "Changelog", "mega", "changelog"},
		{"insights", "Insights", "chart", "insights"},
		{"automation", "Automation", "bot", "automation"},
	}

	accountPlaces = []placeGroup{
		{developers, []place{{"keys", "API keys", "key", "/dash/keys"}}},
		{"Organisation", []place{
			{"members", "Members", "users", "/dash/members"},
			{"plan", "Plan", "card", "/dash/plan"},
			{"audit", "Audit log", "clock", "/dash/audit"},
			{"operator", "Operator", "server", "/dash/operator"},
		}},
	}
)

// waiting is how many posts wait, as the navigation says it; "" for none.
func (v *chrome) waiting() string {
	switch {
	case v.Waiting == 0:
		return ""
	case v.Waiting >= feedback.MaxWaiting:
		return strconv.Itoa(feedback.MaxWaiting-1) + "+"
	}
	return strconv.Itoa(v.Waiting)
}

// has reports whether the reader may open a route. The navigation reads the
// table of routes, so it needs no table of roles of its own.
func (v *chrome) has(pattern string) bool {
	rt, ok := v.routes[pattern]
	return ok && v.may(rt.least) && (!rt.operator || v.Who.Operator)
}

// gate is what stands around the pages before the sign-in.
type gate struct{ Title, Theme string }

func (c *call) gate(title string) gate { return gate{title, web.Theme(c.r)} }

// home leads to the site visited last, or the first.
func (c *call) home() error {
	v := c.chrome("", "")
	if v.Site == nil {
		return c.redirect("/dash/sites/new")
	}
	if v.FlashText != "" {
		c.flash(v.FlashKind, v.FlashText)
	}
	http.Redirect(c.w, c.r, v.path(), http.StatusSeeOther)
	return errAnswered
}
