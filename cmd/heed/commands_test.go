package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsBesideAServer changes keys and plans from the command line while a
// server runs: each change holds from the next request.
func TestCommandsBesideAServer(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		s := in.serve(t)
		sites := s.url + "/v1/sites"
		status := func(key, url string) int {
			t.Helper()
			code, _, body, err := request("GET", url, key, "", "")
			if err != nil {
				t.Fatalf("GET %s: %v", url, err)
			}
			if code == 500 {
				t.Fatalf("GET %s: %s", url, body)
			}
			return code
		}
		want := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("%s: status %d, want %d", what, got, want)
			}
		}

		var second struct{ SiteID, SiteSlug string }
		in.must(t, &second, "site", "create", "--json", "--account", account.AccountID, "--name", "Northwind")
		if second.SiteSlug != "northwind-2" {
			t.Errorf("the second site of one name has the slug %q; want northwind-2", second.SiteSlug)
		}

		var key struct {
			KeyID, APIKey string
			Scopes        []string
			SiteID        *string
		}
		in.must(t, &key, "key", "create", "--json", "--account", account.AccountID)
		if len(key.Scopes) != 9 || key.SiteID != nil {
			t.Errorf("a key without --scopes holds %v for site %v; want the 9 read scopes for every site", key.Scopes, key.SiteID)
		}
		want("a new key", status(key.APIKey, sites), 200)
		in.must(t, nil, "key", "revoke", key.KeyID)
		want("a revoked key", status(key.APIKey, sites), 401)

		in.must(t, &key, "key", "create", "--json", "--account", account.AccountID, "--site", second.SiteID, "--scopes", "sites:read")
		want("a pinned key on its site", status(key.APIKey, sites+"/"+second.SiteID), 200)
		want("a pinned key on another site", status(key.APIKey, sites+"/"+account.SiteID), 403)
		want("a key without the scope", status(key.APIKey, sites+"/"+second.SiteID+"/boards"), 403)

		in.must(t, nil, "account", "set-plan", account.AccountID, "FREE")
		want("a key on FREE", status(account.APIKey, sites), 402)
		in.must(t, nil, "account", "set-plan", account.AccountID, "PRO")
		want("a key on PRO", status(account.APIKey, sites), 200)

		var list struct {
			Accounts []struct{ AccountID, Name, Plan string }
		}
		in.must(t, &list, "account", "list", "--json")
		if len(list.Accounts) != 1 || list.Accounts[0].AccountID != account.AccountID || list.Accounts[0].Plan != "PRO" {
			t.Errorf("account list = %+v; want the one account on PRO", list.Accounts)
		}

		for _, path := range []string{"/healthz", "/readyz", "/metrics", "/api/openapi.json", "/docs/errors"} {
			want(path, status("", s.url+path), 200)
		}
		in.must(t, nil, "doctor")
		in.must(t, nil, "migrate", "status")
	})
}

// TestBackupMoves takes a backup of a database in use into one of the other kind.
func TestBackupMoves(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		in.must(t, nil, "fill", "--site", account.SiteID, "--posts", "200", "--comments", "100")
		s := in.serve(t)
		file := filepath.Join(t.TempDir(), "backup")
		in.must(t, nil, "backup", file)
		if _, errs, code := in.run(t, "backup", file); code != 1 || !strings.Contains(errs, "exists already") {
			t.Errorf("backup over a file that exists: exit code %d, %q", code, errs)
		}
		if _, errs, code := in.run(t, "restore", file); code != 1 || errs == "" {
			t.Errorf("restore into a database in use: exit code %d, %q; want it to be refused", code, errs)
		}
		other := otherKind(t, in)
		other.must(t, nil, "restore", file)
		if out, _, code := other.run(t, "doctor"); (code == 1) != (other.engine == "sqlite") || strings.Contains(out, "MEND  the secret key") != (code == 1) {
			t.Errorf("doctor after a restore: exit code %d, %q; want the file of the secret key to be missed beside SQLite alone", code, out)
		}
		other.must(t, nil, "check")
		moved := other.serve(t)
		for _, path := range []string{"/v1/sites", "/v1/sites/" + account.SiteID + "/posts?limit=100", "/v1/sites/" + account.SiteID + "/search?q=the"} {
			_, _, before, err := request("GET", s.url+path, account.APIKey, "", "")
			if err != nil {
				t.Fatal(err)
			}
			_, _, after, err := request("GET", moved.url+path, account.APIKey, "", "")
			if err != nil {
				t.Fatal(err)
			}
			// Cursors are made with the key of the installation.
			before, _, _ = strings.Cut(before, `"nextCursor"`)
			after, _, _ = strings.Cut(after, `"nextCursor"`)
			if before != after || len(before) < 20 {
				t.Errorf("GET %s after the move = %.300s; want %.300s", path, after, before)
			}
		}
	})
}

