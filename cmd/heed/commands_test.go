package main

import (
	"encoding/json"
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
			{[]string{"serve", "--agent-kinds", "A,B", "--plan-limits", "FREE=x"}, 1, "three names"},
			{[]string{"account", "list", "--db", "mysql://x"}, 1, "want sqlite:PATH or postgres://"},
		} {
			out, errs, code := in.run(t, c.args...)
			if code != c.code || !strings.Contains(errs, c.says) || out != "" && code != 2 {
				t.Errorf("heed %v: exit code %d, said %q and printed %q; want %d and %q on standard error", c.args, code, errs, out, c.code, c.says)
			}
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

// TestStopFinishesWhatIsInFlight stops a server the polite way.
func TestStopFinishesWhatIsInFlight(t *testing.T) {
	eachInstallation(t, func(t *testing.T, in *installation) {
		account := in.init(t)
		s := in.serve(t)
		if code, _, _, err := request("GET", s.url+"/v1/sites", account.APIKey, "", ""); code != 200 || err != nil {
			t.Fatalf("GET /v1/sites = %d, %v", code, err)
		}
		if code := s.stop(t); code != 0 {
			t.Errorf("a server that was asked to stop ends with code %d; want 0", code)
		}
	})
}
