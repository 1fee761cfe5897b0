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
