package app

import (
	"context"
	"fmt"

	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/letter"
	"heed/internal/store"
)

// maxMembers bounds what a page of people shows; plans allow fewer.
const maxMembers = 1000

// Members lists the people of the account by creation.
func (tx *Tx) Members(ctx context.Context) ([]feedback.Member, error) {
	return tx.s.Members(ctx, tx.actor.Account.ID, 0, maxMembers)
}

// MemberNames returns the names of all who are or were members of the account.
func (tx *Tx) MemberNames(ctx context.Context) (map[feedback.MemberID]string, error) {
	return tx.s.MemberNames(ctx, tx.actor.Account.ID, maxMembers)
}

// Invitations lists the open invitations of the account.
func (tx *Tx) Invitations(ctx context.Context) ([]feedback.Invitation, error) {
	return tx.s.Invitations(ctx, tx.actor.Account.ID, maxMembers)
}

// Invite asks somebody to become a member and returns the token of the link,
// which is not kept. It takes a seat of the plan while it is open.
func (tx *Tx) Invite(ctx context.Context, in feedback.NewInvitation) (*feedback.Invitation, string, error) {
	in.Email = feedback.CleanEmail(in.Email)
	if err := in.Check(); err != nil {
		return nil, "", err
	}
	if err := tx.actor.Role.Manages(in.Role); err != nil {
		return nil, "", err
	}
	account := tx.actor.Account
	if err := tx.s.LockAccount(ctx, account.ID); err != nil {
		return nil, "", err
	}
	logins, err := tx.s.Logins(ctx, in.Email, maxMembers)
	if err != nil {
		return nil, "", err
	}
	for _, l := range logins {
		if l.Member.AccountID == account.ID {
			return nil, "", feedback.ErrEmailTaken(in.Email, "is a member already")
		}
	}
	if err := tx.s.EndOldInvitations(ctx, account.ID); err != nil {
		return nil, "", err
	}
	used, err := tx.s.SeatCount(ctx, account.ID)
	if err != nil {
		return nil, "", err
	}
	if err := tx.app.cfg.PlanLimits.Allow(account.Plan, feedback.Seats, used); err != nil {
		return nil, "", err
	}
	token := auth.NewToken()
	inv := &feedback.Invitation{
		ID: feedback.InvitationID(tx.s.NextID()), AccountID: account.ID, Email: in.Email, Role: in.Role,
		InvitedBy: tx.actor.Member, CreatedAt: tx.s.Now, ExpiresAt: tx.s.Now.Add(feedback.InvitationLife),
	}
	free, err := tx.s.InsertInvitation(ctx, inv, auth.HashToken(token))
	if err == nil && !free {
		err = feedback.ErrEmailTaken(in.Email, "has been invited already; revoke that invitation to send a new one")
	}
	if err != nil {
		return nil, "", err
	}
	by, err := tx.s.Member(ctx, account.ID, tx.actor.Member)
	if err != nil || by == nil {
		return inv, token, err
	}
	return inv, token, tx.mailInvitation(ctx, in.Email, by.Name, tx.app.BaseURL()+"/invite/"+token)
}

// RevokeInvitation ends an open invitation.
func (tx *Tx) RevokeInvitation(ctx context.Context, invitation string) error {
	_, err := find("", "invitation", invitation, func(id feedback.InvitationID) (*feedback.Invitation, error) {
		ended, err := tx.s.EndInvitation(ctx, tx.actor.Account.ID, id)
		if err != nil || !ended {
			return nil, err
		}
		return &feedback.Invitation{}, nil
	})
	return err
}

// Invitation returns the open invitation behind the token of a link, and the
// name of its account.
func (a *App) Invitation(ctx context.Context, token string) (inv *feedback.Invitation, account string, err error) {
	err = a.db.Read(ctx, func(s *store.Tx) error {
		inv, account, err = s.InvitationByHash(ctx, auth.HashToken(token))
		if err == nil && (inv == nil || !inv.Open(s.Now)) {
			err = feedback.ErrLinkEnded()
		}
		return err
	})
	return inv, account, err
}

// AcceptInvitation makes a member of whoever has the token of an invitation, and
// opens a session. Of two who come at once, one becomes it.
func (a *App) AcceptInvitation(ctx context.Context, token string, in feedback.NewMember, c Client) (session string, err error) {
	if _, _, err := a.Invitation(ctx, token); err != nil {
		return "", err
	}
	if err := in.Check(); err != nil {
		return "", err
	}
	hash, err := auth.HashPassword(in.Password)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	err = a.db.Write(ctx, func(s *store.Tx) error {
		inv, _, err := s.InvitationByHash(ctx, auth.HashToken(token))
		if err != nil {
			return err
		}
		if inv == nil || !inv.Open(s.Now) {
			return feedback.ErrLinkEnded()
		}
		member, err := a.join(ctx, s, inv, in.Name, hash)
		if err != nil {
			return err
		}
		session, _, err = a.openSession(ctx, s, member, c)
		return err
	})
	return session, err
}

