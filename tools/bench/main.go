// Command bench measures Heed against a bare net/http handler in the same run,
// on the same machine, with the same load: what matters is the ratio, since the
// machine's own speed is in both. It builds the program, fills a database, and
// prints requests per second, latency and CPU per request of the server process
// for the operations that matter most.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// goals are the least ratios to bare that a release must reach.
var goals = map[string]float64{
	"list 50": 1. / 15, "get": 1. / 5, "search rare": 1. / 20, "search common": 1. / 20, "vote": 1. / 15,
	"board": 1. / 12, "board, visitor": 1. / 12,
}

func main() {
	log.SetFlags(0)
	if len(os.Args) > 2 && os.Args[1] == "bare" {
		serveBare(os.Args[2])
		return
	}
	posts := flag.Int("posts", 10_000, "posts to fill in")
	votes := flag.Int("votes", 50_000, "votes to fill in")
	db := flag.String("db", "", "database URL; a SQLite file in a temporary folder when empty")
	each := flag.Duration("for", 3*time.Second, "how long to measure each case")
	conns := flag.String("connections", "8,64", "connections to measure with")
	only := flag.String("only", "", "measure only the cases whose name holds this")
	site := flag.String("site", "", "with -db and -key: a site that has been filled already")
	key := flag.String("key", "", "the API key for -site")
	flag.Parse()
	b := &bench{posts: *posts, votes: *votes, db: *db, each: *each, only: *only, site: *site, key: *key}
	if err := b.run(strings.Split(*conns, ",")); err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	posts, votes int
	db           string
	each         time.Duration
	only         string

	dir, heed    string // folder and binary
	bare, server *process
	site, board  string
	slug         string     // of the site
	pages        []testCase // of its portal
	key          string
	ids          []string // of posts
}

func (b *bench) run(conns []string) (err error) {
	if b.dir, err = os.MkdirTemp("", "heed-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.db == "" {
		b.db = "sqlite:" + filepath.Join(b.dir, "heed.db")
	}
	b.heed = filepath.Join(b.dir, "heed")
	log.Println("building heed")
	if out, err := exec.Command("go", "build", "-o", b.heed, "./cmd/heed").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	if b.site == "" {
		if err := b.fill(); err != nil {
			return err
		}
	}
	if err := b.start(); err != nil {
		return err
	}
	defer b.bare.stop()
	defer b.server.stop()
	if err := b.collect(); err != nil {
		return err
	}
	if b.pages, err = b.portalCases(); err != nil {
		return err
	}
	fmt.Printf("%d posts, %d votes, %s\n\n", b.posts, b.votes, strings.SplitN(b.db, ":", 2)[0])
	fmt.Printf("%-14s %5s %10s %10s %10s %12s %8s %8s\n", "case", "conns", "req/s", "p50", "p99", "CPU/request", "ratio", "goal")
	for _, c := range conns {
		n, err := strconv.Atoi(c)
		if err != nil {
			return err
		}
		if err := b.measure(n); err != nil {
			return err
		}
	}
	return nil
}

// fill makes the database with an account and data.
func (b *bench) fill() error {
	var opened struct{ SiteID, APIKey string }
	if err := b.command(&opened, "init", "--json", "--email", "bench@heed.example", "--password", "only for benches",
		"--account", "Bench", "--site", "Bench"); err != nil {
		return err
	}
	b.site, b.key = opened.SiteID, opened.APIKey
	start := time.Now()
	log.Printf("filling in %d posts and %d votes", b.posts, b.votes)
	err := b.command(nil, "fill", "--site", b.site, "--posts", strconv.Itoa(b.posts), "--votes", strconv.Itoa(b.votes), "--seed", "1")
	log.Printf("filled in %.1f s", time.Since(start).Seconds())
	return err
}

func (b *bench) command(into any, args ...string) error {
	cmd := exec.Command(b.heed, args...)
	cmd.Env = b.env()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("heed %s: %w\n%s", args[0], err, errs.String())
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(out, into)
}

