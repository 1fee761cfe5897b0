package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"math/big"
	"time"

	"heed/internal/feedback"
	"heed/internal/letter"
	"heed/internal/store"
)

const (
	challengeTime = 15 * time.Minute
	subscribeTime = 7 * 24 * time.Hour
	maxGuesses    = 5
	sessionTime   = 90 * 24 * time.Hour
)

// What an address can be proved for.
const (
	challengeSignIn    = "sign_in"
	challengeSubscribe = "subscribe"
)

// RequestSignIn mails a code and a link to an address, in a language, and
// returns the token that the code is to be sent back with. Nothing tells whether
// the address is known here.
func (tx *Tx) RequestSignIn(ctx context.Context, email, locale string) (token string, err error) {
	return tx.challenge(ctx, challengeSignIn, email, locale)
}

// RequestSubscription mails a link that confirms the wish to hear of every
// changelog entry.
func (tx *Tx) RequestSubscription(ctx context.Context, email, locale string) error {
	_, err := tx.challenge(ctx, challengeSubscribe, email, locale)
	return err
}

func (tx *Tx) challenge(ctx context.Context, kind, email, locale string) (string, error) {
	email = feedback.NormalEmail(email)
	var p feedback.Problems
	feedback.CheckEmail(&p, "email", email)
	if err := p.Err(); err != nil {
		return "", err
	}
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(feedback.MailedCodeDigits), nil)
	n, err := rand.Int(rand.Reader, most)
	if err != nil {
		return "", fmt.Errorf("sign-in code: %w", err)
	}
	code := fmt.Sprintf("%0*d", feedback.MailedCodeDigits, n)
	c := &store.Challenge{
		ID: tx.s.NextID(), Kind: kind, Email: email, CreatedAt: tx.s.Now, ExpiresAt: tx.s.Now.Add(challengeTime),
	}
	if kind == challengeSubscribe {
		c.ExpiresAt = tx.s.Now.Add(subscribeTime)
	}
	c.CodeHash = tx.codeHash(c.ID, code)
	if err := tx.s.InsertChallenge(ctx, tx.site.ID, c); err != nil {
		return "", err
	}
	f := tx.app.frame(tx.actor.portal, locale)
	link := tx.app.URL(tx.actor.portal)
	l := letter.Letter{}
	if kind == challengeSignIn {
		l = letter.SignIn(f, code, link+"/sign-in/link?t="+tx.app.sign("sign-in link", tx.site.ID, c.ID))
	} else {
		l = letter.Subscribe(f, link+"/confirm?t="+tx.app.sign("subscribe link", tx.site.ID, c.ID))
	}
	blocked, err := tx.s.Blocked(ctx, tx.site.ID, 0, email)
	if err != nil {
		return "", err
	}
	if !blocked {
		if err := tx.queue(ctx, &feedback.Mail{SiteID: tx.site.ID, ToEmail: email}, l); err != nil {
			return "", err
		}
	}
	return tx.app.sign("sign-in code", tx.site.ID, c.ID), nil
}

func (tx *Tx) codeHash(id int64, code string) []byte {
	return tx.app.tokenMAC("code "+code, tx.site.ID, fmt.Append(nil, id))
}

// KnownVisitor is a visitor who has just proved who they are.
type KnownVisitor struct {
	Visitor *feedback.Visitor
	Session string // for a cookie; not kept
}

// errMailedCode is the error for a code that is not the one that was mailed, or no
// longer.
func errMailedCode(field string) error {
	var p feedback.Problems
	p.Add(field, "code", "is not the code of the newest message, or is too old")
	return p.Err()
}

// errLink is the error for a link that was used or is too old.
func errLink() error {
	return &feedback.Error{Code: feedback.NotFound, Msg: "This link was used already or is too old.", Hint: "Ask for a new one.",
		Details: map[string]any{"resource": "link"}}
}

