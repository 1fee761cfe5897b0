package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
)

func TestBoards(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		lively(t, w, o)
		if a := u.post(site(o, "boards"), "name", "", "slug", "Not A Slug"); a.status != http.StatusUnprocessableEntity || strings.Count(a.body, `class="error"`) != 2 {
			t.Errorf("bad input: %d\n%s", a.status, a.text())
		}
		u.post(site(o, "boards"), "name", "Bugs again", "slug", "bugs").has(t, "already in use")
		u.act(site(o, "boards"), "name", "Secrets", "private", "on").has(t, "Secrets", "Team only")
		ids := w.lists(t, o)
		u.act(site(o, "boards", ids.boards["Secrets"]), "name", "Known", "description", "For all").has(t, "Known", "For all")
		n := len(w.events(t, o))
		u.act(site(o, "boards", ids.boards["Bugs"], "remove"), "moveTo", ids.boards["Secrets"]).lacks(t, ">Bugs<")
		moved := w.events(t, o)[n:]
		if len(moved) != 5 || last(moved) != feedback.PostMoved {
			t.Errorf("removing a board of 5 posts leaves %d events, the last %s", len(moved), last(moved))
		}
		u.act(site(o, "boards", ids.boards["Feature requests"], "remove"), "moveTo", ids.boards["Secrets"])
		u.post(site(o, "boards", ids.boards["Secrets"], "remove"))
		u.page(site(o, "boards")).has(t, "needs at least one board", "10")
	})
}

func TestStatuses(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		ids := w.lists(t, o)
		u.post(site(o, "statuses"), "name", "Open").has(t, "already a status named")
		if a := u.post(site(o, "statuses"), "name", "X", "color", "red", "notifyMode", "SHOUT"); a.status != http.StatusUnprocessableEntity {
			t.Errorf("bad input: %d", a.status)
		}
		u.act(site(o, "statuses"), "name", "Explained", "color", "#123456", "notifyMode", "NOTIFY_WITH_NOTE", "showOnRoadmap", "on").has(t, "told, with a note")
		ids = w.lists(t, o)

		// A status that wants a note asks for it, and keeps what was chosen.
		a := u.post(site(o, "posts", posts[0], "status"), "statusId", ids.statuses["Explained"], "note", "  ")
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, `value="`+ids.statuses["Explained"]+`" selected`) {
			t.Errorf("without a note: %d\n%s", a.status, a.text())
		}
		a.has(t, "needs a note")
		u.act(site(o, "posts", posts[0], "status"), "statusId", ids.statuses["Explained"], "note", "Because.")

		order := func() string {
			var names []string
			for _, m := range regexp.MustCompile(`<span class="pill[^>]*>([^<]+)<`).FindAllStringSubmatch(u.page(site(o, "statuses")).body, -1) {
				names = append(names, m[1])
			}
			return strings.Join(names, " ")
		}
		u.act(site(o, "statuses", "order"), "id", ids.statuses["Explained"], "to", "0")
		if got := order(); got != "Explained Open Planned In progress Done Closed" {
			t.Errorf("the order is %s", got)
		}
		u.act(site(o, "statuses", "order"), "id", ids.statuses["Explained"], "to", "99")
		u.act(site(o, "statuses", "order"), "id", ids.statuses["Done"], "to", "-3")
		if got := order(); got != "Done Open Planned In progress Closed Explained" {
			t.Errorf("the order is %s", got)
		}

		u.act(site(o, "statuses", ids.statuses["Planned"]), "name", "Soon", "color", "#0000ff", "isDefault", "on", "notifyMode", "SILENT").has(t, "Soon", "not told")
		u.post(site(o, "statuses", ids.statuses["Planned"], "remove"), "moveTo", ids.statuses["Open"])
		u.page(site(o, "statuses")).has(t, "New posts get this status", "Soon")
		n := len(w.events(t, o))
		u.act(site(o, "statuses", ids.statuses["Open"], "remove"), "moveTo", ids.statuses["Planned"]).lacks(t, ">Open<")
		if moved := w.events(t, o)[n:]; len(moved) != 2 || last(moved) != feedback.PostStatusChanged {
			t.Errorf("removing a status of 2 posts leaves %d events", len(moved))
		}
	})
}

func TestTags(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		u.post(site(o, "tags"), "name", "enterprise").has(t, "already a tag named")
		u.act(site(o, "tags"), "name", "mobile", "color", "#ff0000").has(t, "mobile")
		ids := w.lists(t, o)
		u.act(site(o, "tags", ids.tags["mobile"]), "name", "phones", "color", "#00ff00").has(t, "phones")
		u.act(site(o, "tags", ids.tags["enterprise"], "remove"))
		u.page(site(o, "posts", posts[0])).lacks(t, ">enterprise<")
	})
}

