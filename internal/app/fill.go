package app

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/prose"
	"heed/internal/store"
)

// FillOptions say how much is made up, and where.
type FillOptions struct {
	Site     string
	Posts    int
	Votes    int // in all; negative: five a post
	Comments int // in all; negative: one for every two posts
	Seed     uint64
	// Progress is called now and then with the rows written so far and those
	// there will be. It may be nil.
	Progress func(done, total int)
}

// The bounds of what is made up at once.
const (
	maxFill   = 20_000_000
	fillBatch = 500 // posts in a transaction: others get to write in between
	fillYears = 2   // how far back the posts go
)

func (o *FillOptions) check() error {
	if o.Votes < 0 {
		o.Votes = 5 * o.Posts
	}
	if o.Comments < 0 {
		o.Comments = o.Posts / 2
	}
	var p feedback.Problems
	for _, n := range []struct {
		path       string
		value, min int
	}{{"posts", o.Posts, 1}, {"votes", o.Votes, 0}, {"comments", o.Comments, 0}} {
		if n.value < n.min {
			p.Add(n.path, feedback.RuleMinimum, "must be at least "+strconv.Itoa(n.min))
		} else if n.value > maxFill {
			p.Add(n.path, feedback.RuleMaximum, "must be at most "+strconv.Itoa(maxFill))
		}
	}
	return p.Err()
}

// Fill makes up posts of the last two years on a site, with the visitors, votes,
// tags and comments that belong to them, for trying the service and measuring
// it. The same seed at the same time makes up the same rows. It takes turns with
// whoever else writes; what was written stays if it is cut short. Nobody is told
// of any of it: no events, no notices. It is for the operator.
func (a *App) Fill(ctx context.Context, o FillOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	f := &filler{
		app: a, o: o, r: rand.New(rand.NewPCG(o.Seed, 1)), text: prose.New(o.Seed),
	}
	if err := f.prepare(ctx); err != nil {
		return err
	}
	if err := f.addVisitors(ctx); err != nil {
		return err
	}
	return f.addPosts(ctx)
}

// filler makes up the rows of one site.
type filler struct {
	app  *App
	o    FillOptions
	r    *rand.Rand
	text *prose.Writer

	site     *feedback.Site
	boards   []feedback.Board
	open     []feedback.Status // the default first
	done     []feedback.Status
	tags     map[string]feedback.Tag
	team     []feedback.Member
	now      time.Time
	start    time.Time
	visitors []feedback.VisitorID
	lastPost int64
	written  int
}

// prepare finds what the site has and gives it tags.
func (f *filler) prepare(ctx context.Context) error {
	return f.app.db.Write(ctx, func(s *store.Tx) (err error) {
		f.site, err = find("site", "site", f.o.Site, func(id feedback.SiteID) (*feedback.Site, error) {
			return s.AnySite(ctx, id)
		})
		if err != nil {
			return err
		}
		f.now, f.start = s.Now, s.Now.AddDate(-fillYears, 0, 0)
		if f.boards, err = s.Boards(ctx, f.site.ID, 0, 100); err != nil {
			return err
		}
		if len(f.boards) == 0 {
			inside := &Tx{s: s, app: f.app, actor: &Actor{}, site: f.site}
			b, err := inside.CreateBoard(ctx, feedback.NewBoard{Name: feedback.DefaultBoards()[0]})
			if err != nil {
				return err
			}
			f.boards = append(f.boards, *b)
		}
		if f.team, err = s.Team(ctx, f.site.AccountID, 8); err != nil {
			return err
		}
		statuses, err := s.Statuses(ctx, f.site.ID, -1, 0, 100)
		if err != nil {
			return err
		}
		f.open, f.done = nil, nil
		for _, st := range statuses {
			switch {
			case st.DoneFlag:
				f.done = append(f.done, st)
			case st.IsDefault:
				f.open = append([]feedback.Status{st}, f.open...)
			default:
				f.open = append(f.open, st)
			}
		}
		f.tags = map[string]feedback.Tag{}
		colors := []string{"#2563eb", "#16a34a", "#d97706", "#9333ea", "#db2777", "#0891b2", "#65a30d", "#dc2626"}
		for i, name := range prose.Tags() {
			if f.tags[name], err = s.TagNamed(ctx, f.site.ID, name, colors[i%len(colors)]); err != nil {
				return err
			}
		}
		return nil
	})
}

