package app

import (
	"context"
	"fmt"

	"heed/internal/feedback"
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
			return tx.s.PlainPost(ctx, tx.site.ID, id)
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
	e.Status, e.PublishedAt = feedback.Published, tx.s.Now
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
