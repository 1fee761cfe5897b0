package feedback

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Site is a feedback portal.
type Site struct {
	ID        SiteID
	AccountID AccountID
	Name      string
	Slug      string
	CreatedAt time.Time
}

// NewSite is what it takes to open a site.
type NewSite struct {
	Input
	Name SiteName
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewSite) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	return p.Err()
}

// DefaultBoards are the boards of a new site.
func DefaultBoards() []BoardName { return []BoardName{"Feature requests", "Bugs"} }

// DefaultStatuses are the statuses of a new site, in order.
func DefaultStatuses() []Status {
	return []Status{
		{Name: "Open", Color: "#6b7280", IsDefault: true, ShowOnRoadmap: true, Notify: Notify},
		{Name: "Planned", Color: "#2563eb", ShowOnRoadmap: true, Notify: Notify},
		{Name: "In progress", Color: "#d97706", ShowOnRoadmap: true, Notify: Notify},
		{Name: "Done", Color: "#16a34a", DoneFlag: true, ShowOnRoadmap: true, Notify: Notify},
		{Name: "Closed", Color: "#64748b", DoneFlag: true, ShowOnRoadmap: false, Notify: Notify},
	}
}

// Slugify makes a slug of a name: its letters without accents and its digits,
// everything else a hyphen. A name with none of these becomes fallback.
func Slugify(name, fallback string) Slug {
	var b strings.Builder
	for _, r := range PlainLetters.Replace(norm.NFKD.String(strings.ToLower(name))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxSlug {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return Slug(s)
	}
	return Slug(fallback)
}

const maxSlug = 60

// Numbered returns the nth spelling of a slug that is taken: itself, then with
// -2, -3 and so on, cut to stay within the limit.
func (s Slug) Numbered(n int) Slug {
	if n == 1 {
		return s
	}
	suffix := fmt.Sprintf("-%d", n)
	base := string(s)
	if len(base)+len(suffix) > maxSlug {
		base = strings.TrimRight(base[:maxSlug-len(suffix)], "-")
	}
	return Slug(base + suffix)
}
