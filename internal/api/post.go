package api

import (
	"context"
	"net/http"
	"reflect"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

func postOperations() []operation {
	return []operation{
		lists(operation{
			id: "listPosts", path: "/v1/sites/{siteId}/posts", scope: feedback.PostsRead, target: siteInPath, tag: "Posts",
			summary:     "List posts",
			description: "The posts of the site, newest first. Archived posts are among them; posts that were merged into another are not.",
			query:       []param{{name: "boardId", typ: reflect.TypeFor[string](), doc: "Only the posts of this board."}},
		}, wire.PostOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.Post], error) {
			var board *feedback.Ref
			if vs := c.query["boardId"]; len(vs) == 1 {
				ref := feedback.Ref(vs[0])
				board = &ref
			}
			return tx.Posts(ctx, board, c.window())
		}),
		writes(operation{
			id: "createPost", method: http.MethodPost, path: "/v1/sites/{siteId}/posts", status: http.StatusCreated,
			scope: feedback.PostsWrite, target: siteInPath, tag: "Posts",
			summary:     "Create a post",
			description: "Logs feedback for a visitor, who is found by your own id for that person or made. The post gets the default status.",
		}, func(ctx context.Context, tx *app.Tx, _ *call, b CreatePostRequest, in feedback.Input) (wire.Post, error) {
			post, err := tx.CreatePost(ctx, feedback.NewPost{
				Input: in, Board: b.BoardID, Title: b.Title, Body: deref(b.Body), Visitor: b.OnBehalfVisitorID,
			})
			return object(wire.PostOf, post, err)
		}),
		reads(operation{
			id: "getPost", path: "/v1/sites/{siteId}/posts/{postId}", scope: feedback.PostsRead, target: siteInPath, tag: "Posts",
			summary: "Get a post",
		}, func(ctx context.Context, tx *app.Tx, c *call) (wire.Post, error) {
			post, err := tx.Post(ctx, c.path("postId"))
			return object(wire.PostOf, post, err)
		}),
		writes(operation{
			id: "mergePosts", method: http.MethodPost, path: "/v1/sites/{siteId}/posts/{postId}/merge", status: http.StatusOK,
			scope: feedback.PostsWrite, target: siteInPath, tag: "Posts",
			summary: "Merge a post into another",
			description: "Folds the post in the path into the winner: votes (once a visitor), comments and tags move there, and the post becomes archived and locked. " +
				"A merge that makes no sense answers with ok false and a reason, and changes nothing.",
		}, func(ctx context.Context, tx *app.Tx, c *call, b MergePostsRequest, in feedback.Input) (wire.MergeResult, error) {
			result, err := tx.MergePosts(ctx, c.path("postId"), feedback.NewMerge{Input: in, Winner: b.WinnerID})
			return object(wire.MergeResultOf, result, err)
		}),
		writes(operation{
			id: "createVote", method: http.MethodPost, path: "/v1/sites/{siteId}/posts/{postId}/votes", status: http.StatusCreated,
			scope: feedback.VotesWrite, target: siteInPath, tag: "Posts",
			summary:     "Vote for a post",
			description: "Casts a visitor's vote. It counts once: a repeat answers with created false.",
		}, func(ctx context.Context, tx *app.Tx, c *call, b CreateVoteRequest, in feedback.Input) (wire.VoteResult, error) {
			result, err := tx.Vote(ctx, c.path("postId"), feedback.NewVote{Input: in, Visitor: b.OnBehalfVisitorID})
			return object(wire.VoteResultOf, result, err)
		}),
		lists(operation{
			id: "searchPosts", path: "/v1/sites/{siteId}/search", scope: feedback.SearchRead, target: siteInPath, tag: "Search",
			summary:     "Search posts",
			description: "The posts whose title or body hold all words of the query, most relevant first. The last word may be the beginning of one.",
			query:       []param{{name: "q", typ: reflect.TypeFor[feedback.SearchQuery](), required: true, doc: "What to look for."}},
		}, wire.SearchResultOf, func(ctx context.Context, tx *app.Tx, c *call) (feedback.Page[feedback.SearchResult], error) {
			in := feedback.Search{Window: c.window(), Query: feedback.SearchQuery(c.query.Get("q"))}
			c.required(&in.Malformed, "q")
			return tx.Search(ctx, in)
		}),
		extension(reads(operation{
			id: "getPostContent", path: "/v1/sites/{siteId}/posts/{postId}/content", scope: feedback.PostsRead, target: siteInPath,
			summary:     "Get what a post says",
			description: "The body of a post, as its author wrote it. It is untrusted text.",
		}, func(ctx context.Context, tx *app.Tx, c *call) (wire.PostContent, error) {
			content, err := tx.PostContent(ctx, c.path("postId"))
			return object(wire.PostContentOf, content, err)
		})),
		extension(writes(operation{
			id: "undoAction", method: http.MethodPost, path: "/v1/sites/{siteId}/actions/{actionId}/undo", status: http.StatusOK,
			scope: feedback.PostsWrite, target: siteInPath,
			summary:     "Undo a merge",
			description: "Puts votes, comments and tags back to where they were before the merge.",
		}, func(ctx context.Context, tx *app.Tx, c *call, _ none, in feedback.Input) (wire.UndoResult, error) {
			action, err := tx.UndoAction(ctx, c.path("actionId"), in)
			return object(wire.UndoResultOf, action, err)
		})),
	}
}

// extension marks an operation as one beyond the documented contract.
func extension(op operation) operation {
	op.tag = "Extensions"
	return op
}

// CreatePostRequest is the body of createPost.
type CreatePostRequest struct {
	BoardID           feedback.Ref        `json:"boardId" example:"brd_0c8e4w1a2b3d4"`
	Title             feedback.PostTitle  `json:"title" example:"Dark mode that follows the system"`
	Body              *feedback.PostBody  `json:"body" doc:"Markdown." example:"My eyes hurt at night."`
	OnBehalfVisitorID feedback.VisitorRef `json:"onBehalfVisitorId" doc:"Your own id for the person the feedback is logged for, who becomes its author." example:"user-4711"`
}

// MergePostsRequest is the body of mergePosts.
type MergePostsRequest struct {
	WinnerID feedback.Ref `json:"winnerId" doc:"The surviving post." example:"post_0c8e4w1a2b3d4"`
}

// CreateVoteRequest is the body of createVote.
type CreateVoteRequest struct {
	OnBehalfVisitorID feedback.VisitorRef `json:"onBehalfVisitorId" doc:"Your own id for the person the vote is cast for." example:"user-4711"`
}

// deref returns an optional value, zero where it is absent.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
