package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/store"
	"heed/internal/wire"
)

// Overview is where a site stands.
type Overview struct {
	Boards   []feedback.Board
	Statuses []feedback.Status
	Total    int // posts in all
	New      int // of the last seven days, up to MaxNew
	Newest   []feedback.Post
	Top      []feedback.Post
}

// MaxNew is where counting new posts ends.
const MaxNew = 1000

// Overview returns where the site stands, at a cost that does not grow with it.
func (tx *Tx) Overview(ctx context.Context) (o *Overview, err error) {
	o = &Overview{}
	if o.Boards, err = tx.s.Boards(ctx, tx.site.ID, 0, 1000); err != nil {
		return nil, err
	}
	for _, b := range o.Boards {
		o.Total += b.PostCount
	}
	if o.Statuses, err = tx.s.Statuses(ctx, tx.site.ID, -1, 0, 1000); err != nil {
		return nil, err
	}
	week := ids.At(tx.s.Now.Add(-7 * 24 * time.Hour))
	if o.New, err = tx.s.NewPosts(ctx, tx.site.ID, week, MaxNew); err != nil {
		return nil, err
	}
	list := func(byVotes bool) ([]feedback.Post, error) {
		posts, _, err := tx.s.FilteredPosts(ctx, tx.site.ID, store.PostFilter{ByVotes: byVotes, AfterVotes: newest, AfterID: newest}, 6)
		return posts, err
	}
	if o.Newest, err = list(false); err != nil {
		return nil, err
	}
	o.Top, err = list(true)
	return o, err
}

// PostPage is everything the team sees of a post.
type PostPage struct {
	Post     *feedback.Post
	Content  *feedback.PostContent
	Comments feedback.Page[feedback.Comment]
	History  []feedback.PostChange
	Merged   []feedback.MergedPost
	Run      *feedback.Run // the newest
	Members  map[feedback.MemberID]string
	Visitors map[feedback.VisitorID]string
}

// maxHistory is how much of a post's history its page shows.
const maxHistory = 100

// PostPage returns everything the team sees of a post.
func (tx *Tx) PostPage(ctx context.Context, post string, comments feedback.Window) (*PostPage, error) {
	p, err := tx.Post(ctx, post)
	if err != nil {
		return nil, err
	}
	if err := comments.Check(); err != nil {
		return nil, err
	}
	out := &PostPage{Post: p}
	if out.Content, err = tx.s.PostContent(ctx, tx.site.ID, p.ID); err != nil {
		return nil, err
	}
	list, err := tx.s.Comments(ctx, tx.site.ID, p.ID, feedback.CommentID(at(comments, 0, 0)), comments.Limit+1)
	if err != nil {
		return nil, err
	}
	out.Comments = feedback.PageOf(list, comments.Limit, func(c *feedback.Comment) feedback.Position {
		return feedback.Position{int64(c.ID)}
	})
	if out.History, err = tx.s.Changes(ctx, tx.site.ID, p.ID, maxHistory); err != nil {
		return nil, err
	}
	if out.Merged, err = tx.s.Merged(ctx, tx.site.ID, p.ID, maxHistory); err != nil {
		return nil, err
	}
	runs, err := tx.s.NewestRuns(ctx, tx.site.ID, []feedback.PostID{p.ID})
	if err != nil {
		return nil, err
	}
	out.Run = runs[p.ID]
	return out, tx.nameAuthors(ctx, out)
}

func (tx *Tx) nameAuthors(ctx context.Context, out *PostPage) error {
	var err error
	if out.Members, err = tx.MemberNames(ctx); err != nil {
		return err
	}
	visitors := []feedback.VisitorID{out.Post.AuthorID}
	for _, c := range out.Comments.Items {
		if c.VisitorID != 0 {
			visitors = append(visitors, c.VisitorID)
		}
	}
	slices.Sort(visitors)
	out.Visitors, err = tx.s.VisitorNames(ctx, tx.site.ID, slices.Compact(visitors), tx.seesAddresses())
	return err
}

// changePost finds a post that the team may change, and locks it.
func (tx *Tx) changePost(ctx context.Context, post string) (*feedback.Post, error) {
	p, err := tx.lockPost(ctx, post)
	if err != nil {
		return nil, err
	}
	return p, p.Changeable()
}

// SetPostFlag pins, archives or locks a post, or takes that back. What it is
// already changes nothing.
func (tx *Tx) SetPostFlag(ctx context.Context, post string, flag feedback.PostFlag, on bool) error {
	p, err := tx.changePost(ctx, post)
	if err != nil {
		return err
	}
	if err := flag.Check(); err != nil || flag.Of(p) == on {
		return err
	}
	if p.Held {
		return feedback.ErrHeld(p)
	}
	if err := tx.s.SetPostFlag(ctx, tx.site.ID, p.ID, flag, on); err != nil {
		return err
	}
	kind := string(flag)
	if !on {
		kind = "un" + kind
	}
	return tx.record(ctx, store.Change{PostID: p.ID, Kind: kind})
}

