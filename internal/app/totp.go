package app

import (
	"context"
	"fmt"

	"heed/internal/auth"
	"heed/internal/feedback"
	"heed/internal/letter"
	"heed/internal/store"
)

func (a *App) totpSealer() *auth.Sealer { return a.cfg.Master.Sealer("second factors") }

// takeCode checks a code of a second factor, or a recovery code, and takes it:
// no code works twice. The member is told of a recovery code, and that it came
// from address.
func (a *App) takeCode(ctx context.Context, s *store.Tx, member feedback.MemberID, sealed []byte, code, address string) error {
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
	if err != nil {
		return err
	}
	return a.warnOfCode(ctx, s, member, address)
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

// SecondFactorOf is a secret that was made up before, for a member who signs in
// with an address; without a URL if it cannot be read.
func SecondFactorOf(secret, email string) SecondFactor {
	s, err := auth.ParseTOTP(secret)
	if err != nil {
		return SecondFactor{Secret: secret}
	}
	return SecondFactor{secret, s.URL("Heed", email)}
}

// EnableSecondFactor asks the actor for codes of a secret from now on, if code
// shows that their app has it. It returns codes for when the app is lost, which
// are shown once.
func (tx *Tx) EnableSecondFactor(ctx context.Context, secret, code string) ([]string, error) {
	has, _, err := tx.s.TOTP(ctx, tx.actor.Member)
	if err != nil {
		return nil, err
	}
	if has != nil {
		return nil, &feedback.Error{
			Code: feedback.InvalidTransition, Msg: "You have a second factor.", Hint: "Turn it off before you set up another app.",
		}
	}
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
	codes, err := tx.makeRecoveryCodes(ctx)
	if err != nil {
		return nil, err
	}
	return codes, tx.warn(ctx, tx.actor.Member, letter.FactorTurnedOn, "", "")
}

func (tx *Tx) makeRecoveryCodes(ctx context.Context) ([]string, error) {
	codes := make([]string, feedback.RecoveryCodes)
	for i := range codes {
		codes[i] = auth.NewRecoveryCode()
		if err := tx.s.InsertRecoveryCode(ctx, tx.actor.Member, auth.HashRecoveryCode(codes[i])); err != nil {
			return nil, err
		}
	}
	return codes, nil
}

// RecoveryCodesLeft counts the recovery codes that the actor has not used.
func (tx *Tx) RecoveryCodesLeft(ctx context.Context) (int, error) {
	return tx.s.RecoveryCodes(ctx, tx.actor.Member)
}

// NewRecoveryCodes returns new recovery codes, which are shown once, in the place
// of those the actor has. Without a second factor there is nothing that they
// could stand in for.
func (tx *Tx) NewRecoveryCodes(ctx context.Context) ([]string, error) {
	sealed, _, err := tx.s.TOTP(ctx, tx.actor.Member)
	if err != nil {
		return nil, err
	}
	if sealed == nil {
		return nil, &feedback.Error{
			Code: feedback.InvalidTransition, Msg: "You have no second factor.", Hint: "Set up an app first. Recovery codes come with it.",
		}
	}
	if err := tx.s.DeleteRecoveryCodes(ctx, tx.actor.Member); err != nil {
		return nil, err
	}
	codes, err := tx.makeRecoveryCodes(ctx)
	if err != nil {
		return nil, err
	}
	return codes, tx.warn(ctx, tx.actor.Member, letter.CodesMade, "", "")
}

// DisableSecondFactor asks the actor for no more codes. Where none was asked for,
// nothing changes and nobody is told.
func (tx *Tx) DisableSecondFactor(ctx context.Context) error {
	sealed, _, err := tx.s.TOTP(ctx, tx.actor.Member)
	if err != nil || sealed == nil {
		return err
	}
	if err := tx.s.SetTOTP(ctx, tx.actor.Member, nil, 0); err != nil {
		return err
	}
	return tx.warn(ctx, tx.actor.Member, letter.FactorTurnedOff, "", "")
}

// RemoveSecondFactor takes the second factor from a member who has lost it and
// every recovery code. The member is told of it.
func (tx *Tx) RemoveSecondFactor(ctx context.Context, member string) (*feedback.Member, error) {
	m, err := tx.member(ctx, member)
	if err != nil {
		return nil, err
	}
	if !m.Factor {
		return nil, &feedback.Error{
			Code: feedback.InvalidTransition, Msg: m.Name + " has no second factor.", Hint: "A new password link may be what helps.",
		}
	}
	if err := tx.s.SetTOTP(ctx, m.ID, nil, 0); err != nil {
		return nil, err
	}
	return m, tx.warn(ctx, m.ID, letter.FactorTurnedOff, "", "")
}
