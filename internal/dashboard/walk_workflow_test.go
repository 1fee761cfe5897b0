package dashboard_test

import (
	"slices"
	"testing"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// rows are the names in the first column of a table that has any.
func (b *walk) rows(selector string) []string {
	b.t.Helper()
	return browsertest.Eval[[]string](b.Page, `[...document.querySelectorAll("tbody tr")].map(r => r.querySelector("`+selector+`").innerText.trim())`)
}

// Boards, statuses in their order, tags.
func TestWalkWorkflow(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	lively(t, w, o)
	b := w.walk(t)
	b.signIn(ownerEmail, password)

	b.at(site(o, "boards"))
	b.refuses("422", site(o, "boards"))
	b.Type("#name", "Ideas")
	b.Type("#slug", "No Slug!")
	b.button("/boards", "Add board")
	b.Wait("#slug-error")
	b.Fill("#slug", "ideas")
	b.Type("#description", "Bright ones")
	b.Click("[name=private]")
	b.button("/boards", "Add board")
	b.told("The board is added")
	b.WaitText("tr:has([href*='board=']) .pill", "Team only")
	b.ClickText("tr:has(.pill.warn) a", "Change")
	b.WaitText("h1", "Ideas")
	b.Fill("#name", "Bright ideas")
	b.Click("[name=private]")
	b.ClickText("button", "Save")
	b.told("The board is changed")
	b.WaitText("td.title", "Bright ideas")
	b.ClickText("tr:has([href*='board=']):last-child a", "Change")
	b.WaitText("h1", "Bright ideas")
	b.Confirm("Remove the board Bright ideas?")
	b.Select("[name=moveTo]", "Bugs")
	b.button("/remove", "Move the posts and remove it")
	b.told("The board is removed")

	// Statuses: made, dragged, moved by the keyboard, changed, removed.
	b.at(site(o, "statuses"))
	before := b.rows(".pill")
	b.Type("#name", "Explained")
	b.Fill("#color", "#aa3366")
	b.ClickText(".check", "told, with a note")
	b.button("/statuses", "Add status")
	b.told("The status is added")
	last := len(before)
	browsertest.Eval[bool](b.Page, `(() => {
		const rows = document.querySelectorAll("tbody tr"), data = new DataTransfer();
		const send = (type, to) => to.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
		send("dragstart", rows[rows.length - 1]); send("dragover", rows[0]); send("drop", rows[0]);
		return true;
	})()`)
	b.WaitText("tbody tr:first-child .pill", "Explained")
	// The buttons by the keyboard alone, and the focus stays on the row.
	browsertest.Eval[bool](b.Page, `(document.querySelector("[aria-label='Move Explained down']").focus(), true)`)
	b.Press("\r")
	b.WaitText("tbody tr:nth-child(2) .pill", "Explained")
	if got := browsertest.Eval[string](b.Page, `document.activeElement.getAttribute("aria-label")`); got != "Move Explained down" {
		t.Errorf("after a move the focus is on %q; want to be able to press again", got)
	}
	b.Press("\r")
	b.WaitText("tbody tr:nth-child(3) .pill", "Explained")
	want := slices.Insert(slices.Clone(before), 2, "Explained")
	if got := b.rows(".pill"); !slices.Equal(got, want) || len(got) != last+1 {
		t.Errorf("the order is %v; want %v", got, want)
	}
	b.ClickText("tbody tr:nth-child(3) a", "Change")
	b.WaitText("h1", "Explained")
	if got := b.value("#color"); got != "#aa3366" {
		t.Errorf("the colour is %s", got)
	}
	b.Fill("#name", "Answered")
	b.ClickText(".check", "not told")
	b.Click("[name=isDefault]")
	b.ClickText("button", "Save")
	b.told("The status is changed")
	b.WaitText("tbody tr:nth-child(3)", "Answered")
	b.WaitText("tbody tr:nth-child(3) .badge", "default")
	b.WaitText("tbody tr:nth-child(3)", "not told")
	b.ClickText("tbody tr:first-child a", "Change")
	b.WaitText("h1", before[0])
	b.Confirm("Remove the status " + before[0] + "?")
	b.Select("[name=moveTo]", "Answered")
	b.button("/remove", "Move the posts and remove it")
	b.told("The status is removed")
	if got := b.rows(".pill"); slices.Contains(got, before[0]) {
		t.Errorf("%s is still among %v", before[0], got)
	}

	b.at(site(o, "tags"))
	b.Type("#name", "quick win")
	b.Fill("#color", "#117733")
	b.button("/tags", "Add tag")
	b.told("The tag is added")
	b.Fill("[aria-label='Name of quick win']", "quick")
	b.Fill("[aria-label='Colour of quick win']", "#3366aa")
	b.ClickText("form:has([aria-label='Name of quick win']) button", "Save")
	b.told("The tag is changed")
	b.Confirm("Remove quick from all posts?")
	b.ClickText("tr:has([aria-label='Name of quick']) button", "Remove")
	b.told("The tag is removed")
	b.WaitGone("[aria-label='Name of quick']")
}