// MovePost moves a post to another board of the site. The board it is on already
// changes nothing.
func (tx *Tx) MovePost(ctx context.Context, post string, in feedback.Input, board feedback.Ref) error {
	p, err := tx.changePost(ctx, post)
	if err != nil {
		return err
	}
	b, err := tx.findBoard(ctx, in, "boardId", &board)
	if err != nil {
		return err
	}
	if b == nil {
		in.Malformed.Add("boardId", feedback.RuleRequired, "must name a board")
	}
	if err := in.Malformed.Err(); err != nil {
		return err
	}
	return tx.movePost(ctx, p, b)
}

func (tx *Tx) movePost(ctx context.Context, p *feedback.Post, to *feedback.Board) error {
	from := p.BoardID
	if from == to.ID {
		return nil
	}
	if err := tx.s.MovePost(ctx, p, to.ID); err != nil {
		return err
	}
	if err := tx.record(ctx, store.Change{PostID: p.ID, Kind: "moved", From: int64(from), To: int64(to.ID)}); err != nil {
		return err
	}
	after, err := tx.s.Post(ctx, tx.site.ID, p.ID)
	if err != nil || p.Held {
		return err
	}
	return emit(ctx, tx, feedback.PostMoved, wire.PostMoved{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), Post: wire.PostOf(after), FromBoardID: from, ToBoardID: to.ID,
	})
}

// EditPost rewords a post.
func (tx *Tx) EditPost(ctx context.Context, post string, in feedback.PostEdit) error {
	p, err := tx.changePost(ctx, post)
	if err != nil {
		return err
	}
	if err := in.Check(); err != nil {
		return err
	}
	if err := tx.s.SetPostText(ctx, p, string(in.Title), string(in.Body)); err != nil {
		return err
	}
	tx.newWords(p.ID)
	return tx.record(ctx, store.Change{PostID: p.ID, Kind: "edited"})
}

// TagPost puts a tag on a post, or takes it away.
func (tx *Tx) TagPost(ctx context.Context, post string, in feedback.Input, tag feedback.Ref, on bool) error {
	p, err := tx.changePost(ctx, post)
	if err != nil {
		return err
	}
	t, err := find("tagId", "tag", string(tag), func(id feedback.TagID) (*feedback.Tag, error) {
		return tx.s.Tag(ctx, tx.site.ID, id)
	})
	if err != nil {
		return err
	}
	if err := in.Malformed.Err(); err != nil {
		return err
	}
	change := store.Change{PostID: p.ID, Kind: "untagged", From: int64(t.ID)}
	var changed bool
	if on {
		change = store.Change{PostID: p.ID, Kind: "tagged", To: int64(t.ID)}
		n, err := tx.s.TagCount(ctx, tx.site.ID, p.ID)
		if err != nil {
			return err
		}
		if n >= feedback.MaxPostTags {
			return &feedback.Error{
				Code: feedback.LimitReached, Msg: fmt.Sprintf("A post has at most %d tags.", feedback.MaxPostTags),
				Hint: "Take one away first.",
			}
		}
		changed, err = tx.s.AddTag(ctx, tx.site.ID, p.ID, t.ID)
		if err != nil {
			return err
		}
	} else if changed, err = tx.s.DropTag(ctx, tx.site.ID, p.ID, t.ID); err != nil {
		return err
	}
	if !changed {
		return nil
	}
	return tx.record(ctx, change)
}

// Voters lists who voted for a post.
func (tx *Tx) Voters(ctx context.Context, post string, w feedback.Window) (*feedback.Post, feedback.Page[feedback.Voter], error) {
	var page feedback.Page[feedback.Voter]
	p, err := tx.Post(ctx, post)
	if err != nil {
		return nil, page, err
	}
	if err := w.Check(); err != nil {
		return nil, page, err
	}
	all, err := tx.s.Voters(ctx, tx.site.ID, p.ID, feedback.VisitorID(at(w, 0, 0)), w.Limit+1)
	if err != nil {
		return nil, page, err
	}
	return p, feedback.PageOf(all, w.Limit, func(v *feedback.Voter) feedback.Position {
		return feedback.Position{int64(v.ID)}
	}), nil
}

// MergePreview says what folding a post into another would move.
func (tx *Tx) MergePreview(ctx context.Context, loser, winner string) (*feedback.MergePreview, error) {
	l, err := tx.Post(ctx, loser)
	if err != nil {
		return nil, err
	}
	w, err := tx.Post(ctx, winner)
	if err != nil {
		return nil, err
	}
	if err := feedback.Mergeable(l, w); err != nil {
		return nil, err
	}
	out := &feedback.MergePreview{Loser: l, Winner: w, Reason: feedback.RefuseMerge(l, w)}
	for _, t := range l.Tags {
		if !slices.ContainsFunc(w.Tags, func(u feedback.Tag) bool { return u.ID == t.ID }) {
			out.NewTags = append(out.NewTags, t)
		}
	}
	out.Votes, out.NewVotes, out.Comments, err = tx.s.MergeCounts(ctx, tx.site.ID, l.ID, w.ID)
	return out, err
}
