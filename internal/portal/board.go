package portal

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// pageSize is how many posts a page of a list has.
const pageSize = 50

// boardPage is what the list of posts shows.
type boardPage struct {
	*visit
	board  *feedback.Board // nil: all
	sort   feedback.Sort
	status *feedback.Status // nil: any
	tag    *feedback.Tag    // nil: any; without a name where it lists nothing
	query  string
	first  bool // not a later page
	pinned []feedback.PublicPost
	posts  []feedback.PublicPost
	next   string // URL; empty: none
}

// board lists the posts of the site or of one board.
func (v *visit) board(w http.ResponseWriter, r *http.Request) error {
	// What is looked for and not found can become a title.
	p := &boardPage{visit: v, sort: sortOf(r.FormValue("sort")), query: fit(strings.TrimSpace(r.FormValue("q")), feedback.PostTitle(""))}
	if slug := r.PathValue("board"); slug != "" {
		if p.board = v.portal.BoardNamed(slug); p.board == nil {
			return feedback.Missing("board", slug)
		}
	}
	p.status = v.portal.StatusNamed(r.FormValue("status"))
	after := position(r.FormValue("after"))
	p.first = after == nil
	tag := cut(r.FormValue("tag"), 40)
	v.here = p.at("tag", tag)
	if p.query != "" || v.frame {
		if err := p.load(r, tag, after); err != nil {
			return err
		}
		return v.render(w, r, http.StatusOK, boardView(p))
	}
	key := strings.Join([]string{v.base, v.portal.Site.Slug, p.at(), tag, positionText(after), v.locale.Tag, v.theme}, " ")
	c, err := v.h.lists.get(key, v.portal.Moment, v.now, func() (*common, error) {
		// As nobody in particular sees it, and also if the one who asked first
		// does not stay.
		nobody := *v
		nobody.visitor, nobody.ref, nobody.session = nil, "", ""
		p.visit = &nobody
		lasting := r.WithContext(context.WithoutCancel(r.Context()))
		if err := p.load(lasting, tag, after); err != nil {
			return nil, err
		}
		return p.render(lasting.Context())
	})
	if err != nil {
		return err
	}
	return c.send(v, w, r)
}

// load reads what the list shows.
func (p *boardPage) load(r *http.Request, tag string, after feedback.Position) error {
	return p.read(r, func(tx *app.Tx) (err error) {
		if tag != "" {
			// One that is gone filters nothing, as a status that is gone.
			if p.tag, err = tx.PublicTag(r.Context(), tag); err != nil && !feedback.IsNotFound(err) {
				return err
			}
		}
		if p.query != "" {
			err = p.find(r, tx, after)
		} else {
			err = p.list(r, tx, after)
		}
		if p.tag != nil && len(p.posts) == 0 {
			// It may be of posts that are nobody's business.
			p.tag = &feedback.Tag{ID: p.tag.ID}
		}
		return err
	})
}

func (p *boardPage) list(r *http.Request, tx *app.Tx, after feedback.Position) error {
	f := feedback.PublicFilter{Sort: p.sort}
	f.After, f.Limit = after, pageSize
	if p.board != nil {
		f.Board = p.board.ID
	}
	if p.status != nil {
		f.Status = p.status.ID
	}
	if p.tag != nil {
		f.Tag = p.tag.ID
	}
	list, err := tx.PublicPosts(r.Context(), f)
	if err != nil {
		return err
	}
	p.pinned, p.posts = list.Pinned, list.Posts
	p.next = p.nextURL(list.Next)
	return nil
}

// find looks for posts. What is found is filtered here, so a page of it may need
// several of the search; there are at most a thousand posts to go through.
func (p *boardPage) find(r *http.Request, tx *app.Tx, after feedback.Position) error {
	in := feedback.Search{Query: feedback.SearchQuery(p.query)}
	in.After, in.Limit = after, pageSize
	for range 1000 / pageSize {
		found, err := tx.PublicSearch(r.Context(), in)
		if err != nil {
			return err
		}
		for _, post := range found.Items {
			if p.wants(&post) {
				p.posts = append(p.posts, post)
			}
		}
		p.next = p.nextURL(found.Next)
		if in.After = found.Next; found.Next == nil || len(p.posts) >= pageSize/2 {
			break
		}
	}
	return nil
}

func (p *boardPage) wants(post *feedback.PublicPost) bool {
	return (p.board == nil || post.BoardID == p.board.ID) && (p.status == nil || post.StatusID == p.status.ID) &&
		(p.tag == nil || slices.ContainsFunc(post.Tags, func(t feedback.Tag) bool { return t.ID == p.tag.ID }))
}

// search is the same list under an address that says what it is.
func (v *visit) search(w http.ResponseWriter, r *http.Request) error {
	return v.redirect(w, r, v.url()+"?q="+url.QueryEscape(r.FormValue("q")))
}

