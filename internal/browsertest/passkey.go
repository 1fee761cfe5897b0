package browsertest

import "github.com/chromedp/cdproto/webauthn"

// Authenticator is a device that holds passkeys and uses them without asking
// anybody.
type Authenticator struct {
	p  *Page
	id webauthn.AuthenticatorID
}

// AddAuthenticator gives the browser of the page a device for passkeys.
func (p *Page) AddAuthenticator() *Authenticator {
	p.t.Helper()
	call(p, webauthn.Enable, webauthn.EnableParams{})
	added := call(p, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
			HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		},
	})
	return &Authenticator{p, added.AuthenticatorID}
}

// Forge has the device lie from now on: by a signature that is none, or about
// having asked who holds it.
func (a *Authenticator) Forge(signature, verification bool) {
	a.p.t.Helper()
	call(a.p, webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{
		AuthenticatorID: a.id, IsBogusSignature: &signature, IsBadUV: &verification,
	})
}

// Keys is how many passkeys the device holds.
func (a *Authenticator) Keys() int {
	a.p.t.Helper()
	return len(call(a.p, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: a.id}).Credentials)
}
