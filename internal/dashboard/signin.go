package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/ratelimit"
	"heed/internal/web"
)

func queryEscape(s string) string { return url.QueryEscape(s) }

func asError(err error) (*feedback.Error, bool) { return errors.AsType[*feedback.Error](err) }

// networkRate is [feedback.PaceNetwork] as this process alone counts it: what is
// refused here costs the database nothing.
var networkRate = ratelimit.Rate{
	Requests: int(time.Minute / feedback.PaceNetwork.Every), Window: time.Minute, Burst: feedback.PaceNetwork.Burst,
}

const deviceCookie = "heed_device"

// device returns the name of a browser that has signed in with the address
// before, or "".
func (c *call) device(email string) string {
	k, err := c.r.Cookie(deviceCookie)
	if err != nil {
		return ""
	}
	for known := range strings.SplitSeq(k.Value, "|") {
		if nonce, ok := c.cfg.App.KnownDevice(known, feedback.CleanEmail(email)); ok {
			return nonce
		}
	}
	return ""
}

// knowDevice has the browser be known from now on.
func (c *call) knowDevice(email string) {
	if c.device(email) != "" {
		return
	}
	value := c.cfg.App.NewDevice(feedback.CleanEmail(email))
	if k, err := c.r.Cookie(deviceCookie); err == nil {
		// A browser that several members share knows the last few.
		for i, known := range strings.Split(k.Value, "|") {
			if i < 3 {
				value += "|" + known
			}
		}
	}
	c.setCookie(deviceCookie, value, 365*24*3600)
}

// passwordHelp is the rule for passwords.
var passwordHelp = fmt.Sprintf("At least %d characters.", feedback.MinPassword)

// throttle returns nil if another try to sign in with an address is allowed.
func (c *call) throttle(email string) error {
	if dev := c.device(email); dev != "" {
		return c.attempt(app.Attempt{Kind: "sign-in by a known browser", By: dev, Pace: feedback.PaceDevice})
	}
	return c.attempt(app.Attempt{Kind: "sign-in", By: feedback.CleanEmail(email), Pace: feedback.PaceStranger})
}

// attempt returns nil if something may be tried, also from this network.
func (c *call) attempt(more ...app.Attempt) error {
	res := c.networks.Allow(c.network(), networkRate)
	err := feedback.ErrPace(res.RetryAfter)
	if res.Allowed {
		network := app.Attempt{Kind: "network", By: c.network().String(), Pace: feedback.PaceNetwork}
		err = c.cfg.App.Attempt(c.ctx, append([]app.Attempt{network}, more...)...)
	}
	if e, ok := asError(err); ok && e.Code == feedback.RateLimited {
		c.w.Header().Set("Retry-After", fmt.Sprint(e.Details["retryAfterSeconds"]))
	}
	return err
}

// signInView is what the pages of signing in show.
type signInView struct {
	Email, Next, Error string
	Ticket, Member     string
	Doors              []app.Door
	Empty              bool // nobody has set the installation up yet
	Passkey            *app.Ceremony
	SignOn             signOnView
	Welcomes           []app.Welcome // accounts the address is invited to
}

func (c *call) showSignIn() error {
	next := web.Local(c.r.URL.Query().Get("next"), "/dash")
	if c.who != nil {
		return c.redirect(next)
	}
	empty, err := c.cfg.App.Empty(c.ctx)
	if err != nil {
		return err
	}
	return c.signInPage(http.StatusOK, signInView{Next: next, Empty: empty})
}

// signInPage shows the ways to sign in.
func (c *call) signInPage(status int, v signInView) (err error) {
	if v.Passkey, err = c.cfg.App.AskPasskey(); err != nil {
		return err
	}
	v.SignOn = c.signOn()
	return c.render(status, signInPage(c.gate("Sign in"), v))
}

func (c *call) signIn() error {
	v := signInView{Email: c.form("email"), Next: web.Local(c.form("next"), "/dash")}
	if err := c.throttle(v.Email); err != nil {
		return c.signInAgain(v, err)
	}
	doors, err := c.cfg.App.SignIn(c.ctx, v.Email, c.form("password"))
	if err != nil {
		return c.signInAgain(v, err)
	}
	v.Ticket = doors.Ticket
	if len(doors.Doors) > 1 {
		v.Doors = doors.Doors
		c.secret()
		return c.render(http.StatusOK, choosePage(c.gate("Choose an account"), v))
	}
	v.Member = doors.Doors[0].Member.String()
	return c.enterWith(v, "")
}

