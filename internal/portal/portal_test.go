package portal_test

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

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/i18n"
	"heed/internal/portal"
)

func TestMessagesAreComplete(t *testing.T) {
	for _, wrong := range portal.Catalog().Problems() {
		t.Error(wrong)
	}
}

// private is what must stand in nothing that the public can get. Every secret is
// a word that occurs nowhere else.
type private struct {
	scene   *scene
	secrets []string
}

func (p *private) hide(word string) string {
	p.secrets = append(p.secrets, word)
	return word
}

// secretive fills a site with things that are nobody's business.
func secretive(s *scene) *private {
	p := &private{scene: s}
	var b *feedback.Board
	s.write(func(tx *app.Tx) (err error) {
		b, err = tx.CreateBoard(s.t.Context(), feedback.NewBoard{Name: feedback.BoardName(p.hide("PrivateBoardName")), Private: true})
		return err
	})
	slug := b.Slug
	p.secrets = append(p.secrets, slug)
	s.boards = append(s.boards, *b)
	last := len(s.boards) - 1
	secret := s.post(last, "keyword "+p.hide("PrivatePostTitle"), "keyword "+p.hide("PrivatePostBody"), p.hide("PrivateAuthorRef"))
	p.secrets = append(p.secrets, secret.ID.String())
	s.votes(secret, 3)
	s.tag(secret, p.hide("PrivateTagName"), "#123456")
	s.status(secret, "Planned", p.hide("PrivateNote"))

	open := s.post(0, "keyword open post", "keyword open body", p.hide("visitor-ref@address.example"))
	s.votes(open, 2)
	s.exec(`UPDATE visitors SET email = $1, verified_at = 1, name = 'Shown Name' WHERE site_id = $2 AND ref = $3`,
		p.hide("voter@address.example"), int64(s.o.Site.ID), "visitor-ref@address.example")
	s.exec(`UPDATE visitors SET email = $1, verified_at = 1 WHERE site_id = $2 AND ref = 'voter0'`, p.hide("other-voter@address.example"), int64(s.o.Site.ID))
	s.comment(open, p.hide("InternalCommentBody"), nil, true)
	answer := s.comment(open, "public answer", nil, false)
	s.comment(open, p.hide("InternalReplyBody"), answer, true)
	s.status(open, "In progress", "a note for all")
	s.run(open)
	code, meta := feedback.FreeText(p.hide("InternalStepCode")), feedback.FreeText(p.hide("InternalStepMeta"))
	s.write(func(tx *app.Tx) error {
		runs, err := tx.Runs(s.t.Context(), feedback.Window{Limit: 1})
		if err != nil {
			return err
		}
		_, err = tx.AppendStep(s.t.Context(), runs.Items[0].ID.String(), feedback.NewStep{Tone: "DONE", Label: "A public step", Code: &code, Detail: &code, LabelMeta: &meta})
		return err
	})

	held := s.post(0, "keyword "+p.hide("HeldPostTitle"), "keyword "+p.hide("HeldPostBody"), "h")
	p.secrets = append(p.secrets, held.ID.String())
	s.exec(`UPDATE posts SET held = TRUE WHERE site_id = $1 AND id = $2`, int64(s.o.Site.ID), int64(held.ID))
	s.exec(`UPDATE boards SET post_count = post_count - 1, shown_count = shown_count - 1 WHERE site_id = $1 AND id = $2`, int64(s.o.Site.ID), int64(held.BoardID))
	archived := s.post(0, "keyword "+p.hide("ArchivedPostTitle"), p.hide("ArchivedPostBody"), "a")
	p.secrets = append(p.secrets, archived.ID.String())
	s.write(func(tx *app.Tx) error {
		return tx.SetPostFlag(s.t.Context(), archived.ID.String(), feedback.Archived, true)
	})

	// A private post merged into a public one, and linked from the changelog.
	merged := s.post(last, "keyword "+p.hide("MergedPrivateTitle"), p.hide("MergedPrivateBody"), "m")
	p.secrets = append(p.secrets, merged.ID.String())
	s.write(func(tx *app.Tx) error {
		_, err := tx.MergePosts(s.t.Context(), merged.ID.String(), feedback.NewMerge{Winner: feedback.Ref(open.ID.String())})
		return err
	})
	s.entry("Public entry", "public body", "New", open, secret)
	s.write(func(tx *app.Tx) error {
		_, err := tx.CreateEntry(s.t.Context(), feedback.NewEntry{Title: feedback.EntryTitle(p.hide("DraftEntryTitle")), Body: feedback.EntryBody(p.hide("DraftEntryBody"))})
		return err
	})
	p.secrets = append(p.secrets, s.o.Member.Email, s.o.Secret)
	return p
}

