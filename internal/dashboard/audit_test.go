package dashboard_test

import (
	"regexp"
	"strings"
	"testing"

	"heed/internal/feedback"
)

// The record names what it speaks of: as it is called now, as it was called where
// it was removed, and by its id where nobody can say. What belongs to another
// account stays unnamed, whatever a subject says.
func TestAuditNames(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		other := w.open(t, "Contoso", "owner@contoso.example", feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts, theirs := lively(t, w, o), lively(t, w, other)
		ids := w.lists(t, o)
		line := func(action string) string {
			t.Helper()
			all := regexp.MustCompile(`(?s)<tbody>.*</tbody>`).FindString(u.page("/dash/audit?action=" + action).body)
			return answer{body: all}.text()
		}
		names := func(action string, want ...string) {
			t.Helper()
			for _, text := range want {
				if got := line(action); !strings.Contains(got, text) {
					t.Errorf("%s: %q is not in %s", action, text, got)
				}
			}
		}

		u.act(site(o, "posts", posts[0], "status"), "statusId", ids.statuses["Planned"])
		u.act(site(o, "posts", posts[0], "edit"), "title", "Dim mode", "body", "")
		names("post.status_changed", "Dim mode")
		if page := u.page("/dash/audit?action=post.status_changed"); !strings.Contains(page.body, `href="`+site(o, "posts", posts[0])+`"`) {
			t.Error("the post is not linked")
		}
		u.act(site(o, "posts", posts[2], "merge"), "winnerId", posts[1].String())
		names("post.merged", u.title(site(o, "posts", posts[2])), "into", u.title(site(o, "posts", posts[1])))
		u.act(site(o, "posts/bulk"), "act", "set:pinned", "post", posts[3].String(), "post", posts[4].String(), "post", posts[5].String(), "post", posts[6].String(), "post", posts[7].String())
		names("posts.pinned", u.title(site(o, "posts", posts[3])), "and 2 more")

		u.act(site(o, "tags", ids.tags["enterprise"], "remove"))
		names("tag.removed", "enterprise")
		u.act(site(o, "boards", ids.boards["Bugs"]), "name", "Faults", "slug", "faults")
		names("board.changed", "Faults")
		u.act(site(o, "boards", ids.boards["Bugs"], "remove"), "moveTo", ids.boards["Feature requests"])
		names("board.removed", "Faults")
		names("board.changed", "board "+ids.boards["Bugs"])

		w.join(t, o, "ada@example.com", feedback.Editor)
		members := regexp.MustCompile(`/dash/members/(mem_\w+)/role`).FindAllStringSubmatch(u.page("/dash/members").body, -1)
		ada := members[len(members)-1][1]
		u.act("/dash/members/"+ada+"/role", "role", "viewer", "_password", password)
		u.act("/dash/members/" + ada + "/remove")
		names("member.role_changed", "member to viewer")
		if strings.Contains(line("member.role_changed"), "mem_") || strings.Contains(line("member.removed"), "mem_") {
			t.Errorf("a member who has left is not named: %s", line("member.role_changed"))
		}
		u.act("/dash/operator/accounts/"+other.Account.ID.String()+"/plan", "plan", "FREE")
		names("account.plan_changed", "Contoso to FREE")

		u.act(site(o, "tags"), "name", theirs[0].String())
		names("tag.created", "post "+theirs[0].String())

		csv := u.page("/dash/audit.csv?action=board.removed").body
		if !strings.Contains(csv, ids.boards["Bugs"]) || !strings.Contains(csv, ",Faults\n") {
			t.Errorf("the export is\n%s", csv)
		}
	})
}

// title is the heading of a page.
func (u *user) title(path string) string {
	u.t.Helper()
	all := regexp.MustCompile(`(?s)<h1[^>]*>(.*?)</h1>`).FindStringSubmatch(u.page(path).body)
	if all == nil {
		u.t.Fatalf("%s has no heading", path)
	}
	return answer{body: all[1]}.text()
}
