package store

import (
	"context"
	"strings"

	"heed/internal/feedback"
)

// PortalSite is a site with its account and its settings.
type PortalSite struct {
	Site     feedback.Site
	Account  feedback.Account
	Settings feedback.Settings
}

// PortalSite returns the site with a slug, or nil. What it never set has its
// default.
func (tx *Tx) PortalSite(ctx context.Context, slug string) (*PortalSite, error) {
	return tx.portalSite(ctx, `s.slug = $1`, slug)
}

// PortalSiteByID returns the site with an id, or nil.
func (tx *Tx) PortalSiteByID(ctx context.Context, id feedback.SiteID) (*PortalSite, error) {
	return tx.portalSite(ctx, `s.id = $1`, id)
}

// PortalSiteByHost returns the site with a host name of its own, or nil.
func (tx *Tx) PortalSiteByHost(ctx context.Context, host string) (*PortalSite, error) {
	return tx.portalSite(ctx, `s.id = (SELECT site_id FROM site_hosts WHERE host = $1)`, host)
}

func (tx *Tx) portalSite(ctx context.Context, where string, arg any) (*PortalSite, error) {
	var p PortalSite
	var set feedback.SiteID
	var origins string
	var anonymous, moderation, sso *bool
	found, err := tx.row(ctx, `
		SELECT s.id, s.account_id, s.name, s.slug, s.created_at, a.id, a.name, a.plan, a.created_at,
		       t.site_id, COALESCE(t.accent, ''), COALESCE(t.scheme, ''), COALESCE(t.locale, ''), COALESCE(t.intro, ''),
		       COALESCE(t.host, ''), COALESCE(t.logo_hash, ''), t.anonymous, t.moderation, COALESCE(t.widget_origins, ''),
		       t.sso_secret IS NOT NULL
		FROM   sites s
		JOIN   accounts a ON a.id = s.account_id
		LEFT JOIN site_settings t ON t.site_id = s.id
		WHERE  `+where, []any{arg},
		&p.Site.ID, &p.Site.AccountID, &p.Site.Name, &p.Site.Slug, at(&p.Site.CreatedAt),
		&p.Account.ID, &p.Account.Name, &p.Account.Plan, at(&p.Account.CreatedAt),
		&set, &p.Settings.Accent, &p.Settings.Scheme, &p.Settings.Locale, &p.Settings.Intro, &p.Settings.Host,
		&p.Settings.LogoHash, &anonymous, &moderation, &origins, &sso)
	if err != nil || !found {
		return nil, wrap("portal site", err)
	}
	if set == 0 {
		p.Settings = feedback.DefaultSettings(p.Site.ID)
		return &p, nil
	}
	p.Settings.SiteID = p.Site.ID
	p.Settings.Anonymous, p.Settings.Moderation, p.Settings.SSO = *anonymous, *moderation, *sso
	p.Settings.WidgetOrigins = strings.Fields(origins)
	return &p, nil
}

// SetSettings stores a site's settings, but for its logo and its secret. It
// reports whether the host name was free.
func (tx *Tx) SetSettings(ctx context.Context, s *feedback.Settings) (bool, error) {
	if _, err := tx.exec(ctx, `DELETE FROM site_hosts WHERE site_id = $1`, s.SiteID); err != nil {
		return false, wrap("clear host", err)
	}
	if s.Host != "" {
		n, err := tx.exec(ctx, `
			INSERT INTO site_hosts (host, site_id) VALUES ($1, $2)
			ON CONFLICT (host) DO NOTHING`, s.Host, s.SiteID)
		if err != nil || n == 0 {
			return false, wrap("set host", err)
		}
	}
	_, err := tx.exec(ctx, `
		INSERT INTO site_settings (site_id, accent, scheme, locale, intro, host, logo_hash, anonymous, moderation, widget_origins, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, '', $7, $8, $9, $10)
		ON CONFLICT (site_id) DO UPDATE SET
			accent = excluded.accent, scheme = excluded.scheme, locale = excluded.locale, intro = excluded.intro,
			host = excluded.host, anonymous = excluded.anonymous, moderation = excluded.moderation,
			widget_origins = excluded.widget_origins, updated_at = excluded.updated_at`,
		s.SiteID, s.Accent, s.Scheme, s.Locale, s.Intro, s.Host, s.Anonymous, s.Moderation, strings.Join(s.WidgetOrigins, " "), micros(tx.Now))
	return true, wrap("set settings", err)
}

