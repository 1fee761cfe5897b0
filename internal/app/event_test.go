package app_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heed/internal/app"
	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

var epoch = time.Date(2026, 11, 15, 1, 34, 10, 123_000_000, time.UTC)

// scene is a site with a board, two posts and an endpoint that listens.
type scene struct {
	*feedbacktest.As
	t        *testing.T
	clock    *feedbacktest.Clock
	endpoint *feedback.Endpoint
	board    feedback.Board
	statuses map[string]feedback.Status
	seen     int // deliveries looked at
}

func newScene(t *testing.T, engine string) *scene {
	s := &scene{t: t, clock: feedbacktest.NewClock(epoch), statuses: map[string]feedback.Status{}}
	url := "sqlite:" + t.TempDir() + "/heed.db"
	if engine == "postgres" {
		url = feedbacktest.PostgresURL(t)
	}
	a := feedbacktest.NewAppWith(t, feedbacktest.OpenURL(t, url, s.clock.Now), auth.NewMaster(), app.Webhooks{})
	s.As = feedbacktest.ByKey(t, a, feedbacktest.OpenAccount(t, a, "Northwind", feedback.Pro))
	s.Do(func(tx *app.Tx) error {
		boards, err := tx.Boards(t.Context(), feedback.Window{Limit: 10})
		if err != nil {
			return err
		}
		s.board = boards.Items[0]
		all, err := tx.Statuses(t.Context(), feedback.Window{Limit: 10})
		for _, st := range all.Items {
			s.statuses[st.Name] = st
		}
		return err
	})
	s.endpoint, _ = s.Endpoint("https://hooks.example.com/")
	return s
}

// told returns the payloads of the events since it was last asked.
func (s *scene) told() []string {
	s.t.Helper()
	var all []string
	for _, d := range s.Deliveries(s.endpoint.ID)[s.seen:] {
		all = append(all, string(d.Payload))
		s.seen++
	}
	return all
}

// wants checks that what happened told exactly these events, in which {name}
// stands for the values given.
func (s *scene) wants(what string, values map[string]string, want ...string) {
	s.t.Helper()
	got := s.told()
	if len(got) != len(want) {
		s.t.Fatalf("%s told %d events, want %d: %v", what, len(got), len(want), got)
	}
	for i := range want {
		w := want[i]
		for name, v := range values {
			w = strings.ReplaceAll(w, "{"+name+"}", v)
		}
		var g, x any
		if err := json.Unmarshal([]byte(got[i]), &g); err != nil {
			s.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(w), &x); err != nil {
			s.t.Fatalf("%v: %s", err, w)
		}
		if diff := cmp.Diff(x, g); diff != "" {
			s.t.Errorf("%s told (-want +got)\n%s", what, diff)
		}
	}
}

const postJSON = `{"id":"{post}","siteId":"{site}","boardId":"{board}","boardName":"Feature requests","title":"{title}",
	"statusName":"{status}","voteCount":{votes},"pinned":false,"archived":false,"locked":false,"tags":[],"createdAt":"2026-11-15T01:34:10.123Z"}`

// TestEvents: each event's exact data, and silence where nothing is to be told.
func TestEvents(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { testEvents(t, newScene(t, engine)) })
	}
}

