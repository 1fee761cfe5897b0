package wire

import (
	"time"

	"heed/internal/feedback"
)

// Sample is an event as a receiver may get it: for the documentation, and for
// trying out an endpoint.
type Sample struct {
	Type  feedback.EventType
	When  string // what sends it, in words
	Event any    // an Event
}

// Samples returns one of each event, in documented order, as if they had
// happened on a site at a time. What is in them is made up; the types are those
// that are sent.
func Samples(site feedback.SiteID, now time.Time) []Sample {
	const id = 0x06A1_7C59_8021_6000
	at := At(now)
	planned, done := "Planned", "Done"
	post := Post{
		ID: feedback.PostID(id + 1), SiteID: site, BoardID: feedback.BoardID(id + 2), BoardName: "Feature requests",
		Title: "Dark mode that follows the system", StatusName: &planned, VoteCount: 42,
		Tags: []Tag{{ID: feedback.TagID(id + 3), Name: "mobile", Color: "#2563eb"}}, CreatedAt: at,
	}
	shipped := post
	shipped.StatusName = &done
	from, to := feedback.StatusID(id+4), feedback.StatusID(id+5)
	note := "It ships with version 4.2 today."
	label := "New"
	return []Sample{
		sample(feedback.PostCreated, "A post is created through the API, the portal or the dashboard. A post that waits for a moderator is announced when it is approved; imported posts only if the import asks for it.",
			PostCreated{SiteID: site, OccurredAt: at, Post: post, VisitorID: "user-4711", Source: feedback.FromAPI}),
		sample(feedback.PostStatusChanged, "A post moves to another status, or to none: by a person, through the API, by a completed agent run, or because its status was removed. Setting the status it has sends nothing.",
			PostStatusChanged{SiteID: site, OccurredAt: at, Post: shipped, FromStatusID: &from, ToStatusID: &to, EnteredDoneState: true, Note: &note}),
		sample(feedback.PostMoved, "A post moves to another board. Renaming a board sends nothing.",
			PostMoved{SiteID: site, OccurredAt: at, Post: post, FromBoardID: feedback.BoardID(id + 6), ToBoardID: post.BoardID}),
		sample(feedback.PostMerged, "A post is folded into another. A refused merge sends nothing, and neither does undoing one.",
			PostMerged{SiteID: site, OccurredAt: at, LoserID: feedback.PostID(id + 7), WinnerID: post.ID, ActionID: feedback.ActionID(id + 8), Post: post}),
		sample(feedback.CommentCreated, "Somebody comments in public. Internal comments and edits send nothing.",
			CommentCreated{SiteID: site, OccurredAt: at, PostID: post.ID, PostTitle: post.Title, Comment: Comment{
				ID: feedback.CommentID(id + 9), PostID: post.ID, Body: "Thank you, we are looking into it.",
				AuthorType: feedback.ByMember, CreatedAt: at,
			}}),
		sample(feedback.ChangelogPublished, "A draft of the changelog is published, by a person, at the time set for it, or by an agent run that ships. Edits send nothing.",
			ChangelogPublished{SiteID: site, OccurredAt: at, Entry: ChangelogEntry{
				ID: feedback.EntryID(id + 10), Title: "Dark mode is here", Slug: "dark-mode-is-here", Body: "It follows your system.",
				Label: &label, Status: feedback.Published, PublishedAt: &at, CreatedAt: at,
			}}),
	}
}

func sample[D any](t feedback.EventType, when string, data D) Sample {
	return Sample{t, when, Event[D]{Type: t, Data: data}}
}
