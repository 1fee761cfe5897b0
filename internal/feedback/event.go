package feedback

import "time"

// EventType names something that happened, for those who listen.
type EventType string

// The events.
const (
	PostCreated        EventType = "post.created"
	PostStatusChanged  EventType = "post.status_changed"
	PostMoved          EventType = "post.moved"
	PostMerged         EventType = "post.merged"
	CommentCreated     EventType = "comment.created"
	ChangelogPublished EventType = "changelog.published"
)

// Values lists the events.
func (EventType) Values() []string {
	return []string{
		"post.created", "post.status_changed", "post.moved", "post.merged", "comment.created", "changelog.published",
	}
}

// Event is one thing that happened. Payload is the exact body that receivers
// get, and never changes.
type Event struct {
	ID        MessageID
	SiteID    SiteID
	Type      EventType
	Payload   []byte
	CreatedAt time.Time
}

// NoticeKind says what a notice tells.
type NoticeKind string

// The kinds of notices.
const (
	NoticeStatus    NoticeKind = "status"    // the post moved to another status
	NoticeShipped   NoticeKind = "shipped"   // an agent's run about the post shipped
	NoticeComment   NoticeKind = "comment"   // somebody answered
	NoticeChangelog NoticeKind = "changelog" // an entry was published
	// NoticeWebhookDisabled is for the owners of the account: the service has
	// disabled a webhook endpoint. The note is the [DisabledReason].
	NoticeWebhookDisabled NoticeKind = "webhook_disabled"
)

// Notice is something the people behind a post are to be told. One row stands
// for all of them: who they are is looked up when it is worked off, so that a
// post with ten thousand voters costs its writer no more than one with none.
type Notice struct {
	ID        NoticeID
	SiteID    SiteID
	Kind      NoticeKind
	PostID    PostID
	StatusID  StatusID
	EntryID   EntryID
	CommentID CommentID
	// EndpointID is the endpoint of a [NoticeWebhookDisabled].
	EndpointID EndpointID
	Note       string
	CreatedAt  time.Time
}
