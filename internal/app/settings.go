package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"strings"

	"golang.org/x/image/webp"

	"heed/internal/feedback"
	"heed/internal/i18n"
)

// Settings returns what the site's portal looks like and whom it lets in.
func (tx *Tx) Settings(ctx context.Context) (*feedback.Settings, error) {
	p, err := tx.s.PortalSiteByID(ctx, tx.site.ID)
	if err != nil {
		return nil, err
	}
	return &p.Settings, nil
}

// SetSettings changes what the site's portal looks like and whom it lets in.
func (tx *Tx) SetSettings(ctx context.Context, in feedback.NewSettings) (*feedback.Settings, error) {
	in.Host = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(in.Host)), ".")
	for i, o := range in.WidgetOrigins {
		in.WidgetOrigins[i] = strings.TrimRight(strings.ToLower(o), "/")
	}
	if err := in.Check(i18n.Languages()); err != nil {
		return nil, err
	}
	if in.Host != "" && in.Host == tx.app.OwnHost() {
		var p feedback.Problems
		p.Add("host", "own", "is the name of this service; choose one of your own, such as feedback.example.com")
		return nil, p.Err()
	}
	s := &feedback.Settings{
		SiteID: tx.site.ID, Accent: in.Accent, Scheme: in.Scheme, Locale: in.Locale, Intro: string(in.Intro), Host: in.Host,
		Anonymous: in.Anonymous, Moderation: in.Moderation, WidgetOrigins: in.WidgetOrigins,
	}
	free, err := tx.s.SetSettings(ctx, s)
	if err != nil {
		return nil, err
	}
	if !free {
		var p feedback.Problems
		p.Add("host", "taken", "is the host name of another site")
		return nil, p.Err()
	}
	return tx.Settings(ctx)
}

// PatchSettings changes some of the site's settings. Two who change different
// ones at once both succeed.
func (tx *Tx) PatchSettings(ctx context.Context, in feedback.SettingsPatch) (*feedback.Settings, error) {
	if err := tx.s.EnsureSettings(ctx, tx.site.ID); err != nil {
		return nil, err
	}
	now, err := tx.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return tx.SetSettings(ctx, in.On(now))
}

// logoTypes are the pictures that a browser shows without running anything.
var logoTypes = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig, "image/webp": webp.DecodeConfig,
}

// maxLogoSide bounds the width and height of a logo: a small file can unpack into
// a picture that no browser likes to hold.
const maxLogoSide = 4096

// SetLogo stores the site's picture; no data takes it away. What the picture is,
// is judged by its content.
func (tx *Tx) SetLogo(ctx context.Context, data []byte) error {
	if len(data) == 0 {
		return tx.s.SetLogo(ctx, tx.site.ID, nil)
	}
	var p feedback.Problems
	kind := http.DetectContentType(data)
	if len(data) > feedback.MaxLogo {
		p.Add("logo", feedback.RuleMaxLength, fmt.Sprintf("must have at most %d KB; this one has %d", feedback.MaxLogo>>10, (len(data)+1023)>>10))
	} else if decode := logoTypes[kind]; decode == nil {
		p.Add("logo", feedback.RuleFormat, "must be a PNG, JPEG, GIF or WebP picture")
	} else if size, err := decode(bytes.NewReader(data)); err != nil {
		p.Add("logo", feedback.RuleFormat, "must be a picture that can be read; this file is damaged")
	} else if size.Width > maxLogoSide || size.Height > maxLogoSide {
		p.Add("logo", feedback.RuleMaximum, fmt.Sprintf("must be at most %d pixels wide and high; this one is %d × %d", maxLogoSide, size.Width, size.Height))
	}
	if err := p.Err(); err != nil {
		return err
	}
	if err := tx.s.EnsureSettings(ctx, tx.site.ID); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	return tx.s.SetLogo(ctx, tx.site.ID, &feedback.Logo{Hash: hex.EncodeToString(sum[:8]), Type: kind, Data: data})
}

// Logo returns the site's picture, or NOT_FOUND.
func (tx *Tx) Logo(ctx context.Context) (*feedback.Logo, error) {
	l, err := tx.s.Logo(ctx, tx.site.ID)
	if err == nil && l == nil {
		err = feedback.Missing("logo", tx.site.Slug)
	}
	return l, err
}

// AddBlock keeps somebody from writing to the site, and returns whom. A visitor
// may be named by either id.
func (tx *Tx) AddBlock(ctx context.Context, in feedback.NewBlock) (*feedback.Block, error) {
	typed := strings.TrimSpace(in.Value)
	in = in.Clean()
	if err := in.Check(); err != nil {
		return nil, err
	}
	if in.Kind == feedback.BlockVisitor {
		v, err := tx.anyVisitor(ctx, typed)
		if err != nil {
			return nil, err
		}
		in.Value = v.ID.String()
	}
	return &feedback.Block{Kind: in.Kind, Value: in.Value, CreatedAt: tx.s.Now}, tx.s.AddBlock(ctx, tx.site.ID, in.Kind, in.Value)
}

// anyVisitor finds a visitor by our id or by the caller's.
func (tx *Tx) anyVisitor(ctx context.Context, name string) (*feedback.Visitor, error) {
	var id feedback.VisitorID
	if id.UnmarshalText([]byte(name)) == nil {
		if v, err := tx.s.VisitorByID(ctx, tx.site.ID, id); v != nil || err != nil {
			return v, err
		}
	}
	v, err := tx.s.VisitorByRef(ctx, tx.site.ID, feedback.VisitorRef(name))
	if err == nil && v == nil {
		err = feedback.MissingIn("value", "visitor", name)
	}
	return v, err
}

// RemoveBlock lets somebody write again, or is NOT_FOUND.
func (tx *Tx) RemoveBlock(ctx context.Context, kind feedback.BlockKind, value string) error {
	was, err := tx.s.RemoveBlock(ctx, tx.site.ID, kind, feedback.NormalEmail(value))
	if err == nil && !was {
		err = feedback.MissingIn("value", "block", value)
	}
	return err
}

// BlockList is who is kept from writing to a site.
type BlockList struct {
	Blocks   []feedback.Block
	Visitors map[string]string // what to call those that are blocked by id
	Full     bool              // there are more
}

// Blocks lists who is kept from writing to the site.
func (tx *Tx) Blocks(ctx context.Context) (*BlockList, error) {
	all, err := tx.s.Blocks(ctx, tx.site.ID, maxListed+1)
	if err != nil {
		return nil, err
	}
	out := &BlockList{Blocks: all[:min(len(all), maxListed)], Visitors: map[string]string{}, Full: len(all) > maxListed}
	var visitors []feedback.VisitorID
	for _, b := range out.Blocks {
		var id feedback.VisitorID
		if b.Kind == feedback.BlockVisitor && id.UnmarshalText([]byte(b.Value)) == nil {
			visitors = append(visitors, id)
		}
	}
	names, err := tx.s.VisitorNames(ctx, tx.site.ID, visitors, tx.seesAddresses())
	for id, name := range names {
		out.Visitors[id.String()] = name
	}
	return out, err
}
