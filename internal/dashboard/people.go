package dashboard

import (
	"net/http"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// membersView is the page of people.
type membersView struct {
	Members     []feedback.Member
	Invitations []feedback.Invitation
	Usage       app.Usage
	Email       string
	Role        feedback.Role
	Full        error  // no seat is left
	Link, For   string // to be copied, shown once
	LinkTitle   string
}

func (c *call) members() error {
	return c.showMembers(http.StatusOK, membersView{Role: feedback.Editor})
}

func (c *call) showMembers(status int, v membersView) error {
	err := c.read(func(tx *app.Tx) (err error) {
		if v.Members, err = tx.Members(c.ctx); err != nil {
			return err
		}
		if v.Invitations, err = tx.Invitations(c.ctx); err != nil {
			return err
		}
		v.Usage, err = tx.Usage(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	v.Full = c.cfg.App.PlanLimits().Allow(c.who.Account.Plan, feedback.Seats, v.Usage.Seats)
	return c.render(status, membersPage(c.chrome("Members", "members"), v))
}

// invite answers with the page itself: the link is in this answer and nowhere
// else.
func (c *call) invite() error {
	v := membersView{Email: c.form("email"), Role: feedback.Role(c.form("role"))}
	var inv *feedback.Invitation
	var token string
	err := c.change("member.invited", feedback.CleanEmail(v.Email), func(tx *app.Tx) (err error) {
		inv, token, err = tx.Invite(c.ctx, feedback.NewInvitation{Email: v.Email, Role: v.Role})
		return err
	})
	if c.again(err) {
		return c.showMembers(http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	c.secret()
	return c.showMembers(http.StatusOK, membersView{
		Role: feedback.Editor, Link: c.cfg.BaseURL + "/invite/" + token, For: inv.Email, LinkTitle: "Invitation for " + inv.Email,
	})
}

func (c *call) revokeInvitation() error {
	id := c.r.PathValue("invitation")
	if err := c.change("invitation.revoked", id, func(tx *app.Tx) error { return tx.RevokeInvitation(c.ctx, id) }); err != nil {
		return err
	}
	return c.done("/dash/members", "The invitation is revoked. Its link does not work any more.")
}

func (c *call) changeRole() error {
	id, role := c.r.PathValue("member"), feedback.Role(c.form("role"))
	err := c.change("member.role_changed", id+" to "+string(role), func(tx *app.Tx) error {
		_, err := tx.ChangeRole(c.ctx, id, role)
		return err
	})
	if err != nil {
		return c.refused("/dash/members", err)
	}
	return c.done("/dash/members", "The role is changed.")
}

func (c *call) removeMember() error {
	id := c.r.PathValue("member")
	err := c.change("member.removed", id, func(tx *app.Tx) error {
		_, err := tx.RemoveMember(c.ctx, id)
		return err
	})
	if err != nil {
		return c.refused("/dash/members", err)
	}
	if id == c.who.Member.ID.String() {
		return c.redirect("/signin")
	}
	return c.done("/dash/members", "The member is removed and signed out everywhere.")
}

func (c *call) removeFactor() error {
	id := c.r.PathValue("member")
	var m *feedback.Member
	err := c.change("second_factor.removed", id, func(tx *app.Tx) (err error) {
		m, err = tx.RemoveSecondFactor(c.ctx, id)
		return err
	})
	if err != nil {
		return c.refused("/dash/members", err)
	}
	return c.done("/dash/members", m.Name+" signs in without a second factor until they set one up again. They are told by mail.")
}

func (c *call) resetLink() error {
	id := c.r.PathValue("member")
	var m *feedback.Member
	var token string
	err := c.change("password.reset_link", id, func(tx *app.Tx) (err error) {
		m, token, err = tx.ResetLink(c.ctx, id)
		return err
	})
	if err != nil {
		return c.refused("/dash/members", err)
	}
	c.secret()
	return c.showMembers(http.StatusOK, membersView{
		Role: feedback.Editor, Link: c.cfg.BaseURL + "/reset/" + token, For: m.Email, LinkTitle: "New password for " + m.Email,
	})
}

func (c *call) showInvitation() error {
	c.noReferrer()
	token := c.r.PathValue("token")
	inv, account, err := c.cfg.App.Invitation(c.ctx, token)
	if err != nil {
		return err
	}
	v := linkView{Token: token, Account: account, Email: inv.Email, Role: inv.Role}
	return c.render(http.StatusOK, invitationPage(c.gate("Join "+account), v))
}

func (c *call) acceptInvitation() error {
	c.noReferrer()
	v := linkView{Token: c.r.PathValue("token"), Name: c.form("name")}
	session, err := c.cfg.App.AcceptInvitation(c.ctx, v.Token, feedback.NewMember{
		Name: feedback.MemberName(v.Name), Password: c.r.PostFormValue("password"),
	}, c.client())
	if problems, ok := web.ProblemsOf(err); ok {
		inv, account, err := c.cfg.App.Invitation(c.ctx, v.Token)
		if err != nil {
			return err
		}
		v.Account, v.Email, v.Role, v.Problems = account, inv.Email, inv.Role, problems
		return c.render(http.StatusUnprocessableEntity, invitationPage(c.gate("Join "+account), v))
	}
	if err != nil {
		return err
	}
	c.setCookie(c.sessionCookie(), session, int(feedback.SessionLife/time.Second))
	return c.redirect("/dash")
}

// planView is the page of the plan.
type planView struct {
	Usage  app.Usage
	Limits feedback.PlanLimits
}

func (c *call) plan() error {
	v := planView{Limits: c.cfg.App.PlanLimits()}
	err := c.read(func(tx *app.Tx) (err error) {
		v.Usage, err = tx.Usage(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	return c.render(http.StatusOK, planPage(c.chrome("Plan", "plan"), v))
}
