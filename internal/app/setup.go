package app

import (
	"context"
	"fmt"
	"time"

	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/store"
)

const linkSetup = "setup"

// setupLife is how long the first set-up can wait; a restart makes a new link.
const setupLife = 7 * 24 * time.Hour

// SetupLink returns the token of the link for the first set-up, and "" where
// there is an account already. The link before ends.
func (a *App) SetupLink(ctx context.Context) (token string, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		token = ""
		exist, err := s.AccountsExist(ctx)
		if err != nil || exist {
			return err
		}
		if err := s.DeleteLinks(ctx, linkSetup, 0); err != nil {
			return err
		}
		token = auth.NewToken()
		return s.InsertLink(ctx, linkSetup, 0, auth.HashToken(token), s.Now.Add(setupLife))
	})
	return token, err
}

// Empty reports whether nobody has opened an account yet.
func (a *App) Empty(ctx context.Context) (empty bool, err error) {
	err = a.db.Read(ctx, func(s *store.Tx) error {
		exist, err := s.AccountsExist(ctx)
		empty = !exist
		return err
	})
	return empty, err
}

// CheckSetup returns nil if the token of the link for the first set-up works.
func (a *App) CheckSetup(ctx context.Context, token string) error {
	return a.db.Read(ctx, func(s *store.Tx) error {
		exist, err := s.AccountsExist(ctx)
		if err != nil {
			return err
		}
		open, err := s.LinkOpen(ctx, linkSetup, auth.HashToken(token))
		if err == nil && (!open || exist) {
			err = feedback.ErrLinkEnded()
		}
		return err
	})
}

// SetUp opens the first account for whoever has the token of the link, once, and
// a session for its owner.
func (a *App) SetUp(ctx context.Context, token string, in feedback.NewAccount, c Client) (o *Opened, session string, err error) {
	if err := a.CheckSetup(ctx, token); err != nil {
		return nil, "", err
	}
	hash, err := a.checkAccount(&in)
	if err != nil {
		return nil, "", err
	}
	err = a.db.Write(ctx, func(s *store.Tx) error {
		exist, err := s.AccountsExist(ctx)
		if err != nil {
			return err
		}
		_, used, err := s.UseLink(ctx, linkSetup, auth.HashToken(token))
		if err != nil {
			return err
		}
		if exist || !used {
			return feedback.ErrLinkEnded()
		}
		if o, err = a.openAccount(ctx, s, in, hash); err != nil {
			return err
		}
		session, _, err = a.openSession(ctx, s, o.Member.ID, c)
		return err
	})
	return o, session, err
}

// checkAccount checks what it takes to open an account and hashes the password.
func (a *App) checkAccount(in *feedback.NewAccount) (hash string, err error) {
	if in.Plan == "" {
		in.Plan = a.cfg.DefaultPlan
	}
	in.Email = feedback.CleanEmail(in.Email)
	if err := in.Check(); err != nil {
		return "", err
	}
	if hash, err = auth.HashPassword(in.Password); err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}
