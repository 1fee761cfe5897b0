package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"heed/internal/auth"
	"heed/internal/auth/signon"
	"heed/internal/feedback"
	"heed/internal/store"
)

// SignOnPath is where browsers come back to from the provider of single sign-on,
// below the base URL.
const SignOnPath = "/signin/oidc/callback"

// SignOn is a provider of single sign-on.
type SignOn struct{ Name, Issuer, Callback string }

// UseSignOn has members sign in by a provider; nil has them not.
func (a *App) UseSignOn(p *signon.Provider) { a.signOn.Store(p) }

// SignOn returns the provider; ok is false where there is none, and only the
// callback address that it would get is known.
func (a *App) SignOn() (s SignOn, ok bool) {
	s.Callback = a.BaseURL() + SignOnPath
	p := a.signOn.Load()
	if p == nil {
		return s, false
	}
	return SignOn{p.Name(), p.Issuer(), p.Callback()}, true
}

// tripLife is how long somebody may be away at the provider.
const tripLife = 15 * time.Minute

// trip is what a browser carries while it is away. Nobody but us can read or make
// one.
type trip struct {
	signon.Trip
	Next  string
	Until time.Time
}

func (a *App) trips() *auth.Sealer { return a.cfg.Master.Sealer("single sign-on trips") }

// LeaveForSignOn returns where to send a browser and what it must bring back, in
// a cookie. next is where it goes in the end. fresh asks the provider to have the
// person show who they are, though it may know.
func (a *App) LeaveForSignOn(ctx context.Context, next string, fresh bool) (to, luggage string, err error) {
	p := a.signOn.Load()
	if p == nil {
		return "", "", feedback.Missing("page", SignOnPath)
	}
	to, t, err := p.Leave(ctx, fresh)
	if err != nil {
		return "", "", a.badSignOn(err)
	}
	b, err := json.Marshal(trip{t, next, a.db.Now().Add(tripLife)})
	if err != nil {
		return "", "", err
	}
	return to, base64.RawURLEncoding.EncodeToString(a.trips().Seal(b, nil)), nil
}

// errSignOn is the error for what a provider said and we do not believe.
func errSignOn(msg, hint string) error {
	return &feedback.Error{Code: feedback.Unauthenticated, Msg: msg, Hint: hint}
}

// badSignOn says little of what went wrong but to the log.
func (a *App) badSignOn(err error) error {
	switch {
	case errors.Is(err, signon.ErrUnreachable):
		a.cfg.Log.Error("single sign-on", "err", err)
		return &feedback.Error{
			Code: feedback.Unavailable, Msg: "The provider of single sign-on does not answer.",
			Hint: "Try again in a moment, or sign in with your password.", Err: err,
		}
	case errors.Is(err, signon.ErrRefused):
		a.cfg.Log.Warn("single sign-on refused", "err", err)
		return errSignOn("Signing in by the provider did not work.", "Try again, or sign in with your password.")
	}
	return err
}

// Arrival is who came back from the provider, and what they may enter.
type Arrival struct {
	Doors
	Email    string
	Next     string
	Welcomes []Welcome
}

// Welcome is an account that somebody is invited to.
type Welcome = store.Welcome

// ReturnFromSignOn checks what a browser brought back from the provider. Only an
// address that the provider has verified counts, and it opens only accounts that
// have it as a member's, or that have invited it: nobody gets an account by
// having one there. A trip is made once.
func (a *App) ReturnFromSignOn(ctx context.Context, luggage string, answer url.Values) (*Arrival, error) {
	p := a.signOn.Load()
	if p == nil {
		return nil, feedback.Missing("page", SignOnPath)
	}
	t, err := a.unpack(ctx, luggage)
	if err != nil {
		return nil, err
	}
	person, err := p.Return(ctx, t.Trip, answer)
	if err != nil {
		return nil, a.badSignOn(err)
	}
	email := feedback.CleanEmail(person.Email)
	var problems feedback.Problems
	feedback.CheckEmail(&problems, "email", email)
	if !person.Verified || len(problems) > 0 {
		return nil, errSignOn(p.Name()+" does not say that your e-mail address is yours.", "Verify your address there, then sign in again.")
	}
	in := &Arrival{Email: email, Next: t.Next}
	err = a.db.Read(ctx, func(s *store.Tx) error {
		if t.Fresh && s.Now.Sub(person.ProvenAt) > feedback.ProofLife {
			return errSignOn(p.Name()+" did not ask you to show who you are.", "Sign in again.")
		}
		logins, err := s.Logins(ctx, email, maxDoors)
		if err != nil {
			return err
		}
		if in.Welcomes, err = s.InvitationsFor(ctx, email, maxDoors); err != nil {
			return err
		}
		ticket := ticket{Until: s.Now.Add(ticketLife), SignOn: &vouched{p.Issuer(), person.Subject, person.Name, person.ProvenAt}}
		for _, l := range logins {
			in.Doors.Doors = append(in.Doors.Doors, Door{l.Member.ID, l.AccountName, l.Member.Role})
			ticket.Members = append(ticket.Members, l.Member.ID)
		}
		for _, w := range in.Welcomes {
			ticket.Invitations = append(ticket.Invitations, w.Invitation.ID)
		}
		if len(ticket.Members)+len(ticket.Invitations) == 0 {
			return errSignOn("No account here has "+email+" as a member.", "Ask an owner or admin of your team for an invitation.")
		}
		in.Ticket = a.seal(ticket)
		return nil
	})
	return in, err
}

