package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/store"
)

// Client is where a request comes from.
type Client struct {
	Address string
	Agent   string // what the browser calls itself
}

// Door is an account that somebody may enter.
type Door struct {
	Member  feedback.MemberID
	Account string // its name
	Role    feedback.Role
}

// Doors are the accounts that an address and a password open. Ticket proves for
// a few minutes that they do.
type Doors struct {
	Ticket string
	Doors  []Door
}

// maxDoors bounds how many passwords one sign-in checks.
const maxDoors = 10

// ticketLife is how long somebody may take to choose an account and to find the
// second factor.
const ticketLife = 10 * time.Minute

// ErrSignIn is the error for an address and a password that open nothing. It
// says neither which is wrong, nor whether there is such a member.
func ErrSignIn() error {
	return &feedback.Error{
		Code: feedback.Unauthenticated,
		Msg:  "The e-mail address or the password is wrong.",
		Hint: "Check both, or ask for a new password.",
	}
}

// errCode is the error for a code that is wrong, or was used before.
func errCode() error {
	return &feedback.Error{
		Code: feedback.Unauthenticated, Msg: "The code is wrong or has been used.",
		Hint:    "Wait for the next code of your app, or use a recovery code.",
		Details: map[string]any{"field": "code"},
	}
}

// SignIn checks an address and a password. It takes the same time whether or not
// anybody has the address.
func (a *App) SignIn(ctx context.Context, email, password string) (*Doors, error) {
	var logins []store.Login
	var now time.Time
	err := a.db.Read(ctx, func(s *store.Tx) (err error) {
		now = s.Now
		logins, err = s.Logins(ctx, feedback.CleanEmail(email), maxDoors)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(logins) == 0 {
		auth.CheckPassword("", password)
		return nil, ErrSignIn()
	}
	var d Doors
	var members []feedback.MemberID
	for _, l := range logins {
		if ok, _ := auth.CheckPassword(l.Hash, password); ok {
			d.Doors = append(d.Doors, Door{l.Member.ID, l.AccountName, l.Member.Role})
			members = append(members, l.Member.ID)
		}
	}
	if len(members) == 0 {
		return nil, ErrSignIn()
	}
	d.Ticket = a.seal(ticket{Members: members, Until: now.Add(ticketLife)})
	return &d, nil
}

// ticket is what a Doors proves. Nobody but us can read or make one.
type ticket struct {
	Members []feedback.MemberID
	Until   time.Time
	// SignOn: the provider of single sign-on vouches, and not a password.
	SignOn      *vouched                `json:",omitempty"`
	Invitations []feedback.InvitationID `json:",omitempty"`
}

// errTicket is the error for a ticket that opens nothing, or no more.
func errTicket() error {
	return &feedback.Error{
		Code: feedback.Unauthenticated, Msg: "Signing in took too long.", Hint: "Please sign in again.",
	}
}

func (a *App) seal(t ticket) string {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err) // a struct of our own
	}
	return fmt.Sprintf("%x", a.tickets().Seal(b, nil))
}

func (a *App) tickets() *auth.Sealer { return a.cfg.Master.Sealer("sign-in tickets") }

func (a *App) unseal(text string, now time.Time) (t ticket, ok bool) {
	var sealed []byte
	if _, err := fmt.Sscanf(text, "%x", &sealed); err != nil {
		return t, false
	}
	b, err := a.tickets().Open(sealed, nil)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return t, false
	}
	return t, now.Before(t.Until)
}

// Entered is what came of entering an account.
type Entered struct {
	Token    string // of the new session; "" if a code is needed first
	Session  feedback.Session
	NeedCode bool
}

