package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rsc.io/qr"

	"heed/internal/web"
)

// The picture paints the dark modules of the code and no others, inside the quiet
// zone.
func TestQR(t *testing.T) {
	const text = "otpauth://totp/Heed:ada@example.com?secret=ABC"
	c, err := qr.Encode(text, qr.L)
	if err != nil {
		t.Fatal(err)
	}
	svg := render(t, web.QR(`"quoted"`, text))
	if !strings.Contains(svg, `aria-label="&#34;quoted&#34;"`) || !strings.Contains(svg, fmt.Sprintf(`viewBox="0 0 %d %d"`, c.Size+8, c.Size+8)) {
		t.Errorf("the picture is %s", svg[:200])
	}
	painted := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M\d+ \d+h\d+v1h-\d+z`).FindAllString(svg, -1) {
		var x, y, run, back int
		if _, err := fmt.Sscanf(m, "M%d %dh%dv1h-%dz", &x, &y, &run, &back); err != nil || back != run {
			t.Fatalf("%s: %v", m, err)
		}
		for i := range run {
			painted[[2]int{x + i - 4, y - 4}] = true
		}
	}
	for y := range c.Size {
		for x := range c.Size {
			if at := [2]int{x, y}; painted[at] != c.Black(x, y) {
				t.Errorf("module %v: painted %v", at, painted[at])
			}
		}
	}
	if long := render(t, web.QR("", strings.Repeat("x", 3000))); long != "" {
		t.Errorf("a text that is too long draws %q", long)
	}
}