var hrefs = regexp.MustCompile(`(?:href|src|action|hx-get|content)="([^"]+)"|<loc>([^<]+)</loc>|<id>([^<]+)</id>`)

// found returns where a page holds what is private, but for what its own address
// holds: a search says what was searched for.
func (p *private) found(path, page string) (all []string) {
	asked, _ := url.QueryUnescape(path)
	for _, secret := range p.secrets {
		if i := strings.Index(page, secret); i >= 0 && !strings.Contains(asked, secret) {
			all = append(all, fmt.Sprintf("%q: ...%s...", secret, page[max(0, i-120):min(len(page), i+120)]))
		}
	}
	return all
}

// walk gets everything that can be reached from the portal, and everything one
// might guess, and looks for what is private in bodies and headers. base is the
// path of a frame, or empty.
func (p *private) walk(t *testing.T, who string, c *http.Client, base string) {
	t.Helper()
	s := p.scene
	seen := map[string]bool{}
	queue := []string{"/", "/?q=keyword", "/?sort=new", "/?sort=top", "/roadmap", "/changelog", "/sitemap.xml", "/robots.txt",
		"/changelog.atom", "/posts.atom", "/me", "/me/export", "/similar?title=keyword+PrivatePostTitle+HeldPostTitle", "/widget.js", "/og.png",
		"/posts/new", "/sign-in", "/nowhere", "/boards/privateboardname", "/search?q=keyword", "/widget"}
	for _, secret := range p.secrets {
		queue = append(queue, "/?q="+url.QueryEscape(secret), "/posts/"+url.PathEscape(secret), "/og/"+url.PathEscape(secret)+".png",
			"/similar?title="+url.QueryEscape(secret), "/boards/"+url.PathEscape(strings.ToLower(secret)), "/changelog/"+url.PathEscape(strings.ToLower(secret)))
	}
	for _, st := range s.statuses {
		for _, sort := range []string{"trending", "top", "new"} {
			queue = append(queue, "/?status="+st.ID.String()+"&sort="+sort)
		}
	}
	s.read(func(tx *app.Tx) error {
		tags, err := tx.Tags(t.Context())
		for _, tag := range tags {
			queue = append(queue, "/?tag="+tag.ID.String(), "/?q=keyword&tag="+tag.ID.String())
		}
		return err
	})
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if seen[path] {
			continue
		}
		if seen[path] = true; len(seen) > 2000 {
			t.Fatalf("%s: the walk does not end", who)
		}
		for _, partial := range []string{"", "true"} {
			r, err := http.NewRequest("GET", s.url+base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if partial != "" {
				r.Header.Set("HX-Request", partial)
			}
			res, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body := readAll(t, res)
			res.Body.Close()
			for _, found := range p.found(path, fmt.Sprint(res.Header)+body) {
				t.Errorf("%s: GET %s shows %s", who, path, found)
			}
			if strings.HasPrefix(path, "/posts/") && !strings.HasPrefix(path, "/posts/new") || strings.HasPrefix(path, "/og/") {
				for _, secret := range p.secrets {
					if strings.Contains(path, secret) && res.StatusCode == http.StatusOK {
						t.Errorf("%s: GET %s = 200", who, path)
					}
				}
			}
			if strings.HasPrefix(path, "/boards/") && strings.Contains(body, "aria-current") && strings.Contains(path, "private") {
				t.Errorf("%s: GET %s = %d", who, path, res.StatusCode)
			}
			for _, m := range hrefs.FindAllStringSubmatch(body, -1) {
				link := strings.ReplaceAll(m[1]+m[2]+m[3], "&amp;", "&")
				link = strings.TrimPrefix(link, s.base)
				if rest, ok := strings.CutPrefix(link, "/p/northwind"+base); ok {
					rest, _, _ = strings.Cut(rest, "#")
					queue = append(queue, rest)
				}
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("%s: the walk saw only %d pages", who, len(seen))
	}
}

var countInNav = regexp.MustCompile(`<span class="c">(\d+)</span>`)

// Nothing that is private is in any page, feed, count, search result, picture,
// script, mail or header, for nobody in particular, for a visitor, for somebody
// signed in, nor in a frame.
func TestNothingPrivateIsPublic(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		s.settings(func(in *feedback.NewSettings) { in.WidgetOrigins = []string{"https://app.northwind.example"} })
		p := secretive(s)
		visitor, known := s.client(), s.client()
		s.submit(visitor, "/posts", url.Values{"title": {"My own idea"}, "boardId": {s.boards[0].ID.String()}, "seen": {"1"}, "name": {"Me"}})
		s.signIn(known, "known@example.com")
		for who, c := range map[string]*http.Client{"nobody": {}, "a visitor": visitor, "somebody known": known} {
			p.walk(t, who, c, "")
		}
		res, err := http.Get(s.url + "/widget")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		p.walk(t, "in a frame", &http.Client{}, strings.TrimSuffix(strings.TrimPrefix(res.Request.URL.String(), s.url), "/"))

		// Two posts can be seen: the open one, and the visitor's own.
		_, board := s.get(&http.Client{}, "/?fresh")
		var counts []string
		for _, m := range countInNav.FindAllStringSubmatch(board, -1) {
			counts = append(counts, m[1])
		}
		if got := strings.Join(counts, " "); got != "2 2 0" {
			t.Errorf("the boards count %s; want 2 2 0", got)
		}
		if shown := len(postLinks.FindAllString(board, -1)); shown != 2 {
			t.Errorf("the board shows %d posts; want 2", shown)
		}

		// Whoever gets a mail reads of nobody else's address and nothing private.
		s.tell()
		told := 0
		s.read(func(tx *app.Tx) error {
			page, err := tx.Outbox(t.Context(), feedback.Window{Limit: 100})
			for _, m := range page.Items {
				if m.Kind == "status" || m.Kind == "reply" || m.Kind == "changelog" {
					told++
				}
				for _, found := range p.found(m.ToEmail, m.Subject+m.Text+m.HTML) {
					t.Errorf("the mail %s to %s holds %s", m.Kind, m.ToEmail, found)
				}
			}
			return err
		})
		if told == 0 {
			t.Error("nobody was told anything")
		}
	})
}

