package feedback

import "fmt"

// NotifyMode says whether a move to a status is told to the voters.
type NotifyMode string

// The modes.
const (
	Notify         NotifyMode = "NOTIFY"
	Silent         NotifyMode = "SILENT"
	NotifyWithNote NotifyMode = "NOTIFY_WITH_NOTE"
)

// Values lists the modes.
func (NotifyMode) Values() []string { return []string{"NOTIFY", "SILENT", "NOTIFY_WITH_NOTE"} }

// DefaultColor is the colour of a status that was given none.
const DefaultColor Color = "#6b7280"

// Status is a step of the workflow that a post can stand at.
type Status struct {
	ID            StatusID
	SiteID        SiteID
	Name          string
	Color         string
	Order         int
	DoneFlag      bool
	ShowOnRoadmap bool
	IsDefault     bool
	Notify        NotifyMode
}

// NewStatus is what it takes to add a status.
type NewStatus struct {
	Input
	Name          StatusName
	Color         *Color
	DoneFlag      bool
	ShowOnRoadmap bool
	Notify        *NotifyMode
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewStatus) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	checkOptional(&p, "color", in.Color)
	checkOptionalEnum(&p, "notifyMode", in.Notify)
	return p.Err()
}

// StatusChange is what it takes to move a post to a status.
type StatusChange struct {
	Input
	Status *Ref // nil: to none
	Note   *Note
}

// Check returns a VALIDATION_FAILED error that names every field at fault, or
// NOTE_REQUIRED if only the note of target is missing. target nil is none.
func (in StatusChange) Check(target *Status) error {
	p := in.problems()
	checkOptional(&p, "statusId", in.Status)
	checkOptional(&p, "note", in.Note)
	needed := target != nil && target.Notify == NotifyWithNote
	blank := in.Note == nil || Blank(string(*in.Note))
	if !needed && blank && in.Note != nil && *in.Note != "" {
		p.Add("note", RuleBlank, "must not be only white space")
	}
	if err := p.Err(); err != nil {
		return err
	}
	if needed && blank {
		return errNoteRequired(target, "note", "Send a note: the voters are told it together with the new status.")
	}
	return nil
}

// errNoteRequired is the error for a move to a status that wants a note. field
// is the member of the input that would give it one.
func errNoteRequired(target *Status, field, hint string) error {
	return &Error{
		Code:    NoteRequired,
		Msg:     fmt.Sprintf("Moving a post to %q needs a note for its voters.", target.Name),
		Hint:    hint,
		Details: map[string]any{"field": field, "statusId": target.ID.String(), "notifyMode": string(NotifyWithNote)},
	}
}

// StatusChanged is what came of a status change.
type StatusChanged struct {
	PostID      PostID
	From, To    StatusID // zero: none
	EnteredDone bool     // from a state that is not done into one that is
}

// EntersDone reports whether a move between two statuses, either of which may
// be nil for none, enters a done state.
func EntersDone(from, to *Status) bool {
	return to != nil && to.DoneFlag && (from == nil || !from.DoneFlag)
}
