package app

import (
	"math"
	"slices"
	"strings"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/prose"
	"heed/internal/store"
)

// addPost makes up a post that was written when so much of the time had passed.
func (f *filler) addPost(b *store.Batch, fraction float64, votes int, pinned bool) *feedback.Post {
	board := f.board()
	kind := prose.Feature
	if strings.Contains(strings.ToLower(board.Name), "bug") {
		kind = prose.Bug
	}
	title, body, tags := f.text.Post(kind)
	born := f.at(fraction)
	f.lastPost = max(f.lastPost+1, ids.Of(born, f.r.Uint64()))
	p := &feedback.Post{
		ID: feedback.PostID(f.lastPost), SiteID: f.site.ID, BoardID: board.ID, Title: title, CreatedAt: born,
		AuthorID: f.visitors[min(f.someone(fraction, 1), int(fraction*float64(len(f.visitors))))],
		Pinned:   pinned,
	}
	if st := f.status(fraction, votes); st != nil {
		p.StatusID = st.ID
		p.Locked = st.DoneFlag && f.r.IntN(12) == 0
		p.Archived = st.DoneFlag && f.r.IntN(15) == 0
	}
	for _, name := range tags {
		p.Tags = append(p.Tags, f.tags[name])
	}
	b.AddPost(p, body)
	return p
}

// board chooses a board; the first gets the most.
func (f *filler) board() *feedback.Board {
	i := int(float64(len(f.boards)) * math.Pow(f.r.Float64(), 1.6))
	return &f.boards[i]
}

// someone chooses a visitor for a post that n of them react to: mostly one of
// those who came at the time of the post. That is how it goes, and it keeps the
// rows of a batch close together in the indexes: spread over all visitors, each
// vote would have SQLite write a page of its own.
func (f *filler) someone(fraction float64, n int) int {
	all := len(f.visitors)
	if f.r.IntN(24) == 0 {
		return int(float64(all) * math.Pow(f.r.Float64(), 1.7)) // some early ones are always there
	}
	near := max(4*n, all/400, 50)
	v := int(fraction*float64(all)) + int(float64(near)*f.r.NormFloat64()/2)
	return min(max(v, 0), all-1)
}

// status says how far a post has come: old posts are often done, popular ones
// planned, new ones open. nil is none.
func (f *filler) status(fraction float64, votes int) *feedback.Status {
	x := f.r.Float64()
	if len(f.done) > 0 && x < 0.55*(1-fraction)+0.03 {
		i := 0
		if f.r.IntN(3) == 0 {
			i = f.r.IntN(len(f.done))
		}
		return &f.done[i]
	}
	if len(f.open) == 0 {
		return nil
	}
	moves := 0.12 + 0.1*math.Log10(float64(votes)+1)
	if len(f.open) > 1 && f.r.Float64() < moves {
		return &f.open[1+f.r.IntN(len(f.open)-1)]
	}
	return &f.open[0]
}

// addVotes has so many different visitors vote for a post.
func (f *filler) addVotes(b *store.Batch, p *feedback.Post, fraction float64, n int) {
	if n == 0 {
		return
	}
	voters := make(map[int]bool, n)
	order := make([]int, 0, n)
	for range n {
		v := f.someone(fraction, n)
		for voters[v] {
			v = (v + 1) % len(f.visitors)
		}
		voters[v] = true
		order = append(order, v)
	}
	slices.Sort(order) // as the table keeps them: cheaper to insert
	for _, v := range order {
		// Most votes come soon; nobody votes before they came.
		came := max(fraction, float64(v)/float64(len(f.visitors)))
		b.AddVote(f.visitors[v], f.at(came+(1-came)*math.Pow(f.r.Float64(), 3)))
	}
}

// addComments has a post talked about: by visitors, by the team, and by the team
// among itself.
func (f *filler) addComments(b *store.Batch, p *feedback.Post, fraction float64, n int) {
	if n == 0 {
		return
	}
	// The talk begins soon and takes weeks.
	times := make([]time.Time, n)
	for i := range times {
		after, left := f.r.ExpFloat64()*float64(14*24*time.Hour), float64(f.now.Sub(p.CreatedAt))
		if after > left {
			after = left * f.r.Float64()
		}
		times[i] = p.CreatedAt.Add(time.Duration(after)).Truncate(time.Microsecond)
	}
	slices.SortFunc(times, time.Time.Compare)
	var last int64
	var said []feedback.Comment
	for _, t := range times {
		last = max(last+1, ids.Of(t, f.r.Uint64()))
		c := feedback.Comment{ID: feedback.CommentID(last), CreatedAt: t, AuthorType: feedback.ByVisitor}
		var parent *feedback.Comment
		if len(said) > 0 && f.r.IntN(3) == 0 {
			parent = &said[f.r.IntN(len(said))]
			c.ParentID, c.Internal = parent.ID, parent.Internal
		}
		switch x := f.r.IntN(100); {
		case c.Internal || parent == nil && x < 8:
			c.AuthorType, c.Internal, c.Body = feedback.ByMember, true, f.text.Internal()
		case x < 22:
			c.AuthorType, c.Body = feedback.ByMember, f.text.Official()
		case parent != nil:
			c.Body = f.text.Reply()
		default:
			c.Body = f.text.Comment()
		}
		if c.AuthorType == feedback.ByVisitor {
			c.VisitorID = f.visitors[f.someone(fraction, n)]
		} else if len(f.team) > 0 {
			c.MemberID = f.team[f.r.IntN(len(f.team))].ID
		}
		b.AddComment(c)
		said = append(said, c)
	}
}
