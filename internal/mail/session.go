package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// session is one connection, greeted, encrypted and authenticated.
//
// The library would also send, but it reports a failure as text. Speaking the
// few commands ourselves keeps the server's reply, and above all the moment:
// whether the message was already handed over when the connection broke.
type session struct {
	client  *smtp.Client
	conn    net.Conn
	timeout time.Duration
	unhook  func() bool
	log     *transcript
}

func (s *Sender) open(ctx context.Context, log *transcript) (*session, *Error) {
	srv := s.cfg.Server
	out := &session{timeout: s.cfg.Timeout, log: log}
	tlsConfig := &tls.Config{ServerName: srv.Host, RootCAs: s.cfg.Roots, MinVersion: tls.VersionTLS12, VerifyConnection: log.tls}
	dial := func(dialing context.Context, network, addr string) (net.Conn, error) {
		dialing, cancel := context.WithTimeout(dialing, s.cfg.ConnectTimeout)
		defer cancel()
		conn, err := (&net.Dialer{}).DialContext(dialing, network, addr)
		if err != nil {
			return nil, err
		}
		log.note("connected to %s", conn.RemoteAddr())
		// Kept from the start: the library forgets a connection on which the
		// greeting fails, and would leave it open.
		out.conn = conn
		// The library does not look at the context again; closing the
		// connection ends whatever is being waited for.
		out.unhook = context.AfterFunc(ctx, func() { conn.Close() })
		if srv.Security != Implicit {
			return log.greeting(conn), nil
		}
		// Over implicit TLS the greeting goes unlogged: the library knows an
		// encrypted connection by its type, which a wrapper would hide.
		tc := tls.Client(conn, tlsConfig)
		return tc, tc.HandshakeContext(dialing)
	}
	client, err := gomail.NewClient(srv.Host, s.options(dial, tlsConfig, log)...)
	if err != nil {
		return nil, &Error{Kind: Misconfigured, Stage: StageConnect, Err: err}
	}
	log.watch(client)
	out.client, err = client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		if out.conn != nil {
			out.unhook()
			out.conn.Close()
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fault(StageConnect, err)
	}
	return out, nil
}

func (s *Sender) options(dial gomail.DialContextFunc, tlsConfig *tls.Config, log *transcript) []gomail.Option {
	srv := s.cfg.Server
	opts := []gomail.Option{
		gomail.WithPort(srv.Port),
		gomail.WithHELO(srv.Helo),
		gomail.WithTimeout(s.cfg.Timeout),
		gomail.WithDialContextFunc(dial),
		gomail.WithTLSConfig(tlsConfig),
	}
	switch srv.Security {
	case Implicit:
		opts = append(opts, gomail.WithSSL())
	case IfOffered:
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	case Plain:
		opts = append(opts, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if srv.User != "" {
		opts = append(opts,
			gomail.WithUsername(srv.User), gomail.WithPassword(srv.Password.Reveal()),
			// Named one by one and not left to discovery, which does not see
			// that a connection from a dialer of ours is encrypted. PLAIN and
			// LOGIN refuse to run without TLS except on this machine.
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5))
	}
	if log != nil {
		opts = append(opts, gomail.WithDebugLog(), gomail.WithLogger(log))
	}
	return opts
}

// errNoUTF8 is a fault of the pair of server and address.
var errNoUTF8 = errors.New("the address is not ASCII and the server does not offer SMTPUTF8")

func (ss *session) send(m Message, msg *gomail.Msg) *Error {
	if err := ss.client.UpdateDeadline(ss.timeout); err != nil {
		return fault(StageSender, err)
	}
	// Asked for only where needed: a server that may not drop SMTPUTF8 on the
	// way bounces the message at the first one that does not know it.
	wide := !isASCII(m.From.Address + m.To.Address)
	if ok, _ := ss.client.Extension("SMTPUTF8"); wide && !ok {
		return &Error{Kind: Permanent, Stage: StageRecipient, Code: 553, Err: errNoUTF8}
	}
	ss.client.SkipSMTPUTF8(!wide)
	if err := ss.client.Mail(path(m.From)); err != nil {
		return ss.reset(fault(StageSender, err))
	}
	if err := ss.client.Rcpt(path(m.To)); err != nil {
		return ss.reset(fault(StageRecipient, err))
	}
	w, err := ss.client.Data()
	if err != nil {
		return ss.reset(fault(StageData, err))
	}
	n, err := msg.WriteTo(w)
	if err != nil {
		// Without the final dot the server has nothing; hang up, do not close
		// the writer, which would send the dot.
		e := fault(StageData, err)
		e.Code = 0
		return e
	}
	ss.log.note("message of %d bytes", n)
	if err := w.Close(); err != nil {
		e := fault(StageData, err)
		e.MaybeSent = e.Code == 0
		ss.log.reply(e)
		return e
	}
	if dc, ok := w.(*smtp.DataCloser); ok {
		ss.log.server("250 " + dc.ServerResponse())
	}
	return nil
}

// reset ends a transaction the server refused in the middle, so that the next
// message starts clean. If that fails too, the connection is of no more use.
func (ss *session) reset(e *Error) *Error {
	if e.Code != 0 && e.Code != 421 && ss.client.Reset() != nil {
		ss.conn.Close()
	}
	return e
}

// close takes leave. The messages are in the server's hands by now, so what
// it answers changes nothing.
func (ss *session) close() {
	if ss == nil {
		return
	}
	ss.unhook()
	ss.conn.SetDeadline(time.Now().Add(5 * time.Second))
	ss.client.Quit()
	ss.conn.Close()
}

func path(a mail.Address) string { return (&mail.Address{Address: a.Address}).String() }

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
