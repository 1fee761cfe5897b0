package dashboard

import (
	"net/http"

	"heed/internal/app"
)

// overview is where a site stands, and what to do next.
func (c *call) overview() error {
	var o *app.Overview
	err := c.read(func(tx *app.Tx) (err error) {
		o, err = tx.Overview(c.ctx)
		return err
	})
	if err != nil {
		return err
	}
	v := c.chrome("Overview", "overview")
	for _, s := range o.Statuses {
		v.color(s.Color)
	}
	return c.render(http.StatusOK, overviewPage(v, o))
}
