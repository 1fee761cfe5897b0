package app

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"heed/internal/feedback"
)

// Meanings knows which posts of a site mean nearly what a text does. Whoever runs
// the model brings it, with [App.UseMeanings]: the verbs know no model.
type Meanings interface {
	// Nearest returns up to limit posts, the nearest first. It may know posts
	// that are archived or merged by now, and answers with none rather than
	// keep the caller waiting.
	Nearest(ctx context.Context, site feedback.SiteID, text string, limit int) ([]Nearness, error)
}

// Nearness is how near a post is to a text, up to 1.
type Nearness struct {
	Post   feedback.PostID
	Cosine float64
}

// UseMeanings has similar posts found by what they mean. Without it they are
// found by their words alone.
func (a *App) UseMeanings(m Meanings) { a.meanings.Store(&m) }

const (
	// leastCosine is what a post must have in common with a text to be
	// proposed for its meaning alone; at sureCosine it says the same.
	leastCosine = 0.42
	sureCosine  = 0.85

	// wordsAsked is how many words of a text are looked for, and wordDepth how
	// many posts with each.
	wordsAsked = 6
	wordDepth  = 50
)

// SimilarPosts returns posts that may say the same as a text, the likeliest
// first: those that are near in meaning, and those that share its rarer words.
// Posts of private boards are among them, archived and merged ones are not.
func (tx *Tx) SimilarPosts(ctx context.Context, text string, limit int) ([]feedback.SearchResult, error) {
	ids, err := tx.similar(ctx, text, limit, 0)
	if err != nil {
		return nil, err
	}
	found, err := tx.s.FindPosts(ctx, tx.site.ID, ids)
	return found[:min(len(found), limit)], err
}

// SimilarTo returns posts that may say the same as a post of the site.
func (tx *Tx) SimilarTo(ctx context.Context, post string, limit int) ([]feedback.SearchResult, error) {
	p, err := tx.Post(ctx, post)
	if err != nil {
		return nil, err
	}
	c, err := tx.s.PostContent(ctx, tx.site.ID, p.ID)
	if err != nil {
		return nil, err
	}
	ids, err := tx.similar(ctx, feedback.Meant(p.Title, c.Body), limit, p.ID)
	if err != nil {
		return nil, err
	}
	found, err := tx.s.FindPosts(ctx, tx.site.ID, ids)
	return found[:min(len(found), limit)], err
}

// similar returns candidates, the likeliest first, with some to spare: the caller
// asks for those that may be shown. skip is not among them.
func (tx *Tx) similar(ctx context.Context, text string, limit int, skip feedback.PostID) ([]feedback.PostID, error) {
	spare := 4*limit + 16
	score := map[feedback.PostID]float64{}
	if m := tx.app.meanings.Load(); m != nil {
		near, err := (*m).Nearest(ctx, tx.site.ID, text, spare)
		if err != nil {
			return nil, err
		}
		for _, n := range near {
			if n.Cosine >= leastCosine {
				score[n.Post] += min(1, (n.Cosine-leastCosine)/(sureCosine-leastCosine)) + 0.2
			}
		}
	}
	shared, err := tx.sharedWords(ctx, text)
	if err != nil {
		return nil, err
	}
	for post, share := range shared {
		// Half of what a text says is a reason by itself, less of it supports
		// another.
		if share >= 0.5 || score[post] > 0 {
			score[post] += 0.6 * share
		}
	}
	delete(score, skip)
	all := slices.SortedFunc(maps.Keys(score), func(a, b feedback.PostID) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(b, a))
	})
	return all[:min(len(all), spare)], nil
}

// sharedWords returns the posts that have words of a text, and for each how much
// of it they have, from 0 to 1: rare words are more of it than common ones.
func (tx *Tx) sharedWords(ctx context.Context, text string) (map[feedback.PostID]float64, error) {
	share := map[feedback.PostID]float64{}
	total := 0.0
	for _, w := range telling(text) {
		posts, err := tx.s.PostsWith(ctx, tx.site.ID, w, wordDepth)
		if err != nil {
			return nil, err
		}
		// A word that no post has says that all of them miss something.
		weight := 1 / math.Log2(2+float64(len(posts)))
		if len(posts) == wordDepth {
			weight /= 4 // there are more than we have seen
		}
		total += weight
		for _, id := range posts {
			share[id] += weight
		}
	}
	for id := range share {
		share[id] /= total
	}
	return share, nil
}
