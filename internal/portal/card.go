package portal

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// A card is the picture of a page that others show when it is shared, 1200 by
// 630. It is drawn here with the fonts of Go: no browser and no other host.

type faces struct{ title, text, count font.Face }

var (
	loadFaces = sync.OnceValue(func() faces {
		face := func(ttf []byte, size float64) font.Face {
			f, err := opentype.Parse(ttf)
			if err != nil {
				panic(err) // the fonts are part of the program
			}
			out, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
			if err != nil {
				panic(err)
			}
			return out
		}
		return faces{face(gobold.TTF, 62), face(goregular.TTF, 34), face(gobold.TTF, 44)}
	})
	// Faces keep the last glyph they drew, so one card is drawn at a time.
	drawing sync.Mutex
)

func parseColor(s string) color.RGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil {
		n = 0x4f46e5
	}
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}

// drawable reports whether the fonts have every character of a text. A card
// with boxes instead of letters says less than one without the text.
func drawable(s string) bool {
	for _, r := range s {
		if r > 0x24f && (r < 0x370 || r > 0x52f) && (r < 0x2010 || r > 0x2026) {
			return false
		}
	}
	return true
}

// drawCard draws a card. votes below zero are left out.
func drawCard(accent, site, title, below string, votes int) ([]byte, error) {
	drawing.Lock()
	defer drawing.Unlock()
	f := loadFaces()
	im := image.NewRGBA(image.Rect(0, 0, 1200, 630))
	fill := func(r image.Rectangle, c color.Color) { draw.Draw(im, r, image.NewUniform(c), image.Point{}, draw.Src) }
	text := func(face font.Face, c color.Color, x, y int, s string) {
		(&font.Drawer{Dst: im, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}).DrawString(s)
	}
	brand, ink, grey := parseColor(accent), color.RGBA{0x17, 0x18, 0x1c, 255}, color.RGBA{0x62, 0x66, 0x72, 255}
	fill(im.Bounds(), color.RGBA{0xfa, 0xfa, 0xfb, 255})
	fill(image.Rect(0, 0, 1200, 14), brand)
	if !drawable(site) {
		site = "Feedback"
	}
	if !drawable(title) {
		title = site
	}
	text(f.text, grey, 80, 120, cut(site, 50))
	for i, line := range wrap(f.title, title, 1040, 3) {
		text(f.title, ink, 80, 235+i*78, line)
	}
	x := 80
	if votes >= 0 {
		n := "+" + strconv.Itoa(votes)
		w := font.MeasureString(f.count, n).Ceil() + 56
		fill(image.Rect(80, 470, 80+w, 560), brand)
		text(f.count, parseColor(web.AccentOf(accent).OnLight), 108, 530, n)
		x += w + 32
	}
	if drawable(below) {
		text(f.text, grey, x, 528, below)
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, im)
	return b.Bytes(), err
}

// wrap breaks a text into at most n lines of a width.
func wrap(face font.Face, s string, width, n int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		longer := strings.TrimSpace(line + " " + word)
		if font.MeasureString(face, longer).Ceil() <= width {
			line = longer
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for font.MeasureString(face, word).Ceil() > width {
			word = word[:len(word)-1]
		}
		if line = word; len(lines) == n {
			break
		}
	}
	if lines = append(lines, line); len(lines) > n {
		lines = lines[:n]
		lines[n-1] += "…"
	}
	return lines
}

func (v *visit) sendCard(w http.ResponseWriter, r *http.Request, title, below string, votes int) error {
	if err := v.limit(r, "card", writeRate, ""); err != nil {
		return err
	}
	b, err := drawCard(web.AccentOf(v.portal.Settings.Accent).Light, v.portal.Site.Name, title, below, votes)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cache-Control", "public, max-age=3600")
	w.Write(b)
	return nil
}

// siteCard is the card of the portal.
func (v *visit) siteCard(w http.ResponseWriter, r *http.Request) error {
	return v.sendCard(w, r, v.locale.T("portal.title"), "", -1)
}

// postCard is the card of a post.
func (v *visit) postCard(w http.ResponseWriter, r *http.Request) error {
	id, ok := strings.CutSuffix(r.PathValue("post"), ".png")
	if !ok {
		return feedback.Missing("page", r.URL.Path)
	}
	var page *app.PublicPage
	err := v.read(r, func(tx *app.Tx) (err error) {
		page, _, err = tx.PublicPost(r.Context(), id, 0)
		return err
	})
	if err != nil {
		return err
	}
	if page == nil {
		return feedback.Missing("post", id)
	}
	status := ""
	if page.Post.StatusName != nil {
		status = *page.Post.StatusName
	}
	return v.sendCard(w, r, page.Post.Title, status, page.Post.VoteCount)
}
