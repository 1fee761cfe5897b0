package dashboard

// signOnView is what the operator must know of single sign-on.
type signOnView struct {
	Name, Issuer, Callback string
}

func (c *call) signOn() signOnView {
	return signOnView{Callback: c.cfg.BaseURL + "/signin/oidc/callback"}
}
