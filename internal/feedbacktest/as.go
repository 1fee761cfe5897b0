package feedbacktest

import (
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
)

// As performs operations on a site for a test.
type As struct {
	T     testing.TB
	App   *app.App
	Actor *app.Actor
	Site  feedback.SiteID
}

// ByKey returns an As with the key of an account, on its first site.
func ByKey(t testing.TB, a *app.App, o *app.Opened) *As {
	return &As{t, a, &app.Actor{Source: feedback.FromAPI, Account: &o.Account, Key: &o.Key}, o.Site.ID}
}

// Try runs fn in a transaction and returns its error.
func (as *As) Try(fn func(*app.Tx) error) error {
	as.T.Helper()
	_, err := as.App.Write(as.T.Context(), as.Actor, app.Target{Site: as.Site.String()}, app.Once{},
		func(tx *app.Tx) (app.Response, error) { return app.Response{}, fn(tx) })
	return err
}

// Do is Try for what must succeed.
func (as *As) Do(fn func(*app.Tx) error) {
	as.T.Helper()
	if err := as.Try(fn); err != nil {
		as.T.Fatal(err)
	}
}

// Post creates a post on the first board and returns its id.
func (as *As) Post(title string) (id string) {
	as.T.Helper()
	as.Do(func(tx *app.Tx) error {
		boards, err := tx.Boards(as.T.Context(), feedback.Window{Limit: 1})
		if err != nil {
			return err
		}
		p, err := tx.CreatePost(as.T.Context(), feedback.NewPost{
			Board: feedback.Ref(boards.Items[0].ID.String()), Title: feedback.PostTitle(title), Visitor: "visitor-1",
		})
		if err == nil {
			id = p.ID.String()
		}
		return err
	})
	return id
}

// Comment adds a public comment to a post.
func (as *As) Comment(post, body string) {
	as.T.Helper()
	as.Do(func(tx *app.Tx) error {
		_, err := tx.CreateComment(as.T.Context(), post, feedback.NewComment{Body: feedback.CommentBody(body)})
		return err
	})
}

// Endpoint adds a webhook endpoint for some events, or all, and returns it with
// its secret.
func (as *As) Endpoint(url string, types ...feedback.EventType) (e *feedback.Endpoint, secret string) {
	as.T.Helper()
	as.Do(func(tx *app.Tx) (err error) {
		e, secret, err = tx.CreateEndpoint(as.T.Context(), feedback.NewEndpoint{URL: feedback.EndpointURL(url), EventTypes: types})
		return err
	})
	return e, secret
}

// Deliveries returns all deliveries to an endpoint, oldest first, with their
// attempts.
func (as *As) Deliveries(e feedback.EndpointID) (all []feedback.DeliveryDetail) {
	as.T.Helper()
	as.Do(func(tx *app.Tx) error {
		all = nil
		for after := feedback.Position(nil); ; {
			page, err := tx.Deliveries(as.T.Context(), e.String(), feedback.DeliveryFilter{Window: feedback.Window{Limit: 100, After: after}})
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				detail, err := tx.Delivery(as.T.Context(), e.String(), d.ID.String())
				if err != nil {
					return err
				}
				all = append([]feedback.DeliveryDetail{*detail}, all...)
			}
			if after = page.Next; after == nil {
				return nil
			}
		}
	})
	return all
}
