package dashboard

import (
	"net/http"

	"heed/internal/app"
	"heed/internal/feedback"
)

// operatorView is the page of whoever runs the installation.
type operatorView struct {
	*app.Installation
	More    string
	Version string
	SignOn  signOnView
}

func (c *call) operator() error {
	w := feedback.Window{After: position(c.r.URL.Query().Get("after")), Limit: feedback.DefaultLimit}
	in, err := c.cfg.App.Installation(c.ctx, w)
	if err != nil {
		return err
	}
	v := operatorView{Installation: in, More: nextPage(c.r, in.Next), Version: c.cfg.Version, SignOn: c.signOn()}
	return c.render(http.StatusOK, operatorPage(c.chrome("Operator", "operator"), v))
}

func (c *call) setPlan() error {
	account, plan := c.r.PathValue("account"), feedback.Plan(c.form("plan"))
	err := c.change("account.plan_changed", account+" to "+string(plan), func(tx *app.Tx) error {
		return tx.ChangePlan(c.ctx, account, plan)
	})
	if err != nil {
		return c.refused("/dash/operator", err)
	}
	return c.done("/dash/operator", "The plan is changed. It holds from the next request.")
}
