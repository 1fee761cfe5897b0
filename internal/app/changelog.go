package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heed/internal/feedback"
	"heed/internal/store"
	"heed/internal/wire"
)

// Changelog lists the site's changelog entries, drafts among them, newest first.
func (tx *Tx) Changelog(ctx context.Context, w feedback.Window) (feedback.Page[feedback.Entry], error) {
	var page feedback.Page[feedback.Entry]
	if err := w.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Entries(ctx, tx.site.ID, feedback.EntryID(at(w, 0, newest)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(all, w.Limit, func(e *feedback.Entry) feedback.Position {
		return feedback.Position{int64(e.ID)}
	}), nil
}

// CreateEntry drafts a changelog entry.
func (tx *Tx) CreateEntry(ctx context.Context, in feedback.NewEntry) (*feedback.Entry, error) {
	posts := make([]feedback.PostID, 0, len(in.Posts))
	for i := range in.Posts[:min(len(in.Posts), feedback.MaxEntryPosts)] {
		// Not locked: two entries that name the same posts in another order
		// would wait for each other.
		p, err := findRef(in.Input, fmt.Sprintf("postIds.%d", i), "post", &in.Posts[i], func(id feedback.PostID) (*feedback.Post, error) {
			return tx.seen(tx.s.PlainPost(ctx, tx.site.ID, id))
		})
		if err != nil {
			return nil, err
		}
		if p != nil {
			posts = append(posts, p.ID)
		}
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	e := &feedback.Entry{
		ID: feedback.EntryID(tx.s.NextID()), SiteID: tx.site.ID, Title: string(in.Title), Body: string(in.Body),
		Label: (*string)(in.Label), Status: feedback.Draft, CreatedAt: tx.s.Now,
	}
	err := numbered(feedback.Slugify(e.Title, "entry"), func(slug feedback.Slug) (bool, error) {
		e.Slug = string(slug)
		return tx.s.InsertEntry(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		if err := tx.s.LinkEntry(ctx, tx.site.ID, e.ID, p); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// PublishEntry makes a draft public and has those who follow it told. An entry
// that is public already stays as it is.
func (tx *Tx) PublishEntry(ctx context.Context, entry string, in feedback.Input) (*feedback.Entry, error) {
	e, err := find("", "changelogEntry", entry, func(id feedback.EntryID) (*feedback.Entry, error) {
		return tx.s.Entry(ctx, tx.site.ID, id)
	})
	if err != nil {
		return nil, err
	}
	if err := in.Malformed.Err(); err != nil {
		return nil, err
	}
	return e, tx.publish(ctx, e, 0)
}

// publish makes a draft public. told is a post whose voters learn of it in
// another way.
func (tx *Tx) publish(ctx context.Context, e *feedback.Entry, told feedback.PostID) error {
	if e.Status == feedback.Published {
		return nil
	}
	e.Status, e.PublishedAt, e.PublishAt = feedback.Published, tx.s.Now, time.Time{}
	if err := tx.s.PublishEntry(ctx, tx.site.ID, e.ID); err != nil {
		return err
	}
	if err := tx.notify(ctx, feedback.Notice{Kind: feedback.NoticeChangelog, EntryID: e.ID, PostID: told}); err != nil {
		return err
	}
	return emit(ctx, tx, feedback.ChangelogPublished, wire.ChangelogPublished{
		SiteID: tx.site.ID, OccurredAt: wire.At(tx.s.Now), Entry: wire.ChangelogEntryOf(e),
	})
}

// Entry returns a changelog entry of the site and the posts it answers.
func (tx *Tx) Entry(ctx context.Context, entry string) (*feedback.Entry, []feedback.Post, error) {
	e, err := tx.entry(ctx, entry)
	if err != nil {
		return nil, nil, err
	}
	linked, err := tx.s.EntryPosts(ctx, tx.site.ID, e.ID)
	if err != nil {
		return nil, nil, err
	}
	posts, err := tx.s.PostsByID(ctx, tx.site.ID, linked)
	return e, posts, err
}

func (tx *Tx) entry(ctx context.Context, entry string) (*feedback.Entry, error) {
	return find("", "changelogEntry", entry, func(id feedback.EntryID) (*feedback.Entry, error) {
		return tx.s.Entry(ctx, tx.site.ID, id)
	})
}

// UpdateEntry rewords an entry and sets which posts it answers. Nobody is told
// again.
func (tx *Tx) UpdateEntry(ctx context.Context, entry string, in feedback.NewEntry) (*feedback.Entry, error) {
	e, err := tx.entry(ctx, entry)
	if err != nil {
		return nil, err
	}
	var posts []feedback.PostID
	for i := range in.Posts[:min(len(in.Posts), feedback.MaxEntryPosts)] {
		p, err := tx.findPost(ctx, in.Input, fmt.Sprintf("postIds.%d", i), &in.Posts[i])
		if err != nil {
			return nil, err
		}
		if p != nil {
			posts = append(posts, p.ID)
		}
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	e.Title, e.Body, e.Label = string(in.Title), string(in.Body), (*string)(in.Label)
	if err := tx.s.UpdateEntry(ctx, e); err != nil {
		return nil, err
	}
	before, err := tx.s.EntryPosts(ctx, tx.site.ID, e.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range before {
		if !slices.Contains(posts, p) {
			if err := tx.s.UnlinkEntry(ctx, tx.site.ID, e.ID, p); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range posts {
		if err := tx.s.LinkEntry(ctx, tx.site.ID, e.ID, p); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// UnpublishEntry makes an entry a draft again. What was told stays told;
// publishing it again tells it again.
func (tx *Tx) UnpublishEntry(ctx context.Context, entry string) (*feedback.Entry, error) {
	e, err := tx.entry(ctx, entry)
	if err != nil || e.Status == feedback.Draft {
		return e, err
	}
	e.Status, e.PublishedAt = feedback.Draft, time.Time{}
	return e, tx.s.UnpublishEntry(ctx, tx.site.ID, e.ID)
}

// ScheduleEntry has a draft published by itself at a time; another time replaces
// the first.
func (tx *Tx) ScheduleEntry(ctx context.Context, entry string, in feedback.Schedule) (*feedback.Entry, error) {
	e, err := tx.entry(ctx, entry)
	if err != nil {
		return nil, err
	}
	if err := in.Check(tx.s.Now); err != nil {
		return nil, err
	}
	if err := e.Schedulable(); err != nil {
		return nil, err
	}
	e.PublishAt = in.At.UTC().Truncate(time.Microsecond)
	return e, tx.s.ScheduleEntry(ctx, tx.site.ID, e.ID, e.PublishAt)
}

// UnscheduleEntry has a draft wait until somebody publishes it. One that was not
// scheduled, or is published by now, stays as it is.
func (tx *Tx) UnscheduleEntry(ctx context.Context, entry string) (*feedback.Entry, error) {
	e, err := tx.entry(ctx, entry)
	if err != nil || e.PublishAt.IsZero() {
		return e, err
	}
	e.PublishAt = time.Time{}
	return e, tx.s.ScheduleEntry(ctx, tx.site.ID, e.ID, e.PublishAt)
}

// PublishNext publishes the scheduled draft whose time came first, of any site,
// with its event, its notice and its line in the record, in one transaction.
// Whoever takes it first publishes it. more is false when none is due.
func (a *App) PublishNext(ctx context.Context) (more bool, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		more = false
		e, err := s.DueEntry(ctx)
		if err != nil || e == nil {
			return err
		}
		more = true
		home, err := s.PortalSiteByID(ctx, e.SiteID)
		if err != nil {
			return err
		}
		tx := &Tx{s: s, app: a, actor: &Actor{Source: feedback.FromDashboard, Account: &home.Account, Name: "Heed"}, site: &home.Site}
		if err := tx.publish(ctx, e, 0); err != nil {
			return err
		}
		return tx.audit(ctx, "changelog.published", e.ID.String())
	})
	return more, err
}
