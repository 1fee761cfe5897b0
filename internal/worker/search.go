package worker

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/insights"
	"heed/internal/insights/provider"
)

const (
	// maxPosts is how many posts of a site are looked at, the newest of them:
	// that many take about 200 MB while they are clustered.
	maxPosts = 100_000

	// embedBatch is how many texts the model reads before the vectors are
	// stored: less than a second's work is lost when a run is cut off.
	embedBatch = 32

	// restFactor is how long a run that nobody waits for rests, in terms of
	// the time it has worked.
	restFactor = 3
)

// search is a run under way.
type search struct {
	*Insights
	work   *app.InsightWork
	o      RunOptions
	engine Engine

	mu          sync.Mutex
	stage       string
	done, total int

	posts   []insights.Post
	created map[int64]time.Time
	hashes  map[int64]string
}

// at notes how far the run has come.
func (r *search) at(stage string, done, total int) {
	r.mu.Lock()
	r.stage, r.done, r.total = stage, done, total
	r.mu.Unlock()
	if r.o.Progress != nil {
		r.o.Progress(stage, done, total)
	}
}

func (r *search) report(ctx context.Context) error {
	r.mu.Lock()
	stage, done, total := r.stage, r.done, r.total
	r.mu.Unlock()
	return r.work.Report(ctx, stage, done, total)
}

// find does everything but publish. No transaction is open while it computes.
func (r *search) find(ctx context.Context) (app.InsightResult, error) {
	past, err := r.work.History(ctx)
	if err != nil {
		return app.InsightResult{}, err
	}
	model := insights.ModelID
	if r.Provider.Embeds() {
		model = r.Provider.ModelID()
	}
	err = r.load(ctx, model)
	if _, outage := errors.AsType[*provider.Error](err); outage && past.Model == "" {
		// Better themes than none. Where there are some, they stay as they are
		// until the provider is back: another model would shuffle them.
		r.Log.Warn("AI provider does not answer; first insights with the embedded model", "site", r.work.Run().SiteID, "err", err)
		model = insights.ModelID
		err = r.load(ctx, model)
	}
	if err != nil {
		return app.InsightResult{}, err
	}
	r.at("cluster", 0, 1)
	if err := r.report(ctx); err != nil {
		return app.InsightResult{}, err
	}
	found, err := r.engine.Find(ctx, r.posts, r.state(past, model))
	if err != nil {
		return app.InsightResult{}, err
	}
	for i := range found.Themes {
		if t := &found.Themes[i]; t.Minted {
			t.ID = int64(r.work.NewTheme())
		}
	}
	themes, err := r.describe(ctx, found, past)
	if err != nil {
		return app.InsightResult{}, err
	}
	return app.InsightResult{
		Model: model, Full: found.Full, FullPosts: found.State.Posts, Themes: themes, Placed: r.placed(found),
	}, nil
}

// load reads the posts, oldest first, and sees to it that each has a vector.
func (r *search) load(ctx context.Context, model string) error {
	r.posts = r.posts[:0]
	r.created, r.hashes = map[int64]time.Time{}, map[int64]string{}
	var missing []int
	for below := feedback.PostID(0); len(r.posts) < maxPosts; {
		r.at("read", len(r.posts), 0)
		batch, err := r.work.Posts(ctx, model, below)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		for _, p := range batch {
			text := feedback.Meant(p.Title, p.Body)
			post := insights.Post{Key: int64(p.ID), Text: text, Title: p.Title}
			hash := insights.ContentHash(text)
			// What cannot be read is made anew, like what is out of date.
			if p.Hash != hash || post.Vector.UnmarshalBinary(p.Vector) != nil {
				missing = append(missing, len(r.posts))
			}
			r.created[post.Key], r.hashes[post.Key] = p.CreatedAt, hash
			r.posts = append(r.posts, post)
		}
		below = batch[len(batch)-1].ID
	}
	if err := r.embed(ctx, model, missing); err != nil {
		return err
	}
	slices.Reverse(r.posts)
	return nil
}

