package worker_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
	"heed/internal/store"
	"heed/internal/worker"
)

// The tests of mail start this program again as an SMTP server, and as a worker
// that can be killed.
func TestMain(m *testing.M) {
	switch os.Getenv("HEED_TEST_ROLE") {
	case "smtp":
		serveSMTP()
	case "worker":
		runWorker()
	default:
		os.Exit(m.Run())
	}
}

// delivered is a message that the server took.
type delivered struct{ To, Data string }

// serveSMTP is a small SMTP server: it prints its port, then every message it
// takes. With HEED_TEST_HANG=n it never answers the nth.
func serveSMTP() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	hang, _ := strconv.Atoi(os.Getenv("HEED_TEST_HANG"))
	taken := 0
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		// One connection after the other: the messages stay in order.
		say := func(s string) { fmt.Fprint(c, s+"\r\n") }
		in := bufio.NewReader(c)
		say("220 test.example ESMTP")
		to := ""
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				break
			}
			switch verb := strings.ToUpper(strings.Fields(line + " x")[0]); {
			case verb == "EHLO":
				say("250-test.example\r\n250 8BITMIME")
			case strings.HasPrefix(verb, "RCPT"):
				to = regexp.MustCompile(`<(.*?)>`).FindStringSubmatch(line)[1]
				if strings.HasPrefix(to, "refused") {
					say("550 no such user")
					continue
				}
				say("250 ok")
			case verb == "DATA":
				say("354 go on")
				var b strings.Builder
				for {
					line, err := in.ReadString('\n')
					if err != nil || line == ".\r\n" {
						break
					}
					b.WriteString(line)
				}
				taken++
				out, _ := json.Marshal(delivered{to, b.String()})
				fmt.Println(string(out))
				if taken == hang {
					select {} // the message is ours, and nobody is told
				}
				say("250 taken")
			case verb == "QUIT":
				say("221 bye")
			default:
				say("250 ok")
			}
		}
		c.Close()
	}
}

// smtp is a running server.
type smtp struct {
	url      string
	messages *bufio.Scanner
	cmd      *exec.Cmd
}

func startSMTP(t *testing.T, env ...string) *smtp {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "HEED_TEST_ROLE=smtp")...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &smtp{messages: bufio.NewScanner(out), cmd: cmd}
	s.messages.Buffer(nil, 1<<20)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if !s.messages.Scan() {
		t.Fatal("the SMTP server did not start")
	}
	s.url = "smtp://127.0.0.1:" + s.messages.Text() + "?tls=none"
	return s
}