// Votes, comments and posts through the verbs reach only what is public.
func TestWritesReachOnlyWhatIsPublic(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		secretive(s)
		private := s.post(len(s.boards)-1, "Hidden", "", "x")
		c := s.client()
		for path, form := range map[string]url.Values{
			"/posts/" + private.ID.String() + "/vote":     {"vote": {"on"}},
			"/posts/" + private.ID.String() + "/comments": {"body": {"hello"}},
		} {
			if code, _ := s.submit(c, path, form); code != 404 {
				t.Errorf("POST %s = %d; want 404", path, code)
			}
		}
		code, body := s.submit(c, "/posts", url.Values{"title": {"x"}, "boardId": {s.boards[len(s.boards)-1].ID.String()}, "seen": {"1"}})
		if code != 422 || strings.Contains(body, "PrivateBoardName") {
			t.Errorf("posting to a private board = %d; want 422", code)
		}
	})
}

func voteCount(t *testing.T, s *scene, p *feedback.Post) (n int) {
	t.Helper()
	s.read(func(tx *app.Tx) error {
		got, err := tx.Post(t.Context(), p.ID.String())
		n = got.VoteCount
		return err
	})
	return n
}

func TestVoteWithdrawAndUnite(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		one, two := s.post(0, "One", "", "a"), s.post(0, "Two", "", "b")
		vote := func(c *http.Client, p *feedback.Post, on string) {
			t.Helper()
			if code, body := s.submit(c, "/posts/"+p.ID.String()+"/vote", url.Values{"vote": {on}}); code != 200 {
				t.Fatalf("vote = %d %s", code, body)
			}
		}
		c := s.client()
		for range 3 {
			vote(c, one, "on")
		}
		vote(s.client(), one, "on")
		if n := voteCount(t, s, one); n != 2 {
			t.Errorf("votes = %d; want 2", n)
		}
		vote(c, one, "off")
		vote(c, one, "off")
		if n := voteCount(t, s, one); n != 1 {
			t.Errorf("votes after withdrawing = %d; want 1", n)
		}
		// Signed in on another device with a vote for one; on this device,
		// votes for both while not signed in. Signing in unites them.
		phone := s.client()
		s.signIn(phone, "ada@example.com")
		vote(phone, one, "on")
		vote(c, one, "on")
		vote(c, two, "on")
		s.signIn(c, "ada@example.com")
		if n := voteCount(t, s, one); n != 2 {
			t.Errorf("votes for one after uniting = %d; want 2", n)
		}
		if n := voteCount(t, s, two); n != 1 {
			t.Errorf("votes for two after uniting = %d; want 1", n)
		}
		if _, body := s.get(phone, "/me"); !strings.Contains(body, ">Two<") {
			t.Error("what was voted for on one device is not on the other")
		}
	})
}

