package app

import (
	"context"
	"slices"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/store"
)

// PostList lists the posts of the site that a filter asks for. A page looks at a
// bounded number of posts: where few of them fit, it may be short or empty and
// still have a next one.
func (tx *Tx) PostList(ctx context.Context, f feedback.PostFilter, w feedback.Window) (feedback.Page[feedback.Post], error) {
	var page feedback.Page[feedback.Post]
	if err := w.Check(); err != nil {
		return page, err
	}
	q := store.PostFilter{
		Archived: f.Archived, ByVotes: f.Sorted(), AfterVotes: at(w, 0, newest), AfterID: at(w, 1, newest),
	}
	if f.Days > 0 {
		q.FromID = ids.Floor(tx.s.Now.Add(-time.Duration(f.Days) * 24 * time.Hour))
	}
	// What a filter names is read and not looked up: a page of a filter that
	// fits nothing is empty.
	for _, err := range []error{readRef(f.Board, &q.Board), readRef(f.Status, &q.Status), readRef(f.Tag, &q.Tag)} {
		if err != nil {
			return page, err
		}
	}
	if f.Query != "" {
		return tx.searchList(ctx, f.Query, q, w)
	}
	posts, next, err := tx.s.FilteredPosts(ctx, tx.site.ID, q, w.Limit+1)
	if err != nil {
		return page, err
	}
	page = feedback.PageOf(posts, w.Limit, func(p *feedback.Post) feedback.Position {
		return feedback.Position{int64(p.VoteCount), int64(p.ID)}
	})
	if page.Next == nil {
		page.Next = next
	}
	return page, nil
}

// nextDepth is how many pages of a list are looked through for the next post of
// it, each of which looks at a bounded number of posts.
const nextDepth = 5

// PostAfter returns the post that follows another in the list that a filter asks
// for, or nil. The other need not be in the list (any more): it counts where it
// would stand. A search has no such order, and nothing follows there.
func (tx *Tx) PostAfter(ctx context.Context, post string, f feedback.PostFilter) (*feedback.Post, error) {
	p, err := tx.Post(ctx, post)
	if err != nil || f.Query != "" {
		return nil, err
	}
	w := feedback.Window{After: feedback.Position{int64(p.VoteCount), int64(p.ID)}, Limit: 1}
	for range nextDepth {
		page, err := tx.PostList(ctx, f, w)
		if err != nil {
			return nil, err
		}
		if len(page.Items) > 0 {
			return &page.Items[0], nil
		}
		if w.After = page.Next; w.After == nil {
			break
		}
	}
	return nil, nil
}

// readRef reads the spelling of an id in a filter.
func readRef[K ids.Kind](ref *feedback.Ref, into *ids.ID[K]) error {
	if ref == nil {
		return nil
	}
	id, err := ids.Parse[K](string(*ref))
	if err != nil {
		return feedback.Missing("filter", string(*ref))
	}
	*into = id
	return nil
}

// searchDepth is how many pages of a search are looked through for one page of
// those that fit a filter.
const searchDepth = 4

// searchList lists the posts that hold some words and fit a filter, the best
// first.
func (tx *Tx) searchList(ctx context.Context, words feedback.SearchQuery, f store.PostFilter, w feedback.Window) (feedback.Page[feedback.Post], error) {
	var page feedback.Page[feedback.Post]
	for range searchDepth {
		found, err := tx.Search(ctx, feedback.Search{Window: w, Query: words})
		if err != nil {
			return page, err
		}
		posts, err := tx.FoundPosts(ctx, found.Items)
		if err != nil {
			return page, err
		}
		for i := range posts {
			if fits(&posts[i], f) {
				page.Items = append(page.Items, posts[i])
			}
		}
		page.Next, w.After = found.Next, found.Next
		if page.Next == nil || len(page.Items) > w.Limit/2 {
			break
		}
	}
	return page, nil
}

// fits reports whether a post that a search has found is one that a filter asks
// for.
func fits(p *feedback.Post, f store.PostFilter) bool {
	return p.Archived == f.Archived &&
		(f.Board == 0 || p.BoardID == f.Board) && (f.Status == 0 || p.StatusID == f.Status) && int64(p.ID) >= f.FromID &&
		(f.Tag == 0 || slices.ContainsFunc(p.Tags, func(t feedback.Tag) bool { return t.ID == f.Tag }))
}

