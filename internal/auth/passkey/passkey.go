// Package passkey checks what browsers say of keys on people's devices: that a new
// key was made for this service, and that whoever holds a known one was there and
// showed it who they are (by finger, face or PIN). It knows no member and no
// database: callers keep the records and the state between question and answer.
//
// Attestation is not asked for: which maker's device a key is on is nothing to
// us.
package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Party is the service as browsers know it.
type Party struct{ w *webauthn.WebAuthn }

// ErrPlace says that browsers offer no passkeys where the service is reached.
var ErrPlace = errors.New("passkeys need a host name and https, or localhost")

// New returns the service at a URL, or ErrPlace.
func New(baseURL, name string) (*Party, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, ErrPlace
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || host == "" || u.Scheme != "https" && host != "localhost" {
		return nil, ErrPlace
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: name, RPOrigins: []string{u.Scheme + "://" + u.Host}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys at %s: %w", baseURL, err)
	}
	return &Party{w}, nil
}

// Holder is a person with the keys they have. Handle is what their devices know
// them by; it must not say who they are.
type Holder struct {
	Handle  []byte
	Name    string
	Display string
	Records [][]byte
}

// holder makes a Holder what the library wants to see.
type holder struct {
	Holder
	keys []webauthn.Credential
}

func (h Holder) open() (*holder, error) {
	o := &holder{Holder: h}
	for _, r := range h.Records {
		var c webauthn.Credential
		if err := json.Unmarshal(r, &c); err != nil {
			return nil, fmt.Errorf("record of a passkey: %w", err)
		}
		o.keys = append(o.keys, c)
	}
	return o, nil
}

func (h *holder) WebAuthnID() []byte                         { return h.Handle }
func (h *holder) WebAuthnName() string                       { return h.Name }
func (h *holder) WebAuthnDisplayName() string                { return h.Display }
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// Question is what a browser is asked, as JSON, and the state to keep until it
// has answered.
type Question struct {
	Options []byte
	State   []byte
}

func question(options any, session *webauthn.SessionData, err error) (*Question, error) {
	if err != nil {
		return nil, fmt.Errorf("question for a passkey: %w", err)
	}
	o, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	s, err := json.Marshal(session)
	return &Question{o, s}, err
}

// Register asks for a new key on a device that has none of the holder's.
func (p *Party) Register(h Holder) (*Question, error) {
	o, err := h.open()
	if err != nil {
		return nil, err
	}
	known := make([]protocol.CredentialDescriptor, len(o.keys))
	for i := range o.keys {
		known[i] = o.keys[i].Descriptor()
	}
	options, session, err := p.w.BeginRegistration(o, webauthn.WithExclusions(known))
	if err != nil {
		return nil, fmt.Errorf("question for a passkey: %w", err)
	}
	return question(options.Response, session, nil)
}

// ErrAnswer is returned for an answer that proves nothing. What is wrong with it
// is for the log.
var ErrAnswer = errors.New("the answer of the passkey does not hold")

func wrong(err error) error {
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		return fmt.Errorf("%w: %s %s", ErrAnswer, e.Details, e.DevInfo)
	}
	return fmt.Errorf("%w: %w", ErrAnswer, err)
}

// Registered checks the answer to [Party.Register] and returns the id of the new
// key and its record.
func (p *Party) Registered(h Holder, state, answer []byte) (id, record []byte, err error) {
	o, err := h.open()
	if err != nil {
		return nil, nil, err
	}
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return nil, nil, wrong(err)
	}
	said, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return nil, nil, wrong(err)
	}
	key, err := p.w.CreateCredential(o, session, said)
	if err != nil {
		return nil, nil, wrong(err)
	}
	record, err = json.Marshal(key)
	return key.ID, record, err
}

// Ask asks for any key that the browser's user has here.
func (p *Party) Ask() (*Question, error) {
	options, session, err := p.w.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, fmt.Errorf("question for a passkey: %w", err)
	}
	return question(options.Response, session, nil)
}

// Key says which key an answer is of, before it is checked.
func Key(answer []byte) (id []byte, err error) {
	said, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, wrong(err)
	}
	return said.RawID, nil
}

// Answered checks the answer to [Party.Ask] against the key's record and the
// handle of its holder, and returns the record as it is from now on.
func (p *Party) Answered(handle, record, state, answer []byte) ([]byte, error) {
	o, err := Holder{Handle: handle, Records: [][]byte{record}}.open()
	if err != nil {
		return nil, err
	}
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return nil, wrong(err)
	}
	said, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, wrong(err)
	}
	key, err := p.w.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return o, nil }, session, said)
	if err != nil {
		return nil, wrong(err)
	}
	if key.Authenticator.CloneWarning {
		return nil, fmt.Errorf("%w: its counter went back, so there is a copy of it", ErrAnswer)
	}
	return json.Marshal(key)
}
