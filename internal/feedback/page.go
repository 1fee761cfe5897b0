package feedback

import "fmt"

// The bounds of a page of a list.
const (
	MinLimit     = 1
	MaxLimit     = 100
	DefaultLimit = 50
)

// Position is where a page of a list begins: the sort key of the last item
// before it. Each list gives its own meaning to the numbers; nil is the
// beginning, and as an answer the end.
type Position []int64

// Window asks for one page of a list.
type Window struct {
	Input
	After Position
	Limit int
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (w Window) Check() error {
	p := w.problems()
	w.check(&p)
	return p.Err()
}

func (w Window) check(p *Problems) {
	if w.Limit < MinLimit {
		p.Add("limit", RuleMinimum, fmt.Sprintf("must be at least %d", MinLimit))
	}
	if w.Limit > MaxLimit {
		p.Add("limit", RuleMaximum, fmt.Sprintf("must be at most %d", MaxLimit))
	}
}

// Page is one page of a list. Next is nil when nothing follows.
type Page[T any] struct {
	Items []T
	Next  Position
}

// PageOf makes a page of up to limit items and one more, which is not shown but
// says that something follows. key is the sort key of an item.
func PageOf[T any](items []T, limit int, key func(*T) Position) Page[T] {
	if len(items) <= limit {
		return Page[T]{Items: items}
	}
	items = items[:limit]
	return Page[T]{items, key(&items[limit-1])}
}

// Search asks for one page of the posts that hold some words.
type Search struct {
	Window
	Query SearchQuery
}

// Check returns a VALIDATION_FAILED error that names every field at fault.
func (s Search) Check() error {
	p := s.problems()
	checkText(&p, "q", s.Query)
	s.check(&p)
	return p.Err()
}
