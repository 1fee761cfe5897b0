package app

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"heed/internal/feedback"
	"heed/internal/store"
)

// Portal is a site as its public face sees it: only boards that are not private
// are here, and every verb for visitors reads only what is on these boards.
type Portal struct {
	Site     feedback.Site
	Account  feedback.Account
	Settings feedback.Settings
	Boards   []feedback.Board
	Statuses []feedback.Status
	// Moment is the state of the database that all this is of, and that
	// anything made of it may be kept under: as long as the next Portal has
	// the same, nothing has changed.
	Moment string
}

// Portal returns the portal with a slug, or NOT_FOUND.
func (a *App) Portal(ctx context.Context, slug string) (*Portal, error) {
	return a.portal(ctx, slug, func(s *store.Tx) (*store.PortalSite, error) { return s.PortalSite(ctx, slug) })
}

// PortalAt returns the portal with a host name of its own, or NOT_FOUND.
func (a *App) PortalAt(ctx context.Context, host string) (*Portal, error) {
	return a.portal(ctx, host, func(s *store.Tx) (*store.PortalSite, error) { return s.PortalSiteByHost(ctx, host) })
}

func (a *App) portal(ctx context.Context, name string, get func(*store.Tx) (*store.PortalSite, error)) (p *Portal, err error) {
	moment, err := a.db.Moment(ctx)
	if err != nil {
		return nil, err
	}
	now := a.db.Now()
	if p := a.portals.find(name, moment, now); p != nil {
		return p, nil
	}
	err = a.db.Read(ctx, func(s *store.Tx) error {
		p, err = loadPortal(ctx, s, name, get)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.Moment = moment
	a.portals.keep(name, p, now)
	return p, nil
}

// portals are those that were asked for lately. Every page of a portal begins
// with it; whoever gets one must not change it.
type portals struct {
	mu  sync.Mutex
	all map[string]keptPortal
}

type keptPortal struct {
	*Portal
	until time.Time
}

// portalTime is how long a portal is kept where nothing is written: what another
// process wrote to the same SQLite file is seen after that.
const (
	portalTime = time.Second
	maxPortals = 1000
)

func (k *portals) find(name, moment string, now time.Time) *Portal {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.all[name]; p.Portal != nil && p.Moment == moment && now.Before(p.until) {
		return p.Portal
	}
	return nil
}

func (k *portals) keep(name string, p *Portal, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil || len(k.all) >= maxPortals {
		k.all = map[string]keptPortal{}
	}
	k.all[name] = keptPortal{p, now.Add(portalTime)}
}

// maxListed bounds the lists that are shown whole: boards, statuses, tags.
const maxListed = 500

func loadPortal(ctx context.Context, s *store.Tx, name string, get func(*store.Tx) (*store.PortalSite, error)) (*Portal, error) {
	site, err := get(s)
	if err != nil {
		return nil, err
	}
	if site == nil {
		return nil, feedback.Missing("site", name)
	}
	p := &Portal{Site: site.Site, Account: site.Account, Settings: site.Settings}
	boards, err := s.Boards(ctx, p.Site.ID, 0, maxListed)
	if err != nil {
		return nil, err
	}
	p.Boards = slices.DeleteFunc(boards, func(b feedback.Board) bool { return b.Private })
	p.Statuses, err = s.Statuses(ctx, p.Site.ID, -1, 0, maxListed)
	return p, err
}

// Visitor returns whoever looks at the portal, for Read and Write. v is nil for
// somebody who has never written; ref is what they will be known by if they do.
func (p *Portal) Visitor(v *feedback.Visitor, ref feedback.VisitorRef) *Actor {
	a := &Actor{Source: feedback.FromPortal, Account: &p.Account, VisitorRef: ref, site: &p.Site, portal: p}
	if v != nil {
		a.Visitor, a.VisitorRef = v.ID, v.Ref
	}
	return a
}

// Target is the site of the portal.
func (p *Portal) Target() Target { return Target{Site: p.Site.ID.String()} }

// URL is how the outside reaches the portal, without a slash at the end.
func (a *App) URL(p *Portal) string {
	if p.Settings.Host != "" {
		return "https://" + p.Settings.Host
	}
	return a.BaseURL() + "/p/" + p.Site.Slug
}

// BoardNamed returns the public board with a slug, or nil.
func (p *Portal) BoardNamed(slug string) *feedback.Board {
	return pick(p.Boards, func(b *feedback.Board) bool { return b.Slug == slug })
}

// Board returns a public board, or nil.
func (p *Portal) Board(id feedback.BoardID) *feedback.Board {
	return pick(p.Boards, func(b *feedback.Board) bool { return b.ID == id })
}

// Status returns a status, or nil.
func (p *Portal) Status(id feedback.StatusID) *feedback.Status {
	return pick(p.Statuses, func(s *feedback.Status) bool { return s.ID == id })
}

// StatusNamed returns the status with the spelling of an id, or nil.
func (p *Portal) StatusNamed(id string) *feedback.Status {
	return pick(p.Statuses, func(s *feedback.Status) bool { return s.ID.String() == id })
}

func pick[T any](all []T, is func(*T) bool) *T {
	for i := range all {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

func (p *Portal) boardIDs(only feedback.BoardID) []feedback.BoardID {
	var all []feedback.BoardID
	for _, b := range p.Boards {
		if only == 0 || b.ID == only {
			all = append(all, b.ID)
		}
	}
	return all
}

func (p *Portal) statusIDs() []feedback.StatusID {
	all := make([]feedback.StatusID, len(p.Statuses))
	for i, s := range p.Statuses {
		all[i] = s.ID
	}
	return all
}

// PublicList is a page of posts. Pinned posts stand before the first page.
type PublicList struct {
	Pinned []feedback.PublicPost
	Posts  []feedback.PublicPost
	Next   feedback.Position
}

// maxPinned is how many pinned posts are shown.
const maxPinned = 10

// PublicPosts lists the posts that the public sees.
func (tx *Tx) PublicPosts(ctx context.Context, f feedback.PublicFilter) (*PublicList, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	boards := tx.actor.portal.boardIDs(f.Board)
	var pinned []feedback.PostID
	var err error
	if f.Status == 0 && f.Tag == 0 {
		if pinned, err = tx.s.PinnedPosts(ctx, tx.site.ID, boards, maxPinned); err != nil {
			return nil, err
		}
	}
	ids, at, err := tx.s.RankedPosts(ctx, tx.site.ID, boards, tx.actor.portal.statusIDs(), f, f.Limit+1+len(pinned))
	if err != nil {
		return nil, err
	}
	list := &PublicList{}
	var shown []feedback.PostID
	for i, id := range ids {
		if slices.Contains(pinned, id) {
			continue // stands before the first page
		}
		if len(shown) == f.Limit {
			list.Next = at[i-1]
			break
		}
		shown = append(shown, id)
	}
	if f.After != nil {
		pinned = nil
	}
	all, err := tx.publicPosts(ctx, append(pinned, shown...))
	if err != nil {
		return nil, err
	}
	// What was there a moment ago may be gone: the posts say which they are.
	n := 0
	for n < len(all) && slices.Contains(pinned, all[n].ID) {
		n++
	}
	list.Pinned, list.Posts = all[:n], all[n:]
	return list, nil
}

// publicPosts loads posts by id, with names and the looker's votes, in the order
// of the ids. What is not public is left out.
func (tx *Tx) publicPosts(ctx context.Context, ids []feedback.PostID) ([]feedback.PublicPost, error) {
	portal := tx.actor.portal
	posts, err := tx.s.PublicPosts(ctx, tx.site.ID, portal.boardIDs(0), ids)
	if err != nil {
		return nil, err
	}
	voted, err := tx.s.Voted(ctx, tx.site.ID, tx.actor.Visitor, ids)
	if err != nil {
		return nil, err
	}
	for i := range posts {
		p := &posts[i]
		p.Voted = voted[p.ID]
		if b := portal.Board(p.BoardID); b != nil {
			p.BoardName = b.Name
		}
		if s := portal.Status(p.StatusID); s != nil {
			p.StatusName = &s.Name
		}
	}
	return posts, nil
}

// publicPost finds one post that the public sees, or NOT_FOUND. moved is set
// instead for a post that was merged into another, however often.
func (tx *Tx) publicPost(ctx context.Context, post string) (found *feedback.PublicPost, moved feedback.PostID, err error) {
	p, err := tx.Post(ctx, post)
	if err != nil {
		return nil, 0, err
	}
	if p.MergedInto != 0 && !p.Held && tx.actor.portal.Board(p.BoardID) != nil {
		for range 10 {
			next, err := tx.s.Post(ctx, tx.site.ID, p.MergedInto)
			if err != nil || next == nil {
				return nil, 0, err
			}
			if p = next; p.MergedInto == 0 {
				break
			}
		}
		if tx.actor.portal.Board(p.BoardID) != nil && p.Searchable() {
			return nil, p.ID, nil
		}
		return nil, 0, feedback.Missing("post", post)
	}
	all, err := tx.publicPosts(ctx, []feedback.PostID{p.ID})
	if err != nil {
		return nil, 0, err
	}
	if len(all) == 0 {
		return nil, 0, feedback.Missing("post", post)
	}
	return &all[0], 0, nil
}

// PublicPage is everything the page of a post shows.
type PublicPage struct {
	Post     feedback.PublicPost
	Body     string
	Mine     bool // the looker wrote it
	Muted    bool // the looker wants no mail about it
	Moves    []feedback.StatusMove
	Comments []feedback.PublicComment
	Earlier  bool               // there are comments before these
	More     feedback.CommentID // where the next comments begin; zero: none
	Merged   []feedback.FoldedPost
	Entries  []feedback.Entry
	Run      *feedback.Run // the newest, or nil
	Steps    []feedback.Step
}

// MaxComments is how many comments a page shows.
const MaxComments = 200

// Part says which comments of a long talk to show: those after one, or those
// around one. The zero value is the beginning.
type Part struct {
	After, Around feedback.CommentID
}

// contextComments is how many comments stand before the one that a part is
// around.
const contextComments = 20

// PublicPost returns everything the page of a post shows, with a part of its
// comments. moved is the post it was merged into.
func (tx *Tx) PublicPost(ctx context.Context, post string, part Part) (page *PublicPage, moved feedback.PostID, err error) {
	p, moved, err := tx.publicPost(ctx, post)
	if err != nil || moved != 0 {
		return nil, moved, err
	}
	page = &PublicPage{Post: *p, Mine: tx.actor.Visitor != 0 && p.AuthorID == tx.actor.Visitor}
	content, err := tx.s.PostContent(ctx, tx.site.ID, p.ID)
	if err != nil {
		return nil, 0, err
	}
	page.Body = content.Body
	if page.Moves, err = tx.s.StatusChanges(ctx, tx.site.ID, p.ID, 30); err != nil {
		return nil, 0, err
	}
	if err := tx.addComments(ctx, page, part); err != nil {
		return nil, 0, err
	}
	merged, err := tx.s.MergedInto(ctx, tx.site.ID, p.ID, 50)
	if err != nil {
		return nil, 0, err
	}
	page.Merged = slices.DeleteFunc(merged, func(m feedback.FoldedPost) bool { return tx.actor.portal.Board(m.Board) == nil })
	if page.Entries, err = tx.s.PostEntries(ctx, tx.site.ID, p.ID, 10); err != nil {
		return nil, 0, err
	}
	if tx.actor.Visitor != 0 {
		if page.Muted, err = tx.s.Muted(ctx, tx.site.ID, p.ID, tx.actor.Visitor); err != nil {
			return nil, 0, err
		}
	}
	return page, 0, tx.addRun(ctx, page)
}

// addComments adds a part of the comments. Around a comment of the first page,
// that is the first page.
func (tx *Tx) addComments(ctx context.Context, page *PublicPage, part Part) (err error) {
	post := page.Post.ID
	if page.Comments, err = tx.s.PublicComments(ctx, tx.site.ID, post, part.After, MaxComments+1); err != nil {
		return err
	}
	if n := len(page.Comments); n > MaxComments && part.Around >= page.Comments[n-1].ID {
		from, err := tx.s.CommentBefore(ctx, tx.site.ID, post, part.Around, contextComments)
		if err != nil {
			return err
		}
		part.After = from - 1
		if page.Comments, err = tx.s.PublicComments(ctx, tx.site.ID, post, part.After, MaxComments+1); err != nil {
			return err
		}
	}
	page.Earlier = part.After != 0
	if len(page.Comments) > MaxComments {
		page.Comments = page.Comments[:MaxComments]
		page.More = page.Comments[MaxComments-1].ID
	}
	return nil
}

// addRun adds the newest run about the post. Labels, result and pull request are
// public; what else an agent noted may quote the team's code and is not.
func (tx *Tx) addRun(ctx context.Context, page *PublicPage) error {
	runs, err := tx.s.NewestRuns(ctx, tx.site.ID, []feedback.PostID{page.Post.ID})
	if err != nil || runs[page.Post.ID] == nil {
		return err
	}
	page.Run = runs[page.Post.ID]
	page.Steps, err = tx.s.Steps(ctx, tx.site.ID, page.Run.ID, 0, 100)
	for i := range page.Steps {
		page.Steps[i].Detail, page.Steps[i].Code, page.Steps[i].LabelMeta = nil, nil, nil
	}
	return err
}

// Lane is a column of the roadmap.
type Lane struct {
	Status feedback.Status
	Posts  []feedback.PublicPost
	More   bool // there are others
}

// laneLength is how many posts a column shows.
const laneLength = 20

// Roadmap returns the statuses that show on the roadmap, each with the posts
// that are wanted most.
func (tx *Tx) Roadmap(ctx context.Context) ([]Lane, error) {
	boards := tx.actor.portal.boardIDs(0)
	var lanes []Lane
	var all []feedback.PostID
	for _, s := range tx.actor.portal.Statuses {
		if !s.ShowOnRoadmap {
			continue
		}
		f := feedback.PublicFilter{Status: s.ID, Sort: feedback.Top}
		ids, _, err := tx.s.RankedPosts(ctx, tx.site.ID, boards, nil, f, laneLength+1)
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, Lane{Status: s, More: len(ids) > laneLength})
		all = append(all, ids[:min(len(ids), laneLength)]...)
	}
	posts, err := tx.publicPosts(ctx, all)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		if l := pick(lanes, func(l *Lane) bool { return l.Status.ID == p.StatusID }); l != nil {
			l.Posts = append(l.Posts, p)
		}
	}
	return lanes, nil
}

// VotedFor returns which of the posts the looker has voted for.
func (tx *Tx) VotedFor(ctx context.Context, posts []feedback.PostID) (map[feedback.PostID]bool, error) {
	return tx.s.Voted(ctx, tx.site.ID, tx.actor.Visitor, posts)
}

// PublicTag returns a tag of the site, or NOT_FOUND. Whether the public knows of
// it depends on whether it lists any posts: a tag may be of private boards only.
func (tx *Tx) PublicTag(ctx context.Context, tag string) (*feedback.Tag, error) {
	return find("", "tag", tag, func(id feedback.TagID) (*feedback.Tag, error) { return tx.s.Tag(ctx, tx.site.ID, id) })
}

// PublicEntry is a changelog entry with the posts it answers that are public.
type PublicEntry struct {
	feedback.Entry
	Posts []feedback.PublicPost
}

// PublicChangelog lists the published entries, newest first.
func (tx *Tx) PublicChangelog(ctx context.Context, w feedback.Window) (feedback.Page[PublicEntry], error) {
	var page feedback.Page[PublicEntry]
	if err := w.Check(); err != nil {
		return page, err
	}
	entries, err := tx.s.PublishedEntries(ctx, tx.site.ID, at(w, 0, math.MaxInt64), feedback.EntryID(at(w, 1, newest)), w.Limit+1)
	if err != nil {
		return page, err
	}
	cut := feedback.PageOf(entries, w.Limit, func(e *feedback.Entry) feedback.Position {
		return feedback.Position{e.PublishedAt.UnixMicro(), int64(e.ID)}
	})
	page.Next = cut.Next
	for _, e := range cut.Items {
		full, err := tx.publicEntry(ctx, e)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, *full)
	}
	return page, nil
}

// PublicEntry returns a published entry by its slug.
func (tx *Tx) PublicEntry(ctx context.Context, slug string) (*PublicEntry, error) {
	e, err := tx.s.PublishedEntry(ctx, tx.site.ID, slug)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, feedback.Missing("changelogEntry", slug)
	}
	return tx.publicEntry(ctx, *e)
}

func (tx *Tx) publicEntry(ctx context.Context, e feedback.Entry) (*PublicEntry, error) {
	ids, err := tx.s.EntryPosts(ctx, tx.site.ID, e.ID)
	if err != nil {
		return nil, err
	}
	posts, err := tx.publicPosts(ctx, ids)
	return &PublicEntry{Entry: e, Posts: posts}, err
}