// SignInByCode signs a visitor in by the code from the mail and the token that
// RequestSignIn returned. A wrong code is counted; after a few the right one does
// not help any more. wrong is the error to show: it comes apart from err so that
// the count is kept.
func (tx *Tx) SignInByCode(ctx context.Context, token, code string) (in *KnownVisitor, wrong, err error) {
	c, err := tx.openChallenge(ctx, "sign-in code", challengeSignIn, token)
	if err != nil {
		return nil, nil, err
	}
	if c == nil || c.Attempts >= maxGuesses {
		return nil, errMailedCode("code"), nil
	}
	if subtle.ConstantTimeCompare(c.CodeHash, tx.codeHash(c.ID, code)) != 1 {
		return nil, errMailedCode("code"), tx.s.TryChallenge(ctx, tx.site.ID, c.ID)
	}
	in, err = tx.meet(ctx, c)
	return in, nil, err
}

// SignInByLink signs a visitor in by the link from the mail.
func (tx *Tx) SignInByLink(ctx context.Context, token string) (*KnownVisitor, error) {
	c, err := tx.openChallenge(ctx, "sign-in link", challengeSignIn, token)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, errLink()
	}
	return tx.meet(ctx, c)
}

// ConfirmSubscription has a visitor hear of every changelog entry. A link that
// was used before confirms nothing new and is no error.
func (tx *Tx) ConfirmSubscription(ctx context.Context, token string) error {
	c, err := tx.openChallenge(ctx, "subscribe link", challengeSubscribe, token)
	if err != nil {
		return err
	}
	if c == nil {
		return errLink()
	}
	v, err := tx.verified(ctx, c.Email)
	if err != nil {
		return err
	}
	v.Mail.Subscribed = true
	if err := tx.s.UpdateVisitor(ctx, v); err != nil {
		return err
	}
	return tx.s.UseChallenge(ctx, tx.site.ID, c.ID)
}

// openChallenge finds a challenge that can still be met, or nil.
func (tx *Tx) openChallenge(ctx context.Context, purpose, kind, token string) (*store.Challenge, error) {
	numbers := tx.app.verify(purpose, tx.site.ID, token, 1)
	if numbers == nil {
		return nil, nil
	}
	c, err := tx.s.LockChallenge(ctx, tx.site.ID, numbers[0])
	if err != nil || c == nil || c.Kind != kind || !c.UsedAt.IsZero() || tx.s.Now.After(c.ExpiresAt) {
		return nil, err
	}
	return c, nil
}

// meet ends a challenge that was met: its visitor is signed in.
func (tx *Tx) meet(ctx context.Context, c *store.Challenge) (*KnownVisitor, error) {
	if err := tx.s.UseChallenge(ctx, tx.site.ID, c.ID); err != nil {
		return nil, err
	}
	v, err := tx.verified(ctx, c.Email)
	if err != nil {
		return nil, err
	}
	return tx.signIn(ctx, v)
}

// verified returns the visitor with a proved address, made if there is none.
func (tx *Tx) verified(ctx context.Context, email string) (*feedback.Visitor, error) {
	v, err := tx.s.VisitorByEmail(ctx, tx.site.ID, email)
	if err != nil {
		return nil, err
	}
	if v == nil {
		id, err := tx.s.Visitor(ctx, tx.site.ID, feedback.VisitorRef(feedback.PortalRef+rand.Text()))
		if err != nil {
			return nil, err
		}
		if v, err = tx.s.VisitorByID(ctx, tx.site.ID, id); err != nil {
			return nil, err
		}
		v.Email = email
	}
	if v.VerifiedAt.IsZero() {
		v.VerifiedAt = tx.s.Now
		return v, tx.s.UpdateVisitor(ctx, v)
	}
	return v, nil
}

// signIn begins a session and unites what the visitor did before signing in.
func (tx *Tx) signIn(ctx context.Context, v *feedback.Visitor) (*KnownVisitor, error) {
	if ref := tx.actor.VisitorRef; ref != "" && ref != v.Ref {
		before, err := tx.s.VisitorByRef(ctx, tx.site.ID, ref)
		if err != nil {
			return nil, err
		}
		if before != nil && !before.Known() {
			if v.Name == "" && before.Name != "" {
				v.Name = before.Name
				if err := tx.s.UpdateVisitor(ctx, v); err != nil {
					return nil, err
				}
			}
			if err := tx.s.UniteVisitors(ctx, tx.site.ID, before.ID, v.ID); err != nil {
				return nil, err
			}
		}
	}
	session := rand.Text() + rand.Text()
	return &KnownVisitor{v, session}, tx.s.InsertVisitorSession(ctx, tx.site.ID, sessionHash(session), v.ID, tx.s.Now.Add(sessionTime))
}

