package app

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"heed/internal/auth/passkey"
	"heed/internal/feedback"
	"heed/internal/letter"
	"heed/internal/store"
)

// Ceremony is a question to a passkey: what the browser is asked, and what it must
// send back with the answer, which nobody but us can read or make.
type Ceremony struct{ Options, State string }

// ceremonyLife is how long a page with a question may lie about. Each question is
// answered once.
const ceremonyLife = time.Hour

// The uses of a question. An answer to one is no answer to another.
const (
	passkeySignIn   = "sign in"
	passkeyRegister = "register"
	passkeyProof    = "prove"
)

// ceremony is what the State of a Ceremony holds.
type ceremony struct {
	Use    string
	Member feedback.MemberID `json:",omitzero"` // zero where it is not known yet
	Until  time.Time
	State  []byte
}

// Passkeys reports whether browsers offer passkeys where the service is reached.
func (a *App) Passkeys() bool { return a.party.Load() != nil }

func (a *App) ask(use string, member feedback.MemberID, now time.Time, q *passkey.Question, err error) (*Ceremony, error) {
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(ceremony{use, member, now.Add(ceremonyLife), q.State})
	if err != nil {
		return nil, err
	}
	sealed := a.cfg.Master.Sealer("passkey questions").Seal(b, nil)
	return &Ceremony{string(q.Options), base64.RawURLEncoding.EncodeToString(sealed)}, nil
}

// errPasskey is the error for an answer that proves nothing.
func errPasskey() error {
	return &feedback.Error{
		Code: feedback.Unauthenticated, Msg: "The passkey was not accepted.",
		Hint: "Try again. If it stays, sign in with your password and add the passkey anew.",
	}
}

// answered returns what a question was about, and takes it: it is answered once.
func (a *App) answered(ctx context.Context, s *store.Tx, use string, member feedback.MemberID, state string) (*passkey.Party, []byte, error) {
	party := a.party.Load()
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil || party == nil {
		return nil, nil, errPasskey()
	}
	b, err := a.cfg.Master.Sealer("passkey questions").Open(sealed, nil)
	if err != nil {
		return nil, nil, errPasskey()
	}
	var c ceremony
	if json.Unmarshal(b, &c) != nil || c.Use != use || c.Member != member || !s.Now.Before(c.Until) {
		return nil, nil, errPasskey()
	}
	sum := sha256.Sum256(b)
	fresh, err := s.SpendChallenge(ctx, sum[:], c.Until)
	if err == nil && !fresh {
		err = errPasskey()
	}
	return party, c.State, err
}

