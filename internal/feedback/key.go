package feedback

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Scope is a permission of an API key.
type Scope string

// The scopes, in the order they are documented.
const (
	SitesRead       Scope = "sites:read"
	BoardsRead      Scope = "boards:read"
	BoardsWrite     Scope = "boards:write"
	PostsRead       Scope = "posts:read"
	PostsWrite      Scope = "posts:write"
	CommentsRead    Scope = "comments:read"
	CommentsWrite   Scope = "comments:write"
	VotesWrite      Scope = "votes:write"
	StatusesRead    Scope = "statuses:read"
	StatusesWrite   Scope = "statuses:write"
	ChangelogRead   Scope = "changelog:read"
	ChangelogWrite  Scope = "changelog:write"
	SearchRead      Scope = "search:read"
	InsightsRead    Scope = "insights:read"
	WebhooksWrite   Scope = "webhooks:write"
	AutomationRead  Scope = "automation:read"
	AutomationWrite Scope = "automation:write"
)

// AllScopes lists every scope, in documented order.
func AllScopes() []Scope {
	return []Scope{
		SitesRead, BoardsRead, BoardsWrite, PostsRead, PostsWrite, CommentsRead, CommentsWrite, VotesWrite,
		StatusesRead, StatusesWrite, ChangelogRead, ChangelogWrite, SearchRead, InsightsRead, WebhooksWrite,
		AutomationRead, AutomationWrite,
	}
}

// ReadScopes lists the scopes of a new key: those that only read.
func ReadScopes() []Scope {
	return slices.DeleteFunc(AllScopes(), func(s Scope) bool { return !strings.HasSuffix(string(s), ":read") })
}

// ParseScopes reads "all", "read" (also the empty string), or a list of scopes
// separated by commas.
func ParseScopes(s string) ([]Scope, error) {
	switch s {
	case "all":
		return AllScopes(), nil
	case "", "read":
		return ReadScopes(), nil
	}
	all := AllScopes()
	var asked []Scope
	for name := range strings.SplitSeq(s, ",") {
		sc := Scope(strings.TrimSpace(name))
		if !slices.Contains(all, sc) {
			var p Problems
			p.Add("scopes", RuleEnum, fmt.Sprintf("has no scope %q; the scopes are all, read, or any of %v", sc, all))
			return nil, p.Err()
		}
		asked = append(asked, sc)
	}
	// In documented order and once each, however they were asked for.
	return slices.DeleteFunc(all, func(sc Scope) bool { return !slices.Contains(asked, sc) }), nil
}

// Key is an API key, without its secret: that is shown once and stored only as
// a hash.
type Key struct {
	ID        KeyID
	AccountID AccountID
	SiteID    SiteID // zero: every site of the account
	Name      string
	Scopes    []Scope
	CreatedBy MemberID
	Start     string // how the secret begins, for recognising it
	Last4     string
	CreatedAt time.Time
	LastUsed  time.Time // zero: never
	ExpiresAt time.Time // zero: never
	RevokedAt time.Time // zero: live
}

// Live reports whether the key may be used at now.
func (k *Key) Live(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Require returns nil if the key holds scope, and else a SCOPE_REQUIRED error
// that names it.
func (k *Key) Require(scope Scope) error {
	if slices.Contains(k.Scopes, scope) {
		return nil
	}
	return &Error{
		Code:    ScopeRequired,
		Msg:     fmt.Sprintf("This key lacks the scope %s.", scope),
		Hint:    fmt.Sprintf("Use a key that holds %s; keys are made in the dashboard.", scope),
		Details: map[string]any{"requiredScope": scope, "grantedScopes": k.Scopes},
	}
}

// Reach returns nil if the key is for every site or for this one, and else a
// SITE_FORBIDDEN error. site is the id as it was asked for, whether or not it
// exists: a pinned key learns nothing about other sites.
func (k *Key) Reach(site string) error {
	if k.SiteID == 0 || k.SiteID.String() == site {
		return nil
	}
	return &Error{
		Code:    SiteForbidden,
		Msg:     "This key is restricted to another site.",
		Hint:    fmt.Sprintf("Use the site %s, or a key that is not restricted to it.", k.SiteID),
		Details: map[string]any{"keySiteId": k.SiteID.String(), "requestedSiteId": site},
	}
}

// NewKey is what it takes to make a key.
type NewKey struct {
	Input
	Name      KeyName
	Scopes    []Scope
	Site      SiteID
	CreatedBy MemberID
	ExpiresAt time.Time
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewKey) Check() error {
	p := in.problems()
	checkText(&p, "name", in.Name)
	if len(in.Scopes) == 0 {
		p.Add("scopes", RuleRequired, "must name at least one scope")
	}
	return p.Err()
}
