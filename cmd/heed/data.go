package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"heed/internal/app"
)

// progress shows how far a long command has come: on one line of a terminal, a
// few times a second at most; elsewhere in a line of its own now and then.
type progress struct {
	w        io.Writer
	title    string // of the whole
	what     string // is being done
	terminal bool
	start    time.Time
	shown    time.Time
}

func showProgress(io stdio, title string) *progress {
	now := time.Now()
	p := &progress{w: io.err, title: title, what: title, terminal: isTerminal(io.err), start: now}
	if !p.terminal {
		p.shown = now // a short command has nothing to tell a file
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
	pause := 5 * time.Second
	if p.terminal {
		pause = 200 * time.Millisecond
	}
	now := time.Now()
	if now.Sub(p.shown) < pause && (done < total || !p.terminal) {
		return
	}
	p.shown = now
	if total > 0 {
		p.line(fmt.Sprintf("%d of %d (%d %%)", done, total, 100*done/total))
	} else {
		p.line(strconv.Itoa(done))
	}
}

// line shows what there is to say in the place of what was said before.
func (p *progress) line(say string) {
	if p.terminal {
		fmt.Fprintf(p.w, "\r%s %s\x1b[K", p.what, say)
	} else {
		fmt.Fprintf(p.w, "%s %s\n", p.what, say)
	}
}

// end ends the line.
func (p *progress) end() {
	p.what = p.title
	p.line("done in " + time.Since(p.start).Round(10*time.Millisecond).String())
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