// next is the next message the server took.
func (s *smtp) next(t *testing.T) delivered {
	t.Helper()
	if !s.messages.Scan() {
		t.Fatal("the SMTP server ended")
	}
	var d delivered
	if err := json.Unmarshal(s.messages.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// all stops the server and returns the messages it took besides those read.
func (s *smtp) all(t *testing.T) []delivered {
	t.Helper()
	s.cmd.Process.Kill()
	var list []delivered
	for s.messages.Scan() {
		var d delivered
		if err := json.Unmarshal(s.messages.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// runWorker sends what is due in a database and ends.
func runWorker() {
	skew, _ := time.ParseDuration(os.Getenv("HEED_TEST_SKEW"))
	ctx := context.Background()
	db, err := store.Open(ctx, store.Options{URL: os.Getenv("HEED_TEST_DB"), Now: func() time.Time { return time.Now().Add(skew) }})
	if err != nil {
		panic(err)
	}
	a := app.New(db, app.Config{Master: auth.NewMaster()})
	a.SetBaseURL("https://heed.example")
	sender, err := worker.NewSender(os.Getenv("HEED_TEST_SMTP"), "Northwind <feedback@northwind.example>")
	if err != nil {
		panic(err)
	}
	if err := (worker.Mail{App: a, Sender: sender, Log: slog.New(slog.DiscardHandler)}).Run(ctx); err != nil {
		panic(err)
	}
	a.Close()
	db.Close()
}

func workerProcess(dbURL, smtpURL, skew string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HEED_TEST_ROLE=worker", "HEED_TEST_DB="+dbURL, "HEED_TEST_SMTP="+smtpURL, "HEED_TEST_SKEW="+skew)
	cmd.Stderr = os.Stderr
	return cmd
}

// fixture is a site whose visitors have addresses.
type fixture struct {
	t      *testing.T
	app    *app.App
	o      *app.Opened
	team   *app.Actor
	portal *app.Portal
	dbURL  string
	now    *time.Time
}

func newFixture(t *testing.T, engine string) *fixture {
	t.Helper()
	now := time.Now()
	f := &fixture{t: t, now: &now, dbURL: "sqlite:" + filepath.Join(t.TempDir(), "heed.db")}
	if engine == "postgres" {
		f.dbURL = feedbacktest.PostgresURL(t)
	}
	db := feedbacktest.OpenURL(t, f.dbURL, func() time.Time { return *f.now })
	f.app = feedbacktest.NewApp(t, db)
	f.app.SetBaseURL("https://heed.example")
	f.o = feedbacktest.OpenAccount(t, f.app, "Northwind", feedback.Studio)
	f.team = &app.Actor{Source: feedback.FromDashboard, Account: &f.o.Account, Member: f.o.Member.ID}
	var err error
	if f.portal, err = f.app.Portal(t.Context(), "northwind"); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) write(actor *app.Actor, fn func(*app.Tx) error) {
	f.t.Helper()
	_, err := f.app.Write(f.t.Context(), actor, f.portal.Target(), app.Once{}, func(tx *app.Tx) (app.Response, error) {
		return app.Response{}, fn(tx)
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// exec changes what no verb changes yet.
func (f *fixture) exec(query string, args ...any) {
	f.t.Helper()
	driver, dsn := "pgx", f.dbURL
	if path, ok := strings.CutPrefix(f.dbURL, "sqlite:"); ok {
		driver, dsn = "sqlite", path+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(f.t.Context(), query, args...); err != nil {
		f.t.Fatal(err)
	}
}

// outbox is what is in the outbox, the oldest first.
func (f *fixture) outbox() []feedback.Mail {
	f.t.Helper()
	var list []feedback.Mail
	err := f.app.Read(f.t.Context(), f.team, f.portal.Target(), func(tx *app.Tx) error {
		page, err := tx.Outbox(f.t.Context(), feedback.Window{Limit: 100})
		list = page.Items
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// tell turns notices into mails, without sending any.
func (f *fixture) tell() {
	f.t.Helper()
	if err := (worker.Mail{App: f.app, Log: slog.New(slog.DiscardHandler)}).Run(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

var codeInMail = regexp.MustCompile(`\b\d{6}\b`)

// person signs in with an address and returns their actor.
func (f *fixture) person(email string) *app.Actor {
	f.t.Helper()
	nobody := f.portal.Visitor(nil, app.NewVisitorRef())
	var token string
	f.write(nobody, func(tx *app.Tx) (err error) {
		token, err = tx.RequestSignIn(f.t.Context(), email, "en")
		return err
	})
	mails := f.outbox()
	code := codeInMail.FindString(mails[len(mails)-1].Text)
	var in *app.KnownVisitor
	f.write(nobody, func(tx *app.Tx) (err error) {
		var wrong error
		in, wrong, err = tx.SignInByCode(f.t.Context(), token, code)
		if wrong != nil {
			return wrong
		}
		return err
	})
	return f.portal.Visitor(in.Visitor, "")
}

func (f *fixture) post(by *app.Actor, title string) *feedback.Post {
	f.t.Helper()
	var p *feedback.Post
	f.write(by, func(tx *app.Tx) (err error) {
		in := app.Idea{}
		in.Board, in.Title = feedback.Ref(f.portal.Boards[0].ID.String()), feedback.PostTitle(title)
		p, err = tx.Share(f.t.Context(), in)
		return err
	})
	return p
}

func (f *fixture) vote(by *app.Actor, p *feedback.Post) {
	f.t.Helper()
	f.write(by, func(tx *app.Tx) error {
		_, err := tx.CastVote(f.t.Context(), p.ID.String(), true)
		return err
	})
}

func (f *fixture) move(p *feedback.Post, status, note string) {
	f.t.Helper()
	for _, s := range f.portal.Statuses {
		if s.Name == status {
			ref, n := feedback.Ref(s.ID.String()), feedback.Note(note)
			f.write(f.team, func(tx *app.Tx) error {
				_, err := tx.ChangePostStatus(f.t.Context(), p.ID.String(), feedback.StatusChange{Status: &ref, Note: &n})
				return err
			})
		}
	}
}

func (f *fixture) reply(by *app.Actor, p *feedback.Post, body string, parent *feedback.Comment, internal bool) *feedback.Comment {
	f.t.Helper()
	var c *feedback.Comment
	in := feedback.NewComment{Body: feedback.CommentBody(body), Internal: internal}
	if parent != nil {
		in.Parent = new(feedback.Ref)
		*in.Parent = feedback.Ref(parent.ID.String())
	}
	f.write(by, func(tx *app.Tx) (err error) {
		if by == f.team {
			c, err = tx.CreateComment(f.t.Context(), p.ID.String(), in)
		} else {
			c, err = tx.AddComment(f.t.Context(), p.ID.String(), app.Said{NewComment: in})
		}
		return err
	})
	return c
}

// since returns "kind to" of the mails after the first n.
func (f *fixture) since(n int) []string {
	f.t.Helper()
	f.tell()
	var out []string
	for _, m := range f.outbox()[n:] {
		out = append(out, m.Kind+" "+m.ToEmail)
	}
	return out
}

func each(t *testing.T, test func(*testing.T, *fixture)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, newFixture(t, engine)) })
	}
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("%s: mails %q; want %q", what, got, want)
	}
}

func TestWhoIsTold(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ada, bob, eve := f.person("ada@example.com"), f.person("bob@example.com"), f.person("eve@example.com")
		p := f.post(ada, "Dark mode")
		f.vote(bob, p)
		n := len(f.outbox())

		f.move(p, "Planned", "")
		same(t, "status", f.since(n), "status ada@example.com", "status bob@example.com")
		n += 2
		f.move(p, "Planned", "")
		same(t, "same status", f.since(n))

		c := f.reply(bob, p, "Me too", nil, false)
		same(t, "comment", f.since(n), "reply ada@example.com")
		n++
		f.reply(f.team, p, "We are on it", c, false)
		same(t, "answer of the team", f.since(n), "reply ada@example.com", "reply bob@example.com")
		n += 2
		f.reply(f.team, p, "secret plan", nil, true)
		f.reply(ada, p, "talking to myself", nil, false)
		same(t, "internal comment, own comment", f.since(n))

		f.write(eve, func(tx *app.Tx) error {
			return tx.SetProfile(t.Context(), app.Profile{Mail: feedback.MailWishes{Subscribed: true}})
		})
		var e *feedback.Entry
		f.write(f.team, func(tx *app.Tx) (err error) {
			if e, err = tx.CreateEntry(t.Context(), feedback.NewEntry{Title: "Dark mode is here", Posts: []feedback.Ref{feedback.Ref(p.ID.String())}}); err != nil {
				return err
			}
			_, err = tx.PublishEntry(t.Context(), e.ID.String(), feedback.Input{})
			return err
		})
		same(t, "changelog", f.since(n), "changelog ada@example.com", "changelog bob@example.com", "changelog eve@example.com")
		n += 3

		f.write(bob, func(tx *app.Tx) error { return tx.MutePost(t.Context(), p.ID.String(), true) })
		f.write(ada, func(tx *app.Tx) error {
			return tx.SetProfile(t.Context(), app.Profile{Mail: feedback.MailWishes{Replies: true}})
		})
		f.move(p, "In progress", "")
		same(t, "muted and unwanted", f.since(n))
	})
}

func TestNobodyIsToldOfWhatIsPrivate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ada := f.person("ada@example.com")
		p := f.post(ada, "Leak")
		var b *feedback.Board
		f.write(f.team, func(tx *app.Tx) (err error) {
			b, err = tx.CreateBoard(t.Context(), feedback.NewBoard{Name: "Secret", Private: true})
			return err
		})
		n := len(f.outbox())
		// The status changes while the post is public, and the post becomes
		// private before anybody has been told.
		f.move(p, "Planned", "")
		f.exec(`UPDATE posts SET board_id = $1 WHERE site_id = $2 AND id = $3`, int64(b.ID), int64(f.o.Site.ID), int64(p.ID))
		same(t, "private board", f.since(n))
	})
}

// What a status says about telling holds: not at all, or with a note.
func TestNotifyModes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ada := f.person("ada@example.com")
		p := f.post(ada, "Dark mode")
		n := len(f.outbox())
		for mode, note := range map[feedback.NotifyMode]string{feedback.Silent: "", feedback.NotifyWithNote: "In the release of May."} {
			f.write(f.team, func(tx *app.Tx) error {
				_, err := tx.CreateStatus(t.Context(), feedback.NewStatus{Name: feedback.StatusName("Status " + string(mode)), Notify: &mode})
				return err
			})
			portal, err := f.app.Portal(t.Context(), "northwind")
			if err != nil {
				t.Fatal(err)
			}
			f.portal = portal
			f.move(p, "Status "+string(mode), note)
			if mode == feedback.Silent {
				same(t, "a silent status", f.since(n))
				continue
			}
			same(t, "a status with a note", f.since(n), "status ada@example.com")
			n++
			if m := f.outbox()[n-1]; !strings.Contains(m.Text, note) || !strings.Contains(m.HTML, note) {
				t.Errorf("the mail lacks the note:\n%s", m.Text)
			}
		}
	})
}

// A held post is nobody's news, and neither is one on a board that has become
// private or was merged away.
func TestNobodyIsToldOfWhatIsNotShown(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ada, bob := f.person("ada@example.com"), f.person("bob@example.com")
		onBoard, archived := f.post(ada, "On a board"), f.post(ada, "To be archived")
		f.vote(bob, onBoard)
		f.write(f.team, func(tx *app.Tx) error {
			_, err := tx.SetSettings(t.Context(), feedback.NewSettings{Scheme: feedback.SchemeSystem, Locale: "en", Anonymous: true, Moderation: true})
			return err
		})
		var err error
		if f.portal, err = f.app.Portal(t.Context(), "northwind"); err != nil {
			t.Fatal(err)
		}
		cid := f.person("cid@example.com")
		n := len(f.outbox())
		held := f.post(cid, "Held back")
		if !held.Held {
			t.Fatal("the post is not held")
		}
		f.move(onBoard, "Planned", "")
		f.move(archived, "Planned", "")
		f.write(f.team, func(tx *app.Tx) error {
			if err := tx.SetPostFlag(t.Context(), archived.ID.String(), feedback.Archived, true); err != nil {
				return err
			}
			b := f.portal.Boards[0]
			_, err := tx.UpdateBoard(t.Context(), b.ID.String(), feedback.BoardEdit{Name: feedback.BoardName(b.Name), Private: true})
			return err
		})
		same(t, "held, private, archived", f.since(n))
	})
}