func testEvents(t *testing.T, s *scene) {
	ctx := t.Context()
	v := map[string]string{
		"site": s.Site.String(), "board": s.board.ID.String(), "title": "Dark mode", "status": "Open", "votes": "0",
		"at": `"siteId":"` + s.Site.String() + `","occurredAt":"2026-11-15T01:34:10.123Z"`,
	}
	post := func() string {
		p := postJSON
		for range 2 { // values hold no names but at and post
			for name, x := range v {
				p = strings.ReplaceAll(p, "{"+name+"}", x)
			}
		}
		return p
	}
	first := s.Post("Dark mode")
	v["post"] = first
	s.wants("createPost", v, `{"type":"post.created","data":{{at},"post":`+post()+`,"visitorId":"visitor-1","source":"api"}}`)

	s.Do(func(tx *app.Tx) error {
		_, err := tx.Vote(ctx, first, feedback.NewVote{Visitor: "visitor-2"})
		return err
	})
	s.wants("a vote", nil)
	v["votes"] = "1"

	move := func(to *feedback.Ref, note *feedback.Note) {
		s.Do(func(tx *app.Tx) error {
			_, err := tx.ChangePostStatus(ctx, first, feedback.StatusChange{Status: to, Note: note})
			return err
		})
	}
	open, done := s.statuses["Open"].ID.String(), s.statuses["Done"].ID.String()
	toDone, note := feedback.Ref(done), feedback.Note("It ships today.")
	move(&toDone, &note)
	v["status"], v["open"], v["done"] = "Done", open, done
	s.wants("changePostStatus", v, `{"type":"post.status_changed","data":{{at},"post":`+post()+
		`,"fromStatusId":"{open}","toStatusId":"{done}","enteredDoneState":true,"note":"It ships today."}}`)
	move(&toDone, nil)
	s.wants("the same status again", nil)
	move(nil, nil)
	v["status"] = "null"
	s.wants("no status", v, `{"type":"post.status_changed","data":{{at},"post":`+strings.Replace(post(), `"null"`, "null", 1)+
		`,"fromStatusId":"{done}","toStatusId":null,"enteredDoneState":false,"note":null}}`)

	comment := func(internal bool, body feedback.CommentBody) (id string) {
		s.Do(func(tx *app.Tx) error {
			c, err := tx.CreateComment(ctx, first, feedback.NewComment{Body: body, Internal: internal})
			if err == nil {
				id = c.ID.String()
			}
			return err
		})
		return id
	}
	comment(true, "Between us")
	s.wants("an internal comment", nil)
	v["comment"] = comment(false, "Thank you")
	s.wants("a comment", v, `{"type":"comment.created","data":{{at},"comment":{"id":"{comment}","postId":"{post}","parentId":null,
		"body":"Thank you","authorType":"member","internal":false,"createdAt":"2026-11-15T01:34:10.123Z"},"postId":"{post}","postTitle":"Dark mode"}}`)

	second := s.Post("Night mode")
	s.told()
	merge := func(loser, winner string) *feedback.MergeResult {
		var m *feedback.MergeResult
		s.Do(func(tx *app.Tx) (err error) {
			m, err = tx.MergePosts(ctx, loser, feedback.NewMerge{Winner: feedback.Ref(winner)})
			return err
		})
		return m
	}
	merge(first, first)
	s.wants("a refused merge", nil)
	m := merge(second, first)
	v["loser"], v["action"] = second, m.Action.String()
	s.wants("a merge", v, `{"type":"post.merged","data":{{at},"loserId":"{loser}","winnerId":"{post}","actionId":"{action}","post":`+
		strings.Replace(post(), `"null"`, "null", 1)+`}}`)
	s.Do(func(tx *app.Tx) error {
		_, err := tx.UndoAction(ctx, m.Action.String(), feedback.Input{})
		return err
	})
	s.wants("undoing a merge", nil)

	var entry string
	s.Do(func(tx *app.Tx) error {
		e, err := tx.CreateEntry(ctx, feedback.NewEntry{Title: "Dark mode is here", Body: "It follows your system."})
		if err == nil {
			entry = e.ID.String()
		}
		return err
	})
	s.wants("a draft", nil)
	v["entry"] = entry
	for i := range 2 {
		s.Do(func(tx *app.Tx) error {
			_, err := tx.PublishEntry(ctx, entry, feedback.Input{})
			return err
		})
		if i == 1 {
			s.wants("publishing again", nil)
			break
		}
		s.wants("publishing", v, `{"type":"changelog.published","data":{{at},"entry":{"id":"{entry}","title":"Dark mode is here","slug":"dark-mode-is-here",
			"body":"It follows your system.","label":null,"status":"published","publishedAt":"2026-11-15T01:34:10.123Z","createdAt":"2026-11-15T01:34:10.123Z"}}}`)
	}
}

// TestShippedRunTells: completing a run moves its post and publishes the entry,
// and tells of both.
func TestShippedRunTells(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, ctx := newScene(t, engine), t.Context()
			post := feedback.Ref(s.Post("Dark mode"))
			s.told()
			done := feedback.Ref(s.statuses["Done"].ID.String())
			s.Do(func(tx *app.Tx) error {
				e, err := tx.CreateEntry(ctx, feedback.NewEntry{Title: "Dark mode is here", Body: "x"})
				if err != nil {
					return err
				}
				entry := feedback.Ref(e.ID.String())
				r, err := tx.StartRun(ctx, feedback.NewRun{Site: feedback.Ref(s.Site.String()), Kind: "KIND_A", Post: &post})
				if err != nil {
					return err
				}
				_, err = tx.CompleteRun(ctx, r.ID.String(), feedback.Completion{Outcome: "SHIPPED", Entry: &entry, DoneStatus: &done})
				return err
			})
			var types []string
			for _, p := range s.told() {
				var e struct{ Type string }
				if err := json.Unmarshal([]byte(p), &e); err != nil {
					t.Fatal(err)
				}
				types = append(types, e.Type)
			}
			if want := []string{"changelog.published", "post.status_changed"}; !cmp.Equal(types, want) {
				t.Errorf("told %v, want %v", types, want)
			}
		})
	}
}

// TestListeners: only endpoints of the site that are enabled and want the event
// are told, and none of an account whose plan has no webhooks.
func TestListeners(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := newScene(t, engine)
			some, _ := s.Endpoint("https://hooks.example.com/some", feedback.CommentCreated, feedback.PostMerged)
			off, _ := s.Endpoint("https://hooks.example.com/off")
			gone, _ := s.Endpoint("https://hooks.example.com/gone")
			s.Do(func(tx *app.Tx) error {
				no := false
				if _, err := tx.UpdateEndpoint(t.Context(), off.ID.String(), feedback.EndpointPatch{Enabled: &no}); err != nil {
					return err
				}
				return tx.DeleteEndpoint(t.Context(), gone.ID.String(), feedback.Input{})
			})
			post := s.Post("Dark mode")
			s.Comment(post, "Thank you")
			count := func(e *feedback.Endpoint) int { return len(s.Deliveries(e.ID)) }
			if count(s.endpoint) != 2 || count(some) != 1 || count(off) != 0 {
				t.Errorf("deliveries to all, some, off = %d, %d, %d; want 2, 1, 0", count(s.endpoint), count(some), count(off))
			}
			free := *s.Actor.Account
			free.Plan = feedback.Free
			s.Actor.Account = &free
			s.Comment(post, "Nobody hears this")
			if count(some) != 1 {
				t.Errorf("an account without webhooks told %d", count(some))
			}
			s.Try(func(tx *app.Tx) error { // the hidden endpoint is nowhere
				if _, err := tx.Endpoint(t.Context(), gone.ID.String()); !feedback.IsNotFound(err) {
					t.Errorf("a deleted endpoint: %v, want NOT_FOUND", err)
				}
				return nil
			})
		})
	}
}
