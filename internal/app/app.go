// Package app holds the verbs of the service: one method of [Tx] for each
// operation. Every face (the API, the dashboard, the portal, the command line)
// and every worker calls these and nothing below them, so a rule is written
// once. The shape of a verb is always the same: find what is spoken of, check
// the input, check the state, change rows, record what follows (events, notices)
// in the same transaction.
//
// Transactions are opened here alone, by [App.Read] and [App.Write]; a face
// hands over a function and gets back bytes to send, or an error, when
// everything is on disk.
package app

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"heed/internal/auth"
	"heed/internal/auth/passkey"
	"heed/internal/auth/signon"
	"heed/internal/feedback"
	"heed/internal/idempotency"
	"heed/internal/store"
)

// Config is what an App needs to know.
type Config struct {
	Master      auth.Master
	AgentKinds  feedback.AgentKinds
	PlanLimits  feedback.PlanLimits
	DefaultPlan feedback.Plan
	Webhooks    Webhooks
	// Lookup returns the addresses of a host name; nil asks the name servers.
	Lookup func(ctx context.Context, host string) ([]string, error)
	Log    *slog.Logger
}

// App performs the operations of the service on one database.
type App struct {
	db      *store.DB
	cfg     Config
	sealer  *auth.Sealer // of kept responses
	secrets *auth.Sealer // of webhook endpoints
	locks   idempotency.Locks
	touch   toucher
	hints   hints
	load    load
	portals portals

	insightsAsked hint
	reworded      rewordedPosts
	meanings      atomic.Pointer[Meanings]
	base          atomic.Pointer[string]
	ai            atomic.Pointer[AI]
	mail          chan struct{} // there may be mail
	mailServer    atomic.Pointer[MailServer]
	tasks         taskBoard
	party         atomic.Pointer[passkey.Party] // nil where browsers offer no passkeys
	signOn        atomic.Pointer[signon.Provider]
}

// New returns an App on db. It runs until Close.
func New(db *store.DB, cfg Config) *App {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Lookup == nil {
		cfg.Lookup = lookup
	}
	cfg.Webhooks.fill()
	a := &App{
		db: db, cfg: cfg,
		sealer: cfg.Master.Sealer("idempotent responses"), secrets: cfg.Master.Sealer("webhook secrets"),
		insightsAsked: newHint(),
		mail:          make(chan struct{}, 1),
	}
	a.hints.fresh, a.hints.signal = map[feedback.EndpointKey]bool{}, make(chan struct{}, 1)
	a.reworded.start()
	a.touch.start(a)
	return a
}

// Close finishes what goes on behind the operations. It leaves the database
// open.
func (a *App) Close() { a.touch.stop() }

// AgentKinds are the names of the agent kinds in force.
func (a *App) AgentKinds() feedback.AgentKinds { return a.cfg.AgentKinds }

// Now is the time by the clock of the database.
func (a *App) Now() time.Time { return a.db.Now() }

// SetBaseURL says how the outside reaches the service, without a slash at the
// end. Links in mails begin with it. It may be called once the address is known.
func (a *App) SetBaseURL(u string) {
	a.base.Store(&u)
	party, err := passkey.New(u, "Heed")
	if err != nil {
		a.cfg.Log.Debug("no passkeys", "err", err)
	}
	a.party.Store(party)
}

// BaseURL is what SetBaseURL said.
func (a *App) BaseURL() string {
	if u := a.base.Load(); u != nil {
		return *u
	}
	return ""
}

// Ready reports whether operations can be served.
func (a *App) Ready(ctx context.Context) error { return a.db.Ping(ctx) }

// Actor is whoever performs an operation.
type Actor struct {
	Source  feedback.Source
	Account *feedback.Account
	Key     *feedback.Key // of the API; nil elsewhere
	Member  feedback.MemberID
	Role    feedback.Role // of the member
	Name    string        // of the member, for the record of who did what
	Address string        // where the request came from, likewise
	Visitor feedback.VisitorID
	// VisitorRef is by what a visitor is found or made when they first write.
	VisitorRef feedback.VisitorRef
	site       *feedback.Site // one of the account's that was looked up before
	portal     *Portal        // of a visitor: what the public sees
}

