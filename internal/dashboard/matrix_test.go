package dashboard_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/dashboard"
	"heed/internal/feedback"
)

// invite invites somebody and returns the token of the link.
func (w *world) invite(t testing.TB, o *app.Opened, email string, role feedback.Role) (token string) {
	t.Helper()
	actor := &app.Actor{Source: feedback.FromDashboard, Account: &o.Account, Member: o.Member.ID, Role: feedback.Owner}
	err := w.app.Change(t.Context(), actor, app.Target{}, "member.invited", email, func(tx *app.Tx) (err error) {
		_, token, err = tx.Invite(t.Context(), feedback.NewInvitation{Email: email, Role: role})
		return err
	})
	if err != nil {
		t.Fatalf("Invite: %v", err)
	}
	return token
}

// join makes somebody a member by an invitation.
func (w *world) join(t testing.TB, o *app.Opened, email string, role feedback.Role) {
	t.Helper()
	token := w.invite(t, o, email, role)
	if _, err := w.app.AcceptInvitation(t.Context(), token, feedback.NewMember{Name: feedback.MemberName(role), Password: password}, app.Client{}); err != nil {
		t.Fatalf("AcceptInvitation: %v", err)
	}
}

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// names are things that exist in an account, by the wildcards of the routes.
func (w *world) names(t testing.TB, o *app.Opened) map[string]string {
	t.Helper()
	posts := lively(t, w, o)
	names := map[string]string{
		"site": o.Site.ID.String(), "post": posts[0].String(), "key": o.Key.ID.String(), "member": o.Member.ID.String(),
		"account": o.Account.ID.String(), "token": "none",
		"other": posts[6].String(), "loser": posts[9].String(),
	}
	actor := &app.Actor{Source: feedback.FromDashboard, Account: &o.Account, Member: o.Member.ID, Role: feedback.Owner}
	err := w.app.Change(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) error {
		ctx := t.Context()
		boards, err := tx.AllBoards(ctx)
		if err != nil {
			return err
		}
		statuses, err := tx.AllStatuses(ctx)
		if err != nil {
			return err
		}
		tags, err := tx.Tags(ctx)
		if err != nil {
			return err
		}
		entry, err := tx.CreateEntry(ctx, feedback.NewEntry{Title: "Told", Body: "It works."})
		if err != nil {
			return err
		}
		run, err := tx.StartRun(ctx, feedback.NewRun{Site: feedback.Ref(o.Site.ID.String()), Kind: "KIND_A"})
		if err != nil {
			return err
		}
		merged, err := tx.MergePosts(ctx, posts[9].String(), feedback.NewMerge{Winner: feedback.Ref(posts[8].String())})
		if err != nil {
			return err
		}
		inv, _, err := tx.Invite(ctx, feedback.NewInvitation{Email: "open@" + o.Site.ID.String() + ".example", Role: feedback.Viewer})
		if err != nil {
			return err
		}
		sessions, err := tx.Sessions(ctx)
		if err != nil {
			return err
		}
		hook, _, err := tx.CreateEndpoint(ctx, feedback.NewEndpoint{URL: "https://hooks.example.com/heed"})
		if err != nil {
			return err
		}
		sent, err := tx.TestEndpoint(ctx, hook.ID.String(), feedback.EndpointTest{})
		if err != nil {
			return err
		}
		visitors, err := tx.Visitors(ctx, feedback.VisitorFilter{}, feedback.Window{Limit: 1})
		if err != nil {
			return err
		}
		if err := tx.SetLogo(ctx, picture(t, 8, 8)); err != nil {
			return err
		}
		names["visitor"] = visitors.Items[0].ID.String()
		names["endpoint"], names["delivery"] = hook.ID.String(), sent.ID.String()
		names["board"], names["status"], names["tag"] = boards[0].ID.String(), statuses[0].ID.String(), tags[0].ID.String()
		names["entry"], names["run"], names["action"] = entry.ID.String(), run.ID.String(), merged.Action.String()
		comment, err := tx.CreateComment(ctx, posts[0].String(), feedback.NewComment{Body: "Seen"})
		if err != nil {
			return err
		}
		status := feedback.Ref(statuses[0].ID.String())
		view, err := tx.SaveView(ctx, feedback.NewView{Name: "To do", Shared: true, Filter: feedback.PostFilter{Status: &status}})
		if err != nil {
			return err
		}
		names["comment"], names["view"] = comment.ID.String(), view.ID.String()
		names["invitation"], names["session"] = inv.ID.String(), "ses_0000000000001"
		names["passkey"] = "pk_0000000000001"
		if len(sessions) > 0 {
			names["session"] = sessions[0].ID.String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	names["theme"] = w.themes(t, o, posts[:6])[0].ID.String()
	mails, err := w.app.AllMail(t.Context(), feedback.MailFilter{}, feedback.Window{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	names["mail"] = mails.Items[0].ID.String() // the invitation
	return names
}

// fill puts names into the wildcards of a path.
func fill(path string, names map[string]string) string {
	return wildcard.ReplaceAllStringFunc(path, func(w string) string {
		if n, ok := names[strings.Trim(w, "{}$")]; ok {
			return n
		}
		return ""
	})
}

// Every route crossed with every role, with nobody, and with somebody of another
// account: a refusal is the same whether or not the thing exists.
func TestMatrix(t *testing.T) { eachWorld(t, testMatrix) }

func testMatrix(t *testing.T, w *world) {
	first := w.open(t, "Operator", "operator@example.com", feedback.Studio)
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	other := w.open(t, "Contoso", "owner@contoso.example", feedback.Studio)
	roles := []feedback.Role{feedback.Viewer, feedback.Editor, feedback.Admin}
	for _, r := range roles {
		w.join(t, o, string(r)+"@northwind.example", r)
	}
	names, foreign := w.names(t, o), w.names(t, other)
	_ = first
	made := map[string]string{}
	for k, v := range names {
		made[k] = v[:strings.LastIndex(v, "_")+1] + "0zzzzzzzzzzzz"
	}
	half := map[string]string{} // the site is ours, the rest is not
	for k, v := range foreign {
		half[k] = v
	}
	half["site"] = names["site"]

	users := map[string]*user{"nobody": w.user(t), "owner": w.signedIn(t, ownerEmail), "operator": w.signedIn(t, "operator@example.com")}
	for _, r := range roles {
		users[string(r)] = w.signedIn(t, string(r)+"@northwind.example")
	}
	roleOf := map[string]feedback.Role{"viewer": feedback.Viewer, "member": feedback.Editor, "admin": feedback.Admin, "owner": feedback.Owner, "operator": feedback.Owner}

	ask := func(u *user, method, path string) answer {
		t.Helper()
		if method == http.MethodPost {
			return u.post(path)
		}
		return u.get(path)
	}
	for _, rt := range dashboard.Table() {
		method, path, ok := strings.Cut(rt.Pattern, " ")
		if !ok {
			continue
		}
		path = strings.TrimSuffix(path, "{$}")
		t.Run(rt.Pattern, func(t *testing.T) {
			if rt.Least == "" {
				return // for everybody; its own tests see to it
			}
			for _, ids := range []map[string]string{names, foreign, made} {
				if a := ask(users["nobody"], method, fill(path, ids)); a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), "/signin") {
					t.Errorf("nobody gets %d for %s; want the sign-in", a.status, fill(path, ids))
				}
			}
			for name, role := range roleOf {
				if name == "operator" || role.AtLeast(rt.Least) && !rt.Operator {
					continue
				}
				seen := map[string]bool{}
				for _, ids := range []map[string]string{names, foreign, made} {
					a := ask(users[name], method, fill(path, ids))
					seen[fmt.Sprint(a.status, bare(a))] = true
					if a.status != http.StatusForbidden {
						t.Errorf("%s gets %d for %s; want 403", name, a.status, fill(path, ids))
					}
				}
				if len(seen) != 1 {
					t.Errorf("%s can tell what exists from the refusal", name)
				}
			}
			if !wildcard.MatchString(path) || rt.Operator {
				return
			}
			// What is another account's is not there, also for an owner.
			seen := map[string]bool{}
			for _, ids := range []map[string]string{foreign, made} {
				a := ask(users["owner"], method, fill(path, ids))
				if a.status != http.StatusNotFound {
					t.Errorf("an owner gets %d for another account's %s; want 404", a.status, path)
				}
				seen[fmt.Sprint(a.status, bare(a))] = true
			}
			if len(seen) != 1 {
				t.Errorf("an owner can tell what exists in another account: %v", seen)
			}
			if strings.Count(path, "{") > 1 {
				if a := ask(users["owner"], method, fill(path, half)); a.status != http.StatusNotFound {
					t.Errorf("an owner gets %d for another account's %s on a site of their own; want 404", a.status, fill(path, half))
				}
			}
		})
	}
}

// bare is a page without what differs from one request to the next.
func bare(a answer) string {
	return regexp.MustCompile(`(site|post|vis|cmt|view|thm|we|dlv|brd|sts|tag|chg|run|act|mem|key|inv|ses|acct|pk|msg|mail)_\w+|/assets/\S+`).ReplaceAllString(a.text(), "x")
}

// A role sees every page it may open.
func TestRolesSeePages(t *testing.T) { eachWorld(t, testRolesSeePages) }

func testRolesSeePages(t *testing.T, w *world) {
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	names := w.names(t, o)
	for _, role := range []feedback.Role{feedback.Viewer, feedback.Editor, feedback.Admin, feedback.Owner} {
		email := ownerEmail
		if role != feedback.Owner {
			email = string(role) + "@northwind.example"
			w.join(t, o, email, role)
		}
		u := w.signedIn(t, email)
		for _, rt := range dashboard.Table() {
			path, get := strings.CutPrefix(rt.Pattern, "GET ")
			if !get || rt.Least == "" || !role.AtLeast(rt.Least) || path == "/dash" || strings.HasSuffix(path, "{$}") {
				continue
			}
			a := u.get(fill(path, names))
			if strings.HasSuffix(path, "/next") && a.status == http.StatusSeeOther {
				a = u.get(a.header.Get("Location")) // it only leads on
			}
			if a.status != http.StatusOK {
				t.Errorf("%s gets %d for %s\n%s", role, a.status, path, a.text())
			}
		}
	}
}
