package dashboard_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/app"
	"heed/internal/feedback"
)

// token is a token of single sign-on, made as the page of it says.
func token(secret string, claims map[string]any) string {
	part := func(v any) string {
		b, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	signed := part(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." + part(claims)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ssoSecret makes a secret for single sign-on of a site.
func (w *world) ssoSecret(t testing.TB, o *app.Opened) string {
	t.Helper()
	var secret string
	err := w.app.Change(t.Context(), team(o), app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) (err error) {
		secret, err = tx.NewSSOSecret(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// team is the owner of an account at work.
func team(o *app.Opened) *app.Actor {
	return &app.Actor{Source: feedback.FromDashboard, Account: &o.Account, Member: o.Member.ID, Role: feedback.Owner, Name: o.Member.Name}
}

// enter returns a visitor of the portal who has come signed in.
func (w *world) enter(t testing.TB, o *app.Opened, secret, sub, email, name string) *user {
	t.Helper()
	v := w.user(t)
	a := v.get("/p/" + o.Site.Slug + "/sso?token=" + url.QueryEscape(token(secret, map[string]any{
		"sub": sub, "email": email, "name": name, "aud": o.Site.Slug, "jti": sub + fmt.Sprint(w.clock.Now().UnixNano()), "exp": w.clock.Now().Add(time.Minute).Unix(),
	})))
	if a.status != http.StatusSeeOther {
		t.Fatalf("single sign-on of %s: %d\n%s", sub, a.status, a.text())
	}
	return v
}

// share posts in the portal.
func (v *user) share(o *app.Opened, board, title, body string) answer {
	v.t.Helper()
	return v.post("/p/"+o.Site.Slug+"/posts", "title", title, "body", body, "boardId", board, "seen", "1")
}

var visitorID = regexp.MustCompile(`/visitors/(vis_\w+)`)

// find returns the path of the visitor that a search finds.
func (u *user) find(o *app.Opened, query string) string {
	u.t.Helper()
	page := u.page(site(o, "visitors?q="+url.QueryEscape(query)))
	m := visitorID.FindAllStringSubmatch(page.body, -1)
	if len(m) != 1 {
		u.t.Fatalf("searching %q finds %d visitors; want 1\n%s", query, len(m), page.text())
	}
	return site(o, "visitors", m[0][1])
}

// peopled gives a site visitors with names, posts that wait, blocks and a look,
// and returns the path of one of the visitors.
func peopled(t testing.TB, w *world, o *app.Opened) string {
	t.Helper()
	u := w.signedIn(t, ownerEmail)
	board := w.lists(t, o).boards["Bugs"]
	secret := w.ssoSecret(t, o)
	people := []string{"Ada Moreno", "Wolfeschlegelsteinhausenbergerdorff Adolph Blaine Charles David Earl Frederick", "ليلى حسن"}
	for i, name := range people {
		v := w.enter(t, o, secret, fmt.Sprintf("crm-%d", i), fmt.Sprintf("person%d@a-rather-long-company-name.example", i), name)
		v.share(o, board, "What "+name+" wants", "Soon, please.")
		id := regexp.MustCompile(`post_\w+`).FindString(u.page(site(o, "posts")).body)
		v.post("/p/"+o.Site.Slug+"/posts/"+id+"/comments", "body", "It happens on every page, and it is worse on a phone.\n\nPlease look at it.")
	}
	w.moderate(t, o)
	for i, title := range []string{"Buy cheap watches", "Let us sort the list by name", strings.Repeat("Please, please ", 10), "Exports should hold the ids"} {
		w.clock.pass(40 * time.Minute)
		v := w.enter(t, o, secret, fmt.Sprintf("crm-%d", i%3), fmt.Sprintf("person%d@a-rather-long-company-name.example", i%3), "")
		v.share(o, board, title, "A sentence or two about it.\n\n"+strings.Repeat("It would help us a lot. ", i*10))
	}
	u = w.signedIn(t, ownerEmail)
	ids := u.waiting(site(o, "queue"))
	u.act(site(o, "queue"), "one", "reject:"+ids[0], "reason", "This is an advertisement.")
	u.act(site(o, "settings", "blocks"), "kind", "domain", "value", "spam.example")
	u.act(site(o, "settings", "blocks"), "kind", "email", "value", "troll@example.com")
	u.act(u.find(o, "wolfe")+"/block", "address", "on")
	u.act(site(o, "settings", "host"), "host", "feedback.northwind.example")
	u.act(site(o, "settings", "look"), "accent", "#ffb800", "scheme", "system")
	u.act(site(o, "settings", "widget"), "widgetOrigins", "https://app.northwind.example")
	if a := u.upload(site(o, "settings", "logo"), "logo", picture(t, 96, 96)); a.status != http.StatusSeeOther {
		t.Fatalf("the logo: %d", a.status)
	}
	return u.find(o, "moreno")
}

func TestVisitors(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		u.page(site(o, "visitors")).has(t, "No visitors yet")
		posts := lively(t, w, o)
		board := w.lists(t, o).boards["Bugs"]
		secret := w.ssoSecret(t, o)
		ada := w.enter(t, o, secret, "crm/ADA-7", "Ada.Lovelace@example.com", "Ada Śniadecka-Lovelace")
		ada.share(o, board, "Analytical engine", "Numbers are not all it can do.")
		ada.post("/p/"+o.Site.Slug+"/posts/"+posts[0].String()+"/comments", "body", "My *words* <b>here</b>")
		ada.post("/p/"+o.Site.Slug+"/posts/"+posts[0].String()+"/vote", "vote", "on")
		anon := w.user(t)
		anon.share(o, board, "From nobody in particular", "")

		list := u.page(site(o, "visitors"))
		list.has(t, "Ada Śniadecka-Lovelace", "ada.lovelace@example.com", "crm/ADA-7", "signed in", "Anonymous visitor", "user-1003")
		list.lacks(t, "anon:")
		u.page(site(o, "visitors?show=known")).lacks(t, "user-1003", "Anonymous")

		// By the beginning of any word of the name, of the address, or of the
		// own id, in any case and without accents.
		for _, q := range []string{"ada", "LOVE", "sniad", "lovelace ada", "ada.lovelace@ex", "Ada.Lovelace@example.com", "crm/ADA", "ada example"} {
			u.find(o, q)
		}
		for _, q := range []string{"velace", "ada zebra", "crm/ada", "%", "_", "'", "anon:", "portal", "@", "user-1003x"} {
			if n := len(visitorID.FindAllString(u.page(site(o, "visitors?q="+url.QueryEscape(q))).body, -1)); n != 0 {
				t.Errorf("searching %q finds %d visitors; want none", q, n)
			}
		}
		if n := len(visitorID.FindAllString(u.page(site(o, "visitors?q=user-")).body, -1)); n != 10 {
			t.Errorf("searching user- finds %d visitors; want 10", n)
		}
		if a := u.get(site(o, "visitors?q="+strings.Repeat("x", 300))); a.status != http.StatusUnprocessableEntity {
			t.Errorf("a long search: %d; want 422", a.status)
		}

		page := u.find(o, "lovelace")
		u.page(page).has(t, "Posts (1)", "Votes (2)", "Comments (1)", "Analytical engine", "ada.lovelace@example.com", "crm/ADA-7")
		u.page(page+"?show=votes").has(t, "Single sign-on with SAML", "Analytical engine")
		said := u.page(page + "?show=comments")
		said.has(t, "My *words*", "Single sign-on with SAML")
		said.lacks(t, "<b>here</b>")

		// From what they did, the way leads to them.
		id := strings.TrimPrefix(page, site(o, "visitors")+"/")
		for _, from := range []string{site(o, "posts", posts[0]), site(o, "posts", posts[0], "voters")} {
			if !strings.Contains(u.page(from).body, page) {
				t.Errorf("%s does not lead to %s", from, id)
			}
		}

		// A viewer sees no address, and finds nobody by one.
		w.join(t, o, "viewer@northwind.example", feedback.Viewer)
		v := w.signedIn(t, "viewer@northwind.example")
		for _, path := range []string{site(o, "visitors"), page, page + "?show=comments", site(o, "posts", posts[0]), site(o, "visitors?q=ada")} {
			v.page(path).lacks(t, "lovelace@", "crm/ADA-7")
		}
		v.find(o, "lovelace")
		if n := len(visitorID.FindAllString(v.page(site(o, "visitors?q=ada.lovelace@example.com")).body, -1)); n != 0 {
			t.Errorf("a viewer finds %d visitors by an address", n)
		}
	})
}

// Nobody is called by their address where a viewer reads it, also not by one
// that serves as an id.
func TestViewersSeeNoAddresses(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	u := w.signedIn(t, ownerEmail)
	secret := w.ssoSecret(t, o)
	board := w.lists(t, o).boards["Bugs"]
	w.enter(t, o, secret, "u-1", "quiet@example.com", "").share(o, board, "Nameless", "")
	u.act(site(o, "posts"), "boardId", board, "title", "By address", "body", "", "onBehalfVisitorId", "someone@example.org")
	w.join(t, o, "viewer@northwind.example", feedback.Viewer)
	v := w.signedIn(t, "viewer@northwind.example")
	pages := []string{site(o, "visitors")}
	for _, m := range regexp.MustCompile(`/posts/(post_\w+)`).FindAllStringSubmatch(u.page(site(o, "posts")).body, -1) {
		pages = append(pages, site(o, "posts", m[1]))
	}
	for _, m := range visitorID.FindAllStringSubmatch(u.page(site(o, "visitors")).body, -1) {
		pages = append(pages, site(o, "visitors", m[1]))
	}
	if len(pages) != 5 {
		t.Fatalf("%v; want two posts and two visitors", pages)
	}
	var team string
	for _, p := range pages {
		v.page(p).lacks(t, "quiet@", "someone@")
		team += u.page(p).body
	}
	if !strings.Contains(team, "quiet@example.com") || !strings.Contains(team, "someone@example.org") {
		t.Error("an owner sees no addresses either")
	}
}

func TestVisitorIsBlocked(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		board := w.lists(t, o).boards["Bugs"]
		secret := w.ssoSecret(t, o)
		troll := w.enter(t, o, secret, "troll", "troll@spam.example", "Troll")
		troll.share(o, board, "First", "")
		page := u.find(o, "troll")
		u.act(page+"/block", "address", "on").has(t, "Blocked", "troll@spam.example", "They cannot write any more")
		if a := troll.share(o, board, "Second", ""); a.status != http.StatusForbidden {
			t.Errorf("a post of somebody blocked: %d; want 403", a.status)
		}
		u.page(site(o, "settings", "blocks")).has(t, "troll@spam.example", "Troll")
		u.page(site(o, "visitors")).has(t, "blocked")
		u.act(page+"/unblock").lacks(t, "pill bad")
		if a := troll.share(o, board, "Third", ""); a.status != http.StatusSeeOther {
			t.Errorf("a post of somebody unblocked: %d; want 303", a.status)
		}
		u.act(site(o, "settings", "blocks"), "kind", "domain", "value", "spam.example")
		u.post(page + "/unblock")
		u.page(page).has(t, "Their whole domain is blocked", "All addresses of a domain")
		u.page("/dash/audit").has(t, "visitor.blocked", "visitor.unblocked")
	})
}

func TestVisitorExportAndDelete(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		posts := lively(t, w, o)
		u := w.signedIn(t, ownerEmail)
		board := w.lists(t, o).boards["Bugs"]
		secret := w.ssoSecret(t, o)
		ada := w.enter(t, o, secret, "ada-7", "ada@example.com", "Ada Moreno")
		ada.share(o, board, "Lonely idea", "It is mine.")
		ada.post("/p/"+o.Site.Slug+"/posts/"+posts[0].String()+"/comments", "body", "My words")
		page := u.find(o, "moreno")

		out := u.post(page + "/export")
		if out.status != http.StatusOK || out.header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(out.header.Get("Content-Disposition"), "attachment") {
			t.Fatalf("the export: %d %v", out.status, out.header)
		}
		var got app.Export
		if err := json.Unmarshal([]byte(out.body), &got); err != nil {
			t.Fatal(err)
		}
		// It is what the visitor gets themselves.
		var own app.Export
		if err := json.Unmarshal([]byte(ada.page("/p/"+o.Site.Slug+"/me/export").body), &own); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(own, got); diff != "" {
			t.Errorf("the portal (-) and the dashboard (+) export different things:\n%s", diff)
		}
		if got.Email != "ada@example.com" || got.ExternalID == nil || *got.ExternalID != "ada-7" || len(got.Posts) != 1 || got.Posts[0].Body != "It is mine." || len(got.Comments) != 1 || len(got.VotedPostIDs) != 1 {
			t.Errorf("the export is %+v", got)
		}

		u.post(page + "/delete")
		u.page(page).has(t, "Tick the box", "Ada Moreno")
		w.clock.pass(time.Hour)
		if a := u.post(page+"/delete", "sure", "on"); a.status != http.StatusForbidden {
			t.Errorf("deleting without a proof: %d; want the question for the password", a.status)
		}
		u.act(page+"/delete", "sure", "on", "_password", password).has(t, "The visitor is deleted")
		if a := u.get(page); a.status != http.StatusNotFound {
			t.Errorf("the page of a deleted visitor: %d; want 404", a.status)
		}
		u.page(site(o, "visitors")).lacks(t, "Ada Moreno", "ada@example.com", "deleted:")
		u.page(site(o, "visitors?q=moreno")).has(t, "Nobody found")
		u.page(site(o, "posts")).lacks(t, "Lonely idea")
		u.page(site(o, "posts", posts[0])).lacks(t, "My words", "Ada Moreno")
		if a := ada.get("/p/" + o.Site.Slug + "/me"); strings.Contains(a.body, "ada@example.com") {
			t.Error("a deleted visitor is still signed in")
		}
		log := u.page("/dash/audit")
		log.has(t, "visitor.exported", "visitor.deleted")
		log.lacks(t, "ada@example.com", "Moreno")
		lines, err := w.app.Check(t.Context(), nil)
		if err != nil || len(lines) != 0 {
			t.Errorf("check: %v %v", lines, err)
		}
	})
}

