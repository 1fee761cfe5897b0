package api

import (
	"context"
	"net/http"
	"reflect"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/wire"
)

// operation is one row of the table of contents: all there is to know of a
// route, for serving and for describing it.
type operation struct {
	id, method, path string
	scope            feedback.Scope
	status           int
	tag              string
	summary          string
	description      string

	query  []param      // in documented order
	body   reflect.Type // nil: no body
	result reflect.Type // nil: no content
	secret bool         // the result holds something that is shown once

	// target says which site a request is about.
	target func(*call) app.Target
	// perform runs the operation.
	perform func(context.Context, *call) (app.Response, error)
}

func (op *operation) writes() bool { return op.method != http.MethodGet }

// needsBody reports whether a request makes no sense without a body: one with
// members that must be there, or one that says what to change.
func (op *operation) needsBody() bool {
	if op.body == nil || op.method == http.MethodPatch {
		return op.body != nil
	}
	for i := range op.body.NumField() {
		if !optional(op.body.Field(i)) {
			return true
		}
	}
	return false
}

// param is a parameter of the query.
type param struct {
	name     string
	typ      reflect.Type
	required bool
	doc      string
}

var (
	limitParam  = param{name: "limit", typ: reflect.TypeFor[int](), doc: "How many items a page holds at most."}
	cursorParam = param{name: "cursor", typ: reflect.TypeFor[feedback.Ref](), doc: "Opaque cursor from a prior response."}
)

// siteInPath is the target of operations under /v1/sites/{siteId}.
func siteInPath(c *call) app.Target { return app.Target{Site: c.path("siteId")} }

func noSite(*call) app.Target { return app.Target{} }

func runInPath(c *call) app.Target { return app.Target{Run: c.path("runId")} }

func siteInQuery(c *call) app.Target { return app.Target{Site: c.query.Get("siteId"), Field: "siteId"} }

// reads makes an operation that reads one object.
func reads[R any](op operation, fn func(context.Context, *app.Tx, *call) (R, error)) operation {
	op.method, op.status, op.result = http.MethodGet, http.StatusOK, reflect.TypeFor[R]()
	op.perform = func(ctx context.Context, c *call) (res app.Response, err error) {
		err = c.api.cfg.App.Read(ctx, c.actor, op.target(c), func(tx *app.Tx) error {
			v, err := fn(ctx, tx, c)
			if err != nil {
				return err
			}
			res, err = app.JSON(op.status, v)
			return err
		})
		return res, err
	}
	return op
}

// lists makes an operation that reads a page of a list.
func lists[N, T any](op operation, object func(*N) T, fn func(context.Context, *app.Tx, *call) (feedback.Page[N], error)) operation {
	op.query = append(op.query, limitParam, cursorParam)
	return reads(op, func(ctx context.Context, tx *app.Tx, c *call) (wire.List[T], error) {
		page, err := fn(ctx, tx, c)
		if err != nil {
			return wire.List[T]{}, err
		}
		return wire.ListOf(page.Items, object, c.api.cursors.issue(c, page.Next)), nil
	})
}

// writes makes an operation that changes something, with a body.
func writes[B, R any](op operation, fn func(context.Context, *app.Tx, *call, B, feedback.Input) (R, error)) operation {
	op.body, op.result = reflect.TypeFor[B](), reflect.TypeFor[R]()
	op.perform = func(ctx context.Context, c *call) (app.Response, error) {
		var body B
		in := feedback.Input{Malformed: decode(c.body, &body)}
		c.decoded = &body
		return c.api.cfg.App.Write(ctx, c.actor, op.target(c), c.once, func(tx *app.Tx) (app.Response, error) {
			v, err := fn(ctx, tx, c, body, in)
			if err != nil {
				return app.Response{}, err
			}
			res, err := app.JSON(op.status, v)
			res.Secret = op.secret
			return res, err
		})
	}
	return op
}

// deletes makes an operation that removes something and answers with nothing.
func deletes(op operation, fn func(context.Context, *app.Tx, *call, feedback.Input) error) operation {
	op.method, op.status = http.MethodDelete, http.StatusNoContent
	op.perform = func(ctx context.Context, c *call) (app.Response, error) {
		in := feedback.Input{Malformed: decode(c.body, &none{})}
		return c.api.cfg.App.Write(ctx, c.actor, op.target(c), c.once, func(tx *app.Tx) (app.Response, error) {
			// Empty, not nil: an answer is kept as it was sent.
			return app.Response{Status: op.status, Body: []byte{}}, fn(ctx, tx, c, in)
		})
	}
	return op
}

// none is the body of an operation that needs no input.
type none struct{}
