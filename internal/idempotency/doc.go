// Package idempotency holds what makes a repeated request recognisable: the
// rule for keys, the fingerprint that tells a retry from another request under
// the same key, and the lock that is held while the first one runs.
//
// It stores nothing. Whoever performs the write stores the response in the same
// transaction, so a crash leaves both or neither; and because "in flight" is a
// lock of the process and never a row, a crash leaves nothing that would have
// to be cleaned up before the client may try again.
package idempotency