// Deleting a visitor is the same whoever asks for it.
func TestDeletedTheSame(t *testing.T) {
	delete := func(how func(w *twinWorld, ada *user)) map[string][]string {
		w := twin(t, "sqlite")
		secret := w.ssoSecret(t, w.o)
		board := w.lists(t, w.o).boards["Bugs"]
		ada := w.enter(t, w.o, secret, "ada", "ada@example.com", "Ada")
		ada.share(w.o, board, "Lonely", "Mine")
		ada.share(w.o, board, "Popular", "Mine too")
		first := w.newest(t)
		bob := w.enter(t, w.o, secret, "bob", "bob@example.com", "Bob")
		bob.post("/p/"+w.o.Site.Slug+"/posts/"+first+"/vote", "vote", "on")
		ada.post("/p/"+w.o.Site.Slug+"/posts/"+first+"/comments", "body", "Said")
		how(w, ada)
		return w.dump(t)
	}
	mine := delete(func(w *twinWorld, ada *user) {
		if a := ada.post("/p/"+w.o.Site.Slug+"/me/delete", "sure", "on"); a.status != http.StatusOK {
			t.Fatalf("deleting oneself: %d", a.status)
		}
	})
	theirs := delete(func(w *twinWorld, _ *user) {
		u := w.signedIn(t, ownerEmail)
		u.act(u.find(w.o, "ada")+"/delete", "sure", "on")
	})
	if diff := cmp.Diff(mine, theirs); diff != "" {
		t.Errorf("rows after the portal (-) and after the dashboard (+) differ:\n%s", diff)
	}
	if !strings.Contains(strings.Join(mine["posts"], "\n"), "title=Popular") || strings.Contains(strings.Join(mine["posts"], "\n"), "Lonely") {
		t.Errorf("what is left: %v", mine["posts"])
	}
}

