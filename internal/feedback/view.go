package feedback

import "fmt"

// PostFilter asks for some of a site's posts. The zero filter asks for all that
// are not archived, newest first.
type PostFilter struct {
	Board    *Ref
	Status   *Ref
	Tag      *Ref
	Archived bool        // those in the archive instead
	Days     int         // created in the last so many days; 0: ever
	ByVotes  bool        // most votes first, where all are current and no tag is asked for
	Query    SearchQuery // that hold these words, the best first; searches find current posts
}

// MaxFilterDays is how far back a filter can look.
const MaxFilterDays = 3650

// Sorted reports whether the filter lists by votes, which only some can.
func (f PostFilter) Sorted() bool {
	return f.ByVotes && f.Tag == nil && !f.Archived && f.Query == ""
}

// View is a way of looking at the posts of a site that has a name.
type View struct {
	ID     ViewID
	SiteID SiteID
	Member MemberID // whose it is; zero: the team's
	Name   string
	Filter PostFilter
}

// MaxViews is how many views a site's team, and each of its members, may have.
const MaxViews = 30

// NewView is what it takes to save a view.
type NewView struct {
	Input
	Name   ViewName
	Shared bool // with the team
	Filter PostFilter
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewView) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	checkViewFilter(&p, in.Filter)
	return p.Err()
}

func checkViewFilter(p *Problems, f PostFilter) {
	if f.Days < 0 || f.Days > MaxFilterDays {
		p.Add("days", RuleMaximum, fmt.Sprintf("must be from 0 to %d", MaxFilterDays))
	}
	if f.Query != "" {
		checkText(p, "q", f.Query)
		if n := len(f.Query); n > maxViewQuery {
			p.Add("q", RuleMaxLength, fmt.Sprintf("must have at most %d bytes in a view, and has %d", maxViewQuery, n))
		}
	}
}

// maxViewQuery bounds the words a view keeps.
const maxViewQuery = 500

// ErrTooManyViews is the error for one view more than there may be.
func ErrTooManyViews() error {
	return &Error{
		Code: LimitReached, Msg: fmt.Sprintf("There are %d views already.", MaxViews), Hint: "Delete one that nobody uses first.",
		Details: map[string]any{"limit": MaxViews},
	}
}

// ViewEdit is what it takes to rename a view.
type ViewEdit struct {
	Input
	Name ViewName
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in ViewEdit) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	return p.Err()
}

// ViewChange is what it takes to have a view show something else.
type ViewChange struct {
	Input
	Filter PostFilter
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in ViewChange) Check() error {
	p := in.problems()
	checkViewFilter(&p, in.Filter)
	return p.Err()
}
