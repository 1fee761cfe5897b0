package feedback_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heed/internal/feedback"
)

func details(t *testing.T, err error) map[string]any {
	t.Helper()
	e, ok := err.(*feedback.Error)
	if !ok {
		t.Fatalf("%v is not a *feedback.Error", err)
	}
	return e.Details
}

func TestPlansIncludeWhatSmallerOnesDo(t *testing.T) {
	for _, c := range []struct {
		plan     feedback.Plan
		feature  feedback.Entitlement
		required string // empty: included
	}{
		{feedback.Free, feedback.APIAccess, "PRO"},
		{feedback.Free, feedback.Webhooks, "PRO"},
		{feedback.Free, feedback.WhiteLabel, "STUDIO"},
		{feedback.Pro, feedback.APIAccess, ""},
		{feedback.Pro, feedback.Webhooks, ""},
		{feedback.Pro, feedback.WhiteLabel, "STUDIO"},
		{feedback.Studio, feedback.WhiteLabel, ""},
	} {
		err := c.plan.Require(c.feature)
		if c.required == "" {
			if err != nil {
				t.Errorf("%s.Require(%s) = %v; want nil", c.plan, c.feature, err)
			}
			continue
		}
		want := map[string]any{"requiredPlan": c.required, "currentPlan": string(c.plan), "entitlement": string(c.feature)}
		if diff := cmp.Diff(want, details(t, err)); diff != "" {
			t.Errorf("%s.Require(%s) (-want +got):\n%s", c.plan, c.feature, diff)
		}
	}
}

func TestPlanLimits(t *testing.T) {
	limits := feedback.DefaultPlanLimits()
	for _, c := range []struct {
		plan     feedback.Plan
		of       feedback.Dimension
		used     int
		required string // empty: allowed
		limit    int
		hint     string
	}{
		{feedback.Free, feedback.Sites, 0, "", 0, ""},
		{feedback.Free, feedback.Sites, 1, "PRO", 1, "Move the account to the PRO plan, or remove a site."},
		{feedback.Free, feedback.Seats, 2, "PRO", 2, "revoke a pending invitation"},
		{feedback.Free, feedback.Seats, 50, "STUDIO", 2, "STUDIO"},
		{feedback.Pro, feedback.Sites, 2, "", 0, ""},
		{feedback.Pro, feedback.Sites, 3, "STUDIO", 3, "STUDIO"},
		{feedback.Studio, feedback.Sites, 99, "", 0, ""},
		{feedback.Studio, feedback.Sites, 100, "STUDIO", 100, "No plan allows more sites"},
	} {
		err := limits.Allow(c.plan, c.of, c.used)
		if c.required == "" {
			if err != nil {
				t.Errorf("Allow(%s, %s, %d) = %v; want nil", c.plan, c.of, c.used, err)
			}
			continue
		}
		want := map[string]any{
			"requiredPlan": c.required, "currentPlan": string(c.plan), "dimension": string(c.of), "limit": c.limit,
		}
		if diff := cmp.Diff(want, details(t, err)); diff != "" {
			t.Errorf("Allow(%s, %s, %d) (-want +got):\n%s", c.plan, c.of, c.used, diff)
		}
		if hint := err.(*feedback.Error).Hint; !strings.Contains(hint, c.hint) {
			t.Errorf("Allow(%s, %s, %d) hints %q; want it to say %q", c.plan, c.of, c.used, hint, c.hint)
		}
	}
}

func TestParsePlanLimits(t *testing.T) {
	got, err := feedback.ParsePlanLimits("FREE=2/4, PRO=5/6")
	want := feedback.PlanLimits{feedback.Free: {Sites: 2, Seats: 4}, feedback.Pro: {Sites: 5, Seats: 6}, feedback.Studio: {Sites: 100, Seats: 500}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("ParsePlanLimits: %v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"", "FREE", "FREE=1", "FREE=1/x", "GOLD=1/2", "FREE=-1/2", "FREE=1/2,,"} {
		if got, err := feedback.ParsePlanLimits(bad); err == nil {
			t.Errorf("ParsePlanLimits(%q) = %v; want an error", bad, got)
		}
	}
}

func TestSlugify(t *testing.T) {
	for name, want := range map[string]feedback.Slug{
		"Feature requests":       "feature-requests",
		"  Ideen & Wünsche!  ":   "ideen-wunsche",
		"C++ / Go":               "c-go",
		"Größe, Łódź, Smørbrød":  "grosse-lodz-smorbrod",
		"検索":                     "board",
		"---":                    "board",
		strings.Repeat("a", 100): feedback.Slug(strings.Repeat("a", 60)),
	} {
		if got := feedback.Slugify(name, "board"); got != want {
			t.Errorf("Slugify(%q) = %q; want %q", name, got, want)
		}
	}
	long := feedback.Slug(strings.Repeat("a", 60))
	if got := long.Numbered(12); len(got) > 60 || !strings.HasSuffix(string(got), "-12") {
		t.Errorf("Numbered(12) = %q; want at most 60 characters that end in -12", got)
	}
	if got := feedback.Slug("bugs").Numbered(2); got != "bugs-2" {
		t.Errorf("Numbered(2) = %q; want bugs-2", got)
	}
}

func TestParseScopes(t *testing.T) {
	for text, n := range map[string]int{"all": 17, "read": 9, "": 9, "posts:write,posts:read,posts:read": 2} {
		if got, err := feedback.ParseScopes(text); err != nil || len(got) != n {
			t.Errorf("ParseScopes(%q) = %v, %v; want %d scopes", text, got, err, n)
		}
	}
	if got, err := feedback.ParseScopes("posts:read,posts:eat"); err == nil {
		t.Errorf("ParseScopes with an unknown scope = %v; want an error", got)
	}
}

func TestBlank(t *testing.T) {
	for s, want := range map[string]bool{"": true, " \t\n": true, "\u00a0\u2003": true, "\u200b\u200d": true, "a": false, " 😀 ": false} {
		if got := feedback.Blank(s); got != want {
			t.Errorf("Blank(%q) = %v; want %v", s, got, want)
		}
	}
}

func TestAgentKinds(t *testing.T) {
	k, err := feedback.ParseAgentKinds("ROBIN, WREN ,LARK")
	if err != nil || k.Index("WREN") != 1 || k.Index("KIND_A") != -1 {
		t.Errorf("ParseAgentKinds = %v, %v", k, err)
	}
	for _, bad := range []string{"", "A,B", "A,B,C,D", "a,B,C", "A,A,B", "A,,C", "A,B,C D"} {
		if got, err := feedback.ParseAgentKinds(bad); err == nil {
			t.Errorf("ParseAgentKinds(%q) = %v; want an error", bad, got)
		}
	}
}