// The list pages to its end, everybody once, with and without a search.
func TestVisitorPaging(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		board := w.lists(t, o).boards["Bugs"]
		err := w.app.Change(t.Context(), team(o), app.Target{Site: o.Site.ID.String()}, "sample", "", func(tx *app.Tx) error {
			for i := range 120 {
				_, err := tx.CreatePost(t.Context(), feedback.NewPost{Board: feedback.Ref(board), Title: "Post", Visitor: feedback.VisitorRef(fmt.Sprintf("user-%03d", i))})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"", "?q=user-", "?q=u"} {
			seen := map[string]bool{}
			next := site(o, "visitors") + query
			for pages := 0; next != ""; pages++ {
				if pages > 3 {
					t.Fatalf("%s: no end", query)
				}
				a := u.page(next)
				for _, m := range visitorID.FindAllStringSubmatch(a.body, -1) {
					if seen[m[1]] {
						t.Errorf("%s: %s twice", query, m[1])
					}
					seen[m[1]] = true
				}
				next = ""
				if _, rest, more := strings.Cut(a.body, `rel="next" href="`); more {
					next, _, _ = strings.Cut(rest, `"`)
					next = strings.ReplaceAll(next, "&amp;", "&")
				}
			}
			if len(seen) != 120 {
				t.Errorf("%q: %d visitors; want 120", query, len(seen))
			}
		}
	})
}

