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
	"unicode"
	"unicode/utf8"

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

type faces struct {
	title, text, count font.Face
	has                func(rune) bool // both fonts have the same characters
}

var (
	loadFaces = sync.OnceValue(func() faces {
		parse := func(ttf []byte) *opentype.Font {
			f, err := opentype.Parse(ttf)
			if err != nil {
				panic(err) // the fonts are part of the program
			}
			return f
		}
		face := func(f *opentype.Font, size float64) font.Face {
			out, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
			if err != nil {
				panic(err)
			}
			return out
		}
		bold, regular := parse(gobold.TTF), parse(goregular.TTF)
		has := func(r rune) bool {
			b, err := bold.GlyphIndex(nil, r)
			if err != nil || b == 0 {
				return false
			}
			i, err := regular.GlyphIndex(nil, r)
			return err == nil && i != 0
		}
		return faces{face(bold, 62), face(regular, 34), face(bold, 44), has}
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

// drawable is a text without pictures and marks that the fonts lack, or "" if
// they lack letters of it too: a card with boxes instead of letters, or with half
// a sentence, says less than one without the text.
func (f *faces) drawable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case f.has(r):
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mn, r) && r != emojiStyle, unicode.Is(unicode.Mc, r):
			return ""
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// emojiStyle has the character before it drawn in colours.
const emojiStyle = '\ufe0f'

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
	if site = f.drawable(site); site == "" {
		site = "Feedback"
	}
	if title = f.drawable(title); title == "" {
		title = site
	} else {
		text(f.text, grey, 80, 120, cut(site, 50))
	}
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
	text(f.text, grey, x, 528, cut(f.drawable(below), 40))
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
			_, last := utf8.DecodeLastRuneInString(word)
			word = word[:len(word)-last]
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
		page, _, err = tx.PublicPost(r.Context(), id, app.Part{})
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
