package dashboard

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// forgotView is the page of those who have forgotten their password.
type forgotView struct {
	Email, Error string
	Sent         bool
	Problems     feedback.Problems
}

func (c *call) showForgot() error {
	return c.render(http.StatusOK, forgotPage(c.gate("New password"), forgotView{}))
}

// forgot asks for a mail with a link. The answer is the same for every address,
// and so is the work done before it is sent.
func (c *call) forgot() error {
	v := forgotView{Email: feedback.CleanEmail(c.form("email"))}
	err := c.attempt(app.Attempt{Kind: "reset", By: v.Email, Pace: feedback.PaceReset})
	if err == nil {
		err = c.cfg.App.AskReset(c.ctx, v.Email, c.client())
	}
	e, ok := asError(err)
	switch problems, field := web.ProblemsOf(err); {
	case field:
		v.Problems = problems
	case ok && e.Code == feedback.RateLimited:
		v.Error = e.Msg + " " + e.Hint
	case err != nil:
		return err
	default:
		v.Sent = true
		return c.render(http.StatusOK, forgotPage(c.gate("Look into your mail"), v))
	}
	status, _ := statusOf(e.Code)
	return c.render(status, forgotPage(c.gate("New password"), v))
}

// linkView is a page behind a link that works once.
type linkView struct {
	Token, Account, Email, Name string
	Role                        feedback.Role
	Problems                    feedback.Problems
}

func (c *call) showReset() error {
	c.noReferrer()
	token := c.r.PathValue("token")
	if err := c.cfg.App.CheckReset(c.ctx, token); err != nil {
		return err
	}
	return c.render(http.StatusOK, resetPage(c.gate("New password"), linkView{Token: token}))
}

func (c *call) resetPassword() error {
	c.noReferrer()
	v := linkView{Token: c.r.PathValue("token")}
	err := c.cfg.App.ResetPassword(c.ctx, v.Token, feedback.NewPassword{Password: c.r.PostFormValue("password")}, c.client())
	if problems, ok := web.ProblemsOf(err); ok {
		v.Problems = problems
		return c.render(http.StatusUnprocessableEntity, resetPage(c.gate("New password"), v))
	}
	if err != nil {
		return err
	}
	return c.redirect("/signin")
}
