package feedback

import (
	"strings"
	"time"

	"heed/internal/ids"
)

// AuditEntry is one line of the record of who did what.
type AuditEntry struct {
	ID        AuditID
	AccountID AccountID
	SiteID    SiteID // zero: about no site
	ActorKind string // member, key, system
	ActorID   int64
	ActorName string
	Action    string // post.archived, key.created, ...
	Subject   string // what it was done to: ids or a name, never a secret
	// Name is what the subject was called, kept where it cannot be looked up
	// later: it was removed, or is another account's.
	Name      string
	Address   string // where from
	CreatedAt time.Time

	// About is the subject for people: its ids with the names they have now.
	// More is how many further ids it has.
	About []AuditWord
	More  int
}

// AuditWord is a thing that an entry is about, or a word between two of them.
type AuditWord struct {
	Kind string // the prefix of its id; "" for a word
	ID   int64
	Text string // the word, the name of the thing, or "" for one that is gone
	Raw  string // as the record has it
}

// MaxNamed is how many things of an entry are named. A record about a hundred
// posts is told by the first few.
const MaxNamed = 3

// Read takes the subject apart into About: ids, without their names, and the words
// between. Only a subject that begins with an id is taken apart, since others are
// what somebody called something.
func (e *AuditEntry) Read() {
	things := 0
	for i, word := range strings.Fields(e.Subject) {
		kind, id, err := ids.ParseAny(word)
		switch {
		case i == 0 && err != nil:
			return
		case err != nil:
			e.About = append(e.About, AuditWord{Text: word, Raw: word})
		case things == MaxNamed:
			e.More++
		default:
			things++
			e.About = append(e.About, AuditWord{Kind: kind, ID: id, Raw: word})
		}
	}
	if things == 1 {
		e.About[0].Text = e.Name
	}
}

// RuleDay is the rule for a day.
const RuleDay = "day"

// AuditFilter asks for some of the record.
type AuditFilter struct {
	Action string
	Actor  string // a member's id
	// From and Until are days, such as 2026-11-15, in UTC, both included; ""
	// is for ever.
	From, Until string
}

// Span returns the first moment that the filter asks for and the first after it;
// zero times are open ends. It returns a VALIDATION_FAILED error that names every
// field at fault.
func (f AuditFilter) Span() (from, until time.Time, err error) {
	var p Problems
	day := func(path, s string) (t time.Time) {
		if s != "" {
			if t, err = time.Parse(time.DateOnly, s); err != nil {
				p.Add(path, RuleDay, "must be a day such as 2026-11-15")
			}
		}
		return t
	}
	from, until = day("from", f.From), day("until", f.Until)
	if !until.IsZero() {
		until = until.AddDate(0, 0, 1)
	}
	if !from.IsZero() && !until.IsZero() && !from.Before(until) {
		p.Add("until", RuleDay, "must not be before the first day")
	}
	return from, until, p.Err()
}
