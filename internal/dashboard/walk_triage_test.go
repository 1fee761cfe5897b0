package dashboard_test

import (
	"testing"
	"time"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// What a team does with feedback beyond answering it: views, moderation, the gate
// for agents and entries that publish themselves, with JavaScript and without.
func TestWalkTriage(t *testing.T) {
	t.Run("plain", func(t *testing.T) { walkTriage(t, browsertest.NoJavaScript) })
	t.Run("scripted", func(t *testing.T) { walkTriage(t) })
}

func walkTriage(t *testing.T, options ...browsertest.Option) {
	plain := len(options) > 0
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	posts := lively(t, w, o)
	ids := w.lists(t, o)
	b := w.walk(t, options...)
	b.signIn(ownerEmail, password)

	b.at(site(o, "posts?status="+ids.statuses["Planned"]+"&sort=votes"))
	b.ClickText(".views summary", "Save view")
	b.Type("#view-name", "Planned, most wanted")
	b.ClickText(".views .check", "Share with the team")
	b.ClickText(".views button", "Save")
	b.told("The view is saved")
	b.WaitText(".views [aria-current]", "Planned, most wanted")
	b.ClickText(".views a", "All posts")
	b.WaitText("td.title", "Bulk edit posts")
	b.ClickText(".views a", "Planned, most wanted")
	b.WaitGone("tbody tr:nth-child(4)")
	b.ClickText(".views summary", "Edit view")
	b.Fill(".views [name=name]", "Up next")
	b.ClickText(".views button", "Rename")
	b.told("The view is renamed")
	b.WaitText(".views [aria-current]", "Up next")
	b.at(site(o, "posts?days=30"))
	b.ClickText(".views summary", "Save view")
	b.Select("#view-change", "Up next")
	b.ClickText(".views button", "Update the view")
	b.told("“Up next” shows this from now on")
	b.WaitText(".views [aria-current]", "Up next")
	b.ClickText(".views summary", "Edit view")
	if !plain {
		b.Confirm("The team shares it")
	}
	b.ClickText(".views button", "Delete the view")
	b.told("The view is deleted")
	b.WaitGone(".views nav a:nth-child(2)")

	// A comment is answered, reworded, hidden with its answer, shown, deleted.
	post := site(o, "posts", posts[0])
	b.at(post)
	b.ClickText(".comment:first-child .acts a", "Reply")
	b.WaitText("#answer", "Answering owner")
	b.Type("#answer textarea", "Rather this month.")
	b.ClickText("#answer button", "Comment")
	b.told("The comment is added")
	b.WaitText(".comment", "answers owner")
	b.ClickText(".comment:first-child .acts a", "Edit")
	b.WaitText("h1", "Edit comment")
	b.Fill("#body", "We start on it **tomorrow**.")
	b.ClickText("button", "Save")
	b.told("The comment is changed")
	b.WaitText(".comment:first-child .meta", "edited")
	b.ClickText(".comment:first-child .acts button", "Hide")
	b.told("nor the answers")
	b.WaitText(".comment:last-of-type .pill", "hidden")
	b.ClickText(".comment:first-child .acts button", "Show")
	b.told("sees the comment again")
	b.at(post)
	b.ClickText(".comment:nth-child(2) .acts a", "Edit")
	b.WaitText("h1", "Edit comment")
	if !plain {
		b.Confirm("Delete the comment for good?")
	}
	b.ClickText(".danger-zone button", "Delete")
	b.told("The comment is deleted")
	b.WaitText(".line", "deleted a comment")

	// Duplicates are suggested beside a post.
	b.at(site(o, "posts", posts[6]))
	if plain {
		b.ClickText("a", "Look for duplicates")
		b.WaitText("h1", "Merge into another post")
	} else {
		b.WaitText(".similar", "Single sign-on with SAML and OIDC")
		b.ClickText(".similar a", "Merge into it")
		b.WaitText(".facts", "After the merge")
	}

	// A post is withheld from agents in the queue, and offered again.
	b.at(site(o, "automation"))
	b.Click(".lane form button")
	b.told("The post is withheld from agents")
	b.WaitText("#withheld", "Withheld from agents")
	b.ClickText("td button", "Offer")
	b.told("The post is offered to agents")
	b.WaitGone("#withheld")

	// An entry publishes itself.
	b.at(site(o, "changelog", "new"))
	b.Type("#title", "Exports that arrive")
	b.Type("#body", "They are **quick** now.")
	if plain {
		b.ClickText("button", "Preview")
		b.Wait("#preview strong")
		b.Type("#find", "time out")
		b.ClickText("button", "Find posts")
	} else {
		b.Type("#find", "time out")
	}
	b.WaitText("#links .check", "Exports to CSV time out")
	b.Click("#links [name=linked]")
	b.Wait("#links :checked")
	browsertest.Eval[bool](b.Page, `(() => {
		const at = document.querySelector("#publishAt");
		at.value = "2026-05-06T09:00";
		at.dispatchEvent(new Event("input", {bubbles: true}));
		return true;
	})()`)
	b.ClickText("button", "Schedule")
	b.told("will be published on 6 May 2026")
	b.WaitText("tr .pill", "Scheduled")
	b.ClickText("td a", "Exports that arrive")
	b.WaitText(".note", "To be published on")
	b.button("/unschedule", "Unschedule")
	b.told("stays a draft")
	if !plain {
		b.Confirm("told by mail, which cannot be taken back")
	}
	b.ClickText("button", "Publish now")
	b.told("The entry is published")
	w.clock.pass(72 * time.Hour)
	if more, err := w.app.PublishNext(t.Context()); more || err != nil {
		t.Errorf("PublishNext = %v, %v; want nothing left", more, err)
	}

	b.at(site(o, "insights"))
	b.ClickText("button", "Run now")
	b.told("The search for themes is under way")
	b.WaitText("#run-state", "Queued")
	w.themes(t, o, posts)
	if plain {
		b.ClickText("#run-state a", "Look again")
	}
	b.ClickText("article.theme a", "Signing in")
	b.WaitText("h1", "Signing in")
	b.WaitText("tbody", "Dark mode that follows")
}