// addVisitors makes up the people: enough that the most popular post finds its
// voters, and that most people vote for a few posts only.
func (f *filler) addVisitors(ctx context.Context) error {
	n := max(50, (f.o.Posts+f.o.Votes)/5, 2*f.o.Votes/f.o.Posts)
	f.visitors = make([]feedback.VisitorID, 0, n)
	var last int64
	for len(f.visitors) < n {
		batch := make([]store.NamedVisitor, min(2000, n-len(f.visitors)))
		for i := range batch {
			born := f.at(float64(len(f.visitors)) / float64(n))
			last = max(last+1, ids.Of(born, f.r.Uint64()))
			v := store.NamedVisitor{ID: feedback.VisitorID(last), CreatedAt: born}
			v.Ref = feedback.VisitorRef("user-" + strings.TrimPrefix(v.ID.String(), v.ID.Prefix()+"_"))
			if name, email := f.text.Person(); f.r.IntN(5) > 0 {
				v.Name, v.Email = name, email
			}
			batch[i] = v
			f.visitors = append(f.visitors, v.ID)
		}
		err := f.app.db.Write(ctx, func(s *store.Tx) error { return s.InsertVisitors(ctx, f.site.ID, batch) })
		if err != nil {
			return err
		}
		f.progress(len(batch))
	}
	return nil
}

// at returns the moment that lies so far, from 0 to 1, between the start and
// now, to the microsecond.
func (f *filler) at(fraction float64) time.Time {
	return f.start.Add(time.Duration(fraction * float64(f.now.Sub(f.start)))).Truncate(time.Microsecond)
}

func (f *filler) progress(rows int) {
	f.written += rows
	if f.o.Progress != nil {
		f.o.Progress(f.written, cap(f.visitors)+f.o.Posts+f.o.Votes+f.o.Comments)
	}
}

func (f *filler) addPosts(ctx context.Context) error {
	votes := f.longTail(f.o.Votes, len(f.visitors))
	comments := f.longTail(f.o.Comments, math.MaxInt32)
	for done := 0; done < f.o.Posts; {
		n := min(fillBatch, f.o.Posts-done)
		batch, rows := store.NewBatch(f.site.ID), n
		for i := done; i < done+n; i++ {
			// More posts come in as time goes by.
			x := (float64(i) + f.r.Float64()) / float64(f.o.Posts)
			fraction := math.Pow(x, 0.7)
			p := f.addPost(batch, fraction, int(votes[i]), i == 0 && f.o.Posts >= 10)
			f.addVotes(batch, p, fraction, int(votes[i]))
			f.addComments(batch, p, fraction, int(comments[i]))
			rows += int(votes[i]) + int(comments[i])
		}
		err := f.app.db.Write(ctx, func(s *store.Tx) error { return s.InsertBatch(ctx, batch) })
		if err != nil {
			return err
		}
		done += n
		f.progress(rows)
	}
	return nil
}

// longTail splits total among the posts, so that a few have very many and most
// have few, and none more than limit.
func (f *filler) longTail(total, limit int) []uint32 {
	weights := make([]float32, f.o.Posts)
	sum := 0.0
	for i := range weights {
		weights[i] = float32(min(math.Pow(1-f.r.Float64(), -1/1.15), 4000))
		sum += float64(weights[i])
	}
	counts := make([]uint32, f.o.Posts)
	given, reached := 0, 0.0
	for i, w := range weights {
		reached += float64(w)
		counts[i] = uint32(min(int(float64(total)*reached/sum)-given, limit))
		given += int(counts[i])
	}
	for i := 0; given < total; i = (i + 1) % len(counts) {
		if int(counts[i]) < limit {
			counts[i]++
			given++
		}
	}
	return counts
}
