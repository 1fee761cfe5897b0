// Package ratelimit decides whether one more request of a key comes too soon.
// It uses the generic cell rate algorithm: a key's whole state is the moment
// at which its bucket would be full again, so a key at rest needs no memory and
// no timer, and the answer to "when may I come back" is exact.
//
// The package knows no plan and no account: callers bring a comparable key and
// its rate with every call, so a changed plan holds from the next request. Its
// laws: within any span of time d a key is allowed at most Burst requests plus
// d times its rate; a clock that jumps back locks nobody out; memory is bounded
// however many keys come by. State is in the process, so with n nodes behind
// one address a key may get up to n times its rate: the limit is there to stop
// runaway loops, not to bill.
package ratelimit
