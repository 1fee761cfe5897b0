package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"

	"heed/internal/feedback"
	"heed/internal/store"
)

// Attempt is a try at something that may be tried so often and no more.
type Attempt struct {
	Kind string // of what is tried
	By   string // by whom: an address, a network, a browser
	Pace feedback.Pace
}

// Attempt counts attempts, and returns a RATE_LIMITED error if one of them is too
// many. Every node counts in the database, so that asking many of them is no way
// around. What is counted is kept as a hash under the installation's secret:
// nobody reads from it who tried to sign in.
func (a *App) Attempt(ctx context.Context, all ...Attempt) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		for _, t := range all {
			mac := hmac.New(sha256.New, a.cfg.Master.Derive("attempts"))
			mac.Write([]byte(t.Kind + "\x00" + t.By))
			wait, err := s.Attempt(ctx, mac.Sum(nil), t.Pace)
			if err != nil {
				return err
			}
			if wait > 0 {
				return feedback.ErrPace(wait)
			}
		}
		return nil
	})
}
