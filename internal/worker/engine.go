package worker

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"heed/internal/insights"
)

// Engine makes sense of texts. It computes, and does nothing else.
type Engine interface {
	// Embed returns the vectors of texts under the model in the binary.
	Embed(ctx context.Context, texts []string) ([]insights.Vector, error)
	// Find divides posts into themes. Those that are new have ids below zero.
	Find(ctx context.Context, posts []insights.Post, last insights.State) (*insights.Result, error)
	// Close ends what the engine has begun. It may be used again.
	Close()
}

// inProcess computes here. It is for a process that has nothing else to do, or
// for a few texts.
type inProcess struct{}

func (inProcess) Embed(ctx context.Context, texts []string) ([]insights.Vector, error) {
	return insights.Embed(ctx, texts)
}

func (inProcess) Find(ctx context.Context, posts []insights.Post, last insights.State) (*insights.Result, error) {
	id := int64(0)
	return insights.Find(ctx, posts, last, func() int64 { id--; return id })
}

func (inProcess) Close() {}

// Child is an engine in a process of its own, which the operating system serves
// last. In the process that serves requests, a computation would take one of the
// scheduler's places, and have every collection of garbage wait for it; and what
// memory it takes would stay. Here a request is answered as if it were not there,
// and if it breaks down, only the run does.
type Child struct {
	// Command returns the program, whose standard input and output are given
	// to [ServeEngine].
	Command func() *exec.Cmd

	mu  sync.Mutex // one question at a time
	now *child     // nil: not started
}

type child struct {
	cmd *exec.Cmd
	in  io.Closer
	enc *gob.Encoder
	dec *gob.Decoder
}

// question is what a child is asked: the vectors of texts, or, if there are none,
// the themes of as many posts as follow.
type question struct {
	Texts []string
	Posts int
	Last  insights.State
}

// reply is what it answers.
type reply struct {
	Vectors []insights.Vector
	Found   *insights.Result
	Err     string
}

// Embed implements [Engine].
func (c *Child) Embed(ctx context.Context, texts []string) ([]insights.Vector, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	r, err := c.ask(ctx, question{Texts: texts}, nil)
	if err == nil && len(r.Vectors) != len(texts) {
		err = errors.New("engine: the answer does not fit the texts")
	}
	return r.Vectors, err
}

// Find implements [Engine].
func (c *Child) Find(ctx context.Context, posts []insights.Post, last insights.State) (*insights.Result, error) {
	r, err := c.ask(ctx, question{Posts: len(posts), Last: last}, posts)
	if err == nil && r.Found == nil {
		err = errors.New("engine: no answer")
	}
	return r.Found, err
}

// ask sends a question to the child, starting it if need be. A child that did not
// answer, or was not waited for, is no more.
func (c *Child) ask(ctx context.Context, q question, posts []insights.Post) (r reply, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == nil {
		if c.now, err = start(c.Command()); err != nil {
			return r, fmt.Errorf("start engine: %w", err)
		}
	}
	running := c.now
	stop := context.AfterFunc(ctx, func() { running.cmd.Process.Kill() })
	err = running.exchange(q, posts, &r)
	if !stop() || err != nil {
		c.end()
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		return r, fmt.Errorf("engine: %w", err)
	}
	if r.Err != "" {
		return r, errors.New("engine: " + r.Err)
	}
	return r, nil
}

func start(cmd *exec.Cmd) (*child, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &child{cmd, in, gob.NewEncoder(in), gob.NewDecoder(out)}, nil
}

// exchange sends posts one by one: together they would be in memory twice.
func (c *child) exchange(q question, posts []insights.Post, r *reply) error {
	if err := c.enc.Encode(q); err != nil {
		return err
	}
	for i := range posts {
		if err := c.enc.Encode(&posts[i]); err != nil {
			return err
		}
	}
	return c.dec.Decode(r)
}

// Close ends the child.
func (c *Child) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
}

func (c *Child) end() {
	if c.now == nil {
		return
	}
	c.now.in.Close()
	c.now.cmd.Process.Kill()
	c.now.cmd.Wait()
	c.now = nil
}

// ServeEngine answers the questions of a [Child] until there are no more.
func ServeEngine(ctx context.Context, in io.Reader, out io.Writer) error {
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	return withLowPriority(func() error {
		for {
			var q question
			if err := dec.Decode(&q); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			posts := make([]insights.Post, q.Posts)
			for i := range posts {
				if err := dec.Decode(&posts[i]); err != nil {
					return err
				}
			}
			var r reply
			var err error
			if len(q.Texts) > 0 {
				r.Vectors, err = inProcess{}.Embed(ctx, q.Texts)
			} else {
				r.Found, err = inProcess{}.Find(ctx, posts, q.Last)
			}
			if err != nil {
				r.Err = err.Error()
			}
			if err := enc.Encode(&r); err != nil {
				return err
			}
		}
	})
}
