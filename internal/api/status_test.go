package api_test

import (
	"fmt"
	"testing"

	"heed/internal/feedback"
)

// testStatusChange walks through the moves between states.
func testStatusChange(t *testing.T, w *world) {
	p := w.newPlace(t)
	p.status["Silent"] = p.newStatus(t, object{"name": "Silent", "notifyMode": "SILENT"})
	p.status["SilentDone"] = p.newStatus(t, object{"name": "SilentDone", "notifyMode": "SILENT", "doneFlag": true})
	p.status["Told"] = p.newStatus(t, object{"name": "Told", "notifyMode": "NOTIFY_WITH_NOTE"})
	const none = ""
	nullable := func(name string) any {
		if name == none {
			return nil
		}
		return p.status[name]
	}
	notices := `SELECT COUNT(*) FROM notices WHERE post_id = $1`
	events := `SELECT COUNT(*) FROM events WHERE site_id = $1 AND type = 'post.status_changed'`
	site := int64(number[feedback.SiteID](t, p.id))

	for _, c := range []struct {
		from, to    string
		note        any // nil: absent
		enteredDone bool
		notices     int // told to voters
		events      int
		fails       string
	}{
		{"Open", "Planned", nil, false, 1, 1, ""},
		{"Open", "Done", nil, true, 1, 1, ""},
		{"Planned", "Closed", nil, true, 1, 1, ""},
		{none, "Done", nil, true, 1, 1, ""},
		{none, "Open", nil, false, 1, 1, ""},
		{"Done", "Closed", nil, false, 1, 1, ""},
		{"Closed", "Done", nil, false, 1, 1, ""},
		{"Done", "Open", nil, false, 1, 1, ""},
		{"Done", none, nil, false, 0, 1, ""},
		{"Open", none, nil, false, 0, 1, ""},
		{"Open", "Silent", "a note", false, 0, 1, ""},
		{"Open", "SilentDone", nil, true, 0, 1, ""},
		{"Open", "Told", "Soon.", false, 1, 1, ""},
		{"Open", "Planned", "Soon.", false, 1, 1, ""},
		{"Open", "Planned", "", false, 1, 1, ""},
		// The same again is nothing.
		{"Open", "Open", nil, false, 0, 0, ""},
		{"Done", "Done", nil, false, 0, 0, ""},
		{none, none, nil, false, 0, 0, ""},
		{"Told", "Told", "Again.", false, 0, 0, ""},
		// A status that wants a note gets one.
		{"Open", "Told", nil, false, 0, 0, "NOTE_REQUIRED"},
		{"Open", "Told", "", false, 0, 0, "NOTE_REQUIRED"},
		{"Open", "Told", " \t\n", false, 0, 0, "NOTE_REQUIRED"},
		{"Open", "Told", "\u3000\u200b", false, 0, 0, "NOTE_REQUIRED"},
		{"Told", "Told", nil, false, 0, 0, "NOTE_REQUIRED"},
		{"Open", "Planned", "  ", false, 0, 0, "VALIDATION_FAILED"},
	} {
		t.Run(fmt.Sprintf("%s to %s", c.from, c.to), func(t *testing.T) {
			post := p.post(t, "A post")
			p.must(t, "PUT", p.postPath(post)+"/status", object{"statusId": nullable(c.from), "note": "to begin with"})
			id := int64(number[feedback.PostID](t, post))
			toldBefore, sentBefore := w.count(t, notices, id), w.count(t, events, site)
			body := object{"statusId": nullable(c.to)}
			if c.note != nil {
				body["note"] = c.note
			}
			res := w.call(t, "PUT", p.postPath(post)+"/status", body)
			after := c.to
			if c.fails != "" {
				res.wantError(t, 422, c.fails)
				after = c.from
			} else {
				res.want(t, 200, object{"postId": post, "fromStatusId": nullable(c.from), "toStatusId": nullable(c.to), "enteredDoneState": c.enteredDone})
			}
			if told, sent := w.count(t, notices, id)-toldBefore, w.count(t, events, site)-sentBefore; told != c.notices || sent != c.events {
				t.Errorf("%d notices, %d events; want %d, %d", told, sent, c.notices, c.events)
			}
			var name any
			if after != none {
				name = after
			}
			if got := p.must(t, "GET", p.postPath(post), nil)["statusName"]; got != name {
				t.Errorf("statusName = %v; want %v", got, name)
			}
		})
	}
}