var (
	tokenField   = regexp.MustCompile(`name="token" value="([^"]+)"`)
	sixDigits    = regexp.MustCompile(`\b\d{6}\b`)
	confirmToken = regexp.MustCompile(`confirm\?t=(\S+)`)
	stopToken    = regexp.MustCompile(`unsubscribe\?t=(\S+)`)
	linkToken    = regexp.MustCompile(`link\?t=(\S+)`)
	postLinks    = regexp.MustCompile(`<li id="(post_[0-9a-z]+)"`)
	voteNumber   = regexp.MustCompile(`<b data-other="[^"]*">([^<]*)</b>`)
)

func (s *scene) lastMail() feedback.Mail {
	s.t.Helper()
	var m feedback.Mail
	s.read(func(tx *app.Tx) error {
		page, err := tx.Outbox(s.t.Context(), feedback.Window{Limit: 1})
		if err == nil {
			m = page.Items[0]
		}
		return err
	})
	return m
}

// signIn signs a client in by the code from the mail.
func (s *scene) signIn(c *http.Client, email string) {
	s.t.Helper()
	_, body := s.submit(c, "/sign-in", url.Values{"email": {email}})
	m := tokenField.FindStringSubmatch(body)
	if m == nil {
		s.t.Fatalf("no code is asked for: %s", body)
	}
	code, body := s.submit(c, "/sign-in/code", url.Values{"token": {m[1]}, "code": {sixDigits.FindString(s.lastMail().Text)}, "email": {email}})
	if code != 200 || !strings.Contains(body, "Sign out") {
		s.t.Fatalf("signing in = %d", code)
	}
}

func TestSignInByCode(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		c := s.client()
		_, body := s.submit(c, "/sign-in", url.Values{"email": {" Ada@Example.com "}})
		token := tokenField.FindStringSubmatch(body)[1]
		right := sixDigits.FindString(s.lastMail().Text)
		wrong := "000000"
		if right == wrong {
			wrong = "000001"
		}
		for range 5 {
			if code, _ := s.submit(c, "/sign-in/code", url.Values{"token": {token}, "code": {wrong}}); code != 422 {
				t.Fatalf("a wrong code = %d; want 422", code)
			}
		}
		if code, _ := s.submit(c, "/sign-in/code", url.Values{"token": {token}, "code": {right}}); code != 422 {
			t.Errorf("the right code after five wrong ones = %d; want 422", code)
		}
		s.signIn(c, "ada@example.com")
		if _, body := s.get(c, "/me"); !strings.Contains(body, "ada@example.com") {
			t.Error("the page of a signed-in visitor does not say who they are")
		}
		s.submit(c, "/sign-out", nil)
		if _, body := s.get(c, "/me"); strings.Contains(body, "ada@example.com") {
			t.Error("signed out, and still known")
		}
		if code, _ := s.submit(c, "/sign-in", url.Values{"email": {"not an address"}}); code != 422 {
			t.Errorf("a bad address = %d; want 422", code)
		}
	})
}

