package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"heed/internal/app"
)

// progress shows how far a long command has come, on one line of the terminal,
// a few times a second at most.
type progress struct {
	w     io.Writer
	what  string
	start time.Time
	shown time.Time
}

func showProgress(io stdio, what string) *progress {
	return &progress{w: io.err, what: what, start: time.Now()}
}

// at shows that so many of all are done.
func (p *progress) at(done, total int) {
	now := time.Now()
	if now.Sub(p.shown) < 200*time.Millisecond && done < total {
		return
	}
	p.shown = now
	if total > 0 {
		fmt.Fprintf(p.w, "\r%s %d of %d (%d %%)\x1b[K", p.what, done, total, 100*done/total)
	} else {
		fmt.Fprintf(p.w, "\r%s %d\x1b[K", p.what, done)
	}
}

// end ends the line.
func (p *progress) end() {
	fmt.Fprintf(p.w, "\r%s done in %s\x1b[K\n", p.what, time.Since(p.start).Round(10*time.Millisecond))
}

type fillCmd struct {
	settings
	Site     string `required:"" env:"HEED_SITE" placeholder:"ID" help:"The site to fill."`
	Posts    int    `required:"" env:"HEED_POSTS" help:"How many posts."`
	Votes    int    `env:"HEED_VOTES" default:"-1" help:"How many votes in all; five a post when left out."`
	Comments int    `env:"HEED_COMMENTS" default:"-1" help:"How many comments in all; one for every two posts when left out."`
	Seed     uint64 `env:"HEED_SEED" default:"1" help:"The same seed gives the same data."`
}

// Run fills a site with made-up data.
func (c *fillCmd) Run(ctx context.Context, io stdio) error {
	return c.with(ctx, func(o *opened) error {
		p := showProgress(io, "Filling in rows:")
		err := o.app.Fill(ctx, app.FillOptions{
			Site: c.Site, Posts: c.Posts, Votes: c.Votes, Comments: c.Comments, Seed: c.Seed, Progress: p.at,
		})
		if err == nil {
			p.end()
		}
		return err
	})
}
