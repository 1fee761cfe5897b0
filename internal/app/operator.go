package app

import (
	"context"

	"heed/internal/feedback"
	"heed/internal/store"
)

// AccountUsage is an account with what it has, for the operator.
type AccountUsage = store.AccountUsage

// Installation is what the operator sees at a glance.
type Installation struct {
	Accounts []AccountUsage
	Next     feedback.Position
	Database store.Facts
	Stats    store.Stats
}

// Installation returns what the operator sees. It is for owners of the first
// account: whoever calls has seen to that.
func (a *App) Installation(ctx context.Context, w feedback.Window) (*Installation, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	out := &Installation{Stats: a.db.Stats()}
	err := a.db.Read(ctx, func(s *store.Tx) error {
		all, err := s.AccountUsages(ctx, feedback.AccountID(at(w, 0, 0)), w.Limit+1)
		if err != nil {
			return err
		}
		page := feedback.PageOf(all, w.Limit, func(u *AccountUsage) feedback.Position {
			return feedback.Position{int64(u.Account.ID)}
		})
		out.Accounts, out.Next = page.Items, page.Next
		out.Database, err = s.Facts(ctx)
		return err
	})
	return out, err
}

// ChangePlan moves any account to a plan, and records it in the operator's own
// account. It is for owners of the first account.
func (tx *Tx) ChangePlan(ctx context.Context, account string, p feedback.Plan) error {
	if !p.Valid() {
		var problems feedback.Problems
		problems.Add("plan", feedback.RuleEnum, "must be one of FREE, PRO, STUDIO")
		return problems.Err()
	}
	a, err := find("", "account", account, func(id feedback.AccountID) (*feedback.Account, error) { return tx.s.Account(ctx, id) })
	if err != nil {
		return err
	}
	tx.keepName(a.Name)
	_, err = tx.s.SetPlan(ctx, a.ID, p)
	return err
}
