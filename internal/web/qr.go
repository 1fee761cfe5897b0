package web

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/a-h/templ"
	"rsc.io/qr"
)

// quiet is how many light modules must surround a QR code.
const quiet = 4

// QR draws a QR code of a text, dark on light in every scheme, as cameras want
// it, with little correction: nothing is smudged on a screen. A text that is too long for one draws nothing: what it says stands beside
// it anyway.
func QR(label, text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, out io.Writer) error {
		c, err := qr.Encode(text, qr.L)
		if err != nil {
			return nil
		}
		var b strings.Builder
		size := c.Size + 2*quiet
		fmt.Fprintf(&b, `<svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="%s" shape-rendering="crispEdges"><rect width="%d" height="%d"/><path d="`,
			size, size, templ.EscapeString(label), size, size)
		for y := range c.Size {
			for x := 0; x < c.Size; x++ {
				run := 0
				for x+run < c.Size && c.Black(x+run, y) {
					run++
				}
				if run > 0 {
					fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", x+quiet, y+quiet, run, run)
					x += run
				}
			}
		}
		b.WriteString(`"/></svg>`)
		_, err = io.WriteString(out, b.String())
		return err
	})
}
