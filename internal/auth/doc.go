// Package auth holds the mechanisms that prove who is calling and keep what
// must stay secret: API keys, passwords, and keys derived from the one master
// secret of an installation. It knows no account, no request and no database:
// callers hand it text and bytes and decide what the answer means.
//
// Three laws hold throughout. A secret leaves this package once, when it is
// made; afterwards there is only a hash or a sealed form of it. Comparing
// secrets takes the same time whether they match or not. No value of this
// package prints its secret, whatever the formatting verb.
package auth
