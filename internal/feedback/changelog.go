package feedback

import (
	"fmt"
	"time"
)

// EntryStatus says whether a changelog entry is public.
type EntryStatus string

// The states of an entry.
const (
	Draft     EntryStatus = "draft"
	Published EntryStatus = "published"
)

// Values lists the states.
func (EntryStatus) Values() []string { return []string{"draft", "published"} }

// Entry is a changelog entry.
type Entry struct {
	ID          EntryID
	SiteID      SiteID
	Title       string
	Slug        string
	Body        string
	Label       *string
	Status      EntryStatus
	PublishedAt time.Time // zero: a draft
	PublishAt   time.Time // of a draft that will be published by itself; zero: it will not
	CreatedAt   time.Time
}

// MaxEntryPosts is how many posts one entry may answer.
const MaxEntryPosts = 100

// NewEntry is what it takes to draft a changelog entry.
type NewEntry struct {
	Input
	Title EntryTitle
	Body  EntryBody
	Label *EntryLabel
	Posts []Ref // the posts the entry answers
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewEntry) Check() error {
	p := in.problems()
	checkText(&p, "title", in.Title)
	checkText(&p, "body", in.Body)
	checkOptional(&p, "label", in.Label)
	if len(in.Posts) > MaxEntryPosts {
		p.Add("postIds", RuleMaxItems, fmt.Sprintf("must have at most %d items, and has %d", MaxEntryPosts, len(in.Posts)))
	}
	for i, ref := range in.Posts {
		checkText(&p, fmt.Sprintf("postIds.%d", i), ref)
	}
	return p.Err()
}

// Schedule is what it takes to have a draft published by itself.
type Schedule struct {
	Input
	At time.Time
}

// MaxSchedule is how far ahead an entry can be scheduled.
const MaxSchedule = 365 * 24 * time.Hour

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in Schedule) Check(now time.Time) error {
	p := in.problems()
	switch {
	case p.Has("publishAt"):
	case in.At.IsZero():
		p.Add("publishAt", RuleRequired, "must be a date and a time")
	case !in.At.After(now):
		p.Add("publishAt", RuleFuture, "must be in the future; to publish it now, press Publish")
	case in.At.Sub(now) > MaxSchedule:
		p.Add("publishAt", RuleFuture, "must be at most a year ahead")
	}
	return p.Err()
}

// Schedulable returns nil if the entry can be scheduled, and else an
// INVALID_TRANSITION error.
func (e *Entry) Schedulable() error {
	if e.Status == Draft {
		return nil
	}
	return &Error{
		Code: InvalidTransition, Msg: "The entry is published already.", Hint: "Unpublish it first.",
		Details: map[string]any{"entryId": e.ID.String(), "from": string(e.Status)},
	}
}
