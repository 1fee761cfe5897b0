package api

import (
	"context"
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

func commentOperations() []operation {
	return []operation{
		lists(operation{
			id: "listComments", path: "/v1/sites/{siteId}/posts/{postId}/comments", scope: feedback.CommentsRead, target: siteInPath, tag: "Comments",
			summary:     "List comments",
			description: "The comments on the post, oldest first, internal ones among them.",
		}, wire.CommentOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Comment], error) {
			return tx.Comments(ctx, c.path("postId"), c.window())
		}),
		writes(operation{
			id: "createComment", method: http.MethodPost, path: "/v1/sites/{siteId}/posts/{postId}/comments", status: http.StatusCreated,
			scope: feedback.CommentsWrite, target: siteInPath, tag: "Comments",
			summary:     "Comment on a post",
			description: "Adds a comment of the team.",
		}, func(ctx context.Context, tx *app.Tx, c *call, b CreateCommentRequest, in feedback.Input) (wire.Comment, error) {
			comment, err := tx.CreateComment(ctx, c.path("postId"), feedback.NewComment{
				Input: in, Body: b.Body, Parent: b.ParentID, Internal: given(b.Internal),
			})
			return object(wire.CommentOf, comment, err)
		}),
	}
}

// CreateCommentRequest is the body of createComment.
type CreateCommentRequest struct {
	Body     feedback.CommentBody `json:"body" doc:"Markdown." example:"Thank you, we are looking into it."`
	ParentID *feedback.Ref        `json:"parentId" doc:"The comment this one replies to, on the same post." example:"cmt_0c8e4w1a2b3d4"`
	Internal *bool                `json:"internal" doc:"For the team only; hidden from the public portal."`
}
