package app

import (
	"context"
	"fmt"
	"time"

	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/letter"
	"heed/internal/store"
)

// How long a link for a new password works: one that an owner or admin hands
// over, and one in a mail, which passes through more hands.
const (
	resetLife       = 24 * time.Hour
	mailedResetLife = time.Hour
)

// The kinds of links for a new password. Asking for a mail must not end a link
// that was handed over, so they are told apart.
const (
	linkReset       = "reset"
	linkMailedReset = "mailed_reset"
)

// ResetLink returns the token of a link with which a member can choose a new
// password; it ends the one before. An owner or admin hands it over.
func (tx *Tx) ResetLink(ctx context.Context, member string) (*feedback.Member, string, error) {
	m, err := tx.member(ctx, member)
	if err != nil {
		return nil, "", err
	}
	if err := tx.s.DeleteLinks(ctx, linkReset, m.ID); err != nil {
		return nil, "", err
	}
	token := auth.NewToken()
	return m, token, tx.s.InsertLink(ctx, linkReset, m.ID, auth.HashToken(token), tx.s.Now.Add(resetLife))
}

// AskReset notes that somebody who has an address wants a new password. Whether
// anybody has it is not looked up here, so neither the answer nor the time it
// takes can tell: [App.AnswerReset] sees to it afterwards.
func (a *App) AskReset(ctx context.Context, email string, c Client) error {
	email = feedback.CleanEmail(email)
	var p feedback.Problems
	feedback.CheckEmail(&p, "email", email)
	if err := p.Err(); err != nil {
		return err
	}
	return a.db.Write(ctx, func(s *store.Tx) error {
		s.AfterCommit(a.mailWaits)
		return s.InsertResetRequest(ctx, &store.ResetRequest{ID: s.NextID(), Email: email, Address: c.Address})
	})
}

// AnswerReset looks at the oldest wish for a new password. Where somebody has the
// address, a mail with a link for each of their accounts is in the outbox when
// the wish is gone. more is false when there was none.
func (a *App) AnswerReset(ctx context.Context) (more bool, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		more = false
		wish, err := s.TakeResetRequest(ctx)
		if err != nil || wish == nil {
			return err
		}
		more = true
		logins, err := s.Logins(ctx, wish.Email, maxDoors)
		if err != nil {
			return err
		}
		for i := range logins {
			if err := a.mailReset(ctx, s, &logins[i], wish.Address); err != nil {
				return err
			}
		}
		return nil
	})
	return more, err
}

func (a *App) mailReset(ctx context.Context, s *store.Tx, l *store.Login, address string) error {
	account := feedback.Account{ID: l.Member.AccountID, Name: l.AccountName}
	tx := &Tx{s: s, app: a, actor: &Actor{Account: &account, Address: address}}
	token := auth.NewToken()
	err := s.InsertLink(ctx, linkMailedReset, l.Member.ID, auth.HashToken(token), s.Now.Add(mailedResetLife))
	if err != nil {
		return err
	}
	f := letter.Frame{Locale: letter.Catalog.Locale("en"), Site: account.Name, SiteURL: a.BaseURL()}
	mail := letter.Reset(f, account.Name, a.BaseURL()+"/reset/"+token)
	if err := tx.queue(ctx, &feedback.Mail{ToEmail: l.Member.Email, ToName: l.Member.Name}, mail); err != nil {
		return err
	}
	return tx.audit(ctx, "password.reset_mailed", l.Member.Email)
}

// CheckReset returns nil if the token of a link for a new password works.
func (a *App) CheckReset(ctx context.Context, token string) error {
	return a.db.Read(ctx, func(s *store.Tx) error {
		for _, kind := range []string{linkReset, linkMailedReset} {
			if open, err := s.LinkOpen(ctx, kind, auth.HashToken(token)); err != nil || open {
				return err
			}
		}
		return feedback.ErrLinkEnded()
	})
}

// ResetPassword sets the password of the member a link was made for, once, and
// ends all their sessions and every other such link. A second factor stays: the
// link stands in for the password and for nothing else.
func (a *App) ResetPassword(ctx context.Context, token string, in feedback.NewPassword, c Client) error {
	if err := a.CheckReset(ctx, token); err != nil {
		return err
	}
	if err := in.Check(); err != nil {
		return err
	}
	hash, err := auth.HashPassword(in.Password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	return a.db.Write(ctx, func(s *store.Tx) error {
		member, used, err := s.UseLink(ctx, linkReset, auth.HashToken(token))
		if err == nil && !used {
			member, used, err = s.UseLink(ctx, linkMailedReset, auth.HashToken(token))
		}
		if err != nil {
			return err
		}
		m, err := s.MemberByID(ctx, member)
		if err != nil {
			return err
		}
		if !used || m == nil {
			return feedback.ErrLinkEnded()
		}
		for _, kind := range []string{linkReset, linkMailedReset} {
			if err := s.DeleteLinks(ctx, kind, member); err != nil {
				return err
			}
		}
		if _, err := s.DeleteSessions(ctx, member, 0); err != nil {
			return err
		}
		if err := s.SetPasswordHash(ctx, member, hash); err != nil {
			return err
		}
		tx := &Tx{s: s, app: a, actor: &Actor{
			Account: &feedback.Account{ID: m.AccountID}, Member: m.ID, Name: m.Name, Address: c.Address,
		}}
		if err := tx.warn(ctx, m.ID, letter.PasswordChanged, "", ""); err != nil {
			return err
		}
		return tx.audit(ctx, "password.reset", m.Email)
	})
}