// embed makes the vectors of posts that have none and keeps them as it goes.
func (r *search) embed(ctx context.Context, model string, missing []int) error {
	size, vectors := embedBatch, r.engine.Embed
	if model != insights.ModelID {
		size, vectors = provider.MaxBatch, r.buy
	}
	for done := 0; done < len(missing); done += size {
		r.at("embed", done, len(missing))
		batch := missing[done:min(done+size, len(missing))]
		texts := make([]string, len(batch))
		for i, p := range batch {
			texts[i] = r.posts[p].Text
		}
		start := time.Now()
		made, err := vectors(ctx, texts)
		if err != nil {
			return err
		}
		rows := make([]app.PostVector, len(batch))
		for i, p := range batch {
			post := &r.posts[p]
			post.Vector = made[i]
			b, err := made[i].MarshalBinary()
			if err != nil {
				return err
			}
			rows[i] = app.PostVector{Post: feedback.PostID(post.Key), Hash: r.hashes[post.Key], Vector: b}
		}
		if err := r.work.SaveVectors(ctx, model, rows); err != nil {
			return err
		}
		if err := r.rest(ctx, time.Since(start)); err != nil {
			return err
		}
	}
	r.at("embed", len(missing), len(missing))
	return nil
}

// buy has the provider read texts, within the quota.
func (r *search) buy(ctx context.Context, texts []string) ([]insights.Vector, error) {
	refund, err := r.work.Reserve(ctx, len(texts)*feedback.UnitsPerText, r.MonthlyUnits)
	if err != nil {
		return nil, err
	}
	raw, err := r.Provider.Embed(ctx, texts)
	if err != nil {
		return nil, errors.Join(err, refund())
	}
	made := make([]insights.Vector, len(raw))
	for i, v := range raw {
		made[i] = insights.NewVector(v)
	}
	return made, nil
}

// rest lets others use the processor for a while, unless somebody waits.
func (r *search) rest(ctx context.Context, worked time.Duration) error {
	if r.o.Asked || r.Provider.Embeds() {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(restFactor * worked):
		return nil
	}
}

// state tells the engine what is published. Posts that were edited since are to
// be placed anew; under another model all are.
func (r *search) state(past *app.InsightHistory, model string) insights.State {
	s := insights.State{Posts: past.FullPosts}
	if past.Model != model {
		s.Posts = 0
	}
	at := map[feedback.ThemeID]int{}
	for _, t := range past.Themes {
		at[t.ID] = len(s.Themes)
		s.Themes = append(s.Themes, insights.Known{ID: int64(t.ID)})
	}
	for _, p := range past.Placed {
		key := int64(p.Post)
		hash, ok := r.hashes[key]
		if !ok || textHash(hash) != p.TextHash {
			continue
		}
		if i, ok := at[p.Theme]; ok {
			s.Themes[i].Members = append(s.Themes[i].Members, key)
		} else {
			s.Outside = append(s.Outside, key)
		}
	}
	return s
}

// placed lists where each post went, those of a theme by how typical they are.
func (r *search) placed(found *insights.Result) []app.ThemePost {
	out := make([]app.ThemePost, 0, len(r.posts))
	add := func(key, theme int64) {
		out = append(out, app.ThemePost{Post: feedback.PostID(key), Theme: feedback.ThemeID(theme), TextHash: textHash(r.hashes[key])})
	}
	for _, t := range found.Themes {
		for _, key := range t.Members {
			add(key, t.ID)
		}
	}
	for _, key := range found.State.Outside {
		add(key, 0)
	}
	return out
}

// textHash is as much of a content hash as it takes to see that a text is
// another.
func textHash(hash string) int64 {
	n, err := strconv.ParseUint(hash[:16], 16, 64)
	if err != nil {
		panic("worker: a content hash is not hexadecimal")
	}
	return int64(n)
}
