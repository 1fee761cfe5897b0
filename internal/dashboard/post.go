package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
)

// lists are what the filters and forms of a site choose from.
type lists struct {
	Boards   []feedback.Board
	Statuses []feedback.Status
	Tags     []feedback.Tag
}

func (c *call) lists(tx *app.Tx) (l lists, err error) {
	if l.Boards, err = tx.AllBoards(c.ctx); err != nil {
		return l, err
	}
	if l.Statuses, err = tx.AllStatuses(c.ctx); err != nil {
		return l, err
	}
	l.Tags, err = tx.Tags(c.ctx)
	return l, err
}

// colors has the page know the colours of everything in the lists.
func (l lists) colors(v *chrome) {
	for _, s := range l.Statuses {
		v.color(s.Color)
	}
	for _, t := range l.Tags {
		v.color(t.Color)
	}
}

// postsView is the page of posts.
type postsView struct {
	lists
	Views  []feedback.View
	Posts  []feedback.Post
	Filter feedback.PostFilter
	Next   string // the address of the next page
	Params url.Values
	First  bool // this is the first page
}

// ref is the value of a filter, or nil.
func ref(s string) *feedback.Ref { return optional[feedback.Ref](s) }

// position reads where a page begins; what cannot be read is the beginning.
func position(s string) feedback.Position {
	if s == "" {
		return nil
	}
	var p feedback.Position
	for part := range strings.SplitSeq(s, ".") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil
		}
		p = append(p, n)
	}
	return p
}

// spell writes a position into an address.
func spell(p feedback.Position) string {
	parts := make([]string, len(p))
	for i, n := range p {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// nextPage is the address of the page that begins at p.
func nextPage(r *http.Request, p feedback.Position) string {
	if p == nil {
		return ""
	}
	q := r.URL.Query()
	q.Set("after", spell(p))
	return r.URL.Path + "?" + q.Encode()
}

func (c *call) posts() error {
	q := c.r.URL.Query()
	v := postsView{Filter: postFilter(q), Params: q, First: q.Get("after") == ""}
	w := feedback.Window{After: position(q.Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.lists, err = c.lists(tx); err != nil {
			return err
		}
		if v.Views, err = tx.Views(c.ctx); err != nil {
			return err
		}
		page, err := tx.PostList(c.ctx, v.Filter, w)
		v.Posts, v.Next = page.Items, nextPage(c.r, page.Next)
		return err
	})
	if err != nil {
		return err
	}
	ch := c.chrome("Posts", "posts")
	v.colors(ch)
	c.rememberList(q)
	return c.render(http.StatusOK, postsPage(ch, v))
}

// newPostView is the form to log feedback for somebody.
type newPostView struct {
	lists
	Board, Title, Body, Visitor string
}

func (c *call) newPost() error {
	return c.showNewPost(http.StatusOK, newPostView{Board: c.r.URL.Query().Get("board")})
}

func (c *call) showNewPost(status int, v newPostView) error {
	err := c.read(func(tx *app.Tx) (err error) {
		v.Boards, err = tx.AllBoards(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(status, newPostPage(c.chrome("New post", "posts"), v))
}

func (c *call) createPost() error {
	v := newPostView{Board: c.form("boardId"), Title: c.form("title"), Body: c.form("body"), Visitor: strings.TrimSpace(c.form("onBehalfVisitorId"))}
	var p *feedback.Post
	err := c.change("post.created", v.Title, func(tx *app.Tx) (err error) {
		p, err = tx.CreatePost(c.ctx, feedback.NewPost{
			Board: feedback.Ref(v.Board), Title: feedback.PostTitle(v.Title), Body: feedback.PostBody(v.Body), Visitor: feedback.VisitorRef(v.Visitor),
		})
		return err
	})
	if c.again(err) {
		return c.showNewPost(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	return c.done(c.here("posts", p.ID.String()), "The post is logged.")
}