// Following the link changes nothing: programs that read mail do that. The
// button works once.
func TestSignInByLink(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		c := s.client()
		s.submit(c, "/sign-in", url.Values{"email": {"ada@example.com"}})
		token := linkToken.FindStringSubmatch(s.lastMail().Text)[1]
		for range 3 {
			if code, body := s.get(&http.Client{}, "/sign-in/link?t="+token); code != 200 || !strings.Contains(body, `method="post"`) {
				t.Fatalf("following the link = %d", code)
			}
		}
		if _, body := s.submit(c, "/sign-in/link", url.Values{"t": {token}}); !strings.Contains(body, "Sign out") {
			t.Error("the button does not sign in")
		}
		if code, _ := s.submit(s.client(), "/sign-in/link", url.Values{"t": {token}}); code != 404 {
			t.Errorf("the button a second time = %d; want 404", code)
		}
	})
}

func jwt(secret string, header, claims map[string]any) string {
	enc := func(v any) string {
		b, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	head := enc(header) + "." + enc(claims)
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(head))
	return head + "." + base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func TestSingleSignOn(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		s.settings(func(in *feedback.NewSettings) { in.Anonymous = false })
		var secret string
		s.write(func(tx *app.Tx) (err error) {
			secret, err = tx.NewSSOSecret(t.Context())
			return err
		})
		hs := map[string]any{"alg": "HS256", "typ": "JWT"}
		claims := func(change func(map[string]any)) map[string]any {
			m := map[string]any{"sub": "user-7", "email": "ada@example.com", "name": "Ada", "aud": "northwind", "jti": fmt.Sprint(time.Now().UnixNano()), "exp": time.Now().Add(time.Minute).Unix()}
			change(m)
			return m
		}
		same := func(map[string]any) {}
		bad := map[string]string{
			"another secret":    jwt("x", hs, claims(same)),
			"no signature":      strings.TrimRight(jwt(secret, hs, claims(same)), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
			"alg none":          jwt(secret, map[string]any{"alg": "none"}, claims(same)),
			"expired":           jwt(secret, hs, claims(func(m map[string]any) { m["exp"] = time.Now().Add(-time.Second).Unix() })),
			"no exp":            jwt(secret, hs, claims(func(m map[string]any) { delete(m, "exp") })),
			"far ahead":         jwt(secret, hs, claims(func(m map[string]any) { m["exp"] = time.Now().AddDate(1, 0, 0).Unix() })),
			"another audience":  jwt(secret, hs, claims(func(m map[string]any) { m["aud"] = "elsewhere" })),
			"no jti":            jwt(secret, hs, claims(func(m map[string]any) { delete(m, "jti") })),
			"no sub":            jwt(secret, hs, claims(func(m map[string]any) { delete(m, "sub") })),
			"somebody's cookie": jwt(secret, hs, claims(func(m map[string]any) { m["sub"] = "anon:x" })),
			"nonsense":          "a.b.c",
		}
		for name, token := range bad {
			c := s.client()
			if code, _ := s.get(c, "/sso?token="+url.QueryEscape(token)); code != 403 {
				t.Errorf("%s = %d; want 403", name, code)
			}
		}
		p := s.post(0, "One", "", "someone")
		// The same person, through the API and through the portal.
		s.write(func(tx *app.Tx) error {
			_, err := tx.Vote(t.Context(), p.ID.String(), feedback.NewVote{Visitor: "user-7"})
			return err
		})
		good := jwt(secret, hs, claims(func(m map[string]any) { m["aud"] = []string{"x", s.o.Site.ID.String()} }))
		c := s.client()
		if code, body := s.get(c, "/sso?token="+url.QueryEscape(good)+"&return="+url.QueryEscape("/p/northwind/me")); code != 200 || !strings.Contains(body, "ada@example.com") {
			t.Fatalf("a good token = %d", code)
		}
		s.submit(c, "/posts/"+p.ID.String()+"/vote", url.Values{"vote": {"on"}})
		if n := voteCount(t, s, p); n != 1 {
			t.Errorf("votes = %d; want 1: it is the same person", n)
		}
		if code, _ := s.get(s.client(), "/sso?token="+url.QueryEscape(good)); code != 403 {
			t.Errorf("a token used twice = %d; want 403", code)
		}
		// Nobody writes here without signing in.
		res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).PostForm(s.url+"/posts/"+p.ID.String()+"/vote", url.Values{"vote": {"on"}})
		if err != nil || res.StatusCode != 303 || !strings.Contains(res.Header.Get("Location"), "/sign-in") {
			t.Errorf("an anonymous vote = %v %v; want a way to sign in", res.StatusCode, res.Header.Get("Location"))
		}
	})
}