func TestChangelog(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		u.page(site(o, "changelog")).has(t, "Nothing told yet")
		u.post(site(o, "changelog"), "title", "", "body", "text").has(t, "Please fill this in")
		u.post(site(o, "changelog"), "title", "T", "body", "text", "linked", "post_nothing").has(t, "There is no post")
		u.post(site(o, "changelog", "preview"), "title", "T", "body", "**strong** <script>").lacks(t, "<script>")

		draft := u.act(site(o, "changelog"), "title", "Faster exports", "body", "**Now** quick", "label", "Improved",
			"linked", posts[4].String(), "linked", posts[5].String())
		draft.has(t, "Draft", "Exports to CSV", "Keyboard shortcuts")
		id := regexp.MustCompile(`chg_\w+`).FindString(draft.body)
		n := len(w.events(t, o))
		u.act(site(o, "changelog", id), "title", "Faster exports", "body", "Now quick", "linked", posts[4].String(), "publish", "yes").has(t, "Published", "Faster exports")
		if got := w.events(t, o)[n:]; len(got) != 1 || got[0].Type != feedback.ChangelogPublished {
			t.Errorf("publishing leaves %v", got)
		}
		u.page(site(o, "changelog", id)).lacks(t, "Keyboard shortcuts")
		u.act(site(o, "changelog", id, "unpublish")).has(t, "a draft again")
		u.act(site(o, "changelog", id, "publish")).has(t, "Published")
	})
}

func TestPeople(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		u.post("/dash/members/invite", "email", "nonsense", "role", "king").has(t, "must be one of owner, admin")
		u.post("/dash/members/invite", "email", ownerEmail, "role", "viewer").has(t, "is a member already")
		invited := u.post("/dash/members/invite", "email", "Ada@Example.com", "role", "admin")
		link := regexp.MustCompile(`/invite/[\w-]+`).FindString(invited.body)
		if link == "" || invited.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("no link, or one that is kept: %s", invited.text())
		}
		u.page("/dash/members").lacks(t, link)
		u.page("/dash/members").has(t, "Open invitations", "2 of 500 seats")
		u.post("/dash/members/invite", "email", "ada@example.com", "role", "viewer").has(t, "has been invited already")

		ada := w.user(t)
		ada.page(link).has(t, "Join Northwind", "ada@example.com is invited as admin")
		ada.post(link, "name", "", "password", "short").has(t, "at least 10")

		// Of several who accept at once, one becomes the member.
		var wg sync.WaitGroup
		results := make([]int, 3)
		for i := range results {
			one := w.user(t)
			wg.Go(func() { results[i] = one.post(link, "name", "Ada", "password", password).status })
		}
		wg.Wait()
		joined := 0
		for _, s := range results {
			if s == http.StatusSeeOther {
				joined++
			}
		}
		if joined != 1 {
			t.Errorf("%v: %d accepted one invitation; want 1", results, joined)
		}
		ada = w.signedIn(t, "ada@example.com")

		// Admins manage what is below owners, and an account keeps an owner.
		owner, id := o.Member.ID.String(), ""
		err := w.app.Read(t.Context(), &app.Actor{Account: &o.Account}, app.Target{}, func(tx *app.Tx) error {
			all, err := tx.Members(t.Context())
			id = all[1].ID.String()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/role", "/remove", "/reset"} {
			if a := ada.post("/dash/members/"+owner+path, "role", "viewer"); a.status != http.StatusForbidden {
				t.Errorf("an admin does %s to an owner: %d; want 403", path, a.status)
			}
		}
		if a := ada.post("/dash/members/invite", "email", "x@example.com", "role", "owner"); a.status != http.StatusForbidden {
			t.Errorf("an admin invites an owner: %d; want 403", a.status)
		}
		u.post("/dash/members/"+owner+"/role", "role", "viewer")
		u.page("/dash/members").has(t, "needs at least one owner")

		reset := regexp.MustCompile(`/reset/[\w-]+`).FindString(u.post("/dash/members/" + id + "/reset").body)
		newPassword := "a wholly new one"
		w.user(t).post(reset, "password", "short").has(t, "at least 10")
		w.user(t).act2(t, reset, "/signin", "password", newPassword)
		if a := w.user(t).post(reset, "password", newPassword); a.status != http.StatusNotFound {
			t.Errorf("a link for a password works twice: %d", a.status)
		}
		if a := ada.get("/dash/profile"); a.status != http.StatusSeeOther {
			t.Errorf("a session after a new password: %d; want the sign-in", a.status)
		}
		w.user(t).act2(t, "/signin", "/dash", "email", "ada@example.com", "password", newPassword)

		u.act("/dash/members/"+id+"/role", "role", "viewer")
		u.act("/dash/members/"+id+"/remove").has(t, "1 of 500 seats")
		if a := w.user(t).post("/signin", "email", "ada@example.com", "password", newPassword); a.status != http.StatusUnauthorized {
			t.Errorf("a removed member signs in: %d", a.status)
		}
		// The address is free again; an invitation can be revoked, or run out.
		again := u.post("/dash/members/invite", "email", "ada@example.com", "role", "viewer")
		inv := regexp.MustCompile(`inv_\w+`).FindString(again.body)
		link = regexp.MustCompile(`/invite/[\w-]+`).FindString(again.body)
		u.act("/dash/members/invitations/" + inv + "/revoke")
		if a := w.user(t).get(link); a.status != http.StatusNotFound {
			t.Errorf("a revoked invitation: %d; want 404", a.status)
		}
		link = regexp.MustCompile(`/invite/[\w-]+`).FindString(u.post("/dash/members/invite", "email", "ada@example.com", "role", "viewer").body)
		w.clock.pass(feedback.InvitationLife + time.Minute)
		if a := w.user(t).get(link); a.status != http.StatusNotFound {
			t.Errorf("an old invitation: %d; want 404", a.status)
		}
	})
}

