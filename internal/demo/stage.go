package demo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/store"
)

// stage is where the story is acted out.
type stage struct {
	ctx    context.Context
	db     *store.DB
	app    *app.App
	opened *app.Opened

	team     map[string]feedback.MemberID
	boards   map[string]feedback.BoardID
	statuses map[string]feedback.StatusID
	posts    map[string]feedback.PostID
	entries  map[string]feedback.EntryID
	comments map[string]feedback.CommentID // by the title and the number
	tags     map[string]feedback.TagID
	portal   *app.Portal
}

// open makes the account, its team and what a site has before the first post.
func (st *stage) open() error {
	st.posts, st.entries = map[string]feedback.PostID{}, map[string]feedback.EntryID{}
	st.comments, st.tags = map[string]feedback.CommentID{}, map[string]feedback.TagID{}
	st.team, st.boards = map[string]feedback.MemberID{}, map[string]feedback.BoardID{}
	st.statuses = map[string]feedback.StatusID{}
	var err error
	st.opened, err = st.app.OpenAccount(st.ctx, feedback.NewAccount{
		Name: "Northwind", Email: Email, Password: Password, Site: "Northwind", Plan: feedback.Studio,
	})
	if err != nil {
		return err
	}
	owner := &st.opened.Member
	owner.Name = "Hana Sato"
	st.team[owner.Name] = owner.ID
	err = st.db.Write(st.ctx, func(tx *store.Tx) error {
		if err := tx.RenameMember(st.ctx, owner.AccountID, owner.ID, owner.Name); err != nil {
			return err
		}
		for _, m := range []struct {
			name string
			role feedback.Role
		}{{"Marcus Webb", feedback.Admin}, {"Elena Brandt", feedback.Editor}} {
			first, _, _ := strings.Cut(strings.ToLower(m.name), " ")
			member := &feedback.Member{
				ID: feedback.MemberID(tx.NextID()), AccountID: owner.AccountID, Email: first + "@northwind.example",
				Name: m.name, Role: m.role, CreatedAt: tx.Now,
			}
			// No hash is empty: nobody signs in with that.
			if _, err := tx.InsertMember(st.ctx, member, ""); err != nil {
				return err
			}
			st.team[m.name] = member.ID
		}
		return nil
	})
	if err != nil {
		return err
	}
	return st.furnish()
}

