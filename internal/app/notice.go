package app

import (
	"context"
	"strconv"

	"heed/internal/feedback"
	"heed/internal/letter"
	"heed/internal/store"
)

// warn puts a letter to a member of the account into the outbox: it changed by
// what they sign in. Whoever took over a session or a password cannot keep the
// owner of the address from hearing of it. name is that of a passkey, left how
// many recovery codes there are; "" where they are not the matter.
func (tx *Tx) warn(ctx context.Context, member feedback.MemberID, act letter.Act, name, left string) error {
	m, err := tx.s.MemberByID(ctx, member)
	if err != nil || m == nil {
		return err
	}
	account, err := tx.s.Account(ctx, m.AccountID)
	if err != nil || account == nil {
		return err
	}
	base := tx.app.BaseURL()
	f := letter.Frame{Locale: letter.Catalog.Locale("en"), Site: account.Name, SiteURL: base}
	return tx.queue(ctx, &feedback.Mail{ToEmail: m.Email, ToName: m.Name}, letter.Security(f, letter.SecurityNotice{
		Act: act, Account: account.Name, Name: name, Left: left,
		When: tx.s.Now.UTC().Format("2006-01-02 15:04 UTC"), Address: tx.actor.Address,
		Profile: base + "/dash/profile", Reset: base + "/signin/forgot",
	}))
}

// warnOfCode tells a member that a recovery code was used, and how many are left.
func (a *App) warnOfCode(ctx context.Context, s *store.Tx, member feedback.MemberID, address string) error {
	left, err := s.RecoveryCodes(ctx, member)
	if err != nil {
		return err
	}
	tx := &Tx{s: s, app: a, actor: &Actor{Address: address}}
	return tx.warn(ctx, member, letter.CodeUsed, "", strconv.Itoa(left))
}
