package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/log"
)

// Dialogue sends a test message to an address and writes the conversation
// with the server to w as it happens, one line each: "C: " for what we say,
// "S: " for what the server says, "* " for what happens besides. Credentials
// are masked. The error is an *Error, already told in the last line.
func (s *Sender) Dialogue(ctx context.Context, w io.Writer, to mail.Address) error {
	t := &transcript{w: w, secrets: secretsOf(s.cfg.Server)}
	m := Message{
		From: s.cfg.From, To: to,
		Subject:   "Test message",
		Text:      "This message was sent to try the mail settings. They work.\n",
		MessageID: strings.ToLower(rand.Text()) + "@" + s.cfg.Server.Helo,
		Date:      time.Now(), Automatic: true,
	}
	t.note("%s", s.cfg.Server)
	err := s.dialogue(ctx, t, m)
	if err != nil {
		t.note("%s", explain(err))
		return err
	}
	t.note("the server has accepted the message")
	return nil
}

func (s *Sender) dialogue(ctx context.Context, t *transcript, m Message) error {
	msg, err := m.compose()
	if err != nil {
		return &Error{Kind: Permanent, Stage: StageCompose, Err: err}
	}
	open, fail := s.open(ctx, t)
	if fail != nil {
		return fail
	}
	defer open.close()
	if fail := open.send(m, msg); fail != nil {
		return fail
	}
	return nil
}

func explain(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	reason := e.Reply
	if reason == "" && e.Err != nil {
		reason = e.Err.Error()
	}
	return fmt.Sprintf("failed: %s, %s: %s", e.Stage, e.Kind, reason)
}

// transcript writes a dialogue. A nil transcript writes nothing, so that the
// code that sends need not know whether somebody is watching.
type transcript struct {
	mu      sync.Mutex
	w       io.Writer
	secrets []string
}

// secretsOf lists the forms in which a server could echo a password.
func secretsOf(s Server) []string {
	pass := s.Password.Reveal()
	if pass == "" {
		return nil
	}
	enc := base64.StdEncoding.EncodeToString
	return []string{enc([]byte("\x00" + s.User + "\x00" + pass)), enc([]byte(pass)), pass}
}

func (t *transcript) line(mark, text string) {
	for _, s := range t.secrets {
		text = strings.ReplaceAll(text, s, "********")
	}
	// A server's reply is written to a terminal: nothing in it may move the
	// cursor.
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, text)
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.w, "%s %s\n", mark, text)
}

func (t *transcript) note(format string, args ...any) {
	if t != nil {
		t.line("*", fmt.Sprintf(format, args...))
	}
}

// server writes a reply as it stood on the wire: all lines but the last with
// a hyphen after the code.
func (t *transcript) server(reply string) {
	if t == nil {
		return
	}
	code, text, _ := strings.Cut(reply, " ")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		sep := "-"
		if i == len(lines)-1 {
			sep = " "
		}
		t.line("S:", code+sep+l)
	}
}

func (t *transcript) reply(e *Error) {
	if e.Reply != "" {
		t.server(e.Reply)
	}
}

func (t *transcript) tls(cs tls.ConnectionState) error {
	if t != nil {
		t.note("%s, certificate verified", tls.VersionName(cs.Version))
	}
	return nil
}

// greeting makes the first line the server sends part of the transcript; the
// library reads it before it can be asked to log.
func (t *transcript) greeting(c net.Conn) net.Conn {
	if t == nil {
		return c
	}
	return &greetedConn{Conn: c, t: t}
}

type greetedConn struct {
	net.Conn
	t    *transcript
	line []byte
	done bool
}

func (c *greetedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.done {
		c.line = append(c.line, b[:n]...)
		if end := bytes.IndexByte(c.line, '\n'); end >= 0 || len(c.line) > 1000 || err != nil {
			c.done = true
			if text := strings.TrimRight(string(c.line[:max(end, 0)]), "\r"); text != "" {
				c.t.line("S:", text)
			}
		}
	}
	return n, err
}

// watch adds the replies the library's own log leaves out: refusals.
func (t *transcript) watch(c *gomail.Client) {
	if t != nil {
		c.ErrorHandlerRegistry.SetDefaultHandler(refusals{t})
	}
}

type refusals struct{ t *transcript }

func (r refusals) HandleError(_, _ string, _ *textproto.Conn, err error) error {
	var reply *textproto.Error
	if errors.As(err, &reply) {
		r.t.server(fmt.Sprintf("%d %s", reply.Code, reply.Msg))
	}
	return err
}

// Debugf is where the library reports the conversation. It has already
// replaced what belongs to the authentication.
func (t *transcript) Debugf(l log.Log) {
	text := fmt.Sprintf(l.Format, l.Messages...)
	if l.Direction == log.DirServerToClient {
		t.server(text)
		return
	}
	if strings.HasPrefix(text, "<SMTP auth") {
		text = "********"
	}
	t.line("C:", text)
}

// The library logs nothing else that belongs to the conversation.
func (t *transcript) Infof(log.Log)  {}
func (t *transcript) Warnf(log.Log)  {}
func (t *transcript) Errorf(log.Log) {}