// signInAgain shows the form again with what went wrong, if it is a matter of
// signing in.
func (c *call) signInAgain(v signInView, err error) error {
	e, ok := asError(err)
	if !ok || !signInError(e) {
		return err
	}
	v.Error = e.Msg + " " + e.Hint
	status, _ := statusOf(e.Code)
	return c.signInPage(status, v)
}

// enter is the second step: an account was chosen, or a code typed.
func (c *call) enter() error {
	v := signInView{
		Email: c.form("email"), Next: web.Local(c.form("next"), "/dash"), Ticket: c.form("ticket"), Member: c.form("member"),
	}
	if err := c.throttle(v.Email); err != nil {
		return c.signInAgain(v, err)
	}
	return c.enterWith(v, c.form("code"))
}

func (c *call) enterWith(v signInView, code string) error {
	in, err := c.cfg.App.Enter(c.ctx, v.Ticket, v.Member, code, c.client())
	switch e, ok := asError(err); {
	case ok && e.Details["field"] == "code":
		v.Error = e.Msg + " " + e.Hint
		c.secret()
		return c.render(http.StatusUnauthorized, codePage(c.gate("Second factor"), v))
	case err != nil:
		return c.signInAgain(v, err)
	case in.NeedCode:
		c.secret()
		return c.render(http.StatusOK, codePage(c.gate("Second factor"), v))
	}
	if v.Email != "" {
		c.knowDevice(v.Email)
	}
	return c.startSession(in.Token, v.Next)
}

// startSession gives the browser the token of a new session. Whatever session it
// had before ends: a token that somebody planted is worth nothing.
func (c *call) startSession(token, next string) error {
	if c.who != nil {
		_ = c.cfg.App.Change(c.ctx, c.who.Actor, app.Target{}, "session.ended", c.who.Session.ID.String(), func(tx *app.Tx) error {
			return tx.EndSession(c.ctx, c.who.Session.ID.String())
		})
	}
	c.setCookie(c.sessionCookie(), token, int(feedback.SessionLife/time.Second))
	return c.redirect(next)
}

func (c *call) signOut() error {
	err := c.cfg.App.Change(c.ctx, c.who.Actor, app.Target{}, "session.ended", c.who.Session.ID.String(), func(tx *app.Tx) error {
		return tx.EndSession(c.ctx, c.who.Session.ID.String())
	})
	if err != nil && !feedback.IsNotFound(err) {
		return err
	}
	c.setCookie(c.sessionCookie(), "", -1)
	c.w.Header().Set("Clear-Site-Data", `"cache"`)
	return c.redirect("/signin")
}

// prove asks whoever acts to show who they are. The form they sent goes along
// and is sent again with the password, so that nothing is lost.
func (c *call) prove() error {
	v := proofView{Action: c.r.URL.Path, TOTP: c.who.TOTP, Password: c.who.Password, SignOn: c.signOn(), Next: c.cameFrom()}
	password, answer := c.r.PostFormValue("_password"), c.r.PostFormValue("_answer")
	if password != "" || answer != "" {
		err := c.throttle(c.who.Member.Email)
		switch {
		case err != nil:
		case answer != "":
			err = c.cfg.App.ProveByPasskey(c.ctx, c.who, c.r.PostFormValue("_state"), answer)
		default:
			err = c.cfg.App.Prove(c.ctx, c.who, password, c.r.PostFormValue("_code"))
		}
		if err == nil {
			return nil
		}
		e, ok := asError(err)
		if !ok {
			return err
		}
		v.Error = e.Msg + " " + e.Hint
	}
	for name, values := range c.r.PostForm {
		if strings.HasPrefix(name, "_") {
			continue
		}
		for _, value := range values {
			v.Fields = append(v.Fields, [2]string{name, value})
		}
	}
	var err error
	if v.Passkey, err = c.cfg.App.AskProof(c.ctx, c.who); err != nil {
		return err
	}
	c.secret()
	if err := c.render(http.StatusForbidden, proofPage(c.gate("Confirm that it is you"), v)); err != nil {
		return err
	}
	return errAnswered
}

type proofView struct {
	Action, Error string
	TOTP          bool
	Password      bool // the member has one
	SignOn        signOnView
	Next          string // where to go after signing in anew
	Fields        [][2]string
	Passkey       *app.Ceremony // nil: the member has none
}