// join makes a member of whoever an open invitation is for, once. An empty hash is
// that of no password.
func (a *App) join(ctx context.Context, s *store.Tx, inv *feedback.Invitation, name feedback.MemberName, hash string) (feedback.MemberID, error) {
	ended, err := s.EndInvitation(ctx, inv.AccountID, inv.ID)
	if err != nil {
		return 0, err
	}
	if !ended {
		return 0, feedback.ErrLinkEnded()
	}
	m := &feedback.Member{
		ID: feedback.MemberID(s.NextID()), AccountID: inv.AccountID, Email: inv.Email, Name: string(name), Role: inv.Role, CreatedAt: s.Now,
	}
	free, err := s.InsertMember(ctx, m, hash)
	if err == nil && !free {
		err = feedback.ErrEmailTaken(inv.Email, "is a member already")
	}
	return m.ID, err
}

// member finds a member of the account that the actor may manage.
func (tx *Tx) member(ctx context.Context, member string) (*feedback.Member, error) {
	// Two who take the last two owners away would each see the other's.
	if err := tx.s.LockAccount(ctx, tx.actor.Account.ID); err != nil {
		return nil, err
	}
	m, err := find("", "member", member, func(id feedback.MemberID) (*feedback.Member, error) {
		return tx.s.Member(ctx, tx.actor.Account.ID, id)
	})
	if err != nil {
		return nil, err
	}
	return m, tx.actor.Role.Manages(m.Role)
}

// ChangeRole gives a member another role. An account keeps an owner.
func (tx *Tx) ChangeRole(ctx context.Context, member string, role feedback.Role) (*feedback.Member, error) {
	m, err := tx.member(ctx, member)
	if err != nil {
		return nil, err
	}
	if err := (feedback.NewInvitation{Email: m.Email, Role: role}).Check(); err != nil {
		return nil, err
	}
	if err := tx.actor.Role.Manages(role); err != nil {
		return nil, err
	}
	if err := tx.keepOwner(ctx, m, role); err != nil {
		return nil, err
	}
	m.Role = role
	return m, tx.s.SetRole(ctx, tx.actor.Account.ID, m.ID, role)
}

func (tx *Tx) keepOwner(ctx context.Context, m *feedback.Member, to feedback.Role) error {
	if m.Role != feedback.Owner || to == feedback.Owner {
		return nil
	}
	n, err := tx.s.OwnerCount(ctx, tx.actor.Account.ID)
	if err == nil && n < 2 {
		err = feedback.ErrLastOwner()
	}
	return err
}

// RemoveMember takes a member from the account and ends their sessions. What
// they did stays. An account keeps an owner.
func (tx *Tx) RemoveMember(ctx context.Context, member string) (*feedback.Member, error) {
	m, err := tx.member(ctx, member)
	if err != nil {
		return nil, err
	}
	if err := tx.keepOwner(ctx, m, ""); err != nil {
		return nil, err
	}
	return m, tx.s.RemoveMember(ctx, tx.actor.Account.ID, m.ID)
}

// RenameMe changes the actor's own name.
func (tx *Tx) RenameMe(ctx context.Context, name feedback.MemberName) error {
	if err := (feedback.NewMember{Name: name, Password: "long enough to pass"}).Check(); err != nil {
		return err
	}
	return tx.s.SetMemberName(ctx, tx.actor.Member, string(name))
}

// ChangePassword sets the actor's own password and ends their other sessions. It
// opens a transaction of its own: hashing takes too long to be inside one.
func (a *App) ChangePassword(ctx context.Context, who *SignedIn, in feedback.NewPassword) error {
	if err := in.Check(); err != nil {
		return err
	}
	hash, err := auth.HashPassword(in.Password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	return a.Change(ctx, who.Actor, Target{}, "password.changed", who.Member.Email, func(tx *Tx) error {
		if err := tx.EndOtherSessions(ctx, who.Session.ID); err != nil {
			return err
		}
		if err := tx.s.SetPasswordHash(ctx, who.Member.ID, hash); err != nil {
			return err
		}
		return tx.warn(ctx, who.Member.ID, letter.PasswordChanged, "", "")
	})
}

// Seats are how many people an account has, and how many its plan allows.
type Usage struct {
	Sites, MaxSites int
	Seats, MaxSeats int
	Keys            int
}

// Usage counts what the account's plan limits.
func (tx *Tx) Usage(ctx context.Context) (u Usage, err error) {
	id := tx.actor.Account.ID
	if u.Sites, err = tx.s.SiteCount(ctx, id); err != nil {
		return u, err
	}
	if u.Seats, err = tx.s.SeatCount(ctx, id); err != nil {
		return u, err
	}
	limits := tx.app.cfg.PlanLimits[tx.actor.Account.Plan]
	u.MaxSites, u.MaxSeats = limits.Sites, limits.Seats
	return u, nil
}

// PlanLimits says how much each plan allows.
func (a *App) PlanLimits() feedback.PlanLimits { return a.cfg.PlanLimits }
