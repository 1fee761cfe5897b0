// Package demo makes a site that shows what the service can do: a product that
// does not exist, with a year of requests, talk, decisions, releases and agents
// at work. It acts it all out through the verbs of app, in the order in which it
// would have happened and with a clock that is set to each moment, so every rule
// holds and every id has its time.
package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/prose"
	"heed/internal/store"
)

// How to sign in to the demo. Nobody else can reach it: it lives on a database
// that is thrown away.
const (
	Email    = "hana@northwind.example"
	Password = "northwind-demo"
)

// Options say where the demo is made.
type Options struct {
	URL string // of an empty, migrated database
	App app.Config
	// Now is the moment the demo ends at; zero is the present.
	Now time.Time
	// Progress is told how much of the story is written. It may be nil.
	Progress func(done, total int)
}

// Fill makes the demo. It opens the database by itself, for the time it takes,
// because the clock of the story is not the clock of a server.
func Fill(ctx context.Context, o Options) (*app.Opened, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	s := &story{now: o.Now.UTC(), r: rand.New(rand.NewPCG(1, 2)), people: map[string]feedback.VisitorRef{}}
	if err := s.read(); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	var clock atomic.Int64
	set := func(t time.Time) { clock.Store(t.UnixMicro()) }
	set(s.begin())
	db, err := store.Open(ctx, store.Options{
		URL: o.URL, Volatile: true, Log: o.App.Log,
		Now: func() time.Time { return time.UnixMicro(clock.Load()) },
	})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	a := app.New(db, o.App)
	defer a.Close()
	on := &stage{ctx: ctx, db: db, app: a}
	if err := on.open(); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	s.write()
	slices.SortStableFunc(s.scenes, func(a, b scene) int { return a.at.Compare(b.at) })
	for i := 0; i < len(s.scenes); {
		sc := s.scenes[i]
		n := s.votesFrom(i)
		play := sc.play
		if n > 0 {
			play = func(st *stage) error { return st.votes(s.scenes[i : i+n]) }
		}
		set(sc.at)
		if err := play(on); err != nil {
			return nil, fmt.Errorf("demo: %s: %w", sc.what, err)
		}
		i += max(n, 1)
		if o.Progress != nil {
			o.Progress(i, len(s.scenes))
		}
	}
	set(o.Now)
	if err := on.leaveOpen(s); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return on.opened, on.settle()
}

// scene is one thing that happens at one moment.
type scene struct {
	at   time.Time
	what string
	play func(*stage) error
	// voter votes for the post that is called what, instead of play.
	voter feedback.VisitorRef
}

// votesFrom counts the votes that follow each other from a scene on, within a
// few hours: they are cast together, which is what takes the time.
func (s *story) votesFrom(i int) (n int) {
	for _, sc := range s.scenes[i:] {
		if sc.voter == "" || sc.at.Sub(s.scenes[i].at) > 4*time.Hour {
			break
		}
		n++
	}
	return n
}

// story is what happens, in the order in which it is thought of.
type story struct {
	now     time.Time
	r       *rand.Rand
	posts   []post
	entries []entry
	names   []string // of everybody who votes
	people  map[string]feedback.VisitorRef
	scenes  []scene
}

func (s *story) add(at time.Time, what string, play func(*stage) error) {
	s.scenes = append(s.scenes, scene{at: at, what: what, play: play})
}

func (s *story) read() error {
	for _, file := range []string{"features.txt", "bugs.txt", "integrations.txt", "calls.txt"} {
		posts, err := readPosts(file)
		if err != nil {
			return err
		}
		s.posts = append(s.posts, posts...)
	}
	if err := addTalk(s.posts); err != nil {
		return err
	}
	var err error
	if s.entries, err = readChangelog(); err != nil {
		return err
	}
	known := map[string]bool{}
	add := func(name string) {
		if name != "" && !known[name] && !strings.HasPrefix(name, "@") {
			known[name] = true
			s.names = append(s.names, name)
		}
	}
	for _, p := range s.posts {
		add(p.author)
		for _, r := range p.talk {
			add(r.author)
		}
	}
	// Those who only vote.
	for w := prose.New(4); len(s.names) < 640; {
		name, _ := w.Person()
		add(name)
	}
	taken := map[feedback.Slug]bool{}
	for _, name := range s.names {
		slug := feedback.Slugify(name, "visitor")
		free := slug
		for n := 2; taken[free]; n++ {
			free = slug.Numbered(n)
		}
		taken[free] = true
		s.people[name] = feedback.VisitorRef(free)
	}
	return nil
}

// announced returns the published entry about a post, or nil.
func (s *story) announced(title string) *entry {
	for i, e := range s.entries {
		if e.age >= 0 && slices.Contains(e.posts, title) {
			return &s.entries[i]
		}
	}
	return nil
}

// begin is when the site was opened: before the first post.
func (s *story) begin() time.Time {
	oldest := 0.0
	for _, p := range s.posts {
		oldest = max(oldest, p.age)
	}
	return s.ago(oldest + 30)
}

func (s *story) ago(days float64) time.Time {
	return s.now.Add(-time.Duration(days * float64(24*time.Hour)))
}

// between is a moment between two, nearer to the first the greater the power.
func (s *story) between(from, to time.Time, power int) time.Time {
	x := 1.0
	for range power {
		x *= s.r.Float64()
	}
	return from.Add(time.Duration(x * float64(to.Sub(from))))
}

// write tells the whole story.
func (s *story) write() {
	first := map[string]time.Time{} // when somebody is first seen
	for i := range s.posts {
		p := &s.posts[i]
		if p.status == "Open" && p.age > 7 && p.merge == "" {
			p.age = max(7, min(p.age, p.age*p.age/100)) // what is open is mostly young
		}
	}
	for i := range s.posts {
		p := &s.posts[i]
		// What is announced was asked for long before.
		if e := s.announced(p.title); e != nil && p.age < e.age+25 {
			p.age = e.age + 25 + float64(s.r.IntN(60))
		}
		if p.age >= 7 {
			p.age += s.r.Float64() // not all at the same time of day
		}
	}
	for i := range s.posts {
		s.writePost(&s.posts[i], first)
	}
	for name, at := range first {
		s.add(at.Add(-time.Second), name, func(st *stage) error { return st.meet(s.people[name], name) })
	}
	for i := range s.entries {
		s.writeEntry(&s.entries[i])
	}
	for i := range scripts {
		s.writeRun(&scripts[i])
	}
}