// name says who the actor is, for the history of what was changed.
func (a *Actor) name() (kind string, id int64) {
	switch {
	case a.Key != nil:
		return "key", int64(a.Key.ID)
	case a.Member != 0:
		return "member", int64(a.Member)
	case a.Visitor != 0:
		return "visitor", int64(a.Visitor)
	}
	return "system", 0
}

// Target says which site an operation is about, as the caller spelled it. The
// zero Target is about none.
type Target struct {
	Site  string
	Run   string // the site of this run
	Field string // the member of the input that names the site, if it is one
	// Entitlement is a feature that the account's plan must have.
	Entitlement feedback.Entitlement
}

// Tx is an operation under way: an open transaction, who asked for it, and the
// one site it may touch. Its methods are the verbs.
type Tx struct {
	s     *store.Tx
	app   *App
	actor *Actor
	site  *feedback.Site
	// called is the name of what the operation is about, if the record is to
	// keep it.
	called string
}

// Now is the one moment of the operation.
func (tx *Tx) Now() time.Time { return tx.s.Now }

// enter finds the site of the target and sees that the actor may work there.
func (tx *Tx) enter(ctx context.Context, t Target) error {
	var site *feedback.Site
	var err error
	switch {
	case t.Run != "":
		site, err = tx.siteOfRun(ctx, t.Run)
	case t.Site != "":
		site, err = tx.siteNamed(ctx, t.Site, t.Field)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	tx.site = site
	if t.Entitlement != "" {
		return tx.actor.Account.Plan.Require(t.Entitlement)
	}
	return nil
}

func (tx *Tx) siteNamed(ctx context.Context, name, field string) (*feedback.Site, error) {
	// A pinned key gets the same answer for every other site, whether it
	// exists or not.
	if tx.actor.Key != nil {
		if err := tx.actor.Key.Reach(name); err != nil {
			return nil, err
		}
	}
	return find(field, "site", name, func(id feedback.SiteID) (*feedback.Site, error) {
		if known := tx.actor.site; known != nil && known.ID == id {
			return known, nil
		}
		return tx.s.Site(ctx, tx.actor.Account.ID, id)
	})
}

func (tx *Tx) siteOfRun(ctx context.Context, run string) (*feedback.Site, error) {
	site, err := find("", "run", run, func(id feedback.RunID) (*feedback.Site, error) {
		return tx.s.RunSite(ctx, tx.actor.Account.ID, id)
	})
	if err != nil || tx.actor.Key == nil {
		return site, err
	}
	return site, tx.actor.Key.Reach(site.ID.String())
}

// Read runs fn on the site of the target, without a transaction.
func (a *App) Read(ctx context.Context, actor *Actor, t Target, fn func(*Tx) error) error {
	defer a.load.enter()()
	return a.db.Read(ctx, func(s *store.Tx) error {
		tx := &Tx{s: s, app: a, actor: actor}
		if err := tx.enter(ctx, t); err != nil {
			return err
		}
		return fn(tx)
	})
}

// toucher writes down when keys were used: behind the request, and at most once
// a minute for each.
type toucher struct {
	mu   sync.Mutex
	last map[feedback.KeyID]time.Time
	keys chan feedback.KeyID
	done chan struct{}
}

const touchEvery = time.Minute

func (t *toucher) start(a *App) {
	t.last = map[feedback.KeyID]time.Time{}
	t.keys = make(chan feedback.KeyID, 256)
	t.done = make(chan struct{})
	go func() {
		defer close(t.done)
		for id := range t.keys {
			err := a.db.Write(context.Background(), func(tx *store.Tx) error {
				return tx.TouchKey(context.Background(), id, tx.Now)
			})
			if err != nil {
				a.cfg.Log.Warn("last use of a key not written down", "key", id, "err", err)
			}
		}
	}()
}

func (t *toucher) stop() {
	close(t.keys)
	<-t.done
}

// used notes that a key was used at now. It never waits: under a storm of keys
// some last uses are written a minute later.
func (t *toucher) used(k *feedback.Key, now time.Time) {
	if now.Sub(k.LastUsed) < touchEvery {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.last[k.ID]) < touchEvery {
		return
	}
	select {
	case t.keys <- k.ID:
		t.last[k.ID] = now
	default:
	}
	if len(t.last) > 10_000 {
		clear(t.last)
	}
}