func TestSites(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		u.post("/dash/sites", "name", " ").has(t, "Please fill this in")
		u.act("/dash/sites", "name", "Labs").has(t, "Labs", "No feedback yet")
		u.act(site(o, "settings"), "name", "Renamed", "slug", "renamed").has(t, "Renamed")
		u.post(site(o, "settings"), "name", "Renamed", "slug", "labs").has(t, "already in use")
		u.post(site(o, "settings"), "name", "", "slug", "Not a slug").has(t, "Please fill this in", "does not look right")
	})
}

func TestAutomation(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		posts := lively(t, w, o)
		ids := w.lists(t, o)
		u.page(site(o, "automation")).has(t, "Queued", "Single sign-on for contractors")
		u.post(site(o, "automation"), "agentKind", "HAL", "postId", posts[0].String()).has(t, "must be one of KIND_A")
		u.post(site(o, "automation"), "agentKind", "KIND_A", "postId", "post_none").has(t, "There is no post")
		run := u.act(site(o, "automation"), "agentKind", "KIND_A", "postId", posts[6].String(), "repo", "northwind/app")
		run.has(t, "Run #1 · Single sign-on for contractors", "Queued", "northwind/app")
		id := regexp.MustCompile(`run_\w+`).FindString(run.body)
		u.post(site(o, "automation"), "agentKind", "KIND_A", "postId", posts[6].String())
		u.page(site(o, "automation")).has(t, "Another run is already at work")

		actor := &app.Actor{Source: feedback.FromAPI, Account: &o.Account}
		ci, pr, code := feedback.CIResult("GREEN"), feedback.URI("https://git.example/pull/7"), feedback.FreeText("ok  heed 0.3s")
		bad := feedback.URI("javascript:alert(1)")
		err := w.app.Change(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) error {
			if _, err := tx.AppendStep(t.Context(), id, feedback.NewStep{Tone: "DONE", Label: "Wrote a failing test", Code: &code, PRURL: &bad}); err != nil {
				return err
			}
			_, err := tx.AppendStep(t.Context(), id, feedback.NewStep{Tone: "BUILDING", Label: "Opened a pull request", CIResult: &ci})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		page := u.page(site(o, "automation", id))
		page.has(t, "Wrote a failing test", "ok heed 0.3s", "CI green", "Running")
		page.lacks(t, "javascript:")
		err = w.app.Change(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) error {
			_, err := tx.AppendStep(t.Context(), id, feedback.NewStep{Tone: "DONE", Label: "Done", PRURL: &pr})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(u.page(site(o, "automation", id)).body, `href="https://git.example/pull/7"`) {
			t.Error("the pull request is not linked")
		}
		u.act(site(o, "automation", id, "complete"), "outcome", "SHIPPED", "doneStatusId", ids.statuses["Done"]).has(t, "Shipped", "9 voters told", "Done")
		u.post(site(o, "automation", id, "complete"), "outcome", "FAILED")
		u.page(site(o, "automation", id)).has(t, "A finished run cannot be completed")
	})
}

func TestAuditAndOperator(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		first := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		second := w.open(t, "Contoso", "owner@contoso.example", feedback.Studio)
		u, v := w.signedIn(t, ownerEmail), w.signedIn(t, "owner@contoso.example")
		u.act(site(first, "tags"), "name", "=1+1")
		log := u.page("/dash/audit")
		log.has(t, "session.opened", "tag.created", "127.0.0.1")
		log.lacks(t, second.Account.ID.String())
		u.page("/dash/audit?action=tag.created").has(t, "=1+1")
		u.page("/dash/audit?action=tag.created&actor="+second.Member.ID.String()).has(t, "Nothing here")
		csv := u.page("/dash/audit.csv?action=tag.created").body
		if !strings.Contains(csv, "tag.created,'=1+1,"+first.Site.ID.String()+",127.0.0.1") || strings.Count(csv, "\n") != 2 {
			t.Errorf("the export is\n%s", csv)
		}

		u.page("/dash/operator").has(t, "Northwind", "Contoso", "test")
		u.act("/dash/operator/accounts/"+second.Account.ID.String()+"/plan", "plan", "FREE")
		v.page("/dash/plan").has(t, "FREE your plan")
		if a := v.get("/dash/operator"); a.status != http.StatusForbidden {
			t.Errorf("an owner of the second account: %d; want 403", a.status)
		}
		u.post("/dash/operator/accounts/"+second.Account.ID.String()+"/plan", "plan", "GOLD")
		u.page("/dash/operator").has(t, "must be one of FREE, PRO, STUDIO")
	})
}