func TestSingleSignOnSecret(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		page := site(o, "settings", "sso")
		u.page(page).has(t, "Off", "HS256", "exp", "aud", "jti", o.Site.Slug)
		found := regexp.MustCompile(`<code id="secret"[^>]*>([\w-]+)</code>`)
		make := func() string {
			t.Helper()
			a := u.post(page)
			m := found.FindStringSubmatch(a.body)
			if a.status != http.StatusOK || m == nil || a.header.Get("Cache-Control") != "no-store" || strings.Count(a.body, m[1]) != 1 {
				t.Fatalf("a new secret: %d %v\n%s", a.status, a.header, a.text())
			}
			return m[1]
		}
		first := make()
		w.enter(t, o, first, "one", "one@example.com", "One")
		second := make()
		for _, path := range []string{page, "/dash/audit", "/dash/audit.csv"} {
			u.page(path).lacks(t, first, second)
		}
		u.page("/dash/audit").has(t, "settings.sso_secret_made")
		w.enter(t, o, second, "two", "two@example.com", "Two")
		refused := func(secret string) {
			t.Helper()
			a := w.user(t).get("/p/" + o.Site.Slug + "/sso?token=" + url.QueryEscape(token(secret, map[string]any{
				"sub": "x", "aud": o.Site.Slug, "jti": "y", "exp": w.clock.Now().Add(time.Minute).Unix(),
			})))
			if a.status != http.StatusForbidden {
				t.Errorf("a token with a secret that is no more: %d; want 403", a.status)
			}
		}
		refused(first)
		// Making and removing one asks for the password again after a while.
		w.clock.pass(time.Hour)
		for _, path := range []string{page, page + "/remove"} {
			if a := u.post(path); a.status != http.StatusForbidden || found.MatchString(a.body) {
				t.Errorf("%s without a proof: %d; want the question for the password", path, a.status)
			}
		}
		u.act(page+"/remove", "_password", password).has(t, "Single sign-on is off")
		refused(second)
	})
}
