package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"

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
	if err := in.Check(i18n.Languages()); err != nil {
		return nil, err
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

// logoTypes are the pictures that a browser shows without running anything.
var logoTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// SetLogo stores the site's picture; no data takes it away. The site must have
// settings. What the picture is, is judged by its content.
func (tx *Tx) SetLogo(ctx context.Context, data []byte) error {
	if len(data) == 0 {
		return tx.s.SetLogo(ctx, tx.site.ID, nil)
	}
	var p feedback.Problems
	kind := http.DetectContentType(data)
	if len(data) > feedback.MaxLogo {
		p.Add("logo", feedback.RuleMaxLength, fmt.Sprintf("must have at most %d KB", feedback.MaxLogo>>10))
	} else if !slices.Contains(logoTypes, kind) {
		p.Add("logo", feedback.RuleFormat, "must be a PNG, JPEG, GIF or WebP picture")
	}
	if err := p.Err(); err != nil {
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

// AddBlock keeps somebody from writing to the site.
func (tx *Tx) AddBlock(ctx context.Context, kind feedback.BlockKind, value string) error {
	var p feedback.Problems
	if !slices.Contains(kind.Values(), string(kind)) {
		p.Add("kind", feedback.RuleEnum, "must be one of email, domain, visitor")
	}
	if value = feedback.NormalEmail(value); value == "" || len(value) > 254 {
		p.Add("value", feedback.RuleRequired, "must name whom to block")
	}
	if err := p.Err(); err != nil {
		return err
	}
	return tx.s.AddBlock(ctx, tx.site.ID, kind, value)
}

// RemoveBlock lets somebody write again.
func (tx *Tx) RemoveBlock(ctx context.Context, kind feedback.BlockKind, value string) error {
	return tx.s.RemoveBlock(ctx, tx.site.ID, kind, feedback.NormalEmail(value))
}

// Blocks lists who is kept from writing to the site.
func (tx *Tx) Blocks(ctx context.Context) ([]feedback.Block, error) {
	return tx.s.Blocks(ctx, tx.site.ID, maxListed)
}