// testReactions holds who takes votes and comments, and how they count.
func testReactions(t *testing.T, w *world) {
	p := w.newPlace(t)
	post := p.post(t, "Open for all")
	vote := func(visitor string, created bool, count int) {
		t.Helper()
		w.call(t, "POST", p.postPath(post)+"/votes", object{"onBehalfVisitorId": visitor}).want(t, 201,
			object{"postId": post, "visitorId": visitor, "created": created, "voteCount": count})
	}
	// A visitor is that exact string.
	vote("ann", true, 1)
	vote("ann", false, 1)
	vote("Ann", true, 2)
	vote(" ann", true, 3)
	vote("a\u0301nn", true, 4) // as the caller spells it, composed or not
	vote("\u00e1nn", true, 5)
	vote("author", true, 6) // who wrote it may vote for it
	vote("author", false, 6)
	visitors := func(site string) int {
		return w.count(t, `SELECT COUNT(*) FROM visitors WHERE site_id = $1`, int64(number[feedback.SiteID](t, site)))
	}
	if n := visitors(p.id); n != 6 {
		t.Errorf("%d visitors; want 6", n)
	}
	// The same string on another site is somebody else.
	other := w.newPlace(t)
	other.vote(t, other.post(t, "Elsewhere"), "ann")
	if n := visitors(other.id); n != 2 {
		t.Errorf("%d visitors on the other site; want ann and the author", n)
	}

	locked, archived, merged := p.post(t, "Locked"), p.post(t, "Archived"), p.post(t, "Merged")
	w.exec(t, `UPDATE posts SET locked = TRUE WHERE id = $1`, int64(number[feedback.PostID](t, locked)))
	w.archive(t, p.id, archived)
	p.must(t, "POST", p.postPath(merged)+"/merge", object{"winnerId": post})
	for _, c := range []struct {
		post    string
		details object
	}{
		{locked, object{"postId": locked, "reason": "locked"}},
		{archived, object{"postId": archived, "reason": "archived"}},
		{merged, object{"postId": merged, "reason": "merged", "mergedInto": post}},
	} {
		for path, body := range map[string]object{"/votes": {"onBehalfVisitorId": "ann"}, "/comments": {"body": "Hello?"}} {
			res := w.call(t, "POST", p.postPath(c.post)+path, body).wantError(t, 422, "POST_LOCKED")
			if d := differences("details", any(res.details()), c.details); d != nil {
				t.Errorf("%s: %v", path, d)
			}
		}
	}

	internal := p.must(t, "POST", p.postPath(post)+"/comments", object{"body": "Among us.", "internal": true})["id"]
	elsewhere := p.comment(t, p.post(t, "Another"), "Elsewhere.")
	for _, c := range []struct {
		body   object
		status int
		code   string
	}{
		{object{"body": "Secret too.", "parentId": internal, "internal": true}, 201, ""},
		{object{"body": "Loud.", "parentId": internal}, 422, "VALIDATION_FAILED"},
		{object{"body": "Lost.", "parentId": elsewhere}, 404, "NOT_FOUND"},
	} {
		res := w.call(t, "POST", p.postPath(post)+"/comments", c.body)
		if res.status != c.status || res.code() != c.code {
			t.Errorf("%v = %d %s; want %d %s", c.body, res.status, res.raw, c.status, c.code)
		}
	}
	// Public comments are an event, internal ones are not.
	if n := w.count(t, `SELECT COUNT(*) FROM events WHERE site_id = $1 AND type = 'comment.created'`, int64(number[feedback.SiteID](t, p.id))); n != 1 {
		t.Errorf("%d events comment.created; want 1, for the public comment alone", n)
	}
	// What a visitor says in the portal is a visitor's.
	w.exec(t, `UPDATE comments SET author_type = 'visitor' WHERE id = $1`, int64(number[feedback.CommentID](t, internal.(string))))
	if got := data(p.must(t, "GET", p.postPath(post)+"/comments", nil))[0]["authorType"]; got != "visitor" {
		t.Errorf("authorType = %v; want visitor", got)
	}
}
