package feedbacktest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"heed/internal/feedbacktest"
)

func value(t testing.TB, url, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var v string
	if err := conn.QueryRow(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestPostgresURLIsEmptyAndOnesOwn(t *testing.T) {
	a, b := feedbacktest.PostgresURL(t), feedbacktest.PostgresURL(t)
	if a == b {
		t.Fatalf("two databases share the URL %s", a)
	}
	const tables = `SELECT count(*)::text FROM pg_tables WHERE schemaname = 'public'`
	conn, err := pgx.Connect(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `CREATE TABLE t (x int)`); err != nil {
		t.Fatal(err)
	}
	if inA, inB := value(t, a, tables), value(t, b, tables); inA != "1" || inB != "0" {
		t.Errorf("tables: %s and %s; want 1 and 0", inA, inB)
	}
	if got := value(t, a, `SELECT lower('É') || current_setting('server_encoding')`); got != "éUTF8" {
		t.Errorf("letters fold as %q; want éUTF8", got)
	}
}

func TestPostgresURLIsDropped(t *testing.T) {
	var name string
	t.Run("inner", func(t *testing.T) {
		url := feedbacktest.PostgresURL(t)
		name = value(t, url, `SELECT current_database()::text`)
		// A connection left open must not keep the database.
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn })
	})
	if name == "" {
		t.Skip("no PostgreSQL")
	}
	left := value(t, feedbacktest.PostgresURL(t), `SELECT count(*)::text FROM pg_database WHERE datname = '`+name+`'`)
	if left != "0" {
		t.Errorf("database %s is still there", name)
	}
}

func TestPostgresURLConcurrently(t *testing.T) {
	feedbacktest.PostgresURL(t) // skips here, where it may
	var urls sync.Map
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, twice := urls.LoadOrStore(feedbacktest.PostgresURL(t), true); twice {
				t.Error("one URL given twice")
			}
		})
	}
	wg.Wait()
}

// The test binary runs itself as another program of the same test run: it must
// find this one's server, and when there is none say so as loudly as asked.
func TestPostgresURLInAnotherBinary(t *testing.T) {
	if os.Getenv("HEED_TEST_INNER") != "" {
		url := feedbacktest.PostgresURL(t)
		t.Log("started " + value(t, url, `SELECT pg_postmaster_start_time()::text`))
		return
	}
	started := value(t, feedbacktest.PostgresURL(t), `SELECT pg_postmaster_start_time()::text`)
	inner := func(env ...string) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPostgresURLInAnotherBinary$", "-test.v")
		cmd.Env = append(append(os.Environ(), "HEED_TEST_INNER=1"), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := inner(); err != nil || !strings.Contains(out, "started "+started) {
		t.Errorf("another binary: %v; want the server started %s\n%s", err, started, out)
	}
	missing := filepath.Join(t.TempDir(), "nothing")
	if out, err := inner("HEED_TEST_POSTGRES=", "HEED_TEST_PG_BIN="+missing); err == nil {
		t.Errorf("a wrong HEED_TEST_PG_BIN passes:\n%s", out)
	}
}