// TestMisuse holds what a command says when it cannot do what it is asked.
func TestMisuse(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		in.must(t, nil, "account", "set-plan", account.AccountID, "free")
		nowhere := filepath.Join(t.TempDir(), "nowhere.db")
		wrong := []string{"serve", "--db", "sqlite:" + nowhere, "--agent-kinds", "A,B", "--base-url", "x", "--rate-limits", "often", "--ai-key", "k", "--smtp-url", "ftp://x"}
		for _, c := range []struct {
			args []string
			code int
			says string
		}{
			{[]string{"nonsense"}, 2, "unexpected argument nonsense"},
			{[]string{"init", "--email", "a@b.example"}, 2, "missing flags"},
			{[]string{"init", "--email", "nobody", "--password", "short", "--account", " ", "--site", ""}, 1, "password must have at least 10 characters"},
			{[]string{"site", "create", "--account", account.AccountID, "--name", "Second"}, 1, "Move the account to the PRO plan, or remove a site."},
			{[]string{"site", "create", "--account", "acct_0000000000001", "--name", "x"}, 1, `no account "acct_0000000000001"`},
			{[]string{"key", "create", "--account", account.AccountID, "--scopes", "posts:eat"}, 1, "posts:eat"},
			{[]string{"key", "create", "--account", account.AccountID, "--site", "site_0000000000001"}, 1, `no site`},
			{[]string{"key", "revoke", "key_nothing"}, 1, `no key "key_nothing"`},
			{[]string{"account", "set-plan", account.AccountID, "GOLD"}, 1, "must be one of FREE, PRO, STUDIO"},
			{[]string{"serve", "--rate-limits", "often"}, 1, "often"},
			{[]string{"serve", "--rate-limits", "GOLD=1/s"}, 1, `rate of "GOLD": want a plan of FREE, PRO, STUDIO`},
			{[]string{"serve", "--base-url", "ftp://x.example"}, 1, `base URL "ftp://x.example": want http:// or https://`},
			{[]string{"serve", "--base-url", "feedback.example.com", "--rate-limits", "often"}, 1, "feedback.example.com"},
			// Everything at once, and before there is a database.
			{wrong, 1, "three names"},
			{wrong, 1, `base URL "x"`},
			{wrong, 1, "HEED_AI_URL is not set"},
			{wrong, 1, "HEED_SMTP_URL: "},
			{[]string{"demo", "--base-url", "x"}, 1, `base URL "x"`},
			{[]string{"serve", "--base-url", "https:///p"}, 1, "and a host"},
			{[]string{"serve", "--addr", "nowhere"}, 1, "missing port"},
			{[]string{"serve", "--colour", "red"}, 2, "unknown flag --colour"},
			{[]string{"fill", "--site", "nothing", "--posts", "1"}, 1, `no site "nothing"`},
			{[]string{"fill", "--site", account.SiteID, "--posts", "0"}, 1, "posts must be at least 1"},
			{[]string{"restore", filepath.Join(t.TempDir(), "none")}, 1, "no such file"},
			{[]string{"backup", filepath.Join(t.TempDir(), "none", "backup")}, 1, "no such file"},
			{[]string{"serve", "--agent-kinds", "A,B", "--plan-limits", "FREE=x"}, 1, "three names"},
			{[]string{"account", "list", "--db", "mysql://x"}, 1, "want sqlite:PATH or postgres://"},
			{[]string{"check", "--db", "sqlite:" + nowhere}, 1, "there is no database"},
			{[]string{"backup", "--db", "sqlite:" + nowhere, nowhere + ".backup"}, 1, "there is no database"},
			{[]string{"account", "list", "--db", "sqlite:" + nowhere}, 1, "there is no database"},
		} {
			out, errs, code := in.run(t, c.args...)
			if code != c.code || !strings.Contains(errs, c.says) || out != "" && code != 2 {
				t.Errorf("heed %v: exit code %d, said %q and printed %q; want %d and %q on standard error", c.args, code, errs, out, c.code, c.says)
			}
		}
		if left, _ := filepath.Glob(nowhere + "*"); left != nil {
			t.Errorf("a mistaken name left %v behind", left)
		}
	})
}

// TestEmptySettings holds that a setting which is set to nothing has its default,
// and that an environment variable does what its flag does.
func TestEmptySettings(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		in.env = append(in.env, "HEED_PLAN_LIMITS=", "HEED_RATE_LIMITS=", "HEED_WEBHOOK_DISABLE_AFTER=", "HEED_WEBHOOK_SCHEDULE=", "HEED_BASE_URL=",
			"HEED_LOG_FORMAT=", "HEED_DEFAULT_PLAN=", "HEED_AGENT_KINDS=", "HEED_SEED=", "HEED_JSON=true")
		var list struct {
			Accounts []struct{ AccountID, Plan string }
		}
		in.must(t, &list, "account", "list")
		if len(list.Accounts) != 1 || list.Accounts[0].AccountID != account.AccountID || list.Accounts[0].Plan != "STUDIO" {
			t.Errorf("account list = %+v; want the account, as JSON", list)
		}
		in.env = append(in.env, "HEED_SITE="+account.SiteID, "HEED_POSTS=30", "HEED_VOTES=40", "HEED_COMMENTS=0")
		_, errs, code := in.run(t, "fill")
		// Elsewhere than on a terminal nothing is written over.
		if code != 0 || !strings.Contains(errs, "Filling in rows: done") || strings.ContainsAny(errs, "\r\x1b") {
			t.Errorf("fill: exit code %d, %q; want progress in lines", code, errs)
		}
		s := in.serve(t)
		if _, _, body, err := request("GET", s.url+"/v1/sites/"+account.SiteID+"/posts?limit=100", account.APIKey, "", ""); err != nil || strings.Count(body, `"boardName"`) != 30 {
			t.Errorf("the site holds %s, %v; want 30 posts", body, err)
		}
	})
}

