package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"heed/internal/feedback"
	"heed/internal/idempotency"
	"heed/internal/store"
	"heed/internal/wire"
)

// rememberFor is how long the answer to a write is kept under its key.
const rememberFor = 24 * time.Hour

// Once asks that a write be done once however often it is sent. The zero Once
// asks for nothing.
type Once struct {
	Key         string
	Fingerprint idempotency.Fingerprint
}

// Response is an answer, ready to be sent.
type Response struct {
	Status   int
	Body     []byte
	Secret   bool // the body holds something that is shown once
	Replayed bool // the write was done before; this is what it answered then
}

// JSON encodes v as the body of a Response. It is called inside the
// transaction, so that what is kept under an idempotency key is what is sent.
func JSON(status int, v any) (Response, error) {
	b, err := wire.Marshal(v)
	if err != nil {
		return Response{}, fmt.Errorf("encode response: %w", err)
	}
	return Response{Status: status, Body: b}, nil
}

// Write runs fn on the site of the target, in a transaction. With a key in once,
// the response is kept in the same transaction as the write, so a crash leaves
// both or neither; a repeated request gets the kept response, byte for byte, and
// fn does not run. fn may run more than once before it is committed.
func (a *App) Write(ctx context.Context, actor *Actor, t Target, once Once, fn func(*Tx) (Response, error)) (Response, error) {
	defer a.load.enter()()
	if once.Key != "" && a.db.Embedded() {
		unlock, free := a.locks.TryLock(fmt.Sprintf("%d %s", actor.Account.ID, once.Key))
		if !free {
			// The site comes first in the order of checks, also here.
			if err := a.Read(ctx, actor, t, func(*Tx) error { return nil }); err != nil {
				return Response{}, err
			}
			return Response{}, ErrInProgress()
		}
		defer unlock()
	}
	var res Response
	err := a.db.Write(ctx, func(s *store.Tx) (err error) {
		tx := &Tx{s: s, app: a, actor: actor}
		if err := tx.enter(ctx, t); err != nil {
			return err
		}
		if once.Key == "" {
			res, err = fn(tx)
			return err
		}
		res, err = tx.once(ctx, once, fn)
		return err
	})
	return res, err
}

func (tx *Tx) once(ctx context.Context, once Once, fn func(*Tx) (Response, error)) (Response, error) {
	account := tx.actor.Account.ID
	free, err := tx.s.TryLock(ctx, lockKey(account, once.Key))
	if err != nil {
		return Response{}, err
	}
	if !free {
		return Response{}, ErrInProgress()
	}
	kept, err := tx.s.StoredResponse(ctx, account, once.Key, tx.s.Now.Add(-rememberFor))
	if err != nil {
		return Response{}, err
	}
	if kept != nil {
		return tx.replay(once, kept)
	}
	res, err := fn(tx)
	if err != nil {
		return Response{}, err
	}
	body := res.Body
	if res.Secret {
		body = tx.app.sealer.Seal(body, []byte(once.Key))
	}
	return res, tx.s.StoreResponse(ctx, account, once.Key, &store.StoredResponse{
		Operation: once.Fingerprint.Operation[:], Body: once.Fingerprint.Body[:],
		Status: res.Status, Response: body, Sealed: res.Secret,
	})
}

func (tx *Tx) replay(once Once, kept *store.StoredResponse) (Response, error) {
	if !bytes.Equal(kept.Operation, once.Fingerprint.Operation[:]) {
		return Response{}, errReused("operation", "another operation")
	}
	if !bytes.Equal(kept.Body, once.Fingerprint.Body[:]) {
		return Response{}, errReused("body", "another body")
	}
	res := Response{Status: kept.Status, Body: kept.Response, Secret: kept.Sealed, Replayed: true}
	if kept.Sealed {
		var err error
		if res.Body, err = tx.app.sealer.Open(kept.Response, []byte(once.Key)); err != nil {
			return Response{}, fmt.Errorf("open kept response: %w", err)
		}
	}
	return res, nil
}

// lockKey maps a key to the 64 bits that PostgreSQL locks by. Two keys that meet
// there only make one of them be sent again.
func lockKey(account feedback.AccountID, key string) int64 {
	h := sha256.Sum256(fmt.Appendf(nil, "idempotency %d %s", int64(account), key))
	return int64(binary.BigEndian.Uint64(h[:8]))
}

// ErrInProgress is the error for a key under which a request is still at work.
func ErrInProgress() error {
	return &feedback.Error{
		Code:    feedback.IdempotencyBusy,
		Msg:     "A request with this idempotency key is still being processed.",
		Hint:    "Send the same request again in a second.",
		Details: map[string]any{"retryAfterSeconds": 1},
	}
}

func errReused(differs, what string) error {
	return &feedback.Error{
		Code:    feedback.IdempotencyReused,
		Msg:     fmt.Sprintf("This idempotency key was used before with %s.", what),
		Hint:    "Use a new key for each new request, and repeat a request unchanged.",
		Details: map[string]any{"differs": differs},
	}
}
