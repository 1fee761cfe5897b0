package feedback

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Plan is what an account has subscribed to.
type Plan string

// The plans, each holding all that the one before it holds.
const (
	Free   Plan = "FREE"
	Pro    Plan = "PRO"
	Studio Plan = "STUDIO"
)

// Values lists the plans from the smallest to the greatest.
func (Plan) Values() []string { return []string{"FREE", "PRO", "STUDIO"} }

// Valid reports whether p is a plan.
func (p Plan) Valid() bool { return p == Free || p == Pro || p == Studio }

var plans = []Plan{Free, Pro, Studio}

// Entitlement is a feature that not every plan has.
type Entitlement string

// The features that need a plan.
const (
	APIAccess  Entitlement = "api_access"
	Webhooks   Entitlement = "webhooks"
	WhiteLabel Entitlement = "white_label"
)

// requires is the smallest plan with each feature.
var requires = map[Entitlement]Plan{APIAccess: Pro, Webhooks: Pro, WhiteLabel: Studio}

var entitlementNames = map[Entitlement]string{
	APIAccess: "API access", Webhooks: "webhooks", WhiteLabel: "removing the Heed name",
}

func (p Plan) rank() int {
	for i, q := range plans {
		if p == q {
			return i
		}
	}
	return -1
}

// Has reports whether the plan includes e.
func (p Plan) Has(e Entitlement) bool { return p.rank() >= requires[e].rank() }

// Require returns nil if the plan includes e, and else the UPGRADE_REQUIRED
// error that says which plan does.
func (p Plan) Require(e Entitlement) error {
	if p.Has(e) {
		return nil
	}
	return &Error{
		Code: UpgradeRequired,
		Msg:  fmt.Sprintf("The %s plan does not include %s.", p, entitlementNames[e]),
		Hint: fmt.Sprintf("Move the account to the %s plan.", requires[e]),
		Details: map[string]any{
			"requiredPlan": string(requires[e]), "currentPlan": string(p), "entitlement": string(e),
		},
	}
}

// Dimension is something a plan counts.
type Dimension string

// What plans count. Seats are members and pending invitations.
const (
	Sites Dimension = "sites"
	Seats Dimension = "seats"
)

// Counts is how many of each dimension a plan allows.
type Counts struct{ Sites, Seats int }

func (c Counts) of(d Dimension) int {
	if d == Sites {
		return c.Sites
	}
	return c.Seats
}

// PlanLimits says how much of what is counted each plan allows.
type PlanLimits map[Plan]Counts

// DefaultPlanLimits are the limits of an installation that sets none.
func DefaultPlanLimits() PlanLimits {
	return PlanLimits{Free: {1, 2}, Pro: {3, 10}, Studio: {100, 500}}
}

// ParsePlanLimits reads the form "FREE=1/2,PRO=3/10,STUDIO=100/500": sites and
// seats by plan. A plan that is not named keeps its default.
func ParsePlanLimits(s string) (PlanLimits, error) {
	limits := DefaultPlanLimits()
	for part := range strings.SplitSeq(s, ",") {
		name, counts, _ := strings.Cut(strings.TrimSpace(part), "=")
		sites, seats, ok := strings.Cut(counts, "/")
		a, errA := strconv.Atoi(sites)
		b, errB := strconv.Atoi(seats)
		if !ok || errA != nil || errB != nil || a < 0 || b < 0 || !Plan(name).Valid() {
			return nil, fmt.Errorf("plan limits %q: want PLAN=SITES/SEATS with a plan of FREE, PRO, STUDIO", part)
		}
		limits[Plan(name)] = Counts{a, b}
	}
	return limits, nil
}

// Allow returns nil if an account on plan p that has used so many of d may have
// one more, and else the UPGRADE_REQUIRED error that names the plan to move to.
func (l PlanLimits) Allow(p Plan, d Dimension, used int) error {
	limit := l[p].of(d)
	if used < limit {
		return nil
	}
	remove := map[Dimension]string{Sites: "remove a site", Seats: "remove a member or revoke a pending invitation"}[d]
	required, hint := p, fmt.Sprintf("No plan allows more %s: %s.", d, remove)
	for _, q := range plans {
		if q.rank() > p.rank() && l[q].of(d) > used {
			required, hint = q, fmt.Sprintf("Move the account to the %s plan, or %s.", q, remove)
			break
		}
	}
	counted := string(d)
	if limit == 1 {
		counted = strings.TrimSuffix(counted, "s")
	}
	return &Error{
		Code: UpgradeRequired,
		Msg:  fmt.Sprintf("The %s plan allows %d %s, and the account has %d.", p, limit, counted, used),
		Hint: hint,
		Details: map[string]any{
			"requiredPlan": string(required), "currentPlan": string(p), "dimension": string(d), "limit": limit,
		},
	}
}

// Account is a customer: the owner of sites, members and keys.
type Account struct {
	ID        AccountID
	Name      string
	Plan      Plan
	CreatedAt time.Time
}

// Role is what a member may do in an account.
type Role string

// The roles, from the one that may do everything.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Editor Role = "member"
	Viewer Role = "viewer"
)

// Values lists the roles.
func (Role) Values() []string { return []string{"owner", "admin", "member", "viewer"} }

// Member is a person of the team that owns the account.
type Member struct {
	ID        MemberID
	AccountID AccountID
	Email     string
	Name      string
	Role      Role
	CreatedAt time.Time
	Factor    bool // signing in asks for a second factor
}

// NewAccount is what it takes to open an account.
type NewAccount struct {
	Input
	Name     AccountName
	Email    string
	Password string
	Site     SiteName
	Plan     Plan
}

// MinPassword is the least length of a password. Length is the rule that helps;
// composition rules are not.
const MinPassword = 10

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (in NewAccount) Check() error {
	p := in.problems()
	checkText(&p, "account", in.Name)
	checkText(&p, "site", in.Site)
	checkEmail(&p, "email", in.Email)
	checkPassword(&p, "password", in.Password)
	checkEnum(&p, "plan", in.Plan)
	return p.Err()
}

// MaxEmail is the greatest length of an e-mail address.
const MaxEmail = 254

// checkEmail asks for what every deliverable address has. Whether anybody reads
// it only a message can tell.
func checkEmail(p *Problems, path, s string) {
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || !strings.Contains(domain, ".") || strings.ContainsAny(s, " \t\r\n\x00<>,;") || len(s) > MaxEmail || strings.Contains(domain, "@") {
		p.Add(path, RuleFormat, "must be an e-mail address such as name@example.com")
	}
}