func TestModerationAndBlocks(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		s.settings(func(in *feedback.NewSettings) { in.Moderation = true })
		c := s.client()
		form := url.Values{"title": {"Waiting idea"}, "boardId": {s.boards[0].ID.String()}, "seen": {"1"}}
		if _, body := s.submit(c, "/posts", form); !strings.Contains(body, "waits for approval") || !strings.Contains(body, "Waiting idea") {
			t.Error("the author does not see that the post waits")
		}
		if _, body := s.get(s.client(), "/"); strings.Contains(body, "Waiting idea") {
			t.Error("a held post is on the board")
		}
		var id string
		if err := s.sql.QueryRow(`SELECT id FROM posts WHERE title = 'Waiting idea'`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		var n int64
		fmt.Sscan(id, &n)
		s.write(func(tx *app.Tx) error {
			for range 2 {
				if _, err := tx.ReleasePost(t.Context(), feedback.PostID(n).String()); err != nil {
					return err
				}
			}
			return nil
		})
		if _, body := s.get(s.client(), "/?q=waiting"); !strings.Contains(body, "Waiting idea") {
			t.Error("an approved post is not found")
		}
		s.signIn(c, "troll@spam.example")
		s.write(func(tx *app.Tx) error {
			_, err := tx.AddBlock(t.Context(), feedback.NewBlock{Kind: feedback.BlockDomain, Value: "@Spam.example "})
			return err
		})
		if code, _ := s.submit(c, "/posts/"+feedback.PostID(n).String()+"/comments", url.Values{"body": {"hi"}}); code != 403 {
			t.Errorf("a comment of somebody blocked = %d; want 403", code)
		}
	})
}

func TestExportAndDelete(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		c := s.client()
		s.signIn(c, "ada@example.com")
		s.submit(c, "/posts", url.Values{"title": {"Lonely idea"}, "boardId": {s.boards[0].ID.String()}, "seen": {"1"}, "name": {"Ada Moreno"}})
		s.submit(c, "/posts", url.Values{"title": {"Popular idea"}, "boardId": {s.boards[0].ID.String()}, "seen": {"1"}})
		var n int64
		if err := s.sql.QueryRow(`SELECT id FROM posts WHERE title = 'Popular idea'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		popular := &feedback.Post{ID: feedback.PostID(n)}
		s.submit(s.client(), "/posts/"+popular.ID.String()+"/vote", url.Values{"vote": {"on"}})
		s.submit(c, "/posts/"+popular.ID.String()+"/comments", url.Values{"body": {"My words"}})
		_, body := s.get(c, "/me/export")
		for _, want := range []string{"ada@example.com", "Lonely idea", "My words", popular.ID.String()} {
			if !strings.Contains(body, want) {
				t.Errorf("the export lacks %q: %s", want, body)
			}
		}
		s.submit(c, "/me/delete", url.Values{"sure": {"on"}})
		_, board := s.get(s.client(), "/?sort=new")
		_, page := s.get(s.client(), "/posts/"+popular.ID.String())
		for _, gone := range []string{"Ada Moreno", "My words", "Lonely idea", "ada@example.com"} {
			if strings.Contains(board+page, gone) {
				t.Errorf("%q is still there", gone)
			}
		}
		if !strings.Contains(board, "Popular idea") || voteCount(t, s, popular) != 1 {
			t.Error("what others voted for is gone, or the vote of the deleted visitor is not")
		}
		var left int
		if err := s.sql.QueryRow(`SELECT COUNT(*) FROM mails WHERE to_email = 'ada@example.com' AND visitor_id IS NOT NULL`).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d mails to the deleted visitor are left, %v", left, err)
		}
	})
}

func TestListsPageThroughEverythingOnce(t *testing.T) {
	eachScene(t, func(t *testing.T, s *scene) {
		for i := range 120 {
			p := s.post(i%2, fmt.Sprintf("Post number %03d", i), "", "a")
			if i%10 == 0 {
				s.votes(p, i%7)
			}
		}
		next := regexp.MustCompile(`rel="next" href="/p/northwind([^"]+)"`)
		title := regexp.MustCompile(`>Post number (\d+)<`)
		for _, sort := range []string{"trending", "top", "new"} {
			seen := map[string]int{}
			path := "/?sort=" + sort
			pages := 0
			for path != "" && pages < 10 {
				_, body := s.get(&http.Client{}, path)
				pages++
				for _, m := range title.FindAllStringSubmatch(body, -1) {
					seen[m[1]]++
				}
				path = ""
				if m := next.FindStringSubmatch(body); m != nil {
					path = strings.ReplaceAll(m[1], "&amp;", "&")
				}
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("%s: post %s is listed %d times", sort, id, n)
				}
			}
			if len(seen) != 120 || pages != 3 {
				t.Errorf("%s: %d posts on %d pages; want 120 on 3", sort, len(seen), pages)
			}
		}
	})
}