func sessionHash(session string) []byte {
	h := sha256.Sum256([]byte(session))
	return h[:]
}

// SessionTime is how long a visitor stays signed in.
func SessionTime() time.Duration { return sessionTime }

// SignedInAs returns the visitor of a session, or of the reference of somebody
// who never signed in, or nil.
func (tx *Tx) SignedInAs(ctx context.Context, session string) (*feedback.Visitor, error) {
	if session != "" {
		if v, err := tx.s.SessionVisitor(ctx, tx.site.ID, sessionHash(session)); v != nil || err != nil {
			return v, err
		}
	}
	if tx.actor.VisitorRef == "" {
		return nil, nil
	}
	return tx.s.VisitorByRef(ctx, tx.site.ID, tx.actor.VisitorRef)
}

// SignOut ends a session.
func (tx *Tx) SignOut(ctx context.Context, session string) error {
	return tx.s.DeleteVisitorSession(ctx, tx.site.ID, sessionHash(session))
}

// NewSSOSecret makes a secret for single sign-on, replaces the one before, and
// returns it: it is shown once.
func (tx *Tx) NewSSOSecret(ctx context.Context) (string, error) {
	if err := tx.s.EnsureSettings(ctx, tx.site.ID); err != nil {
		return "", err
	}
	var raw [32]byte
	rand.Read(raw[:])
	secret := base64.RawURLEncoding.EncodeToString(raw[:])
	sealed := tx.app.cfg.Master.Sealer("sso secrets").Seal([]byte(secret), []byte(tx.site.ID.String()))
	return secret, tx.s.SetSSOSecret(ctx, tx.site.ID, sealed)
}

// RemoveSSOSecret ends single sign-on: no token is taken any more. Who is signed
// in stays so.
func (tx *Tx) RemoveSSOSecret(ctx context.Context) error {
	return tx.s.SetSSOSecret(ctx, tx.site.ID, nil)
}

// SignInByToken signs in whoever a token of the site's own application names. A
// token works once.
func (tx *Tx) SignInByToken(ctx context.Context, token string) (*KnownVisitor, error) {
	sealed, err := tx.s.SSOSecret(ctx, tx.site.ID)
	if err != nil {
		return nil, err
	}
	if sealed == nil {
		return nil, errToken("single sign-on is not set up for this site")
	}
	secret, err := tx.app.cfg.Master.Sealer("sso secrets").Open(sealed, []byte(tx.site.ID.String()))
	if err != nil {
		return nil, fmt.Errorf("open sso secret: %w", err)
	}
	claims, err := readToken(token, secret, tx.site, tx.s.Now)
	if err != nil {
		return nil, err
	}
	isNew, err := tx.s.UseSSOToken(ctx, tx.site.ID, claims.ID, claims.Expires)
	if err != nil {
		return nil, err
	}
	if !isNew {
		return nil, errToken("it was used already")
	}
	v, err := tx.vouched(ctx, claims)
	if err != nil {
		return nil, err
	}
	return tx.signIn(ctx, v)
}

// vouched returns the visitor that the site's application vouches for: the one
// its API key would name by the same id.
func (tx *Tx) vouched(ctx context.Context, c *claims) (*feedback.Visitor, error) {
	id, err := tx.s.Visitor(ctx, tx.site.ID, feedback.VisitorRef(c.Subject))
	if err != nil {
		return nil, err
	}
	v, err := tx.s.VisitorByID(ctx, tx.site.ID, id)
	if err != nil {
		return nil, err
	}
	if c.Email != "" && c.Email != v.Email {
		other, err := tx.s.VisitorByEmail(ctx, tx.site.ID, c.Email)
		if err != nil {
			return nil, err
		}
		if other != nil {
			if err := tx.s.UniteVisitors(ctx, tx.site.ID, other.ID, v.ID); err != nil {
				return nil, err
			}
			if v.Name == "" {
				v.Name = other.Name
			}
			v.Mail = other.Mail
		}
		v.Email = c.Email
	}
	if c.Name != "" && v.Name == "" {
		v.Name = c.Name
	}
	v.VerifiedAt = tx.s.Now
	return v, tx.s.UpdateVisitor(ctx, v)
}
