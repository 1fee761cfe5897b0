package demo

import (
	"fmt"
	"time"

	"heed/internal/feedback"
)

// paths are the statuses that a post passes through on its way, after the first.
var paths = map[string][]string{
	"Open":         nil,
	"Under review": {"Under review"},
	"Planned":      {"Under review", "Planned"},
	"In progress":  {"Planned", "In progress"},
	"Done":         {"Under review", "Planned", "In progress", "Done"},
	"Closed":       {"Under review", "Closed"},
}

// writePost tells what becomes of a post.
func (s *story) writePost(p *post, first map[string]time.Time) {
	born := s.ago(p.age)
	seen := func(name string, at time.Time) {
		if t, ok := first[name]; !ok || at.Before(t) {
			first[name] = at
		}
	}
	seen(p.author, born)
	s.add(born, p.title, func(st *stage) error { return st.post(p, s.people[p.author]) })

	last := s.settled(p, born)
	path := paths[p.status]
	for i, status := range path {
		at := born.Add(last.Sub(born) * time.Duration(i+1) / time.Duration(len(path)))
		s.add(at, p.title, func(st *stage) error { return st.move(p.title, status) })
	}
	closed := s.now // when it takes no more votes
	switch {
	case p.merge != "":
		closed = s.between(born.Add(24*time.Hour), born.Add(20*24*time.Hour), 1)
		s.add(closed, p.title, func(st *stage) error { return st.merge(p.title, p.merge) })
	case p.archive || p.locked || p.pinned:
		at := last.Add(5 * 24 * time.Hour)
		if p.archive || p.locked {
			closed = at
		}
		s.add(at, p.title, func(st *stage) error { return st.flag(p) })
	}
	s.writeTalk(p, born, last, closed, seen)
	s.writeVotes(p, born, closed, seen)
}

// settled is when a post reaches the status it has today.
func (s *story) settled(p *post, born time.Time) time.Time {
	if e := s.announced(p.title); e != nil && p.status == "Done" {
		return s.ago(e.age).Add(-time.Hour)
	}
	span := s.now.Sub(born)
	return born.Add(span/4 + time.Duration(s.r.Float64()*float64(span)/2))
}

// writeTalk has people comment: before the team's answer, then the answer with
// the decision, then what comes after.
func (s *story) writeTalk(p *post, born, last, closed time.Time, seen func(string, time.Time)) {
	answer := len(p.talk)
	for i, r := range p.talk {
		if r.official {
			answer = i
		}
	}
	place := func(i int) time.Time {
		from, to, k, n := born, last, i, answer
		if answer == len(p.talk) {
			to = closed
		}
		if i > answer {
			from, to, k, n = last.Add(time.Hour), closed, i-answer-1, len(p.talk)-answer-1
		}
		return from.Add(to.Sub(from) * time.Duration(k+1) / time.Duration(n+2))
	}
	parent := -1
	var before time.Time
	for i, r := range p.talk {
		at := place(i)
		if r.official {
			at = last.Add(10 * time.Minute)
		}
		replyTo := -1
		if r.reply {
			replyTo = parent
			if soon := before.Add(time.Duration((0.4 + 20*s.r.Float64()) * float64(time.Hour))); soon.Before(at) {
				at = soon
			}
		} else {
			parent = i
		}
		before = at
		ref, member := s.people[r.author], ""
		if r.official {
			member = "Hana Sato"
		} else if r.author[0] == '@' {
			member = r.author[1:]
		} else {
			seen(r.author, at)
		}
		s.add(at, p.title, func(st *stage) error { return st.comment(p.title, i, replyTo, r, ref, member) })
	}
}

// writeVotes has people vote: the author at once, most others soon.
func (s *story) writeVotes(p *post, born, closed time.Time, seen func(string, time.Time)) {
	if p.votes == 0 {
		return
	}
	who := map[string]bool{p.author: true}
	voters := []string{p.author}
	for len(voters) < p.votes {
		// Some vote for nearly everything.
		x := s.r.Float64()
		name := s.names[int(x*x*float64(len(s.names)))]
		if len(who) > len(s.names)/3 {
			name = s.names[s.r.IntN(len(s.names))]
		}
		if !who[name] {
			who[name] = true
			voters = append(voters, name)
		}
	}
	for i, name := range voters {
		at := born.Add(time.Second)
		if i > 0 {
			at = s.between(born.Add(time.Minute), closed.Add(-time.Minute), 2)
		}
		seen(name, at)
		s.scenes = append(s.scenes, scene{at: at, what: p.title, voter: s.people[name]})
	}
}

func (s *story) writeEntry(e *entry) {
	published := s.ago(max(e.age, 0.4))
	drafted := published.Add(-26 * time.Hour)
	if e.ship != "" {
		drafted = published.Add(-5 * time.Hour)
	}
	s.add(drafted, e.title, func(st *stage) error { return st.draft(e) })
	if e.age >= 0 && e.ship == "" {
		s.add(published, e.title, func(st *stage) error { return st.publish(e.title) })
	}
}

func (s *story) writeRun(c *script) {
	at := s.ago(c.age)
	name := c.post + c.title
	var run feedback.RunID
	s.add(at, name, func(st *stage) (err error) {
		run, err = st.start(c)
		return err
	})
	for i := range c.steps {
		at = at.Add(time.Duration(c.steps[i].after * float64(time.Minute)))
		s.add(at, fmt.Sprintf("%s: %s", name, c.steps[i].label), func(st *stage) error { return st.step(run, c, &c.steps[i]) })
	}
	if c.outcome != "" {
		s.add(at.Add(time.Minute), name, func(st *stage) error { return st.complete(run, c) })
	}
}