// Enter opens a session in one of the accounts that a ticket proves. A member
// with a second factor needs a code, or a recovery code.
func (a *App) Enter(ctx context.Context, ticketText, member, code string, c Client) (*Entered, error) {
	var out Entered
	err := a.db.Write(ctx, func(s *store.Tx) error {
		out = Entered{}
		t, ok := a.unseal(ticketText, s.Now)
		var id feedback.MemberID
		if id.UnmarshalText([]byte(member)) != nil || !ok || !slices.Contains(t.Members, id) {
			return errTicket()
		}
		sealed, _, err := s.TOTP(ctx, id)
		if err != nil {
			return err
		}
		if sealed != nil {
			if code == "" {
				out.NeedCode = true
				return nil
			}
			if err := a.takeCode(ctx, s, id, sealed, code, c.Address); err != nil {
				return err
			}
		}
		proven := s.Now
		if t.SignOn != nil {
			if err := knownAs(ctx, s, id, t.SignOn); err != nil {
				return err
			}
			proven = t.SignOn.ProvenAt
		}
		out.Token, out.Session, err = a.openSessionAt(ctx, s, id, c, proven)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// openSession opens a session of somebody who has just shown who they are.
func (a *App) openSession(ctx context.Context, s *store.Tx, member feedback.MemberID, c Client) (string, feedback.Session, error) {
	return a.openSessionAt(ctx, s, member, c, s.Now)
}

// openSessionAt opens a session with a token of its own and records it. proven is
// when its member last showed who they are; zero is long ago.
func (a *App) openSessionAt(ctx context.Context, s *store.Tx, member feedback.MemberID, c Client, proven time.Time) (string, feedback.Session, error) {
	if proven.IsZero() || proven.After(s.Now) {
		proven = s.Now.Add(-feedback.ProofLife)
	}
	token := auth.NewToken()
	if len(c.Agent) > 300 {
		c.Agent = c.Agent[:300]
	}
	session := feedback.Session{
		ID: feedback.SessionID(s.NextID()), MemberID: member, CreatedAt: s.Now, SeenAt: s.Now, ProvenAt: proven,
		ExpiresAt: s.Now.Add(feedback.SessionLife), Address: c.Address, Agent: c.Agent,
	}
	if err := s.InsertSession(ctx, &session, auth.HashToken(token)); err != nil {
		return "", session, err
	}
	in, err := s.SessionByHash(ctx, auth.HashToken(token))
	if err != nil {
		return "", session, err
	}
	if in == nil {
		return "", session, ErrSignIn() // removed from the account meanwhile
	}
	tx := &Tx{s: s, app: a, actor: actorOf(in, c.Address)}
	return token, session, tx.audit(ctx, "session.opened", session.ID.String())
}

func actorOf(in *store.SignedIn, address string) *Actor {
	return &Actor{
		Source: feedback.FromDashboard, Account: &in.Account, Member: in.Member.ID, Role: in.Member.Role,
		Name: in.Member.Name, Address: address,
	}
}

// SignedIn is a member at work in the dashboard.
type SignedIn struct {
	store.SignedIn
	Sites []feedback.Site // of the account, by creation
	Actor *Actor
}

// Owns reports whether a site, as it was spelled, is one of the account's.
func (in *SignedIn) Owns(site string) bool {
	return slices.ContainsFunc(in.Sites, func(s feedback.Site) bool { return s.ID.String() == site })
}

// maxSites bounds how many sites the dashboard offers to switch to.
const maxSites = 1000

// Session returns who is behind the token of a session, or nil. It asks the
// database every time, so a session that is ended and a role that is changed
// hold from the next request. site is the site the request is about, if any: it
// is seen to be the account's when the operation begins.
func (a *App) Session(ctx context.Context, token, site string, c Client) (*SignedIn, error) {
	var who *SignedIn
	var touch bool
	err := a.db.Read(ctx, func(s *store.Tx) error {
		in, err := s.SessionByHash(ctx, auth.HashToken(token))
		if err != nil || in == nil || !in.Session.Live(s.Now) {
			return err
		}
		who = &SignedIn{SignedIn: *in, Actor: actorOf(in, c.Address)}
		touch = s.Now.Sub(in.Session.SeenAt) > touchEvery
		if who.Sites, err = s.Sites(ctx, in.Account.ID, 0, 0, maxSites); err != nil {
			return err
		}
		for i := range who.Sites {
			if who.Sites[i].ID.String() == site {
				who.Actor.site = &who.Sites[i]
			}
		}
		return nil
	})
	if err != nil || !touch {
		return who, err
	}
	return who, a.db.Write(ctx, func(s *store.Tx) error {
		return s.TouchSession(ctx, who.Session.ID, c.Address)
	})
}

// Prove checks the password of a member who is signed in, and a code where there
// is a second factor, before something dangerous.
func (a *App) Prove(ctx context.Context, who *SignedIn, password, code string) error {
	var hash string
	err := a.db.Read(ctx, func(s *store.Tx) (err error) {
		hash, err = s.PasswordHash(ctx, who.Member.ID)
		return err
	})
	if err != nil {
		return err
	}
	if ok, _ := auth.CheckPassword(hash, password); !ok {
		return &feedback.Error{
			Code: feedback.Unauthenticated, Msg: "The password is wrong.", Hint: "Type the password you sign in with.",
			Details: map[string]any{"field": "_password"},
		}
	}
	return a.db.Write(ctx, func(s *store.Tx) error {
		sealed, _, err := s.TOTP(ctx, who.Member.ID)
		if err != nil {
			return err
		}
		if sealed != nil {
			if err := a.takeCode(ctx, s, who.Member.ID, sealed, code, who.Actor.Address); err != nil {
				return err
			}
		}
		who.Session.ProvenAt = s.Now
		return s.ProveSession(ctx, who.Session.ID)
	})
}

// Sessions lists where the actor is signed in.
func (tx *Tx) Sessions(ctx context.Context) ([]feedback.Session, error) {
	return tx.s.Sessions(ctx, tx.actor.Member, 100)
}

// EndSession ends one of the actor's own sessions.
func (tx *Tx) EndSession(ctx context.Context, session string) error {
	_, err := find("", "session", session, func(id feedback.SessionID) (*feedback.Session, error) {
		ended, err := tx.s.DeleteSession(ctx, tx.actor.Member, id)
		if err != nil || !ended {
			return nil, err
		}
		return &feedback.Session{}, nil
	})
	return err
}

// EndOtherSessions ends all sessions of the actor but one.
func (tx *Tx) EndOtherSessions(ctx context.Context, but feedback.SessionID) error {
	_, err := tx.s.DeleteSessions(ctx, tx.actor.Member, but)
	return err
}

// PurgeSessions forgets sessions and links that have long ended, and what was
// remembered of attempts to sign in.
func (a *App) PurgeSessions(ctx context.Context) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		if err := s.PurgeSessions(ctx, s.Now.AddDate(0, 0, -7)); err != nil {
			return err
		}
		return s.PurgeAccess(ctx)
	})
}

// NewDevice returns a mark for a browser that somebody has signed in from with
// an address. It opens nothing: it tells such a browser from strangers, whose
// attempts are counted together.
func (a *App) NewDevice(email string) string {
	nonce := auth.NewToken()[:16]
	return nonce + "." + a.deviceMark(nonce, email)
}

// KnownDevice reports whether a mark was made for the address, and returns the
// name of the browser.
func (a *App) KnownDevice(mark, email string) (name string, ok bool) {
	nonce, sum, _ := strings.Cut(mark, ".")
	if !hmac.Equal([]byte(sum), []byte(a.deviceMark(nonce, email))) {
		return "", false
	}
	return nonce, true
}

func (a *App) deviceMark(nonce, email string) string {
	mac := hmac.New(sha256.New, a.cfg.Master.Derive("devices"))
	mac.Write([]byte(nonce + " " + email))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
