package app

import (
	"context"
	"fmt"

	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/store"
)

// recoveryCodes is how many codes a member gets for when the app is lost.
const recoveryCodes = 10

func (a *App) totpSealer() *auth.Sealer { return a.cfg.Master.Sealer("second factors") }

// takeCode checks a code of a second factor, or a recovery code, and takes it:
// no code works twice.
func (a *App) takeCode(ctx context.Context, s *store.Tx, member feedback.MemberID, sealed []byte, code string) error {
	secret, err := a.totpSealer().Open(sealed, []byte(member.String()))
	if err != nil {
		return fmt.Errorf("second factor of %s: %w", member, err)
	}
	if step, ok := auth.TOTP(secret).Check(code, s.Now); ok {
		fresh, err := s.TakeTOTPStep(ctx, member, step)
		if err == nil && !fresh {
			err = errCode()
		}
		return err
	}
	used, err := s.UseRecoveryCode(ctx, member, auth.HashRecoveryCode(code))
	if err == nil && !used {
		err = errCode()
	}
	return err
}

// SecondFactor is a new secret for an authenticator app: as people type it and
// as apps read it.
type SecondFactor struct{ Secret, URL string }

// NewSecondFactor makes up a secret. It counts once [Tx.EnableSecondFactor] has
// seen a code of it.
func (tx *Tx) NewSecondFactor(email string) SecondFactor {
	s := auth.NewTOTP()
	return SecondFactor{s.String(), s.URL("Heed", email)}
}

// EnableSecondFactor asks the actor for codes of a secret from now on, if code
// shows that their app has it. It returns codes for when the app is lost, which
// are shown once.
func (tx *Tx) EnableSecondFactor(ctx context.Context, secret, code string) ([]string, error) {
	s, err := auth.ParseTOTP(secret)
	if err != nil {
		return nil, &feedback.Error{Code: feedback.ValidationFailed, Msg: "The secret cannot be read.", Hint: "Start again."}
	}
	step, ok := s.Check(code, tx.s.Now)
	if !ok {
		return nil, &feedback.Error{
			Code: feedback.ValidationFailed, Msg: "The code does not match the secret.",
			Hint: "Type the code that the app shows now.", Details: map[string]any{"field": "code"},
		}
	}
	sealed := tx.app.totpSealer().Seal(s, []byte(tx.actor.Member.String()))
	if err := tx.s.SetTOTP(ctx, tx.actor.Member, sealed, step); err != nil {
		return nil, err
	}
	codes := make([]string, recoveryCodes)
	for i := range codes {
		codes[i] = auth.NewRecoveryCode()
		if err := tx.s.InsertRecoveryCode(ctx, tx.actor.Member, auth.HashRecoveryCode(codes[i])); err != nil {
			return nil, err
		}
	}
	return codes, nil
}

// DisableSecondFactor asks the actor for no more codes.
func (tx *Tx) DisableSecondFactor(ctx context.Context) error {
	return tx.s.SetTOTP(ctx, tx.actor.Member, nil, 0)
}
