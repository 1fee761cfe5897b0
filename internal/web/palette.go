package web

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// People choose colours: of a status, a tag, a site. A strict policy allows no
// style attribute, so a colour becomes a class and the classes of a page become
// a sheet. The colours stand in the URL of the sheet: it is a pure function,
// served to anybody and kept forever.

// maxPalette bounds the length of the URL. Colours beyond it are grey.
const maxPalette = 200

var hexColor = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// Palette returns the URL of the sheet that defines the accent of a site and the
// classes of colours, each spelled #rrggbb. An accent that is "" leaves the
// accent of the stylesheet.
func Palette(accent string, colors ...string) string {
	list := make([]string, 0, len(colors))
	for _, c := range colors {
		if c = strings.ToLower(c); hexColor.MatchString(c) {
			list = append(list, c[1:])
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	list = list[:min(len(list), maxPalette)]
	if accent = strings.ToLower(accent); hexColor.MatchString(accent) {
		list = append([]string{"a" + accent[1:]}, list...)
	}
	if len(list) == 0 {
		return ""
	}
	return palettePath + strings.Join(list, "-") + ".css"
}

const palettePath = "/assets/palette/"

// ColorClass is the class that a [Palette] with this colour defines. It gives
// the element the custom property --c, which pills, tags and dots use.
func ColorClass(color string) string {
	color = strings.ToLower(color)
	if !hexColor.MatchString(color) {
		return ""
	}
	return "c-" + color[1:]
}

var (
	paletteName  = regexp.MustCompile(`^(a[0-9a-f]{6}|[0-9a-f]{6})(-[0-9a-f]{6})*$`)
	paletteLimit = len(palettePath) + 8*(maxPalette+1) + len(".css")
)

// paletteCSS is the sheet that Palette named.
func paletteCSS(urlPath string) ([]byte, bool) {
	name, ok := strings.CutPrefix(urlPath, palettePath)
	if ok {
		name, ok = strings.CutSuffix(name, ".css")
	}
	if !ok || len(urlPath) > paletteLimit || !paletteName.MatchString(name) {
		return nil, false
	}
	var b strings.Builder
	for _, c := range strings.Split(name, "-") {
		if len(c) == 7 {
			a := AccentOf("#" + c[1:])
			fmt.Fprintf(&b, ":root{--accent:%s;--on-accent:%s;--accent-dark:%s;--on-accent-dark:%s}\n",
				a.Light, a.OnLight, a.Dark, a.OnDark)
			continue
		}
		fmt.Fprintf(&b, ".c-%s{--c:#%s}\n", c, c)
	}
	return []byte(b.String()), true
}

// Accent is a site's colour as it can be read: in each scheme the shade nearest
// to the chosen one that text in it, and on it, keeps a contrast of 4.5 to 1.
type Accent struct {
	Light, OnLight string
	Dark, OnDark   string
	// Adjusted says that the chosen colour itself is too pale for the light
	// scheme, so that a form can tell whoever chose it.
	Adjusted bool
}

// The surfaces that accents stand on, as in app.css; the soft backgrounds that
// mix them with the accent take a little contrast away, hence the margin.
const (
	lightSurface = "#f4f4f6"
	darkSurface  = "#1d2027"
	wanted       = 4.9
)

// AccentOf derives the two shades of a colour spelled #rrggbb. For anything else
// it returns those of the default accent.
func AccentOf(color string) Accent {
	color = strings.ToLower(color)
	if !hexColor.MatchString(color) {
		color = DefaultAccent
	}
	a := Accent{Light: shade(color, lightSurface, black), Dark: shade(color, darkSurface, white)}
	a.Adjusted = a.Light != color
	a.OnLight, a.OnDark = on(a.Light), on(a.Dark)
	return a
}

// Reading is how a chosen colour does in one scheme.
type Reading struct {
	Scheme string  // light or dark
	Shade  string  // what is shown: the colour, or the nearest shade of it that can be read
	Ink    string  // of text on it
	Chosen float64 // the contrast of the colour itself with the page
	Shown  float64 // of the shade
	Inked  float64 // of text on the shade
}

// Adjusted reports whether the colour itself could not be read.
func (r Reading) Adjusted() bool { return r.Chosen < wanted }

// Readings says how a colour spelled #rrggbb does in the light and in the dark
// scheme, so that a form can tell whoever chooses it. For anything else it speaks
// of the default accent.
func Readings(color string) [2]Reading {
	if color = strings.ToLower(color); !hexColor.MatchString(color) {
		color = DefaultAccent
	}
	a := AccentOf(color)
	reading := func(scheme, shade, ink, surface string) Reading {
		return Reading{scheme, shade, ink, Contrast(color, surface), Contrast(shade, surface), Contrast(ink, shade)}
	}
	return [2]Reading{reading("light", a.Light, a.OnLight, lightSurface), reading("dark", a.Dark, a.OnDark, darkSurface)}
}

// DefaultAccent is the accent of a site that chose none.
const DefaultAccent = "#4f46e5"

type rgb [3]float64

var (
	black = rgb{0, 0, 0}
	white = rgb{255, 255, 255}
)

func parse(hex string) rgb {
	n, _ := strconv.ParseUint(hex[1:], 16, 32)
	return rgb{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// shade moves a colour towards an end until it can be read on a surface.
func shade(color, surface string, end rgb) string {
	c, s := parse(color), parse(surface)
	for i := 0.0; i <= 1; i += 0.02 {
		mixed := rgb{c[0] + (end[0]-c[0])*i, c[1] + (end[1]-c[1])*i, c[2] + (end[2]-c[2])*i}
		if contrast(parse(mixed.String()), s) >= wanted {
			return mixed.String()
		}
	}
	return end.String()
}

// on is the colour of text on a background.
func on(background string) string {
	b := parse(background)
	if contrast(white, b) >= contrast(parse("#0d0e1b"), b) {
		return "#ffffff"
	}
	return "#0d0e1b"
}

// Contrast is the ratio of WCAG 2 between two colours spelled #rrggbb, from 1 to
// 21. For anything else it is 1.
func Contrast(a, b string) float64 {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if !hexColor.MatchString(a) || !hexColor.MatchString(b) {
		return 1
	}
	return contrast(parse(a), parse(b))
}

func contrast(a, b rgb) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c rgb) float64 {
	channel := func(v float64) float64 {
		if v /= 255; v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(c[0]) + 0.7152*channel(c[1]) + 0.0722*channel(c[2])
}
