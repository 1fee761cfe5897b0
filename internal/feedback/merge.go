package feedback

import "time"

// MergeReason says why a merge was refused.
type MergeReason string

// The reasons.
const (
	SamePost       MergeReason = "same_post"
	LoserMerged    MergeReason = "loser_merged"
	WinnerMerged   MergeReason = "winner_merged"
	WinnerArchived MergeReason = "winner_archived"
)

// Values lists the reasons, in the order they are looked for.
func (MergeReason) Values() []string {
	return []string{"same_post", "loser_merged", "winner_merged", "winner_archived"}
}

// MergeResult is what came of a merge.
type MergeResult struct {
	Loser, Winner PostID
	Action        ActionID    // zero: refused
	Reason        MergeReason // empty: done
}

// NewMerge is what it takes to fold a post into another.
type NewMerge struct {
	Input
	Winner Ref
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewMerge) Check() error {
	p := in.problems()
	checkText(&p, "winnerId", in.Winner)
	return p.Err()
}

// Mergeable returns nil if both posts are part of the site, and else an
// INVALID_TRANSITION error: what waits for approval is approved or rejected
// first.
func Mergeable(loser, winner *Post) error {
	for _, p := range []*Post{loser, winner} {
		if p.Held {
			return ErrHeld(p)
		}
	}
	return nil
}

// RefuseMerge returns why loser cannot be folded into winner, or "".
func RefuseMerge(loser, winner *Post) MergeReason {
	switch {
	case loser.ID == winner.ID:
		return SamePost
	case loser.MergedInto != 0:
		return LoserMerged
	case winner.MergedInto != 0:
		return WinnerMerged
	case winner.Archived:
		return WinnerArchived
	}
	return ""
}

// Action is a recorded change that can be undone.
type Action struct {
	ID        ActionID
	SiteID    SiteID
	Loser     PostID
	Winner    PostID
	CreatedAt time.Time
	UndoneAt  time.Time // zero: stands
	// What the loser was before, to be put back.
	LoserArchived bool
	LoserLocked   bool
}

// Undoable returns nil if the action may be undone while the posts are as
// given, and else an INVALID_TRANSITION error.
func (a *Action) Undoable(loser, winner *Post) error {
	var msg, hint, reason string
	switch {
	case !a.UndoneAt.IsZero():
		msg, reason = "This action has been undone already.", "already_undone"
	case loser.MergedInto != a.Winner:
		msg, reason = "The merged post has been changed since.", "superseded"
	case winner.MergedInto != 0:
		msg, reason = "The surviving post has itself been merged.", "winner_merged"
		hint = "Undo that merge first."
	default:
		return nil
	}
	return &Error{
		Code: InvalidTransition, Msg: msg, Hint: hint,
		Details: map[string]any{"actionId": a.ID.String(), "reason": reason},
	}
}