func TestMailIsSent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		server := startSMTP(t)
		ada := f.person("ada@example.com")
		f.person("refused@example.com")
		p := f.post(ada, "Dark <b>mode</b>")
		f.move(p, "Planned", "Soon.")
		sender, err := worker.NewSender(server.url, "Northwind <feedback@northwind.example>")
		if err != nil {
			t.Fatal(err)
		}
		w := worker.Mail{App: f.app, Sender: sender, Log: slog.New(slog.DiscardHandler)}
		for range 3 { // the second and third find nothing to do
			if err := w.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		states := map[string]feedback.MailState{}
		for _, m := range f.outbox() {
			states[m.Kind+" "+m.ToEmail] = m.State
		}
		if states["sign_in ada@example.com"] != feedback.MailSent || states["status ada@example.com"] != feedback.MailSent || states["sign_in refused@example.com"] != feedback.MailFailed {
			t.Errorf("states = %v", states)
		}
		var status delivered
		list := server.all(t)
		for _, d := range list {
			if strings.Contains(d.Data, "Planned") {
				status = d
			}
		}
		if len(list) != 2 {
			t.Errorf("the server took %d messages; want 2", len(list))
		}
		for _, want := range []string{"List-Unsubscribe-Post: List-Unsubscribe=One-Click", "List-Unsubscribe: <https://heed.example/p/northwind/unsubscribe?t=",
			"Auto-Submitted: auto-generated", "multipart/alternative", "@heed.example>", "From: \"Northwind\" <feedback@northwind.example>"} {
			if !strings.Contains(status.Data, want) {
				t.Errorf("the message lacks %q:\n%s", want, status.Data)
			}
		}
		if strings.Contains(status.Data, "<b>mode</b>") && strings.Contains(status.Data, "Content-Type: text/html") && strings.Count(status.Data, "<b>mode</b>") > 2 {
			t.Error("what a visitor wrote stands in the HTML as HTML")
		}
	})
}

