package dashboard

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
)

// keysView is the page of API keys.
type keysView struct {
	Keys    []feedback.Key
	Members map[feedback.MemberID]string
	Secret  string // of the key that was just made
	Made    *feedback.Key

	// What was typed, to be shown again.
	Name, Site, Expires string
	Scopes              []feedback.Scope
	NoAccess            error // the plan does not include the API
}

// resource is a row of the table of scopes.
type resource struct{ Name, Help string }

var resources = []resource{
	{"sites", "Names and slugs of your portals"},
	{"boards", "Boards inside a site"},
	{"posts", "Ideas and bugs, including merging"},
	{"comments", "Comments on posts, internal ones too"},
	{"votes", "Votes cast for a visitor"},
	{"statuses", "The workflow, and moving posts through it"},
	{"changelog", "What you tell your users about"},
	{"search", "Search over posts"},
	{"insights", "Themes found in feedback"},
	{"webhooks", "Where events are sent"},
	{"automation", "The queue and the runs of coding agents"},
}

// scopeOf is the scope of a resource and an access, or "" where there is none.
func scopeOf(resource, access string) feedback.Scope {
	s := feedback.Scope(resource + ":" + access)
	if slices.Contains(feedback.AllScopes(), s) {
		return s
	}
	return ""
}

// writes are the scopes of a key that change something.
func writes(scopes []feedback.Scope) []feedback.Scope {
	return slices.DeleteFunc(slices.Clone(scopes), func(s feedback.Scope) bool { return !strings.HasSuffix(string(s), ":write") })
}

func (c *call) keys() error {
	return c.showKeys(http.StatusOK, keysView{Scopes: feedback.ReadScopes()})
}

func (c *call) showKeys(status int, v keysView) error {
	v.NoAccess = c.who.Account.Plan.Require(feedback.APIAccess)
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Keys, err = tx.Keys(c.ctx); err != nil {
			return err
		}
		v.Members, err = tx.MemberNames(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(status, keysPage(c.chrome("API keys", "keys"), v))
}

// createKey answers with the page itself, not with a redirect: the secret is in
// this answer and nowhere else.
func (c *call) createKey() error {
	v := keysView{Name: c.form("name"), Site: c.form("site"), Expires: c.form("expires")}
	in := feedback.NewKey{Name: feedback.KeyName(v.Name)}
	for _, s := range feedback.AllScopes() {
		if slices.Contains(c.r.PostForm["scope"], string(s)) {
			in.Scopes = append(in.Scopes, s)
		}
	}
	v.Scopes = in.Scopes
	if v.Expires != "" {
		day, err := time.Parse(time.DateOnly, v.Expires)
		if err != nil {
			in.Malformed.Add("expires", feedback.RuleFormat, "must be a day such as 2030-12-31")
		}
		in.ExpiresAt = day
	}
	err := c.cfg.App.Change(c.ctx, c.who.Actor, app.Target{}, "key.created", v.Name, func(tx *app.Tx) (err error) {
		v.Made, v.Secret, err = tx.CreateKey(c.ctx, v.Site, in)
		return err
	})
	if c.again(err) {
		return c.showKeys(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return c.refused("/dash/keys", err)
	}
	c.secret()
	return c.showKeys(http.StatusOK, keysView{Made: v.Made, Secret: v.Secret, Scopes: feedback.ReadScopes()})
}

func (c *call) revokeKey() error {
	key := c.r.PathValue("key")
	if err := c.change("key.revoked", key, func(tx *app.Tx) error { return tx.EndKey(c.ctx, key) }); err != nil {
		return err
	}
	return c.done("/dash/keys", "The key is revoked. It stops working with the next request.")
}
