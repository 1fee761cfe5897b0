package api

import (
	"context"
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

func changelogOperations() []operation {
	return []operation{
		lists(operation{
			id: "listChangelog", path: "/v1/sites/{siteId}/changelog", scope: feedback.ChangelogRead, target: siteInPath, tag: "Changelog",
			summary:     "List changelog entries",
			description: "The changelog of the site, newest first, drafts among it.",
		}, wire.ChangelogEntryOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Entry], error) {
			return tx.Changelog(ctx, c.window())
		}),
		extension(writes(operation{
			id: "createChangelogEntry", method: http.MethodPost, path: "/v1/sites/{siteId}/changelog", status: http.StatusCreated,
			scope: feedback.ChangelogWrite, target: siteInPath,
			summary:     "Draft a changelog entry",
			description: "Adds an entry as a draft; publishing it is an operation of its own.",
		}, func(ctx context.Context, tx *app.Tx, _ *call, b CreateChangelogEntryRequest, in feedback.Input) (wire.ChangelogEntry, error) {
			entry, err := tx.CreateEntry(ctx, feedback.NewEntry{
				Input: in, Title: b.Title, Body: b.Body, Label: b.Label, Posts: b.PostIDs,
			})
			return object(wire.ChangelogEntryOf, entry, err)
		})),
		extension(writes(operation{
			id: "publishChangelogEntry", method: http.MethodPost, path: "/v1/sites/{siteId}/changelog/{entryId}/publish", status: http.StatusOK,
			scope: feedback.ChangelogWrite, target: siteInPath,
			summary:     "Publish a changelog entry",
			description: "Makes a draft public and tells those who follow it. An entry that is public already stays as it is.",
		}, func(ctx context.Context, tx *app.Tx, c *call, _ none, in feedback.Input) (wire.ChangelogEntry, error) {
			entry, err := tx.PublishEntry(ctx, c.path("entryId"), in)
			return object(wire.ChangelogEntryOf, entry, err)
		})),
	}
}

// CreateChangelogEntryRequest is the body of createChangelogEntry.
type CreateChangelogEntryRequest struct {
	Title   feedback.EntryTitle  `json:"title" example:"Dark mode is here"`
	Body    feedback.EntryBody   `json:"body" doc:"Markdown." example:"It follows your system."`
	Label   *feedback.EntryLabel `json:"label" example:"New"`
	PostIDs []feedback.Ref       `json:"postIds" doc:"The posts the entry answers." example:"post_0c8e4w1a2b3d4"`
}
