package app

import (
	"context"
	"math"
	"sync"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/store"
)

// newWords has the meaning of a post looked at soon: it is new, or says
// something else than before.
func (tx *Tx) newWords(post feedback.PostID) {
	site := tx.site.ID
	tx.s.AfterCommit(func() { tx.app.reworded.add(site, post) })
}

// rewordedPosts are those whose meaning is to be looked at. It is a hint and may
// be lost: new posts are found by their ids, edited ones by the daily run.
type rewordedPosts struct {
	mu     sync.Mutex
	posts  map[feedback.SiteID][]feedback.PostID
	count  int
	signal hint
}

func (r *rewordedPosts) start() {
	r.posts, r.signal = map[feedback.SiteID][]feedback.PostID{}, newHint()
}

const maxReworded = 1000

func (r *rewordedPosts) add(site feedback.SiteID, post feedback.PostID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count < maxReworded {
		r.posts[site] = append(r.posts[site], post)
		r.count++
	}
	r.signal.hint()
}

func (r *rewordedPosts) take() map[feedback.SiteID][]feedback.PostID {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.posts
	r.posts, r.count = map[feedback.SiteID][]feedback.PostID{}, 0
	return taken
}

// Reworded is signalled when the meaning of a post is to be looked at.
func (a *App) Reworded() <-chan struct{} { return a.reworded.signal }

// Unread is some posts of a site whose meaning nobody has looked at.
type Unread struct {
	Site  feedback.SiteID
	Posts []PostText
	to    feedback.PostID // once these are read, all up to here are
}

// UnreadPosts returns posts whose meaning under a model is to be looked at: those
// that were written or edited here, and if all is set also those that came in
// through other processes or were forgotten. Posts of long ago are left to the
// runs, which read everything.
func (a *App) UnreadPosts(ctx context.Context, model string, all bool) (unread []Unread, err error) {
	hinted := a.reworded.take()
	err = a.db.Read(ctx, func(s *store.Tx) error {
		for site, posts := range hinted {
			texts, err := s.UnknownPosts(ctx, site, model, 0, posts, 0)
			if err != nil {
				return err
			}
			unread = append(unread, Unread{Site: site, Posts: texts})
		}
		if !all {
			return nil
		}
		start := feedback.PostID(ids.Of(s.Now.Add(-unreadSince), 0))
		sites, err := s.SitesToEmbed(ctx, start, 0, 100)
		if err != nil {
			return err
		}
		for _, site := range sites {
			u, err := unreadOf(ctx, s, site, model, start)
			if err != nil {
				return err
			}
			unread = append(unread, u)
		}
		return nil
	})
	return unread, err
}

const (
	unreadSince = time.Hour
	unreadBatch = 200
	// Transactions may become visible in another order than that of their
	// ids, by so much.
	idOverlap = 30 * time.Second
)

func unreadOf(ctx context.Context, s *store.Tx, site feedback.SiteID, model string, start feedback.PostID) (Unread, error) {
	state, err := s.InsightState(ctx, site)
	if err != nil {
		return Unread{}, err
	}
	from := start
	if state != nil && state.EmbeddedTo != 0 {
		from = feedback.PostID(ids.Of(state.EmbeddedTo.Time().Add(-idOverlap), 0))
	}
	u := Unread{Site: site}
	if u.Posts, err = s.UnknownPosts(ctx, site, model, from, nil, unreadBatch); err != nil {
		return u, err
	}
	if len(u.Posts) == unreadBatch {
		u.to = u.Posts[unreadBatch-1].ID
	} else if _, u.to, err = s.SiteSize(ctx, site); err != nil {
		return u, err
	}
	return u, nil
}

// KeepRead keeps what was found out about unread posts.
func (a *App) KeepRead(ctx context.Context, u Unread, model string, vectors []PostVector) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		if err := s.PutVectors(ctx, u.Site, model, vectors); err != nil || u.to == 0 {
			return err
		}
		return s.SetEmbeddedTo(ctx, u.Site, u.to)
	})
}

// VectorsSince lists the vectors of a site under a model in the order in which
// they were stored, after the version given, a batch at a time.
func (a *App) VectorsSince(ctx context.Context, site feedback.SiteID, model string, after int64) (vectors []PostVector, err error) {
	err = a.db.Read(ctx, func(s *store.Tx) error {
		vectors, err = s.Vectors(ctx, site, model, after, insightBatch)
		return err
	})
	return vectors, err
}

// NewestVectors lists the vectors of a site under a model, the one stored last
// first, below the version given (zero: from the last), a batch at a time.
func (a *App) NewestVectors(ctx context.Context, site feedback.SiteID, model string, below int64) (vectors []PostVector, err error) {
	if below == 0 {
		below = math.MaxInt64
	}
	err = a.db.Read(ctx, func(s *store.Tx) error {
		vectors, err = s.NewestVectors(ctx, site, model, below, insightBatch)
		return err
	})
	return vectors, err
}
