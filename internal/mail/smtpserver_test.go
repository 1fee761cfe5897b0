package mail

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// smtpServer is a small SMTP server on a real port. Its fields say how it
// behaves; the zero value accepts everything without TLS or authentication.
type smtpServer struct {
	cert     *tls.Certificate
	implicit bool   // TLS from the first byte
	startTLS bool   // offers STARTTLS
	auth     string // mechanisms offered, such as "PLAIN LOGIN"
	user     string
	pass     string
	utf8     bool
	greeting string // instead of 220

	// answer may replace the reply to a command, whose first word is its verb
	// (and "." for the end of the message). "" keeps the usual reply, "drop"
	// closes the connection without one.
	answer func(verb, line string) string

	mu       sync.Mutex
	accepted []accepted
	lines    []string // all that clients said
	conns    int
}

type accepted struct {
	from, to string
	data     string
	tls      bool
	user     string
}

// start serves until the test ends and returns the port.
func (s *smtpServer) start(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var open sync.Map
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Store(c, nil)
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				s.serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		open.Range(func(c, _ any) bool {
			c.(net.Conn).Close()
			return true
		})
		wg.Wait()
	})
	return l.Addr().(*net.TCPAddr).Port
}

func (s *smtpServer) messages() []accepted {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]accepted(nil), s.accepted...)
}

// said is all that clients said, line by line, and on how many connections.
func (s *smtpServer) said() (lines string, conns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n"), s.conns
}

// talk is one connection's state.
type talk struct {
	s    *smtpServer
	conn net.Conn
	r    *bufio.Reader
	tls  bool
	user string
	from string
	to   string
}

func (s *smtpServer) serve(c net.Conn) {
	k := &talk{s: s, conn: c, r: bufio.NewReader(c)}
	if s.implicit && !k.upgrade() {
		return
	}
	if s.greeting != "" {
		k.say(s.greeting)
	} else {
		k.say("220 mail.test ESMTP ready")
	}
	for {
		line, err := k.r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.mu.Lock()
		s.lines = append(s.lines, line)
		s.mu.Unlock()
		verb, rest, _ := strings.Cut(line, " ")
		if !k.command(strings.ToUpper(verb), rest, line) {
			return
		}
	}
}

func (k *talk) say(reply string) { io.WriteString(k.conn, reply+"\r\n") }

func (k *talk) upgrade() bool {
	tc := tls.Server(k.conn, &tls.Config{Certificates: []tls.Certificate{*k.s.cert}})
	if tc.Handshake() != nil {
		io.Copy(io.Discard, k.conn)
		return false
	}
	k.conn, k.r, k.tls = tc, bufio.NewReader(tc), true
	return true
}

// override reports whether the test's own answer was given, and whether the
// connection goes on.
func (k *talk) override(verb, line string) (given, goOn bool) {
	if k.s.answer == nil {
		return false, true
	}
	switch reply := k.s.answer(verb, line); reply {
	case "":
		return false, true
	case "drop":
		return true, false
	default:
		k.say(reply)
		return true, !strings.HasPrefix(reply, "421")
	}
}

func (k *talk) command(verb, rest, line string) bool {
	if given, goOn := k.override(verb, line); given || !goOn {
		return goOn
	}
	switch verb {
	case "EHLO":
		k.hello()
	case "STARTTLS":
		k.say("220 go ahead")
		return k.upgrade()
	case "AUTH":
		return k.authenticate(rest)
	case "MAIL":
		if k.s.auth != "" && k.user == "" {
			k.say("530 5.7.0 authentication required")
			return true
		}
		k.from = between(rest)
		k.say("250 2.1.0 ok")
	case "RCPT":
		k.to = between(rest)
		k.say("250 2.1.5 ok")
	case "DATA":
		k.say("354 end with a dot")
		return k.data()
	case "RSET", "NOOP":
		k.from, k.to = "", ""
		k.say("250 ok")
	case "QUIT":
		k.say("221 bye")
		return false
	default:
		k.say("502 5.5.1 unknown")
	}
	return true
}

func (k *talk) hello() {
	ext := []string{"mail.test greets you", "8BITMIME", "ENHANCEDSTATUSCODES"}
	if k.s.startTLS && !k.tls {
		ext = append(ext, "STARTTLS")
	}
	if k.s.auth != "" {
		ext = append(ext, "AUTH "+k.s.auth)
	}
	if k.s.utf8 {
		ext = append(ext, "SMTPUTF8")
	}
	for i, e := range ext {
		sep := "-"
		if i == len(ext)-1 {
			sep = " "
		}
		k.say("250" + sep + e)
	}
}

func (k *talk) authenticate(rest string) bool {
	mech, initial, _ := strings.Cut(rest, " ")
	var user, pass string
	switch mech {
	case "PLAIN":
		b, _ := base64.StdEncoding.DecodeString(initial)
		if parts := strings.Split(string(b), "\x00"); len(parts) == 3 {
			user, pass = parts[1], parts[2]
		}
	case "LOGIN":
		for _, p := range []struct {
			prompt string
			into   *string
		}{{"Username:", &user}, {"Password:", &pass}} {
			k.say("334 " + base64.StdEncoding.EncodeToString([]byte(p.prompt)))
			line, err := k.r.ReadString('\n')
			if err != nil {
				return false
			}
			b, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
			*p.into = string(b)
		}
	}
	if user != k.s.user || pass != k.s.pass {
		// Some servers repeat what they were given.
		k.say("535 5.7.8 credentials refused: " + initial + " " + pass)
		return true
	}
	k.user = user
	k.say("235 2.7.0 welcome")
	return true
}

func (k *talk) data() bool {
	var b strings.Builder
	for {
		line, err := k.r.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
	given, goOn := k.override(".", k.to)
	if given && !goOn || !given {
		// Dropping the connection here is the case SMTP leaves open: the
		// server has the message.
		k.s.mu.Lock()
		k.s.accepted = append(k.s.accepted, accepted{k.from, k.to, b.String(), k.tls, k.user})
		k.s.mu.Unlock()
	}
	if !given {
		k.say("250 2.0.0 queued as 4711")
	}
	return goOn
}

func between(s string) string {
	_, s, _ = strings.Cut(s, "<")
	s, _, _ = strings.Cut(s, ">")
	return s
}

// certificate makes a self-signed one for 127.0.0.1 and the pool that trusts it.
func certificate(t testing.TB) (*tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func smtpURL(scheme, userinfo string, port int, query string) string {
	if userinfo != "" {
		userinfo += "@"
	}
	return fmt.Sprintf("%s://%s127.0.0.1:%d%s", scheme, userinfo, port, query)
}
