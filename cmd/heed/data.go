package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"heed/internal/app"
)

// progress shows how far a long command has come: on one line of a terminal a few
// times a second at most, and elsewhere, as in a log, on a line of its own every
// few seconds.
type progress struct {
	w        io.Writer
	terminal bool
	title    string // of the whole
	what     string // is being done
	start    time.Time
	shown    time.Time
}

func showProgress(io stdio, title string) *progress {
	now := time.Now()
	p := &progress{w: io.err, terminal: isTerminal(io.err), title: title, what: title, start: now}
	if !p.terminal {
		p.shown = now // a short command has little to tell a log
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// at shows that so many of all are done.
func (p *progress) at(done, total int) {
	now := time.Now()
	every := 5 * time.Second
	if p.terminal {
		every = 200 * time.Millisecond
	}
	if now.Sub(p.shown) < every && (done < total || !p.terminal) {
		return
	}
	p.shown = now
	if total > 0 {
		p.line("%s %d of %d (%d %%)", p.what, done, total, 100*done/total)
	} else {
		p.line("%s %d", p.what, done)
	}
}

// line shows a line instead of the one before it.
func (p *progress) line(format string, args ...any) {
	if p.terminal {
		format = "\r" + format + "\x1b[K"
	} else {
		format += "\n"
	}
	fmt.Fprintf(p.w, format, args...)
}

// end shows that all is done.
func (p *progress) end() {
	p.line("%s done in %s", p.title, time.Since(p.start).Round(10*time.Millisecond))
	if p.terminal {
		fmt.Fprintln(p.w)
	}
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
