package api

import (
	"context"
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

func siteOperations() []operation {
	return []operation{
		lists(operation{
			id: "listSites", path: "/v1/sites", scope: feedback.SitesRead, target: noSite, tag: "Sites",
			summary:     "List sites",
			description: "The sites of the account by creation. A key that is restricted to one site sees that one.",
		}, wire.SiteOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Site], error) {
			return tx.Sites(ctx, c.window())
		}),
		reads(operation{
			id: "getSite", path: "/v1/sites/{siteId}", scope: feedback.SitesRead, target: siteInPath, tag: "Sites",
			summary: "Get a site",
		}, func(_ context.Context, tx *app.Tx, _ *call) (wire.Site, error) {
			return wire.SiteOf(tx.Site()), nil
		}),
		lists(operation{
			id: "listBoards", path: "/v1/sites/{siteId}/boards", scope: feedback.BoardsRead, target: siteInPath, tag: "Boards",
			summary:     "List boards",
			description: "The boards of the site by creation, private ones among them.",
		}, wire.BoardOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Board], error) {
			return tx.Boards(ctx, c.window())
		}),
		writes(operation{
			id: "createBoard", method: http.MethodPost, path: "/v1/sites/{siteId}/boards", status: http.StatusCreated,
			scope: feedback.BoardsWrite, target: siteInPath, tag: "Boards",
			summary: "Create a board",
		}, func(ctx context.Context, tx *app.Tx, _ *call, b CreateBoardRequest, in feedback.Input) (wire.Board, error) {
			board, err := tx.CreateBoard(ctx, feedback.NewBoard{
				Input: in, Name: b.Name, Description: b.Description, Private: given(b.Private), Slug: b.Slug,
			})
			return object(wire.BoardOf, board, err)
		}),
	}
}

// CreateBoardRequest is the body of createBoard.
type CreateBoardRequest struct {
	Name        feedback.BoardName         `json:"name" example:"Integrations"`
	Description *feedback.BoardDescription `json:"description" example:"What should work together with what?"`
	Private     *bool                      `json:"private" doc:"Hidden from the public portal."`
	Slug        *feedback.Slug             `json:"slug" doc:"Made from the name when left out." example:"integrations"`
}

// object makes the public object of a noun, unless there was an error.
func object[N, T any](of func(*N) T, noun *N, err error) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return of(noun), nil
}

// given returns an optional flag, false where it is absent.
func given(b *bool) bool { return b != nil && *b }