// EnsureSettings has a site that set nothing set its defaults, and keeps the
// settings from changing until the transaction is over.
func (tx *Tx) EnsureSettings(ctx context.Context, site feedback.SiteID) error {
	d := feedback.DefaultSettings(site)
	_, err := tx.exec(ctx, `
		INSERT INTO site_settings (site_id, accent, scheme, locale, intro, host, logo_hash, anonymous, moderation, widget_origins, updated_at)
		VALUES ($1, '', $2, $3, '', '', '', $4, $5, '', $6)
		ON CONFLICT (site_id) DO NOTHING`, site, d.Scheme, d.Locale, d.Anonymous, d.Moderation, micros(tx.Now))
	if err != nil {
		return wrap("ensure settings", err)
	}
	var one int
	_, err = tx.row(ctx, `SELECT 1 FROM site_settings WHERE site_id = $1`+tx.d.forUpdate(), []any{site}, &one)
	return wrap("lock settings", err)
}

// SetSSOSecret stores the sealed secret of single sign-on; nil for none. The
// site must have settings.
func (tx *Tx) SetSSOSecret(ctx context.Context, site feedback.SiteID, sealed []byte) error {
	_, err := tx.exec(ctx, `UPDATE site_settings SET sso_secret = $1 WHERE site_id = $2`, sealed, site)
	return wrap("set sso secret", err)
}

// SSOSecret returns the sealed secret of single sign-on, or nil.
func (tx *Tx) SSOSecret(ctx context.Context, site feedback.SiteID) (sealed []byte, err error) {
	_, err = tx.row(ctx, `SELECT sso_secret FROM site_settings WHERE site_id = $1`, []any{site}, &sealed)
	return sealed, wrap("sso secret", err)
}

// SetLogo stores a site's picture; nil takes it away. The site must have
// settings.
func (tx *Tx) SetLogo(ctx context.Context, site feedback.SiteID, l *feedback.Logo) error {
	if _, err := tx.exec(ctx, `DELETE FROM site_logos WHERE site_id = $1`, site); err != nil {
		return wrap("clear logo", err)
	}
	hash := ""
	if l != nil {
		hash = l.Hash
		_, err := tx.exec(ctx, `INSERT INTO site_logos (site_id, hash, type, data) VALUES ($1, $2, $3, $4)`, site, l.Hash, l.Type, l.Data)
		if err != nil {
			return wrap("set logo", err)
		}
	}
	_, err := tx.exec(ctx, `UPDATE site_settings SET logo_hash = $1 WHERE site_id = $2`, hash, site)
	return wrap("set logo", err)
}

// Logo returns a site's picture, or nil.
func (tx *Tx) Logo(ctx context.Context, site feedback.SiteID) (*feedback.Logo, error) {
	var l feedback.Logo
	found, err := tx.row(ctx, `SELECT hash, type, data FROM site_logos WHERE site_id = $1`, []any{site}, &l.Hash, &l.Type, &l.Data)
	if err != nil || !found {
		return nil, wrap("logo", err)
	}
	return &l, nil
}

// AddBlock keeps somebody from writing to a site. It may be repeated.
func (tx *Tx) AddBlock(ctx context.Context, site feedback.SiteID, kind feedback.BlockKind, value string) error {
	_, err := tx.exec(ctx, `
		INSERT INTO blocks (site_id, kind, value, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (site_id, kind, value) DO NOTHING`, site, kind, value, micros(tx.Now))
	return wrap("block", err)
}

// RemoveBlock lets somebody write again and reports whether they could not.
func (tx *Tx) RemoveBlock(ctx context.Context, site feedback.SiteID, kind feedback.BlockKind, value string) (bool, error) {
	n, err := tx.exec(ctx, `DELETE FROM blocks WHERE site_id = $1 AND kind = $2 AND value = $3`, site, kind, value)
	return n > 0, wrap("unblock", err)
}

// Blocks lists who is kept from writing to a site.
func (tx *Tx) Blocks(ctx context.Context, site feedback.SiteID, limit int) ([]feedback.Block, error) {
	out, err := collect(ctx, tx, `
		SELECT kind, value, created_at FROM blocks
		WHERE  site_id = $1
		ORDER  BY kind, value
		LIMIT  $2 + 0`, []any{site, limit}, scanBlock)
	return out, wrap("blocks", err)
}

// Blocked reports whether a visitor, an address or its domain is blocked.
func (tx *Tx) Blocked(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID, email string) (bool, error) {
	_, domain, _ := strings.Cut(email, "@")
	var n int
	_, err := tx.row(ctx, `
		SELECT COUNT(*) FROM blocks
		WHERE  site_id = $1 AND (kind = 'visitor' AND value = $2 OR kind = 'email' AND value = $3 OR kind = 'domain' AND value = $4)`,
		[]any{site, visitor.String(), email, domain}, &n)
	return n > 0, wrap("blocked", err)
}

func scanBlock(r rows, b *feedback.Block) error {
	return r.Scan(&b.Kind, &b.Value, at(&b.CreatedAt))
}
