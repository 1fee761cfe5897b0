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
	Posts  []feedback.Post
	Filter feedback.PostFilter
	Query  string
	Next   string // the address of the next page
	Params url.Values
	First  bool // this is the first page
}

// ref is the value of a filter, or nil.
func ref(s string) *feedback.Ref { return optional[feedback.Ref](s) }

// postFilter reads the filters of an address.
func postFilter(q url.Values) feedback.PostFilter {
	return feedback.PostFilter{
		Board: ref(q.Get("board")), Status: ref(q.Get("status")), Tag: ref(q.Get("tag")),
		Archived: q.Get("show") == "archived", Held: q.Get("show") == "held", ByVotes: q.Get("sort") == "votes",
	}
}

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
	v := postsView{Filter: postFilter(q), Query: strings.TrimSpace(q.Get("q")), Params: q, First: q.Get("after") == ""}
	w := feedback.Window{After: position(q.Get("after")), Limit: feedback.DefaultLimit}
	err := c.read(func(tx *app.Tx) (err error) {
		if v.lists, err = c.lists(tx); err != nil {
			return err
		}
		if v.Query != "" {
			page, err := tx.Search(c.ctx, feedback.Search{Window: w, Query: feedback.SearchQuery(v.Query)})
			if err != nil {
				return err
			}
			v.Next = nextPage(c.r, page.Next)
			v.Posts, err = tx.FoundPosts(c.ctx, page.Items)
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
	return c.render(http.StatusOK, postsPage(ch, v))
}

// bulk does one thing to all posts that were ticked. All of it is done, or none.
func (c *call) bulk() error {
	back := c.here("posts")
	if q := c.form("back"); q != "" {
		back += "?" + q
	}
	posts := c.r.PostForm["post"]
	if len(posts) == 0 {
		c.flash("bad", "No post is ticked. Tick some posts first.")
		return c.redirect(back)
	}
	if len(posts) > feedback.MaxLimit {
		posts = posts[:feedback.MaxLimit]
	}
	act, arg, _ := strings.Cut(c.form("act"), ":")
	each, action := bulkAct(c, act, arg)
	if each == nil {
		c.flash("bad", "Choose what to do with the ticked posts.")
		return c.redirect(back)
	}
	err := c.change(action, strings.Join(posts, " "), func(tx *app.Tx) error {
		for _, p := range posts {
			if err := each(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return c.refused(back, err)
	}
	return c.done(back, plural(len(posts), "post")+" changed.")
}

// bulkAct is what to do to each post, and what it is called in the record.
func bulkAct(c *call, act, arg string) (func(*app.Tx, string) error, string) {
	switch act {
	case "archive", "unarchive":
		return func(tx *app.Tx, p string) error {
			return tx.SetPostFlag(c.ctx, p, feedback.Archived, act == "archive")
		}, "posts." + act + "d"
	case "status":
		in := feedback.StatusChange{Status: ref(arg), Note: optional[feedback.Note](c.form("note"))}
		return func(tx *app.Tx, p string) error {
			_, err := tx.ChangePostStatus(c.ctx, p, in)
			return err
		}, "posts.status_changed"
	case "move":
		return func(tx *app.Tx, p string) error {
			return tx.MovePost(c.ctx, p, feedback.Input{}, feedback.Ref(arg))
		}, "posts.moved"
	case "tag":
		return func(tx *app.Tx, p string) error {
			return tx.TagPost(c.ctx, p, feedback.Input{}, feedback.Ref(arg), true)
		}, "posts.tagged"
	}
	return nil, ""
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
