// Package apiref is the interactive reference of the API: one page that reads
// the OpenAPI document, shows every operation and sends requests to the server
// it came from. The page is Scalar's, kept in this repository and in the binary;
// it loads nothing from another host, and its content security policy would not
// let it.
//
// The package knows the document only by its URL. It keeps no state and asks for
// no authentication: who uses the page pastes a key of their own.
package apiref
