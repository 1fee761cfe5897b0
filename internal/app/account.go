package app

import (
	"context"
	"strings"

	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/store"
)

// maxNumbered bounds the search for a free slug.
const maxNumbered = 10_000

// Opened is a new account with its first site and key.
type Opened struct {
	Account feedback.Account
	Member  feedback.Member
	Site    feedback.Site
	Key     feedback.Key
	Secret  string // of the key; shown once
}

// OpenAccount makes an account with its owner, a site and a key that holds all
// scopes. It is for the operator: nobody asks who calls.
func (a *App) OpenAccount(ctx context.Context, in feedback.NewAccount) (o *Opened, err error) {
	hash, err := a.checkAccount(&in)
	if err != nil {
		return nil, err
	}
	err = a.db.Write(ctx, func(s *store.Tx) (err error) {
		o, err = a.openAccount(ctx, s, in, hash)
		return err
	})
	return o, err
}

func (a *App) openAccount(ctx context.Context, s *store.Tx, in feedback.NewAccount, hash string) (*Opened, error) {
	o := &Opened{Account: feedback.Account{
		ID: feedback.AccountID(s.NextID()), Name: string(in.Name), Plan: in.Plan, CreatedAt: s.Now,
	}}
	if err := s.InsertAccount(ctx, &o.Account); err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(in.Email, "@")
	o.Member = feedback.Member{
		ID: feedback.MemberID(s.NextID()), AccountID: o.Account.ID, Email: in.Email, Name: name,
		Role: feedback.Owner, CreatedAt: s.Now,
	}
	if _, err := s.InsertMember(ctx, &o.Member, hash); err != nil {
		return nil, err
	}
	tx := &Tx{s: s, app: a, actor: &Actor{Account: &o.Account, Member: o.Member.ID}}
	site, err := tx.createSite(ctx, feedback.NewSite{Name: in.Site})
	if err != nil {
		return nil, err
	}
	o.Site = *site
	key, secret, err := tx.createKey(ctx, feedback.NewKey{
		Name: "First key", Scopes: feedback.AllScopes(), CreatedBy: o.Member.ID,
	})
	if err != nil {
		return nil, err
	}
	o.Key, o.Secret = *key, secret
	return o, nil
}

// Accounts lists all accounts by creation. It is for the operator.
func (a *App) Accounts(ctx context.Context) (all []feedback.Account, err error) {
	err = a.db.Read(ctx, func(s *store.Tx) error {
		for after := feedback.AccountID(0); ; {
			page, err := s.Accounts(ctx, after, 1000)
			if err != nil || len(page) == 0 {
				return err
			}
			all = append(all, page...)
			after = page[len(page)-1].ID
		}
	})
	return all, err
}

// SetPlan moves an account to a plan. It is for the operator.
func (a *App) SetPlan(ctx context.Context, account string, p feedback.Plan) error {
	if !p.Valid() {
		var problems feedback.Problems
		problems.Add("plan", feedback.RuleEnum, "must be one of "+strings.Join(p.Values(), ", "))
		return problems.Err()
	}
	return a.asOperator(ctx, account, func(tx *Tx) error {
		_, err := tx.s.SetPlan(ctx, tx.actor.Account.ID, p)
		return err
	})
}

// CreateSite opens a site for an account, with its first boards and statuses,
// if the plan allows one more. It is for the operator.
func (a *App) CreateSite(ctx context.Context, account string, in feedback.NewSite) (site *feedback.Site, err error) {
	err = a.asOperator(ctx, account, func(tx *Tx) error {
		site, err = tx.createSite(ctx, in)
		return err
	})
	return site, err
}

// CreateKey makes an API key for an account, for all its sites or the one named,
// and returns its secret, which is not kept. It is for the operator.
func (a *App) CreateKey(ctx context.Context, account, site string, in feedback.NewKey) (key *feedback.Key, secret string, err error) {
	err = a.asOperator(ctx, account, func(tx *Tx) error {
		if site != "" {
			pinned, err := tx.siteNamed(ctx, site, "site")
			if err != nil {
				return err
			}
			in.Site = pinned.ID
		}
		key, secret, err = tx.createKey(ctx, in)
		return err
	})
	return key, secret, err
}

// RevokeKey ends a key from the next request on. It is for the operator.
func (a *App) RevokeKey(ctx context.Context, key string) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		var id feedback.KeyID
		if id.UnmarshalText([]byte(key)) != nil {
			return feedback.Missing("key", key)
		}
		found, err := s.RevokeKey(ctx, id)
		if err == nil && !found {
			return feedback.Missing("key", key)
		}
		return err
	})
}

// asOperator runs fn in a transaction for the account, as nobody in particular.
func (a *App) asOperator(ctx context.Context, account string, fn func(*Tx) error) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		acct, err := find("", "account", account, func(id feedback.AccountID) (*feedback.Account, error) {
			return s.Account(ctx, id)
		})
		if err != nil {
			return err
		}
		return fn(&Tx{s: s, app: a, actor: &Actor{Account: acct}})
	})
}