func (b *bench) env() []string {
	env := append((&exec.Cmd{}).Environ(), "HEED_DB="+b.db)
	if !strings.HasPrefix(b.db, "sqlite:") {
		env = append(env, "HEED_SECRET_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	}
	return env
}

// start starts both servers as processes of their own, so that their CPU time
// can be told from that of the load.
func (b *bench) start() (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	addr := freeAddr()
	if b.bare, err = startProcess(addr, nil, self, "bare", addr); err != nil {
		return err
	}
	addr = freeAddr()
	b.server, err = startProcess(addr, b.env(), b.heed, "serve", "--addr", addr, "--rate-limits", "off")
	return err
}

// collect reads the ids that the cases need.
func (b *bench) collect() error {
	var sites struct{ Data []struct{ ID, Slug string } }
	if err := b.get("/v1/sites", &sites); err != nil {
		return err
	}
	for _, s := range sites.Data {
		if s.ID == b.site {
			b.slug = s.Slug
		}
	}
	var boards struct{ Data []struct{ ID string } }
	if err := b.get("/v1/sites/"+b.site+"/boards", &boards); err != nil {
		return err
	}
	b.board = boards.Data[0].ID
	cursor := ""
	for len(b.ids) < 2000 {
		var page struct {
			Data []struct {
				ID               string
				Locked, Archived bool
			}
			NextCursor *string
		}
		if err := b.get("/v1/sites/"+b.site+"/posts?limit=100"+cursor, &page); err != nil {
			return err
		}
		for _, p := range page.Data {
			if !p.Locked && !p.Archived {
				b.ids = append(b.ids, p.ID)
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
	return nil
}

func (b *bench) get(path string, into any) error {
	r, err := http.NewRequest("GET", "http://"+b.server.addr+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+b.key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		return fmt.Errorf("GET %s: %s", path, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

// testCase makes one request after another.
type testCase struct {
	name   string
	status int
	next   func() (method, path, body string)
	header func() string // more lines; nil: none
}

func (b *bench) cases() []testCase {
	site := "/v1/sites/" + b.site
	post := func() string { return b.ids[rand.IntN(len(b.ids))] }
	var n atomic.Int64
	n.Store(time.Now().UnixNano())
	return []testCase{
		{name: "list 50", status: 200, next: func() (string, string, string) { return "GET", site + "/posts?limit=50", "" }},
		{name: "get", status: 200, next: func() (string, string, string) { return "GET", site + "/posts/" + post(), "" }},
		{name: "search rare", status: 200, next: func() (string, string, string) { return "GET", site + "/search?q=" + rareWord, "" }},
		{name: "search common", status: 200, next: func() (string, string, string) { return "GET", site + "/search?q=the", "" }},
		{name: "vote", status: 201, next: func() (string, string, string) {
			return "POST", site + "/posts/" + post() + "/votes", fmt.Sprintf(`{"onBehalfVisitorId":"v%d"}`, n.Add(1)%200_000)
		}},
		{name: "create post", status: 201, next: func() (string, string, string) {
			return "POST", site + "/posts", fmt.Sprintf(`{"boardId":%q,"title":"A post of the bench, number %d","body":"With a short body.","onBehalfVisitorId":"v%d"}`,
				b.board, n.Add(1), n.Load()%1000)
		}},
	}
}

// rareWord stands in few of the filled posts.
const rareWord = "overlay"

func (b *bench) measure(conns int) error {
	for _, c := range append(b.cases(), b.pages...) {
		if b.only != "" && !strings.Contains(c.name, b.only) {
			continue
		}
		bare := testCase{name: "bare", status: 200, next: func() (string, string, string) { return "GET", "/", "" }}
		base, err := load(b.bare, bare, conns, b.each, "")
		if err != nil {
			return err
		}
		// Statements are prepared and pages read once; what is asked for is the
		// cost after that.
		if _, err := load(b.server, c, conns, b.each/4, b.key); err != nil {
			return err
		}
		got, err := load(b.server, c, conns, b.each, b.key)
		if err != nil {
			return err
		}
		ratio := got.rate / base.rate
		verdict := ""
		if goal := goals[c.name]; goal > 0 && (c.name != "vote" || conns >= 64) {
			// A vote waits for the disk, which many at once share.
			verdict = fmt.Sprintf("1/%.0f", 1/goal)
			if ratio < goal {
				verdict += " MISSED"
			}
		}
		fmt.Printf("%-14s %5d %10.0f %10s %10s %12s %8s %8s\n", c.name, conns, got.rate, micros(got.p50), micros(got.p99),
			micros(got.cpu), fmt.Sprintf("1/%.1f", 1/ratio), verdict)
		if c.name == "create post" {
			fmt.Printf("%-14s %5d %10.0f %10s %10s %12s\n", "(bare)", conns, base.rate, micros(base.p50), micros(base.p99), micros(base.cpu))
		}
	}
	return nil
}

func micros(d time.Duration) string { return fmt.Sprintf("%d µs", d.Microseconds()) }

func serveBare(addr string) {
	body := []byte(`{"data":[],"nextCursor":null}`)
	log.Fatal(http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	})))
}

func freeAddr() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