func TestWithoutServerMailStaysReadable(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ada := f.person("ada@example.com")
		f.move(f.post(ada, "Dark mode"), "Planned", "Soon.")
		f.tell()
		mails := f.outbox()
		last := mails[len(mails)-1]
		if last.State != feedback.MailPending || !strings.Contains(last.Text, "Soon.") || !strings.Contains(last.Text, "/posts/") {
			t.Errorf("the outbox holds %+v", last)
		}
	})
}

// One click on unsubscribe ends a kind of mail, and may be repeated.
func TestUnsubscribe(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ada := f.person("ada@example.com")
		p := f.post(ada, "Dark mode")
		f.move(p, "Planned", "")
		f.tell()
		mails := f.outbox()
		u, err := url.Parse(mails[len(mails)-1].Unsubscribe)
		if err != nil {
			t.Fatal(err)
		}
		nobody := f.portal.Visitor(nil, "")
		for range 2 {
			f.write(nobody, func(tx *app.Tx) error {
				_, err := tx.Unsubscribe(t.Context(), u.Query().Get("t"))
				return err
			})
		}
		f.move(p, "In progress", "")
		same(t, "after unsubscribing", f.since(len(mails)))
		_, err = f.app.Write(t.Context(), nobody, f.portal.Target(), app.Once{}, func(tx *app.Tx) (app.Response, error) {
			_, err := tx.Unsubscribe(t.Context(), u.Query().Get("t")+"x")
			return app.Response{}, err
		})
		if !feedback.IsNotFound(err) {
			t.Errorf("a forged token = %v; want not found", err)
		}
	})
}

