// Package mail composes messages and hands them to an SMTP server. It knows
// no templates, no recipients' wishes and no queue: the caller says what goes
// to whom and keeps the record of it.
//
// Its laws:
//
//   - A message has one recipient, so that no reader learns of another and
//     one refusal concerns one person.
//   - The caller names the message. A repeat after a doubtful end carries the
//     same Message-ID, by which servers and readers can tell it is a repeat.
//   - Nothing that reaches a header or a command can start a line of its own.
//   - An error says whether trying again makes sense, and whether the message
//     may have gone out all the same. Its text names no person and no
//     password; what the server said is kept apart, for the operator.
//   - A password goes over a verified TLS connection, or to this very
//     machine, or nowhere.
package mail
