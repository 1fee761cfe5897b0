package api_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// like is a pattern that a string must match as a whole.
type like string

// The forms of values that a test cannot know.
const (
	aTime   like = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
	aCursor like = `[\w-]{20,}`
)

// anID is the form of an id with this prefix.
func anID(prefix string) like { return like(prefix + `_[0-7][0-9a-hjkmnp-tv-z]{12}`) }

// differences compares a decoded JSON value with what it should be: objects have
// exactly the wanted members, strings may be wanted by their form.
func differences(path string, got, want any) []string {
	wrong := func() []string { return []string{fmt.Sprintf("%s = %v; want %v", path, got, want)} }
	switch want := want.(type) {
	case like:
		if s, ok := got.(string); !ok || !regexp.MustCompile("^(?:"+string(want)+")$").MatchString(s) {
			return wrong()
		}
	case object:
		g, ok := got.(object)
		if !ok {
			return wrong()
		}
		var out []string
		for _, k := range slices.Sorted(maps.Keys(want)) {
			v, given := g[k]
			if !given {
				out = append(out, path+"."+k+" is absent")
				continue
			}
			out = append(out, differences(path+"."+k, v, want[k])...)
		}
		for k := range g {
			if _, wanted := want[k]; !wanted {
				out = append(out, path+"."+k+" should not be there")
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return wrong()
		}
		var out []string
		for i := range want {
			out = append(out, differences(fmt.Sprintf("%s[%d]", path, i), g[i], want[i])...)
		}
		return out
	case int:
		if got != float64(want) {
			return wrong()
		}
	default:
		if !reflect.DeepEqual(got, want) {
			return wrong()
		}
	}
	return nil
}

// want judges a status and a body.
func (r *response) want(t testing.TB, status int, body any) *response {
	t.Helper()
	if r.status != status {
		t.Errorf("= %d %.500s; want %d", r.status, r.raw, status)
		return r
	}
	if d := differences("body", any(r.object()), body); d != nil {
		t.Errorf("= %d with\n\t%s", r.status, strings.Join(d, "\n\t"))
	}
	return r
}
