package feedback

import (
	"slices"
	"strings"
)

// Problem is one way in which an input breaks a rule.
type Problem struct {
	Path    string `json:"path"`    // the member: "title", "postIds.2"; empty for the input as a whole
	Rule    string `json:"rule"`    // the rule: "maxLength"
	Message string `json:"message"` // the rule in words, for a person
}

// The names of the rules an input can break.
const (
	RuleRequired  = "required"  // a member is absent
	RuleType      = "type"      // a member has another JSON type
	RuleNull      = "null"      // null where none is allowed
	RuleUnknown   = "unknown"   // a member that means nothing here
	RuleOnce      = "once"      // a parameter given twice
	RuleMinLength = "minLength" // too few characters
	RuleMaxLength = "maxLength" // too many characters
	RuleMinimum   = "minimum"   // a number too small
	RuleMaximum   = "maximum"   // a number too great
	RuleBlank     = "blank"     // nothing but white space
	RuleNUL       = "nul"       // holds U+0000
	RulePattern   = "pattern"   // another form than the wanted one
	RuleEnum      = "enum"      // not one of the allowed values
	RuleFormat    = "format"    // not a date, URI, ... of the wanted form
	RuleDone      = "doneStatus"
	RulePost      = "needsPost"
	RuleParent    = "parent"
	RuleMaxItems  = "maxItems"
	RuleFuture    = "future" // a moment that has passed, or is too far away
)

// Problems gathers what is wrong with one input, so that a person can mend all
// of it at once. The zero Problems is ready for use.
type Problems []Problem

// maxProblems is how many problems one input is told at once: a body may have
// tens of thousands of members that mean nothing.
const maxProblems = 100

// Add notes that the member at path breaks rule. A path that already has a
// problem keeps its first: a number where text belongs is not also too short.
func (p *Problems) Add(path, rule, message string) {
	if len(*p) < maxProblems && !p.Has(path) {
		*p = append(*p, Problem{path, rule, message})
	}
}

// Has reports whether the member at path has a problem. Where the whole has one,
// so have all its members.
func (p Problems) Has(path string) bool {
	return slices.ContainsFunc(p, func(q Problem) bool { return q.Path == path || q.Path == "" })
}

// Err returns nil if there are no problems, and else one VALIDATION_FAILED
// error that holds them all.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	msg := "The request breaks a rule: " + strings.TrimLeft(p[0].Path+" ", " ") + p[0].Message + "."
	hint := "Correct the field named in details.fields and send the request again."
	if len(p) > 1 {
		msg = "The request breaks several rules; details.fields lists them all."
		hint = "Correct the fields named in details.fields and send the request again."
	}
	return &Error{Code: ValidationFailed, Msg: msg, Hint: hint, Details: map[string]any{"fields": p}}
}

// Input is embedded in the inputs of verbs. Malformed holds what the face that
// read the input could not make sense of (another type, an unknown member); it
// is reported together with the rules that the rest breaks, and only after the
// things the input speaks of have been found.
type Input struct {
	Malformed Problems
}

// problems returns a copy to add to, so that checking twice is harmless.
func (in Input) problems() Problems { return slices.Clone(in.Malformed) }
