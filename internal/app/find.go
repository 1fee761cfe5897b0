package app

import (
	"heed/internal/feedback"
	"heed/internal/ids"
)

// find reads the spelling of an id and gets what it names. What cannot be read
// names nothing: both are the same NOT_FOUND. field is the member of the input
// the id stands in, empty for the path.
func find[K ids.Kind, T any](field, resource, spelled string, get func(ids.ID[K]) (*T, error)) (*T, error) {
	var found *T
	id, err := ids.Parse[K](spelled)
	if err == nil {
		if found, err = get(id); err != nil {
			return nil, err
		}
	}
	switch {
	case found != nil:
		return found, nil
	case field != "":
		return nil, feedback.MissingIn(field, resource, spelled)
	}
	return nil, feedback.Missing(resource, spelled)
}

// findRef is find for an optional member of the input. It finds nothing, and no
// fault, in a member that is absent or that the rules will refuse anyway.
func findRef[K ids.Kind, T any](in feedback.Input, field, resource string, ref *feedback.Ref, get func(ids.ID[K]) (*T, error)) (*T, error) {
	if ref == nil || *ref == "" || in.Malformed.Has(field) {
		return nil, nil
	}
	return find(field, resource, string(*ref), get)
}