// FoundPosts returns the posts of search results, in their order.
func (tx *Tx) FoundPosts(ctx context.Context, found []feedback.SearchResult) ([]feedback.Post, error) {
	all := make([]feedback.PostID, len(found))
	for i, r := range found {
		all[i] = r.PostID
	}
	return tx.s.PostsByID(ctx, tx.site.ID, all)
}

// Views lists the views of the site's posts that the member sees: their own and
// the team's.
func (tx *Tx) Views(ctx context.Context) ([]feedback.View, error) {
	return tx.s.Views(ctx, tx.site.ID, tx.actor.Member, 2*feedback.MaxViews)
}

// viewFilter finds what the filter of a view names.
func (tx *Tx) viewFilter(ctx context.Context, in feedback.Input, filter feedback.PostFilter) (f store.ViewFilter, err error) {
	board, err := tx.findBoard(ctx, in, "board", filter.Board)
	if err != nil {
		return f, err
	}
	if board != nil {
		f.Board = board.ID
	}
	status, err := tx.findStatus(ctx, in, "status", filter.Status)
	if err != nil {
		return f, err
	}
	if status != nil {
		f.Status = status.ID
	}
	tag, err := findRef(in, "tag", "tag", filter.Tag, func(id feedback.TagID) (*feedback.Tag, error) {
		return tx.s.Tag(ctx, tx.site.ID, id)
	})
	if err != nil {
		return f, err
	}
	if tag != nil {
		f.Tag = tag.ID
	}
	return f, nil
}

// SaveView keeps a way of looking at the posts, for the member or for the team.
func (tx *Tx) SaveView(ctx context.Context, in feedback.NewView) (*feedback.View, error) {
	v := &feedback.View{SiteID: tx.site.ID, Name: string(in.Name), Filter: in.Filter}
	f, err := tx.viewFilter(ctx, in.Input, in.Filter)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	if !in.Shared {
		v.Member = tx.actor.Member
	}
	// Two at once would both be the last that fits.
	if err := tx.s.LockSite(ctx, tx.site.ID); err != nil {
		return nil, err
	}
	all, err := tx.Views(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o feedback.View) bool { return o.Member != v.Member })
	if len(all) >= feedback.MaxViews {
		return nil, feedback.ErrTooManyViews()
	}
	v.ID = feedback.ViewID(tx.s.NextID())
	free, err := tx.s.InsertView(ctx, v, f)
	if err == nil && !free {
		err = feedback.ErrNameTaken("view", v.Name)
	}
	return v, err
}

func (tx *Tx) view(ctx context.Context, view string) (*feedback.View, error) {
	return find("", "view", view, func(id feedback.ViewID) (*feedback.View, error) {
		return tx.s.View(ctx, tx.site.ID, tx.actor.Member, id)
	})
}

// RenameView gives a view of the member's, or of the team's, another name.
func (tx *Tx) RenameView(ctx context.Context, view string, in feedback.ViewEdit) error {
	v, err := tx.view(ctx, view)
	if err != nil {
		return err
	}
	if err := in.Check(); err != nil {
		return err
	}
	if err := tx.s.LockSite(ctx, tx.site.ID); err != nil {
		return err
	}
	free, err := tx.s.RenameView(ctx, v, string(in.Name))
	if err == nil && !free {
		err = feedback.ErrNameTaken("view", string(in.Name))
	}
	return err
}

// ChangeView has a view of the member's, or of the team's, show what another
// filter asks for, and returns it.
func (tx *Tx) ChangeView(ctx context.Context, view string, in feedback.ViewChange) (*feedback.View, error) {
	v, err := tx.view(ctx, view)
	if err != nil {
		return nil, err
	}
	f, err := tx.viewFilter(ctx, in.Input, in.Filter)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	v.Filter = in.Filter
	return v, tx.s.SetViewFilter(ctx, v, f)
}

// DeleteView forgets a view of the member's or of the team's. The posts stay.
func (tx *Tx) DeleteView(ctx context.Context, view string) error {
	v, err := tx.view(ctx, view)
	if err != nil {
		return err
	}
	tx.keepName(string(v.Name))
	return tx.s.DeleteView(ctx, tx.site.ID, v.ID)
}