func TestWhiteLabel(t *testing.T) {
	for plan, want := range map[feedback.Plan]bool{feedback.Free: true, feedback.Pro: true, feedback.Studio: false} {
		s := newScene(t, "sqlite", plan)
		if _, body := s.get(&http.Client{}, "/"); strings.Contains(body, "Powered by Heed") != want {
			t.Errorf("%s: the name of Heed stands in the footer = %v; want %v", plan, !want, want)
		}
	}
}

func TestHostOfItsOwn(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	s.lively()
	s.settings(func(in *feedback.NewSettings) { in.Host, in.Anonymous = "feedback.northwind.example", true })
	req, _ := http.NewRequest("GET", s.base+"/roadmap", nil)
	req.Host = "feedback.northwind.example"
	res, err := http.DefaultClient.Do(req)
	code, body := s.answer(res, err)
	if code != 200 || !strings.Contains(body, `href="https://feedback.northwind.example/roadmap"`) || strings.Contains(body, "/p/northwind") {
		t.Errorf("the site at its own host = %d", code)
	}
	req.Host = "elsewhere.example"
	res, err = http.DefaultClient.Do(req.Clone(t.Context()))
	if code, _ := s.answer(res, err); code != 404 {
		t.Errorf("another host = %d; want 404", code)
	}
}

func TestWidgetNeedsNoCookies(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	p := s.post(0, "One", "", "a")
	if code, _ := s.get(&http.Client{}, "/widget"); code != 404 {
		t.Errorf("the widget of a site without origins = %d; want 404", code)
	}
	s.settings(func(in *feedback.NewSettings) {
		in.Anonymous, in.WidgetOrigins = true, []string{"https://app.northwind.example"}
	})
	noCookies := &http.Client{}
	res, err := noCookies.Get(s.url + "/widget")
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(strings.TrimPrefix(res.Request.URL.String(), s.url), "/")
	policy := res.Header.Get("Content-Security-Policy")
	if code, body := s.answer(res, nil); code != 200 || !strings.Contains(base, "/~") || !strings.Contains(policy, "frame-ancestors https://app.northwind.example") || strings.Contains(body, `href="/p/northwind/roadmap"`) {
		t.Fatalf("the widget = %d at %s with %s", code, base, policy)
	}
	for range 2 {
		if code, _ := s.submit(noCookies, base+"/posts/"+p.ID.String()+"/vote", url.Values{"vote": {"on"}}); code != 200 {
			t.Fatalf("a vote in the widget = %d", code)
		}
	}
	if n := voteCount(t, s, p); n != 1 {
		t.Errorf("votes = %d; want 1: the path says who votes", n)
	}
	// Signing in works there, too, and keeps the place.
	_, body := s.submit(noCookies, base+"/sign-in", url.Values{"email": {"eve@example.com"}})
	back := "/p/northwind" + base + "/posts/" + p.ID.String()
	_, body = s.submit(noCookies, base+"/sign-in/code", url.Values{
		"token": {tokenField.FindStringSubmatch(body)[1]}, "code": {sixDigits.FindString(s.lastMail().Text)}, "email": {"eve@example.com"}, "return": {back},
	})
	if !strings.Contains(body, "Sign out") || !strings.Contains(body, "<h1 dir=\"auto\">One</h1>") || !strings.Contains(body, `aria-pressed="true"`) {
		t.Error("who signs in in the widget is not known there, or loses the post or the vote")
	}
	if res, _ := noCookies.Get(s.url + "/"); !strings.Contains(res.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Error("the portal itself may be framed")
	}
}

