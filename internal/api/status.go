package api

import (
	"context"
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

func statusOperations() []operation {
	return []operation{
		writes(operation{
			id: "changePostStatus", method: http.MethodPut, path: "/v1/sites/{siteId}/posts/{postId}/status", status: http.StatusOK,
			scope: feedback.StatusesWrite, target: siteInPath, tag: "Statuses",
			summary: "Change the status of a post",
			description: "Moves the post to a status, or to none for null, and tells its voters as the status wants it. " +
				"The status it has already changes and tells nothing.",
		}, func(ctx context.Context, tx *app.Tx, c *call, b ChangePostStatusRequest, in feedback.Input) (wire.ChangePostStatusResult, error) {
			changed, err := tx.ChangePostStatus(ctx, c.path("postId"), feedback.StatusChange{
				Input: in, Status: b.StatusID, Note: b.Note,
			})
			return object(wire.ChangePostStatusResultOf, changed, err)
		}),
		lists(operation{
			id: "listStatuses", path: "/v1/sites/{siteId}/statuses", scope: feedback.StatusesRead, target: siteInPath, tag: "Statuses",
			summary:     "List statuses",
			description: "The statuses of the site by their order.",
		}, wire.StatusOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Status], error) {
			return tx.Statuses(ctx, c.window())
		}),
		writes(operation{
			id: "createStatus", method: http.MethodPost, path: "/v1/sites/{siteId}/statuses", status: http.StatusCreated,
			scope: feedback.StatusesWrite, target: siteInPath, tag: "Statuses",
			summary:     "Create a status",
			description: "Adds a status after the last.",
		}, func(ctx context.Context, tx *app.Tx, _ *call, b CreateStatusRequest, in feedback.Input) (wire.Status, error) {
			status, err := tx.CreateStatus(ctx, feedback.NewStatus{
				Input: in, Name: b.Name, Color: b.Color, DoneFlag: given(b.DoneFlag), ShowOnRoadmap: given(b.ShowOnRoadmap),
				Notify: b.NotifyMode,
			})
			return object(wire.StatusOf, status, err)
		}),
	}
}

// ChangePostStatusRequest is the body of changePostStatus.
type ChangePostStatusRequest struct {
	StatusID *feedback.Ref  `json:"statusId" null:"ok" doc:"The status to move to; null for none." example:"sts_0c8e4w1a2b3d4"`
	Note     *feedback.Note `json:"note" doc:"Told to the voters. Required when the status has the notify mode NOTIFY_WITH_NOTE." example:"It is in the next release."`
}

// CreateStatusRequest is the body of createStatus.
type CreateStatusRequest struct {
	Name          feedback.StatusName  `json:"name" example:"In review"`
	Color         *feedback.Color      `json:"color" example:"#2563eb"`
	DoneFlag      *bool                `json:"doneFlag" doc:"Posts that stand here are done."`
	ShowOnRoadmap *bool                `json:"showOnRoadmap" doc:"A column of the roadmap."`
	NotifyMode    *feedback.NotifyMode `json:"notifyMode" doc:"Whether voters are told of a move to this status."`
}
