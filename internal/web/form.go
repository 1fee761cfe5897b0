package web

import (
	"context"
	"errors"

	"heed/internal/feedback"
)

// Explain says in the language of the reader what a problem asks for. A rule
// without a text of its own is told in the words of the rule.
func Explain(ctx context.Context, p feedback.Problem, max int) string {
	if key := "web.rule." + p.Rule; Locale(ctx).Has(key) {
		return T(ctx, key, "max", Number(ctx, max))
	}
	return p.Message
}

// ProblemsOf returns what a form must show of an error: the problems of a
// VALIDATION_FAILED error, or those of another error that names a field. ok is
// false for an error that belongs to no field.
func ProblemsOf(err error) (problems feedback.Problems, ok bool) {
	e, is := errors.AsType[*feedback.Error](err)
	if !is {
		return nil, false
	}
	if all, is := e.Details["fields"].(feedback.Problems); is {
		return all, true
	}
	if field, is := e.Details["field"].(string); is {
		return feedback.Problems{{Path: field, Rule: string(e.Code), Message: e.Msg}}, true
	}
	return nil, false
}