// TestCheckSaysWhatDisagrees damages a counter behind the back of a server.
func TestCheckSaysWhatDisagrees(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		in.must(t, nil, "fill", "--site", account.SiteID, "--posts", "20")
		var found struct {
			OK            *bool
			Discrepancies []string
		}
		in.must(t, &found, "check", "--json")
		if found.OK == nil || !*found.OK || len(found.Discrepancies) != 0 {
			t.Errorf("check of a good database = %+v; want ok", found)
		}
		in.exec(t, `UPDATE posts SET vote_count = vote_count + 1 WHERE id = (SELECT MIN(id) FROM posts)`)
		out, errs, code := in.run(t, "check", "--json")
		if err := json.Unmarshal([]byte(out), &found); err != nil || code != 1 || *found.OK || len(found.Discrepancies) != 1 || !strings.Contains(errs, "1 thing disagrees") {
			t.Errorf("check of a damaged database: exit code %d, %v, %q, %q; want 1 and one thing that disagrees", code, err, out, errs)
		}
	})
}

// TestNoDatabaseNeeded runs the commands that work without any.
func TestNoDatabaseNeeded(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	in := &installation{bin: bin, env: []string{"HEED_DB=postgres://nobody@127.0.0.1:1/none", "HEED_AGENT_KINDS=ROBIN,WREN,LARK"}}
	var v struct{ Version string }
	in.must(t, &v, "version", "--json")
	if v.Version == "" {
		t.Error("version --json has no version")
	}
	out, _, code := in.run(t, "openapi")
	var doc struct {
		OpenAPI string
		Info    struct{ Version string }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != 0 || doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.0.0" {
		t.Errorf("openapi: exit code %d, %v, %+v; want a 3.1.0 document of version 1.0.0", code, err, doc)
	}
	if !strings.Contains(out, `"WREN"`) || strings.Contains(out, "KIND_B") {
		t.Error("openapi does not name the agent kinds that are set")
	}
	if _, errs, code := in.run(t, "doctor"); code != 1 || !strings.Contains(errs, "checks failed") {
		t.Errorf("doctor without a database: exit code %d, %q; want it to fail", code, errs)
	}
	in.env = append(in.env, "HEED_OIDC_ISSUER=http://127.0.0.1:1", "HEED_OIDC_CLIENT_ID=heed", "HEED_OIDC_CLIENT_SECRET=s", "HEED_BASE_URL=https://heed.example/")
	if out, _, _ := in.run(t, "doctor"); !strings.Contains(out, "MEND  single sign-on by 127.0.0.1, with the callback address https://heed.example/signin/oidc/callback") {
		t.Errorf("doctor does not name the callback address:\n%s", out)
	}
}

// TestStopFinishesWhatIsInFlight stops a server the polite way while a request
// is half sent: the rest of it is read, done and answered.
func TestStopFinishesWhatIsInFlight(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		s := in.serve(t)
		address := strings.TrimPrefix(s.url, "http://")
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		const body = `{"name":"In flight"}`
		fmt.Fprintf(conn, "POST /v1/sites/%s/boards HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", account.SiteID, address, account.APIKey, len(body))
		answer := bufio.NewReader(conn)
		// The server says so when it begins to read the body.
		if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("the server said %q, %v; want 100 Continue", line, err)
		}
		answer.ReadString('\n')
		stopped := make(chan int)
		go func() { stopped <- s.stop(t) }()
		for { // until nothing new is taken
			other, err := net.Dial("tcp", address)
			if err != nil {
				break
			}
			other.Close()
		}
		fmt.Fprint(conn, body)
		res, err := http.ReadResponse(answer, nil)
		if err != nil || res.StatusCode != 201 {
			t.Errorf("the request in flight = %v, %v; want 201", res, err)
		}
		conn.Close()
		if code := <-stopped; code != 0 {
			t.Errorf("a server that was asked to stop ends with code %d; want 0", code)
		}
		again := in.serve(t)
		if _, _, boards, err := request("GET", again.url+"/v1/sites/"+account.SiteID+"/boards", account.APIKey, "", ""); err != nil || !strings.Contains(boards, "In flight") {
			t.Errorf("boards after the stop = %s, %v; want the one in flight among them", boards, err)
		}
	})
}