// A worker that is killed while the server holds its message sends it to nobody
// twice, and loses none of the others.
func TestKilledWorker(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		people := []string{"a@example.com", "b@example.com", "c@example.com"}
		for _, email := range people {
			f.person(email) // leaves the mail with the code in the outbox
		}
		first := startSMTP(t, "HEED_TEST_HANG=2")
		w := workerProcess(f.dbURL, first.url, "0s")
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		// A worker that ends by itself must end the test, not leave it waiting.
		ended := make(chan struct{})
		go func() {
			w.Wait()
			first.cmd.Process.Kill()
			close(ended)
		}()
		got := map[string]int{first.next(t).To: 1}
		got[first.next(t).To]++ // taken, and never answered
		w.Process.Kill()
		<-ended
		for _, d := range first.all(t) {
			got[d.To]++
		}

		second := startSMTP(t)
		for range 2 {
			if err := workerProcess(f.dbURL, second.url, "1h").Run(); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range second.all(t) {
			got[d.To]++
		}
		for _, email := range people {
			if got[email] != 1 {
				t.Errorf("%s got %d messages; want 1 (all: %v)", email, got[email], got)
			}
		}
		states := map[feedback.MailState]int{}
		for _, m := range f.outbox() {
			states[m.State]++
		}
		if states[feedback.MailSent] != 2 || states[feedback.MailUnsure] != 1 {
			t.Errorf("states = %v; want two sent and one unsure", states)
		}
	})
}

func TestTryMailShowsTheDialogue(t *testing.T) {
	server := startSMTP(t)
	var b strings.Builder
	if err := worker.TryMail(t.Context(), &b, server.url, "feedback@northwind.example", "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"S: 220 test.example", "C: ", "accepted"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the dialogue lacks %q:\n%s", want, b.String())
		}
	}
	if err := worker.TryMail(t.Context(), &b, "", "a@b.example", "c@d.example"); err == nil {
		t.Error("TryMail without a server is no error")
	}
}
