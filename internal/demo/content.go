package demo

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed content/*.txt
var content embed.FS

// The texts are files that can be read and edited as texts. A post is
//
//	= Title
//	Author | votes | status | tags | age:DAYS, pinned, merge:TITLE
//	body
//	> Name: a comment          >> Name: a reply to it
//	@ what the team answers    > @Name: a comment of the team
//	!@Name: a note for the team only

type post struct {
	board   string
	title   string
	author  string
	votes   int
	status  string
	tags    []string
	age     float64 // days
	pinned  bool
	locked  bool
	archive bool
	merge   string // the title of the post it is folded into
	body    string
	talk    []remark
}

type remark struct {
	author   string // of the team: with an @; "": whoever answers for the team
	body     string
	reply    bool
	internal bool
	official bool
}

type entry struct {
	title string
	label string
	age   float64 // days; negative: a draft
	posts []string
	ship  string // the post whose run publishes it
	body  string
}

func readPosts(file string) ([]post, error) {
	blocks, board, err := read(file)
	if err != nil {
		return nil, err
	}
	all := make([]post, len(blocks))
	for i, b := range blocks {
		if all[i], err = parsePost(board, b); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", file, b.title, err)
		}
	}
	return all, nil
}

// block is a title, the line below it, and the rest.
type block struct{ title, head, rest string }

func read(file string) (blocks []block, heading string, err error) {
	text, err := content.ReadFile("content/" + file)
	if err != nil {
		return nil, "", err
	}
	for i, part := range strings.Split("\n"+string(text), "\n= ") {
		if i == 0 {
			heading = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "#"))
			continue
		}
		title, rest, _ := strings.Cut(part, "\n")
		head, rest, _ := strings.Cut(rest, "\n")
		blocks = append(blocks, block{title, head, strings.TrimSpace(rest)})
	}
	return blocks, heading, nil
}

func parsePost(board string, b block) (post, error) {
	p := post{board: board, title: b.title}
	fields := strings.Split(b.head, "|")
	if len(fields) != 5 {
		return p, fmt.Errorf("the line below the title has %d fields, not 5", len(fields))
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	var err error
	p.author, p.status = fields[0], fields[2]
	if p.votes, err = strconv.Atoi(fields[1]); err != nil {
		return p, err
	}
	for tag := range strings.SplitSeq(fields[3], ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			p.tags = append(p.tags, tag)
		}
	}
	flags := fields[4]
	if before, title, found := strings.Cut(flags, "merge:"); found {
		flags, p.merge = before, title // to the end: titles have commas
	}
	for flag := range strings.SplitSeq(flags, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(flag), ":"); name {
		case "age":
			if p.age, err = strconv.ParseFloat(value, 64); err != nil {
				return p, err
			}
		case "pinned":
			p.pinned = true
		case "locked":
			p.locked = true
		case "archived":
			p.archive = true
		case "":
		default:
			return p, fmt.Errorf("unknown flag %q", name)
		}
	}
	var body []string
	for line := range strings.SplitSeq(b.rest, "\n") {
		if r, ok := parseRemark(line); ok {
			p.talk = append(p.talk, r)
		} else {
			body = append(body, line)
		}
	}
	p.body = strings.TrimSpace(strings.Join(body, "\n"))
	return p, nil
}

// addTalk adds more comments to posts, before what the team answers.
func addTalk(posts []post) error {
	blocks, _, err := read("talk.txt")
	if err != nil {
		return err
	}
	for _, b := range blocks {
		i := slices.IndexFunc(posts, func(p post) bool { return p.title == b.title })
		if i < 0 {
			return fmt.Errorf("talk: there is no post %q", b.title)
		}
		var more []remark
		for line := range strings.SplitSeq(strings.TrimSpace(b.head+"\n"+b.rest), "\n") {
			r, ok := parseRemark(line)
			if !ok {
				return fmt.Errorf("talk: %q: %q is no comment", b.title, line)
			}
			more = append(more, r)
		}
		at := slices.IndexFunc(posts[i].talk, func(r remark) bool { return r.official })
		if at < 0 {
			at = len(posts[i].talk)
		}
		posts[i].talk = slices.Insert(posts[i].talk, at, more...)
	}
	return nil
}

func parseRemark(line string) (r remark, ok bool) {
	if official, ok := strings.CutPrefix(line, "@ "); ok {
		return remark{body: official, official: true}, true
	}
	switch {
	case strings.HasPrefix(line, ">> "):
		r.reply, line = true, line[3:]
	case strings.HasPrefix(line, "> "):
		line = line[2:]
	case strings.HasPrefix(line, "!@"):
		r.internal, line = true, line[1:]
	default:
		return r, false
	}
	r.author, r.body, ok = strings.Cut(line, ": ")
	return r, ok
}

func readChangelog() ([]entry, error) {
	blocks, _, err := read("changelog.txt")
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(blocks))
	for i, b := range blocks {
		e := entry{title: b.title, body: b.rest, age: -1}
		fields := strings.SplitN(b.head, " | ", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("changelog: %q: the line below the title has %d fields, not 3", b.title, len(fields))
		}
		e.label = fields[0]
		if fields[1] != "draft" {
			if e.age, err = strconv.ParseFloat(fields[1], 64); err != nil {
				return nil, fmt.Errorf("changelog: %q: %w", b.title, err)
			}
		}
		if title, ok := strings.CutPrefix(fields[2], "ship:"); ok {
			e.ship = title
		} else {
			e.posts = strings.Split(fields[2], "; ")
		}
		all[i] = e
	}
	return all, nil
}
