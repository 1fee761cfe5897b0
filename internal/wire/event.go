package wire

import "heed/internal/feedback"

// Event is the body of a webhook delivery: exactly a type and its data.
type Event[D any] struct {
	Type feedback.EventType `json:"type"`
	Data D                  `json:"data"`
}

// PostCreated is the data of post.created.
type PostCreated struct {
	SiteID     feedback.SiteID `json:"siteId"`
	OccurredAt Time            `json:"occurredAt"`
	Post       Post            `json:"post"`
	VisitorID  string          `json:"visitorId" doc:"The caller's own id of the author."`
	Source     feedback.Source `json:"source"`
}

// PostStatusChanged is the data of post.status_changed.
type PostStatusChanged struct {
	SiteID           feedback.SiteID    `json:"siteId"`
	OccurredAt       Time               `json:"occurredAt"`
	Post             Post               `json:"post"`
	FromStatusID     *feedback.StatusID `json:"fromStatusId"`
	ToStatusID       *feedback.StatusID `json:"toStatusId"`
	EnteredDoneState bool               `json:"enteredDoneState"`
	Note             *string            `json:"note"`
}

// PostMoved is the data of post.moved.
type PostMoved struct {
	SiteID      feedback.SiteID  `json:"siteId"`
	OccurredAt  Time             `json:"occurredAt"`
	Post        Post             `json:"post"`
	FromBoardID feedback.BoardID `json:"fromBoardId"`
	ToBoardID   feedback.BoardID `json:"toBoardId"`
}

// PostMerged is the data of post.merged.
type PostMerged struct {
	SiteID     feedback.SiteID   `json:"siteId"`
	OccurredAt Time              `json:"occurredAt"`
	LoserID    feedback.PostID   `json:"loserId"`
	WinnerID   feedback.PostID   `json:"winnerId"`
	ActionID   feedback.ActionID `json:"actionId"`
	Post       Post              `json:"post" doc:"The surviving post after the merge."`
}

// CommentCreated is the data of comment.created.
type CommentCreated struct {
	SiteID     feedback.SiteID `json:"siteId"`
	OccurredAt Time            `json:"occurredAt"`
	Comment    Comment         `json:"comment"`
	PostID     feedback.PostID `json:"postId"`
	PostTitle  string          `json:"postTitle"`
}

// ChangelogPublished is the data of changelog.published.
type ChangelogPublished struct {
	SiteID     feedback.SiteID `json:"siteId"`
	OccurredAt Time            `json:"occurredAt"`
	Entry      ChangelogEntry  `json:"entry"`
}
