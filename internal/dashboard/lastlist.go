package dashboard

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// listCookie remembers the list of posts that was looked at last, so that a post
// leads back to it and on to the next one of it.
const listCookie = "heed_list"

// maxList bounds what is remembered. A longer filter is that of nobody's work.
const maxList = 600

// rememberList notes the list that the request is for.
func (c *call) rememberList(q url.Values) {
	keep := filterParams(postFilter(q))
	if after := q.Get("after"); after != "" {
		keep.Set("after", after)
	}
	value := c.r.PathValue("site") + "." + base64.RawURLEncoding.EncodeToString([]byte(keep.Encode()))
	if k, err := c.r.Cookie(listCookie); err == nil && k.Value == value || len(value) > maxList {
		return
	}
	c.setCookie(listCookie, value, 24*3600)
}

// lastList is the list of the site's posts that was looked at last: all, if none
// was lately.
func (c *call) lastList() url.Values {
	k, err := c.r.Cookie(listCookie)
	if err != nil {
		return nil
	}
	site, code, _ := strings.Cut(k.Value, ".")
	b, err := base64.RawURLEncoding.DecodeString(code)
	if err != nil || site != c.r.PathValue("site") {
		return nil
	}
	q, err := url.ParseQuery(string(b))
	if err != nil || !isText(q) {
		return nil
	}
	keep := filterParams(postFilter(q))
	if after := q.Get("after"); after != "" {
		keep.Set("after", after)
	}
	return keep
}

// toList is the address of that list.
func (c *call) toList() string {
	if q := c.lastList().Encode(); q != "" {
		return c.here("posts") + "?" + q
	}
	return c.here("posts")
}

// nextPost leads from a post to the one below it in the list that it was opened
// from, also when it has left that list meanwhile, as one that was triaged does.
func (c *call) nextPost() error {
	filter := postFilter(c.lastList())
	var next *feedback.Post
	err := c.read(func(tx *app.Tx) (err error) {
		next, err = tx.PostAfter(c.ctx, c.r.PathValue("post"), filter)
		return err
	})
	if err != nil {
		return err
	}
	if next == nil {
		return c.done(c.toList(), "That was the last post of the list.")
	}
	http.Redirect(c.w, c.r, c.here("posts", next.ID.String()), http.StatusSeeOther)
	return errAnswered
}
