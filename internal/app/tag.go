package app

import (
	"context"
	"strings"

	"heed/internal/feedback"
)

// CreateTag adds a tag to the site.
func (tx *Tx) CreateTag(ctx context.Context, in feedback.NewTag) (*feedback.Tag, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	t := &feedback.Tag{ID: feedback.TagID(tx.s.NextID()), Name: string(in.Name), Color: string(or(in.Color, feedback.DefaultColor))}
	free, err := tx.s.InsertTag(ctx, tx.site.ID, t)
	if err == nil && !free {
		err = feedback.ErrNameTaken("tag", t.Name)
	}
	return t, err
}

// TagNamed returns the tag of the site with a name, or makes it. Names are the
// same in any case.
func (tx *Tx) TagNamed(ctx context.Context, name feedback.TagName) (*feedback.Tag, error) {
	all, err := tx.Tags(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if strings.EqualFold(all[i].Name, string(name)) {
			return &all[i], nil
		}
	}
	return tx.CreateTag(ctx, feedback.NewTag{Name: name})
}

func (tx *Tx) tag(ctx context.Context, tag string) (*feedback.Tag, error) {
	return find("", "tag", tag, func(id feedback.TagID) (*feedback.Tag, error) { return tx.s.Tag(ctx, tx.site.ID, id) })
}

// UpdateTag changes a tag.
func (tx *Tx) UpdateTag(ctx context.Context, tag string, in feedback.NewTag) (*feedback.Tag, error) {
	t, err := tx.tag(ctx, tag)
	if err != nil {
		return nil, err
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	t.Name, t.Color = string(in.Name), string(or(in.Color, feedback.DefaultColor))
	free, err := tx.s.UpdateTag(ctx, tx.site.ID, t)
	if err == nil && !free {
		err = feedback.ErrNameTaken("tag", t.Name)
	}
	return t, err
}

// RemoveTag takes a tag from all posts and removes it.
func (tx *Tx) RemoveTag(ctx context.Context, tag string) error {
	t, err := tx.tag(ctx, tag)
	if err != nil {
		return err
	}
	tx.keepName(t.Name)
	return tx.s.DeleteTag(ctx, tx.site.ID, t.ID)
}
