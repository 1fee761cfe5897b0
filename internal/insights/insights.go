package insights

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Post is one piece of feedback.
type Post struct {
	Key    int64  // the caller's name for it, unique among the posts of a run
	Text   string // title and body as a person would read them
	Title  string // what a summary quotes of it; Text if empty
	Vector Vector // from Embed or a provider, all of one model; zero if unknown
}

// Theme is something several posts are about.
type Theme struct {
	ID        int64     // stable from run to run
	Minted    bool      // whether this run found it
	Label     string    // a few words of the posts themselves
	Summary   string    // one or two posts that stand for the rest, quoted; may be empty
	Sentiment Sentiment // the tone of the posts together
	Members   []int64   // keys of its posts, the most typical first
	Centroid  Vector    // the mean of their meaning
}

// State is what a run must be told about the one before, so that themes keep
// their identity. The zero State is that of a site without a run.
type State struct {
	Themes  []Known
	Outside []int64 // keys of the posts that were left outside
	Posts   int     // how many posts there were at the last full clustering
}

// Known is a theme as an earlier run left it. Members that no longer exist do
// no harm; a post whose text has changed should be left out, to be placed anew.
type Known struct {
	ID      int64
	Members []int64
}

// Result is the outcome of a run.
type Result struct {
	Themes []Theme // the largest first
	Of     []int   // for each post, the index of its theme, or -1
	Full   bool    // whether all posts were clustered anew
	State  State   // for the next run
}

// Find divides posts into themes. Themes of the run before keep their ids:
// new posts join them, or form new themes among themselves; once the posts
// have changed too much everything is clustered anew, and a theme gets the id
// of the one it overlaps most. An id is minted for each theme that is new.
//
// The result depends on the posts and on last, not on the order of either. The
// only error is that of the context; then nothing has changed but that ids may
// have been minted.
func Find(ctx context.Context, posts []Post, last State, mint func() int64) (*Result, error) {
	c := collect(posts)
	s, err := newSpace(ctx, c.texts, c.vectors)
	if err != nil {
		return nil, err
	}
	r := &run{collection: c, space: s, at: s.levels(), least: leastPosts(len(posts))}
	if err := r.divide(ctx, last); err != nil {
		return nil, err
	}
	res, err := r.publish(ctx, mint)
	if err != nil {
		return nil, err
	}
	res.State.Posts = last.Posts
	if r.full {
		res.State.Posts = len(posts)
	}
	return res, nil
}

// collection is the posts with identical ones taken together: a hundred
// copies of a sentence are one point, or they would be nobody's neighbours
// but their own.
type collection struct {
	posts   []Post
	texts   []string
	titles  []string // to be quoted
	vectors []Vector
	weight  []int   // how many posts a text stands for
	keys    [][]int // which, by index
	of      []int   // the text of each post, or outside if it has no words
}

func collect(posts []Post) collection {
	c := collection{posts: posts, of: make([]int, len(posts))}
	order := make([]int, len(posts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(posts[a].Key, posts[b].Key) })
	seen := make(map[string]int)
	for _, i := range order {
		p := posts[i]
		text := strings.Join(words(p.Text), " ")
		if text == "" {
			c.of[i] = outside
			continue
		}
		k, ok := seen[text]
		if !ok {
			k = len(c.texts)
			seen[text] = k
			c.texts = append(c.texts, p.Text)
			c.titles = append(c.titles, cmp.Or(p.Title, p.Text))
			c.vectors = append(c.vectors, p.Vector)
			c.weight = append(c.weight, 0)
			c.keys = append(c.keys, nil)
		}
		c.of[i] = k
		c.weight[k]++
		c.keys[k] = append(c.keys[k], i)
	}
	return c
}

// run is a division in the making.
type run struct {
	collection
	space *space
	at    levels
	least int

	tally *tally
	id    []int64 // of each theme; 0 where one must be minted
	known []bool  // whether the theme has an id
	full  bool    // whether all was clustered anew
}

// publish describes the themes and orders them by size.
func (r *run) publish(ctx context.Context, mint func() int64) (*Result, error) {
	order := make([]int, len(r.tally.themes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.tally.themes[b].posts, r.tally.themes[a].posts)
	})
	members := r.members()
	meaning := make([]Vector, len(members))
	for p := range members {
		meaning[p] = r.centroid(members[p])
	}
	labels, err := label(ctx, r.texts, r.titles, r.weight, members, meaning)
	if err != nil {
		return nil, err
	}
	rank := make([]int, len(order))
	out := &Result{Of: make([]int, len(r.posts)), Full: r.full}
	for at, p := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rank[p] = at
		t := Theme{
			ID:        r.id[p],
			Minted:    !r.known[p],
			Label:     labels[p],
			Summary:   r.summary(members[p]),
			Sentiment: r.sentiment(members[p]),
			Centroid:  meaning[p],
		}
		if t.Minted {
			t.ID = mint()
		}
		for _, text := range members[p] {
			for _, i := range r.keys[text] {
				t.Members = append(t.Members, r.posts[i].Key)
			}
		}
		out.Themes = append(out.Themes, t)
		out.State.Themes = append(out.State.Themes, Known{ID: t.ID, Members: t.Members})
	}
	for i, text := range r.of {
		if text != outside && r.tally.part[text] != outside {
			out.Of[i] = rank[r.tally.part[text]]
			continue
		}
		out.Of[i] = outside
		out.State.Outside = append(out.State.Outside, r.posts[i].Key)
	}
	return out, nil
}

// members returns the texts of each theme, the most typical first.
func (r *run) members() [][]int {
	central := make([][]candidate, len(r.tally.themes))
	for i, p := range r.tally.part {
		if p != outside {
			central[p] = append(central[p], newCandidate(r.tally.themes[p].alike(r.space.row(i)), i))
		}
	}
	out := make([][]int, len(central))
	for p, list := range central {
		slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b, a) })
		for _, c := range list {
			out[p] = append(out[p], c.index())
		}
	}
	return out
}

// centroid returns the mean direction of the meaning of texts.
func (r *run) centroid(members []int) Vector {
	var sum []float32
	for _, i := range members {
		q := r.vectors[i].q
		if sum == nil {
			sum = make([]float32, len(q))
		}
		if len(q) != len(sum) {
			continue
		}
		v := make([]float32, len(q))
		for j, x := range q {
			v[j] = float32(x)
		}
		unit(v)
		addScaled(sum, v, 1)
	}
	return NewVector(sum)
}
