package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"heed/internal/feedback"
	"heed/internal/store"
)

// StartRun records that an agent sets to work.
func (tx *Tx) StartRun(ctx context.Context, in feedback.NewRun) (*feedback.Run, error) {
	var post *feedback.Post
	if tx.site != nil {
		var err error
		if post, err = tx.findPost(ctx, in.Input, "postId", in.Post); err != nil {
			return nil, err
		}
	}
	if err := in.Check(tx.app.cfg.AgentKinds); err != nil {
		return nil, err
	}
	r := &feedback.Run{
		ID: feedback.RunID(tx.s.NextID()), SiteID: tx.site.ID, Kind: tx.app.cfg.AgentKinds.Index(in.Kind),
		Mode: or(in.Mode, feedback.Manual), Status: feedback.Queued, CIResult: feedback.NoCI, Repo: (*string)(in.Repo),
		Title: string(or(in.Title, "")), CreatedAt: tx.s.Now,
	}
	if post != nil {
		if err := post.Workable(); err != nil {
			return nil, err
		}
		// A member who starts a run offers the post by that; an agent has to
		// be offered it.
		if post.Withheld && tx.actor.Member == 0 {
			return nil, feedback.ErrWithheld(post.ID)
		}
		r.PostID = post.ID
		active, err := tx.s.ActiveRun(ctx, tx.site.ID, post.ID)
		if err != nil {
			return nil, err
		}
		if active != 0 {
			return nil, feedback.ErrRunActive(active)
		}
	}
	var err error
	if r.Number, err = tx.s.NextRunNumber(ctx, tx.site.ID); err != nil {
		return nil, err
	}
	switch {
	case r.Title != "":
	case post != nil:
		r.Title = post.Title
	default:
		r.Title = fmt.Sprintf("Run #%d", r.Number)
	}
	return r, tx.s.InsertRun(ctx, r)
}

// Run returns a run of the site.
func (tx *Tx) Run(ctx context.Context, run string) (*feedback.Run, error) {
	return find("", "run", run, func(id feedback.RunID) (*feedback.Run, error) {
		return tx.s.Run(ctx, tx.site.ID, id)
	})
}

func (tx *Tx) lockRun(ctx context.Context, run string) (*feedback.Run, error) {
	return find("", "run", run, func(id feedback.RunID) (*feedback.Run, error) {
		return tx.s.LockRun(ctx, tx.site.ID, id)
	})
}

