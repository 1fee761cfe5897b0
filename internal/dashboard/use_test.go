package dashboard_test

import (
	"testing"

	"heed/internal/browsertest"
	"heed/internal/feedback"
)

// Rows of statuses can be dragged into another order.
func TestDrag(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	p := browsertest.Open(t)
	p.Go(w.srv.URL + "/signin")
	p.Type("#email", ownerEmail)
	p.Type("#password", password)
	p.Click("form button.pri")
	p.Wait("nav.nav")
	p.Go(w.srv.URL + site(o, "statuses"))
	browsertest.Eval[bool](p, `(() => {
		const rows = document.querySelectorAll("tbody tr"), data = new DataTransfer();
		const send = (type, to) => to.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
		send("dragstart", rows[3]); send("dragover", rows[0]); send("drop", rows[0]);
		return true;
	})()`)
	p.Wait("tbody tr:first-child[data-id='" + w.lists(t, o).statuses["Done"] + "']")
}
