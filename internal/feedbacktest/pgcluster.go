package feedbacktest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// errNoPostgres means that there is no PostgreSQL to test with, as opposed to
// one that does not work.
var errNoPostgres = errors.New("PostgreSQL is not installed: 'make test' installs it where it may; " +
	"or point HEED_TEST_PG_BIN at a directory with initdb and pg_ctl, or HEED_TEST_POSTGRES at a server")

// PostgresURL returns the URL of an empty database of its own for t, which is
// dropped when t ends. The server behind it is shared by all test binaries of a
// run and by later runs, and stops by itself when nobody has asked for a
// database for a quarter of an hour. Without PostgreSQL the test is skipped; it
// fails instead where CI or HEED_TEST_REQUIRE is set, so that nothing passes
// for having been left out.
func PostgresURL(t testing.TB) string {
	t.Helper()
	server, err := postgresServer()
	if errors.Is(err, errNoPostgres) && os.Getenv("CI") == "" && os.Getenv("HEED_TEST_REQUIRE") == "" {
		t.Skip(err)
	}
	if err := errors.Join(err, keepRunning()); err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	name := databaseName(time.Now())
	// template0 can have no connections, which would make the copy fail.
	if err := execAdmin(server, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatalf("create test database: %v", err)
	}
	t.Cleanup(func() {
		if err := execAdmin(server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	u := *server
	u.Path = "/" + name
	return u.String()
}

// keepRunning tells our own server that it is still wanted. It is set by
// postgresServer, before anybody calls it.
var keepRunning = func() error { return nil }

// postgresServer finds or starts the server, once in a process.
var postgresServer = sync.OnceValues(func() (*url.URL, error) {
	server, err := func() (*url.URL, error) {
		if given := os.Getenv("HEED_TEST_POSTGRES"); given != "" {
			return url.Parse(given)
		}
		c, err := findCluster()
		if err != nil {
			return nil, err
		}
		keepRunning = c.use
		return c.url(), c.ensure()
	}()
	if err != nil {
		return nil, err
	}
	return server, dropStale(server, time.Now())
})

const databasePrefix = "heed_test_"

// databaseName carries the hour of its making, so that dropStale can tell what
// a killed test binary has left behind.
func databaseName(now time.Time) string {
	return databasePrefix + strconv.FormatInt(now.Unix()/3600, 10) + "_" + strings.ToLower(rand.Text()[:12])
}

func dropStale(server *url.URL, now time.Time) error {
	return withAdmin(server, func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`, databasePrefix)
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("list test databases: %w", err)
		}
		for _, name := range names {
			hour, _, _ := strings.Cut(strings.TrimPrefix(name, databasePrefix), "_")
			made, err := strconv.ParseInt(hour, 10, 64)
			if err != nil || made >= now.Unix()/3600-2 {
				continue
			}
			// Another binary may be dropping it too: what is gone is gone.
			_, err = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize())
			if err != nil && !strings.Contains(err.Error(), "being accessed") {
				return fmt.Errorf("drop stale test database: %w", err)
			}
		}
		return nil
	})
}

func execAdmin(server *url.URL, statement string) error {
	return withAdmin(server, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func withAdmin(server *url.URL, fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return fn(ctx, conn)
}

// cluster is a PostgreSQL server in a directory of its own that listens on a
// socket there and nowhere else. The directory is open to its user only, which
// is why the server may trust whoever reaches the socket.
type cluster struct {
	bin string
	dir string
	// as is whom the server runs as, when not as ourselves: PostgreSQL refuses
	// to be run by root.
	as *syscall.Credential
}

func findCluster() (*cluster, error) {
	bin, err := findPostgres()
	if err != nil {
		return nil, err
	}
	c := &cluster{bin: bin}
	uid, base := os.Geteuid(), os.TempDir()
	if uid == 0 {
		if c.as, err = unprivileged(); err != nil {
			return nil, err
		}
		base = "/tmp" // root's own may lie where nobody else can go
	}
	// A cluster cannot be started by another version than made it.
	version := strings.NewReplacer("/", "_", ".", "_").Replace(strings.Trim(bin, "/"))
	c.dir = filepath.Join(base, fmt.Sprintf("heed-test-pg-%d", uid), version)
	if len(c.dir) > 85 { // a socket's path has at most about 103 bytes
		c.dir = filepath.Join("/tmp", filepath.Base(filepath.Dir(c.dir)), version)
	}
	return c, nil
}

// findPostgres returns the directory of the server's programs. The
// distribution's own directories come before PATH, which may lead to wrappers.
func findPostgres() (string, error) {
	if dir := os.Getenv("HEED_TEST_PG_BIN"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			return "", fmt.Errorf("HEED_TEST_PG_BIN: %w", err)
		}
		return dir, nil
	}
	var found []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb", "/usr/libexec/postgresql*/initdb",
		"/opt/homebrew/opt/postgresql*/bin/initdb", "/usr/local/opt/postgresql*/bin/initdb",
	} {
		matches, _ := filepath.Glob(pattern)
		found = append(found, matches...)
	}
	if len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errNoPostgres
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	return filepath.Dir(path), nil
}

func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("run by root, and there is neither a user postgres nor nobody to run the server as")
}

func (c *cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *cluster) url() *url.URL {
	return &url.URL{Scheme: "postgres", User: url.User("heed"), Path: "/postgres",
		RawQuery: url.Values{"host": {c.dir}}.Encode()}
}

// ensure makes sure that the server runs, and keeps it running a while. Test
// binaries take turns by a lock the kernel frees when its holder dies.
func (c *cluster) ensure() error {
	if err := c.makeDir(); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(c.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("wait for the lock: %w", err)
	}
	if err := c.use(); err != nil {
		return err
	}
	if c.answers() {
		return nil
	}
	if err := c.start(); err == nil {
		return nil
	}
	if err := errors.Join(c.clear(), c.initialise(), c.start()); err != nil {
		log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
		return fmt.Errorf("%w\n%s", err, log[max(0, len(log)-2000):])
	}
	return nil
}

// clear removes what a crash or another program has left: it is worth nothing.
// The socket goes too, since its lock names a process that may look alive for
// as long as nobody has waited for it. A server that still runs unheard sees
// its directory gone and stops.
func (c *cluster) clear() error {
	err := os.RemoveAll(c.data())
	sockets, _ := filepath.Glob(filepath.Join(c.dir, ".s.PGSQL.*"))
	for _, path := range sockets {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func (c *cluster) makeDir() error {
	owner := os.Geteuid()
	if c.as != nil {
		owner = int(c.as.Uid)
	}
	for _, dir := range []string{filepath.Dir(c.dir), c.dir} {
		if err := os.Mkdir(dir, 0o700); err == nil && c.as != nil {
			if err := os.Chown(dir, owner, int(c.as.Gid)); err != nil {
				return err
			}
		} else if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		// In a directory that all may write to, somebody else may have been first.
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || !info.IsDir() || info.Mode().Perm() != 0o700 || int(stat.Uid) != owner && int(stat.Uid) != os.Geteuid() {
			return fmt.Errorf("%s is not a directory of ours alone", dir)
		}
	}
	return nil
}

// use touches the file whose age is how long the server has been idle.
func (c *cluster) use() error {
	path, now := filepath.Join(c.dir, "used"), time.Now()
	if err := os.Chtimes(path, now, now); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

func (c *cluster) answers() bool {
	return withAdmin(c.url(), func(ctx context.Context, conn *pgx.Conn) error { return conn.Ping(ctx) }) == nil
}

func (c *cluster) initialise() error {
	// The test databases sort and fold letters as an ordinary installation does;
	// a plain C locale would not know É for é.
	args := []string{"-D", c.data(), "-U", "heed", "-A", "trust", "-E", "UTF8", "--no-sync"}
	if err := c.run("initdb", append(args, "--locale=C.UTF-8")...); err != nil {
		if err := errors.Join(os.RemoveAll(c.data()), c.run("initdb", append(args, "--locale=C")...)); err != nil {
			return err
		}
	}
	conf, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(conf, `
listen_addresses = ''
unix_socket_directories = '%s'
max_connections = 300
shared_buffers = 128MB
autovacuum = off
# Nothing here needs to outlive a crash.
fsync = off
synchronous_commit = off
full_page_writes = off
max_wal_size = 1GB
`, strings.ReplaceAll(c.dir, "'", "''"))
	return errors.Join(err, conf.Close())
}

// idleWatch stops the server when the file "used" has grown old, and ends when
// another process has taken the server's place. It is a process apart because the server outlives every
// test binary, and a killed one can do nothing any more.
const idleWatch = `
pid=$(head -n 1 "$2/data/postmaster.pid")
while sleep 30; do
	[ "$(head -n 1 "$2/data/postmaster.pid")" = "$pid" ] || exit 0
	[ -n "$(find "$2/used" -mmin -15)" ] || exec "$1/pg_ctl" stop -m fast -D "$2/data"
done`

func (c *cluster) start() error {
	if _, err := os.Stat(filepath.Join(c.data(), "PG_VERSION")); err != nil {
		return err
	}
	err := c.run("pg_ctl", "start", "-w", "-t", "60", "-D", c.data(), "-l", filepath.Join(c.dir, "log"))
	if err != nil {
		return err
	}
	return c.command("/bin/sh", "-c", idleWatch, "sh", c.bin, c.dir).Start()
}

// run runs one of the server's programs to its end. Its output goes to a file
// and not a pipe, which the server would inherit and keep open.
func (c *cluster) run(program string, args ...string) error {
	out, err := os.CreateTemp("", "heed-test-pg-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd := c.command(filepath.Join(c.bin, program), args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w\n%s", program, err, said)
	}
	return nil
}

func (c *cluster) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = c.dir // the server's user may not be allowed into ours
	cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+c.dir)
	// A session of its own, so that an interrupt at the terminal spares it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.as}
	return cmd
}
