package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestKilledServerLosesNothing kills the server again and again while clients
// write, each write sent twice under its idempotency key, and audits a ledger of
// what was acknowledged: nothing is lost, nothing is done twice, and every
// repeated request is answered with the same bytes.
func TestKilledServerLosesNothing(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		const clients, kills = 8, 5
		account := in.init(t)
		w := &world{in: in, key: account.APIKey, site: "/v1/sites/" + account.SiteID, ledger: map[string]entry{}}
		w.server = in.serve(t)
		w.setUp(t)

		for range kills {
			// The clients write until the server dies at a random write.
			w.killAt.Store(w.acknowledged.Load() + 20 + rand.Int64N(120))
			var wg sync.WaitGroup
			for range clients {
				wg.Go(func() { w.write(t) })
			}
			wg.Wait()
			w.server.kill()
			w.server = in.serve(t)
			w.finish(t)
		}
		w.audit(t)
		if out, errs, code := in.run(t, "check"); code != 0 {
			t.Errorf("heed check: exit code %d\n%s%s", code, out, errs)
		}
	})
}

// entry is a write that was asked for: what was sent and what was answered,
// empty until an answer arrived whole.
type entry struct{ path, body, answer string }

type world struct {
	in          *installation
	server      *running
	key, site   string
	board, post string

	acknowledged, killAt, serial atomic.Int64

	mu     sync.Mutex
	ledger map[string]entry // by idempotency key
}

func (w *world) setUp(t *testing.T) {
	var boards struct{ Data []struct{ ID string } }
	_, _, answer, err := request("GET", w.server.url+w.site+"/boards", w.key, "", "")
	if err == nil {
		err = json.Unmarshal([]byte(answer), &boards)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.board = boards.Data[0].ID
	e := w.send(t, "write-0", entry{path: w.site + "/posts", body: w.newPost("write-0")})
	var post struct{ ID string }
	if err := json.Unmarshal([]byte(e.answer), &post); err != nil || post.ID == "" {
		t.Fatalf("the first post: %v: %s", err, e.answer)
	}
	w.post = post.ID
}

func (w *world) newPost(title string) string {
	return fmt.Sprintf(`{"boardId":%q,"title":%q,"onBehalfVisitorId":"author"}`, w.board, title)
}

// next makes up a write that nobody has asked for before.
func (w *world) next() (key string, e entry) {
	n := w.serial.Add(1)
	key = fmt.Sprintf("write-%d", n)
	switch n % 3 {
	case 0:
		e = entry{path: w.site + "/posts", body: w.newPost(key)}
	case 1:
		e = entry{path: w.site + "/posts/" + w.post + "/votes", body: fmt.Sprintf(`{"onBehalfVisitorId":%q}`, key)}
	default:
		e = entry{path: w.site + "/posts/" + w.post + "/comments", body: fmt.Sprintf(`{"body":%q}`, key)}
	}
	return key, e
}

// write sends writes until the server is dead.
func (w *world) write(t *testing.T) {
	for {
		key, e := w.next()
		w.mu.Lock()
		w.ledger[key] = e
		w.mu.Unlock()
		if e = w.send(t, key, e); e.answer == "" {
			return
		}
		if w.acknowledged.Add(1) == w.killAt.Load() {
			w.server.cmd.Process.Kill()
		}
	}
}

// send sends a write twice and returns it with its answer, which stays empty if
// none arrived whole.
func (w *world) send(t *testing.T, key string, e entry) entry {
	for i := range 2 {
		status, replayed, answer, err := request("POST", w.server.url+e.path, w.key, key, e.body)
		if err != nil {
			break
		}
		switch {
		case status != 201:
			t.Errorf("%s: status %d: %s", key, status, answer)
		case e.answer != "" && answer != e.answer:
			t.Errorf("%s was answered\n%s\nand then\n%s", key, e.answer, answer)
		case i == 1 && !replayed:
			t.Errorf("%s was done twice: the repeated request was not a replay", key)
		}
		e.answer = answer
	}
	w.mu.Lock()
	w.ledger[key] = e
	w.mu.Unlock()
	return e
}

// finish sends again what was not acknowledged when the server died.
func (w *world) finish(t *testing.T) {
	w.mu.Lock()
	var open []string
	for key, e := range w.ledger {
		if e.answer == "" {
			open = append(open, key)
		}
	}
	w.mu.Unlock()
	for _, key := range open {
		if e := w.send(t, key, w.ledger[key]); e.answer == "" {
			t.Fatalf("%s is not answered by the new server", key)
		}
	}
}

// audit holds the ledger against the service.
func (w *world) audit(t *testing.T) {
	posts, votes, comments := 0, 0, 0
	for key, e := range w.ledger {
		status, replayed, answer, err := request("POST", w.server.url+e.path, w.key, key, e.body)
		if err != nil || status != 201 || !replayed || answer != e.answer {
			t.Errorf("%s: replay = %d, replayed %v, %v\n%s\nwant\n%s", key, status, replayed, err, answer, e.answer)
		}
		switch {
		case e.path == w.site+"/posts":
			posts++
		case e.path == w.site+"/posts/"+w.post+"/votes":
			votes++
		default:
			comments++
		}
	}
	var board struct{ Data []struct{ PostCount int } }
	var post struct{ VoteCount int }
	w.get(t, w.site+"/boards", &board)
	w.get(t, w.site+"/posts/"+w.post, &post)
	if got := board.Data[0].PostCount; got != posts {
		t.Errorf("%d posts on the board; want the %d that were acknowledged", got, posts)
	}
	if post.VoteCount != votes {
		t.Errorf("%d votes; want the %d that were acknowledged", post.VoteCount, votes)
	}
	if got := w.count(t, w.site+"/posts"); got != posts {
		t.Errorf("%d posts listed; want the %d that were acknowledged", got, posts)
	}
	if got := w.count(t, w.site+"/posts/"+w.post+"/comments"); got != comments {
		t.Errorf("%d comments listed; want the %d that were acknowledged", got, comments)
	}
	t.Logf("audited %d posts, %d votes, %d comments", posts, votes, comments)
}

func (w *world) get(t *testing.T, path string, into any) {
	t.Helper()
	status, _, answer, err := request("GET", w.server.url+path, w.key, "", "")
	if err != nil || status != 200 {
		t.Fatalf("GET %s = %d, %v: %s", path, status, err, answer)
	}
	if err := json.Unmarshal([]byte(answer), into); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
}

// count walks a list to its end.
func (w *world) count(t *testing.T, path string) (n int) {
	for cursor := ""; ; {
		var page struct {
			Data       []struct{ ID string }
			NextCursor *string
		}
		w.get(t, path+"?limit=100"+cursor, &page)
		n += len(page.Data)
		if page.NextCursor == nil {
			return n
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}