// Runs lists the site's runs, newest first.
func (tx *Tx) Runs(ctx context.Context, w feedback.Window) (feedback.Page[feedback.Run], error) {
	var page feedback.Page[feedback.Run]
	if err := w.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Runs(ctx, tx.site.ID, feedback.RunID(at(w, 0, newest)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(all, w.Limit, func(r *feedback.Run) feedback.Position {
		return feedback.Position{int64(r.ID)}
	}), nil
}

// Steps lists the steps of a run in order.
func (tx *Tx) Steps(ctx context.Context, run string, w feedback.Window) (feedback.Page[feedback.Step], error) {
	var page feedback.Page[feedback.Step]
	r, err := tx.Run(ctx, run)
	if err != nil {
		return page, err
	}
	if err := w.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Steps(ctx, tx.site.ID, r.ID, int(at(w, 0, 0)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(all, w.Limit, func(s *feedback.Step) feedback.Position {
		return feedback.Position{int64(s.Seq)}
	}), nil
}

// AppendStep records what an agent did. The run is at work from its first step
// on, and again after a review.
func (tx *Tx) AppendStep(ctx context.Context, run string, in feedback.NewStep) (*feedback.Step, error) {
	r, err := tx.lockRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	if err := r.TakesStep(); err != nil {
		return nil, err
	}
	r.StepCount++
	r.Status = feedback.Running
	if in.CIResult != nil {
		r.CIResult = *in.CIResult
	}
	if in.PRURL != nil {
		r.PRURL = (*string)(in.PRURL)
	}
	if in.PRNumber != nil {
		r.PRNumber = in.PRNumber
	}
	if in.Repo != nil {
		r.Repo = (*string)(in.Repo)
	}
	s := &feedback.Step{
		ID: feedback.StepID(tx.s.NextID()), SiteID: tx.site.ID, RunID: r.ID, Seq: r.StepCount, Tone: in.Tone,
		Label: string(in.Label), Detail: (*string)(in.Detail), Code: (*string)(in.Code),
		LabelMeta: (*string)(in.LabelMeta), At: or(in.At, tx.s.Now),
	}
	if err := tx.s.InsertStep(ctx, s); err != nil {
		return nil, err
	}
	return s, tx.s.UpdateRun(ctx, r)
}

// CompleteRun ends an agent's work on a run. A shipped run moves its post to the
// done status and publishes the changelog entry that it was given, and the
// post's voters are told once. The outcome it has already changes nothing.
func (tx *Tx) CompleteRun(ctx context.Context, run string, in feedback.Completion) (*feedback.Run, error) {
	r, err := tx.lockRun(ctx, run)
	if err != nil {
		return nil, err
	}
	entry, err := findRef(in.Input, "changelogEntryId", "changelogEntry", in.Entry, func(id feedback.EntryID) (*feedback.Entry, error) {
		return tx.s.Entry(ctx, tx.site.ID, id)
	})
	if err != nil {
		return nil, err
	}
	done, err := tx.findStatus(ctx, in.Input, "doneStatusId", in.DoneStatus)
	if err != nil {
		return nil, err
	}
	if err := in.Check(r, done); err != nil {
		return nil, err
	}
	again, err := r.CompletesTo(in.Outcome)
	if err != nil || again {
		return r, err
	}
	r.Status, r.CompletedAt = feedback.RunStatus(in.Outcome), tx.s.Now
	if r.Status == feedback.Shipped {
		note, err := in.Note(entry, done)
		if err != nil {
			return nil, err
		}
		if err := tx.ship(ctx, r, entry, done, note); err != nil {
			return nil, err
		}
	}
	return r, tx.s.UpdateRun(ctx, r)
}

// ship does what follows from a shipped run.
func (tx *Tx) ship(ctx context.Context, r *feedback.Run, entry *feedback.Entry, done *feedback.Status, note string) error {
	if entry != nil {
		r.EntryID = entry.ID
		if err := tx.publish(ctx, entry, r.PostID); err != nil {
			return err
		}
	}
	if r.PostID == 0 {
		return nil
	}
	post, err := tx.lockSurvivor(ctx, r.PostID)
	if err != nil {
		return err
	}
	if entry != nil {
		if err := tx.s.LinkEntry(ctx, tx.site.ID, entry.ID, post.ID); err != nil {
			return err
		}
	}
	notice := feedback.Notice{Kind: feedback.NoticeShipped, PostID: post.ID, EntryID: r.EntryID, Note: note}
	if done != nil {
		if _, err := tx.moveToStatus(ctx, post, done, note); err != nil {
			return err
		}
		notice.StatusID = done.ID
		if done.Notify == feedback.Silent {
			return nil
		}
	}
	r.NotifiedCount = post.VoteCount
	return tx.notify(ctx, notice)
}

// lockSurvivor locks a post, or the one that it was merged into by now, however
// often: that is where its voters are. The posts on the way are only read, since
// their ids may be higher than the last.
func (tx *Tx) lockSurvivor(ctx context.Context, id feedback.PostID) (*feedback.Post, error) {
	for {
		p, err := tx.s.PlainPost(ctx, tx.site.ID, id)
		if err == nil && p != nil && p.MergedInto == 0 {
			p, err = tx.s.LockPost(ctx, tx.site.ID, id)
		}
		switch {
		case err != nil:
			return nil, err
		case p == nil:
			return nil, feedback.Missing("post", id.String())
		case p.MergedInto == 0:
			return p, nil
		}
		id = p.MergedInto
	}
}

// Queue lists the open requests with the most votes, the oldest first among
// equals, and after them those that shipped in the last days.
func (tx *Tx) Queue(ctx context.Context) ([]feedback.QueueItem, error) {
	posts, err := tx.openPosts(ctx)
	if err != nil {
		return nil, err
	}
	since := tx.s.Now.AddDate(0, 0, -feedback.ShippedForDays)
	shipped, err := tx.s.ShippedPosts(ctx, tx.site.ID, since, feedback.MaxQueue)
	if err != nil {
		return nil, err
	}
	for _, p := range shipped {
		if !slices.ContainsFunc(posts, func(q store.QueuePost) bool { return q.ID == p.ID }) {
			posts = append(posts, p)
		}
	}
	all := make([]feedback.PostID, len(posts))
	for i, p := range posts {
		all[i] = p.ID
	}
	runs, err := tx.s.NewestRuns(ctx, tx.site.ID, all)
	if err != nil {
		return nil, err
	}
	items := make([]feedback.QueueItem, len(posts))
	for i, p := range posts {
		items[i] = feedback.QueueItem{PostID: p.ID, Title: p.Title, Votes: p.Votes, Stage: feedback.StageOf(runs[p.ID])}
		if r := runs[p.ID]; r != nil {
			items[i].RunID = r.ID
		}
	}
	return items, nil
}

// openPosts returns the first of the queue: the best of each status that is not
// done, and of those the best. So the cost is bounded by the number of statuses,
// not by that of posts.
func (tx *Tx) openPosts(ctx context.Context) ([]store.QueuePost, error) {
	statuses, err := tx.s.Statuses(ctx, tx.site.ID, -1, 0, 1000)
	if err != nil {
		return nil, err
	}
	open := []feedback.StatusID{0}
	for _, s := range statuses {
		if !s.DoneFlag {
			open = append(open, s.ID)
		}
	}
	var posts []store.QueuePost
	for _, id := range open {
		some, err := tx.s.OpenPosts(ctx, tx.site.ID, id, feedback.MaxQueue)
		if err != nil {
			return nil, err
		}
		posts = append(posts, some...)
	}
	slices.SortFunc(posts, func(a, b store.QueuePost) int {
		return cmp.Or(cmp.Compare(b.Votes, a.Votes), cmp.Compare(a.ID, b.ID))
	})
	return posts[:min(len(posts), feedback.MaxQueue)], nil
}

// maxWithheld is how many of the withheld posts are shown.
const maxWithheld = 50

// Withheld lists the newest posts that the team withholds from agents.
func (tx *Tx) Withheld(ctx context.Context) ([]feedback.QueueItem, error) {
	posts, err := tx.s.WithheldPosts(ctx, tx.site.ID, maxWithheld)
	items := make([]feedback.QueueItem, len(posts))
	for i, p := range posts {
		items[i] = feedback.QueueItem{PostID: p.ID, Title: p.Title, Votes: p.Votes}
	}
	return items, err
}
