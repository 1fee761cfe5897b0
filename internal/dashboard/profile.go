package dashboard

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
)

// profileView is the page of the reader's own things.
type profileView struct {
	Name     string
	Sessions []feedback.Session
	Error    string // of the change of the password
	Factor   *app.SecondFactor
	Codes    []string // to be written down, shown once
	Fresh    bool     // they stand in the place of others
	Left     int      // recovery codes that are not used

	Passkeys     []feedback.Passkey
	PasskeysWork bool          // browsers offer them here
	NewPasskey   *app.Ceremony // one is being added
	PasskeyName  string
	SignOn       signOnView
	Identity     *feedback.Identity // who the member is there; nil: not known
}

func (c *call) profile() error {
	return c.showProfile(http.StatusOK, profileView{Name: c.who.Member.Name})
}

func (c *call) showProfile(status int, v profileView) error {
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Sessions, err = tx.Sessions(c.ctx); err != nil {
			return err
		}
		if v.Passkeys, err = tx.Passkeys(c.ctx); err != nil {
			return err
		}
		if v.Identity, err = tx.Identity(c.ctx); err != nil || !c.who.TOTP {
			return err
		}
		v.Left, err = tx.RecoveryCodesLeft(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	v.PasskeysWork, v.SignOn = c.cfg.App.Passkeys(), c.signOn()
	return c.render(status, profilePage(c.chrome("Your profile", "profile"), v))
}

func (c *call) renameMe() error {
	name := c.form("name")
	err := c.change("member.renamed", c.who.Member.Email, func(tx *app.Tx) error {
		return tx.RenameMe(c.ctx, feedback.MemberName(name))
	})
	if c.again(err) {
		return c.showProfile(http.StatusUnprocessableEntity, profileView{Name: name})
	}
	if err != nil {
		return err
	}
	return c.done("/dash/profile", "Your name is changed.")
}

// changePassword asks for the old password always: whoever finds a screen
// unlocked must not be able to keep the account.
func (c *call) changePassword() error {
	again := func(err error) error {
		e, ok := asError(err)
		if !ok || e.Code == feedback.Internal {
			return err
		}
		v := profileView{Name: c.who.Member.Name}
		if !c.again(err) || e.Code == feedback.Unauthenticated {
			v.Error = e.Msg + " " + e.Hint
		}
		status, _ := statusOf(e.Code)
		return c.showProfile(status, v)
	}
	if err := c.throttle(c.who.Member.Email); err != nil {
		return again(err)
	}
	if err := c.cfg.App.Prove(c.ctx, c.who, c.r.PostFormValue("_password"), c.r.PostFormValue("_code")); err != nil {
		return again(err)
	}
	if err := c.cfg.App.ChangePassword(c.ctx, c.who, feedback.NewPassword{Password: c.r.PostFormValue("password")}); err != nil {
		return again(err)
	}
	return c.done("/dash/profile", "Your password is changed. You are signed out everywhere else.")
}

func (c *call) endSession() error {
	session := c.r.PathValue("session")
	err := c.change("session.ended", session, func(tx *app.Tx) error { return tx.EndSession(c.ctx, session) })
	if err != nil {
		return err
	}
	return c.done("/dash/profile", "That session has ended.")
}

func (c *call) endOtherSessions() error {
	err := c.change("session.ended", "all others", func(tx *app.Tx) error {
		return tx.EndOtherSessions(c.ctx, c.who.Session.ID)
	})
	if err != nil {
		return err
	}
	return c.done("/dash/profile", "You are signed out everywhere else.")
}

// newTOTP shows a secret for an app. Nothing is kept until a code proves that
// the app has it.
func (c *call) newTOTP() error {
	v := profileView{Name: c.who.Member.Name}
	err := c.read(func(tx *app.Tx) error {
		f := tx.NewSecondFactor(c.who.Member.Email)
		v.Factor = &f
		return nil
	})
	if err != nil {
		return err
	}
	c.secret()
	return c.showProfile(http.StatusOK, v)
}

func (c *call) enableTOTP() error {
	v := profileView{Name: c.who.Member.Name}
	secret := c.form("secret")
	c.secret()
	err := c.change("second_factor.enabled", c.who.Member.Email, func(tx *app.Tx) (err error) {
		v.Codes, err = tx.EnableSecondFactor(c.ctx, secret, c.form("code"))
		return err
	})
	if c.again(err) {
		v.Factor = &app.SecondFactor{Secret: secret}
		return c.showProfile(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return c.refused("/dash/profile", err)
	}
	c.who.TOTP = true
	return c.showProfile(http.StatusOK, v)
}

// newRecoveryCodes answers with the page itself: the codes are in this answer and
// nowhere else.
func (c *call) newRecoveryCodes() error {
	v := profileView{Name: c.who.Member.Name, Fresh: true}
	c.secret()
	err := c.change("recovery_codes.made", c.who.Member.Email, func(tx *app.Tx) (err error) {
		v.Codes, err = tx.NewRecoveryCodes(c.ctx)
		return err
	})
	if err != nil {
		return c.refused("/dash/profile", err)
	}
	return c.showProfile(http.StatusOK, v)
}

func (c *call) disableTOTP() error {
	err := c.change("second_factor.disabled", c.who.Member.Email, func(tx *app.Tx) error {
		return tx.DisableSecondFactor(c.ctx)
	})
	if err != nil {
		return err
	}
	return c.done("/dash/profile", "The second factor is off.")
}