func (tx *Tx) createSite(ctx context.Context, in feedback.NewSite) (*feedback.Site, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	account := tx.actor.Account
	if err := tx.s.LockAccount(ctx, account.ID); err != nil {
		return nil, err
	}
	used, err := tx.s.SiteCount(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	if err := tx.app.cfg.PlanLimits.Allow(account.Plan, feedback.Sites, used); err != nil {
		return nil, err
	}
	site := &feedback.Site{
		ID: feedback.SiteID(tx.s.NextID()), AccountID: account.ID, Name: string(in.Name), CreatedAt: tx.s.Now,
	}
	err = numbered(feedback.Slugify(site.Name, "site"), func(slug feedback.Slug) (bool, error) {
		site.Slug = string(slug)
		return tx.s.InsertSite(ctx, site)
	})
	if err != nil {
		return nil, err
	}
	inside := *tx
	inside.site = site
	for _, name := range feedback.DefaultBoards() {
		if _, err := inside.CreateBoard(ctx, feedback.NewBoard{Name: name}); err != nil {
			return nil, err
		}
	}
	for _, st := range feedback.DefaultStatuses() {
		st.SiteID, st.ID = site.ID, feedback.StatusID(tx.s.NextID())
		if _, err := tx.s.InsertStatus(ctx, &st); err != nil {
			return nil, err
		}
	}
	return site, nil
}

// numbered tries slug, slug-2, slug-3 and so on until one is free.
func numbered(slug feedback.Slug, insert func(feedback.Slug) (bool, error)) error {
	for n := 1; n <= maxNumbered; n++ {
		if free, err := insert(slug.Numbered(n)); free || err != nil {
			return err
		}
	}
	return feedback.ErrSlugTaken(slug)
}

func (tx *Tx) createKey(ctx context.Context, in feedback.NewKey) (*feedback.Key, string, error) {
	if err := in.Check(); err != nil {
		return nil, "", err
	}
	secret := auth.NewKey()
	k := &feedback.Key{
		ID: feedback.KeyID(tx.s.NextID()), AccountID: tx.actor.Account.ID, SiteID: in.Site, Name: string(in.Name),
		Scopes: in.Scopes, CreatedBy: in.CreatedBy, CreatedAt: tx.s.Now, ExpiresAt: in.ExpiresAt,
	}
	k.Start, k.Last4 = auth.Preview(secret)
	return k, secret, tx.s.InsertKey(ctx, k, auth.HashKey(secret))
}

// Authenticate returns the actor behind the secret of an API key, or an
// UNAUTHENTICATED error. It asks the database every time: a revocation, a change
// of plan or of scopes holds from the next request on every node. site is the
// site the request will be about, as the caller spelled it, if that is known: it
// is looked up on the way, and seen to be the actor's when the operation begins.
func (a *App) Authenticate(ctx context.Context, secret, site string) (*Actor, error) {
	if !auth.WellFormed(secret) {
		return nil, ErrUnauthenticated("malformed")
	}
	var actor *Actor
	err := a.db.Read(ctx, func(s *store.Tx) error {
		var id feedback.SiteID
		_ = id.UnmarshalText([]byte(site)) // another spelling names no site
		k, acct, found, err := s.KeyByHash(ctx, auth.HashKey(secret), id)
		if err != nil {
			return err
		}
		if k == nil || !k.Live(s.Now) {
			return ErrUnauthenticated("invalid")
		}
		a.touch.used(k, s.Now)
		actor = &Actor{Source: feedback.FromAPI, Account: acct, Key: k, site: found}
		return nil
	})
	return actor, err
}

// ErrUnauthenticated is the error for a request without a usable key. reason is
// missing, malformed or invalid: whether a key never was, has ended or was
// revoked is not told.
func ErrUnauthenticated(reason string) error {
	msg, hint := "The API key is not valid.", "Use a live key; keys are made and revoked in the dashboard."
	switch reason {
	case "missing":
		msg, hint = "The request carries no API key.", "Send the header Authorization: Bearer <API_KEY>."
	case "malformed":
		msg, hint = "The Authorization header does not hold an API key.", "Send the whole key as it was shown: Authorization: Bearer heed_..."
	}
	return &feedback.Error{Code: feedback.Unauthenticated, Msg: msg, Hint: hint, Details: map[string]any{"reason": reason}}
}

// PurgeResponses forgets answers to writes that are older than they are kept
// for, a batch at a time, and returns how many.
func (a *App) PurgeResponses(ctx context.Context) (total int64, err error) {
	const batch = 1000
	for {
		var n int64
		err := a.db.Write(ctx, func(s *store.Tx) (err error) {
			n, err = s.PurgeResponses(ctx, s.Now.Add(-rememberFor), batch)
			return err
		})
		total += n
		if err != nil || n < batch {
			return total, err
		}
	}
}
