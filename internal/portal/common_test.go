package portal_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/portal"
)

// A list is kept for everybody, and yet everybody sees their own votes and their
// own name, at once, and nobody else's.
func TestWhatIsKeptIsNobodys(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		one, two := s.post(0, "First wish", "", "a"), s.post(0, "Second wish", "", "b")
		vote := func(c *http.Client, p *feedback.Post, on string) {
			t.Helper()
			s.submit(c, "/posts/"+p.ID.String()+"/vote", url.Values{"vote": {on}})
		}
		voted := func(c *http.Client) (got string) {
			t.Helper()
			_, body := s.get(c, "/?sort=new")
			for _, p := range []*feedback.Post{one, two} {
				row := body[strings.Index(body, `<li id="`+p.ID.String()):]
				row = row[:strings.Index(row, "</li>")]
				if strings.Contains(row, `aria-pressed="true"`) {
					got += p.Title + " " + voteNumber.FindStringSubmatch(row)[1] + ". "
				}
			}
			return got
		}
		ada, bob := s.client(), s.client()
		vote(ada, one, "on")
		vote(bob, two, "on")
		for range 3 {
			if a, b, n := voted(ada), voted(bob), voted(&http.Client{}); a != "First wish 1. " || b != "Second wish 1. " || n != "" {
				t.Fatalf("Ada sees %q, Bob %q, nobody %q", a, b, n)
			}
		}
		vote(ada, two, "on")
		if a := voted(ada); a != "First wish 1. Second wish 2. " {
			t.Errorf("after voting Ada sees %q", a)
		}
		if b := voted(bob); b != "Second wish 2. " {
			t.Errorf("after Ada's vote Bob sees %q", b)
		}
		vote(ada, one, "off")
		if a := voted(ada); a != "Second wish 2. " {
			t.Errorf("after taking a vote back Ada sees %q", a)
		}
		s.signIn(ada, "ada@example.com")
		s.submit(ada, "/me", url.Values{"name": {"Zoë Quux"}})
		if _, body := s.get(ada, "/?sort=new"); !strings.Contains(body, "ZQ") || !strings.Contains(body, "Sign out") {
			t.Error("signed in, and the header does not say so")
		}
		for who, c := range map[string]*http.Client{"Bob": bob, "nobody": {}} {
			if _, body := s.get(c, "/?sort=new"); strings.Contains(body, "ZQ") || strings.Contains(body, "Sign out") {
				t.Errorf("%s sees the header of Ada", who)
			}
		}
		// What the team does is seen at once by whoever has a cookie.
		s.status(two, "Planned", "")
		if _, body := s.get(bob, "/?sort=new"); !strings.Contains(body, ">Planned</span>") {
			t.Error("a new status is not seen")
		}
		// The tag of a page is that of its reader.
		tags := map[string]string{}
		for who, c := range map[string]*http.Client{"Ada": ada, "Bob": bob, "nobody": {}} {
			res, err := c.Get(s.url + "/?sort=new")
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			tags[who] = res.Header.Get("ETag")
		}
		if tags["Ada"] == tags["Bob"] || tags["Bob"] == tags["nobody"] || tags["Ada"] == "" {
			t.Errorf("tags of pages: %v", tags)
		}
		r, _ := http.NewRequest("GET", s.url+"/?sort=new", nil)
		r.Header.Set("If-None-Match", tags["Bob"])
		for who, want := range map[*http.Client]int{bob: 304, ada: 200} {
			res, err := who.Do(r.Clone(t.Context()))
			if err != nil || res.StatusCode != want {
				t.Errorf("with Bob's tag: %v, %v; want %d", res.StatusCode, err, want)
			}
			res.Body.Close()
		}
	})
}