// unpack returns the trip a browser was on, and ends it.
func (a *App) unpack(ctx context.Context, luggage string) (t trip, err error) {
	late := errSignOn("Signing in took too long, or was begun in another browser.", "Please sign in again.")
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(luggage)
	if err != nil {
		return t, late
	}
	b, err := a.trips().Open(sealed, nil)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return t, late
	}
	return t, a.db.Write(ctx, func(s *store.Tx) error {
		if !s.Now.Before(t.Until) {
			return late
		}
		fresh, err := s.SpendChallenge(ctx, auth.HashToken("trip "+t.State), t.Until)
		if err == nil && !fresh {
			err = late
		}
		return err
	})
}

// vouched is what a ticket says of somebody who came by single sign-on.
type vouched struct {
	Issuer, Subject, Name string
	ProvenAt              time.Time
}

// knownAs notes that a member came by single sign-on. Whoever came as one person
// there does not come as another: an address that a provider has given to
// somebody else opens nothing.
func knownAs(ctx context.Context, s *store.Tx, member feedback.MemberID, v *vouched) error {
	same, err := s.UseIdentity(ctx, member, v.Issuer, v.Subject)
	if err == nil && !same {
		err = errSignOn("This account has been entered by another person of the provider before.",
			"Sign in with your password and forget the connection on your profile, or ask an owner or admin for a link for a new password.")
	}
	return err
}

// Join accepts an invitation for somebody whose address the provider has
// verified, and opens a session. They have no password until they ask for one.
func (a *App) Join(ctx context.Context, ticketText, invitation string, c Client) (token string, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		t, ok := a.unseal(ticketText, s.Now)
		var id feedback.InvitationID
		if id.UnmarshalText([]byte(invitation)) != nil || !ok || t.SignOn == nil || !slices.Contains(t.Invitations, id) {
			return errTicket()
		}
		inv, err := s.InvitationByID(ctx, id)
		if err != nil {
			return err
		}
		if inv == nil || !inv.Open(s.Now) {
			return feedback.ErrLinkEnded()
		}
		name := feedback.MemberName(strings.TrimSpace(t.SignOn.Name))
		if (feedback.NewMember{Name: name, Password: "long enough to pass"}).Check() != nil {
			local, _, _ := strings.Cut(inv.Email, "@")
			name = feedback.MemberName(local)
		}
		member, err := a.join(ctx, s, inv, name, "")
		if err != nil {
			return err
		}
		if err := knownAs(ctx, s, member, t.SignOn); err != nil {
			return err
		}
		token, _, err = a.openSessionAt(ctx, s, member, c, t.SignOn.ProvenAt)
		return err
	})
	return token, err
}

// Identity returns since when the actor is known at the provider, or nil.
func (tx *Tx) Identity(ctx context.Context) (*feedback.Identity, error) {
	p := tx.app.signOn.Load()
	if p == nil {
		return nil, nil
	}
	return tx.s.Identity(ctx, tx.actor.Member, p.Issuer())
}

// ForgetIdentity forgets who the actor is at the provider; whoever has the
// address there next is the one from then on.
func (tx *Tx) ForgetIdentity(ctx context.Context) error {
	p := tx.app.signOn.Load()
	if p == nil {
		return feedback.Missing("page", SignOnPath)
	}
	_, err := tx.s.DeleteIdentity(ctx, tx.actor.Member, p.Issuer())
	if err != nil {
		return fmt.Errorf("forget identity: %w", err)
	}
	return nil
}