// furnish adds boards and a status to what every new site has.
func (st *stage) furnish() error {
	ctx := st.ctx
	err := st.act("Hana Sato", func(tx *app.Tx) error {
		about := func(s string) *feedback.BoardDescription { d := feedback.BoardDescription(s); return &d }
		for _, b := range []feedback.NewBoard{
			{Name: "Integrations", Description: about("Tools that Northwind should talk to.")},
			{Name: "Customer calls", Description: about("What we heard, for the team only."), Private: true},
		} {
			if _, err := tx.CreateBoard(ctx, b); err != nil {
				return err
			}
		}
		boards, err := tx.Boards(ctx, feedback.Window{Limit: 100})
		if err != nil {
			return err
		}
		for _, b := range boards.Items {
			st.boards[b.Name] = b.ID
		}
		color, silent := feedback.Color("#7c3aed"), feedback.Silent
		if _, err := tx.CreateStatus(ctx, feedback.NewStatus{Name: "Under review", Color: &color, Notify: &silent}); err != nil {
			return err
		}
		statuses, err := tx.Statuses(ctx, feedback.Window{Limit: 100})
		for _, s := range statuses.Items {
			st.statuses[s.Name] = s.ID
		}
		if err != nil {
			return err
		}
		for i, name := range []string{"Open", "Under review", "Planned", "In progress", "Done", "Closed"} {
			if err := tx.PlaceStatus(ctx, st.statuses[name].String(), i); err != nil {
				return err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(tagColors)) {
			color := feedback.Color(tagColors[name])
			tag, err := tx.CreateTag(ctx, feedback.NewTag{Name: feedback.TagName(name), Color: &color})
			if err != nil {
				return err
			}
			st.tags[name] = tag.ID
		}
		return nil
	})
	if err != nil {
		return err
	}
	st.portal, err = st.app.Portal(ctx, st.opened.Site.Slug)
	return err
}

// act performs verbs on the site as a member of the team; "" is a visitor.
func (st *stage) act(member string, fn func(*app.Tx) error) error {
	actor, err := st.actor(member)
	if err != nil {
		return err
	}
	return st.as(actor, fn)
}

func (st *stage) actor(member string) (*app.Actor, error) {
	actor := &app.Actor{Source: feedback.FromPortal, Account: &st.opened.Account}
	if member != "" {
		actor.Source, actor.Member = feedback.FromDashboard, st.team[member]
		if actor.Member == 0 {
			return nil, fmt.Errorf("%s is not in the team", member)
		}
	}
	return actor, nil
}

func (st *stage) as(actor *app.Actor, fn func(*app.Tx) error) error {
	target := app.Target{Site: st.opened.Site.ID.String()}
	_, err := st.app.Write(st.ctx, actor, target, app.Once{}, func(tx *app.Tx) (app.Response, error) {
		return app.Response{}, fn(tx)
	})
	return err
}

func (st *stage) meet(ref feedback.VisitorRef, name string) error {
	return st.db.Write(st.ctx, func(tx *store.Tx) error {
		v := store.NamedVisitor{ID: feedback.VisitorID(tx.NextID()), Ref: ref, Name: name, CreatedAt: tx.Now}
		v.Email = string(ref) + "@customers.example"
		return tx.InsertVisitors(st.ctx, st.opened.Site.ID, []store.NamedVisitor{v})
	})
}

func (st *stage) post(p *post, author feedback.VisitorRef) error {
	board, ok := st.boards[p.board]
	if !ok {
		return fmt.Errorf("there is no board %q", p.board)
	}
	err := st.act("", func(tx *app.Tx) error {
		made, err := tx.CreatePost(st.ctx, feedback.NewPost{
			Board: feedback.Ref(board.String()), Title: feedback.PostTitle(p.title), Body: feedback.PostBody(p.body), Visitor: author,
		})
		if err == nil {
			st.posts[p.title] = made.ID
		}
		return err
	})
	if err != nil || len(p.tags) == 0 {
		return err
	}
	return st.act("Elena Brandt", func(tx *app.Tx) error {
		for _, name := range p.tags {
			tag, ok := st.tags[name]
			if !ok {
				return fmt.Errorf("there is no tag %q", name)
			}
			if err := tx.TagPost(st.ctx, st.posts[p.title].String(), feedback.Input{}, feedback.Ref(tag.String()), true); err != nil {
				return err
			}
		}
		return nil
	})
}

var tagColors = map[string]string{
	"API": "#0f766e", "Accessibility": "#7c3aed", "Automations": "#c2410c", "Billing": "#65a30d", "Boards": "#2563eb",
	"Customer call": "#be185d", "Editor": "#4f46e5", "Enterprise": "#334155", "Import": "#0891b2", "Mobile": "#db2777",
	"Notifications": "#d97706", "Onboarding": "#16a34a", "Performance": "#dc2626", "Permissions": "#9333ea",
	"Quick win": "#059669", "Reporting": "#0369a1", "Search": "#a16207", "Time tracking": "#b45309", "Timeline": "#1d4ed8",
}

func (st *stage) votes(scenes []scene) error {
	return st.act("", func(tx *app.Tx) error {
		for _, sc := range scenes {
			if _, err := tx.Vote(st.ctx, st.posts[sc.what].String(), feedback.NewVote{Visitor: sc.voter}); err != nil {
				return err
			}
		}
		return nil
	})
}

// comment has a member, or a visitor where member is "", comment. number and
// replyTo count the comments on the post.
func (st *stage) comment(title string, number, replyTo int, r remark, who feedback.VisitorRef, member string) error {
	key := func(n int) string { return fmt.Sprint(title, "#", n) }
	in := feedback.NewComment{Body: feedback.CommentBody(r.body), Internal: r.internal}
	if replyTo >= 0 {
		parent := feedback.Ref(st.comments[key(replyTo)].String())
		in.Parent = &parent
	}
	say := func(tx *app.Tx) (*feedback.Comment, error) {
		if member == "" {
			return tx.AddComment(st.ctx, st.posts[title].String(), app.Said{NewComment: in})
		}
		return tx.CreateComment(st.ctx, st.posts[title].String(), in)
	}
	actor, err := st.actor(member)
	if err != nil {
		return err
	}
	if member == "" {
		actor = st.portal.Visitor(nil, who)
	}
	return st.as(actor, func(tx *app.Tx) error {
		c, err := say(tx)
		if err == nil {
			st.comments[key(number)] = c.ID
		}
		return err
	})
}

func (st *stage) move(title, status string) error {
	to := feedback.Ref(st.statuses[status].String())
	return st.act("Hana Sato", func(tx *app.Tx) error {
		_, err := tx.ChangePostStatus(st.ctx, st.posts[title].String(), feedback.StatusChange{Status: &to})
		return err
	})
}

func (st *stage) merge(loser, winner string) error {
	return st.act("Elena Brandt", func(tx *app.Tx) error {
		got, err := tx.MergePosts(st.ctx, st.posts[loser].String(), feedback.NewMerge{Winner: feedback.Ref(st.posts[winner].String())})
		if err == nil && got.Reason != "" {
			err = fmt.Errorf("merge into %q refused: %s", winner, got.Reason)
		}
		return err
	})
}

func (st *stage) flag(p *post) error {
	return st.act("Elena Brandt", func(tx *app.Tx) error {
		for flag, on := range map[feedback.PostFlag]bool{feedback.Pinned: p.pinned, feedback.Archived: p.archive, feedback.Locked: p.locked} {
			if err := tx.SetPostFlag(st.ctx, st.posts[p.title].String(), flag, on); err != nil {
				return err
			}
		}
		return nil
	})
}

func (st *stage) draft(e *entry) error {
	return st.act("Hana Sato", func(tx *app.Tx) error {
		label := feedback.EntryLabel(e.label)
		in := feedback.NewEntry{Title: feedback.EntryTitle(e.title), Body: feedback.EntryBody(e.body), Label: &label}
		for _, title := range e.posts {
			if st.posts[title] == 0 {
				return fmt.Errorf("there is no post %q", title)
			}
			in.Posts = append(in.Posts, feedback.Ref(st.posts[title].String()))
		}
		made, err := tx.CreateEntry(st.ctx, in)
		if err == nil {
			st.entries[e.title] = made.ID
		}
		return err
	})
}

func (st *stage) publish(title string) error {
	return st.act("Hana Sato", func(tx *app.Tx) error {
		_, err := tx.PublishEntry(st.ctx, st.entries[title].String(), feedback.Input{})
		return err
	})
}

func (st *stage) start(c *script) (id feedback.RunID, err error) {
	in := feedback.NewRun{
		Site: feedback.Ref(st.opened.Site.ID.String()), Kind: feedback.AgentKind(st.app.AgentKinds()[c.kind]), Mode: &c.mode,
	}
	repo := feedback.Repo(c.repo)
	in.Repo = &repo
	if c.post != "" {
		post := feedback.Ref(st.posts[c.post].String())
		in.Post = &post
	}
	if c.title != "" {
		title := feedback.RunTitle(c.title)
		in.Title = &title
	}
	err = st.act("Marcus Webb", func(tx *app.Tx) error {
		r, err := tx.StartRun(st.ctx, in)
		if err == nil {
			id = r.ID
		}
		return err
	})
	return id, err
}

func (st *stage) step(run feedback.RunID, c *script, l *line) error {
	in := feedback.NewStep{Tone: l.tone, Label: feedback.StepLabel(l.label)}
	text := func(s string) *feedback.FreeText {
		if s == "" {
			return nil
		}
		t := feedback.FreeText(s)
		return &t
	}
	in.Detail, in.Code, in.LabelMeta = text(l.detail), text(l.code), text(l.meta)
	if l.ci != "" {
		in.CIResult = &l.ci
	}
	if l.pr != 0 {
		url := feedback.URI(fmt.Sprintf("https://git.northwind.example/%s/pull/%d", c.repo, l.pr))
		in.PRURL, in.PRNumber = &url, &l.pr
	}
	return st.act("Marcus Webb", func(tx *app.Tx) error {
		_, err := tx.AppendStep(st.ctx, run.String(), in)
		return err
	})
}

func (st *stage) complete(run feedback.RunID, c *script) error {
	in := feedback.Completion{Outcome: c.outcome}
	if c.entry != "" {
		entry := feedback.Ref(st.entries[c.entry].String())
		in.Entry = &entry
	}
	if c.done {
		done := feedback.Ref(st.statuses["Done"].String())
		in.DoneStatus = &done
	}
	return st.act("Marcus Webb", func(tx *app.Tx) error {
		_, err := tx.CompleteRun(st.ctx, run.String(), in)
		return err
	})
}

// settle has nobody told of what never happened.
func (st *stage) settle() error {
	return st.db.Write(st.ctx, func(tx *store.Tx) error { return tx.SettleNotices(st.ctx, st.opened.Site.ID) })
}
