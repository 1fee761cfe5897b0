package dashboard_test

import (
	"slices"
	"strings"
	"testing"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// The list of posts: search, filters, keys, and one thing done to many.
func TestWalkPosts(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	all := len(lively(t, w, o))
	b := w.walk(t)
	b.signIn(ownerEmail, password)
	list := site(o, "posts")
	titles := func() []string { t.Helper(); return b.rows("td.title a") }

	b.at(list)
	if got := titles(); len(got) != all {
		t.Errorf("the list shows %d posts; want %d", len(got), all)
	}
	b.Press("?")
	b.WaitText("#shortcuts[open]", "Next and previous row")
	b.Press("\x1b")
	b.WaitGone("#shortcuts[open]")
	b.Press("/")
	b.Press("sign-on\r")
	b.Wait("#q[value='sign-on']")
	if got := titles(); len(got) != 2 || !strings.HasPrefix(got[0], "Single sign-on") {
		t.Errorf("the search finds %v", got)
	}
	b.Fill("#q", "no such words")
	b.Press("\r")
	b.WaitText("main h2", "Nothing found")
	b.ClickText("a", "Show all posts")
	b.WaitText("td.title", "Undo for merged posts")

	b.Select("[name=status]", "Planned")
	b.WaitGone("tbody tr:nth-child(4)")
	planned := titles()
	if len(planned) < 2 || len(planned) > 3 {
		t.Errorf("the status Planned leaves %v", planned)
	}
	b.Select("[name=sort]", "Most votes")
	b.Wait(".filters:has([value=votes][selected])")
	if got := titles(); len(got) != len(planned) {
		t.Errorf("sorted by votes: %v; want all of %v", got, planned)
	}
	b.Select("[name=board]", "Bugs")
	b.Wait(".filters:has([name=board] [selected])")

	// Keys lead from a post to the next of the list, and back up to it.
	b.at(list + "?status=" + w.lists(t, o).statuses["Planned"])
	planned = titles()
	b.Press("j\r")
	b.WaitText("h1", planned[0])
	b.Press("n")
	b.WaitText("h1", planned[1])
	b.Press("u")
	b.Wait(".filters:has([name=status] [selected])")
	b.ClickText("td.title a", planned[len(planned)-1])
	b.WaitText("h1", planned[len(planned)-1])
	b.ClickText(".crumbs a", "Next post")
	b.told("That was the last post of the list")
	b.Wait(".filters:has([name=status] [selected])")

	// Keys walk through the rows and tick them; what is done is told.
	b.at(list)
	first, second := titles()[0], titles()[1]
	b.Press(strings.Repeat("j", all+1))
	if got, want := browsertest.Eval[string](b.Page, "document.activeElement.innerText"), titles()[all-1]; got != want {
		t.Errorf("at the end of the list j is on %q; want %q", got, want)
	}
	b.Press(strings.Repeat("k", all))
	b.Press("xjx")
	b.WaitText("[data-count=post]", "2")
	b.Select("[name=act]", "Archive")
	b.ClickText(".bulk button", "Apply")
	b.told("2 posts changed")
	if got := titles(); slices.Contains(got, first) || slices.Contains(got, second) || len(got) != all-2 {
		t.Errorf("after archiving two of %d posts the list shows %v", all, got)
	}
	b.Select("[name=show]", "Archived")
	b.WaitText("td.title", first)
	b.Click("[data-all=post]")
	b.WaitText("[data-count=post]", "2")
	b.Select("[name=act]", "Restore")
	b.ClickText(".bulk button", "Apply")
	b.told("2 posts changed")
	b.WaitText("main h2", "No posts here")
	b.at(list)
	b.Press("j")
	b.Press("\r")
	b.WaitText("h1", first)
}

// One post from its beginning to a merge and back.
func TestWalkPost(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	posts := lively(t, w, o)
	b := w.walk(t)
	b.signIn(ownerEmail, password)

	b.at(site(o, "posts"))
	b.Press("c")
	b.WaitText("h1", "New post")
	b.refuses("422", site(o, "posts"))
	b.Select("#boardId", "Bugs")
	b.Type("#title", "Exports lose the last row")
	b.Type("#body", "It is **always** the last.")
	b.Type("#onBehalfVisitorId", strings.Repeat("x", 3)+"\t")
	browsertest.Eval[bool](b.Page, `(document.querySelector("#title").maxLength = 9999, document.querySelector("#title").value = "x".repeat(300), true)`)
	b.ClickText("button", "Log the post")
	b.Wait("#title-error")
	b.Fill("#title", "Exports lose the last row")
	b.ClickText("button", "Log the post")
	b.told("The post is logged")
	b.WaitText("h1", "Exports lose the last row")
	b.Wait(".prose strong")
	id := browsertest.Eval[string](b.Page, "location.pathname")
	b.at(site(o, "posts", "new"))
	if got := b.value("#title"); got != "" {
		t.Errorf("a post that was logged is offered again as a draft: %q", got)
	}

	b.at(id)
	b.Press("m")
	b.Press("We look into it.")
	b.ClickText("button", "Comment")
	b.told("The comment is added")
	b.WaitText(".comment", "We look into it.")
	if got := b.value("#body"); got != "" {
		t.Errorf("the comment is still in the form: %q", got)
	}
	b.Type("#body", "It is the buffer.")
	b.ClickText(".check", "Internal")
	b.ClickText("button", "Comment")
	b.WaitText(".comment.internal", "It is the buffer.")

	b.Press("s")
	if got := browsertest.Eval[string](b.Page, "document.activeElement.name"); got != "statusId" {
		t.Errorf("s focuses %q; want the status", got)
	}
	b.Select("[name=statusId]", "Planned")
	b.Type("#note", "Next week.")
	b.ClickText("button", "Change status")
	b.told("The status is changed")
	b.WaitText(".line", "Next week.")

	for _, f := range []struct{ do, told, undo, undone string }{
		{"Pin", "The post is pinned", "Unpin", "The post is unpinned"},
		{"Lock", "The post is locked", "Unlock", "The post is unlocked"},
		{"Archive", "The post is archived", "Restore", "The post is restored"},
		{"Withhold from agents", "The post is withheld from agents", "Offer to agents", "The post is offered to agents"},
	} {
		b.button("/flags", f.do)
		b.told(f.told)
		b.button("/flags", f.undo)
		b.told(f.undone)
	}
	b.Select("[name=boardId]", "Feature requests")
	b.button("/move", "Move")
	b.told("The post is moved")
	b.Type("[name=name]", "exports")
	b.button("/tags", "Add")
	b.Wait("[aria-label='Remove the tag exports']")
	b.Click("[aria-label='Remove the tag exports']")
	b.WaitText(".line", "removed the tag exports")
	b.Type("[name=onBehalfVisitorId]", "user-77")
	b.button("/votes", "Add a vote")
	b.told("The vote of user-77 is counted")
	b.Type("[name=onBehalfVisitorId]", "user-77")
	b.button("/votes", "Add a vote")
	b.told("user-77 has voted already")
	b.ClickText("a", "Show the voters")
	b.WaitText("h1", "Voters")
	b.WaitText("td", "user-77")
	b.at(id)
	b.Press("e")
	b.WaitText("h1", "Edit post")
	b.Fill("#title", "Exports to CSV lose the last row")
	b.ClickText("button", "Save")
	b.told("The post is changed")
	b.WaitText("h1", "Exports to CSV lose the last row")

	// Merged after a look at what moves, and taken back.
	b.ClickText("a", "Merge")
	b.WaitText("h1", "Merge into another post")
	b.Type("#q", "time out\r")
	b.WaitText("td", "Exports to CSV time out above 10,000 rows")
	b.ClickText("tr:has([href$='"+posts[4].String()+"']) a", "Choose")
	b.WaitText(".facts", "After the merge")
	b.WaitText(".facts div:has(.nums) + div", "2") // comments
	b.button("/merge", "Merge")
	b.told("The posts are merged")
	b.WaitText("h1", "Exports to CSV time out above 10,000 rows")
	b.WaitText(".comment", "It is the buffer.")
	b.Click("[aria-label^='Undo the merge of']")
	b.told("The merge is undone")
	b.WaitText("h1", "Exports to CSV lose the last row")
	b.WaitText(".comment", "It is the buffer.")
	b.at(site(o, "posts", posts[4]))
	if html := browsertest.Eval[string](b.Page, "document.body.innerHTML"); strings.Contains(html, "the buffer") {
		t.Error("a comment stayed behind when the merge was undone")
	}
}