// The text of a card is left out where the fonts lack its letters: no boxes.
func TestCardsHaveNoBoxes(t *testing.T) {
	card := func(title string) image.Image {
		t.Helper()
		b, err := portal.DrawCard("#4f46e5", "Northwind", title, "Planned", 12)
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(bytes.NewReader(b))
		if err != nil || im.Bounds().Dx() != 1200 || im.Bounds().Dy() != 630 {
			t.Fatalf("%q: %v", title, err)
		}
		return im
	}
	same := func(a, b image.Image) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
	without := card("")
	for _, title := range []string{"检索功能", "أريد الوضع الداكن", "אני רוצה", "Dark モード", "हिन्दी", "ไทย"} {
		if !same(card(title), without) {
			t.Errorf("%q is drawn", title)
		}
	}
	for title, as := range map[string]string{"Dark mode 🌙✨": "Dark mode", "\u202eevil": "evil", "Größe, Żółw, Ελλάδα, Привет": ""} {
		got := card(title)
		if same(got, without) || as != "" && !same(got, card(as)) {
			t.Errorf("%q is not drawn as %q", title, as)
		}
	}
	if same(card(strings.Repeat("Ü", 200)), without) {
		t.Error("a long word is not drawn")
	}
}

// A subscription is nothing until its address is confirmed, by a button.
func TestSubscriptionIsConfirmed(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		c := s.client()
		if _, body := s.submit(c, "/subscribe", url.Values{"email": {"reader@example.com"}}); !strings.Contains(body, "Check your mail") && !strings.Contains(body, "mail") {
			t.Error("the page does not say that there is a mail")
		}
		token := confirmToken.FindStringSubmatch(s.lastMail().Text)[1]
		told := func(title string) bool {
			t.Helper()
			s.entry(title, "body", "")
			s.tell()
			m := s.lastMail()
			return m.ToEmail == "reader@example.com" && strings.Contains(m.Subject, title)
		}
		if told("Before") {
			t.Error("somebody who has not confirmed gets the changelog")
		}
		for range 2 { // programs that read mail follow links
			s.get(&http.Client{}, "/confirm?t="+token)
		}
		if told("Still before") {
			t.Error("following the link confirms")
		}
		if code, _ := s.submit(&http.Client{}, "/confirm", url.Values{"t": {token}}); code != 200 {
			t.Fatalf("confirming = %d", code)
		}
		if !told("After") {
			t.Error("somebody who has confirmed does not get the changelog")
		}
		if code, _ := s.submit(&http.Client{}, "/confirm", url.Values{"t": {token + "x"}}); code != 404 {
			t.Errorf("a forged link = %d; want 404", code)
		}
		// One click of a mail program, without a cookie and without a page.
		stop := stopToken.FindStringSubmatch(s.lastMail().Text)[1]
		if code, _ := s.submit(&http.Client{}, "/unsubscribe?t="+stop, url.Values{"List-Unsubscribe": {"One-Click"}}); code != 200 {
			t.Errorf("unsubscribing = %d", code)
		}
		if told("Too late") {
			t.Error("unsubscribed, and still told")
		}
	})
}

// Whoever is blocked writes nothing, by whatever they are known.
func TestBlocks(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		p := s.post(0, "One", "", "a")
		c := s.client()
		s.signIn(c, "troll@spam.example")
		var id int64
		if err := s.sql.QueryRow(`SELECT id FROM visitors WHERE email = 'troll@spam.example'`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		writes := map[string]url.Values{
			"/posts/" + p.ID.String() + "/vote":     {"vote": {"on"}},
			"/posts/" + p.ID.String() + "/comments": {"body": {"hi"}},
			"/posts":                                {"title": {"Spam"}, "boardId": {s.boards[0].ID.String()}, "seen": {"1"}},
		}
		for kind, value := range map[feedback.BlockKind]string{feedback.BlockEmail: "troll@spam.example", feedback.BlockDomain: "spam.example", feedback.BlockVisitor: feedback.VisitorID(id).String()} {
			s.write(func(tx *app.Tx) error {
				_, err := tx.AddBlock(t.Context(), feedback.NewBlock{Kind: kind, Value: value})
				return err
			})
			for path, form := range writes {
				if code, _ := s.submit(c, path, form); code != 403 {
					t.Errorf("blocked by %s: POST %s = %d; want 403", kind, path, code)
				}
			}
			s.write(func(tx *app.Tx) error { return tx.RemoveBlock(t.Context(), kind, value) })
		}
		if code, _ := s.submit(c, "/posts/"+p.ID.String()+"/vote", writes["/posts/"+p.ID.String()+"/vote"]); code != 200 {
			t.Errorf("no longer blocked: a vote = %d; want 200", code)
		}
		if _, body := s.get(&http.Client{}, "/?q=spam"); strings.Contains(body, ">Spam<") {
			t.Error("a post of somebody blocked was taken")
		}
	})
}
