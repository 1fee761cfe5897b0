package feedback

import "fmt"

// Board is a place on a site for one kind of post.
type Board struct {
	ID          BoardID
	SiteID      SiteID
	Name        string
	Slug        string
	Description *string
	Private     bool // for keys and members only, never the portal
	PostCount   int  // how many posts a listing of the board holds in all
	Shown       int  // how many of them the public sees, if the board is not private
}

// NewBoard is what it takes to add a board.
type NewBoard struct {
	Input
	Name        BoardName
	Description *BoardDescription
	Private     bool
	Slug        *Slug // nil: made from the name
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewBoard) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	checkOptional(&p, "description", in.Description)
	checkOptional(&p, "slug", in.Slug)
	return p.Err()
}

// ErrSlugTaken is the error for an explicit slug that another board has.
func ErrSlugTaken(slug Slug) error {
	return &Error{
		Code:    SlugTaken,
		Msg:     fmt.Sprintf("The slug %q is already in use on this site.", slug),
		Hint:    "Choose another slug, or leave it out to have one made from the name.",
		Details: map[string]any{"field": "slug", "slug": string(slug)},
	}
}

// ErrNameTaken is the error for a name that must be unique and is not.
func ErrNameTaken(resource, name string) error {
	return &Error{
		Code:    NameTaken,
		Msg:     fmt.Sprintf("There is already a %s named %q on this site.", resource, name),
		Hint:    "Choose another name.",
		Details: map[string]any{"field": "name", "name": name},
	}
}
