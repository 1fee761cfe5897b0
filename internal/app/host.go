package app

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// HostCheck is one thing that must be so before a host name of a site's own leads
// to its portal.
type HostCheck struct {
	State HostState
	What  string // what was looked at
	Found string // what was found
	Fix   string // what to do about it; "" if nothing
}

// HostState says how a check went.
type HostState string

// How a check goes.
const (
	HostGood    HostState = "good"
	HostBad     HostState = "bad"
	HostUnknown HostState = "unknown" // it cannot be told from here
)

// lookupTime bounds what somebody waits for a name server.
const lookupTime = 5 * time.Second

// OwnHost is the host name of the service itself, to which others are to point.
func (a *App) OwnHost() string {
	u, err := url.Parse(a.BaseURL())
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// CheckHost asks the name servers whether a host name leads here. It looks up
// names and connects to nothing: what a name of somebody else's leads to is not
// ours to try.
func (a *App) CheckHost(ctx context.Context, host string) []HostCheck {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	own := a.OwnHost()
	exists := HostCheck{State: HostGood, What: host + " has an address"}
	theirs, err := a.cfg.Lookup(ctx, host)
	if err != nil || len(theirs) == 0 {
		exists.State, exists.Found = HostBad, "The name servers know no address of it."
		exists.Fix = "Add the record above where your domain is managed. It can take an hour until it is seen everywhere."
		return []HostCheck{exists}
	}
	exists.Found = list(theirs)
	here := HostCheck{State: HostGood, What: "It leads to this service"}
	ours := []string{own}
	if _, err := netip.ParseAddr(own); err != nil {
		if ours, err = a.cfg.Lookup(ctx, own); err != nil {
			ours = nil
		}
	}
	switch {
	case len(ours) == 0:
		here.State, here.Found = HostUnknown, "The address of "+own+" cannot be looked up from here, so the two cannot be compared."
	case slices.ContainsFunc(theirs, func(t string) bool { return slices.Contains(ours, t) }):
		here.Found = "It has an address of " + own + "."
	default:
		here.State, here.Found = HostUnknown, own+" has other addresses ("+list(ours)+")."
		here.Fix = "That is right if a proxy of yours stands before this service. If not, the record points somewhere else."
	}
	return []HostCheck{exists, here}
}

func list(addresses []string) string {
	const most = 4
	if len(addresses) > most {
		addresses = append(slices.Clone(addresses[:most]), "…")
	}
	return strings.Join(addresses, ", ")
}

// lookup is how names are looked up where nothing else is asked for.
func lookup(ctx context.Context, host string) ([]string, error) {
	return net.DefaultResolver.LookupHost(ctx, host)
}
