// Package webhook is the mechanism of signed HTTP callbacks: it signs a body,
// guards the addresses a body may go to, makes one HTTP attempt, names what
// came of it, and says when the next attempt is due. It stores nothing, starts
// no goroutine that outlives a call by more than the time limits, and knows
// nothing about what the body says.
//
// Its laws:
//
//   - A message goes over HTTPS with a verified certificate or not at all.
//   - Every address is judged when the connection is made, after name
//     resolution, so a name that changes its mind meets the same guard as one
//     that was honest. No connection is ever made to a refused address.
//   - Send makes one attempt and follows nothing: no redirect, no proxy, no
//     alternative service, no compression.
//   - Whatever the receiver answers, time and memory are bounded by Config.
//   - What an attempt reports is a word of a closed set. It never carries the
//     text of an inner error, because that text can name inner addresses.
package webhook
