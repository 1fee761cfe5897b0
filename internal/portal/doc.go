// Package portal is the public face of a site: what its users see. They browse,
// vote, comment, post, read the roadmap and the changelog, sign in, and choose
// which mail they get. Everything works as links and forms, and quicker with
// JavaScript.
//
// Its laws: all reading and writing goes through the verbs for visitors in app,
// which know only public boards; nothing here decides a rule. A page never holds
// an address of a person, nor says who voted. A visitor is nobody until they
// write: then they get a signed cookie; signing in by mail or by a token of the
// site's own application unites what they did before.
//
// A portal is served under /p/{slug}, and at the site's own host name without
// that prefix. In a frame on somebody else's page there are no cookies: there
// the visitor stands in the path, as /p/{slug}/~{token}.
package portal