// handle is what devices know a member by.
func handle(id feedback.MemberID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func (a *App) sealPasskey(member feedback.MemberID, record []byte) []byte {
	return a.cfg.Master.Sealer("passkeys").Seal(record, []byte(member.String()))
}

func (a *App) openPasskey(p *store.PasskeyRecord) ([]byte, error) {
	record, err := a.cfg.Master.Sealer("passkeys").Open(p.Record, []byte(p.MemberID.String()))
	if err != nil {
		return nil, fmt.Errorf("passkey %s: %w", p.ID, err)
	}
	return record, nil
}

// Passkeys lists the passkeys of the actor.
func (tx *Tx) Passkeys(ctx context.Context) ([]feedback.Passkey, error) {
	all, err := tx.s.Passkeys(ctx, tx.actor.Member, feedback.MaxPasskeys)
	keys := make([]feedback.Passkey, len(all))
	for i := range all {
		keys[i] = all[i].Passkey
	}
	return keys, err
}

// holder is the actor with the passkeys they have.
func (tx *Tx) holder(ctx context.Context, email string) (h passkey.Holder, err error) {
	all, err := tx.s.Passkeys(ctx, tx.actor.Member, feedback.MaxPasskeys)
	if err != nil {
		return h, err
	}
	if len(all) >= feedback.MaxPasskeys {
		return h, &feedback.Error{
			Code: feedback.LimitReached, Msg: fmt.Sprintf("You have %d passkeys, as many as you can have.", feedback.MaxPasskeys),
			Hint: "Remove one that you do not use any more.",
		}
	}
	h = passkey.Holder{Handle: handle(tx.actor.Member), Name: email, Display: tx.actor.Name}
	for i := range all {
		record, err := tx.app.openPasskey(&all[i])
		if err != nil {
			return h, err
		}
		h.Records = append(h.Records, record)
	}
	return h, nil
}

// NewPasskey asks the browser of the actor, who signs in with an address, for a
// new passkey.
func (tx *Tx) NewPasskey(ctx context.Context, email string) (*Ceremony, error) {
	party := tx.app.party.Load()
	if party == nil {
		return nil, &feedback.Error{
			Code: feedback.InvalidTransition, Msg: "Browsers offer no passkeys at " + tx.app.BaseURL() + ".",
			Hint: "They need a host name and https, or localhost: HEED_BASE_URL says where the service is reached.",
		}
	}
	h, err := tx.holder(ctx, email)
	if err != nil {
		return nil, err
	}
	q, err := party.Register(h)
	return tx.app.ask(passkeyRegister, tx.actor.Member, tx.s.Now, q, err)
}

// AddPasskey adds the passkey that the actor's browser has made.
func (tx *Tx) AddPasskey(ctx context.Context, email string, in feedback.NewPasskey, state, answer string) (*feedback.Passkey, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	party, asked, err := tx.app.answered(ctx, tx.s, passkeyRegister, tx.actor.Member, state)
	if err != nil {
		return nil, err
	}
	h, err := tx.holder(ctx, email)
	if err != nil {
		return nil, err
	}
	id, record, err := party.Registered(h, asked, []byte(answer))
	if err != nil {
		return nil, tx.app.badAnswer(err)
	}
	p := &store.PasskeyRecord{
		Passkey: feedback.Passkey{
			ID: feedback.PasskeyID(tx.s.NextID()), MemberID: tx.actor.Member, Name: string(in.Name), CreatedAt: tx.s.Now,
		},
		Credential: id, Record: tx.app.sealPasskey(tx.actor.Member, record),
	}
	free, err := tx.s.InsertPasskey(ctx, p)
	if err == nil && !free {
		err = errPasskey()
	}
	if err != nil {
		return nil, err
	}
	return &p.Passkey, tx.warn(ctx, tx.actor.Member, letter.PasskeyAdded, p.Name, "")
}

// badAnswer says nothing of what is wrong with an answer but to the log.
func (a *App) badAnswer(err error) error {
	if !errors.Is(err, passkey.ErrAnswer) {
		return err
	}
	a.cfg.Log.Info("passkey refused", "err", err)
	return errPasskey()
}

// RemovePasskey takes a passkey from the actor.
func (tx *Tx) RemovePasskey(ctx context.Context, id string) error {
	_, err := find("", "passkey", id, func(id feedback.PasskeyID) (*feedback.Passkey, error) {
		name, found, err := tx.s.DeletePasskey(ctx, tx.actor.Member, id)
		if err != nil || !found {
			return nil, err
		}
		tx.keepName(name)
		return &feedback.Passkey{ID: id, Name: name}, nil
	})
	if err != nil {
		return err
	}
	return tx.warn(ctx, tx.actor.Member, letter.PasskeyRemoved, tx.called, "")
}

// AskPasskey asks a browser for any passkey of anybody here. It returns nil where
// browsers offer none.
func (a *App) AskPasskey() (*Ceremony, error) {
	party := a.party.Load()
	if party == nil {
		return nil, nil
	}
	q, err := party.Ask()
	return a.ask(passkeySignIn, 0, a.db.Now(), q, err)
}

// AskProof asks the browser of somebody who is signed in for one of their
// passkeys. It returns nil where they have none.
func (a *App) AskProof(ctx context.Context, who *SignedIn) (*Ceremony, error) {
	party := a.party.Load()
	if party == nil {
		return nil, nil
	}
	var has bool
	err := a.db.Read(ctx, func(s *store.Tx) error {
		all, err := s.Passkeys(ctx, who.Member.ID, 1)
		has = len(all) > 0
		return err
	})
	if err != nil || !has {
		return nil, err
	}
	q, err := party.Ask()
	return a.ask(passkeyProof, who.Member.ID, a.db.Now(), q, err)
}

// usePasskey checks an answer and returns whose passkey gave it.
func (a *App) usePasskey(ctx context.Context, s *store.Tx, party *passkey.Party, asked []byte, answer string) (feedback.MemberID, error) {
	credential, err := passkey.Key([]byte(answer))
	if err != nil {
		return 0, a.badAnswer(err)
	}
	p, err := s.PasskeyByCredential(ctx, credential)
	if err != nil {
		return 0, err
	}
	if p == nil {
		return 0, errPasskey() // removed here, and not yet from the device
	}
	record, err := a.openPasskey(p)
	if err != nil {
		return 0, err
	}
	record, err = party.Answered(handle(p.MemberID), record, asked, []byte(answer))
	if err != nil {
		return 0, a.badAnswer(err)
	}
	return p.MemberID, s.UsePasskey(ctx, p.ID, a.sealPasskey(p.MemberID, record))
}

// EnterByPasskey opens a session for whoever has answered with a passkey. It
// proves a device and its holder, so it needs neither password nor code.
func (a *App) EnterByPasskey(ctx context.Context, state, answer string, c Client) (token string, member *feedback.Member, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		party, asked, err := a.answered(ctx, s, passkeySignIn, 0, state)
		if err != nil {
			return err
		}
		id, err := a.usePasskey(ctx, s, party, asked, answer)
		if err != nil {
			return err
		}
		if member, err = s.MemberByID(ctx, id); err != nil {
			return err
		}
		if member == nil {
			return errPasskey()
		}
		token, _, err = a.openSession(ctx, s, id, c)
		return err
	})
	return token, member, err
}

// ProveByPasskey is [App.Prove] with a passkey of the member who is signed in.
func (a *App) ProveByPasskey(ctx context.Context, who *SignedIn, state, answer string) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		party, asked, err := a.answered(ctx, s, passkeyProof, who.Member.ID, state)
		if err != nil {
			return err
		}
		id, err := a.usePasskey(ctx, s, party, asked, answer)
		if err != nil {
			return err
		}
		if id != who.Member.ID {
			return errPasskey()
		}
		who.Session.ProvenAt = s.Now
		return s.ProveSession(ctx, who.Session.ID)
	})
}
