package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/insights"
)

const (
	// maxIndexed is how many posts of all sites together are kept in memory,
	// about 400 bytes each. The site that was not asked about for longest goes
	// first.
	maxIndexed = 400_000

	// freshness is how old what is known of a site may be.
	freshness = time.Second

	// meaningPatience is how long a question waits for a site to be loaded. Answers
	// by words alone are better than none for a person who types.
	meaningPatience = 150 * time.Millisecond

	// Versions of other nodes may become visible later than higher ones, by so
	// much. The bits of a version from the 21st on are milliseconds.
	overlap     = 10 * time.Second
	versionBits = 21

	// fewTexts is how many are read in this process, at some 20 ms each.
	fewTexts = 8

	// sweepEvery is how often posts are looked for whose hint was lost.
	sweepEvery = 30 * time.Second
)

// Meanings knows the posts of sites by what they mean, under the model in the
// binary: it costs nothing, and a question must not wait for a provider. A site
// is loaded when it is first asked about and then follows what is stored,
// whichever node stores it. It implements [app.Meanings].
type Meanings struct {
	app    *app.App
	engine func() Engine
	log    *slog.Logger

	mu    sync.Mutex
	sites map[feedback.SiteID]*siteMeanings
	swept time.Time
}

// siteMeanings are those of one site.
type siteMeanings struct {
	index  *insights.Index
	loaded chan struct{} // closed when the first load has ended
	used   time.Time     // guarded by Meanings.mu

	mu    sync.Mutex // held while loading
	last  int64      // the highest version seen
	fresh time.Time
}

// NewMeanings returns Meanings that know nothing yet. engine, if not nil, returns
// what reads many posts in place of this process.
func NewMeanings(a *app.App, engine func() Engine, log *slog.Logger) *Meanings {
	return &Meanings{app: a, engine: engine, log: log, sites: map[feedback.SiteID]*siteMeanings{}}
}

// Nearest implements [app.Meanings].
func (m *Meanings) Nearest(ctx context.Context, site feedback.SiteID, text string, limit int) ([]app.Nearness, error) {
	vectors, err := insights.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	x := m.site(site)
	select {
	case <-x.loaded:
	case <-time.After(meaningPatience):
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := m.refresh(ctx, site, x); err != nil {
		return nil, err
	}
	found := x.index.Search(vectors[0], limit, 0.2)
	near := make([]app.Nearness, len(found))
	for i, f := range found {
		near[i] = app.Nearness{Post: feedback.PostID(f.Key), Cosine: f.Cosine}
	}
	return near, nil
}

// site returns what is known of a site. The first time it begins to load it.
func (m *Meanings) site(site feedback.SiteID) *siteMeanings {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := m.sites[site]
	if x == nil {
		x = &siteMeanings{index: insights.NewIndex(), loaded: make(chan struct{})}
		m.sites[site] = x
		go m.load(site, x)
	}
	x.used = time.Now()
	return x
}

// load reads the newest vectors of a site. If it cannot, the site is forgotten,
// so that the next question tries again.
func (m *Meanings) load(site feedback.SiteID, x *siteMeanings) {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer close(x.loaded)
	ctx := context.Background()
	for below := int64(0); x.index.Len() < maxIndexed; {
		batch, err := m.app.NewestVectors(ctx, site, insights.ModelID, below)
		if err != nil {
			m.log.Error("meanings of posts not loaded", "site", site, "err", err)
			m.forget(site)
			return
		}
		if len(batch) == 0 {
			break
		}
		if below == 0 {
			x.last = batch[0].Version
		}
		m.add(site, x, batch)
		below = batch[len(batch)-1].Version
	}
	x.fresh = time.Now()
	m.makeRoom(site)
}

func (m *Meanings) forget(site feedback.SiteID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sites, site)
}

// makeRoom forgets the sites not asked about for longest until what is left is
// not too much, but not the one given.
func (m *Meanings) makeRoom(but feedback.SiteID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		total := 0
		var oldest feedback.SiteID
		for site, x := range m.sites {
			total += x.index.Len()
			if site != but && (oldest == 0 || x.used.Before(m.sites[oldest].used)) {
				oldest = site
			}
		}
		if total <= maxIndexed || oldest == 0 {
			return
		}
		delete(m.sites, oldest)
	}
}

func (m *Meanings) add(site feedback.SiteID, x *siteMeanings, batch []app.PostVector) {
	for _, p := range batch {
		var v insights.Vector
		err := v.UnmarshalBinary(p.Vector)
		if err == nil {
			err = x.index.Add(int64(p.Post), v)
		}
		if err != nil {
			m.log.Warn("meaning of a post cannot be read", "site", site, "post", p.Post, "err", err)
		}
	}
}

// refresh reads what was stored since the last time. Of several questions at once
// one does it; the others do not wait.
func (m *Meanings) refresh(ctx context.Context, site feedback.SiteID, x *siteMeanings) error {
	if !x.mu.TryLock() {
		return nil
	}
	defer x.mu.Unlock()
	if time.Since(x.fresh) < freshness {
		return nil
	}
	after := x.last
	if time.Since(time.UnixMilli(x.last>>versionBits)) < overlap {
		after = max(0, after-overlap.Milliseconds()<<versionBits)
	}
	for {
		batch, err := m.app.VectorsSince(ctx, site, insights.ModelID, after)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		m.add(site, x, batch)
		after = batch[len(batch)-1].Version
		x.last = max(x.last, after)
	}
	x.fresh = time.Now()
	return nil
}

// Task reads new and edited posts for their meaning, soon after they were
// written.
func (m *Meanings) Task() Task {
	return Task{Name: "meanings of new posts", Every: sweepEvery, Wake: m.app.Reworded(), Run: m.ReadNew}
}

// ReadNew reads the posts whose meaning nobody has looked at, until there are
// none.
func (m *Meanings) ReadNew(ctx context.Context) error {
	m.mu.Lock()
	sweep := time.Since(m.swept) >= sweepEvery
	if sweep {
		m.swept = time.Now()
	}
	m.mu.Unlock()
	for {
		unread, err := m.app.UnreadPosts(ctx, insights.ModelID, sweep)
		if err != nil || len(unread) == 0 {
			return err
		}
		for _, u := range unread {
			if err := m.read(ctx, u); err != nil {
				return err
			}
		}
	}
}

func (m *Meanings) read(ctx context.Context, u app.Unread) error {
	texts := make([]string, len(u.Posts))
	for i, p := range u.Posts {
		texts[i] = feedback.Meant(p.Title, p.Body)
	}
	// A few are read here: starting another process would cost more.
	var engine Engine = inProcess{}
	if len(texts) > fewTexts && m.engine != nil {
		engine = m.engine()
		defer engine.Close()
	}
	made, err := engine.Embed(ctx, texts)
	if err != nil {
		return err
	}
	rows := make([]app.PostVector, len(texts))
	for i, v := range made {
		b, err := v.MarshalBinary()
		if err != nil {
			return err
		}
		rows[i] = app.PostVector{Post: u.Posts[i].ID, Hash: insights.ContentHash(texts[i]), Vector: b}
	}
	return m.app.KeepRead(ctx, u, insights.ModelID, rows)
}
