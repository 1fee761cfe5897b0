package app

import (
	"context"

	"heed/internal/feedback"
)

// maxKeys bounds how many live keys an account has.
const maxKeys = 500

// Keys lists the live keys of the account, newest first, without their secrets.
func (tx *Tx) Keys(ctx context.Context) ([]feedback.Key, error) {
	return tx.s.Keys(ctx, tx.actor.Account.ID, maxKeys)
}

// CreateKey makes an API key, for all sites of the account or the one named, and
// returns its secret, which is not kept.
func (tx *Tx) CreateKey(ctx context.Context, site string, in feedback.NewKey) (*feedback.Key, string, error) {
	if err := tx.actor.Account.Plan.Require(feedback.APIAccess); err != nil {
		return nil, "", err
	}
	if site != "" {
		pinned, err := tx.siteNamed(ctx, site, "site")
		if err != nil {
			return nil, "", err
		}
		in.Site = pinned.ID
	}
	if err := tx.s.LockAccount(ctx, tx.actor.Account.ID); err != nil {
		return nil, "", err
	}
	live, err := tx.s.Keys(ctx, tx.actor.Account.ID, maxKeys)
	if err != nil {
		return nil, "", err
	}
	if len(live) >= maxKeys {
		return nil, "", &feedback.Error{
			Code: feedback.LimitReached, Msg: "The account has as many keys as it can have.", Hint: "Revoke a key that is not used any more.",
		}
	}
	in.CreatedBy = tx.actor.Member
	if !in.ExpiresAt.IsZero() && !in.ExpiresAt.After(tx.s.Now) {
		in.Malformed.Add("expires", feedback.RuleMinimum, "must lie in the future")
	}
	return tx.createKey(ctx, in)
}

// EndKey revokes a key of the account, from the next request on.
func (tx *Tx) EndKey(ctx context.Context, key string) error {
	_, err := find("", "key", key, func(id feedback.KeyID) (*feedback.Key, error) {
		ended, err := tx.s.EndKey(ctx, tx.actor.Account.ID, id)
		if err != nil || !ended {
			return nil, err
		}
		return &feedback.Key{}, nil
	})
	return err
}
