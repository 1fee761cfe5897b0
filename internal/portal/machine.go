package portal

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// What programs read: feeds, the map of the site, and what a page is about.

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Links   []atomLink  `xml:"link"`
	Author  atomAuthor  `xml:"author"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomEntry struct {
	Title     string    `xml:"title"`
	ID        string    `xml:"id"`
	Link      atomLink  `xml:"link"`
	Published string    `xml:"published"`
	Updated   string    `xml:"updated"`
	Category  *atomTerm `xml:"category"`
	Content   atomText  `xml:"content"`
}

type atomTerm struct {
	Term string `xml:"term,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

func (v *visit) feed(name, title string) *atomFeed {
	return &atomFeed{
		Lang: v.locale.Tag, Title: title, ID: v.home() + "/" + name, Author: atomAuthor{v.portal.Site.Name},
		Updated: v.portal.Site.CreatedAt.UTC().Format(time.RFC3339),
		Links:   []atomLink{{Rel: "self", Type: "application/atom+xml", Href: v.home() + "/" + name}, {Href: v.home() + "/"}},
	}
}

func (f *atomFeed) add(title, link, html, category string, at time.Time) {
	when := at.UTC().Format(time.RFC3339)
	if len(f.Entries) == 0 {
		f.Updated = when
	}
	e := atomEntry{Title: title, ID: link, Link: atomLink{Href: link}, Published: when, Updated: when, Content: atomText{"html", html}}
	if category != "" {
		e.Category = &atomTerm{category}
	}
	f.Entries = append(f.Entries, e)
}

func (v *visit) sendXML(w http.ResponseWriter, r *http.Request, contentType string, doc any) error {
	b, err := xml.Marshal(doc)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "public, max-age=300")
	web.Send(w, r, http.StatusOK, append([]byte(xml.Header), b...))
	return nil
}

func (v *visit) changelogFeed(w http.ResponseWriter, r *http.Request) error {
	f := v.feed("changelog.atom", v.locale.T("portal.feed.changelog", "site", v.portal.Site.Name))
	err := v.read(r, func(tx *app.Tx) error {
		page, err := tx.PublicChangelog(r.Context(), feedback.Window{Limit: 50})
		for _, e := range page.Items {
			label := ""
			if e.Label != nil {
				label = *e.Label
			}
			f.add(e.Title, v.home()+"/changelog/"+e.Slug, web.MarkdownHTML(e.Body), label, e.PublishedAt)
		}
		return err
	})
	if err != nil {
		return err
	}
	return v.sendXML(w, r, "application/atom+xml; charset=utf-8", f)
}

func (v *visit) postsFeed(w http.ResponseWriter, r *http.Request) error {
	f := v.feed("posts.atom", v.locale.T("portal.feed.posts", "site", v.portal.Site.Name))
	err := v.read(r, func(tx *app.Tx) error {
		filter := feedback.PublicFilter{Sort: feedback.Newest}
		filter.Limit = 50
		list, err := tx.PublicPosts(r.Context(), filter)
		if err != nil {
			return err
		}
		// What is pinned on the page has no place of its own here.
		posts := append(list.Pinned, list.Posts...)
		slices.SortFunc(posts, func(a, b feedback.PublicPost) int { return b.CreatedAt.Compare(a.CreatedAt) })
		for _, p := range posts[:min(len(posts), filter.Limit)] {
			f.add(p.Title, v.home()+"/posts/"+p.ID.String(), web.MarkdownHTML(p.Excerpt), p.BoardName, p.CreatedAt)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.sendXML(w, r, "application/atom+xml; charset=utf-8", f)
}

type urlSet struct {
	XMLName xml.Name  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []siteURL `xml:"url"`
}

type siteURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

// sitemapSize is how many posts the map of the site names: the most wanted.
const sitemapSize = 1000

func (v *visit) sitemap(w http.ResponseWriter, r *http.Request) error {
	set := &urlSet{URLs: []siteURL{{Loc: v.home() + "/"}, {Loc: v.home() + "/roadmap"}, {Loc: v.home() + "/changelog"}}}
	for _, b := range v.portal.Boards {
		set.URLs = append(set.URLs, siteURL{Loc: v.home() + "/boards/" + b.Slug})
	}
	err := v.read(r, func(tx *app.Tx) error {
		page, err := tx.PublicChangelog(r.Context(), feedback.Window{Limit: 100})
		if err != nil {
			return err
		}
		for _, e := range page.Items {
			set.URLs = append(set.URLs, siteURL{v.home() + "/changelog/" + e.Slug, e.PublishedAt.UTC().Format(time.DateOnly)})
		}
		filter := feedback.PublicFilter{Sort: feedback.Top}
		filter.Limit = 100
		for len(set.URLs) < sitemapSize {
			list, err := tx.PublicPosts(r.Context(), filter)
			if err != nil {
				return err
			}
			for _, p := range append(list.Pinned, list.Posts...) {
				set.URLs = append(set.URLs, siteURL{v.home() + "/posts/" + p.ID.String(), p.CreatedAt.UTC().Format(time.DateOnly)})
			}
			if filter.After = list.Next; list.Next == nil {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.sendXML(w, r, "application/xml; charset=utf-8", set)
}

func (v *visit) robots(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	lines := []string{"User-agent: *"}
	for _, p := range []string{"me", "sign-in", "unsubscribe", "preferences", "confirm", "sso", "similar", "widget", "posts/new"} {
		lines = append(lines, "Disallow: "+v.base+"/"+p)
	}
	lines = append(lines, "Disallow: "+v.base+"/~", "Sitemap: "+v.home()+"/sitemap.xml", "")
	web.Send(w, r, http.StatusOK, []byte(strings.Join(lines, "\n")))
	return nil
}

// structured is what a post is, for search engines: a question and the answers
// of the team and others.
func (p *postPage) structured() any {
	type person struct {
		Type string `json:"@type"`
		Name string `json:"name"`
	}
	type said struct {
		Type    string `json:"@type"`
		Text    string `json:"text"`
		Created string `json:"dateCreated"`
		Author  person `json:"author"`
	}
	var comments []said
	for i, c := range p.Comments {
		if i == 20 {
			break
		}
		if c.Body != "" {
			comments = append(comments, said{"Comment", web.Excerpt(c.Body, 500), web.ISO(c.CreatedAt), person{"Person", p.author(&c)}})
		}
	}
	name := p.Post.Author
	if name == "" {
		name = p.locale.T("portal.someone")
	}
	return map[string]any{
		"@context": "https://schema.org", "@type": "DiscussionForumPosting",
		"headline": p.Post.Title, "text": web.Excerpt(p.Body, 1000), "url": p.home() + "/posts/" + p.Post.ID.String(),
		"datePublished": web.ISO(p.Post.CreatedAt), "author": person{"Person", name}, "comment": comments,
		"interactionStatistic": map[string]any{
			"@type": "InteractionCounter", "interactionType": "https://schema.org/LikeAction", "userInteractionCount": p.Post.VoteCount,
		},
	}
}

// logo sends the site's picture.
func (v *visit) logo(w http.ResponseWriter, r *http.Request) error {
	var l *feedback.Logo
	err := v.read(r, func(tx *app.Tx) (err error) {
		l, err = tx.Logo(r.Context())
		return err
	})
	if err != nil {
		return err
	}
	if l.Hash != r.PathValue("hash") {
		return feedback.Missing("logo", r.PathValue("hash"))
	}
	h := w.Header()
	h.Set("Content-Type", l.Type)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Write(l.Data)
	return nil
}