// at is the address of this list with some of its choices changed.
func (p *boardPage) at(changes ...string) string {
	path := p.url()
	if p.board != nil {
		path = p.url("boards", p.board.Slug)
	}
	q := url.Values{}
	if p.sort != feedback.Trending {
		q.Set("sort", string(p.sort))
	}
	if p.status != nil {
		q.Set("status", p.status.ID.String())
	}
	if p.tag != nil {
		q.Set("tag", p.tag.ID.String())
	}
	if p.query != "" {
		q.Set("q", p.query)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		q.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			q.Del(changes[i])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (p *boardPage) nextURL(next feedback.Position) string {
	if next == nil {
		return ""
	}
	return p.at("after", positionText(next))
}

// positionText spells a position for an address. It is no secret: the numbers
// are those of a public post.
func positionText(p feedback.Position) string {
	parts := make([]string, len(p))
	for i, n := range p {
		parts[i] = strconv.FormatInt(n, 36)
	}
	return strings.Join(parts, ".")
}

// position reads what positionText wrote. Whatever else it is, is the beginning: an
// address that somebody mangled still shows a page.
func position(s string) feedback.Position {
	if s == "" || len(s) > 100 {
		return nil
	}
	var p feedback.Position
	for part := range strings.SplitSeq(s, ".") {
		n, err := strconv.ParseInt(part, 36, 64)
		if err != nil || n == math.MinInt64 {
			return nil
		}
		p = append(p, n)
	}
	return p
}

func sortOf(s string) feedback.Sort {
	if s == string(feedback.Top) || s == string(feedback.Newest) {
		return feedback.Sort(s)
	}
	return feedback.Trending
}

func (p *boardPage) sorts(r interface{ T(string, ...any) string }) []web.Tab {
	var tabs []web.Tab
	for _, s := range []feedback.Sort{feedback.Trending, feedback.Top, feedback.Newest} {
		value := string(s)
		if s == feedback.Trending {
			value = ""
		}
		tabs = append(tabs, web.Tab{Label: r.T("portal.sort." + string(s)), URL: p.at("sort", value), Current: p.sort == s})
	}
	return tabs
}

func (p *boardPage) title() string {
	if p.board != nil {
		return p.board.Name
	}
	return p.locale.T("portal.title")
}

func (p *boardPage) intro() string {
	switch {
	case p.board != nil && p.board.Description != nil && *p.board.Description != "":
		return *p.board.Description
	case p.board == nil && p.portal.Settings.Intro != "":
		return p.portal.Settings.Intro
	case p.board != nil:
		return ""
	}
	return p.locale.T("portal.intro")
}

// total is how many posts the public boards hold.
func (v *visit) total() int {
	n := 0
	for _, b := range v.portal.Boards {
		n += b.Shown
	}
	return n
}

// filtered says whether the reader sees only a part of the list.
func (p *boardPage) filtered() bool { return p.query != "" || p.status != nil || p.tag != nil }

// vote is the vote button of a post.
func (v *visit) voteOf(p *feedback.PublicPost, small bool, back string) web.Vote {
	return web.Vote{
		Action: v.url("posts", p.ID.String(), "vote"), Title: p.Title, Count: p.VoteCount, Voted: p.Voted,
		Closed: p.Locked, Small: small, Return: back,
	}
}

// statusColor is the colour of a post's status.
func (v *visit) statusColor(p *feedback.PublicPost) string {
	if s := v.portal.Status(p.StatusID); s != nil {
		return s.Color
	}
	return ""
}

// boardIcon guesses from its name what a board is about.
func boardIcon(b *feedback.Board) string {
	switch s := strings.ToLower(b.Slug + b.Name); {
	case strings.Contains(s, "bug"), strings.Contains(s, "issue"), strings.Contains(s, "problem"), strings.Contains(s, "fehler"):
		return "bug"
	case strings.Contains(s, "integration"), strings.Contains(s, "api"):
		return "plug"
	case strings.Contains(s, "feature"), strings.Contains(s, "idea"), strings.Contains(s, "request"):
		return "bulb"
	}
	return "board"
}

// cut keeps the first n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// doc is the head of a page of this portal.
func (v *visit) doc(title, canonical string) web.Doc {
	colors := make([]string, 0, len(v.portal.Statuses))
	for _, s := range v.portal.Statuses {
		colors = append(colors, s.Color)
	}
	d := web.Doc{
		Title: title, Theme: v.theme, Palette: web.Palette(v.portal.Settings.Accent, colors...), SiteName: v.portal.Site.Name,
		NoIndex: v.frame,
		Feeds: []web.Feed{
			{Title: v.locale.T("portal.feed.changelog", "site", v.portal.Site.Name), URL: v.url("changelog.atom")},
			{Title: v.locale.T("portal.feed.posts", "site", v.portal.Site.Name), URL: v.url("posts.atom")},
		},
	}
	if hash := v.portal.Settings.LogoHash; hash != "" {
		d.Icon = v.url("logo", hash)
	}
	if canonical != "" {
		d.Canonical = v.home() + canonical
		d.Image = v.home() + "/og.png"
	}
	return d
}

// palette adds the colours of tags to the head of a page.
func (v *visit) palette(d web.Doc, posts ...[]feedback.PublicPost) web.Doc {
	var colors []string
	for _, s := range v.portal.Statuses {
		colors = append(colors, s.Color)
	}
	for _, list := range posts {
		for _, p := range list {
			for _, t := range p.Tags {
				colors = append(colors, t.Color)
			}
		}
	}
	d.Palette = web.Palette(v.portal.Settings.Accent, colors...)
	return d
}