func TestWritesAreLimited(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	p := s.post(0, "One", "", "a")
	h := portal.New(portal.Config{App: s.app})
	refused := false
	for range 40 {
		r := httpPost("/p/northwind/posts/"+p.ID.String()+"/vote", "vote=on")
		w := newRecorder()
		h.ServeHTTP(w, r)
		if w.Code == 429 {
			refused = true
			if w.Header().Get("Retry-After") == "" {
				t.Error("no Retry-After on 429")
			}
		}
	}
	if !refused {
		t.Error("forty anonymous votes at once were all taken")
	}
}

func TestCrossSiteFormsAreRefused(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	p := s.post(0, "One", "", "a")
	r := httpPost("/p/northwind/posts/"+p.ID.String()+"/vote", "vote=on")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := newRecorder()
	portal.New(portal.Config{App: s.app}).ServeHTTP(w, r)
	if w.Code != 403 || voteCount(t, s, p) != 0 {
		t.Errorf("a form of another site = %d; want 403", w.Code)
	}
}

func TestLanguages(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	s.lively()
	for _, lang := range i18n.Languages() {
		req, _ := http.NewRequest("GET", s.url+"/", nil)
		req.Header.Set("Accept-Language", lang)
		res, err := http.DefaultClient.Do(req)
		_, body := s.answer(res, err)
		dir := "ltr"
		if lang == "ar" {
			dir = "rtl"
		}
		if !strings.Contains(body, `<html lang="`+lang+`" dir="`+dir+`"`) || strings.Contains(body, "portal.") {
			t.Errorf("%s: the page is in another language, or lacks a text", lang)
		}
	}
	c := s.client()
	if _, body := s.submit(c, "/language", url.Values{"language": {"de"}, "return": {"/p/northwind/roadmap"}}); !strings.Contains(body, `lang="de"`) {
		t.Error("the choice of a language does not hold")
	}
}

func TestReturnStaysHere(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	p := s.post(0, "One", "", "a")
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, to := range []string{"https://evil.example/", "//evil.example", "/v1/sites", `/\evil.example`, "/p/northwind/../../x\r\nA: b"} {
		res, err := c.PostForm(s.url+"/posts/"+p.ID.String()+"/vote", url.Values{"vote": {"on"}, "return": {to}})
		if err != nil {
			t.Fatal(err)
		}
		if loc := res.Header.Get("Location"); !strings.HasPrefix(loc, "/p/northwind/") || strings.Contains(loc, "evil") {
			t.Errorf("return to %q goes to %q", to, loc)
		}
	}
}

func TestFeedsAndCards(t *testing.T) {
	s := newScene(t, "sqlite", feedback.Studio)
	posts := s.lively()
	for path, want := range map[string]string{
		"/changelog.atom": "<title>Slack integration</title>", "/posts.atom": "Dark mode", "/sitemap.xml": "/posts/" + posts[1].ID.String(),
		"/robots.txt": "Sitemap: " + s.url + "/sitemap.xml", "/og.png": "PNG", "/og/" + posts[0].ID.String() + ".png": "PNG",
		"/widget.js": s.url, "/posts/" + posts[0].ID.String(): `"@type":"DiscussionForumPosting"`,
	} {
		if code, body := s.get(&http.Client{}, path); code != 200 || !strings.Contains(body, want) {
			t.Errorf("GET %s = %d without %q", path, code, want)
		}
	}
	res, err := http.Get(s.url + "/changelog.atom")
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest("GET", s.url+"/changelog.atom", nil)
	req.Header.Set("If-None-Match", res.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(req)
	if err != nil || again.StatusCode != http.StatusNotModified {
		t.Errorf("the same feed again = %v; want 304", again.StatusCode)
	}
}
