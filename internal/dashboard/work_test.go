package dashboard_test

import (
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
)

// act performs verbs on the site as its owner.
func (w *world) act(t testing.TB, o *app.Opened, fn func(*app.Tx) error) {
	t.Helper()
	actor := &app.Actor{
		Source: feedback.FromDashboard, Account: &o.Account, Member: o.Member.ID, Role: feedback.Owner, Name: o.Member.Name,
	}
	if err := w.app.Change(t.Context(), actor, app.Target{Site: o.Site.ID.String()}, "sample", "", fn); err != nil {
		t.Fatal(err)
	}
}

// busy adds to a lively site what a team does with it, and returns the pages that
// show it.
func busy(t testing.TB, w *world, o *app.Opened, names map[string]string) map[string]string {
	t.Helper()
	ctx := t.Context()
	pages := map[string]string{
		"archived": site(o, "posts?show=archived"), "nothing-found": site(o, "posts?q=zebra&days=30"),
	}
	w.act(t, o, func(tx *app.Tx) error {
		statuses, err := tx.AllStatuses(ctx)
		if err != nil {
			return err
		}
		status := feedback.Ref(statuses[1].ID.String())
		for _, v := range []feedback.NewView{
			{Name: "Planned, most wanted", Shared: true, Filter: feedback.PostFilter{Status: &status, ByVotes: true}},
			{Name: "New this week", Filter: feedback.PostFilter{Days: 7}},
		} {
			if _, err := tx.SaveView(ctx, v); err != nil {
				return err
			}
		}
		pages["view"] = site(o, "posts?sort=votes&status="+string(status))
		pages["filtered"] = site(o, "posts?status="+string(status))

		said, err := tx.CreateComment(ctx, names["post"], feedback.NewComment{Body: "Does it cover contractors?"})
		if err != nil {
			return err
		}
		parent := feedback.Ref(said.ID.String())
		if _, err := tx.CreateComment(ctx, names["post"], feedback.NewComment{Body: "It does, and guests.", Parent: &parent}); err != nil {
			return err
		}
		rude, err := tx.CreateComment(ctx, names["post"], feedback.NewComment{Body: "Buy cheap watches at example.com"})
		if err != nil {
			return err
		}
		if err := tx.EditComment(ctx, names["post"], said.ID.String(), feedback.CommentEdit{Body: "Does it cover contractors, too?"}); err != nil {
			return err
		}
		if err := tx.HideComment(ctx, names["post"], rude.ID.String(), true); err != nil {
			return err
		}
		pages["comment"], pages["reply"] = site(o, "posts", names["post"], "comments", said.ID), site(o, "posts", names["post"])+"?reply="+said.ID.String()

		if err := tx.SetPostFlag(ctx, names["other"], feedback.Withheld, true); err != nil {
			return err
		}
		pages["withheld"] = site(o, "posts", names["other"])
		draft, err := tx.CreateEntry(ctx, feedback.NewEntry{
			Title: "Sign in with what you have", Body: "SAML and OIDC work **now**.\n\n- for everybody\n- on every plan",
			Posts: []feedback.Ref{feedback.Ref(names["post"])},
		})
		if err != nil {
			return err
		}
		pages["scheduled"] = site(o, "changelog", draft.ID)
		_, err = tx.ScheduleEntry(ctx, draft.ID.String(), feedback.Schedule{At: tx.Now().Add(50 * time.Hour)})
		return err
	})
	var posts [2]feedback.PostID
	for i, name := range []string{"post", "other"} {
		if err := posts[i].UnmarshalText([]byte(names[name])); err != nil {
			t.Fatal(err)
		}
	}
	pages["theme"] = site(o, "insights", "themes", w.themes(t, o, posts[:])[0].ID)
	w.act(t, o, func(tx *app.Tx) error {
		about, repo := feedback.Ref(names["post"]), feedback.Repo("northwind/app")
		run, err := tx.StartRun(ctx, feedback.NewRun{Site: feedback.Ref(o.Site.ID.String()), Kind: "KIND_A", Post: &about, Repo: &repo})
		if err != nil {
			return err
		}
		pages["run"] = site(o, "automation", run.ID)
		green, pr := feedback.CIResult("GREEN"), feedback.URI("https://git.example/northwind/app/pull/318")
		detail, code := feedback.FreeText("Grouped into two causes."), feedback.FreeText("--- FAIL: TestExport_20kRows (31.2s)")
		for _, s := range []feedback.NewStep{
			{Tone: "DONE", Label: "Read the request and 17 comments", Detail: &detail},
			{Tone: "FAILED", Label: "First attempt: stream rows", Code: &code},
			{Tone: "BUILDING", Label: "Waiting for review", CIResult: &green, PRURL: &pr},
		} {
			if _, err := tx.AppendStep(ctx, run.ID.String(), s); err != nil {
				return err
			}
		}
		return nil
	})
	return pages
}
