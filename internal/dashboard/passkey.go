package dashboard

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// newPasskey asks for a name and has the browser make a passkey. Nothing is kept
// until it has.
func (c *call) newPasskey() error {
	return c.askPasskey(http.StatusOK, "")
}

func (c *call) askPasskey(status int, name string) error {
	v := profileView{Name: c.who.Member.Name, PasskeyName: name}
	err := c.read(func(tx *app.Tx) (err error) {
		v.NewPasskey, err = tx.NewPasskey(c.ctx, c.who.Member.Email)
		return err
	})
	if err != nil {
		return c.refused("/dash/profile", err)
	}
	c.secret()
	return c.showProfile(status, v)
}

func (c *call) addPasskey() error {
	name := c.form("passkey-name")
	err := c.change("passkey.added", name, func(tx *app.Tx) error {
		_, err := tx.AddPasskey(c.ctx, c.who.Member.Email, feedback.NewPasskey{Name: feedback.PasskeyName(name)},
			c.form("state"), c.r.PostFormValue("answer"))
		return err
	})
	if c.again(err) {
		for i := range c.problems {
			// Another form of the page has a name, too.
			c.problems[i].Path = "passkey-" + c.problems[i].Path
		}
		// The form is asked again with a new question: the one before is gone
		// with its answer.
		return c.askPasskey(http.StatusUnprocessableEntity, name)
	}
	if err != nil {
		return c.refused("/dash/profile", err)
	}
	return c.done("/dash/profile", "The passkey is added. You can sign in with it from now on.")
}

func (c *call) removePasskey() error {
	id := c.r.PathValue("passkey")
	err := c.change("passkey.removed", id, func(tx *app.Tx) error { return tx.RemovePasskey(c.ctx, id) })
	if err != nil {
		return err
	}
	return c.done("/dash/profile", "The passkey is removed. You can delete it from your device, too.")
}

// signInByPasskey is a whole sign-in: the passkey is something the member has, and
// it asked them for a finger, a face or a PIN.
func (c *call) signInByPasskey() error {
	v := signInView{Next: web.Local(c.form("next"), "/dash")}
	if err := c.attempt(); err != nil {
		return c.signInAgain(v, err)
	}
	token, member, err := c.cfg.App.EnterByPasskey(c.ctx, c.form("state"), c.r.PostFormValue("answer"), c.client())
	if err != nil {
		return c.signInAgain(v, err)
	}
	c.knowDevice(member.Email)
	return c.startSession(token, v.Next)
}
